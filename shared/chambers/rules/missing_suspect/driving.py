"""Whether a car may be driven as a player says: every step, the count, and where it comes to rest."""

from __future__ import annotations

from chambers.rules.missing_suspect.edition import NodeKind
from chambers.rules.missing_suspect.play import NOBODY, Play, occupied
from chambers.rules.missing_suspect.refusals import INQUESTS, MOVES, WINNER, refuse


def check_path(play: Play, path: tuple[int, ...]) -> None:
    """Refuse (RuleError) a path that is no legal move of the turn seat with its throw (MS-2 to MS-11, MS-19, MS-42)."""
    city = play.town.city
    if not path:
        refuse("must-move", "A car must move when it can.", section=MOVES, ruling="MS-6")
    if any(not 0 <= node < len(city.kinds) for node in path):
        refuse("no-such-place", "There is no such place in the city.", section=MOVES)
    jumped = _follow(play, path)
    end = path[-1]
    steps = len(path) - jumped
    spot = not city.is_dot(end)
    if steps > play.roll or (steps < play.roll and not jumped and not spot):
        sentence = f"The die shows {play.roll}; this move counts {steps}."
        refuse("wrong-count", sentence, section=MOVES, ruling="MS-2")
    if city.kinds[end] is NodeKind.COURTHOUSE:
        _check_trial(play, steps)
    if end == play.barred[play.turn]:
        sentence = f"The Inquest at {play.address(end)} must be left for a turn."
        refuse("same-inquest", sentence, section=INQUESTS, ruling="MS-19")
    if occupied(play, end):
        sentence = f"Another car rests on {play.address(end)}; two may rest together only on a Tunnel Dot."
        refuse("occupied", sentence, section=MOVES, ruling="MS-4")


def _follow(play: Play, path: tuple[int, ...]) -> bool:
    """Return whether the last step is a tunnel jump, after refusing any step that is not one to take."""
    city, here = play.town.city, play.cars[play.turn]
    lines: set[int] = set()
    dots = {here}
    for count, ahead in enumerate(path):
        last = count == len(path) - 1
        line = city.line(here, ahead)
        if line is None:
            tunnels = count > 0 and city.kinds[here] is NodeKind.TUNNEL and city.kinds[ahead] is NodeKind.TUNNEL
            if last and tunnels and ahead != here:
                return True
            sentence = f"No line leads from {play.address(here)} to {play.address(ahead)}."
            refuse("no-line", sentence, section=MOVES, ruling="MS-8" if tunnels else "MS-42")
        if line in lines or (play.town.options.no_dot_twice and ahead in dots):
            refuse("retraced", "A car may not re-trace its path on the same turn.", section=MOVES, ruling="MS-3")
        if not last and not city.is_dot(ahead):
            sentence = f"{play.address(ahead)} is a spot: entering it ends the move."
            refuse("not-passable", sentence, section=MOVES, ruling="MS-9")
        lines.add(line)
        dots.add(ahead)
        here = ahead
    return False


def _check_trial(play: Play, steps: int) -> None:
    if play.carried[play.turn] == NOBODY:
        sentence = "The Courthouse is entered only to bring a captured suspect to trial."
        refuse("no-trial", sentence, section=WINNER, ruling="MS-10")
    if steps != play.roll:
        refuse("exact-count", "The Courthouse is entered by exact count.", section=WINNER, ruling="MS-11")
