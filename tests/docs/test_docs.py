"""The documents against the code: what they name exists, and what the code knows they name."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import msgspec
import pytest
import typer.main

from chambers.bus.permissions import of_guest, of_knocker, of_own_vault, of_seat_client, of_static_users, of_watcher
from chambers.clients.cli import app
from chambers.editions import load
from chambers.fairness import commitments, dice, draw, hashing, keys
from chambers.protocol import client, messages, subjects, watching
from chambers.rules import game
from chambers.rules.events import TABLE_EVENTS, Open, SeatPlan
from chambers.rules.games import GAMES
from chambers.rules.missing_suspect.play import Stage as CityStage
from chambers.rules.terms import Pile, Setup
from chambers.rules.witness_stand.play import Stage as CourtStage

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
RULES = {name: (ROOT / "docs" / f"rules-{name}.md").read_text(encoding="utf-8") for name in GAMES}
RULINGS = {"witness-stand": ("WS", 49), "missing-suspect": ("MS", 46)}
THREATS = (ROOT / "docs" / "threat-model.md").read_text(encoding="utf-8")
FAMILIES = (
    "bus", "client", "code", "docket", "fairness", "frame", "gallery", "gate", "gm", "lobby", "log", "luck", "note",
    "prompt", "protocol", "replay", "restore", "reveal", "rule", "say", "seat", "ticket", "vault", "watch",
)  # fmt: skip
CODE = re.compile(rf"(?:{'|'.join(FAMILIES)})/[a-z]+(?:-[a-z]+)*")
SOURCES = sorted(path for root in ("shared", "services", "clients") for path in (ROOT / root).rglob("*.py"))


def _codes_of_the_code() -> Iterator[str]:
    """Yield every refusal code that a source spells, whole or as the argument of the game's own `refuse`."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                yield node.value
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "refuse":
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str) and "/" not in first.value:
                    yield f"rule/{first.value}"


