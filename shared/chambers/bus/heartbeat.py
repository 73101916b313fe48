"""A file that is touched as long as the server answers a process; whoever watches the file sees its age."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from chambers.bus.errors import BusError
from chambers.bus.nats_bus import NatsBus

BEAT_S: Final = 3.0


async def beat(buses: Sequence[NatsBus], file: Path) -> None:
    """Touch the file after every round in which the server answered on each connection; never return."""
    while True:
        try:
            for bus in buses:
                await bus.barrier()
            # While the library connects again, it takes what it could not send for sent.
            if all(bus.connected for bus in buses):
                await asyncio.to_thread(file.touch)
        except (BusError, OSError):
            # A file that grows old is all the sign there is to give.
            pass
        await asyncio.sleep(BEAT_S)
