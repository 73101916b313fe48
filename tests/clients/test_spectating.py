"""A spectator: each line once and in order, gaps asked for once, and a docket fetched in parts."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from tests.audit.honest_game import play_game
from tests.support.memory_bus import MemoryServer
from tests.support.virtual_time import run

from chambers.clients.spectating import NotWatched, Spectator
from chambers.protocol import docket, subjects
from chambers.protocol.client import Line
from chambers.protocol.errors import ProtocolError
from chambers.protocol.messages import encode
from chambers.protocol.watching import Entries, Fetch, FromGallery, FromSpectator, Leave, NotShown, Scene, Watch

TABLE = bytes(16)
ME = "0123456789abcdef"
_asked = msgspec.msgpack.Decoder(FromSpectator)


class Gallery:
    """Answers a spectator from a script: what is asked goes through `answer`, what that returns goes down."""

    def __init__(self, server: MemoryServer, answer: Callable[[FromSpectator], list[FromGallery]]) -> None:
        self._bus = server.connect("gallery")
        self._answer = answer
        self.asked: list[FromSpectator] = []
        self.waited_for: list[str] = []

    async def start(self) -> None:
        await self._bus.subscribe(subjects.watch_up(TABLE.hex(), ME), self._hear)

    async def _hear(self, _subject: str, data: bytes) -> None:
        message = _asked.decode(data)
        self.asked.append(message)
        for reply in self._answer(message):
            await self._bus.publish(subjects.watch_down(TABLE.hex(), ME), encode(reply))


async def at_gallery(answer: Callable[[FromSpectator], list[FromGallery]]) -> tuple[Spectator, Gallery]:
    server = MemoryServer()
    gallery = Gallery(server, answer)
    await gallery.start()
    spectator = Spectator(server.connect(ME), ME, TABLE, tell=gallery.waited_for.append)
    await spectator.start()
    return spectator, gallery


def scene(*sequences: int, phase: str = "play") -> Scene:
    lines = tuple(Line(one, f"entry {one}") for one in sequences)
    return Scene(sequences[-1], phase, "witness-stand", "tandem-target", {}, lines, over="Bo wins." * (phase != "play"))


async def told(spectator: Spectator) -> list[int]:
    return [line.sequence async for one in spectator.scenes() for line in one.lines]


async def test_every_line_is_told_once_up_to_the_close() -> None:
    spectator, _ = await at_gallery(
        lambda asked: (
            [scene(0, 1), scene(1), scene(2), scene(2), scene(3, phase="closed")] if asked == Watch(-1) else []
        )
    )

    assert await told(spectator) == [0, 1, 2, 3]


async def test_the_secrets_that_are_opened_after_the_end_are_waited_for() -> None:
    spectator, _ = await at_gallery(
        lambda asked: (
            [scene(0), scene(1, phase="reveal"), scene(2, phase="reveal"), scene(3, phase="closed")]
            if asked == Watch(-1)
            else []
        )
    )

    assert await told(spectator) == [0, 1, 2, 3]


async def test_a_gap_is_asked_for() -> None:
    def answer(asked: FromSpectator) -> list[FromGallery]:
        match asked:
            case Watch(have=-1):
                return [scene(0), scene(4)]
            case Watch(have=0):
                return [scene(1, 2, 3, 4), scene(5, phase="closed")]
            case _:
                return []

    spectator, _ = await at_gallery(answer)

    assert await told(spectator) == [0, 1, 2, 3, 4, 5]


async def test_a_gap_is_filled_in_order_though_more_happens_before_the_answer() -> None:
    def answer(asked: FromSpectator) -> list[FromGallery]:
        match asked:
            case Watch(have=-1):
                return [scene(0), scene(4), scene(5)]
            case Watch(have=0):
                return [scene(1, 2, 3, 4, 5), scene(6, phase="closed")]
            case _:
                return []

    spectator, _ = await at_gallery(answer)

    assert await told(spectator) == [0, 1, 2, 3, 4, 5, 6]


async def test_what_the_gallery_no_longer_keeps_is_asked_for_once_only() -> None:
    def answer(asked: FromSpectator) -> list[FromGallery]:
        match asked:
            case Watch(have=-1):
                return [scene(0), scene(90)]
            case Watch(have=0):
                return [scene(60, 90), scene(91, phase="closed")]
            case _:
                return []

    spectator, gallery = await at_gallery(answer)

    assert await told(spectator) == [0, 60, 90, 91]
    assert gallery.asked == [Watch(-1), Watch(0)]


async def test_closed_doors_are_told() -> None:
    spectator, _ = await at_gallery(lambda _: [NotShown("watch/closed-doors", "Closed doors.")])

    with pytest.raises(NotWatched) as caught:
        await told(spectator)

    assert caught.value.refusal.text == "Closed doors."


async def test_a_docket_is_fetched_in_parts_and_in_order() -> None:
    leaves = (b"a", b"b", b"c", b"d", b"e")

    def answer(asked: FromSpectator) -> list[FromGallery]:
        if not isinstance(asked, Fetch):
            return []
        part = leaves[asked.start : asked.start + 2]
        stray = Entries(99, (b"x",), 5, "stray")
        return [stray, Entries(asked.start, part, 5, f"note {asked.start}", b"{}" if asked.start == 0 else b"")]

    spectator, _ = await at_gallery(answer)

    found = await spectator.docket()

    assert (found.edition, found.leaves, found.note) == (b"{}", leaves, "note 4")


async def test_the_record_of_another_table_is_not_taken_for_this_ones() -> None:
    other = play_game(seats=2, seed=3, most=20).log.leaves

    def answer(asked: FromSpectator) -> list[FromGallery]:
        assert isinstance(asked, Fetch)
        return [Entries(0, tuple(other), len(other), "")]

    spectator, _ = await at_gallery(answer)

    with pytest.raises(ProtocolError, match="log/other-table"):
        await spectator.docket()


async def test_a_record_without_end_is_given_up_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(docket, "MOST_ENTRIES", 50)

    def answer(asked: FromSpectator) -> list[FromGallery]:
        assert isinstance(asked, Fetch)
        return [Entries(asked.start, (b"one", b"more"), asked.start + 1000, "")]

    spectator, gallery = await at_gallery(answer)

    with pytest.raises(ProtocolError, match="This record has no end"):
        await spectator.docket()

    assert len(gallery.asked) == 26


async def test_a_record_of_huge_entries_is_given_up_before_it_fills_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(docket, "MOST_BYTES", 1000)
    spectator, _ = await at_gallery(lambda _: [Entries(0, (bytes(1001),), 2, "")])

    with pytest.raises(ProtocolError, match="docket/too-long"):
        await spectator.entries(0)


async def test_of_a_gallery_that_floods_no_more_waits_than_there_is_room_for() -> None:
    spectator, _ = await at_gallery(lambda _: [])

    for number in range(1200):
        await spectator._take("", encode(scene(number)))

    assert spectator._heard.qsize() == 1000


async def test_a_spectator_says_that_it_leaves() -> None:
    spectator, gallery = await at_gallery(lambda _: [])

    await spectator.leave()
    await gallery._bus.drain()

    assert gallery.asked == [Leave()]


SILENT = "The gallery does not answer; it is waited for until it is back, or until Ctrl-C."
BACK = "The gallery answers again."


def test_a_gallery_that_falls_silent_in_a_game_is_waited_for_and_that_is_said() -> None:
    async def look_on() -> tuple[list[int], list[str]]:
        silent = iter(range(20))

        def answer(asked: FromSpectator) -> list[FromGallery]:
            if asked == Watch(-1):
                return [scene(0)]
            return [scene(1, phase="closed")] if next(silent, None) is None else []

        spectator, gallery = await at_gallery(answer)
        return await told(spectator), gallery.waited_for

    assert run(look_on()) == ([0, 1], [SILENT, BACK])


def test_whoever_fetches_patiently_waits_for_a_gallery_that_has_shown_the_table() -> None:
    async def fetch() -> tuple[Entries, list[str]]:
        silent = iter(range(20))

        def answer(asked: FromSpectator) -> list[FromGallery]:
            assert isinstance(asked, Fetch)
            if asked.start == 0:
                return [Entries(0, (b"a",), 2, "")]
            return [Entries(1, (b"b",), 2, "")] if next(silent, None) is None else []

        spectator, gallery = await at_gallery(answer)
        await spectator.entries(0, patiently=True)
        return await spectator.entries(1, patiently=True), gallery.waited_for

    assert run(fetch()) == (Entries(1, (b"b",), 2, ""), [SILENT, BACK])


@pytest.mark.parametrize("patiently", [True, False])
def test_a_gallery_that_never_answered_is_given_up(patiently: bool) -> None:
    async def fetch() -> tuple[int, list[str]]:
        spectator, gallery = await at_gallery(lambda _: [])
        with pytest.raises(NotWatched, match="gallery/silent"):
            await spectator.entries(0, patiently=patiently)
        return len(gallery.asked), gallery.waited_for

    assert run(fetch()) == (5, [])


def test_a_docket_is_not_waited_for_without_an_end() -> None:
    async def fetch() -> list[str]:
        spectator, gallery = await at_gallery(lambda asked: [Entries(0, (b"a",), 2, "")] if asked == Fetch(0) else [])
        with pytest.raises(NotWatched, match="gallery/silent"):
            await spectator.docket()
        return gallery.waited_for

    assert run(fetch()) == []


def test_a_quiet_game_is_no_silent_gallery() -> None:
    async def look_on() -> list[str]:
        quiet = iter(range(20))

        def answer(_: FromSpectator) -> list[FromGallery]:
            return [scene(0)] if next(quiet, None) is not None else [scene(1, phase="closed")]

        spectator, gallery = await at_gallery(answer)
        assert await told(spectator) == [0, 1]
        return gallery.waited_for

    assert run(look_on()) == []
