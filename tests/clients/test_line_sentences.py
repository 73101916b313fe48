"""Line mode's sentences: what is heard, as golden lines that begin with a fixed word."""

from __future__ import annotations

from typing import Any

import pytest

from chambers.clients.heard import Heard, Link, LinkState, Occupied, Unsent
from chambers.clients.luck import LuckState, LuckTold
from chambers.clients.seating import sights_of
from chambers.clients.sights import Sights
from chambers.clients.speech import FIRST_WORDS, SceneSpeech, Speech
from chambers.clients.typed import Sight
from chambers.protocol.client import Ask, Choice, ChoiceAccepted, ChoiceRefused, Line, Over, Replaced, Update, Welcome
from chambers.protocol.watching import Scene

WELCOME = Welcome(
    table="5d" * 16,
    game="witness-stand",
    edition="tandem-target",
    edition_hash=bytes(32),
    seat=0,
    seats=3,
    options=(),
    occupied=False,
    session=b"",
)


def case_sights(name: str = "tandem-target") -> Sights:
    sights = sights_of(name)
    assert isinstance(sights, Sights)
    return sights


def known_case(name: str, _edition_hash: bytes) -> Sights:
    return case_sights(name)


def seat(name: str, *, space: int | None = 0, cards: int = 5, **more: bool) -> dict[str, Any]:
    state = {"out": False, "dropped": False, "protected": False, **more}
    place = None if space is None else "Perry Mason"
    return {"name": name, "cards": cards, "space": space, "space_name": place, **state}


def view(*, hand: tuple[str, ...] = ("A1.", "EXCLUDED"), turn: int = 0, **public: Any) -> dict[str, Any]:
    shown = {
        "turn": {"seat": turn, "round": 2, "stage": "ask", "step": 1},
        "seats": [seat("Ada"), seat("Bo"), seat("Cy", protected=True)],
        "witness": {"suspect": "B", "where": "stand"},
        "question": None,
        "innocent": [],
        "accused": None,
        "result": None,
        **public,
    }
    unknown: dict[str, Any] = {"starred": None, "plain": None, "denied": []}
    sheet = {f"{letter}{number}": unknown for letter in "ABCD" for number in range(1, 6)}
    cards = [{"kind": 0, "code": code} for code in hand]
    return {"phase": "play", "public": shown, "seat": 0, "hand": cards, "sheet": sheet}


ASK = Ask(
    id="41.0",
    kind="ask",
    text="Question Irma Hodge on the Stand, publicly?",
    options=(
        Choice("ask.1.B1", "Ask Bo B1: How did", {}),
        Choice("ask.1.B2", "Ask Bo B2: Whose", {}),
        Choice("ask.2.B1", "Ask Cy B1: How did", {}),
        Choice("accuse.B", "Accuse Irma Hodge", {}),
        Choice("go", "Go on: roll the die", {}),
    ),
    ruling="WS-8",
)


def update(sequence: int, *lines: str, prompt: Ask | None = None, **fields: Any) -> Update:
    told = tuple(Line(sequence - len(lines) + 1 + n, text) for n, text in enumerate(lines))
    return Update(sequence=sequence, phase="play", view=view(**fields), lines=told, prompt=prompt)


@pytest.fixture
def speech() -> Speech:
    one = Speech(known_case)
    one.lines(WELCOME)
    return one


def test_an_update_tells_events_turn_hand_and_prompt_in_this_order(speech: Speech) -> None:
    got = speech.lines(update(41, "Bo has no answer to B3.", "You roll 5.", prompt=ASK))

    assert got == (
        "EVENT Bo has no answer to B3.",
        "YOU roll 5.",
        "TURN 2 Ada (you), on Perry Mason (space 0). Irma Hodge (B) is on the Stand.",
        "HAND you hold 2 cards.",
        f"HAND {case_sights().card('A1.')}",
        "HAND Evidence Excluded!",
        "ASK Question Irma Hodge on the Stand, publicly?",
        f"CHOICE 1 Bo, 3 Cy: ask B1 {case_sights().question_text('B1')}",
        f"CHOICE 2 Bo: ask B2 {case_sights().question_text('B2')}",
        "CHOICE 4 Accuse Irma Hodge",
        "CHOICE 5 Go on: roll the die",
    )


def test_nothing_is_told_twice(speech: Speech) -> None:
    speech.lines(update(41, "Bo goes on.", prompt=ASK))

    assert speech.lines(update(42, "Bo says: hm", prompt=ASK)) == ("EVENT Bo says: hm",)


def test_a_changed_hand_is_told_by_its_difference(speech: Speech) -> None:
    speech.lines(update(41, hand=("A1.", "EXCLUDED")))

    got = speech.lines(update(42, hand=("EXCLUDED", "EXCLUDED")))

    assert got == (
        "HAND you now hold Evidence Excluded!",
        f"HAND you no longer hold {case_sights().card('A1.')}",
    )


def test_a_pass_of_the_window_is_no_news_but_stays_in_the_log(speech: Speech) -> None:
    speech.lines(update(40))

    assert speech.lines(update(41, "Cy lets it pass.")) == ()
    assert speech.look(Sight.LOG) == ("EVENT Cy lets it pass.",)


