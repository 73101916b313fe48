"""Whole games with card names that occur nowhere else: nothing outside its holder tells a secret before its time."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import logging
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import structlog
from tests.support import city_canaries
from tests.support.canaries import canary
from tests.support.lexicon import LEXICONS, Lexicon
from tests.support.memory_bus import Passed
from tests.support.tabletop import TABLE, Chair, Tabletop, secrets_of
from tests.support.virtual_time import moment, run
from tests.worlds.leaks import Evidence, Opened, Shown, printed, said_in, scan

from chambers import editions
from chambers.clients.bots import Bot, make_bot
from chambers.clients.shelf import table_of
from chambers.fairness.keys import card_seal, place_nonce, stow_nonce
from chambers.protocol import subjects
from chambers.protocol.client import ChoiceRefused, Choose, Line, Talk, Update
from chambers.rules.events import Open
from chambers.rules.missing_suspect.edition import Edition, card_name
from chambers.rules.roles import DEALER
from chambers.rules.terms import Setup

_NOTES = tuple(f"note-of-seat-{seat}-kestrel" for seat in range(6))
_LOOKS = 6
_WILD = 0.15


Options = tuple[tuple[str, str], ...]


class Game(NamedTuple):
    """A whole game: its setup, what it left, and the tags of the events that happened in it."""

    setup: Setup
    evidence: Evidence
    tags: frozenset[str]


class _Players:
    """Who chooses for all seats: at random, or where that never ends, by the rules and at random now and then."""

    def __init__(self, game: str, edition: str, chance: random.Random) -> None:
        self.chance = chance
        self._bots: dict[int, Bot] = {}
        if game == "missing-suspect":
            self._bots = {n: make_bot("rules", n, seed=f"{n}", game=game, edition=edition) for n in range(6)}

    def choose(self, chair: Chair) -> str:
        """Return the option that a seat takes."""
        bot = self._bots.get(chair.seat)
        if bot is not None and self.chance.random() > _WILD:
            assert chair.last is not None
            assert chair.last.prompt is not None
            return bot.choose(chair.last.view, chair.last.prompt)
        accusing = [option for option in chair.asked if option.startswith("accuse")]
        return self.chance.choice(accusing if accusing and self.chance.random() < 0.15 else chair.asked)


async def _play(
    home: Path, options: Options, *, name: str, seats: int, seed: int
) -> tuple[Tabletop, tuple[Shown, ...]]:
    words = LEXICONS[name]
    _, edition = table_of(name, str(words.write_edition(home / "edition")))
    chance = random.Random(seed)
    players = _Players(name, edition, chance)
    shown: list[Shown] = []
    async with Tabletop(home / "vaults", seats=seats, game=name, edition=edition, options=options) as table:
        for seat in range(seats):
            await table.note(seat, _NOTES[seat])
        while not table.over:
            asked = next((chair for chair in table.chairs if chair.asked), None)
            if asked is None:
                await moment()
                continue
            if chance.random() < 0.05:
                await _disturb(table, asked.seat, words)
            if chance.random() < 0.1 and len(shown) < _LOOKS:
                shown.append(Shown(len(table.server.wire), printed((*table.services, *table.chairs))))
            await table.choose(asked.seat, players.choose(asked))
        await table.until(lambda: table.log.table.phase == "closed")
    assert not table.faults
    return table, tuple(shown)


async def _disturb(table: Tabletop, seat: int, words: Lexicon) -> None:
    """Let a client and a stranger say what is refused, so that refusals are made and logged, and talk."""
    chair = table.chairs[seat]
    await chair.say(Choose(chair.prompt, words.never_asked))
    await chair.say(Choose("0.0", "ok"))
    await chair.say(Talk("I have nothing to hide"))
    await asyncio.sleep(2.0)  # virtual: who has just talked is refused at once otherwise
    await chair.say(Talk("I have nothing to hide, " * 10))
    stranger = table.server.connect(f"seat{seat}")
    await stranger.request(subjects.inbound(TABLE.hex(), f"seat{seat}"), b"\x93" * 100)
    await stranger.publish(subjects.seat_up(TABLE.hex(), seat), b"\x02" * 100)
    await moment()


@contextlib.contextmanager
def _log_kept(into: list[str]) -> Iterator[None]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    configured, before = structlog.is_configured(), structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
    try:
        with structlog.testing.capture_logs() as lines:
            yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        structlog.configure(**before)
        if not configured:
            structlog.reset_defaults()
    into += [repr(line) for line in lines]
    into.append(stream.getvalue())


def _game(home: Path, options: Options = (), *, seats: int, seed: int, name: str = "witness-stand") -> Game:
    logged: list[str] = []
    with _log_kept(logged):
        table, shown = run(_play(home, options, name=name, seats=seats, seed=seed))
    opening = table.read[0].event
    assert isinstance(opening, Open)
    edition = editions.named(opening.edition)
    # every role keeps a copy of the public record, and what is in that is public
    public = {base64.b64encode(leaf) for leaf in table.server.store.entries(TABLE.hex())} | {
        editions.canonical(edition)
    }
    opened = [Opened(at, chair.seat, message) for chair in table.chairs for at, message in chair.opened]
    evidence = Evidence(
        wire=tuple(table.server.wire),
        opened=tuple(sorted(opened, key=lambda one: one.at)),
        shown=shown,
        logged=tuple(logged),
        files=tuple(
            (str(file.relative_to(home)), _without(public, file.read_bytes()))
            for file in home.glob("vaults/**/*")
            if file.is_file()
        ),
        notes=_NOTES[:seats],
    )
    tags = frozenset(str(entry.event.__struct_config__.tag) for entry in table.read)
    return Game(Setup(opening, edition), evidence, tags)


def _without(public: set[bytes], data: bytes) -> bytes:
    return b"\n".join(line for line in data.split(b"\n") if line not in public)


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """One whole game of four seats in which every way of handing a card on occurs."""
    return _game(tmp_path_factory.mktemp("game"), seats=4, seed=1)


@pytest.mark.parametrize(("seats", "seed"), [(2, 5), (3, 3), (5, 4), (6, 3)])
def test_a_whole_game_tells_nobody_what_is_not_theirs(seats: int, seed: int, tmp_path: Path) -> None:
    played = _game(tmp_path, seats=seats, seed=seed)
    assert scan(played.evidence, played.setup) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_whole_games_tell_nobody_what_is_not_theirs(seed: int, tmp_path: Path) -> None:
    played = _game(tmp_path, seats=2 + seed % 5, seed=seed)
    assert scan(played.evidence, played.setup) == []


def test_the_scanned_game_has_everything_in_it_that_could_leak(game: Game) -> None:
    assert {"show", "pass", "play", "none", "look", "roll", "say", "reveal"} <= game.tags
    assert any(isinstance(opened.message, ChoiceRefused) for opened in game.evidence.opened)
    assert len(game.evidence.shown) == _LOOKS
    assert [name.rpartition(".")[2] for name, _ in sorted(game.evidence.files)] == ["copy", "note"] * 4
    assert any("gm.refused" in line for line in game.evidence.logged)


def test_the_scanned_game_tells_nothing(game: Game) -> None:
    assert scan(game.evidence, game.setup) == []


# The scan itself: each of these plants one leak, and the scan must find exactly that.


def _hidden(game: Game) -> tuple[int, int, int]:
    """Return a kind that one seat was dealt, that seat, and when it had seen its hand."""
    first = next(
        one for one in game.evidence.opened if isinstance(one.message, Update) and one.message.view.get("hand")
    )
    assert isinstance(first.message, Update)
    return int(first.message.view["hand"][0]["kind"]), first.seat, first.at


def _with_message(game: Game, data: bytes) -> Evidence:
    _, _, at = _hidden(game)
    planted = Passed("gallery", subjects.watch_down(TABLE.hex(), "w"), data)
    wire = game.evidence.wire
    return game.evidence._replace(wire=(*wire[:at], planted, *wire[at:]))


@pytest.mark.parametrize("written", ["raw", "hex", "base64"])
def test_the_scan_finds_a_seal_on_the_wire_however_it_is_written(game: Game, written: str) -> None:
    kind, _, _ = _hidden(game)
    seal = card_seal(secrets_of(DEALER).secret, kind)
    spelt = {"raw": seal, "hex": seal.hex().encode(), "base64": base64.b64encode(b"x" + seal)}[written]
    assert any(found.startswith(f"seal {kind} on") for found in scan(_with_message(game, b"..." + spelt), game.setup))


def test_the_scan_finds_a_nonce_on_the_wire(game: Game) -> None:
    nonce = place_nonce(secrets_of(DEALER).secret, 0)
    assert any(found.startswith("nonce 0 on") for found in scan(_with_message(game, nonce), game.setup))


def test_the_scan_finds_the_name_of_a_hidden_card_in_a_scene(game: Game) -> None:
    kind, _, _ = _hidden(game)
    evidence = _with_message(game, f"Ada passes {canary(kind)} face down".encode())
    assert any(found.startswith(f"card {kind} on") for found in scan(evidence, game.setup))


def test_the_scan_finds_a_card_in_another_seats_frame_and_not_in_its_holders(game: Game) -> None:
    kind, holder, at = _hidden(game)
    message = Update(1, "play", {"hand": []}, (Line(1, canary(kind)),), None)

    def told(seat: int) -> list[str]:
        opened = sorted((*game.evidence.opened, Opened(at, seat, message)), key=lambda one: one.at)
        return scan(game.evidence._replace(opened=tuple(opened)), game.setup)

    assert told(holder) == []
    assert any(found.startswith(f"card {kind} in a Update") for found in told((holder + 1) % 4))


def test_the_scan_finds_a_secret_in_the_log(game: Game) -> None:
    line = f"{{'event': 'x', 'key': {secrets_of('seat1').frame_key!r}}}"
    evidence = game.evidence._replace(logged=(*game.evidence.logged, line))
    assert scan(evidence, game.setup) == ["frame key of seat1 in the log"]


def test_the_scan_finds_notes_that_are_kept_in_clear(game: Game) -> None:
    evidence = game.evidence._replace(files=(("seat0/notes/x.note", _NOTES[0].encode()),))
    assert scan(evidence, game.setup) == [f"{_NOTES[0]} in seat0/notes/x.note"]


def test_the_scan_finds_a_secret_in_a_printed_form(game: Game) -> None:
    secret = secrets_of("seat2").secret
    planted = Shown(game.evidence.shown[0].at, (f"Careless(secret={secret!r})",))
    evidence = game.evidence._replace(shown=(planted, *game.evidence.shown))
    assert scan(evidence, game.setup) == [f"secret of seat2 in the printed form {planted.texts[0][:40]}"]


# The same for the city: its clues and cases have canaries for names, and its numbers are looked for in words and lists.


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """One whole investigation in which cards are drawn, stowed, offered and traded, and numbers looked at."""
    return _game(tmp_path_factory.mktemp("city"), seats=3, seed=2, name="missing-suspect")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 208))
def test_many_whole_investigations_tell_nobody_what_is_not_theirs(seed: int, tmp_path: Path) -> None:
    played = _game(tmp_path, seats=2 + seed % 5, seed=seed, name="missing-suspect")
    assert scan(played.evidence, played.setup) == []


def test_the_scanned_investigation_has_everything_in_it_that_could_leak(city: Game) -> None:
    wanted = {"draw", "stow", "play", "chart", "look", "offer", "ask", "swap", "none", "opencards", "say", "reveal"}
    assert wanted <= city.tags
    assert any(isinstance(opened.message, ChoiceRefused) for opened in city.evidence.opened)
    assert len(city.evidence.shown) == _LOOKS
    assert [name.rpartition(".")[2] for name, _ in sorted(city.evidence.files)] == ["copy", "note"] * 3


def test_the_scanned_investigation_tells_nothing(city: Game) -> None:
    assert scan(city.evidence, city.setup) == []


def test_an_investigation_with_numbers_told_and_cases_shown_tells_nothing(tmp_path: Path) -> None:
    options = (("empty_ask", "free"), ("open_cases", "yes"))

    played = _game(tmp_path, options, seats=3, seed=10, name="missing-suspect")

    assert {"point", "tell", "check", "claim", "show"} <= played.tags
    assert scan(played.evidence, played.setup) == []


def test_the_scan_finds_what_a_copy_holds_beside_the_record(city: Game) -> None:
    name = next(name for name, _ in city.evidence.files if name.endswith(".copy"))
    secret = secrets_of("seat1").signing_seed
    planted = city.evidence._replace(files=((name, b"copy/1\n" + base64.b64encode(secret)),))

    assert scan(planted, city.setup) == [f"signing seed of seat1 in {name}"]


def _held(city: Game) -> tuple[Opened, dict[str, Any]]:
    """Return the first view that shows a seat a clue card, and that card."""
    for one in city.evidence.opened:
        if isinstance(one.message, Update) and one.message.view.get("hand", {}).get("cards"):
            return one, one.message.view["hand"]["cards"][0]
    raise AssertionError("nobody ever held a clue card")


def _until(city: Game, at: int) -> Evidence:
    """Return what the game had left when the wire had `at` messages."""
    opened = tuple(one for one in city.evidence.opened if one.at <= at)
    return city.evidence._replace(wire=city.evidence.wire[:at], opened=opened, shown=(), files=(), logged=())


def test_the_scan_finds_a_clue_in_another_seats_frame_and_not_in_its_holders(city: Game) -> None:
    first, card = _held(city)
    other = (first.seat + 1) % 3
    message = Update(1, "play", {}, (Line(1, f"You draw a clue card: {card['clues'][0][1]}."),), None)

    def told(seat: int) -> list[str]:
        before = _until(city, first.at)
        return scan(before._replace(opened=(*before.opened, Opened(first.at, seat, message))), city.setup)

    assert told(first.seat) == []
    assert [found.split(" in ")[0][:10] for found in told(other)] == ["card clue "]


@pytest.mark.parametrize("line", ["Ada looks under the red suspect A. It is #7.", "He is number 7, says Ada."])
def test_the_scan_finds_a_number_in_a_scene(city: Game, line: str) -> None:
    before = _until(city, _held(city)[0].at)
    planted = Passed("gallery", subjects.watch_down(TABLE.hex(), "w"), line.encode())
    found = scan(before._replace(wire=(*before.wire, planted)), city.setup)
    assert [what.split(" on ")[0] for what in found] == ["card number 7"]


def test_the_scan_finds_a_number_on_the_list_of_a_seat_that_has_not_looked(city: Game) -> None:
    first, _ = _held(city)
    assert isinstance(first.message, Update)
    sheet = {"numbers": {"a": {"number": 7, "since": 1, "told_by": None}}, "values": {}}
    view = {**first.message.view, "sheet": sheet}
    planted = Opened(first.at, first.seat, Update(1, "play", view, (), None))
    before = _until(city, first.at)
    found = scan(before._replace(opened=(*before.opened, planted)), city.setup)
    assert found == [f"card a is 7 in a Update to seat {first.seat}"]


def test_the_scan_finds_the_opening_of_a_stowed_card(city: Game) -> None:
    stowed = [(at, said_in(one, "missing-suspect")) for at, one in enumerate(city.evidence.wire) if _is_stow(one)]
    at, (author, n, _) = stowed[0]
    before = _until(city, at + 1)
    planted = Passed(author, subjects.watch_down(TABLE.hex(), "w"), stow_nonce(secrets_of(author).secret, n))
    found = scan(before._replace(wire=(*before.wire, planted)), city.setup)
    assert [what.split(" on ")[0] for what in found] == [f"stow {n} of {author}"]


def _is_stow(passed: Passed) -> bool:
    return ".in.seat" in passed.subject and b"\xa4stow" in passed.data


def test_the_scan_reads_clues_cards_and_codes_as_the_edition_writes_them(city: Game) -> None:
    assert isinstance(city.setup.edition, Edition)
    assert city_canaries.named(card_name(city.setup.edition, 0).encode(), codes=False) == city_canaries.told_by(0)
    assert city_canaries.named(b"discard.A3-E2", codes=True) == {0}
