"""A statement meets a server that is being replaced: the same bytes are sent again until they are stored."""

from __future__ import annotations

import pytest
from tests.bus.running_server import TABLE, Site

from chambers.fairness.signatures import SigningKey
from chambers.protocol import subjects
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Log, installed_edition
from chambers.protocol.messages import Accepted, InboundReply, encode
from chambers.rules.roles import DEALER
from chambers.services.pen import Pen


class Master:
    """A game master that gives the answers it was told to give, the last one again and again."""

    def __init__(self, *answers: InboundReply) -> None:
        self.heard: list[bytes] = []
        self._answers = list(answers)

    async def serve(self, site: Site) -> None:
        bus = await site.user("gm")
        await bus.serve(subjects.inbound(subjects.ANY, subjects.ANY), self._answer, asker=subjects.asker)

    async def _answer(self, _subject: str, data: bytes) -> bytes:
        self.heard.append(data)
        return encode(self._answers.pop(0) if len(self._answers) > 1 else self._answers[0])


async def _pen(site: Site) -> Pen:
    log = Log(bytes.fromhex(TABLE), edition_of=installed_edition)
    return Pen(await site.user("dealer"), log, role=DEALER, key=SigningKey(bytes(32)))


ACCEPTED = Accepted(7, "a checkpoint")


@pytest.mark.parametrize("code", ["bus/no-log", "bus/timeout", "bus/disk-full", "bus/disconnected"])
async def test_trouble_with_the_store_that_passes_is_no_refusal(site: Site, code: str) -> None:
    master = Master(Refusal(code, "The store is in trouble."), ACCEPTED)
    await master.serve(site)

    answer = await (await _pen(site)).submit(b"a statement")

    assert answer == ACCEPTED
    assert master.heard == [b"a statement"] * 2


async def test_a_refusal_by_rule_is_final(site: Site) -> None:
    refusal = Refusal("rule/not-your-turn", "It is another seat's turn.")
    master = Master(refusal, ACCEPTED)
    await master.serve(site)

    answer = await (await _pen(site)).submit(b"a statement")

    assert answer == refusal
    assert master.heard == [b"a statement"]
