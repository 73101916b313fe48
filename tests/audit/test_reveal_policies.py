"""Who may open the hands afterwards: everybody, the auditor whom the table names, or nobody."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import msgspec
import pytest
from tests.audit.honest_game import PlayedGame, play_game
from typer.testing import CliRunner, Result

from chambers.audit import Verdict, audit, replay
from chambers.clients.cli import app
from chambers.fairness.errors import FairnessError
from chambers.protocol.auditor import AuditorKey, dump_key, entrust, entrusted, load_key, load_public, new_key
from chambers.protocol.docket import dump
from chambers.protocol.errors import ProtocolError
from chambers.protocol.reveals import HandedIn
from chambers.rules.errors import RuleError
from chambers.rules.events import Cosign, Entrust, Open, Reveal, TableEvent
from chambers.rules.opening import new_table
from chambers.rules.roles import DEALER, Role
from chambers.rules.terms import ALL, Setup, Viewer
from chambers.rules.witness_stand.events import NoCard, Pass, Show

KEY = AuditorKey(bytes(range(32)))
OTHER = AuditorKey(bytes(32))
FLIPPED = KEY.public[:-1] + bytes([KEY.public[-1] ^ 0x80])
"""A key with which the same boxes are made as with KEY's, and that nobody can show to be his."""
LIAR = Role("seat1")


def play(reveal: str, **changed: object) -> PlayedGame:
    key = KEY.public if reveal == "auditor" else None
    return play_game(seats=3, seed=14, reveal=reveal, auditor_key=key, **changed)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def entrusted_game() -> PlayedGame:
    """Return a whole game whose secrets only the auditor can open."""
    return play("auditor")


@pytest.fixture(scope="module")
def shut_game() -> PlayedGame:
    """Return a whole game whose secrets nobody can open."""
    return play("none")


