"""What may be said now, and by whom; everything else is refused with its reason."""

from __future__ import annotations

from typing import Final, NoReturn

from chambers.rules.errors import RuleError
from chambers.rules.events import Drop, Lapse, Ok, Roll, TableEvent
from chambers.rules.roles import DEALER, DICE, GM, Role, seat_of, seat_role
from chambers.rules.witness_stand.edition import (
    ANSWERS,
    DISMISSED,
    EXCLUDED,
    KINDS,
    OBJECT,
    OVERRULED,
    QUESTIONS,
    SUSPECTS,
    SpaceKind,
    is_starred,
    question_of,
    suspect_of,
)
from chambers.rules.witness_stand.events import (
    Accuse,
    Ask,
    Corner,
    EndTurn,
    Go,
    Look,
    Move,
    NoCard,
    OpenCards,
    Pass,
    Place,
    Show,
)
from chambers.rules.witness_stand.events import Play as PlayCard
from chambers.rules.witness_stand.play import (
    ACCUSING,
    ASKING,
    WINDOWS,
    Asked,
    Play,
    Stage,
    all_played,
    can_dismiss,
    protected,
    right_of_turn,
)

SETTING_UP: Final = "Setting Up the Game"
PLAY: Final = "Play"
QUESTIONING: Final = "Questioning a Suspect"
ACTION_CARDS: Final = "Action Cards"
SPACES: Final = "Special Spaces"
WINNING: Final = "Winning the Game"
_ENVELOPE: Final = (0, 1, 2)


def refuse(code: str, sentence: str, *, section: str, ruling: str = "") -> NoReturn:
    """Refuse a move: raise the RuleError `rule/<code>`."""
    raise RuleError(f"rule/{code}", sentence, section=section, ruling=ruling)


def check(play: Play, author: Role, event: TableEvent, /, *, ts: int) -> None:
    """Refuse (RuleError) an event that its author may not say now; who holds which card is not looked at."""
    if play.result is not None:
        refuse("game-over", "The game is over.", section=WINNING)
    match event:
        case Roll():
            _check_roll(play, author, event)
        case Look() | OpenCards():
            _check_dealer(play, author, event)
        case Lapse() | Drop():
            _check_gm(play, author, event, ts=ts)
        case _:
            _check_seat(play, _author_seat(play, author), event)


def _author_seat(play: Play, author: Role) -> int:
    seat = seat_of(author)
    if seat is None or seat >= play.seats:
        refuse("not-a-seat", "Only a player at this table may do that.", section=PLAY)
    if seat in play.dropped:
        refuse("dropped", f"{play.name(seat)} has left the table for good.", section=PLAY, ruling="WS-48")
    return int(seat)


def _check_seat(play: Play, seat: int, event: TableEvent) -> None:
    match event:
        case Ok():
            _check_window(play, seat, ref=event.ref)
        case PlayCard():
            _check_play_card(play, seat, event)
        case NoCard() | Show() | Pass():
            _check_card_out(play, seat, event)
        case Ask():
            _check_ask(play, seat, event)
        case Go():
            _check_turn(play, seat, {Stage.ASK, Stage.ACCUSE, Stage.ASK3})
        case Accuse():
            _check_accuse(play, seat, event)
        case EndTurn():
            _check_turn(play, seat, {Stage.END})
        case Corner() | Move() | Place():
            _check_space_choice(play, seat, event)
        case _:
            refuse("unknown-event", "That is no move of this game.", section=PLAY)


_AWAITED: Final = {
    Stage.CORNER: "{turn} chooses a corner now.",
    Stage.FIRST: "The players throw for the first turn now.",
    Stage.ASK: "{turn} may ask a question now, or go on.",
    Stage.ACCUSE: "{turn} may accuse now, or go on.",
    Stage.ROLL: "The die is rolled now, before anything else.",
    Stage.PLACE: "{turn} says now which suspect is put on the Stand.",
    Stage.GIVE: "{turn} gives a card away now.",
    Stage.MOVE: "{turn} chooses a corner to go to now.",
    Stage.ASK3: "{turn} may ask a question now, or go on.",
    Stage.END: "{turn} ends the turn now; its questions are over.",
    Stage.WINDOW: "The question is open: objections are waited for.",
    Stage.OVERRULE: "An objection is open: its overruling is waited for.",
    Stage.ANSWER: "The question is open: its answer is waited for.",
    Stage.LOOK: "The dealer looks into the envelope now.",
    Stage.OPENCARDS: "The dealer opens the envelope now.",
    Stage.OVER: "The game is over.",
}


