"""Errors of the bus: what went wrong between processes, with a stable code and a sentence for a person."""

from __future__ import annotations


class BusError(Exception):
    """Something between the processes failed; the reaction is to catch up or to try again."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(f"{code}: {sentence}")
        self.code = code
        self.sentence = sentence


class WrongSequence(BusError):
    """The table's log does not end at the sequence an append expected: another replica, or a lost answer."""

    def __init__(self) -> None:
        super().__init__("bus/wrong-sequence", "Another entry was stored first.")


def no_server(server: str) -> BusError:
    """Return the error of a server that does not answer."""
    return BusError("bus/no-server", f"No NATS server answers at {server}.")


def login_refused(server: str, user: str) -> BusError:
    """Return the error of a log-in that the server or the gate turned down."""
    return BusError("bus/login-refused", f"The server at {server} does not admit {user}.")


def gate_silent(server: str) -> BusError:
    """Return the error of a server that is there while nobody tells it whom to admit."""
    return BusError("bus/gate-silent", f"The server at {server} is there, but its gate does not answer.")


def disconnected() -> BusError:
    """Return the error of a call made while the server is out of reach."""
    return BusError("bus/disconnected", "The connection to the server is lost at the moment.")


def disk_full() -> BusError:
    """Return the error of a store that takes no more."""
    return BusError("bus/disk-full", "The server stores no more entries; its disk is probably full.")


def no_log() -> BusError:
    """Return the error of a server that keeps no log for us."""
    return BusError("bus/no-log", "The server keeps no log: its store is missing, full or switched off.")
