"""The documents against the code: what they name exists, and what the code knows they name."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import typer.main

from chambers.bus.permissions import of_guest, of_seat_client, of_static_users, of_watcher
from chambers.clients.cli import app
from chambers.editions import load
from chambers.fairness import commitments, dice, draw, hashing, keys
from chambers.protocol import client, messages, subjects, watching
from chambers.rules import game
from chambers.rules.events import TABLE_EVENTS, Open, SeatPlan
from chambers.rules.games import GAMES
from chambers.rules.terms import Setup

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
RULES = (ROOT / "docs" / "rules-witness-stand.md").read_text(encoding="utf-8")
FAMILIES = (
    "bus", "client", "docket", "fairness", "frame", "gallery", "gate", "gm", "lobby", "log", "note", "prompt",
    "protocol", "replay", "rule", "seat", "ticket", "vault", "watch",
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
    admitted = [of_seat_client("0" * 32, 0), of_watcher("f" * 16), of_guest("f" * 16)]
    found = {subject for rights in (*static, *admitted) for subject in (*rights.publish, *rights.subscribe)}
    return {_written(subject) for subject in found}


def _written(subject: str) -> str:
    head, *rest = subject.split(".")
    if head in ("$SRV", "$JS", "_INBOX") or "_INBOX" in rest:
        return {"$SRV": "$SRV." + rest[0], "$JS": subject}.get(head, "_INBOX.<user>.>")
    if head == "chambers-lobby":
        return f"{head}.{rest[0]}." + ("<user>" if rest[0] == "list" else "host")
    if head == "$SYS":
        return subject.replace("*", "<server>")
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
            subjects.lobby("admit", "host"), *(subjects.lobby(verb, "*") for verb in subjects.LOBBY_VERBS),
            *(subjects.service(verb) for verb in subjects.SERVICE_VERBS), subjects.kick("*"),
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


# the rules page


def test_rules_page_lists_every_option_with_its_default() -> None:
    listed = {name: row[1].strip("`") for name, row in _rows(RULES, 4).items()}

    defaults = {spec.name: spec.default for spec in game("witness-stand").OPTIONS}

    assert {name: listed.get(name) for name in defaults} == defaults
    assert {name for name in listed if "_" in name} <= set(defaults)


def test_rules_page_has_every_ruling_once() -> None:
    rulings = re.findall(r"^\| (WS-\d+) \|", RULES, flags=re.MULTILINE)

    assert rulings == [f"WS-{number}" for number in range(1, 50)]


def test_rules_page_has_every_ruling_that_the_code_names() -> None:
    named = {ruling for path in SOURCES for ruling in re.findall(r"\bWS-\d+\b", path.read_text(encoding="utf-8"))}

    assert [ruling for ruling in sorted(named) if f"| {ruling} |" not in RULES] == []


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
    rules = game("witness-stand")
    pile = rules.deal(_setup(), draw.Draw(shuffle, rules.RULES))
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
        "places 0..11": " ".join(str(pile.value(place)) for place in range(12)),
        "ctx dealer 1 seat0": hashing.digest("box", table, "dealer", hashing.u32(1), "seat0")[:16].hex(),
    }


def _setup() -> Setup:
    rules = game("witness-stand")
    opening = Open(
        v=1, game=rules.NAME, rules=rules.RULES, edition="tandem-target", edition_hash=bytes(32),
        options=tuple(sorted((spec.name, spec.default) for spec in rules.OPTIONS)),
        seats=(SeatPlan("host", bot=True), SeatPlan("host", bot=True)), chain=1024, log_key=bytes(32), reveal="public",
        auditor_key=None, spectators=True,
    )  # fmt: skip
    return Setup(opening, load("tandem-target"))
