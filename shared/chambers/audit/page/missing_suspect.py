"""The missing-suspect game on the page: the city of the edition, the cars on it, and the suspects on their spots."""

from __future__ import annotations

import base64
from typing import Any, Final

from chambers import editions
from chambers.audit.page.drawing import Piece, initial, ring, token
from chambers.editions.missing_suspect_svg import FOOT, HEAD, MARGIN, NARROWEST, STEP
from chambers.rules.missing_suspect.edition import Edition, card_name, case_of, clue_code, is_clue_card
from chambers.rules.terms import Disclosed

_TOPS: Final = 1000
_SHIFT: Final = ((-9, -9), (9, -9), (-9, 9), (9, 9), (0, -14), (0, 14))


class Scenery:
    """Lays the pieces over the picture of the edition's own map."""

    def board(self, edition: Edition, names: tuple[str, ...], /) -> str:
        """Return the board with all its pieces as SVG markup."""
        columns = max(max(node.col for node in edition.board.nodes) + 1, NARROWEST)
        width = 2 * MARGIN + (columns - 1) * STEP
        height = HEAD + max(node.row for node in edition.board.nodes) * STEP + FOOT
        picture = base64.b64encode(editions.picture(edition).encode()).decode()
        parts = [
            f'<svg class="board" viewBox="0 0 {width} {height}" role="img" aria-label="The city">',
            f'<image width="{width}" height="{height}" href="data:image/svg+xml;base64,{picture}"/>',
            *(
                token(f"suspect{one.letter}", one.letter, f"{one.letter} {one.colour}", kind="suspect")
                for one in edition.suspects
            ),
            ring("turn", 17),
            *(token(f"pawn{n}", initial(name), name, kind=f"pawn seat{n}", radius=12) for n, name in enumerate(names)),
            "</svg>",
        ]
        return "".join(parts)

    def pieces(self, edition: Edition, view: dict[str, Any], /) -> tuple[Piece, ...]:
        """Return where the pieces stand in a public view; a piece that is not named is not on the board."""
        if "seats" not in view:
            return ()
        places = {node.address: (MARGIN + node.col * STEP, HEAD + node.row * STEP) for node in edition.board.nodes}
        found = [
            Piece(f"suspect{one['letter']}", *places[one["spot"]]) for one in view["suspects"] if one["spot"] in places
        ]
        for seat, one in enumerate(view["seats"]):
            if one["car"] not in places or one["dropped"]:
                continue
            x, y = places[one["car"]]
            x, y = x + _SHIFT[seat][0], y + _SHIFT[seat][1]
            if seat == view["turn"]["seat"]:
                found.append(Piece("turn", x, y))
            found.append(Piece(f"pawn{seat}", x, y))
        return tuple(found)

    def words(self, view: dict[str, Any], /) -> tuple[str, ...]:
        """Return a public view in sentences."""
        if "seats" not in view:
            return ("Nothing has been dealt yet.",)
        turn, seats = view["turn"], view["seats"]
        found = [f"Round {turn['round']}: it is {seats[turn['seat']]['name']}'s turn."] if turn["round"] else []
        for one in seats:
            parts = [one["car"] or "not on the board yet", f"{one['cards']} clue cards"]
            parts += ["a case"] if one["case"] else []
            parts += [f"carries suspect {one['carries']}"] if one["carries"] else []
            parts += ["left"] if one["dropped"] else []
            found.append(f"{one['name']}: {', '.join(parts)}.")
        found.append(f"In the piles: {view['piles']['clues']} clue cards, {view['piles']['cases']} cases.")
        return tuple(found)

    def short(self, edition: Edition, shown: Disclosed, /) -> str:
        """Return the few letters that stand for a card: the codes of its clues, or a case's letter."""
        if is_clue_card(edition, shown.value):
            return "/".join(clue_code(edition, clue) for clue in edition.cards[shown.value])
        case = case_of(edition, shown.value)
        return "Question Witness" if case is None else f"case {edition.cases[case].letter}"

    def card(self, edition: Edition, shown: Disclosed, /) -> str:
        """Return a card's name, or the suspect whose number it is."""
        if shown.seal is None and shown.place is not None and shown.place >= _TOPS:
            suspect = edition.suspects[shown.place - _TOPS]
            return f"Suspect {suspect.letter} ({suspect.colour}): number {shown.value}"
        return card_name(edition, shown.value)
