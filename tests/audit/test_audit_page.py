"""The audit's page: one file, nothing from elsewhere, every text escaped; where there is a browser, it works in it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import NAMES, PlayedGame, play_game

from chambers import editions
from chambers.audit import inspect
from chambers.audit.page import page
from chambers.clients.long_record import long_record
from chambers.protocol.docket import Docket
from chambers.rules.events import Commit, TableEvent
from chambers.rules.roles import Role
from chambers.rules.witness_stand.edition import Edition, card_code, card_text, is_answer, question_of
from chambers.rules.witness_stand.events import NoCard, Pass, Show

EVIL = "<script>alert(1)"
WORSE = "</script><img src=x onerror=alert(2)>\"'&lt;"
BROWSER = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), "")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=4000",
]
in_browser = pytest.mark.skipif(not BROWSER, reason="there is no Chromium here")

CLEAN = play_game(seats=3, seed=5, talk=0.1, boldness=0.03)
CLEAN_PAGE = page(inspect(CLEAN.docket(), receipts=[CLEAN.receipt()]))


class Reader(HTMLParser):
    """What a browser would make of a page: its elements with their attributes, and the text of some."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self._within = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._within = tag

    def handle_data(self, data: str) -> None:
        (self.scripts if self._within == "script" else self.texts).append(data)

    def handle_endtag(self, tag: str) -> None:
        self._within = ""


