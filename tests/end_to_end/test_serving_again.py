"""`chambers serve` in a folder where another one runs, or was killed: it names one, and ends what the other left."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.support.commands import Command

from chambers.bus.server import free_port


async def test_a_killed_run_leaves_nothing_in_the_way_of_the_next(tmp_path: Path) -> None:
    port = free_port()
    serve, url = ("serve", "--listen", f"127.0.0.1:{port}", "--data", "data"), f"nats://127.0.0.1:{port}"
    killed = await Command.start(*serve, home=tmp_path)
    await killed.says("Serving at")
    host = await Command.start("host", "--server", url, "--home", "data", "--seats", "2", home=tmp_path)
    await host.ended()
    second = await Command.start(*serve, home=tmp_path)
    refused = await second.ended()
    killed.process.send_signal(signal.SIGKILL)
    await killed.ended()

    again = await Command.start(*serve, home=tmp_path)
    await again.says("Serving at")
    tables = await Command.start("tables", "--server", url, home=tmp_path)
    await tables.ended()
    await again.stop()

    assert refused == 2
    assert f"process {killed.process.pid} runs it; end that first." in second.errors[-1]
    assert again.errors[0].startswith("Ended the nats-server")
    assert tables.lines[0].split()[0] == host.lines[0].split()[1]