def _awaited(play: Play) -> str:
    return _AWAITED[play.stage].format(turn=play.name(play.turn))


def _check_turn(play: Play, seat: int, stages: frozenset[Stage] | set[Stage], *, ruling: str = "") -> None:
    _check_whose_turn(play, seat)
    if play.stage not in stages:
        refuse("not-now", f"Not now. {_awaited(play)}", section=PLAY, ruling=ruling or "WS-49")


def _check_whose_turn(play: Play, seat: int) -> None:
    if seat in play.out:
        _refuse_out(play, seat)
    if seat != play.turn or play.stage is Stage.FIRST:
        refuse("not-your-turn", f"It is not {play.name(seat)}'s turn. {_awaited(play)}", section=PLAY)


def _refuse_out(play: Play, seat: int) -> NoReturn:
    sentence = f"{play.name(seat)} has accused wrongly and only answers questions."
    refuse("out", sentence, section=WINNING, ruling="WS-29")


def _check_roll(play: Play, author: Role, event: Roll) -> None:
    if author != DICE:
        refuse("not-the-dice", "Only the dice say what is rolled.", section=PLAY, ruling="WS-43")
    if play.stage is not Stage.ROLL and play.stage is not Stage.FIRST:
        refuse("not-now", f"No roll is due. {_awaited(play)}", section=PLAY, ruling="WS-43")
    if not 1 <= event.value <= 6:
        refuse("no-such-roll", "A die shows one to six.", section=PLAY)


def _check_dealer(play: Play, author: Role, event: Look | OpenCards) -> None:
    if author != DEALER:
        refuse("not-the-dealer", "Only the dealer opens the envelope.", section=WINNING, ruling="WS-45")
    if isinstance(event, Look):
        if play.stage is not Stage.LOOK:
            refuse("not-now", f"No accusation is open. {_awaited(play)}", section=WINNING, ruling="WS-45")
        if event.ref != play.since or event.places != _ENVELOPE or event.to != seat_role(play.turn):
            sentence = f"The dealer shows the three cards of the envelope to {play.name(play.turn)}."
            refuse("other-look", sentence, section=WINNING, ruling="WS-34")
        return
    if play.stage is not Stage.OPENCARDS:
        refuse("not-now", f"The envelope stays closed. {_awaited(play)}", section=WINNING, ruling="WS-45")
    values = [value for _, value, _ in event.cards]
    innocent = {suspect_of(value) for value in values if 0 <= value < ANSWERS and is_starred(value)}
    places = tuple(place for place, _, _ in event.cards)
    if places != _ENVELOPE or len(innocent) != len(_ENVELOPE) or play.accused in innocent:
        sentence = "An envelope that proves the accusation holds a starred answer of each of the three other suspects."
        refuse("other-envelope", sentence, section=WINNING)


def _check_gm(play: Play, author: Role, event: Lapse | Drop, *, ts: int) -> None:
    if author != GM:
        refuse("not-the-game-master", "Only the game master says that.", section=PLAY)
    if isinstance(event, Drop):
        if not 0 <= event.seat < play.seats or event.seat in play.dropped:
            refuse("no-such-seat", "There is no such player to drop.", section=PLAY, ruling="WS-48")
        return
    if event.ref != play.since or play.until is None or ts < play.until:
        refuse("no-limit-passed", f"No limit has passed. {_awaited(play)}", section=PLAY)


def _check_window(play: Play, seat: int, *, ref: int) -> None:
    if play.stage not in WINDOWS:
        refuse("no-window", f"No objection is waited for. {_awaited(play)}", section=ACTION_CARDS, ruling="WS-21")
    if ref != play.since:
        refuse("stale", "That was said to an earlier question or objection.", section=ACTION_CARDS, ruling="WS-22")
    if seat not in play.waiting:
        _refuse_window(play, seat)


