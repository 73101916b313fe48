"""A seat's session against the real frames of a vault: hello, breaks, other windows, and one move only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.clients.vault_end import FRAME, TICKET, Vault

from chambers.clients.heard import FLOODED, VOIDED, Heard, Link, LinkState, Occupied, Unsent
from chambers.clients.session import SeatSession
from chambers.protocol.client import (
    Ask,
    Begin,
    Choice,
    ChoiceAccepted,
    ChoiceRefused,
    Choose,
    Note,
    Over,
    Ping,
    Pong,
    Replaced,
    Resync,
    Talk,
    Update,
    Welcome,
)
from chambers.protocol.frames import WHO, read_hello


def update(sequence: int, prompt: str = "") -> Update:
    ask = Ask(id=prompt, kind="end", text="?", options=(Choice("end", "End", {}),)) if prompt else None
    return Update(sequence=sequence, phase="play", view={}, lines=(), prompt=ask)


async def heard(session: SeatSession) -> AsyncIterator[Heard]:
    async for one in session.messages():
        yield one


@pytest.fixture
async def vault() -> Vault:
    return Vault()


@pytest.fixture
async def session(vault: Vault) -> AsyncIterator[SeatSession]:
    one = SeatSession(TICKET, "Bo", quiet=0.05, silence=0.05)
    yield one
    await one.close()
    assert vault.closed or one.ended


async def seated(session: SeatSession, vault: Vault) -> AsyncIterator[Heard]:
    await session.start(vault)
    await session.deliver(vault.welcome())
    stream = heard(session)
    assert isinstance(await anext(stream), Welcome)
    return stream


async def test_the_first_frame_says_hello_and_the_first_boxed_one_begins(vault: Vault, session: SeatSession) -> None:
    await seated(session, vault)

    assert read_hello(vault.hellos[0], bytes(FRAME)).name == "Bo"
    assert vault.said == [Begin(have=-1, take_over=False)]


async def test_the_session_listens_to_its_own_private_subject_alone(session: SeatSession) -> None:
    assert session.subject == f"chambers.{'00' * 16}.seat.1.down"


async def test_a_taken_seat_is_not_taken_over_unasked(vault: Vault, session: SeatSession) -> None:
    await session.start(vault)
    await session.deliver(vault.welcome(occupied=True))

    first = await anext(heard(session))

    assert isinstance(first, Occupied)
    assert vault.said == []


async def test_a_taken_seat_is_taken_over_when_the_player_says_so(vault: Vault, session: SeatSession) -> None:
    await session.start(vault)
    await session.deliver(vault.welcome(occupied=True))

    await session.take_over()

    assert vault.said == [Begin(have=-1, take_over=True)]


async def test_a_taking_over_that_was_lost_on_the_way_is_said_again(vault: Vault, session: SeatSession) -> None:
    await session.start(vault)
    await session.deliver(vault.welcome(occupied=True))
    vault.deaf = True
    await session.take_over()
    vault.deaf = False

    await session.deliver(WHO)
    await session.deliver(vault.welcome(occupied=True))

    assert vault.said == [Begin(have=-1, take_over=True)]


async def test_a_window_whose_probe_was_lost_is_not_taken_for_another(vault: Vault, session: SeatSession) -> None:
    stream = await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await anext(stream)
    vault.deaf = True
    await session.reconnected()
    vault.deaf = False
    await vault.until_hello(2)
    vault.said.clear()

    await session.deliver(vault.welcome(occupied=True))
    await session.deliver(vault.say(Pong(sequence=41)))
    await session.deliver(vault.say(update(41, "41.1")))

    assert vault.said[0] == Ping()
    assert vault.said.count(Resync()) >= 1
    assert not any(isinstance(one, Begin) for one in vault.said)
    async for one in stream:
        assert not isinstance(one, Occupied)
        if isinstance(one, Link) and one.state is LinkState.RESUMED:
            break


async def test_a_window_that_comes_back_to_a_taken_seat_is_told_so(vault: Vault, session: SeatSession) -> None:
    stream = await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    vault.session = None  # another window has begun
    await vault.until_hello(2)

    await session.deliver(vault.welcome(occupied=True))

    async for one in stream:
        if isinstance(one, Occupied):
            break
    assert not any(isinstance(one, Begin) and one.take_over for one in vault.said)


async def test_a_vault_that_floods_ends_the_session_with_a_sentence(vault: Vault, session: SeatSession) -> None:
    await seated(session, vault)

    for number in range(2100):
        await session.deliver(vault.say(ChoiceRefused("", "seat/too-fast", f"number {number}")))

    assert session.ended
    assert session.why_shut_out == FLOODED
    assert session._heard.qsize() == 2002


async def test_a_replaced_window_never_comes_back_by_itself(vault: Vault, session: SeatSession) -> None:
    """S22: two windows must not steal the seat from each other."""
    stream = await seated(session, vault)
    await session.deliver(vault.say(Replaced()))
    hellos = len(vault.hellos)

    await session.deliver(WHO)
    await session.reconnected()

    assert isinstance(await anext(stream), Replaced)
    assert [one async for one in stream] == []
    assert len(vault.hellos) == hellos


async def test_a_restarted_vault_gets_hello_again_with_what_the_client_has(vault: Vault, session: SeatSession) -> None:
    await seated(session, vault)
    await session.deliver(vault.say(update(41)))

    await session.deliver(WHO)
    await session.deliver(vault.welcome())

    assert len(vault.hellos) == 2
    assert vault.said[-1] == Begin(have=41, take_over=False)


async def test_an_unanswered_choice_is_sent_again_while_its_prompt_stands(vault: Vault, session: SeatSession) -> None:
    await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await session.choose("41.1", "end")

    await session.deliver(WHO)
    await session.deliver(vault.welcome())
    await session.deliver(vault.say(update(42, "41.1")))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 2


async def until_back(session: SeatSession, vault: Vault, after: Update) -> AsyncIterator[Heard]:
    """Return what is heard once a choice was made, the vault started again, and its first view has come."""
    stream = await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await session.choose("41.1", "end")
    await session.deliver(WHO)
    await session.deliver(vault.welcome())
    await session.deliver(vault.say(after))
    assert [await anext(stream), await anext(stream)] == [update(41, "41.1"), after]
    return stream


async def test_an_unanswered_choice_is_given_back_once_the_vault_says_that_its_prompt_is_gone(
    vault: Vault, session: SeatSession
) -> None:
    stream = await until_back(session, vault, update(50, "50.1"))

    await session.deliver(vault.say(ChoiceRefused("41.1", "prompt/gone", "This is not asked any more.")))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 2
    assert await anext(stream) == Unsent(prompt="41.1", option="end")


async def test_a_choice_that_counted_while_the_link_was_down_is_never_said_not_to_have(
    vault: Vault, session: SeatSession
) -> None:
    accepted = ChoiceAccepted("41.1", "end", 42)
    stream = await until_back(session, vault, update(50, "50.1"))

    await session.deliver(vault.say(accepted))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 2
    assert await anext(stream) == accepted


async def test_a_choice_whose_prompt_the_vault_has_answered_itself_is_said_to_be_answered(
    vault: Vault, session: SeatSession
) -> None:
    answered = ChoiceRefused("41.1", "prompt/answered", "This prompt has been answered already.")
    stream = await until_back(session, vault, update(50, "50.1"))

    await session.deliver(vault.say(answered))

    assert await anext(stream) == answered


async def test_a_choice_that_was_sent_twice_is_accepted_once(vault: Vault, session: SeatSession) -> None:
    stream = await until_back(session, vault, update(50, "50.1"))

    await session.deliver(vault.say(ChoiceAccepted("41.1", "end", 42)))
    await session.deliver(vault.say(ChoiceAccepted("41.1", "end", 42)))
    await session.deliver(vault.say(update(51)))

    assert [await anext(stream), await anext(stream)] == [ChoiceAccepted("41.1", "end", 42), update(51)]


async def test_a_choice_made_before_the_vault_has_answered_at_all_is_sent_with_its_first_view(
    vault: Vault, session: SeatSession
) -> None:
    await session.start(vault)
    await session.choose("41.1", "end")

    await session.deliver(vault.welcome())
    await session.deliver(vault.say(update(41, "41.1")))

    assert vault.said == [Begin(have=-1, take_over=False), Choose("41.1", "end")]


async def test_an_answered_choice_is_never_sent_again(vault: Vault, session: SeatSession) -> None:
    """S17: one press is one move, whatever breaks afterwards."""
    await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await session.choose("41.1", "end")
    await session.deliver(vault.say(ChoiceAccepted(prompt="41.1", option="end", sequence=42)))

    await session.deliver(WHO)
    await session.deliver(vault.welcome())
    await session.deliver(vault.say(update(42, "41.1")))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 1


async def test_an_update_does_not_repeat_a_choice_that_is_on_its_way(vault: Vault, session: SeatSession) -> None:
    await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await session.choose("41.1", "end")

    await session.deliver(vault.say(update(42, "41.1")))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 1


async def test_silence_after_a_ping_is_told_and_ends_in_another_hello(vault: Vault, session: SeatSession) -> None:
    stream = await seated(session, vault)

    await vault.until_hello(2)

    assert Ping() in vault.said
    link = await anext(stream)
    assert isinstance(link, Link)
    assert link.state == "lost"


async def test_after_a_break_the_old_session_goes_on_when_the_vault_still_knows_it(
    vault: Vault, session: SeatSession
) -> None:
    """S19: the new connection does not open a second session beside a live one."""
    stream = await seated(session, vault)
    await session.deliver(vault.say(update(41)))
    await anext(stream)

    await session.reconnected()
    await session.deliver(vault.say(Pong(sequence=43)))
    await session.deliver(vault.say(update(43)))

    assert len(vault.hellos) == 1
    assert Resync() in vault.said
    kinds = [type(await anext(stream)) for _ in range(3)]
    assert kinds == [Pong, Link, Update]


async def test_a_slow_vault_that_answers_the_old_window_first_is_not_asked_to_replace_it(
    vault: Vault, session: SeatSession
) -> None:
    await seated(session, vault)
    await vault.until_hello(2)

    await session.deliver(vault.say(Pong(sequence=-1)))
    await session.deliver(vault.welcome(occupied=True))
    await session.say("still here")

    assert not [one for one in vault.said if isinstance(one, Begin) and one.take_over]
    assert vault.session is not None


async def test_a_choice_that_a_living_vault_has_not_answered_is_sent_again(vault: Vault, session: SeatSession) -> None:
    """S23, S24: a frame lost on the way must not leave the table waiting for ever."""
    await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await session.choose("41.1", "end")

    await session.deliver(vault.say(Pong(sequence=41)))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 2


async def test_a_choice_whose_answer_was_lost_is_sent_again_though_something_else_is_asked(
    vault: Vault, session: SeatSession
) -> None:
    stream = await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await session.choose("41.1", "end")
    await session.deliver(vault.say(update(50, "50.1")))

    await session.deliver(vault.say(Pong(sequence=50)))
    await session.deliver(vault.say(ChoiceAccepted("41.1", "end", 42)))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 2
    assert [type(await anext(stream)) for _ in range(4)] == [Update, Update, Pong, ChoiceAccepted]


async def test_a_vault_that_is_behind_is_not_asked_what_it_has_taken(vault: Vault, session: SeatSession) -> None:
    await seated(session, vault)
    await session.deliver(vault.say(update(41, "41.1")))
    await session.choose("41.1", "end")

    await session.deliver(vault.say(Pong(sequence=12)))

    assert vault.said.count(Choose(prompt="41.1", option="end")) == 1


async def test_a_ticket_that_is_voided_meanwhile_ends_the_session_with_a_reason_whoever_says_it_first(
    vault: Vault, session: SeatSession
) -> None:
    stream = await seated(session, vault)

    await session.deliver(vault.say(Replaced(voided=True)))
    session.shut_out("ticket/void", "The gate says so, too.")

    assert [one async for one in stream] == [ChoiceRefused("", "ticket/void", VOIDED)]
    assert session.why_shut_out == VOIDED


async def test_whoever_is_shut_out_is_told_why(vault: Vault, session: SeatSession) -> None:
    stream = await seated(session, vault)

    session.shut_out("ticket/no-table", "The table is gone.")

    assert [one async for one in stream] == [ChoiceRefused("", "ticket/no-table", "The table is gone.")]
    assert session.why_shut_out == "The table is gone."


async def test_a_missed_update_is_asked_for_when_a_pong_knows_more(vault: Vault, session: SeatSession) -> None:
    """S20: a gap triggers one resync."""
    await seated(session, vault)
    await session.deliver(vault.say(update(41)))

    await session.deliver(vault.say(Pong(sequence=44)))

    assert vault.said.count(Resync()) == 1


async def test_an_older_view_does_not_replace_a_newer_one(vault: Vault, session: SeatSession) -> None:
    stream = await seated(session, vault)
    await session.deliver(vault.say(update(41)))
    await session.deliver(vault.say(update(12)))
    await session.deliver(vault.say(update(42)))

    got = [await anext(stream), await anext(stream)]

    assert [one.sequence for one in got if isinstance(one, Update)] == [41, 42]


@pytest.mark.parametrize("frame", [b"", b"\x02", b"\x02" + bytes(40), b"\x09hello", bytes(2048)])
async def test_frames_that_are_none_are_passed_over(vault: Vault, session: SeatSession, frame: bytes) -> None:
    await seated(session, vault)

    await session.deliver(frame)
    await session.deliver(vault.say(update(3)))

    assert session.sequence == 3


def closed(sequence: int) -> Update:
    view = {"public": {"result": {"winner": 2, "text": "Cy wins."}}}
    return Update(sequence=sequence, phase="closed", view=view, lines=(), prompt=None)


async def test_the_session_ends_with_the_table(vault: Vault, session: SeatSession) -> None:
    stream = await seated(session, vault)
    await session.deliver(vault.say(Over(2, "Cy wins.", 90, "ab" * 32)))
    await session.deliver(vault.say(closed(95)))

    got = [one async for one in stream]

    assert [type(one) for one in got] == [Over, Update]
    assert session.ended


async def test_who_comes_after_the_close_is_told_how_it_ended(vault: Vault, session: SeatSession) -> None:
    """S23: after a return there is never a window in which nothing can happen."""
    stream = await seated(session, vault)
    await session.deliver(vault.say(closed(95)))  # and no last word of the vault follows

    got = [one async for one in stream]

    assert got[1:] == [Over(2, "Cy wins.", 0, "")]


async def test_a_last_word_that_was_lost_is_asked_for_until_it_comes(vault: Vault) -> None:
    session = SeatSession(TICKET, "Bo", silence=2.0)
    stream = await seated(session, vault)
    await session.deliver(vault.say(closed(95)))
    async with asyncio.timeout(60):
        while Ping() not in vault.said:
            vault.arrived.clear()
            await vault.arrived.wait()

    await session.deliver(vault.say(Over(2, "Cy wins.", 95, "ab" * 32, "the receipt")))
    got = [one async for one in stream]

    assert got[-1] == Over(2, "Cy wins.", 95, "ab" * 32, "the receipt")


async def test_what_is_noted_and_said_before_a_link_is_known_to_be_back_is_sent_once(
    vault: Vault, session: SeatSession
) -> None:
    await seated(session, vault)
    await session.deliver(vault.say(update(41)))
    await session.reconnected()
    await session.note("Bo has the glove")
    await session.say("Anybody there?")

    await session.deliver(vault.say(update(42)))

    assert [one for one in vault.said if isinstance(one, Note | Talk)] == [
        Note(text="Bo has the glove"),
        Talk(text="Anybody there?"),
    ]


async def test_what_was_noted_and_said_while_the_vault_was_away_is_sent_when_it_is_back(
    vault: Vault, session: SeatSession
) -> None:
    await seated(session, vault)
    await session.deliver(vault.say(update(41)))
    vault.deaf = True
    await session.note("Bo has the glove")
    await session.say("Anybody there?")
    vault.deaf = False

    await session.deliver(WHO)
    await session.deliver(vault.welcome())
    await session.deliver(vault.say(update(42)))
    await session.deliver(vault.say(update(43)))

    assert [one for one in vault.said if isinstance(one, Note | Talk)] == [
        Note(text="Bo has the glove"),
        Talk(text="Anybody there?"),
    ]