def test_numbers_of_entries_come_on_request() -> None:
    speech = Speech(known_case, numbered=True)
    speech.lines(WELCOME)
    speech.lines(update(40))

    assert speech.lines(update(41, "You go on.")) == ("YOU 41 go on.",)
    speech.sending(ASK, ASK.options[4])
    assert speech.lines(ChoiceAccepted("41.0", "go", 41)) == ("OK Go on: roll the die (entry 41)",)


def test_an_accepted_choice_is_told_in_the_words_of_its_label(speech: Speech) -> None:
    speech.lines(update(41, prompt=ASK))
    speech.sending(ASK, ASK.options[4])

    assert speech.lines(ChoiceAccepted("41.0", "go", 42)) == ("OK Go on: roll the die",)


@pytest.mark.parametrize(
    ("deadline", "line"),
    [(1_700_000_000_000, "OK your vault chose for you: Go on: roll the die"), (None, "OK Go on: roll the die")],
)
def test_what_was_not_chosen_here_is_told_by_its_label(speech: Speech, deadline: int | None, line: str) -> None:
    asked = Ask(ASK.id, ASK.kind, ASK.text, ASK.options, ASK.ruling, deadline)
    speech.lines(update(41, prompt=asked))
    speech.lines(update(42))

    assert speech.lines(ChoiceAccepted("41.0", "go", 42)) == (line,)


def test_the_vault_s_choice_is_not_taken_for_the_player_s_late_one(speech: Speech) -> None:
    speech.lines(update(41, prompt=Ask(ASK.id, ASK.kind, ASK.text, ASK.options, ASK.ruling, 1_700_000_000_000)))
    speech.sending(ASK, ASK.options[3])

    assert speech.lines(ChoiceAccepted("41.0", "go", 42)) == ("OK your vault chose for you: Go on: roll the die",)


def test_a_choice_of_an_unknown_prompt_is_said_to_be_the_vault_s(speech: Speech) -> None:
    assert speech.lines(ChoiceAccepted("7.0", "corner.7", 8)) == ("OK your vault chose for you: corner.7",)


def waits(*names: str, sequence: int = 50, prompt: Ask | None = None) -> Update:
    shown = {**view(), "names": ["Ada", "Bo", "Cy"]}
    return Update(sequence=sequence, phase="play", view=shown, lines=(), prompt=prompt, waiting=names)


def test_whom_the_table_waits_for_is_told_once_and_again_when_it_changes(speech: Speech) -> None:
    speech.lines(waits("Bo", "Cy"))
    first, again = speech.waiting(), speech.waiting()
    speech.lines(waits("Cy", sequence=51))

    assert first == ("EVENT waiting for Bo, Cy.",)
    assert again == ()
    assert speech.waiting() == ("EVENT waiting for Cy.",)


@pytest.mark.parametrize(
    "told", [waits("The dice"), waits("Ada", "Bo"), waits(), waits("Bo", prompt=ASK), waits("The game master")]
)
def test_waiting_for_a_service_or_oneself_or_with_a_prompt_open_is_not_told(speech: Speech, told: Update) -> None:
    speech.lines(told)

    assert speech.waiting() == ()


def test_the_same_wait_is_told_again_after_a_prompt_of_one_s_own(speech: Speech) -> None:
    speech.lines(waits("Bo"))
    speech.waiting()
    speech.lines(waits("Ada", sequence=51, prompt=ASK))
    speech.lines(waits("Bo", sequence=52))

    assert speech.waiting() == ("EVENT waiting for Bo.",)


def test_the_board_says_whom_the_table_waits_for(speech: Speech) -> None:
    speech.lines(waits("Bo", "Cy"))

    assert speech.look(Sight.BOARD)[-1] == "BOARD Waiting for Bo, Cy."


def test_notes_are_shown_in_one_line(speech: Speech) -> None:
    before = speech.look(Sight.NOTES)
    told = update(41)
    told.view["notes"] = "B3 is\nwith Cy"
    speech.lines(told)

    assert before == ("HAND your notes are not here yet.",)
    assert speech.look(Sight.NOTES) == ("HAND your notes: B3 is with Cy",)


@pytest.mark.parametrize(
    ("heard", "line"),
    [
        (
            ChoiceRefused("41.0", "rule/x", "Cy takes the Fifth.", section="Special Spaces", ruling="WS-8"),
            "ERR Cy takes the Fifth. (Special Spaces, WS-8)",
        ),
        (ChoiceRefused("41.0", "prompt/gone", "This is not asked any more."), "ERR This is not asked any more."),
        (Link(LinkState.LOST), "LINK lost. Your seat is held; trying again."),
        (Link(LinkState.RESUMED, seconds=4.2), "LINK is back after 4 s."),
        (LuckTold(LuckState.HELD, "you hold your luck."), "LINK you hold your luck."),
        (
            Replaced(),
            "LINK this window is no longer admitted: another window has taken the seat.",
        ),
        (Occupied(WELCOME), "LINK another window plays this seat. Type take to play here instead, or quit."),
        (
            Unsent("41.0", "go"),
            "ERR The link broke before your choice counted, and the question has changed. Choose again.",
        ),
    ],
)
def test_what_else_is_heard_is_one_line(speech: Speech, heard: Heard, line: str) -> None:
    assert speech.lines(heard) == (line,)


