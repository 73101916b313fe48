"""The guarded door of replies: NATS checks no reply subject that a requester names, so every responder does."""

from __future__ import annotations

import re
from functools import lru_cache

from chambers.protocol import subjects

_REST = r"(\.[A-Za-z0-9]{1,64}){1,2}"


@lru_cache(maxsize=4096)
def _below(asker: str) -> re.Pattern[str]:
    return re.compile(re.escape(subjects.inbox(asker)) + _REST)


def may_answer(reply: str, asker: str) -> bool:
    """Return whether `reply` lies below the asker's own inbox; nothing else is ever answered."""
    return _below(asker).fullmatch(reply) is not None
