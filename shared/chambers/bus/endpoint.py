"""One served subject, as the NATS services API tells it."""

from __future__ import annotations


class Endpoint:
    """One served subject and its counters: requests served, failed, refused unread, and seconds spent."""

    def __init__(self, subject: str, queue: str | None) -> None:
        self.subject = subject
        self.queue = queue or ""
        self.requests = 0
        self.errors = 0
        self.refused = 0
        self.seconds = 0.0