def _refuse_window(play: Play, seat: int) -> NoReturn:
    name = play.name(seat)
    if seat in play.out:
        refuse("out", f"{name} has accused wrongly and plays no cards.", section=WINNING, ruling="WS-29")
    if seat == play.turn and play.stage is Stage.WINDOW:
        refuse("own-question", f"{name} may not object to an own question.", section=ACTION_CARDS, ruling="WS-20")
    refuse("already-passed", f"{name} has let this pass already.", section=ACTION_CARDS, ruling="WS-22")


def _check_play_card(play: Play, seat: int, event: PlayCard) -> None:
    card = event.card
    if card not in (OBJECT, OVERRULED, DISMISSED):
        sentence = (
            "Only I Object!, Objection Overruled! and Witness Dismissed are played; other cards answer questions."
        )
        refuse("not-played", sentence, section=ACTION_CARDS)
    if seat in play.out:
        sentence = f"{play.name(seat)} has accused wrongly and plays no cards."
        refuse("out", sentence, section=WINNING, ruling="WS-29")
    if card == DISMISSED:
        _check_dismissed(play, seat, ref=event.ref)
    else:
        wanted = Stage.WINDOW if card == OBJECT else Stage.OVERRULE
        if play.stage is not wanted:
            _refuse_untimely(play, card)
        _check_window(play, seat, ref=event.ref)
    if all_played(play, card):
        refuse("none-left", "Every card of that kind has been played.", section=ACTION_CARDS)
    if play.counts[seat] == 0:
        refuse("no-cards", f"{play.name(seat)} holds no card.", section=ACTION_CARDS, ruling="WS-30")


def _refuse_untimely(play: Play, card: int) -> NoReturn:
    if card == OBJECT:
        sentence = f"I Object! is played only while objections to a question are waited for. {_awaited(play)}"
        ruling = "WS-22" if play.stage is Stage.OVERRULE else "WS-25" if play.stage is Stage.ANSWER else "WS-21"
        refuse("no-window", sentence, section=ACTION_CARDS, ruling=ruling)
    sentence = f"Objection Overruled! is played only right after I Object!. {_awaited(play)}"
    refuse("no-window", sentence, section=ACTION_CARDS, ruling="WS-25")


def _check_dismissed(play: Play, seat: int, *, ref: int) -> None:
    _check_turn(play, seat, {Stage.END}, ruling="WS-26")
    if ref != play.since:
        refuse("stale", "That belongs to an earlier moment.", section=ACTION_CARDS, ruling="WS-26")
    if not can_dismiss(play) and not all_played(play, DISMISSED):
        refuse("nobody-to-dismiss", "No suspect is on the Stand to be dismissed.", section=ACTION_CARDS, ruling="WS-26")


def _check_ask(play: Play, seat: int, event: Ask) -> None:
    _check_whose_turn(play, seat)
    if not 0 <= event.question < SUSPECTS * QUESTIONS:
        refuse("no-such-question", "There is no such question.", section=QUESTIONING)
    if play.witness < 0:
        sentence = "Every suspect is in the Gallery; only one on the Stand or in Chambers is questioned."
        refuse("nobody-called", sentence, section=QUESTIONING, ruling="WS-3")
    if event.question // QUESTIONS != play.witness:
        sentence = f"Only {play.suspect(play.witness)} can be questioned now."
        refuse("other-suspect", sentence, section=QUESTIONING, ruling="WS-3")
    _check_target(play, seat, target=event.target)
    if play.stage not in ASKING:
        ruling = "WS-1" if play.step == 3 else "WS-23" if play.stage is Stage.ACCUSE else "WS-49"
        refuse("not-now", f"No question now. {_awaited(play)}", section=PLAY, ruling=ruling)
    if event.public == play.chambers:
        where = "in Chambers: the question is confidential" if play.chambers else "on the Stand: the question is public"
        sentence = f"{play.suspect(play.witness)} is {where}."
        refuse("stand-or-chambers", sentence, section=QUESTIONING, ruling="WS-4")


def _check_target(play: Play, seat: int, *, target: int) -> None:
    if not 0 <= target < play.seats or target == seat:
        refuse("other-player", "A question is answered by another player.", section=QUESTIONING, ruling="WS-8")
    if target in play.dropped:
        refuse("dropped", f"{play.name(target)} has left the table.", section=QUESTIONING, ruling="WS-48")
    if protected(play, target):
        sentence = f"{play.name(target)} takes the Fifth and cannot be asked."
        refuse("take-the-fifth", sentence, section=SPACES, ruling="WS-8")


