"""The program as a person meets it: help, exit codes, one sentence for a mistake, and output that any pipe takes."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from chambers.clients import surroundings
from chambers.clients.cli import app
from chambers.clients.cli_play import keep_receipt
from chambers.clients.exits import write_text
from chambers.protocol.client import Over
from chambers.protocol.tickets import Ticket, read_ticket
from chambers.rules.check import NAME_LENGTH

ROOT = Path(__file__).resolve().parents[2]
NO_SERVER = "nats://127.0.0.1:9"
TICKET = Ticket(
    server=NO_SERVER,
    table=bytes(16),
    seat=0,
    issue=0,
    admit=b"a" * 32,
    pair=b"p" * 32,
    frame_key=b"f" * 32,
).text()
TABLE = "5d" * 16


@pytest.fixture(autouse=True)
def a_home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAMBERS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CHAMBERS_SERVER", NO_SERVER)


def call(*arguments: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=typed)


def program(*arguments: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    path = os.pathsep.join(str(ROOT / name) for name in ("shared", "services", "clients"))
    return subprocess.run(
        [sys.executable, "-m", "chambers.clients.cli", *arguments],
        input=typed.encode(),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
        check=False,
        timeout=60,
    )


COMMANDS = (
    "play",
    "join",
    "bot",
    "watch",
    "init",
    "serve",
    "host",
    "void",
    "vault",
    "bots",
    "stream",
    "delete",
    "restore",
    "auditor",
    "tables",
    "status",
    "doctor",
    "export",
    "audit",
    "replay",
    "log",
    "edition",
    "bench",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    got = call(command, "--help")

    assert got.exit_code == 0
    assert f"Example: chambers {command}" in got.stdout


def test_the_version_is_one_line() -> None:
    got = call("--version")

    assert got.exit_code == 0
    assert got.stdout == f"chambers {surroundings.version()}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("join", "hello"), "This is no ticket: a ticket is one line that begins with chambers1."),
        (("join", "2-kqx"), "This is no code: a code is a seat's digit and six signs, like 2-kqx-7rt."),
        (("join", "chambers1.abc"), "This ticket is cut or mistyped; ask the host for the whole line."),
        (("join", TICKET[:-9]), "This ticket is cut or mistyped; ask the host for the whole line."),
        (("bot", "hello"), "This is no ticket: a ticket is one line that begins with chambers1."),
        (("join", TICKET), f"No NATS server answers at {NO_SERVER}."),
        (("bot", TICKET), f"No NATS server answers at {NO_SERVER}."),
        (("tables",), f"No NATS server answers at {NO_SERVER}."),
        (("watch", TABLE), f"No NATS server answers at {NO_SERVER}."),
        (("export", TABLE), f"No NATS server answers at {NO_SERVER}."),
        (("audit", TABLE), f"No NATS server answers at {NO_SERVER}."),
        (("status",), "set the deployment up first. Name the folder of chambers serve or chambers init with --home"),
        (("host",), "holds no log-in key; set the deployment up first."),
        (("audit", "nofile"), "There is no file nofile, and it is no table: a table is named by 32 hex digits, or"),
        (("replay", "nofile"), "There is no file nofile, and it is no table: a table is named by 32 hex digits, or"),
        (("log", "nofile"), "There is no file nofile, and it is no table: a table is named by 32 hex digits, or"),
        (("watch", "5d0a"), f"No NATS server answers at {NO_SERVER}."),
        (("audit", "5d0a", "--live"), f"No NATS server answers at {NO_SERVER}."),
        (("vault", "export", "5d0a"), "begins with 5d0a."),
        (("join", TICKET, "--name", "x" * 21), "A name has at most 20 characters."),
        (("bot", TICKET, "--name", "x" * 21), "A name has at most 20 characters."),
        (("play", "--name", "x" * 21), "A name has at most 20 characters."),
        (
            ("bots", "nowhere"),
            "There is no folder nowhere. Make it, or have it made: chambers host --bots-into nowhere",
        ),
        (("play", "--option", "bogus=1"), "There is no option 'bogus'; there is: "),
        (("play", "--option", "turn_limit=soon"), "Option turn_limit takes none or seconds, not 'soon'."),
        (("bench", "rules", "--edition", "nope"), "No edition is called 'nope' here; see: chambers edition list"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_exit_code_2(arguments: tuple[str, ...], sentence: str) -> None:
    got = call(*arguments)

    assert got.exit_code == 2
    assert sentence in got.stderr
    assert len(got.stderr.splitlines()) == 1
    assert got.stdout == ""


@pytest.mark.parametrize(
    "arguments",
    [("watch",), ("watch", "table-7"), ("watch", "5d0"), ("void",), ("vault", "export")],
)
def test_whoever_names_no_table_is_told_what_lists_them(arguments: tuple[str, ...]) -> None:
    got, other = program(*arguments), program("replay")

    assert (got.returncode, other.returncode) == (2, 2)
    assert b"The tables on a server are listed by: chambers tables" in got.stderr
    assert b"chambers tables" not in other.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("watch", "table-7"),
        ("play", "--seats", "7"),
        ("play", "--bots", "oracle"),
        ("play", "--option", "step3"),
        ("host", "--seats", "2", "--bots", "3"),
        ("serve", "--listen", "4222"),
        ("serve", "--listen", "host:99999"),
        ("void", TABLE, "6"),
        ("bench", "rules", "--games", "0"),
        ("--log-level", "loud", "tables"),
        ("nonsense",),
    ],
)
def test_a_command_that_is_mistyped_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    got = call(*arguments)

    assert got.exit_code == 2
    assert "Traceback" not in got.output


def test_a_ticket_may_come_on_standard_input() -> None:
    got = call("join", "-", typed=f"{TICKET}\n")

    assert got.exit_code == 2
    assert "No NATS server answers" in got.stderr


@pytest.mark.parametrize("command", ["join", "join -", "bot -", "vault -", "restore -"])
def test_a_closed_standard_input_is_an_empty_one(tmp_path: Path, command: str) -> None:
    shell = ("sh", "-c", f'"$0" -m chambers.clients.cli {command} <&-', sys.executable)
    done = subprocess.run(shell, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)

    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "fault in this program" not in done.stderr


def test_no_ticket_on_standard_input_is_said() -> None:
    got = call("join", "-", typed="")

    assert got.exit_code == 2
    assert got.stderr == "No ticket came on standard input.\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Line 1: a docket begins with 'docket/1'."),
        ("docket/1\n{}\nYWJj", "The docket is cut"),
        ("docket/1\n{}\n%%%\n\nnote", "Line 3: this is no entry in base64."),
    ],
)
def test_a_file_that_is_no_docket_is_exit_code_2(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "broken.docket"
    path.write_text(text)

    got = call("audit", str(path))

    assert got.exit_code == 2
    assert got.stderr.startswith(sentence)


def test_a_link_that_somebody_laid_where_the_draft_of_a_file_goes_is_not_followed(tmp_path: Path) -> None:
    mine, draft = tmp_path / "mine", tmp_path / f".game.docket.{os.getpid()}.part"
    mine.write_text("precious")
    draft.symlink_to(mine)

    write_text(tmp_path / "game.docket", "a record")

    assert mine.read_text() == "precious"
    assert (tmp_path / "game.docket").read_text() == "a record"
    assert not (tmp_path / "game.docket").is_symlink()


@pytest.mark.parametrize("command", ["audit", "replay", "log"])
def test_what_comes_on_standard_input_and_is_no_docket_is_exit_code_2(command: str) -> None:
    got = call(command, "-", typed="chambers docket 7")

    assert (got.exit_code, got.stdout) == (2, "")
    assert got.stderr.startswith("Line 1: a docket begins with")


def test_an_archive_of_reveals_is_not_written_to_a_terminal(tmp_path: Path) -> None:
    screen, side = pty.openpty()
    command = (sys.executable, "-m", "chambers.clients.cli", "vault", "export", TABLE, "--into", "-")
    done = subprocess.run(command, stdout=side, stderr=subprocess.PIPE, timeout=60, check=False, cwd=tmp_path)
    os.close(side)
    os.close(screen)

    assert done.returncode == 2
    assert done.stderr.startswith(b"A terminal is no place for an archive")


def test_a_binary_file_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "picture.docket"
    path.write_bytes(b"\xff\xfe\x00\x80")

    got = call("audit", str(path))

    assert got.exit_code == 2
    assert got.stderr == f"{path} is not a text file.\n"


def test_an_empty_docket_is_incomplete_not_clean(tmp_path: Path) -> None:
    path = tmp_path / "empty.docket"
    path.write_text("docket/1\n{}\n\n")

    got = call("audit", str(path))

    assert got.exit_code == 2
    assert got.stdout.startswith("audit incomplete: ")


def test_init_makes_keys_once_and_says_where_the_configuration_is(tmp_path: Path) -> None:
    first = call("init", str(tmp_path / "here"))
    key = (tmp_path / "here" / "roles" / "host" / "login.nk").read_bytes()
    again = call("init", str(tmp_path / "here"))

    assert first.exit_code == again.exit_code == 0
    assert Path(first.stdout.strip()).exists()
    assert (tmp_path / "here" / "roles" / "host" / "login.nk").read_bytes() == key


def test_init_into_a_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")

    got = call("init", str(tmp_path / "taken"))

    assert got.exit_code == 2
    assert len(got.stderr.splitlines()) == 1


def test_the_bench_reports_speed_for_people_and_programs() -> None:
    told = call("bench", "rules", "--games", "3")
    fields = call("bench", "rules", "--games", "3", "--bots", "rules", "--seats", "2", "--json")

    assert told.exit_code == fields.exit_code == 0
    assert re.search(r"^\d+ games/s, \d+ moves/s$", told.stdout, re.MULTILINE)
    assert '"games":3' in fields.stdout


def test_a_reader_that_stops_early_is_no_fault() -> None:
    path = os.pathsep.join(str(ROOT / name) for name in ("shared", "services", "clients"))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "chambers.clients.cli", "edition", "show", "tandem-target", "--answers"],
            stdout=writing,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
            timeout=60,
        )
    finally:
        os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii"},
        {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "60"},
    ],
)
def test_any_terminal_can_show_an_edition(environment: dict[str, str]) -> None:
    done = program("edition", "show", "tandem-target", "--answers", **environment)

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Irma Hodge" in done.stdout
    assert b"\x1b" not in done.stdout


def test_a_mistake_shows_no_traceback_and_no_path_of_ours() -> None:
    done = program("join", "chambers1.x")

    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


def test_a_name_is_cut_to_what_a_table_shows() -> None:
    assert surroundings.player_name("  Ada\x1b[31m\n  Lovelace ") == "Ada [31m Lovelace"
    assert surroundings.player_name("x" * 19 + " " + "y" * 9) == "x" * 19
    assert len(surroundings.player_name("x" * 99)) == surroundings.NAME_LENGTH == NAME_LENGTH
    assert surroundings.player_name("\x00") == "Guest"


def test_the_list_of_commands_says_a_whole_sentence_of_each() -> None:
    listed = program("--help", COLUMNS="80").stdout.decode()

    assert "Delete a table" in listed
    assert [line for line in listed.splitlines()[1:] if line.endswith("...")] == []


@pytest.mark.parametrize("command", ["join", "play"])
def test_help_names_what_can_be_typed_at_the_table(command: str) -> None:
    told = " ".join(call(command, "--help").stdout.split())

    assert "look board|hand|sheet|log|notes, note, note TEXT, say TEXT, ?, ? rule, quit" in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("host", "--help"),
        ("edition", "list"),
        ("edition", "show", "tandem-target"),
        ("audit", "empty.docket"),
    ],
)
def test_a_full_output_is_one_sentence_and_exit_code_2(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "empty.docket").write_text("docket/1\n{}\n\n")
    path = os.pathsep.join(str(ROOT / name) for name in ("shared", "services", "clients"))
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "chambers.clients.cli", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
            timeout=60,
        )

    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1
    assert b"No space left on device" in done.stderr


def test_a_file_is_replaced_whole_and_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    real, link = tmp_path / "deep" / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)

    write_text(link, "new")

    assert link.is_symlink()
    assert real.read_text() == "new"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["deep", "link", "real"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)

    write_text(pipe, "text")

    assert os.read(reading, 99) == b"text"
    assert pipe.is_fifo()
    os.close(reading)


def test_a_device_is_written_to_and_stays_a_device() -> None:
    write_text(Path(os.devnull), "text")

    assert Path(os.devnull).is_char_device()


def test_a_folder_that_a_person_names_must_be_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "typo" / "game.docket"

    with pytest.raises(typer.Exit):
        write_text(path, "text")

    assert not path.parent.exists()
    assert capsys.readouterr().err == f"{path} could not be written: No such file or directory.\n"


def test_the_receipt_s_hint_is_a_command_that_can_be_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    over = Over(0, "Ada wins.", 3, "ab" * 32, receipt="note")
    path = surroundings.receipts() / f"{'00' * 16}.note"

    keep_receipt(read_ticket(TICKET), over, None)
    here = capsys.readouterr().err
    monkeypatch.delenv("CHAMBERS_SERVER")
    keep_receipt(read_ticket(TICKET), over, None)
    elsewhere = capsys.readouterr().err

    assert path.read_text() == "note"
    assert here.endswith(f"chambers audit {'00' * 16} --receipt {path}\n")
    assert elsewhere.endswith(f"chambers audit {'00' * 16} --receipt {path} --server {NO_SERVER}\n")


def test_the_hint_names_the_head_that_was_pinned_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    over = Over(0, "Ada wins.", 3, "ab" * 32, receipt="note")
    path, pinned = (surroundings.receipts() / f"{'00' * 16}{ending}" for ending in (".note", ".setup.note"))
    write_text(pinned, "pinned", make_folder=True)

    keep_receipt(read_ticket(TICKET), over, None)

    assert capsys.readouterr().err.endswith(f" --receipt {path} --receipt {pinned}\n")


def test_luck_that_is_not_brought_cannot_be_held() -> None:
    result = call("join", TICKET, "--hold-luck", "--no-luck")

    assert result.exit_code == 2
    assert "choose one of the two" in result.output
