"""Whether an event is legal for its author now: the events all games share; a game's own go to its package."""

from __future__ import annotations

from chambers.rules import events as ev
from chambers.rules.due import ATTEMPTS, AUTOMATIC, due, leavers, rollers, stall_ms
from chambers.rules.errors import RuleError
from chambers.rules.roles import DEALER, DICE, GM, Role, seat_of, seat_roles
from chambers.rules.table import Phase, Table

NAME_LENGTH = 20
SAY_LENGTH = 200
ABORTED = "aborted: "
WHY_LENGTH = SAY_LENGTH - len(ABORTED)
"""What a host's own words on why a table ends may have in characters: the rest of the reason is `ABORTED`."""
SAYS = 500
"""How often a seat may talk at one table: what is said is kept for ever, and its own vault alone sets the pace."""
ENTRUSTED_BYTES = 136
"""The size of every box that holds a secret and a luck."""
BOX_BYTES = 512
"""The longest box of play: an entry must fit into a frame, or a client that holds its luck reads no further."""
_CARD_BYTES = 96
_SERVICES = frozenset({"the dealer", "the dice", "the game master", "the host"})
"""What the log calls those who are no players, so that no player speaks under it."""


def check(table: Table, author: Role, event: ev.TableEvent, /, *, ts: int) -> None:
    """Refuse (RuleError) an event that is not legal for its author at this point of the log."""
    match event:
        case ev.Open():
            raise RuleError("rule/already-open", "This table is open already.")
        case ev.Commit() | ev.Mix() | ev.Again() | ev.Deal():
            _check_setup(table, author, event, ts)
        case ev.Roll():
            _check_roll(table, author, event)
        case ev.Share():
            _check_share(table, author, event)
        case ev.Lapse():
            _check_lapse(table, author, event, ts)
        case ev.Ticket():
            _check_ticket(table, author, event)
        case ev.Stall():
            _check_stall(table, author, event, ts)
        case ev.Drop():
            _check_drop(table, author, event)
        case ev.Bad():
            _check_bad(table, author, event)
        case ev.Say():
            _check_say(table, author, event)
        case ev.Close():
            _check_close(table, author, event)
        case ev.Bye() | ev.Reveal() | ev.Entrust() | ev.Cosign():
            _check_leaving(table, author, event)
        case _:
            _in_play(table)
            if any(len(box) > BOX_BYTES for _, box in table.game.boxes(event)):
                raise RuleError("rule/malformed", f"A box is {BOX_BYTES} bytes long at most.")
            table.game.check(table.play, author, event, ts=ts)


def _only(author: Role, role: Role, what: str) -> None:
    if author != role:
        raise RuleError("rule/wrong-author", f"Only the {_title(role)} may {what}.")


def _title(role: Role) -> str:
    # A role that a statement names may be any text.
    known = role if seat_of(role) is not None else "role named"
    return {GM: "game master", DICE: "dice", DEALER: "dealer"}.get(role, known)


def _in_play(table: Table) -> None:
    if table.phase is not Phase.PLAY:
        when = "has not been dealt yet" if table.phase in (Phase.COMMIT, Phase.MIX, Phase.DEAL) else "is closed"
        raise RuleError("rule/not-in-play", f"This table {when}.")
    if table.stopped:
        raise RuleError("rule/stopped", "This table has stopped and is about to be closed.")


def _check_setup(table: Table, author: Role, event: ev.TableEvent, ts: int) -> None:
    if isinstance(event, ev.Again):
        _check_again(table, author, event, ts)
        return
    wanted = {ev.Commit: Phase.COMMIT, ev.Mix: Phase.MIX, ev.Deal: Phase.DEAL}[type(event)]
    if table.phase is not wanted:
        raise RuleError("rule/setup-order", f"This table is past, or not yet at, the step '{wanted}' of its setup.")
    if not any(item.who == author for item in due(table)):
        raise RuleError("rule/setup-done", f"The {_title(author)} does not owe this, or has done it already.")
    match event:
        case ev.Commit():
            _check_commit(table, author, event)
        case ev.Mix(e=e):
            _sized(e)
        case ev.Deal():
            _check_deal(table, event)


def _sized(*values: bytes) -> None:
    if any(len(value) != 32 for value in values):
        raise RuleError("rule/malformed", "A key, hash or share is 32 bytes long.")


