"""The bench of what fairness costs: whole games with a clock before every primitive, and the bytes of a docket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from nacl.bindings import crypto_sign_open
from typer.testing import CliRunner

from chambers.audit import structure
from chambers.clients.bench_docket import Weighed, docket_figures, weigh
from chambers.clients.bench_fairness import Cost
from chambers.clients.bench_meter import Meter, Part, acting, metered
from chambers.clients.cli import app
from chambers.clients.long_record import long_record
from chambers.fairness import hashing, signatures, tree
from chambers.fairness.signatures import SigningKey, check_statement, sign_statement
from chambers.protocol.statements import read_leaf

EDITIONS = ("tandem-target", "missing-suspect")
KEY = SigningKey(bytes(32))
STATEMENT = b"said by several"
SIGNED = sign_statement(KEY, STATEMENT)


@pytest.fixture
def meter() -> Iterator[Meter]:
    with metered() as found:
        yield found


async def _as(role: str, work: Callable[[], Any]) -> None:
    """Run work in a callback of the event loop, as everything that a service does is run."""

    async def once() -> None:
        work()

    with acting(role):
        task = asyncio.create_task(once())
    await task


def bound() -> tuple[Any, ...]:
    """Return what the meter puts something in the place of, as those who call it have it."""
    imported = vars(structure)["leaf_hash"]
    return hashing.digest, imported, tree.Tree.append, signatures._verifies, asyncio.Handle._run


def _hash_much() -> None:
    for _ in range(200):
        tree.leaf_hash(bytes(1000))


async def test_time_goes_to_the_role_and_the_part_that_spent_it(meter: Meter) -> None:
    await _as("dealer", lambda: check_statement(KEY.public, SIGNED, stmt=STATEMENT))
    await _as("dice", _hash_much)

    assert meter.part("dealer", Part.CHECKS) > 0
    assert meter.part("dice", Part.HASHES) > 0
    assert meter.part("dealer", Part.HASHES) == meter.part("dice", Part.CHECKS) == meter.part("dice", Part.BOXES) == 0
    assert meter.of("dealer") >= meter.part("dealer", Part.CHECKS)


async def test_each_role_checks_a_signature_for_itself_and_once(meter: Meter, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[bytes] = []
    really = crypto_sign_open

    def counted(signed: bytes, public: bytes) -> bytes:
        checked.append(signed)
        return really(signed, public)

    monkeypatch.setattr(signatures, "crypto_sign_open", counted)

    for role in ("gm", "dealer", "dealer", "seat0"):
        await _as(role, lambda: check_statement(KEY.public, SIGNED, stmt=STATEMENT))

    assert len(checked) == 3


async def test_what_a_part_calls_is_its_own_but_the_checks_of_the_record_are_told_apart(meter: Meter) -> None:
    boxed = meter.behind(Part.BOXES, _hash_much)
    recorded = meter.behind(Part.RECORD, _hash_much)

    await _as("dealer", boxed)
    await _as("gallery", recorded)

    assert meter.part("dealer", Part.HASHES) == 0
    assert meter.part("gallery", Part.HASHES) > 0


async def test_the_meter_takes_itself_off_again() -> None:
    before = bound()

    with metered():
        meanwhile = bound()
    after = bound()

    assert not set(before) & set(meanwhile)
    assert after == before


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_byte_of_a_record_is_weighed_once(edition: str) -> None:
    docket = long_record(400, edition=edition)

    weights = weigh(docket)

    assert weights.total() == sum(len(leaf) for leaf in docket.leaves)
    assert weights[Weighed.SIGNATURES] == sum(len(msgspec.msgpack.encode(read_leaf(x).sig)) for x in docket.leaves)
    assert all(weights[part] > 0 for part in Weighed)


def test_shares_of_a_docket_are_shares_of_one() -> None:
    short, long = long_record(200), long_record(300)

    found = docket_figures([short, long])

    assert found.entries == (250, 300)
    assert found.text[0] < found.text[1]
    assert sum(found.shares.values()) == pytest.approx(1)


def test_a_whole_game_tells_what_every_role_spent_and_on_what() -> None:
    got = CliRunner().invoke(
        app, ["bench", "fairness", "--games", "1", "--seats", "2", "--game", "witness-stand", "--json"]
    )

    assert got.exit_code == 0, got.output
    found = msgspec.json.decode(got.stdout)
    costs = {one["role"]: msgspec.convert(one, Cost) for one in found["costs"]}
    assert (found["seats"], found["games"], found["unclean"]) == (2, 1, 0)
    assert 0 < found["fairness"] < 1
    assert found["docket"]["entries"] == [found["entries"], found["entries"]]
    assert {"checks", "hashes", "record"} <= {part for part, ms in costs["dice"].parts.items() if ms > 0}
    assert costs["dealer"].parts["boxes"] > 0
    assert costs["each client"].parts["frames"] > 0
    assert costs["each client"].parts["checks"] == costs["each client"].parts["record"] == 0
    assert list(costs)[-1] == "the table"
    assert costs["the table"].whole > costs["game master"].whole + 2 * costs["each vault"].whole


def test_a_game_that_there_is_not_is_a_usage_error() -> None:
    got = CliRunner().invoke(app, ["bench", "fairness", "--game", "chess"])

    assert got.exit_code == 2
