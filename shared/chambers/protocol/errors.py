"""Refusals: the error of bad bytes, and the wire form of everything that was not accepted."""

from __future__ import annotations

from typing import Final

import msgspec

UNREADABLE: Final = (msgspec.MsgspecError, ValueError, RecursionError)
"""What a decoder raises of bytes that are no message of ours; the last one of what is nested without end."""


class ProtocolError(Exception):
    """Bytes that are refused whatever the rules say: a stable `code` and a `sentence`."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


class Refusal(msgspec.Struct, frozen=True, tag="refused"):
    """The reply to what was not accepted: code, sentence, and the rulebook section or ruling behind it."""

    code: str
    text: str
    section: str = ""
    ruling: str = ""
