"""Which release this is, which version of the protocol it speaks, and what follows if the other side has others."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Final

from chambers.protocol.errors import ProtocolError

PROTOCOL: Final = 1
"""Raised when an older side could misunderstand a newer one; new fields and messages leave it as it is."""


@cache
def release() -> str:
    """Return the installed release, or `0+source` where the package runs from its source tree."""
    try:
        return metadata.version("chambers")
    except metadata.PackageNotFoundError:
        return "0+source"


def check_protocol(theirs: int, named: str) -> None:
    """Refuse (`protocol/version`) another side of another protocol version; `named` is its release, if it said so."""
    if theirs != PROTOCOL:
        raise ProtocolError("protocol/version", mismatch(theirs, named))


def mismatch(theirs: int, named: str) -> str:
    """Return the sentence for two sides that cannot talk to each other."""
    return (
        f"The services there speak version {theirs} of the protocol (Chambers {named or 'of an unknown release'}), "
        f"this Chambers {release()} speaks version {PROTOCOL}: use the host's release."
    )


def remark(theirs: str) -> str:
    """Return what to say of services of another release that go together with this one; empty for the same one."""
    ours = release()
    if not theirs or theirs == ours:
        return ""
    return f"The services there are Chambers {theirs}, this is Chambers {ours}; they go together."