def _check_card_out(play: Play, seat: int, event: NoCard | Show | Pass) -> None:
    if isinstance(event, Pass) and play.stage is Stage.GIVE:
        _check_gift(play, seat, event)
        return
    asked = play.asked
    if play.stage is not Stage.ANSWER or asked is None:
        refuse("no-answer-due", f"No answer is due. {_awaited(play)}", section=QUESTIONING)
    if seat != asked.target:
        sentence = f"{play.name(asked.target)} was asked, and nobody else answers."
        refuse("not-asked", sentence, section=QUESTIONING)
    if event.ref != asked.ref:
        refuse("stale", "That answers an earlier question.", section=QUESTIONING)
    if isinstance(event, NoCard):
        return
    if play.counts[seat] == 0:
        refuse("no-cards", f"{play.name(seat)} holds no card.", section=QUESTIONING, ruling="WS-30")
    if isinstance(event, Show):
        _check_show(play, seat, event, asked=asked)
        return
    if asked.public:
        sentence = "The suspect is on the Stand: the answer is shown to everybody."
        refuse("public-question", sentence, section=QUESTIONING, ruling="WS-16")
    if event.to != seat_role(play.turn):
        refuse("other-receiver", f"The card goes to {play.name(play.turn)}, who asked.", section=QUESTIONING)


def _check_show(play: Play, seat: int, event: Show, *, asked: Asked) -> None:
    if not asked.public:
        sentence = "The suspect is in Chambers: the answer is passed face down."
        refuse("confidential-question", sentence, section=QUESTIONING, ruling="WS-17")
    if event.card == EXCLUDED and seat in play.out:
        sentence = f"{play.name(seat)} has accused wrongly and plays no cards."
        refuse("out", sentence, section=WINNING, ruling="WS-29")
    matches = 0 <= event.card < KINDS and question_of(event.card) == asked.question
    if not matches and event.card != EXCLUDED:
        sentence = "A question is answered with one of its two answers, or with Evidence Excluded!."
        refuse("other-card", sentence, section=QUESTIONING, ruling="WS-13")


def _check_gift(play: Play, seat: int, event: Pass) -> None:
    _check_whose_turn(play, seat)
    if event.ref != play.since:
        refuse("stale", "That belongs to an earlier moment.", section=SPACES, ruling="WS-27")
    right = right_of_turn(play)
    if right is None or event.to != seat_role(right):
        receiver = "nobody" if right is None else play.name(right)
        refuse("other-receiver", f"The card goes to the right, to {receiver}.", section=SPACES, ruling="WS-28")


def _check_accuse(play: Play, seat: int, event: Accuse) -> None:
    _check_turn(play, seat, ACCUSING, ruling="WS-31")
    if not 0 <= event.suspect < SUSPECTS:
        refuse("no-such-suspect", "There is no such suspect.", section=WINNING)
    if not play.on_stand or event.suspect != play.witness:
        sentence = f"{play.suspect(event.suspect)} is not on the Stand and cannot be accused."
        refuse("not-on-the-stand", sentence, section=WINNING, ruling="WS-32")


def _check_space_choice(play: Play, seat: int, event: Corner | Move | Place) -> None:
    match event:
        case Corner():
            _check_turn(play, seat, {Stage.CORNER})
            if event.space not in play.court.corners:
                refuse("not-a-corner", "A pawn starts on a corner of the board.", section=SETTING_UP, ruling="WS-40")
        case Move():
            _check_turn(play, seat, {Stage.MOVE})
            if event.space not in play.court.corners and event.space != play.spaces[seat]:
                refuse("not-a-corner", "The pawn goes to a corner, or stays.", section=SPACES, ruling="WS-39")
        case Place():
            _check_turn(play, seat, {Stage.PLACE})
            if not -1 <= event.suspect < SUSPECTS:
                refuse("no-such-suspect", "There is no such suspect.", section=SPACES)
            if event.suspect < 0 and play.kind_at(play.spaces[seat]) is SpaceKind.PERRY:
                sentence = "Here a suspect must be put on the Stand."
                refuse("must-place", sentence, section=SPACES, ruling="WS-7")