def false_none(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
    if role != LIAR or not isinstance(event, Show | Pass) or str(game.table.play.stage) != "answer":
        return event
    return NoCard(event.ref)


# what the log takes


@pytest.mark.parametrize(("reveal", "kind"), [("public", Reveal), ("auditor", Entrust), ("none", Cosign)])
def test_every_roles_last_word_is_the_one_of_the_tables_policy(reveal: str, kind: type[TableEvent]) -> None:
    played = play(reveal)

    last = [done.event for done, _ in played.said[played.size_after_byes :]]

    assert [type(event) for event in last] == [kind] * 5
    assert played.table.phase == "closed"


@pytest.mark.parametrize("policy", ["public", "auditor", "none"])
def test_a_last_word_of_another_policy_is_refused(policy: str) -> None:
    words = {"public": Reveal(bytes(32), bytes(32), bytes(72)), "auditor": Entrust(bytes(136), bytes(72))}
    words["none"] = Cosign(bytes(72))

    for other in words.keys() - {policy}:
        refused = play(policy, event=lambda game, role, event, other=other: _instead(event, words[other]))

        with pytest.raises(RuleError, match="reveal-policy"):
            refused.log.admit(refused.extra[0])


def _instead(event: TableEvent, other: TableEvent) -> TableEvent:
    return other if isinstance(event, Reveal | Entrust | Cosign) else event


@pytest.mark.parametrize(
    ("reveal", "key"),
    [("auditor", None), ("auditor", bytes(31)), ("public", KEY.public), ("none", KEY.public), ("public", b"")],
)
def test_a_table_names_a_key_of_an_auditor_and_of_nobody_else(
    shut_game: PlayedGame, reveal: str, key: bytes | None
) -> None:
    opening: Open = msgspec.structs.replace(shut_game.setup.opening, reveal=reveal, auditor_key=key)

    with pytest.raises(RuleError, match="rule/auditor-key"):
        new_table(Setup(opening, shut_game.edition))


@pytest.mark.parametrize("key", [bytes(32), FLIPPED])
def test_a_table_with_an_auditors_key_that_makes_no_box_or_is_not_his_is_refused(key: bytes) -> None:
    with pytest.raises(FairnessError, match="fairness/box-key"):
        play_game(seats=2, seed=1, reveal="auditor", auditor_key=key)


def test_no_secret_stands_in_the_record_of_a_table_that_is_not_revealed_to_everybody(
    entrusted_game: PlayedGame, shut_game: PlayedGame
) -> None:
    for played in (entrusted_game, shut_game):
        record = b"".join(played.log.leaves)

        assert [role for role, own in played.roles.items() if own.secret in record or own.luck in record] == []


# what the audit makes of it


def test_the_auditor_proves_as_much_as_everybody_can_at_a_public_table(entrusted_game: PlayedGame) -> None:
    everybody = audit(play("public").docket())

    report = audit(entrusted_game.docket(), auditor=KEY)

    assert report.verdict is Verdict.CLEAN
    assert report.counts == everybody.counts
    assert report.counts.answers > 10


@pytest.mark.parametrize(("key", "words"), [(None, "--auditor-key"), (OTHER, "another one")])
def test_without_the_auditors_key_the_hidden_part_is_unproved_and_the_rest_holds(
    entrusted_game: PlayedGame, key: AuditorKey | None, words: str
) -> None:
    report = audit(entrusted_game.docket(), auditor=key, receipts=[entrusted_game.receipt()])

    assert (report.verdict, report.findings) == (Verdict.UNVERIFIED, ())
    assert [(item.check, words in item.sentence) for item in report.unproved] == [("A20", True)]
    assert report.counts.rolls > 10


def test_a_table_that_reveals_nothing_is_audited_but_for_its_hidden_part(shut_game: PlayedGame) -> None:
    report = audit(shut_game.docket(), receipts=[shut_game.receipt()])

    assert (report.exit_code, report.findings) == (2, ())
    assert ["revealed to nobody" in item.sentence for item in report.unproved] == [True]
    assert report.counts.rolls > 10


def test_whoever_hands_a_reveal_in_later_opens_what_the_policy_left_shut(shut_game: PlayedGame) -> None:
    reveals = [HandedIn(shut_game.id, role, own.secret, own.luck) for role, own in shut_game.roles.items()]

    assert audit(shut_game.docket(), reveals=reveals).verdict is Verdict.CLEAN


def test_a_reveal_without_its_luck_leaves_open_what_the_luck_was_to_show(shut_game: PlayedGame) -> None:
    reveals = [
        HandedIn(shut_game.id, role, own.secret, b"" if role == LIAR else own.luck)
        for role, own in shut_game.roles.items()
    ]

    report = audit(shut_game.docket(), reveals=reveals)

    assert (report.verdict, report.findings) == (Verdict.UNVERIFIED, ())
    assert [item.check for item in report.unproved] == ["A20"]
    assert f"({LIAR}) is without its luck" in report.unproved[0].sentence


def test_a_false_answer_is_found_by_the_auditor_alone() -> None:
    lied = play("auditor", event=false_none, options={"step3": "always"})

    assert audit(lied.docket()).findings == ()
    assert {(one.check, one.culprit) for one in audit(lied.docket(), auditor=KEY).findings} == {("A24", LIAR)}


def rubbish(game: PlayedGame, own: Role) -> list[bytes]:
    good = game.roles[own]
    of = {"table": game.id, "role": own, "secret": good.secret, "luck": good.luck}
    changes: list[dict[str, object]] = [
        {"secret": bytes(32)}, {"luck": bytes(32)}, {"table": bytes(16)}, {"role": DEALER}, {"luck": b""},
    ]  # fmt: skip
    return [bytes(136), *(entrust(KEY.public, **{**of, **change})[:136].ljust(136) for change in changes)]  # type: ignore[arg-type]


@pytest.mark.parametrize("which", range(6))
def test_a_role_that_seals_rubbish_to_the_auditor_is_named(which: int) -> None:
    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        if role != LIAR or not isinstance(event, Entrust):
            return event
        return msgspec.structs.replace(event, box=rubbish(game, role)[which])

    lied = play("auditor", event=hook)

    report = audit(lied.docket(), auditor=KEY)
    assert [(one.check, one.culprit) for one in report.findings] == [("A20", LIAR)]


@pytest.mark.parametrize("which", [0, 2, 5])
def test_what_a_role_sealed_to_the_auditor_is_judged_by_whoever_has_its_secret_from_elsewhere(which: int) -> None:
    def hook(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
        if role != LIAR or not isinstance(event, Entrust):
            return event
        return msgspec.structs.replace(event, box=rubbish(game, role)[which])

    lied, honest = play("auditor", event=hook), play("auditor")

    for played, found in ((lied, [("A20", LIAR)]), (honest, [])):
        opened = [HandedIn(played.id, role, own.secret) for role, own in played.roles.items()]
        report = audit(played.docket(), reveals=opened)
        assert [(one.check, one.culprit) for one in report.findings] == found


def test_a_cosignature_of_another_head_is_found_whatever_the_policy() -> None:
    for policy in ("auditor", "none"):
        lied = play(policy, event=_uncosigned)

        report = audit(lied.docket(), auditor=KEY)

        assert {(one.check, one.culprit) for one in report.findings} == {("A06", LIAR)}


def _uncosigned(game: PlayedGame, role: Role, event: TableEvent) -> TableEvent:
    mine = role == LIAR and isinstance(event, Entrust | Cosign)
    return msgspec.structs.replace(event, cosignature=bytes(72)) if mine else event


# the replay


@pytest.mark.parametrize("viewer", [ALL, Viewer("seat1")])
def test_eyes_other_than_the_publics_need_the_auditors_key(entrusted_game: PlayedGame, viewer: Viewer) -> None:
    told = [item.sentence for item in replay(entrusted_game.docket(), viewer, auditor=KEY)]

    for key in (None, OTHER):
        with pytest.raises(ProtocolError, match="replay/not-revealed"):
            replay(entrusted_game.docket(), viewer, auditor=key)
    public = [item.sentence for item in replay(play("public").docket(), viewer)]
    assert told[1:-5] == public[1:-5]


@pytest.mark.parametrize("viewer", [ALL, Viewer("seat1")])
def test_nobodys_eyes_open_a_table_that_reveals_nothing(shut_game: PlayedGame, viewer: Viewer) -> None:
    with pytest.raises(ProtocolError, match="revealed to nobody"):
        replay(shut_game.docket(), viewer)
    assert len(list(replay(shut_game.docket()))) == shut_game.log.size


def test_the_first_line_of_the_log_says_who_may_open_the_hands(
    entrusted_game: PlayedGame, shut_game: PlayedGame
) -> None:
    first = [next(iter(replay(one.docket()))).sentence for one in (entrusted_game, shut_game)]

    assert ["only its auditor" in first[0], "Nobody can open the hands" in first[1]] == [True, True]


# the key


def test_a_key_is_read_as_it_was_written_and_shows_its_public_half_only() -> None:
    key = new_key()

    assert load_key(dump_key(key)).private == key.private
    assert load_public(dump_key(key)) == load_public(key.public.hex()) == key.public
    assert key.private.hex()[:8] not in repr(key)


@pytest.mark.parametrize("text", ["", "0" * 64, "auditor-key/1", "auditor-key/1\n00", "auditor-key/1\n" + "x" * 64])
def test_a_file_that_holds_no_key_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError, match="reveal/no-auditor-key"):
        load_key(text)


@pytest.mark.parametrize("text", ["", "0" * 64, "5d0a", "auditor-key/1\n00", FLIPPED.hex()])
def test_what_names_no_public_half_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError, match="reveal/no-auditor-key"):
        load_public(text)


