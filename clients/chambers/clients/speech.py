"""Line mode's sentences: each event, prompt and view as lines that begin with one of eleven fixed words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from chambers.clients.city_sights import CitySights
from chambers.clients.heard import REPLACED, Heard, Link, LinkState, Occupied, Unsent
from chambers.clients.json_mode import scene_json
from chambers.clients.luck import LuckTold
from chambers.clients.rulings import ruling_text
from chambers.clients.seen import flat
from chambers.clients.sights import Sights
from chambers.clients.typed import Sight
from chambers.clients.wording import Wording
from chambers.protocol.client import Ask, Choice, ChoiceAccepted, ChoiceRefused, Line, Over, Replaced, Update, Welcome
from chambers.protocol.views import OWN_VAULT
from chambers.protocol.watching import Scene

FIRST_WORDS: Final = ("TURN", "YOU", "EVENT", "ASK", "HAND", "BOARD", "CHOICE", "OK", "ERR", "LINK", "END")
_LOG_KEPT: Final = 40
_ASKED_KEPT: Final = 4
_IDLE: Final = "lets it pass."
_SERVICES: Final = ("The dice", "The dealer", "The game master")

_YOURS: Final = "If you keep it yourself, start it in another window: chambers vault TICKET"
_YOUR_OWN: Final = " If your vault has ended, start it again in another window: chambers vault TICKET"


class Speech:
    """Turns what one seat hears into lines; it says nothing twice unless it is asked to.

    `own` tells that the player keeps the seat's vault.
    """

    def __init__(
        self, sights_of: Callable[[str, bytes], Wording], *, numbered: bool = False, own: bool = False
    ) -> None:
        self._sights_of = sights_of
        self._sights: Wording = Sights(None)
        self._numbered = numbered
        self._own = own
        self._log: list[Line] = []
        self._asked = ""
        self._turn: tuple[Any, ...] = ()
        self._hand: tuple[str, ...] | None = None
        self.update: Update | None = None
        self._sent: dict[str, tuple[Choice, ...]] = {}
        self._asks: dict[str, Ask] = {}
        self._seat = -1
        self._opened = True
        self._told_waiting: tuple[str, ...] = ()

    @property
    def ask(self) -> Ask | None:
        """Return the prompt that is open, or None."""
        return None if self.update is None else self.update.prompt

    def sending(self, ask: Ask, option: Choice) -> None:
        """Remember what was chosen, so that its acceptance can be told in the player's words; also of two answers."""
        self._sent[ask.id] = (*self._sent.get(ask.id, ()), option)
        while len(self._sent) > _ASKED_KEPT:
            del self._sent[next(iter(self._sent))]

    def lines(self, heard: Heard) -> tuple[str, ...]:
        """Return the lines that tell what was heard."""
        match heard:
            case Update():
                return self._updated(heard)
            case Welcome():
                self._sights, self._seat, self._opened = self._words(heard), heard.seat, heard.reveal != "none"
                sat = f"LINK you are at the table: seat {heard.seat} of {heard.seats}, {self._sights.title}."
                return (sat, *_opened_to(heard))
            case Occupied():
                return ("LINK another window plays this seat. Type take to play here instead, or quit.",)
            case ChoiceAccepted(prompt=prompt, option=option, sequence=sequence):
                return (f"OK {self._taken(prompt, option)}{self._entry(sequence)}",)
            case ChoiceRefused():
                return (f"ERR {heard.text}{_behind(heard.section, heard.ruling)}",)
            case Unsent():
                return ("ERR The link broke before your choice counted, and the question has changed. Choose again.",)
            case Over():
                why = self._sights.solution(flat(self.update.view)) if self.update else []
                root = [_head(heard, opened=self._opened)] if heard.root else []
                return tuple(f"END {text}" for text in (heard.text, *why, *root))
            case Replaced():
                return (f"LINK {REPLACED[:1].lower()}{REPLACED[1:]}",)
            case LuckTold(text=text):
                return (f"LINK {text}",)
            case Link(state=LinkState.LOST) if self._seat < 0:
                return (f"LINK the vault of your seat does not answer yet; trying again. {_YOURS}",)
            case Link(state=LinkState.LOST):
                return (f"LINK lost. Your seat is held; trying again.{_YOUR_OWN * self._own}",)
            case Link(seconds=seconds):
                return (f"LINK is back after {seconds:.0f} s.",)
            case _:
                return ()

    def prompt(self) -> tuple[str, ...]:
        """Return the open prompt again, or that there is none."""
        if self.ask is None:
            waiting = "" if self.update is None else _waiting(self.update.waiting)
            return (f"ASK nothing is asked of you now. {waiting}".rstrip(),)
        return tuple(prompt_lines(self.ask, self._sights, flat(self.update.view) if self.update else {}))

    def waiting(self) -> tuple[str, ...]:
        """Return whom the table waits for, unless that was told, or it waits for this player or a service alone."""
        if self.update is None or self.update.prompt is not None:
            return ()
        others = tuple(sorted(name for name in self.update.waiting if name not in _SERVICES))
        own = self._own_name()
        if not others or others == self._told_waiting or {own, own + OWN_VAULT} & set(others):
            return ()
        self._told_waiting = others
        return (f"EVENT waiting for {', '.join(others)}.",)

    def notes(self) -> str:
        """Return the player's notes in one line; empty where there are none."""
        return "" if self.update is None else " ".join(str(self.update.view.get("notes", "")).split())

    def rule(self) -> tuple[str, ...]:
        """Return the rule behind the open prompt."""
        if self.ask is None or not self.ask.ruling:
            return ("ASK no ruling stands behind this.",)
        return (f"ASK the rule: {ruling_text(self.ask.ruling)}",)

    def look(self, sight: Sight) -> tuple[str, ...]:
        """Return what the player wants to see, in words."""
        if self.update is None:
            return (
                ("HAND your notes are not here yet.",)
                if sight is Sight.NOTES
                else ("BOARD nothing has been dealt yet.",)
            )
        view = flat(self.update.view)
        match sight:
            case Sight.BOARD:
                waiting = [] if self.ask else [text for text in (_waiting(self.update.waiting),) if text]
                return tuple(f"BOARD {text}" for text in (*self._sights.board(view), *waiting))
            case Sight.HAND:
                return tuple(f"HAND {text}" for text in self._sights.hand(view))
            case Sight.SHEET:
                return tuple(f"HAND {text}" for text in self._sights.sheet(view))
            case Sight.LOG:
                return tuple(self._event(line) for line in self._log) or ("EVENT nothing has happened yet.",)
            case Sight.NOTES:
                return (f"HAND your notes: {self.notes()}" if self.notes() else "HAND you have no notes.",)

    def _taken(self, prompt: str, option: str) -> str:
        ask = self._asks.get(prompt)
        for sent in self._sent.get(prompt, ()):
            if sent.id == option:
                return sent.label
        label = next((one.label for one in ask.options if one.id == option), option) if ask else option
        # Without a limit the vault chooses nothing; then it was this player, from a window before this one.
        return f"your vault chose for you: {label}" if ask is None or ask.deadline is not None else label

    def _own_name(self) -> str:
        names = self.update.view.get("names", ()) if self.update else ()
        return str(names[self._seat]) if 0 <= self._seat < len(names) else ""

    def _words(self, welcome: Welcome) -> Wording:
        found = self._sights_of(welcome.edition, welcome.edition_hash)
        # Words for another game cannot tell this one's views; that is so where the edition is not on this machine.
        return found if found.game == welcome.game else wordless(welcome.game, welcome.edition)

    def _updated(self, update: Update) -> tuple[str, ...]:
        self.update = update
        newest = self._log[-1].sequence if self._log else -1
        fresh = [line for line in update.lines if line.sequence > newest]
        self._log = (self._log + fresh)[-_LOG_KEPT:]
        found = [self._event(line) for line in fresh if not line.text.endswith(_IDLE)]
        view = flat(update.view)
        found += self._new_turn(view)
        found += self._new_hand(view)
        if update.prompt is not None and update.prompt.id != self._asked:
            found += prompt_lines(update.prompt, self._sights, view)
        self._asked = "" if update.prompt is None else update.prompt.id
        if update.prompt is not None:
            self._told_waiting = ()
            self._remember(update.prompt)
        return tuple(found)

    def _remember(self, ask: Ask) -> None:
        self._asks[ask.id] = ask
        while len(self._asks) > _ASKED_KEPT:
            del self._asks[next(iter(self._asks))]

    def _new_turn(self, view: dict[str, Any]) -> Iterable[str]:
        turn = self._sights.turn(view)
        if turn is None or turn == self._turn:
            return ()
        self._turn = turn
        return (f"TURN {self._sights.turn_text(view)}",)

    def _new_hand(self, view: dict[str, Any]) -> Iterable[str]:
        codes = self._sights.codes(view)
        if codes is None or codes == self._hand:
            return ()
        before, self._hand = self._hand, codes
        if before is None:
            return (f"HAND {text}" for text in self._sights.hand(view))
        return (f"HAND {text}" for text in self._sights.changed(before, codes))

    def _event(self, line: Line) -> str:
        number = f"{line.sequence} " if self._numbered else ""
        if line.text.startswith("You "):
            return f"YOU {number}{line.text.removeprefix('You ')}"
        return f"EVENT {number}{line.text}"

    def _entry(self, sequence: int) -> str:
        return f" (entry {sequence})" if self._numbered else ""


