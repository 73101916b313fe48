"""A cable between two networks of this machine, slow and with losses; run as a program, until it is told to end.

    cable.py NETWORK DEVICE NETWORK DEVICE --delay SECONDS --loss SHARE --seed N

The kernel's own means for that (netem) is not in every kernel. Both devices are made here, as TAP devices; what the
cable loses follows from the seed.
"""

from __future__ import annotations

import argparse
import asyncio
import ctypes
import fcntl
import os
import random
import signal
import struct
from pathlib import Path

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000
FRAME = 65536


def plug(network: str, device: str) -> int:
    """Return the file of a new TAP device in a network."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path(f"/run/netns/{network}").open() as there:
        if libc.setns(there.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), f"cannot enter the network {network}")
    tap = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TAP | IFF_NO_PI))
    return tap


async def carry(ends: tuple[int, int], *, delay: float, loss: float, chance: random.Random) -> None:
    """Carry frames both ways, each `delay` seconds later, but for those it loses; at the end, print both counts."""
    loop = asyncio.get_running_loop()
    counted = [0, 0]

    def put(end: int, frame: bytes) -> None:
        try:
            os.write(end, frame)
        except OSError:
            return  # a device that is down, or full: lost like the others

    def take(end: int, other: int) -> None:
        try:
            frame = os.read(end, FRAME)
        except OSError:
            return
        lost = chance.random() < loss
        counted[lost] += 1
        if not lost:
            loop.call_later(delay, put, other, frame)

    for end, other in (ends, ends[::-1]):
        loop.add_reader(end, take, end, other)
    told = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, told.set)
    print("ready", flush=True)
    await told.wait()
    print(*counted, flush=True)


def main() -> None:
    """Lay the cable."""
    parser = argparse.ArgumentParser()
    parser.add_argument("ends", nargs=4)
    parser.add_argument("--delay", type=float, required=True)
    parser.add_argument("--loss", type=float, required=True)
    parser.add_argument("--seed", type=int, required=True)
    given = parser.parse_args()
    ends = (plug(given.ends[0], given.ends[1]), plug(given.ends[2], given.ends[3]))
    asyncio.run(carry(ends, delay=given.delay, loss=given.loss, chance=random.Random(given.seed)))


if __name__ == "__main__":
    main()
