"""Dockets that were made to exhaust whoever audits them: small files, and neither minutes nor gigabytes come of them.

Whoever makes a whole record has keys of his own, so its edition, its opening and its entries may be whatever he likes.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.attacks.crooked_evening import EDITIONS
from tests.attacks.record_edits import Records
from tests.audit.docket_edits import DEEP, HUGE

from chambers import editions
from chambers.fairness.notes import sign_checkpoint
from chambers.fairness.signatures import SigningKey
from chambers.fairness.tree import Tree, leaf_hash
from chambers.protocol.docket import Docket, dump
from chambers.protocol.statements import Entry, leaf, sign
from chambers.rules.events import Open
from chambers.rules.roles import GM

SECONDS = 20
MEMORY = 1 << 30
KEY, TABLE = SigningKey(bytes(32)), bytes(16)

Bomb = Callable[[], str]


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def judged(folder: Path, text: str) -> str:
    """Return what the audit of a docket says in a process that has so much memory and time and no more."""
    path = folder / "docket"
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "tests.audit.judge_dockets", str(path)]
    done = subprocess.run(command, preexec_fn=limited, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-300:]}"
    return done.stdout.strip()


def opened_with(edition: bytes, game: str = "missing-suspect", **fields: Any) -> str:
    """Return a docket whose only entry opens a table with an edition, soundly signed."""
    like = Records(game, 1, entries=20).game.setup.opening
    changes = {"log_key": KEY.public, "edition_hash": hashlib.sha256(edition).digest(), **fields}
    opening: Open = msgspec.structs.replace(like, **changes)
    sig, stmt = sign(KEY, table=TABLE, author=GM, n=0, size=0, root=Tree().root(), event=opening)
    return under(edition, leaf(Entry(0, 0, stmt, sig)))


def under(edition: bytes, *leaves: bytes) -> str:
    """Return the docket of some leaves, under a checkpoint that holds."""
    tree = Tree()
    for raw in leaves:
        tree.append(leaf_hash(raw))
    note = sign_checkpoint(KEY, TABLE, size=tree.size, root=tree.root())
    return dump(Docket(edition, leaves, note))


def edition_of(game: str, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the canonical bytes of an edition that somebody has been at."""
    fields = json.loads(editions.canonical(editions.load(EDITIONS[game])))
    change(fields)
    return json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def city_with(change: Callable[[dict[str, Any]], object]) -> str:
    return opened_with(edition_of("missing-suspect", change))


def court_with(change: Callable[[dict[str, Any]], object]) -> str:
    return opened_with(edition_of("witness-stand", change), "witness-stand")


BOMBS: dict[str, Bomb] = {
    "a case with thousands of clues": lambda: city_with(lambda of: of["clues"].extend(of["clues"][:1] * 4000)),
    "more cases and clues than there is room for": lambda: city_with(
        lambda of: (of.update(cases=of["cases"] * 300), of.update(clues=of["clues"] * 60))
    ),
    "a billion Question Witness cards": lambda: city_with(lambda of: of.update(question_witness=10**9)),
    "a number of five thousand digits": lambda: opened_with(
        edition_of("missing-suspect", lambda of: of.update(question_witness=77777)).replace(b"77777", b"7" * 5000)
    ),
    "a city of a million lines": lambda: city_with(lambda of: of["board"].update(art=["o---o" * 1000] * 1000)),
    "a billion objections": lambda: court_with(lambda of: of["objection"].update(count=10**9, count_small=10**9)),
    "a track of thousands of spaces": lambda: court_with(lambda of: of.update(board=of["board"] * 60)),
    "an edition of fifty megabytes": lambda: court_with(lambda of: of.update(story="x" * 50_000_000)),
    "an edition of brackets": lambda: opened_with(b"[" * DEEP),
    "a chain of four billion links": lambda: opened_with(
        editions.canonical(editions.load("missing-suspect")), chain=HUGE
    ),
    "a million options": lambda: opened_with(
        editions.canonical(editions.load("missing-suspect")), options=(("empty_ask", "free"),) * 1_000_000
    ),
    "a hundred thousand short entries": lambda: under(b"{}", *[b"\x90"] * 100_000),
    "an entry that says it has four billion parts": lambda: under(b"{}", b"\xdd\xff\xff\xff\xff" * 1000),
    "a text that says it has four gigabytes": lambda: under(b"{}", b"\x94\x00\x00\xc6\xff\xff\xff\xff" + bytes(1000)),
    "arrays within arrays": lambda: under(b"{}", b"\x91" * 10_000_000),
    "an entry of fifty megabytes": lambda: under(b"{}", b"\x94\x00\x00\xc6\x02\xfa\xf0\x80" + bytes(50_000_000)),
    "a checkpoint with a million signatures": lambda: under(b"{}") + "\u2014 chambers AAAAAAAA\n" * 1_000_000,
    "a size of a million digits": lambda: under(b"{}").replace("\n0\n", f"\n{'9' * 1_000_000}\n"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_docket_that_is_made_to_exhaust_the_audit_is_judged_all_the_same(bomb: str, tmp_path: Path) -> None:
    assert judged(tmp_path, BOMBS[bomb]()) in ("cheated", "unverified", "docket/cut")


def test_the_limits_hold_for_whoever_needs_more() -> None:
    """The tests above would fail if the audit took what it must not: a process that does is ended."""
    done = subprocess.run(
        [sys.executable, "-c", f"bytes({2 * MEMORY})"], preexec_fn=limited, capture_output=True, check=False
    )

    assert b"MemoryError" in done.stderr


def test_an_honest_record_needs_far_less(tmp_path: Path) -> None:
    assert judged(tmp_path, dump(Records("missing-suspect", 2).game.record())) == "clean"
