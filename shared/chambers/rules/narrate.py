"""The one sentence of the log that a viewer may read about an event that all games share."""

from __future__ import annotations

from typing import Final

from chambers.rules import events as ev
from chambers.rules.roles import Role, seat_of
from chambers.rules.table import Phase, Table
from chambers.rules.terms import Opened, Viewer

_TOLD_OF: Final = {
    "public": "",
    "auditor": " After the game only its auditor can open the hands.",
    "none": " Nobody can open the hands after the game, so lies about them stay unproved.",
}


def narrate(
    before: Table | None, after: Table, author: Role, event: ev.TableEvent, opened: Opened | None, viewer: Viewer, /
) -> str:
    """Return the sentence about an event for `viewer`; `opened` only if the viewer may see what a box held."""
    match event:
        case ev.Open():
            return _opening(event)
        case ev.Commit() | ev.Mix() | ev.Again() | ev.Deal():
            return _setup(after, author, event)
        case ev.Share(k=k):
            return f"{who(after, author)} publishes the share of roll {k} that was missing."
        case ev.Ticket(seat=seat):
            return f"The host has voided the ticket of seat {seat}; a new one counts."
        case ev.Stall(role=role):
            does = "do" if role == "dice" else "does"
            return f"{who(after, author)} says that {called(after, role)} {does} not answer any more."
        case ev.Drop(seat=seat):
            told = after.game.narrate(before and before.play, after.play, author, event, opened, viewer)
            return told or f"{after.names[seat]} has been dropped."
        case ev.Bad(ref=ref, why=why):
            return f"{who(after, author)} cannot accept entry {ref} ({why}); the table stops."
        case ev.Say(text=text):
            return f"{who(after, author)} says: {text}"
        case ev.Close() | ev.Bye() | ev.Reveal() | ev.Entrust() | ev.Cosign():
            return _leaving(after, author, event)
        case _:
            return after.game.narrate(before and before.play, after.play, author, event, opened, viewer)


def who(table: Table, role: Role) -> str:
    """Return what a role is called in a sentence: a player's name, or the service's title."""
    seat = seat_of(role)
    if seat is not None:
        return table.names[seat]
    return {"gm": "The game master", "dice": "The dice", "dealer": "The dealer"}.get(role, role)


def called(table: Table, role: Role) -> str:
    """Return what a role is called within a sentence: a player's name as it is, or the service's title."""
    name = who(table, role)
    return name if seat_of(role) is not None else f"{name[:1].lower()}{name[1:]}"


def _opening(event: ev.Open) -> str:
    own = [f"seat {n}" for n, plan in enumerate(event.seats) if plan.vault == "own"]
    kept = f" The vault of {', '.join(own)} is on the player's own machine." if own else ""
    told = f"{kept}{_TOLD_OF[event.reveal]}"
    return f"A table of {event.game} for {len(event.seats)} is open; the edition is {event.edition}.{told}"


def _setup(after: Table, author: Role, event: ev.TableEvent) -> str:
    match event:
        case ev.Commit() if seat_of(author) is not None:
            return f"{who(after, author)} sits down at seat {seat_of(author)} and commits to a secret."
        case ev.Commit():
            return f"{who(after, author)} {'commit' if author == 'dice' else 'commits'} to a secret."
        case ev.Mix():
            return f"{who(after, author)} adds to the shuffle."
        case ev.Again(attempt=attempt, stalled=stalled):
            return f"The setup starts anew (attempt {attempt}), since {called(after, stalled)} did not answer."
        case _:
            return "The dealer has shuffled and dealt; every card and place is committed to."


def _leaving(after: Table, author: Role, event: ev.TableEvent) -> str:
    closed = after.phase is Phase.CLOSED
    match event:
        case ev.Close(reason="over"):
            result = after.game.result(after.play)
            return f"The table closes. {result.text if result else ''}".strip()
        case ev.Close(reason=reason):
            return f"The table closes ({reason})."
        case ev.Bye():
            return f"{who(after, author)} {'say' if author == 'dice' else 'says'} goodbye."
        case ev.Entrust():
            last = " The auditor can open everything now." if closed else ""
            what = "open their secrets" if author == "dice" else "opens the secrets"
            return f"{who(after, author)} {what} to the auditor.{last}"
        case ev.Cosign():
            last = " The log is complete; its hidden part stays hidden." if closed else ""
            return f"{who(after, author)} {'sign' if author == 'dice' else 'signs'} the log as it is.{last}"
        case _:
            last = " Everything is open now; the log can be audited." if closed else ""
            return f"{who(after, author)} {'open their' if author == 'dice' else 'opens the'} secrets.{last}"