def _rows(text: str, cells: int) -> dict[str, list[str]]:
    """Return the rows of all tables with that many cells, by their first word in backquotes."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row for row in rows if len(row) == cells}


def _named(cell: str) -> list[str]:
    return re.findall(r"`([a-z_]+)`", cell)


# links, files and commands


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text(encoding="utf-8"))

    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_path_that_is_named_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    paths = re.findall(r"`((?:shared|services|clients|tests|docs|deploy|\.ci)/[^`* ]*)`", text)

    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_that_is_named_exists(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    group = typer.main.get_command(app)
    commands = set(getattr(group, "commands"))  # noqa: B009 - typer does not type what a group is

    named = set(re.findall(r"(?:`|\$ |^ *)chambers ([a-z]+)", text, flags=re.MULTILINE))
    programs = set(re.findall(r"`(chambers-[a-z-]+)[` ]", text))
    targets = set(re.findall(r"(?:`|\$ |^)make ([a-z]+)", text, flags=re.MULTILINE))

    assert named - commands == set()
    assert programs - set(scripts) == set()
    assert (
        targets - set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)) == set()
    )


def test_readme_names_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = getattr(typer.main.get_command(app), "commands")  # noqa: B009 - typer does not type what a group is

    assert [name for name in commands if f"`chambers {name}" not in readme] == []


def test_readme_has_no_slot_left_to_fill() -> None:
    assert "@@" not in (ROOT / "README.md").read_text(encoding="utf-8")


# events


@pytest.mark.parametrize("kind", [*TABLE_EVENTS, *(kind for rules in GAMES.values() for kind in rules.EVENTS)])
def test_protocol_lists_every_event_with_its_fields_in_order(kind: type[msgspec.Struct]) -> None:
    tag = str(kind.__struct_config__.tag)

    rows = [row for row in PROTOCOL.splitlines() if row.startswith(f"| `{tag}` |")]
    listed = [_named(row.split("|")[2]) for row in rows if row.count("|") == 5]

    assert list(kind.__struct_fields__) in listed


def test_protocol_lists_no_event_that_there_is_not() -> None:
    sections = PROTOCOL[PROTOCOL.index("## 4. ") : PROTOCOL.index("## 6. ")]
    known = {str(kind.__struct_config__.tag) for kind in TABLE_EVENTS}
    known |= {str(kind.__struct_config__.tag) for rules in GAMES.values() for kind in rules.EVENTS}

    assert set(_rows(sections, 4)) == known


# requests, replies, frames


MESSAGES = [
    kind
    for module in (messages, watching, client)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind.__module__ == module.__name__
]


@pytest.mark.parametrize("kind", [kind for kind in MESSAGES if kind.__module__ != client.__name__])
def test_protocol_lists_every_request_and_reply_with_its_fields(kind: type[msgspec.Struct]) -> None:
    row = _rows(PROTOCOL, 3)[kind.__name__]

    assert _named(row[1]) == ([] if kind.__struct_config__.tag is None else [kind.__struct_config__.tag])
    assert [name for name in kind.__struct_fields__ if f"`{name}`" not in row[2]] == []


@pytest.mark.parametrize("kind", [k for k in MESSAGES if k.__module__ == client.__name__ and k.__struct_config__.tag])
def test_protocol_lists_every_frame_with_its_fields(kind: type[msgspec.Struct]) -> None:
    tag = str(kind.__struct_config__.tag)
    frames = PROTOCOL[PROTOCOL.index("## 12. ") : PROTOCOL.index("## 13. ")]

    fields = next(row.split("|")[2] for row in frames.splitlines() if row.startswith(f"| `{tag}` |"))

    assert [name for name in kind.__struct_fields__ if f"`{name}`" not in fields] == []


# subjects


def _subjects() -> set[str]:
    """Return every subject that somebody may publish or subscribe to, as the document writes it."""
    static = of_static_users().values()
    table, ident = "0" * 32, "f" * 16
    admitted = [of_seat_client(table, 0), of_own_vault(table, 0), of_watcher(ident), of_guest(ident), of_knocker(ident)]
    found = {subject for rights in (*static, *admitted) for subject in (*rights.publish, *rights.subscribe)}
    return {_written(subject) for subject in found}


def _written(subject: str) -> str:
    head, *rest = subject.split(".")
    if head in ("$SRV", "$JS", "_INBOX") or "_INBOX" in rest:
        return {"$SRV": "$SRV." + rest[0], "$JS": subject}.get(head, "_INBOX.<user>.>")
    if head == "chambers-lobby":
        slots = {"list": "<user>", "admit": "<user>", "tables": "<id>", "issues": "gate"}
        return f"{head}.{rest[0]}." + slots.get(rest[0], "host")
    if head == "$SYS":
        return subject.replace("*", "<server>")
    if rest[1:2] == ["code"]:
        return f"{head}.<t>.code.<n>.<id>.{'.'.join(rest[4:])}"
    slots = {"in": "<role>", "tail": "<role>", "share": "<n>", "ticket": "<n>", "seat": "<n>", "watch": "<id>"}
    return ".".join([head, "<t>", rest[1], *([slots.get(rest[1], rest[2])] if len(rest) > 2 else []), *rest[3:]])


def test_protocol_lists_every_subject_that_anybody_may_use() -> None:
    listed = set(re.findall(r"`((?:chambers|\$|_INBOX)[^`]*)`", PROTOCOL))

    assert _subjects() - listed == set()


def test_protocol_lists_every_subject_that_the_code_spells() -> None:
    spelled = {
        _written(subject)
        for subject in (
            subjects.log("*"), subjects.feed("*"), subjects.inbound("*", "*"), subjects.tail("*", "*"),
            subjects.poke("*", "dice"), subjects.share("*", "*"), subjects.ticket("*", "*"), subjects.seat_up("*", "*"),
            subjects.seat_down("*", "*"), subjects.watch_up("*", "*"), subjects.watch_down("*", "*"),
            subjects.code_up("*", "*", "*"), subjects.code_down("*", "*", "*"),
            subjects.lobby("admit", "host"), *(subjects.lobby(verb, "*") for verb in subjects.LOBBY_VERBS),
            subjects.lobby(subjects.GUESTS_VERB, "*"), subjects.lobby(subjects.GATES_VERB, "gate"),
            *(subjects.service(verb) for verb in subjects.SERVICE_VERBS), subjects.kick("*"), subjects.CONNECTIONS,
            subjects.CALLOUT, subjects.STREAM_CREATE, subjects.STREAM_INFO, subjects.STREAM_PURGE, subjects.DIRECT_GET,
        )
    }  # fmt: skip
    section = PROTOCOL[PROTOCOL.index("## 9. ") : PROTOCOL.index("## 10. ")]

    assert [subject for subject in sorted(spelled) if f"`{subject}`" not in section] == []


# refusals


def test_protocol_lists_every_refusal_code_and_no_other() -> None:
    section = PROTOCOL[PROTOCOL.index("## 13. ") : PROTOCOL.index("## 14. ")]
    listed = re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE)

    assert sorted(listed) == sorted(set(_codes_of_the_code()))


# the rules pages


@pytest.mark.parametrize("name", GAMES)
def test_rules_page_lists_every_option_with_its_default(name: str) -> None:
    listed = {option: row[1].strip("`") for option, row in _rows(RULES[name], 4).items()}

    defaults = {spec.name: spec.default for spec in game(name).OPTIONS}

    assert {option: listed.get(option) for option in defaults} == defaults
    assert {option for option in listed if "_" in option} <= set(defaults)


@pytest.mark.parametrize("name", GAMES)
def test_rules_page_has_every_ruling_once(name: str) -> None:
    letters, count = RULINGS[name]
    rulings = re.findall(rf"^\| ({letters}-\d+) \|", RULES[name], flags=re.MULTILINE)

    assert rulings == [f"{letters}-{number}" for number in range(1, count + 1)]


@pytest.mark.parametrize("name", GAMES)
def test_rules_page_has_every_ruling_that_the_code_names(name: str) -> None:
    ruling = re.compile(rf"\b{RULINGS[name][0]}-\d+\b")
    named = {found for path in SOURCES for found in ruling.findall(path.read_text(encoding="utf-8"))}

    assert [found for found in sorted(named) if f"| {found} |" not in RULES[name]] == []


@pytest.mark.parametrize(("name", "stages"), [("witness-stand", CourtStage), ("missing-suspect", CityStage)])
def test_rules_page_lists_every_stage(name: str, stages: type[StrEnum]) -> None:
    section = RULES[name][RULES[name].index("stage by stage") :].split("\n## ")[0]

    listed = re.findall(r"^\| `([a-z0-9]+)` \|", section, flags=re.MULTILINE)

    assert sorted(listed) == sorted(stages)


# the threat model


def _threats() -> list[list[str]]:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in THREATS.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[-1] != "test"]


@pytest.mark.parametrize("row", _threats(), ids=lambda row: row[0][:40])
def test_threat_model_names_a_test_for_each_row_or_says_that_there_is_none(row: list[str]) -> None:
    assert len(row) == 3
    assert re.findall(r"`test_[a-z0-9_]+`", row[2]) or row[2].startswith("no test")


def test_every_test_that_the_threat_model_names_exists() -> None:
    written = {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert sorted(set(re.findall(r"`(test_[a-z0-9_]+)`", THREATS)) - written) == []


def test_every_test_that_the_list_of_attacks_names_exists() -> None:
    folder = ROOT / "tests" / "attacks"
    named = re.findall(r"`([a-z_./]+\.py)(?:::(test_[a-z0-9_]+))?`", (folder / "README.md").read_text(encoding="utf-8"))

    missing = [
        f"{path}::{test}"
        for path, test in named
        if not (folder / path).exists() or f"def {test}" not in (folder / path).read_text(encoding="utf-8")
    ]

    assert len(named) > 80
    assert missing == []


# the vectors


def test_the_vectors_of_the_protocol_page_follow_from_the_code() -> None:
    block = PROTOCOL[PROTOCOL.index("## 14. ") :].split("```")[1]
    vectors = {name.strip(): value.strip() for name, _, value in (line.partition(" = ") for line in block.splitlines())}

    assert vectors == {"": "", **_computed()}


def _computed() -> dict[str, str]:
    table, dealer = bytes(16), bytes([2]) * 32
    luck = {"dice": bytes([1]) * 32, "seat0": bytes([3]) * 32, "seat1": bytes([4]) * 32}
    bound = keys.TableSecrets(table, "dice", luck["dice"], luck["dice"], bytes(32)).bindings(1024)
    chains = {role: dice.Chain(key, table, role=role, length=1024) for role, key in luck.items()}
    rolls = [
        dice.roll_value(table, k, shares=[(role, chain.share(k)) for role, chain in chains.items()])
        for k in range(1, 7)
    ]
    shuffle = keys.shuffle_key(dealer, table, mixes=[keys.mix_entropy(luck[seat]) for seat in ("seat0", "seat1")])
    court, city = (_dealt(shuffle, name) for name in ("witness-stand", "missing-suspect"))
    return {
        "enc(a, bc)": hashing.enc("a", "bc").hex(),
        "PRF(32 x 01, box)": hashing.prf(luck["dice"], "box").hex(),
        **{f"dice {name}": getattr(bound, name).hex() for name in ("secret", "luck", "box", "anchor", "mix")},
        "rolls 1..6": " ".join(map(str, rolls)),
        "seal commitment 7": commitments.seal_commitment(keys.card_seal(dealer, 7), table, kind=7).hex(),
        "place commitment 3, 7": commitments.place_commitment(
            keys.place_nonce(dealer, 3), table, place=3, value=7
        ).hex(),
        "shuffle key": shuffle.hex(),
        "places 0..11": " ".join(str(court.value(place)) for place in range(12)),
        "ctx dealer 1 seat0": hashing.digest("box", table, "dealer", hashing.u32(1), "seat0")[:16].hex(),
        "clue cards 0..11": " ".join(str(city.value(place)) for place in range(12)),
        "suspects": " ".join(str(city.value(place)) for place in range(1000, 1007)),
        "cases": " ".join(str(city.value(place)) for place in range(2000, 2008)),
        "stow nonce 7": keys.stow_nonce(luck["seat0"], 7).hex(),
        "box nonce 7": keys.box_nonce(luck["seat0"], 7, to="dealer", payload=b"abc").hex(),
        "offer abc": commitments.offer_commitment(b"abc").hex(),
    }


def _dealt(shuffle: bytes, name: str) -> Pile:
    rules = game(name)
    return rules.deal(_setup(name), draw.Draw(shuffle, rules.RULES))


def _setup(name: str) -> Setup:
    rules, edition = game(name), {"witness-stand": "tandem-target"}.get(name, name)
    opening = Open(
        v=1, game=rules.NAME, rules=rules.RULES, edition=edition, edition_hash=bytes(32),
        options=tuple(sorted((spec.name, spec.default) for spec in rules.OPTIONS)),
        seats=(SeatPlan("host", bot=True), SeatPlan("host", bot=True)), chain=1024, log_key=bytes(32), reveal="public",
        auditor_key=None, spectators=True,
    )  # fmt: skip
    return Setup(opening, load(edition))