def liar_at_work() -> tuple[PlayedGame, int]:
    """Return a game in which seat1 denies an answer that it holds, and the entry at which it does."""
    lied: list[int] = []

    def deny(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        if role != "seat1" or lied or not isinstance(event, Show | Pass) or str(game.table.play.stage) != "answer":
            return event
        question = game.table.play.asked.question
        if not any(is_answer(card) and question_of(card) == question for card in game.hands[1].cards):
            return event
        lied.append(game.log.size)
        return NoCard(event.ref)

    played = play_game(seats=3, seed=3, event=deny, options={"step3": "always"})
    return played, lied[0]


def hostile_game(folder: Path) -> Docket:
    """Return a game whose edition, player and table talk hold markup."""
    shelf = Path(editions.__file__).parent / "witness-stand"
    shutil.copy(shelf / "board.toml", folder)
    text = (shelf / "tandem-target.toml").read_text()
    text = re.sub(r'^title = ".*"$', f"title = '''{WORSE}'''", text, count=1, flags=re.MULTILINE)
    text = re.sub(r'name = "Desmond Quill"', "name = '<b onclick=alert(3)>Q'", text)
    (folder / "hostile.toml").write_text(text)

    def speak(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        if isinstance(event, Commit) and role == "seat0":
            return msgspec.structs.replace(event, name=EVIL)
        return event

    played = play_game(seats=2, seed=4, edition=str(folder / "hostile.toml"), event=speak)
    return played.docket()


def in_chromium(text: str, folder: Path, *, fragment: str = "") -> str:
    """Return the page's elements as the browser has them once its script has run."""
    file = folder / "page.html"
    file.write_text(text, encoding="utf-8")
    url = f"{file.as_uri()}{fragment}"
    command = [BROWSER, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", url]
    return subprocess.run(command, capture_output=True, check=True, timeout=100).stdout.decode()


def test_the_page_says_the_verdict_first() -> None:
    texts = [text.strip() for text in Reader(CLEAN_PAGE).texts if text.strip()]

    assert texts.index("Clean") < texts.index("entries") < texts.index("proof")


def test_every_entry_is_on_the_page_with_its_sentence() -> None:
    rows = [attrs["id"] for tag, attrs in Reader(CLEAN_PAGE).elements if tag == "li" and "id" in attrs]

    assert rows == [f"e{seq}" for seq in range(CLEAN.log.size)]
    assert html.escape("Everything is open now; the log can be audited.") in CLEAN_PAGE


def test_a_roll_shows_everybodys_share_of_it() -> None:
    shares = [share.hex() for item, _ in CLEAN.said for _, share in getattr(item.event, "shares", ())]

    assert len(shares) > 20
    assert all(share in CLEAN_PAGE for share in shares)


def test_a_card_that_is_shown_has_its_proof_beside_it_and_everybody_knows_it_from_there_on() -> None:
    shown = next(item for item, _ in CLEAN.said if isinstance(item.event, Show) and is_answer(item.event.card))
    assert isinstance(shown.event, Show)
    assert isinstance(CLEAN.edition, Edition)
    seat = int(shown.author.removeprefix("seat"))
    card = html.escape(f"{card_code(shown.event.card)} {card_text(CLEAN.edition, shown.event.card)}")

    row = CLEAN_PAGE[CLEAN_PAGE.index(f'<li id="e{shown.seq}"') : CLEAN_PAGE.index(f'<li id="e{shown.seq + 1}"')]
    ledger = CLEAN_PAGE[CLEAN_PAGE.index('<table id="ledger">') :]
    known = re.search(f'<th scope="row">{re.escape(card)}</th>(.*?)</tr>', ledger)

    assert f"The seal is right, and {NAMES[seat]} held the card." in row
    assert known is not None
    since = re.findall(r'<td data-seq="(\d+)">', known[1])
    assert len(since) == CLEAN.table.seats
    assert int(since[seat]) < shown.seq
    assert max(map(int, since)) == shown.seq


def test_a_page_has_every_colour_for_a_dark_screen_too() -> None:
    light, dark = CLEAN_PAGE.split("@media (prefers-color-scheme: dark) {", maxsplit=1)

    names = set(re.findall(r"(--\w+):", light))

    assert names
    assert set(re.findall(r"(--\w+):", dark)) == names


def test_a_lie_is_told_at_its_entry_and_at_the_top() -> None:
    played, at = liar_at_work()

    text = page(inspect(played.docket()))

    row = text[text.index(f'<li id="e{at}"') : text.index(f'<li id="e{at + 1}"')]
    assert "A24" in row
    assert "wrong" in row.split(">")[0]
    assert text.index("Somebody cheated") < text.index("A24") < text.index('<li id="e0"')


def test_the_page_fetches_nothing_and_runs_one_script() -> None:
    found = Reader(CLEAN_PAGE)

    loading = [attrs for _, attrs in found.elements if {"src", "srcset", "data", "action"} & attrs.keys()]
    links = [str(attrs["href"]) for tag, attrs in found.elements if "href" in attrs and tag != "image"]
    assert loading == []
    assert all(link.startswith("#") for link in links)
    assert "url(" not in CLEAN_PAGE
    policy = next(str(attrs["content"]) for _, attrs in found.elements if "http-equiv" in attrs)
    own = base64.b64encode(hashlib.sha256(found.scripts[-1].encode()).digest()).decode()
    assert policy.startswith("default-src 'none'")
    assert f"script-src 'sha256-{own}'" in policy


def test_the_data_of_the_page_holds_where_every_piece_stands_at_every_entry() -> None:
    data = json.loads(Reader(CLEAN_PAGE).scripts[0])
    ids = {attrs["id"] for _, attrs in Reader(CLEAN_PAGE).elements if "id" in attrs}

    assert [row[0] for row in data["rows"]] == list(range(CLEAN.log.size))
    assert all(row[1] < len(data["scenes"]) and row[2] < len(data["hands"]) for row in data["rows"])
    pieces = {piece[0] for scene in data["scenes"] for piece in scene["pieces"]}
    assert {"pawn0", "pawn1", "pawn2", "suspectA", "turn"} <= pieces <= ids


def test_what_strangers_wrote_is_text_and_nothing_else(tmp_path: Path) -> None:
    text = page(inspect(hostile_game(tmp_path)))

    found = Reader(text)
    assert html.escape(EVIL) in text
    assert html.escape(WORSE) in text
    assert EVIL not in text
    assert WORSE not in text
    assert len(found.scripts) == 2
    assert not [tag for tag, attrs in found.elements if tag == "img" or any(name.startswith("on") for name in attrs)]


def test_before_the_reveal_the_page_shows_no_hidden_card() -> None:
    docket = CLEAN.record(CLEAN.log.leaves[: CLEAN.size_after_byes])

    data = json.loads(Reader(page(inspect(docket))).scripts[0])

    assert data["cards"] == []
    assert data["hands"] == [[None, None, None]]


@pytest.mark.parametrize("leaves", [(), (b"nonsense",)])
def test_a_record_that_holds_nothing_still_has_a_page(leaves: tuple[bytes, ...]) -> None:
    text = page(inspect(Docket(b"{}", leaves, "")))

    assert "Clean" not in [one.strip() for one in Reader(text).texts]
    assert 'id="rows"' not in text


def test_a_record_that_breaks_is_shown_up_to_there() -> None:
    leaves = list(CLEAN.log.leaves)
    leaves[60] = leaves[61]

    text = page(inspect(CLEAN.record(leaves)))

    assert 'id="e59"' in text
    assert 'id="e60"' not in text
    assert "Somebody cheated" in text


@in_browser
def test_a_browser_draws_the_board_at_the_entry_that_the_address_names(tmp_path: Path) -> None:
    seen = in_chromium(CLEAN_PAGE, tmp_path, fragment="#e70")

    rows = re.findall(r'<li id="e(\d+)"[^>]*aria-current="true"', seen)
    assert rows == ["70"]
    assert re.search(r'<g id="pawn0" class="piece pawn seat0" transform="translate\([\d.]+ [\d.]+\)"', seen)
    assert re.search(r'<p id="now"[^>]*>[^<]{5,}', seen)
    assert "holds: " in seen


@in_browser
def test_the_arrow_keys_step_through_the_entries(tmp_path: Path) -> None:
    # The page runs no script but its own, so this copy has no policy, and one more script that presses keys.
    ways = ("Left", "Left", "Right")
    keys = "".join(f"dispatchEvent(new KeyboardEvent('keydown',{{key:'Arrow{way}'}}));" for way in ways)
    opened = re.sub(r"<meta http-equiv=[^>]*>", "", CLEAN_PAGE)
    pressed = opened.replace("</body>", f"<script>{keys}</script></body>")

    seen = in_chromium(pressed, tmp_path, fragment="#e50")

    assert re.findall(r'<li id="e(\d+)"[^>]*aria-current="true"', seen) == ["49"]


@in_browser
def test_a_browser_runs_nothing_that_strangers_wrote(tmp_path: Path) -> None:
    text = page(inspect(hostile_game(tmp_path)))

    seen = in_chromium(text, tmp_path)

    assert "aria-current" in seen
    assert "<img" not in seen


@in_browser
def test_a_browser_draws_the_city_of_the_other_game(tmp_path: Path) -> None:
    text = page(inspect(long_record(300, edition="missing-suspect", seats=3, seed=2)))

    seen = in_chromium(text, tmp_path)

    assert re.search(r'<g id="pawn0" class="piece pawn seat0" transform="translate', seen)
    assert 'href="data:image/svg+xml;base64,' in seen


def test_a_figure_of_one_thing_and_a_services_title_read_as_in_a_sentence() -> None:
    texts = Reader(CLEAN_PAGE).texts

    assert inspect(CLEAN.docket()).report.counts.deals == 1
    assert "deal proved" in texts
    assert "deals proved" not in texts
    assert "Statement 0 of the game master, signed; the log before it is the one it names." in texts
    assert not any(" The game master" in one or " The dealer" in one for one in texts)
