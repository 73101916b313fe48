"""`--json`: the lines that go out, their fields, and the lines that are taken or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chambers.clients.heard import Link, LinkState, Occupied, Unsent
from chambers.clients.json_mode import BadLine, JsonLines, read_words, refused_line
from chambers.clients.luck import LuckState, LuckTold
from chambers.protocol.client import (
    Ask,
    Choice,
    ChoiceAccepted,
    ChoiceRefused,
    Line,
    Over,
    Pong,
    Replaced,
    Update,
    Welcome,
)

WELCOME = Welcome(
    table="5d" * 16,
    game="witness-stand",
    edition="tandem-target",
    edition_hash=b"\xaa" * 32,
    seat=2,
    seats=4,
    options=(("step3", "witness"),),
    occupied=False,
    session=b"v" * 16,
)
ASK = Ask(
    id="118.2",
    kind="ask",
    text="Ask a question?",
    options=(Choice("ask.1.B3", "Ask Cy B3", {"tag": "ask", "target": 1}), Choice("go", "Go on", {"tag": "go"})),
    ruling="WS-8",
    deadline=1764459000500,
)
FIELDS = {
    "welcome": {
        "type",
        "table",
        "game",
        "edition",
        "edition_hash",
        "seat",
        "seats",
        "options",
        "reveal",
        "auditor_key",
    },
    "view": {"type", "sequence", "phase", "waiting", "earlier", "turn", "public", "hand", "sheet"},
    "log": {"type", "sequence", "text"},
    "prompt": {"type", "id", "kind", "text", "ruling", "deadline", "options"},
    "accepted": {"type", "prompt", "option", "sequence"},
    "refused": {"type", "prompt", "code", "section", "ruling", "text"},
    "over": {"type", "result", "size", "root", "receipt"},
    "link": {"type", "state", "seconds"},
    "luck": {"type", "state", "text"},
}


def update(sequence: int = 118, prompt: Ask | None = ASK) -> Update:
    view: dict[str, Any] = {"public": {"turn": {"seat": 2, "step": 1}}, "hand": [], "sheet": {}}
    return Update(sequence, "play", view, (Line(sequence, f"Entry {sequence} — é."),), prompt, ("Cy",))


def lines(voice: JsonLines, heard: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in voice.lines(heard)]


def test_the_welcome_names_table_seat_and_options_and_no_session_secret() -> None:
    (got,) = lines(JsonLines(), WELCOME)

    assert got["seat"] == 2
    assert got["options"] == {"step3": "witness"}
    assert "session" not in got


def test_an_update_is_a_view_its_new_log_lines_and_its_prompt() -> None:
    got = lines(JsonLines(), update())

    assert [one["type"] for one in got] == ["view", "log", "prompt"]
    assert got[0]["turn"] == {"seat": 2, "step": 1}
    assert got[0]["waiting"] == ["Cy"]
    assert got[1] == {"type": "log", "sequence": 118, "text": "Entry 118 — é."}
    assert got[2]["deadline"] == 1764459000.5
    assert got[2]["options"][0] == {"id": "ask.1.B3", "label": "Ask Cy B3", "event": {"tag": "ask", "target": 1}}


def test_a_prompt_and_a_log_line_come_once() -> None:
    voice = JsonLines()
    lines(voice, update())

    assert [one["type"] for one in lines(voice, update())] == ["view"]


def test_a_resync_brings_prompt_and_log_lines_again() -> None:
    voice = JsonLines()
    lines(voice, update())
    voice.again()

    assert [one["type"] for one in lines(voice, update())] == ["view", "log", "prompt"]


def test_the_same_prompt_comes_again_after_another_one() -> None:
    voice = JsonLines()
    lines(voice, update())
    lines(voice, update(119, None))

    assert [one["type"] for one in lines(voice, update(120))] == ["view", "log", "prompt"]


@pytest.mark.parametrize(
    "heard",
    [
        WELCOME,
        update(),
        ChoiceAccepted("118.2", "go", 121),
        ChoiceRefused("118.2", "rule/take-the-fifth", "No.", section="Special Spaces", ruling="WS-8"),
        Unsent("118.2", "go"),
        Replaced(),
        Over(1, "Bo wins.", 200, "ab" * 32),
        Link(LinkState.LOST),
        Link(LinkState.RESUMED, seconds=2.04),
        LuckTold(LuckState.HELD, "you hold your luck."),
    ],
)
def test_every_line_has_exactly_the_fields_of_its_type(heard: Any) -> None:
    for line in lines(JsonLines(), heard):
        assert set(line) == FIELDS[line["type"]]


def test_lines_are_plain_ascii_so_that_any_encoding_carries_them() -> None:
    assert all(line.isascii() and "\n" not in line for line in JsonLines().lines(update()))


def test_a_seat_that_is_taken_says_so_by_its_type() -> None:
    assert [one["type"] for one in lines(JsonLines(), Occupied(WELCOME))] == ["occupied"]


def test_what_only_keeps_the_session_alive_is_not_told() -> None:
    assert JsonLines().lines(Pong(3)) == ()


def test_the_end_carries_the_winner_and_the_root() -> None:
    (got,) = lines(JsonLines(), Over(None, "Nobody wins.", 200, "ab" * 32))

    assert got["result"] == {"winner": None, "text": "Nobody wins."}
    assert (got["root"], got["receipt"]) == ("ab" * 32, "")


def test_the_four_messages_are_read() -> None:
    assert read_words('{"choose":"118.2","option":"go"}').choose == ("118.2", "go")
    assert read_words('{"note":"B3 is with Cy"}').note == "B3 is with Cy"
    assert read_words('{"say":"hello"}').say == "hello"
    assert read_words('{"resync":true}').resync
    assert read_words('{"resync":true,"before":40}').before == 40


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("choose 1", "client/not-json"),
        ('{"choose":', "client/not-json"),
        ("\udcff\udcfe", "client/not-json"),
        ("[" * 5000, "client/not-json"),
        ("[]", "client/not-an-object"),
        ("7", "client/not-an-object"),
        ("null", "client/not-an-object"),
        ("{}", "client/unknown-message"),
        ('{"choose":"118.2"}', "client/unknown-message"),
        ('{"choose":118,"option":"go"}', "client/unknown-message"),
        ('{"choose":"118.2","option":"go","also":1}', "client/unknown-message"),
        ('{"say":"a","note":"b"}', "client/unknown-message"),
        ('{"resync":false}', "client/unknown-message"),
        ('{"resync":1}', "client/unknown-message"),
        ('{"resync":true,"before":true}', "client/unknown-message"),
        ('{"say":""}', "client/length"),
        ('{"say":"' + "x" * 201 + '"}', "client/length"),
        ('{"note":"' + "x" * 2001 + '"}', "client/length"),
        ("x" * 20000, "client/too-long"),
    ],
)
def test_any_other_line_is_refused_with_a_code(line: str, code: str) -> None:
    with pytest.raises(BadLine) as caught:
        read_words(line)

    assert caught.value.code == code


def test_a_refused_line_has_the_shape_of_every_refusal() -> None:
    got = json.loads(refused_line("client/not-json", "This line is no JSON."))

    assert set(got) == FIELDS["refused"]
    assert got["type"] == "refused"
