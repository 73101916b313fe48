"""The page itself: one HTML file with its style, its script and its data inside, every text escaped."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from html import escape
from importlib import resources
from string import Template
from typing import Any, Final

from chambers.audit.audit import Inspection
from chambers.audit.findings import Finding, Remark, Unproved, Verdict
from chambers.audit.page.story import Known, Row, Story, story

_VERDICTS: Final = {
    Verdict.CLEAN: ("Clean", "Everything that this record claims is proved, and nobody cheated."),
    Verdict.CHEATED: ("Somebody cheated", "The record proves that something in it is wrong."),
    Verdict.UNVERIFIED: ("Not verified", "Nothing is proved to be wrong, but not everything can be proved."),
}
_PACKAGE: Final = "chambers.audit.page"


def page(inspection: Inspection) -> str:
    """Return an inspected record as the text of one HTML file that loads nothing from anywhere."""
    told = story(inspection)
    style, script = _file("page.css"), _file("page.js")
    return Template(_file("page.html")).substitute(
        csp=escape(_policy(style, script)),
        heading=escape(told.title or "A table's record"),
        style=style,
        script=script,
        data=_data(told),
        head="".join(_head(told)),
        main="".join(_main(told)),
        ledger="".join(_ledger(told)),
    )


@cache
def _file(name: str) -> str:
    return resources.files(_PACKAGE).joinpath(name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    # Whatever a stranger's text might smuggle in, a browser runs this script only, and fetches nothing.
    own = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script)]
    return f"default-src 'none'; style-src 'sha256-{own[0]}'; script-src 'sha256-{own[1]}'; img-src data:"


def _data(told: Story) -> str:
    data: dict[str, Any] = {
        "names": told.names,
        "scenes": [{"pieces": [(p.id, p.x, p.y) for p in one.pieces], "words": one.words} for one in told.scenes],
        "cards": told.cards,
        "hands": told.hands,
        "rows": [(row.seq, row.scene, row.hands) for row in told.rows],
    }
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _head(told: Story) -> Iterator[str]:
    report, counts = told.report, told.report.counts
    name, sentence = _VERDICTS[report.verdict]
    yield f'<section class="verdict {report.verdict}"><h2>{name}</h2><p>{sentence}</p></section>'
    if report.findings or report.unproved or report.remarks or report.held:
        yield '<ul class="findings">'
        yield from (_finding(one) for one in report.findings)
        yield from (_open(one) for one in report.unproved)
        yield from (_remark(one) for one in report.remarks)
        yield from (f'<li class="held">{escape(one)}</li>' for one in report.held)
        yield "</ul>"
    figures = (
        ("entry", "entries", counts.entries),
        ("signature", "signatures", counts.signatures),
        ("roll", "rolls", counts.rolls),
        ("deal proved", "deals proved", counts.deals),
        ("answer proved", "answers proved", counts.answers),
        ("pass proved", "passes proved", counts.passes),
        ("look proved", "looks proved", counts.looks),
        ("card played", "cards played", counts.plays),
    )
    yield '<dl class="figures">'
    yield from (
        f"<div><dt>{one if number == 1 else several}</dt><dd>{number}</dd></div>" for one, several, number in figures
    )
    yield "</dl>"
    players = ", ".join(escape(one) for one in told.names)
    yield f'<p class="root">{f"Players: {players}. " if players else ""}Table <code>{report.table}</code>, '
    yield f"root <code>{report.root}</code> after {counts.entries} {'entry' if counts.entries == 1 else 'entries'}.</p>"


def _finding(one: Finding) -> str:
    who, what = escape(one.culprit), escape(one.sentence)
    return f'<li class="finding"><b>{escape(one.check)}</b> {_link(one.entry)}<b>{who}</b>: {what}</li>'


def _open(one: Unproved) -> str:
    return f'<li class="open"><b>{escape(one.check)}</b> {_link(one.entry)}open: {escape(one.sentence)}</li>'


def _remark(one: Remark) -> str:
    return f'<li class="remark">{_link(one.entry)}remark on <b>{escape(one.role)}</b>: {escape(one.sentence)}</li>'


def _link(entry: int | None) -> str:
    return "" if entry is None else f'<a href="#e{entry}">entry {entry}</a> '


def _main(told: Story) -> Iterator[str]:
    if not told.rows:
        return
    last = told.rows[-1].seq
    yield '<div class="story"><section class="stage" aria-label="The table at the chosen entry">'
    yield '<div class="steps"><button id="back" type="button" aria-label="One entry back">&#8592;</button>'
    yield f'<input id="at" type="range" min="0" max="{last}" value="0" aria-label="Entry">'
    yield '<button id="on" type="button" aria-label="One entry on">&#8594;</button><output id="which"></output></div>'
    yield '<p id="now" aria-live="polite"></p>'
    yield told.board
    yield '<div class="beside"><ul id="words"></ul><div id="hands"></div></div></section>'
    yield '<section class="timeline" aria-label="Every entry"><ol id="rows" tabindex="-1">'
    yield from (_row(row) for row in told.rows)
    yield "</ol></section></div>"


def _row(row: Row) -> str:
    marks = "".join((*map(_finding, row.findings), *map(_open, row.unproved), *map(_remark, row.remarks)))
    marks = f'<ul class="findings">{marks}</ul>' if marks else ""
    proofs = "".join(f"<li>{escape(one)}</li>" for one in row.proofs)
    kind = f"{row.kind}{' wrong' if row.findings else ''}{' unproved' if row.unproved else ''}"
    return (
        f'<li id="e{row.seq}" class="{kind}"><a class="seq" href="#e{row.seq}">{row.seq}</a>'
        f'<span class="when">{_clock(row.ms)}</span><p class="told">{escape(row.sentence)}</p>'
        f"{marks}<details><summary>proof</summary><ul>{proofs}</ul></details></li>"
    )


def _clock(ms: int) -> str:
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _ledger(told: Story) -> Iterator[str]:
    if not told.ledger:
        return
    yield "<section><h2>Who knew what, and from when on</h2>"
    yield "<p>The entry that first showed a hidden thing to a player. Filled: known at the entry chosen above.</p>"
    yield '<div class="wide"><table id="ledger"><thead><tr><th scope="col">card</th>'
    yield from (f'<th scope="col">{escape(name)}</th>' for name in told.names)
    yield "</tr></thead><tbody>"
    yield from (_known(one) for one in told.ledger)
    yield "</tbody></table></div></section>"


def _known(one: Known) -> str:
    cells = "".join(
        "<td></td>" if seq is None else f'<td data-seq="{seq}"><a href="#e{seq}">{seq}</a></td>' for seq in one.since
    )
    return f'<tr><th scope="row">{escape(one.name)}</th>{cells}</tr>'
