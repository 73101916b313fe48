"""What `chambers audit` does around the audit: handed-in reveals, a progress bar, the page, a game that goes on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from chambers.audit import Finding, Remark, Report, Unproved, Verdict, audit, inspect
from chambers.audit.live import LiveAudit
from chambers.clients.connecting import as_spectator
from chambers.clients.json_mode import json_line
from chambers.clients.known_servers import KnownServers
from chambers.clients.pipes import say, tell
from chambers.clients.spectating import NotWatched, Spectator
from chambers.clients.verdicts import report_fields, report_lines, told_fields, told_line
from chambers.protocol.auditor import AuditorKey
from chambers.protocol.docket import Docket
from chambers.protocol.errors import ProtocolError
from chambers.protocol.reveals import HandedIn, load_reveal
from chambers.rules.table import Phase

LONG: Final = 2000
"""From this many entries on, a bar says how far the audit is."""
_POLL_S: Final = 1.0
_QUIET: Final = 30
_ENDING: Final = (Phase.BYE, Phase.REVEAL)


def handed_in(folder: Path) -> tuple[HandedIn, ...]:
    """Return the reveals in a folder; ProtocolError that names the file for one that holds none, or for no folder."""
    if not folder.is_dir():
        raise ProtocolError("reveal/no-folder", f"{folder} is no folder of reveals.")
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_file():
            continue
        try:
            found.append(load_reveal(path.read_bytes()))
        except ProtocolError as error:
            raise ProtocolError(error.code, f"{path}: {error.sentence}") from None
    return tuple(found)


def checked(
    docket: Docket,
    receipts: Sequence[str],
    reveals: Sequence[HandedIn],
    *,
    auditor: AuditorKey | None = None,
    drawn: bool,
) -> tuple[Report, str]:
    """Return the audit of a record, and if it is to be `drawn` the page's HTML."""
    with _bar(len(docket.leaves)) as progress:
        if not drawn:
            return audit(docket, receipts=receipts, reveals=reveals, auditor=auditor, progress=progress), ""
        inspection = inspect(docket, receipts=receipts, reveals=reveals, auditor=auditor, progress=progress)
    from chambers.audit.page import page

    return inspection.report, page(inspection)


def lines(report: Report, *, as_json: bool) -> Iterator[str]:
    """Yield a report as the command prints it."""
    if as_json:
        yield json_line({"type": "audit", **report_fields(report)})
    else:
        yield from report_lines(report)


async def follow(server: str, table: bytes, *, as_json: bool, known: KnownServers | None = None) -> Docket:
    """Return the record of a table that was followed up to its close, having said every finding when it appeared.

    It ends earlier if the log breaks, or if nothing more comes once the table is closing; NotWatched for a no. A
    gallery that falls silent on the way is waited for, which is said on stderr.
    """
    spectator = await as_spectator(server, table, known=known, tell=partial(tell, err=True))
    tell(
        f"Following table {table.hex()}: a finding is told when it appears, the verdict when the table closes.",
        err=True,
    )
    try:
        return await watched(spectator, told=lambda one: say((_told(one, as_json=as_json),)))
    finally:
        await spectator.leave()


async def watched(
    spectator: Spectator, *, told: Callable[[Finding | Unproved | Remark], None], poll: float = _POLL_S
) -> Docket:
    """Return the record of a spectator's table as `follow` does; `told` hears every finding, `poll` is in seconds."""
    live = LiveAudit(spectator.table)
    quiet = 0
    while not live.closed and not live.broken and quiet < _QUIET:
        part = await spectator.entries(live.size, patiently=True)
        for one in live.take(part.entries, note=part.note, edition=part.edition):
            told(one)
        if live.size >= part.size:
            ending = live.table is not None and live.table.phase in _ENDING
            quiet = quiet + 1 if ending and not part.entries else 0
            await asyncio.sleep(poll)
    # The head over the last entry is signed once it is stored, so it may come a moment after the entry.
    with contextlib.suppress(NotWatched):  # the report says how far the heads go that are here
        part = await spectator.entries(live.size)
        for one in live.take(part.entries, note=part.note):
            told(one)
    return live.docket()


def _told(one: Finding | Unproved | Remark, *, as_json: bool) -> str:
    kind = type(one).__name__.lower()
    return json_line({"type": kind, **told_fields(one)}) if as_json else told_line(one)


@contextlib.contextmanager
def _bar(entries: int) -> Iterator[Callable[[int, int], None] | None]:
    console = Console(stderr=True)
    if entries < LONG or not console.is_terminal:
        yield None
        return
    columns = (TextColumn("audit"), BarColumn(), MofNCompleteColumn(), TextColumn("entries"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("audit", total=entries)
        yield lambda done, total: bar.update(task, completed=done, total=total)


__all__ = ["LONG", "Verdict", "checked", "follow", "handed_in", "lines", "watched"]
