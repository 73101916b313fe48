"""The servers that this user has met over TLS, each with the certificate it showed the first time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from chambers.bus.certificates import FINGERPRINT_BYTES
from chambers.bus.errors import BusError

_HEAD: Final = "# Servers met over TLS, and the SHA-256 of their certificates. Remove a line to meet a server anew.\n"


class KnownServers:
    """A text file, one server a line. `tell` hears a sentence when a server is met for the first time.

    `ours` are the fingerprints of servers whose deployment is at hand, by URL: they need not be met.
    """

    def __init__(self, path: Path, tell: Callable[[str], None], *, ours: Mapping[str, bytes] | None = None) -> None:
        self._path = path
        self._tell = tell
        self._ours = dict(ours or {})

    def fingerprint(self, url: str) -> bytes | None:
        """Return the fingerprint of a server: ours, or what it showed the first time; None if it was never met."""
        return self._ours.get(url) or self._read().get(url)

    def remember(self, url: str, fingerprint: bytes) -> None:
        """Keep what a server shows at the first meeting, and say so; where it cannot be kept, that is said."""
        lines = [f"{name} {pin.hex()}\n" for name, pin in {**self._read(), url: fingerprint}.items()]
        met = f"The server at {url} was not known here. Its certificate is {fingerprint.hex()}"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            draft = self._path.with_name(f".{self._path.name}.part")
            draft.write_text("".join((_HEAD, *lines)), encoding="utf-8")
            draft.replace(self._path)
        except OSError as error:
            self._tell(f"{met}; it is not remembered, for {self._path} could not be written: {error.strerror}.")
        else:
            self._tell(f"{met}, which is remembered; the host's line `look on` has it behind the #, to compare.")

    def changed(self, url: str) -> BusError:
        """Return the error of a server that shows another certificate than the first time, or than ours."""
        if url in self._ours:
            told = f"The server at {url} shows another certificate than the host's folder {self._path.parent} has"
            return BusError("bus/changed-certificate", f"{told}; name it with its fingerprint: --server {url}#...")
        return BusError(
            "bus/changed-certificate",
            f"The server at {url} shows another certificate than the first time: it was set up anew, or somebody is in "
            f"its place. Ask the host, then name it with its fingerprint or remove its line from {self._path}.",
        )

    def _read(self) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        with contextlib.suppress(OSError, UnicodeDecodeError):
            for line in self._path.read_text(encoding="utf-8").splitlines():
                url, _, pin = line.rpartition(" ")
                with contextlib.suppress(ValueError):
                    if url and not line.startswith("#") and len(raw := bytes.fromhex(pin)) == FINGERPRINT_BYTES:
                        found[url] = raw
        return found