def prompt_lines(ask: Ask, sights: Wording, view: dict[str, Any]) -> list[str]:
    """Return a prompt as lines: what is asked, then every choice with its number, like ones in one line."""
    return [f"ASK {ask.text}{_until(ask)}", *(f"CHOICE {text}" for text in sights.choices(ask, view))]


class SceneSpeech:
    """Turns what a spectator sees into lines. `brief` leaves out what only says that nothing was done."""

    def __init__(self, *, as_json: bool = False, numbered: bool = False, brief: bool = False) -> None:
        self._as_json = as_json
        self._numbered = numbered
        self._brief = brief

    def lines(self, scene: Scene) -> list[str]:
        """Return the new log lines of a scene, one event a line; as JSON the view too."""
        if self._as_json:
            return scene_json(scene)
        told = [line for line in scene.lines if not (self._brief and line.text.endswith(_IDLE))]
        return [f"EVENT {line.sequence} {line.text}" if self._numbered else f"EVENT {line.text}" for line in told]


def wordless(game: str, edition: str) -> Wording:
    """Return the words for a game's views where the edition is not here: codes and addresses stand alone."""
    return CitySights(None, name=edition) if game == CitySights.game else Sights(None, name=edition)


def _head(over: Over, *, opened: bool) -> str:
    counted = "1 entry" if over.size == 1 else f"{over.size} entries"
    before = ", before the secrets were opened," if opened else ""
    return f"at the close{before} the log had {counted}; its root is {over.root}"


def _until(ask: Ask) -> str:
    if ask.deadline is None:
        return ""
    return f" (your vault decides for you at {time.strftime('%H:%M:%S', time.localtime(ask.deadline / 1000))})"


def _opened_to(welcome: Welcome) -> tuple[str, ...]:
    if welcome.auditor_key is not None:
        whose = f"the auditor whose key is {welcome.auditor_key.hex()}"
        return (f"LINK After the game the hands are opened to {whose}, and to nobody else.",)
    if welcome.reveal == "none":
        return ("LINK After the game the hands are opened to nobody: a lie about a card cannot be proved here.",)
    return ()


def _behind(section: str, ruling: str) -> str:
    behind = ", ".join(part for part in (section, ruling) if part)
    return f" ({behind})" if behind else ""


def _waiting(waiting: tuple[str, ...]) -> str:
    return f"Waiting for {', '.join(waiting)}." if waiting else ""
