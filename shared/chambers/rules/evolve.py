"""The table after an event: total for events that `check` accepts."""

from __future__ import annotations

import msgspec

from chambers.rules import events as ev
from chambers.rules.due import due, leavers
from chambers.rules.roles import DICE, Role, contributors, seat_of
from chambers.rules.table import Phase, Table

_replace = msgspec.structs.replace


def evolve(table: Table, author: Role, event: ev.TableEvent, /, *, ts: int) -> Table:
    """Return the table after a checked event, which is entry `table.size` at time `ts` (ms)."""
    seq = table.size
    moved = table.moved if isinstance(event, ev.Stall | ev.Say | ev.Ticket) else ts
    base = _replace(table, size=seq + 1, ts=ts, moved=moved)
    match event:
        case ev.Commit():
            return _committed(base, author, event, seq)
        case ev.Mix():
            return _mixed(base, author, event, seq)
        case ev.Again(attempt=attempt):
            return _phase(_replace(base, attempt=attempt, commits=(), mixes=()), Phase.COMMIT, seq)
        case ev.Deal():
            play = table.game.new_play(table.setup, table.names, seq=seq, ts=ts)
            return _phase(_replace(base, deal=event, play=play), Phase.PLAY, seq)
        case ev.Roll(k=k):
            play = table.game.evolve(table.play, author, event, seq=seq, ts=ts)
            return _replace(base, play=play, rolls=k, shares=(), stalls=())
        case ev.Share(x=x):
            return _replace(base, shares=(*table.shares, (author, x)))
        case ev.Ticket(seat=seat, issue=issue):
            issues = tuple(issue if n == seat else old for n, old in enumerate(table.issues))
            return _replace(base, issues=issues)
        case ev.Stall(role=role, ref=ref):
            return _replace(base, stalls=(*table.stalls, (role, ref, author)))
        case ev.Drop(seat=seat):
            return _dropped(base, author, event, seat)
        case ev.Bad(ref=ref):
            return _replace(base, stopped=f"{author} cannot accept entry {ref}")
        case ev.Say():
            said = tuple(old + (n == seat_of(author)) for n, old in enumerate(table.said))
            return _replace(base, said=said)
        case ev.Close(reason=reason):
            closing = _phase(_replace(base, reason=reason), Phase.BYE, seq)
            return closing if leavers(closing) else _phase(closing, Phase.CLOSED, seq)
        case ev.Bye():
            byes = (*table.byes, author)
            after = _replace(base, byes=byes)
            return after if len(byes) < len(leavers(table)) else _phase(after, Phase.REVEAL, seq)
        case ev.Reveal() | ev.Entrust() | ev.Cosign():
            reveals = (*table.reveals, author)
            after = _replace(base, reveals=reveals)
            return after if len(reveals) < len(leavers(table)) else _phase(after, Phase.CLOSED, seq)
        case _:
            play = table.game.evolve(table.play, author, event, seq=seq, ts=ts)
            return _replace(base, play=play, stalls=()) if table.stalls else _replace(base, play=play)


def _phase(table: Table, phase: Phase, seq: int) -> Table:
    return _replace(table, phase=phase, since=seq, since_ts=table.ts)


def _committed(base: Table, author: Role, event: ev.Commit, seq: int) -> Table:
    order = contributors(base.seats)
    commits = tuple(sorted((*base.commits, (author, event)), key=lambda item: order.index(item[0])))
    after = _replace(base, commits=commits)
    return after if len(commits) < len(order) else _phase(after, Phase.MIX, seq)


def _mixed(base: Table, author: Role, event: ev.Mix, seq: int) -> Table:
    order = contributors(base.seats)
    mixes = tuple(sorted((*base.mixes, (author, event)), key=lambda item: order.index(item[0])))
    after = _replace(base, mixes=mixes)
    return after if len(mixes) < base.seats else _phase(after, Phase.DEAL, seq)


def _dropped(base: Table, author: Role, event: ev.Drop, seat: int) -> Table:
    dropped = tuple(sorted((*base.dropped, seat)))
    if base.phase is Phase.BYE:  # its goodbye is not waited for any more
        after = _replace(base, dropped=dropped, stalls=())
        return after if len(base.byes) < len(leavers(after)) else _phase(after, Phase.REVEAL, base.size - 1)
    rolling = any(item.who == DICE for item in due(base))
    play = base.game.evolve(base.play, author, event, seq=base.size - 1, ts=base.ts)
    left = base.seats - len(dropped)
    return _replace(
        base,
        play=play,
        dropped=dropped,
        stalls=(),
        shares=(),
        rolls=base.rolls + rolling,
        stopped=base.stopped or ("" if left >= 2 else "fewer than two seats are left"),
    )
