"""What the roles revealed, in the log or beside it, to everybody or to the auditor: does it open their commitments?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from chambers.audit.findings import Finding, Unproved
from chambers.audit.secrets import opens
from chambers.fairness.errors import FairnessError
from chambers.fairness.keys import Bindings, check_reveal, luck_commitment
from chambers.protocol.auditor import AuditorKey, entrusted, entrusted_by
from chambers.protocol.log import Admitted
from chambers.protocol.reveals import HandedIn
from chambers.rules.due import leavers
from chambers.rules.events import Commit, Entrust, LastWord, Reveal
from chambers.rules.narrate import called, who
from chambers.rules.roles import Role
from chambers.rules.table import Phase, Table


def revealed(table_id: bytes, admitted: tuple[Admitted, ...], *, key: AuditorKey | None = None) -> dict[Role, HandedIn]:
    """Return what each role revealed in the record, as far as it is open, or `key` is the auditor's that opens it."""
    found: dict[Role, HandedIn] = {}
    for item in admitted:
        try:
            opened = _opened(table_id, item, key)
        except FairnessError:
            continue  # check_reveals says whose it is
        if opened is not None:
            found[item.author] = opened
    return found


def check_handed_in(
    table_id: bytes, table: Table, reveals: Sequence[HandedIn], *, key: AuditorKey | None = None
) -> tuple[dict[Role, bytes], list[Unproved]]:
    """Return the secrets S handed in beside a record that open what their roles committed to, and which do not (A20).

    `key` is the auditor's, for those that are in a box to it. Anybody can write such a file, so one that opens nothing
    convicts nobody.
    """
    taken: dict[Role, bytes] = {}
    unproved: list[Unproved] = []
    for one in reveals:
        commit = table.committed(one.role)
        if one.table != table_id or commit is None:
            unproved.append(Unproved("A20", None, f"A reveal of {one.role} was handed in that is not of this table."))
            continue
        if one.box and (key is None or key.public != table.setup.opening.auditor_key):
            sentence = f"The reveal handed in for {_called(table, one.role)} is for the auditor's key alone."
            unproved.append(Unproved("A20", None, sentence))
            continue
        secret, luck = _secret_in(one, table, commit, key)
        if not secret:
            sentence = f"The reveal handed in for {_called(table, one.role)} does not open what it committed to."
            unproved.append(Unproved("A20", None, sentence))
            continue
        taken[one.role] = secret
        if not luck and (one.role not in table.reveals or table.setup.opening.reveal == "none"):
            sentence = f"The reveal handed in for {_called(table, one.role)} is without its luck, so what it mixed and"
            unproved.append(Unproved("A20", None, f"{sentence} gave to rolls is not shown to come from that."))
    return taken, unproved


def held_reveals(table: Table, handed_in: Iterable[Role]) -> tuple[str, ...]:
    """Return a sentence for each role of which a reveal beside the record opens what it committed to."""
    return tuple(f"The reveal handed in for {_called(table, role)} opens what it committed to." for role in handed_in)


def check_reveals(
    table_id: bytes,
    table: Table,
    admitted: tuple[Admitted, ...],
    *,
    handed_in: Mapping[Role, bytes],
    key: AuditorKey | None = None,
) -> tuple[list[Finding], list[Unproved]]:
    """Return what is wrong with the reveals (A20), and what was not revealed, here or beside, or is not open here.

    `handed_in` are the secrets S that were opened beside the record; a role's own opens its box to the auditor, too.
    """
    findings: list[Finding] = []
    shut = 0
    for item in admitted:
        commit = table.committed(item.author)
        if not isinstance(item.event, LastWord) or commit is None:
            continue
        try:
            opened = _opened(table_id, item, key, secret=handed_in.get(item.author))
            if opened is not None:
                _check(table, commit, opened)
            elif item.author not in handed_in:
                shut += 1
        except FairnessError as error:
            findings.append(Finding("A20", item.seq, item.author, error.sentence))
    unproved = [Unproved("A20", None, _not_open(table, shut, key))] if shut else []
    if table.phase is Phase.REVEAL:
        silent = [role for role in leavers(table) if role not in table.reveals and role not in handed_in]
        unproved += [Unproved("A20", None, f"{who(table, role)} ({role}) did not reveal.") for role in silent]
    return findings, unproved


def sealed_off(table: Table, key: AuditorKey | None) -> str:
    """Return in a sentence why a table's secrets are not open by its policy; empty where everybody may open them."""
    opening = table.setup.opening
    if opening.reveal == "public":
        return ""
    if opening.reveal == "none":
        return "By this table's policy the secrets are revealed to nobody."
    if key is not None and key.public != opening.auditor_key:
        return "The secrets are revealed to this table's auditor, and the key that was given is another one."
    return "The secrets are revealed to this table's auditor only: open them with --auditor-key."


def _opened(table_id: bytes, item: Admitted, key: AuditorKey | None, *, secret: bytes | None = None) -> HandedIn | None:
    commit, event, role = item.after.committed(item.author), item.event, item.author
    if isinstance(event, Reveal):
        return HandedIn(table_id, role, event.secret, event.luck)
    auditor = item.after.setup.opening.auditor_key
    if not isinstance(event, Entrust) or commit is None or auditor is None:
        return None
    if key is not None and key.public == auditor:
        return HandedIn(table_id, role, *entrusted(key, commit.box, table=table_id, role=role, box=event.box))
    if secret is not None:
        return HandedIn(table_id, role, *entrusted_by(secret, auditor, table=table_id, role=role, box=event.box))
    return None


def _secret_in(one: HandedIn, table: Table, commit: Commit, key: AuditorKey | None) -> tuple[bytes, bytes]:
    """Return S and L in a reveal that was handed in, both empty unless they open what its role committed to."""
    secret, luck = one.secret, one.luck
    try:
        if one.box and key is not None:
            secret, luck = entrusted(key, commit.box, table=one.table, role=one.role, box=one.box)
    except FairnessError:
        return b"", b""
    lucky = not luck or luck_commitment(one.table, one.role, luck=luck) == commit.luck
    return (secret, luck) if lucky and opens(one.table, one.role, commit, secret) else (b"", b"")


def _check(table: Table, commit: Commit, opened: HandedIn) -> None:
    committed = Bindings(commit.secret, commit.luck, commit.box, commit.anchor, commit.mix)
    check_reveal(
        committed,
        table=opened.table,
        role=opened.role,
        secret=opened.secret,
        luck=opened.luck,
        chain_length=table.setup.opening.chain,
    )


def _not_open(table: Table, shut: int, key: AuditorKey | None) -> str:
    return f"{sealed_off(table, key)} What rests on the {shut} that are not open here is not proved."


def _called(table: Table, role: Role) -> str:
    return f"{called(table, role)} ({role})"
