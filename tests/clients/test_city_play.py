"""`chambers play --game missing-suspect`, whole: a private server, bots, the end in words, and a clean audit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def started(home: Path, *arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join(str(ROOT / name) for name in ("shared", "services", "clients"))
    return subprocess.Popen(
        [sys.executable, "-m", "chambers.clients.cli", "play", "--game", "missing-suspect", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "CHAMBERS_HOME": str(home)},
    )


def test_without_a_terminal_bots_play_and_the_game_is_audited(tmp_path: Path) -> None:
    with started(tmp_path, "--seats", "2", "--seed", "aa") as playing:
        out, _ = playing.communicate(timeout=250)

    lines = out.splitlines()
    ends = [line for line in lines if line.startswith("END ")]
    assert playing.returncode == 0
    assert "is brought to trial" in ends[0]
    assert " brought the " in " ".join(ends[1:])
    assert lines[-1].startswith("audit clean: ")
    assert len(list(tmp_path.rglob("*.docket"))) == 1


def test_a_program_at_the_table_gets_and_sends_the_messages_of_the_other_game(tmp_path: Path) -> None:
    said: list[dict[str, Any]] = []
    with started(tmp_path, "--seats", "2", "--json") as playing:
        assert playing.stdin is not None
        assert playing.stdout is not None
        for line in playing.stdout:
            said.append(json.loads(line))
            if said[-1]["type"] == "prompt" and said[-1]["kind"] in ("place", "move"):
                option = said[-1]["options"][0]["id"]
                print(json.dumps({"choose": said[-1]["id"], "option": option}), file=playing.stdin, flush=True)
            if [one for one in said if one["type"] == "accepted" and one["option"].startswith("move.")]:
                break
        playing.stdin.close()
        playing.stdout.read()

    welcome = said[0]
    prompt = next(one for one in said if one["type"] == "prompt" and one["kind"] == "move")
    assert playing.returncode == 0
    assert (welcome["type"], welcome["game"], welcome["edition"]) == ("welcome", "missing-suspect", "missing-suspect")
    assert "object_window" not in welcome["options"]
    assert set(prompt["options"][0]) == {"id", "label", "event"}
    assert prompt["options"][0]["event"]["tag"] == "move"
    # on a busy machine the link may be said to be lost and back
    assert {one["type"] for one in said} <= {"welcome", "view", "log", "prompt", "accepted", "link"}