def test_a_box_to_the_auditor_is_the_same_each_time_and_opens_for_its_role_only() -> None:
    of = {"table": bytes(16), "role": LIAR, "secret": b"s" * 32, "luck": b"l" * 32}
    box = entrust(KEY.public, **of)  # type: ignore[arg-type]
    bound = play_game(seats=2, seed=1, most=20).roles[LIAR]

    assert box == entrust(KEY.public, **of)  # type: ignore[arg-type]
    with pytest.raises(FairnessError):
        entrusted(KEY, bound.bindings(16).box, table=bytes(16), role=LIAR, box=box)


# the commands


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


@pytest.fixture
def paths(entrusted_game: PlayedGame, tmp_path: Path) -> tuple[str, str]:
    """Return the files of a docket and of its auditor's key."""
    docket, key = tmp_path / "game.docket", tmp_path / "auditor.key"
    docket.write_text(dump(entrusted_game.docket()))
    key.write_text(dump_key(KEY))
    return str(docket), str(key)


def test_the_auditors_key_is_made_once_for_its_owners_eyes(tmp_path: Path) -> None:
    path = tmp_path / "auditor.key"

    first, again = call("auditor", str(path)), call("auditor", str(path))

    assert first.exit_code == again.exit_code == 0
    assert first.stdout == again.stdout == load_key(path.read_text()).public.hex() + "\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_audit_opens_everything_with_the_key_and_says_what_is_missing_without(paths: tuple[str, str]) -> None:
    docket, key = paths

    with_key, without = call("audit", docket, "--auditor-key", key), call("audit", docket, "--json")

    assert (with_key.exit_code, with_key.stdout[:12]) == (0, "audit clean:")
    assert without.exit_code == 2
    assert "--auditor-key" in json.loads(without.stdout)["unproved"][0]["text"]


def test_the_page_shows_hands_to_the_auditor_only(paths: tuple[str, str], tmp_path: Path) -> None:
    docket, key = paths
    page = tmp_path / "game.html"
    proof = "The deal is the shuffle that the dealer"

    call("audit", docket, "--auditor-key", key, "--html", str(page))
    opened, mode = page.read_text(encoding="utf-8"), page.stat().st_mode & 0o777
    call("audit", docket, "--html", str(page))

    assert mode == 0o600
    assert (proof in opened, proof in page.read_text(encoding="utf-8")) == (True, False)


@pytest.mark.parametrize("command", [["log"], ["replay"], ["replay", "--json"]])
@pytest.mark.parametrize("eyes", ["all", "seat1"])
def test_log_and_replay_take_the_auditors_key(paths: tuple[str, str], command: list[str], eyes: str) -> None:
    docket, key = paths

    told = call(*command, docket, "--as", eyes, "--auditor-key", key)
    refused = call(*command, docket, "--as", eyes)

    assert (told.exit_code, refused.exit_code, refused.stdout) == (0, 2, "")
    assert "--auditor-key" in refused.stderr


def test_a_file_without_a_key_ends_in_one_sentence(paths: tuple[str, str]) -> None:
    docket, _ = paths

    got = call("audit", docket, "--auditor-key", docket)

    assert (got.exit_code, got.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("given", ["no-such.key", "5d0a", "0" * 63])
def test_an_auditors_key_that_is_neither_a_file_nor_a_key_is_named_as_such(given: str) -> None:
    got = call("host", "--reveal", "auditor", "--auditor-key", given)

    assert got.exit_code == 2
    assert got.stderr.startswith(f"There is no file {given}, and it is no key of 64 hex digits.")
