"""The matrix of docs/protocol.md, cell by cell, against a real server: what is marked is allowed, all else denied."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.bus.running_server import TABLE, Site
from tests.contract.test_gate import House, Lobby
from tests.contract.test_permissions import published, subscribed

from chambers.bus.login import CODE, GUEST, WATCH, visitor_login
from chambers.bus.matrix import BEGIN, END, users
from chambers.bus.nats_bus import NatsBus
from chambers.protocol import subjects

PROTOCOL = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
ROLES = {"vault n": "seat2"}
VISITORS = {"spectator": WATCH, "guest": GUEST, "with a code": CODE}
OTHERS = "00112233aabbccdd"


def _matrix() -> dict[str, dict[str, str]]:
    head, _, *rows = PROTOCOL.split(BEGIN)[1].split(END)[0].strip().splitlines()
    names = [name.strip() for name in head.split("|")[2:-1]]
    split = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rows]
    return {row[0].strip("`"): dict(zip(names, row[1:], strict=True)) for row in split}


@pytest_asyncio.fixture
async def house(site: Site) -> AsyncIterator[House]:
    lobby, gm = Lobby(), await site.user("gm")
    await gm.serve(subjects.lobby("issues", "gate"), lobby.of_table, asker="gate")
    made = House(site, lobby, gm)
    await made.open_the_gate()
    yield made
    await made.close_the_gate()


async def _logged_in(house: House, user: str) -> tuple[NatsBus, dict[str, str]]:
    """Return a user's connection, and what stands for the slots of a subject where it is the user's own."""
    site = house.site
    if user == "client n":
        return await site.log_in(house.ticket(2, 3)), {"<n>": "2"}
    if user == "own vault n":
        return await site.log_in(house.own_vault(2, 3)), {"<role>": "seat2", "<n>": "2"}
    if user in VISITORS:
        bus = await site.log_in(visitor_login(VISITORS[user]))
        return bus, {"<id>": bus.user}
    role = ROLES.get(user, user)
    return await site.user(role), {"<role>": role, "<user>": role, "<n>": "2"}


def _spelled(subject: str, own: dict[str, str]) -> str:
    slots = {"<t>": TABLE, "<n>": "2", "<id>": OTHERS, "<role>": "seat2", "<server>": "NABC", "<user>": "seat2", **own}
    for slot, value in slots.items():
        subject = subject.replace(slot, value)
    return subject.replace(".>", ".abc")


@pytest.mark.parametrize("user", users())
async def test_every_cell_of_the_matrix_is_what_the_server_does(house: House, user: str) -> None:
    await house.site.with_stream()
    bus, own = await _logged_in(house, user)
    rows = {_spelled(subject, own): row[user] for subject, row in _matrix().items()}
    tried = tuple(rows)

    may_publish, may_subscribe = await published(bus, tried), await subscribed(bus, tried)

    assert may_publish == {subject for subject, cell in rows.items() if "p" in cell.split()}
    assert may_subscribe == {subject for subject, cell in rows.items() if "s" in cell.split()}
