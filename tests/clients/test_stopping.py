"""A command that is told to stop: once, or again and again while it puts things in order behind itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.support.commands import ROOTS

WORK = """
import asyncio, os, signal
from chambers.clients.running import Stopped, run

async def work():
    try:
        os.kill(os.getpid(), signal.SIGNAME)
        await asyncio.sleep(60)
    finally:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGNAME)
            await asyncio.sleep(0.05)
        print("in order")

try:
    run(work())
except Stopped as stopped:
    print(stopped.number == signal.SIGNAME)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_that_follow_the_first_do_not_cut_short_what_it_began(name: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(ROOTS)}

    done = subprocess.run(
        [sys.executable, "-c", WORK.replace("SIGNAME", name)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout.split("\n")[:2], done.stderr, done.returncode) == (["in order", "True"], "", 0)