def test_the_end_names_the_culprit_and_what_convicts_her(speech: Speech) -> None:
    result = {"winner": 1, "text": "Bo wins."}
    speech.lines(update(90, accused="B", result=result))

    got = speech.lines(Over(1, "Bo wins.", 91, "ab" * 32))

    assert got[0] == "END Bo wins."
    assert got[1] == "END Irma Hodge (B) did it: all five starred answers were in play."
    assert [line.split()[1] for line in got[2:7]] == ["B1", "B2", "B3", "B4", "B5"]
    assert (
        got[7] == f"END at the close, before the secrets were opened, the log had 91 entries; its root is {'ab' * 32}"
    )


def test_an_end_without_a_winner_names_nobody(speech: Speech) -> None:
    speech.lines(update(90, accused="B", result={"winner": None, "text": "Nobody wins."}))

    got = speech.lines(Over(None, "Nobody wins.", 91, "ab" * 32))

    assert got[:1] == ("END Nobody wins.",)
    assert len(got) == 2


def test_the_prompt_can_be_repeated_and_its_rule_asked_for(speech: Speech) -> None:
    speech.lines(update(41, prompt=ASK))

    assert speech.prompt()[0] == "ASK Question Irma Hodge on the Stand, publicly?"
    assert speech.rule()[0].startswith("ASK the rule: WS-8, Questioning a Suspect: ")


def test_without_a_prompt_it_is_said_who_is_waited_for(speech: Speech) -> None:
    speech.lines(Update(sequence=3, phase="commit", view={}, lines=(), prompt=None, waiting=("Bo", "Cy")))

    assert speech.prompt() == ("ASK nothing is asked of you now. Waiting for Bo, Cy.",)


def test_the_board_is_told_in_words(speech: Speech) -> None:
    speech.lines(update(41))

    assert speech.look(Sight.BOARD)[:4] == (
        "BOARD Irma Hodge (B) is on the Stand.",
        "BOARD Ada (you), seat 0: on Perry Mason (space 0), 5 cards.",
        "BOARD Bo, seat 1: on Perry Mason (space 0), 5 cards.",
        "BOARD Cy, seat 2: on Perry Mason (space 0), 5 cards, takes the Fifth: may not be asked.",
    )


def test_the_sheet_says_where_an_answer_is_and_who_denied_it(speech: Speech) -> None:
    told = update(41)
    told.view["sheet"]["A2"] = {
        "starred": {"holder": 1, "since": 3},
        "plain": {"holder": None, "since": 2},
        "denied": [2],
    }
    told.view["sheet"]["A3"] = {"starred": {"holder": "envelope", "since": 4}, "plain": None, "denied": []}
    speech.lines(told)

    sheet = speech.look(Sight.SHEET)

    assert (
        "HAND sheet A2 starred with Bo since round 3, plain in play, last seen in round 2; neither is with Cy." in sheet
    )
    assert "HAND sheet A3 starred in the envelope, plain not seen." in sheet
    assert sheet[0].startswith("HAND sheet Desmond Quill (A): 1 of 5")


def test_codes_stand_for_texts_where_the_edition_is_not_here() -> None:
    speech = Speech(lambda name, _hash: Sights(None, name=name))
    speech.lines(WELCOME)

    got = speech.lines(update(41, prompt=ASK))

    assert "HAND A1." in got
    assert "CHOICE 1 Ask Bo B1: How did" in got


def test_before_the_deal_there_is_nothing_to_look_at(speech: Speech) -> None:
    speech.lines(Update(sequence=0, phase="commit", view={"public": {}}, lines=(), prompt=None))

    for sight in Sight:
        assert len(speech.look(sight)) == 1


def test_every_line_begins_with_a_fixed_word(speech: Speech) -> None:
    got = [*speech.lines(update(41, "Bo goes on.", prompt=ASK)), *speech.rule(), *speech.prompt()]
    got += [line for sight in Sight for line in speech.look(sight)]

    assert {line.split()[0] for line in got} <= set(FIRST_WORDS)
    assert all("\n" not in line for line in got)


def test_a_limit_is_told_with_the_prompt(speech: Speech) -> None:
    limited = Ask("41.0", "end", "End it?", (Choice("end", "End", {}),), deadline=1764459000000)

    got = speech.lines(update(41, prompt=limited))

    assert any(line.startswith("ASK End it? (your vault decides for you at ") for line in got)


def test_a_spectator_reads_one_line_an_event() -> None:
    lines = (Line(7, "Bo goes on."), Line(8, "Cy lets it pass."))
    scene = Scene(sequence=8, phase="play", game="witness-stand", edition="tandem-target", view={}, lines=lines)

    assert SceneSpeech(numbered=True).lines(scene) == ["EVENT 7 Bo goes on.", "EVENT 8 Cy lets it pass."]
    assert SceneSpeech(brief=True).lines(scene) == ["EVENT Bo goes on."]