def _check_commit(table: Table, author: Role, event: ev.Commit) -> None:
    _sized(event.sign, event.secret, event.box, event.luck, event.anchor, event.mix)
    if seat_of(author) is None:
        if event.name:
            raise RuleError("rule/name", "The dice and the dealer have no name.")
        return
    name = event.name
    if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable() or name != " ".join(name.split()):
        raise RuleError("rule/name", f"A name is 1 to {NAME_LENGTH} printable characters, without stray blanks.")
    taken = {commit.name.casefold() for role, commit in table.commits if seat_of(role) is not None} | _SERVICES
    if name.casefold() in taken:
        raise RuleError("rule/name-taken", f"Somebody at this table is called {name} already.")


def _check_deal(table: Table, event: ev.Deal) -> None:
    setup, game = table.setup, table.game
    roles = tuple(role for role, _ in event.boxes)
    sizes = (len(event.seals), len(event.places))
    if sizes != (game.kinds(setup), len(game.places(setup))) or roles != seat_roles(table.seats):
        raise RuleError(
            "rule/malformed", "A deal has a seal for each kind, a commitment for each place, a box for each seat."
        )
    _sized(*event.seals, *event.places)
    most = BOX_BYTES + _CARD_BYTES * len(event.places)
    if sum(len(box) for _, box in event.boxes) > most:
        raise RuleError("rule/malformed", f"The boxes of this deal are {most} bytes long at most, together.")


def _check_again(table: Table, author: Role, event: ev.Again, ts: int) -> None:
    _only(author, GM, "start a setup anew")
    late = (item for item in due(table) if item.until is not None and ts >= item.until)
    if table.phase not in (Phase.MIX, Phase.DEAL) or event.stalled not in {item.who for item in late}:
        raise RuleError("rule/not-overdue", "A setup starts anew only when the role named has let its limit pass.")
    if event.attempt != table.attempt + 1 or event.attempt > ATTEMPTS:
        raise RuleError("rule/attempts", f"A setup is tried {ATTEMPTS} times at most, each attempt numbered.")


def _check_roll(table: Table, author: Role, event: ev.Roll) -> None:
    _in_play(table)
    _only(author, DICE, "roll")
    owed = [item for item in due(table) if item.who == DICE]
    if not owed or owed[0].k != event.k:
        raise RuleError("rule/no-roll-due", f"Roll {event.k} is not due.", section="Play")
    if tuple(role for role, _ in event.shares) != rollers(table):
        raise RuleError("rule/shares", "A roll carries one share of the dice and of each seat, in order.")
    _sized(*(x for _, x in event.shares))
    if not 1 <= event.value <= 6:
        raise RuleError("rule/malformed", "A die shows 1 to 6.", section="Play")


def _check_share(table: Table, author: Role, event: ev.Share) -> None:
    _in_play(table)
    _sized(event.x)
    if not any(item.who == DICE and item.k == event.k for item in due(table)) or author not in rollers(table):
        raise RuleError("rule/no-roll-due", f"No share of roll {event.k} is due from the {_title(author)}.")
    if author in dict(table.shares):
        raise RuleError("rule/share-given", "This share is in the log already.")


def _check_lapse(table: Table, author: Role, event: ev.Lapse, ts: int) -> None:
    _in_play(table)
    _only(author, GM, "say that a limit has passed")
    for item in due(table):
        if item.since == event.ref and item.until is not None and not item.lapsed:
            if ts < item.until:
                raise RuleError("rule/too-early", "The limit has not passed yet.")
            return
    raise RuleError("rule/nothing-due", f"Nothing with a limit is due since entry {event.ref}.")


def _check_ticket(table: Table, author: Role, event: ev.Ticket) -> None:
    _only(author, GM, "void a ticket")
    if not 0 <= event.seat < table.seats:
        raise RuleError("rule/no-such-seat", f"This table has seats 0 to {table.seats - 1}.")
    if table.phase not in (Phase.COMMIT, Phase.MIX, Phase.DEAL, Phase.PLAY):
        raise RuleError("rule/not-in-play", "This table is closed.")
    if event.issue != table.issues[event.seat] + 1:
        raise RuleError("rule/ticket-issue", "Tickets of a seat are numbered without gaps.")


