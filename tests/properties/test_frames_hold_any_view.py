"""However long a game, its names and its notes are, what a vault tells its client fits into its one frame."""

from __future__ import annotations

import msgspec
import pytest
from nacl.public import PrivateKey
from tests.properties.chronicle import Chronicle, setup_of

from chambers.protocol.client import Line, Update
from chambers.protocol.frames import WIDE, ClientSession, VaultSession, read_hello
from chambers.protocol.views import ask_of, seat_view, waited_for
from chambers.rules import GAMES
from chambers.services.notes import BYTES
from chambers.services.vault_client import fitted

_WIDEST = "\U0001d538"
_NAMES = tuple(_WIDEST * 19 + str(seat) for seat in range(6))


def _session() -> VaultSession:
    frame_key = PrivateKey.generate()
    client = ClientSession(bytes(frame_key.public_key), bytes(32), "Ada")
    return VaultSession(bytes(frame_key), read_hello(client.hello(), bytes(frame_key)))


def _update(chronicle: Chronicle, seat: int, notes: str) -> Update:
    prompt = chronicle.prompt(seat)
    return Update(
        sequence=chronicle.table.size - 1,
        phase=str(chronicle.table.phase),
        view=seat_view(chronicle.table, chronicle.hands[seat], notes=notes),
        lines=(),
        prompt=None if prompt is None else ask_of(prompt),
        waiting=waited_for(chronicle.table),
    )


@pytest.mark.parametrize("name", sorted(GAMES))
def test_a_view_with_the_longest_names_and_notes_fits_into_its_frame(name: str) -> None:
    """20 characters of four bytes a name, and notes of as many bytes as the vault keeps."""
    chronicle = Chronicle(setup_of(GAMES[name], seats=6), seed=6, names=_NAMES)
    session, notes = _session(), _WIDEST * (BYTES // 4)
    largest = 0
    while chronicle.playing and chronicle.table.size < 300:
        chronicle.step()
        for seat in range(6):
            update = _update(chronicle, seat, notes)
            largest = max(largest, len(msgspec.msgpack.encode(update)))
            lines = tuple(Line(n, _WIDEST * 200) for n in range(40))
            assert len(fitted(session, update, lines, total=40)) > WIDE
    assert largest > 8_000


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_update_has_the_same_size_on_the_wire(name: str) -> None:
    chronicle = Chronicle(setup_of(GAMES[name], seats=4), seed=4)
    session = _session()
    sizes = set()
    while chronicle.playing and chronicle.table.size < 60:
        chronicle.step()
        sizes |= {len(fitted(session, _update(chronicle, seat, "n" * seat), (), total=0)) for seat in range(4)}
    assert len(sizes) == 1
