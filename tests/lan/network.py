"""A local network in one machine: a network of its own for the host and each player, and a bridge between them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CABLE = Path(__file__).with_name("cable.py")
HOST = "10.77.0.1"


def why_no_networks() -> str:
    """Return why no networks can be made here, empty if they can."""
    if shutil.which("ip") is None:
        return "there is no program ip"
    if os.geteuid() != 0:
        return "only root makes networks"
    if not Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    name = f"chprobe{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
        return "this system makes no network namespaces"
    bridged = subprocess.run(["ip", "-n", name, "link", "add", "br0", "type", "bridge"], capture_output=True)
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=True)
    return "" if bridged.returncode == 0 else "this kernel has no bridges"


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"


class Network:
    """The host at 10.77.0.1, players at 10.77.0.10 and up. All of it is gone when the networks are."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._switch = f"{name}sw"
        self._made: list[str] = []
        self._cables: list[subprocess.Popen[str]] = []

    def within(self, who: str) -> tuple[str, ...]:
        """Return what a command is started by to run in somebody's network."""
        return ("ip", "netns", "exec", self._name + who)

    def build(self) -> None:
        """Make the switch, and plug the host in."""
        self._add(self._switch)
        _ip("-n", self._switch, "link", "add", "br0", "type", "bridge")
        _ip("-n", self._switch, "link", "set", "br0", "up")
        self.plug_in("host", HOST)

    def _add(self, network: str) -> None:
        _ip("netns", "add", network)
        self._made.append(network)
        _ip("-n", network, "link", "set", "lo", "up")

    def plug_in(self, who: str, address: str) -> None:
        """Give somebody a network with this address, and a cable to the switch."""
        network = self._name + who
        self._add(network)
        _ip("-n", network, "link", "add", "eth0", "type", "veth", "peer", "name", who, "netns", self._switch)
        self._bring_up(network, who, address)

    def plug_in_far_away(self, who: str, address: str, *, delay: float, loss: float, seed: int = 7) -> None:
        """The same with a cable on which everything takes `delay` seconds, and a share of the frames is lost."""
        network = self._name + who
        self._add(network)
        command = [sys.executable, str(CABLE), network, "eth0", self._switch, who]
        more = ["--delay", str(delay), "--loss", str(loss), "--seed", str(seed)]
        cable = subprocess.Popen([*command, *more], stdout=subprocess.PIPE, text=True)
        self._cables.append(cable)
        assert cable.stdout is not None
        assert cable.stdout.readline() == "ready\n"
        self._bring_up(network, who, address)

    def _bring_up(self, network: str, who: str, address: str) -> None:
        _ip("-n", self._switch, "link", "set", who, "master", "br0", "up")
        _ip("-n", network, "address", "add", f"{address}/24", "dev", "eth0")
        _ip("-n", network, "link", "set", "eth0", "up")

    def pull(self, who: str) -> None:
        """Pull somebody's cable out of the switch."""
        _ip("-n", self._switch, "link", "set", who, "down")

    def put_back(self, who: str) -> None:
        """Put it back."""
        _ip("-n", self._switch, "link", "set", who, "up")

    def cut(self) -> tuple[int, int]:
        """End the cable that was laid last; return how many frames it has carried, and how many it has lost."""
        cable = self._cables.pop()
        cable.terminate()
        said, _ = cable.communicate(timeout=20)
        carried, lost = said.split()
        return int(carried), int(lost)

    def remove(self) -> None:
        """Take everything away again."""
        for cable in self._cables:
            cable.terminate()
            cable.wait()
        for network in self._made:
            subprocess.run(["ip", "netns", "del", network], capture_output=True)


@contextmanager
def network(name: str) -> Iterator[Network]:
    """Make a network of which nothing is left behind."""
    made = Network(name)
    try:
        made.build()
        yield made
    finally:
        made.remove()