def _check_stall(table: Table, author: Role, event: ev.Stall, ts: int) -> None:
    if seat_of(author) is None or author not in table.live or author == event.role:
        raise RuleError("rule/wrong-author", "A live seat may say of another role that it has stalled.")
    owed = any(
        item.since == event.ref
        and (item.act in AUTOMATIC or item.lapsed)
        and (item.who == event.role or (item.act == "roll" and event.role in rollers(table)))
        and event.role not in dict(table.shares)  # whose share is in the log does not keep a roll waiting
        for item in due(table)
    )
    if not owed or ts - table.moved < stall_ms(table):
        raise RuleError("rule/not-stalled", f"The {_title(event.role)} owes nothing that is overdue.")
    if (event.role, event.ref, author) in table.stalls:
        raise RuleError("rule/stall-given", "You have said so already.")


def _check_drop(table: Table, author: Role, event: ev.Drop) -> None:
    _only(author, GM, "drop a seat")
    if table.phase is not Phase.BYE:
        _in_play(table)
    if not 0 <= event.seat < table.seats or event.seat in table.dropped:
        raise RuleError("rule/no-such-seat", "There is no such seat left to drop.")
    role = seat_roles(table.seats)[event.seat]
    by = {who for stalled, _, who in table.stalls if stalled == role}
    others = table.seats - len(table.dropped) - 1
    if len(by) < 2 or 2 * len(by) <= others:
        raise RuleError(
            "rule/drop-votes", "A seat is dropped by the word of more than half of the others, and of two at least."
        )


def _check_bad(table: Table, author: Role, event: ev.Bad) -> None:
    told = 1 <= len(event.why) <= SAY_LENGTH and event.why.isprintable()
    if author not in leavers(table) or not 0 <= event.ref < table.size or not told:
        raise RuleError("rule/malformed", "A role that committed may say of an entry that its box is bad, and why.")
    if table.phase is not Phase.PLAY:
        raise RuleError("rule/not-in-play", "There is no box yet, or nothing to stop any more.")


def _check_say(table: Table, author: Role, event: ev.Say) -> None:
    seat = seat_of(author)
    if seat is None or author not in leavers(table):
        raise RuleError("rule/wrong-author", "Only a seat that has sat down may talk.")
    if not 1 <= len(event.text) <= SAY_LENGTH or not event.text.isprintable():
        raise RuleError("rule/say", f"Table talk is 1 to {SAY_LENGTH} printable characters.")
    if table.phase in (Phase.BYE, Phase.REVEAL, Phase.CLOSED):
        raise RuleError("rule/not-in-play", "This table is closed.")
    if table.said[seat] >= SAYS:
        raise RuleError("rule/said-enough", f"A seat talks {SAYS} times at most at one table.", section="Play")
    if table.play is not None:
        table.game.may_say(table.play, seat)


def _check_close(table: Table, author: Role, event: ev.Close) -> None:
    _only(author, GM, "close a table")
    if table.phase in (Phase.BYE, Phase.REVEAL, Phase.CLOSED):
        raise RuleError("rule/closed", "This table is closed already.")
    ended = table.play is not None and table.game.result(table.play) is not None
    if event.reason == "over" and ended:
        return
    if ended:
        raise RuleError("rule/ended", "This game has ended; its table closes by itself, as over.")
    told = len(ABORTED) < len(event.reason) <= SAY_LENGTH and event.reason.isprintable()
    if not event.reason.startswith(ABORTED) or not told:
        raise RuleError(
            "rule/close-reason", "A table closes as over when its game has ended, else as aborted, with a reason."
        )


def _check_leaving(table: Table, author: Role, event: ev.TableEvent) -> None:
    wanted = Phase.BYE if isinstance(event, ev.Bye) else Phase.REVEAL
    if table.phase is not wanted or not any(item.who == author for item in due(table)):
        raise RuleError(
            "rule/not-leaving", "A role says goodbye once after the close, and reveals once after every goodbye."
        )
    if isinstance(event, ev.LastWord):
        _check_last_word(table, event)


def _check_last_word(table: Table, event: ev.LastWord) -> None:
    policy = table.setup.opening.reveal
    if not isinstance(event, ev.LAST_WORDS[policy]):
        raise RuleError("rule/reveal-policy", f"What the roles reveal at this table is for: {policy}.")
    match event:
        case ev.Reveal(secret=secret, luck=luck):
            _sized(secret, luck)
        case ev.Entrust(box=box) if len(box) != ENTRUSTED_BYTES:
            raise RuleError("rule/malformed", f"The box to an auditor is {ENTRUSTED_BYTES} bytes long.")
    if len(event.cosignature) != 72:
        raise RuleError("rule/malformed", "A cosignature is 72 bytes long.")
