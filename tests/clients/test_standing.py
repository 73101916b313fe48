"""What a ticket is told that admits no more."""

from __future__ import annotations

import msgspec
from tests.clients.vault_end import TICKET
from tests.support.ports import silent_port

from chambers.clients.heard import VOIDED
from chambers.clients.standing import turned_away


async def test_a_ticket_is_not_called_void_where_nobody_says_so() -> None:
    with silent_port() as port:
        why = await turned_away(msgspec.structs.replace(TICKET, server=f"nats://127.0.0.1:{port}"), None)

    assert why.code == "ticket/void"
    assert why.sentence != VOIDED
    assert "or its table is gone" in why.sentence
