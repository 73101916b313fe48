"""What the page tells: every entry with its sentence, its proofs and its findings, and who knew what from when on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from chambers.audit.audit import Inspection
from chambers.audit.faults import CORE_FAULTS
from chambers.audit.findings import Finding, Remark, Report, Unproved
from chambers.audit.hands import Trace
from chambers.audit.page.scenery import SCENERIES, Drawn, Scenery, draw
from chambers.protocol.log import Admitted
from chambers.protocol.views import public_view
from chambers.rules import Table, narrate
from chambers.rules.events import Deal, Roll
from chambers.rules.narrate import called, who
from chambers.rules.terms import ALL, PUBLIC, Disclosed

_SETUP: tuple[str, ...] = (
    "open", "commit", "mix", "again", "deal", "ticket", "close", "bye", "reveal", "entrust",
    "cosign",
)  # fmt: skip
_DICE = ("roll", "share")

Hands = tuple[tuple[int, ...] | None, ...]
"""For each seat the numbers of its cards in the list of all cards; None where they are unknown."""


class Row(msgspec.Struct, frozen=True):
    """One entry as the page tells it. `scene` and `hands` are numbers of moments that many entries may share."""

    seq: int
    ms: int
    author: str
    kind: str
    sentence: str
    proofs: tuple[str, ...]
    scene: int
    hands: int
    findings: tuple[Finding, ...] = ()
    unproved: tuple[Unproved, ...] = ()
    remarks: tuple[Remark, ...] = ()


class Known(msgspec.Struct, frozen=True):
    """One hidden thing, and for each seat the entry that first showed it (None: none did)."""

    name: str
    since: tuple[int | None, ...]


class Story(msgspec.Struct, frozen=True):
    """All that the page shows of a record; where nothing of it could be read, only the report."""

    report: Report
    names: tuple[str, ...] = ()
    title: str = ""
    game: str = ""
    board: str = ""
    rows: tuple[Row, ...] = ()
    scenes: tuple[Drawn, ...] = ()
    cards: tuple[tuple[str, str], ...] = ()
    hands: tuple[Hands, ...] = ()
    ledger: tuple[Known, ...] = ()


def story(inspection: Inspection) -> Story:
    """Return what the page tells of an inspected record."""
    admitted = inspection.walk.admitted
    if not admitted:
        return Story(inspection.report)
    return _Teller(inspection).tell()


class _Teller:
    def __init__(self, inspection: Inspection) -> None:
        self._report = inspection.report
        self._admitted = inspection.walk.admitted
        self._table: Table = self._admitted[-1].after
        self._edition: Any = self._table.setup.edition
        self._scenery: Scenery | None = SCENERIES.get(self._table.game.NAME)
        traces = inspection.replay.traces if inspection.replay is not None else []
        self._traces: dict[int, Trace] = {trace.seq: trace for trace in traces}
        self._cards: dict[tuple[str, str], int] = {}
        self._scenes: dict[Drawn, int] = {}
        self._hands: dict[Hands, int] = {}
        self._since: dict[str, list[int | None]] = {}
        self._scene, self._held = 0, 0

    def tell(self) -> Story:
        table = self._table
        rows = tuple(self._row(item) for item in self._admitted)
        ledger = tuple(Known(name, tuple(since)) for name, since in sorted(self._since.items()))
        return Story(
            report=self._report,
            names=table.names,
            title=self._edition.title,
            game=table.game.NAME,
            board="" if self._scenery is None else self._scenery.board(self._edition, table.names),
            rows=rows,
            scenes=tuple(self._scenes),
            cards=tuple(self._cards),
            hands=tuple(self._hands),
            ledger=ledger,
        )

    def _row(self, item: Admitted) -> Row:
        trace = self._traces.get(item.seq)
        self._draw(item, trace)
        self._know(item, trace)
        tag = str(item.event.__struct_config__.tag)
        report = self._report
        return Row(
            seq=item.seq,
            ms=item.ts - self._admitted[0].ts,
            author=who(item.after, item.author),
            kind="setup" if tag in _SETUP else "dice" if tag in _DICE else "say" if tag == "say" else "move",
            sentence=self._sentence(item, trace),
            proofs=(*self._proofs(item), *self._boxes(item, trace)),
            scene=self._scene,
            hands=self._held,
            findings=tuple(one for one in report.findings if one.entry == item.seq),
            unproved=tuple(one for one in report.unproved if one.entry == item.seq),
            remarks=tuple(one for one in report.remarks if one.entry == item.seq),
        )

    def _sentence(self, item: Admitted, trace: Trace | None) -> str:
        openings = trace.openings if trace is not None else ()
        single = openings[0][1] if len(openings) == 1 else None
        opened = single.opened if single is not None and not single.fault else None
        viewer = PUBLIC if trace is None or (openings and opened is None and len(openings) == 1) else ALL
        try:
            return narrate(item.before, item.after, item.author, item.event, opened, viewer)
        except CORE_FAULTS:
            return narrate(item.before, item.after, item.author, item.event, None, PUBLIC)

    # what is drawn

    def _draw(self, item: Admitted, trace: Trace | None) -> None:
        if self._scenery is not None and (item.before is None or item.before.play is not item.after.play):
            drawn = draw(self._scenery, self._edition, public_view(item.after)["public"])
            self._scene = self._scenes.setdefault(drawn, len(self._scenes))
        if trace is None or self._scenery is None or item.after.play is None:
            hands: Hands = (None,) * self._table.seats
        else:
            hands = tuple(
                None
                if hand is None
                else tuple(self._card(kind) for kind in item.after.game.held(item.after.play, hand))
                for hand in trace.hands
            )
        self._held = self._hands.setdefault(hands, len(self._hands))

    def _card(self, kind: int) -> int:
        assert self._scenery is not None
        shown = Disclosed(kind, b"")
        names = (self._scenery.short(self._edition, shown), self._name(shown))
        return self._cards.setdefault(names, len(self._cards))

    def _name(self, shown: Disclosed) -> str:
        assert self._scenery is not None
        try:
            return self._scenery.card(self._edition, shown)
        except CORE_FAULTS:
            return f"value {shown.value}"

    # who knows what

    def _know(self, item: Admitted, trace: Trace | None) -> None:
        if self._scenery is None:
            return
        game, everybody = item.after.game, range(self._table.seats)
        for kind, _ in game.seals(item.event):
            self._knows(Disclosed(kind, b""), everybody, item.seq)
        for place, value, _ in game.openings(item.event):
            self._knows(Disclosed(value, None, place), everybody, item.seq)
        for to, opening in trace.openings if trace is not None else ():
            ends = [seat for seat in everybody if f"seat{seat}" in (to, item.author)]
            for shown in opening.opened or () if not opening.fault else ():
                self._knows(shown, ends, item.seq)

    def _knows(self, shown: Disclosed, seats: Any, seq: int) -> None:
        since = self._since.setdefault(self._name(shown), [None] * self._table.seats)
        for seat in seats:
            since[seat] = seq if since[seat] is None else since[seat]

    # what proves it

    def _proofs(self, item: Admitted) -> Iterator[str]:
        trace = self._traces.get(item.seq)
        match item.event:
            case Roll(k=k, shares=shares, value=value):
                yield f"Roll {k}: {len(shares)} shares, each the next link of its role's chain, make {value}."
                yield from (f"{who(item.after, role)}: {x.hex()}" for role, x in shares)
            case Deal(places=places, seals=seals):
                yield f"The dealer is bound to {len(places)} places and {len(seals)} kinds of cards."
        if trace is not None and trace.proof:
            yield trace.proof
        yield f"Statement {item.n} of {called(item.after, item.author)}, signed; the log before it is the one it names."

    def _boxes(self, item: Admitted, trace: Trace | None) -> Iterator[str]:
        for to, opening in trace.openings if trace is not None else ():
            name = called(item.after, to)
            if opening.fault:
                yield f"The box to {name} is bad: {opening.fault}"
            elif opening.opened is None:
                yield f"The box to {name} has not been opened by either end."
            elif self._scenery is not None:
                shown = "; ".join(self._name(one) for one in opening.opened)
                yield f"The box to {name} held: {shown or 'nothing'}."
