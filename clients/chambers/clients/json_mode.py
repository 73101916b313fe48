"""`--json`: one JSON object a line, both ways: the contract for bots, scripts and tests."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final, TextIO

import msgspec

from chambers.clients.heard import REPLACED, Heard, Link, Occupied, Unsent
from chambers.clients.luck import LuckTold
from chambers.clients.pipes import TypedLines, say
from chambers.clients.session import SeatSession
from chambers.clients.typed import NOTE_LIMIT, TALK_LIMIT
from chambers.protocol.client import Ask, ChoiceAccepted, ChoiceRefused, Over, Replaced, Update, Welcome
from chambers.protocol.watching import Scene

_LINE_LIMIT: Final = 16 * 1024
_COMMANDS: Final = "choose with option, note, say, or resync"


class Words(msgspec.Struct, frozen=True):
    """A message of the client, as read from one line: exactly one of its kinds."""

    choose: tuple[str, str] | None = None
    note: str | None = None
    say: str | None = None
    resync: bool = False
    before: int | None = None

    def __repr__(self) -> str:
        return "Words(...)"


class BadLine(Exception):
    """A line that is no message of a client: a code `client/...` and a sentence."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


def read_words(line: str) -> Words:
    """Return what a line of JSON says; BadLine for anything that is not exactly one of the four messages."""
    if len(line) > _LINE_LIMIT:
        raise BadLine("client/too-long", f"A line has {_LINE_LIMIT} characters at most.")
    try:
        said = msgspec.json.decode(line.encode("utf-8", "surrogateescape"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise BadLine("client/not-json", "This line is no JSON.") from None
    if not isinstance(said, dict):
        raise BadLine("client/not-an-object", "A message is one JSON object on one line.")
    match said:
        case {"choose": str(prompt), "option": str(option), **rest} if not rest:
            return Words(choose=(prompt, option))
        case {"note": str(text), **rest} if not rest:
            return Words(note=_at_most(text, NOTE_LIMIT))
        case {"say": str(text), **rest} if not rest:
            return Words(say=_at_most(text, TALK_LIMIT))
        case {"resync": True, **rest} if not rest:
            return Words(resync=True)
        case {"resync": True, "before": int(before), **rest} if not rest and not isinstance(before, bool):
            return Words(resync=True, before=before)
    raise BadLine("client/unknown-message", f"A message is one of: {_COMMANDS}.")


def _at_most(text: str, limit: int) -> str:
    if not text or len(text) > limit:
        raise BadLine("client/length", f"This text has 1 to {limit} characters.")
    return text


async def obey(words: Words, session: SeatSession) -> None:
    """Do what the client said."""
    if words.choose is not None:
        await session.choose(*words.choose)
    elif words.note is not None:
        await session.note(words.note)
    elif words.say is not None:
        await session.say(words.say)
    else:
        await session.resync(words.before)


def refused_line(code: str, text: str) -> str:
    """Return the line that refuses what this client could not even send."""
    return json_line({"type": "refused", "prompt": "", "code": code, "section": "", "ruling": "", "text": text})


class JsonLines:
    """Turns what a session hears into lines; every log line and every prompt comes once, unless asked for again."""

    def __init__(self) -> None:
        self._logged = -1
        self._asked = ""
        self._again = False

    def again(self) -> None:
        """Let the next update repeat its prompt and its log lines: the answer to a resync."""
        self._again = True

    def lines(self, heard: Heard) -> tuple[str, ...]:
        """Return the lines that say what was heard; none for what only keeps the session alive."""
        match heard:
            case Update():
                return self._update(heard)
            case Welcome() | Occupied():
                return (json_line(_welcome(heard)),)
            case ChoiceAccepted(prompt=prompt, option=option, sequence=sequence):
                return (json_line({"type": "accepted", "prompt": prompt, "option": option, "sequence": sequence}),)
            case ChoiceRefused():
                fields = msgspec.to_builtins(heard)
                return (json_line({**fields, "type": "refused"}),)
            case Unsent(prompt=prompt):
                text = "The link broke before this choice was counted, and the prompt has changed since."
                return (json_line({**_refusal("client/unsent", text), "prompt": prompt}),)
            case Over():
                return (json_line(_over(heard)),)
            case Replaced():
                return (json_line(_refusal("client/replaced", REPLACED)),)
            case LuckTold(state=state, text=text):
                return (json_line({"type": "luck", "state": str(state), "text": text}),)
            case Link(state=state, seconds=seconds):
                return (json_line({"type": "link", "state": str(state), "seconds": round(seconds, 1)}),)
            case _:
                return ()

    def _update(self, update: Update) -> tuple[str, ...]:
        again, self._again = self._again, False
        found = [json_line(_view(update))]
        fresh = [line for line in update.lines if again or line.sequence > self._logged]
        found += [json_line({"type": "log", "sequence": line.sequence, "text": line.text}) for line in fresh]
        self._logged = max([self._logged, *(line.sequence for line in update.lines)])
        asked = "" if update.prompt is None else update.prompt.id
        if update.prompt is not None and (again or asked != self._asked):
            found.append(json_line(_prompt(update.prompt)))
        self._asked = asked
        return tuple(found)


def _welcome(heard: Welcome | Occupied) -> dict[str, Any]:
    welcome = heard.welcome if isinstance(heard, Occupied) else heard
    return {
        "type": "occupied" if isinstance(heard, Occupied) else "welcome",
        "table": welcome.table,
        "game": welcome.game,
        "edition": welcome.edition,
        "edition_hash": welcome.edition_hash.hex(),
        "seat": welcome.seat,
        "seats": welcome.seats,
        "options": dict(welcome.options),
        "reveal": welcome.reveal,
        "auditor_key": None if welcome.auditor_key is None else welcome.auditor_key.hex(),
    }


def _view(update: Update) -> dict[str, Any]:
    return {
        "type": "view",
        "sequence": update.sequence,
        "phase": update.phase,
        "waiting": list(update.waiting),
        "earlier": update.earlier,
        "turn": (update.view.get("public") or {}).get("turn"),
        **{name: value for name, value in update.view.items() if name not in ("type", "sequence", "phase", "waiting")},
    }


def _prompt(ask: Ask) -> dict[str, Any]:
    return {
        "type": "prompt",
        "id": ask.id,
        "kind": ask.kind,
        "text": ask.text,
        "ruling": ask.ruling,
        "deadline": None if ask.deadline is None else ask.deadline / 1000,
        "options": [{"id": one.id, "label": one.label, "event": one.event} for one in ask.options],
    }


def _over(over: Over) -> dict[str, Any]:
    result = {"winner": over.winner, "text": over.text}
    return {"type": "over", "result": result, "size": over.size, "root": over.root, "receipt": over.receipt}


def _refusal(code: str, text: str) -> dict[str, Any]:
    return {"type": "refused", "prompt": "", "code": code, "section": "", "ruling": "", "text": text}


def scene_json(scene: Scene) -> list[str]:
    """Return what a spectator sees as lines: the public view, then each new log line."""
    view = {"sequence": scene.sequence, "phase": scene.phase, "waiting": list(scene.waiting), "over": scene.over}
    found = [json_line({"type": "view", **view, "public": scene.view.get("public", {})})]
    return found + [json_line({"type": "log", "sequence": one.sequence, "text": one.text}) for one in scene.lines]


def json_line(fields: dict[str, Any]) -> str:
    """Return the fields as one line of JSON."""
    # Escapes keep a line whole in every encoding that a pipe or a terminal may have.
    return json.dumps(fields, separators=(",", ":"))


class JsonMode:
    """A seat played by a program over standard input and output. At the end of input it leaves; the seat stays."""

    def __init__(self, session: SeatSession) -> None:
        self._session = session
        self._voice = JsonLines()
        self.over: Over | None = None

    async def run(self, source: TextIO) -> None:
        """Play until the table closes, another window takes the seat, or input ends."""
        reading = asyncio.create_task(self._obey_lines(TypedLines(source)))
        hearing = asyncio.create_task(self._tell())
        try:
            done, _ = await asyncio.wait({reading, hearing}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            reading.cancel()
            hearing.cancel()

    async def _tell(self) -> None:
        async for heard in self._session.messages():
            say(self._voice.lines(heard))
            if isinstance(heard, Over):
                self.over = heard
            if isinstance(heard, Over | Replaced):
                return

    async def _obey_lines(self, lines: TypedLines) -> None:
        while (line := await lines.next()) is not None:
            if not line.strip():
                continue
            try:
                words = read_words(line)
            except BadLine as bad:
                say((refused_line(bad.code, bad.sentence),))
                continue
            if words.resync:
                self._voice.again()
            await obey(words, self._session)
