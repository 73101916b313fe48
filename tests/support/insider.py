"""Somebody who holds a role's keys and speaks to the game master directly: what a modified vault could send."""

from __future__ import annotations

from typing import Any

import msgspec

from chambers.bus.deployment import master_key
from chambers.bus.nats_bus import NatsBus
from chambers.protocol import subjects
from chambers.protocol.errors import Refusal
from chambers.protocol.log import Log
from chambers.protocol.messages import Accepted, InboundReply, TailAnswer, TailReply, TailRequest, encode
from chambers.protocol.statements import pack, sign
from chambers.rules.events import TableEvent
from chambers.rules.roles import Role
from chambers.services.contributor import Contributor
from chambers.services.stack import Stack

_PATIENCE_S = 20.0
_reply = msgspec.msgpack.Decoder(InboundReply)
_tail = msgspec.msgpack.Decoder(TailAnswer)


class Insider:
    """A second connection of a role at one table, with the role's own keys and no scruples."""

    def __init__(self, bus: NatsBus, log: Log, me: Contributor) -> None:
        self.bus = bus
        self.log = log
        self.me = me

    @classmethod
    async def enter(cls, stack: Stack, table: bytes, role: Role) -> Insider:
        """Connect as `role` and read the table's log."""
        bus = await NatsBus.connect(stack.url, stack.deployment.login(role))
        log = Log(table)
        me = Contributor(bus, log, role=role, master=master_key(stack.deployment.role_home(role) / "master.key"))
        insider = cls(bus, log, me)
        await insider.read()
        return insider

    async def read(self) -> None:
        """Read on to the end of the log."""
        while True:
            answer = _tail.decode(
                await self.bus.request(
                    subjects.tail(self.log.id.hex(), self.me.role),
                    encode(TailRequest(self.log.size)),
                    timeout=_PATIENCE_S,
                )
            )
            assert isinstance(answer, TailReply)
            for raw in answer.entries:
                self.log.admit(raw)
            if self.log.size >= answer.size:
                return

    def statement(self, event: TableEvent | bytes, **changed: Any) -> bytes:
        """Return a signed submission, with whatever is `changed`: table, author, n, size, root."""
        size, root = self.log.head()
        honest: dict[str, Any] = {
            "table": self.log.id, "author": self.me.role, "n": self.log.counter(self.me.role),
            "size": size, "root": root,
        }  # fmt: skip
        sig, stmt = sign(self.me.secrets.signing_key, event=event, **{**honest, **changed})  # type: ignore[arg-type]
        return pack(sig, stmt)

    async def submit(
        self, submission: bytes, *, subject: str | None = None, timeout: float = _PATIENCE_S
    ) -> Accepted | Refusal:
        """Return the game master's answer; BusError if none comes within `timeout` seconds."""
        where = subject or subjects.inbound(self.log.id.hex(), self.me.role)
        return _reply.decode(await self.bus.request(where, submission, timeout=timeout))
