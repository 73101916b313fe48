"""Every lie that one role can tell at either game: what is said instead of the truth, and who says it.

Each is a row of the detection table. Seals and openings that the dealer alone knows are at hand here, as they would be
to a seat that the dealer has told them.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from tests.attacks.crooked_evening import LIAR, Attack, CrookedEvening

from chambers.fairness.dice import roll_value
from chambers.fairness.draw import Draw
from chambers.fairness.keys import shuffle_key
from chambers.rules.events import Bad, Deal, Mix, Reveal, Roll, TableEvent
from chambers.rules.missing_suspect import events as city
from chambers.rules.missing_suspect.edition import ChartResult
from chambers.rules.missing_suspect.evolve import fitting
from chambers.rules.missing_suspect.play import TOPS, Stage
from chambers.rules.roles import DEALER, DICE, Role, seat_of, seat_role
from chambers.rules.table import Phase
from chambers.rules.terms import Disclosed, Option, Pile
from chambers.rules.witness_stand import events as court
from chambers.rules.witness_stand.edition import ANSWERS, is_answer, question_of

COURT, CITY = "witness-stand", "missing-suspect"
Said = TableEvent | None


def _boxed(one: CrookedEvening, author: Role, event: TableEvent, *cards: Disclosed) -> TableEvent:
    to = one.rules.boxes(event)[0][0]
    return msgspec.structs.replace(event, box=one.box(author, to, cards))


def _cards(one: CrookedEvening, author: Role) -> tuple[int, ...]:
    cards: tuple[int, ...] = one.hands[seat_of(author) or 0].cards
    return cards


def _clue_cards(one: CrookedEvening) -> range:
    return range(len(one.edition.cards))  # type: ignore[attr-defined]


# a seat at either game


def _gives(one: CrookedEvening, event: TableEvent) -> bool:
    """Return whether a card changes hands that may be any card, or any that fits, and whose giver is not bound."""
    if isinstance(event, court.Pass):
        return True
    return isinstance(event, city.Swap) and one.log.table.play.stage is Stage.ANSWER


def _like(one: CrookedEvening, event: TableEvent, kinds: list[int]) -> list[int]:
    """Return which of some cards the receiver could take for an answer."""
    play = one.log.table.play
    if isinstance(event, court.Pass):
        asked = play.asked.question if str(play.stage) == "answer" else None
        return [kind for kind in kinds if is_answer(kind) and asked in (None, question_of(kind))]
    named = play.asked.clue
    return [kind for kind in kinds if named < 0 or named in one.edition.cards[kind]]  # type: ignore[attr-defined]


def _never_held(one: CrookedEvening, author: Role, event: TableEvent) -> list[int]:
    every = range(ANSWERS) if one.attack.game == COURT else _clue_cards(one)
    return _like(one, event, [kind for kind in every if kind not in (*_cards(one, author), *one.given[author])])


def keeps_a_copy(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if isinstance(event, court.NoCard) and not one.log.table.play.asked.public:
        event = court.Pass(event.ref, seat_role(one.log.table.play.turn), b"")
    if not _gives(one, event):
        return None
    every = range(ANSWERS) if one.attack.game == COURT else _clue_cards(one)
    kept = [kind for kind in one.given[author] if kind in every and kind not in _cards(one, author)]
    fitting_ones = _like(one, event, kept)
    return _boxed(one, author, event, Disclosed(fitting_ones[0], one.seal(fitting_ones[0]))) if fitting_ones else None


def never_had_it(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    never = _never_held(one, author, event) if _gives(one, event) else []
    return _boxed(one, author, event, Disclosed(never[0], one.seal(never[0]))) if never else None


def forges_a_seal(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    never = _never_held(one, author, event) if _gives(one, event) else []
    return _boxed(one, author, event, Disclosed(never[0], one.chance.randbytes(32))) if never else None


def gives_two(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    cards = _cards(one, author)[:2]
    if not _gives(one, event) or len(cards) < 2:
        return None
    return _boxed(one, author, event, *(Disclosed(kind, one.seal(kind)) for kind in cards))


def gives_an_empty_box(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not _gives(one, event):
        return None
    return msgspec.structs.replace(event, box=one.chance.randbytes(136))


def rejects_a_good_box(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    table = one.log.table
    if table.phase is not Phase.PLAY or author not in one.got or one.chance.random() < 0.8:
        return None
    return Bad(one.got[author], "fairness/place")


def mixes_something_else(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    return Mix(one.chance.randbytes(32)) if isinstance(event, Mix) else None


def reveals_another_secret(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    return msgspec.structs.replace(event, secret=one.chance.randbytes(32)) if isinstance(event, Reveal) else None


# a seat in court


def denies_a_card(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, court.Show | court.Pass) or str(one.log.table.play.stage) != "answer":
        return None
    asked = one.log.table.play.asked
    holds = any(is_answer(card) and question_of(card) == asked.question for card in _cards(one, author))
    return court.NoCard(event.ref) if holds else None


def shows_what_it_gave_away(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, court.Show | court.NoCard) or not one.log.table.play.asked.public:
        return None
    asked = one.log.table.play.asked
    gone = [card for card in one.given[author] if card not in _cards(one, author) and is_answer(card)]
    fits = [card for card in gone if question_of(card) == asked.question]
    return court.Show(event.ref, fits[0], one.seal(fits[0])) if fits else None


def shows_with_a_made_up_seal(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    return msgspec.structs.replace(event, seal=one.chance.randbytes(32)) if isinstance(event, court.Show) else None


# a seat in the city


def denies_a_clue(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    play = one.log.table.play
    if not isinstance(event, city.Have | city.Swap) or play.stage is not Stage.ANSWER or play.asked.clue < 0:
        return None
    return city.NoCard(event.ref)


def misreads_the_chart(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, city.Chart):
        return None
    play = one.log.table.play
    other = next((result for result in ChartResult if result is not event.result and fitting(play, result)), None)
    return None if other is None else city.Chart(event.ref, other)


def claims_falsely(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    return city.Claim(event.ref, not event.solved) if isinstance(event, city.Claim) else None


def takes_a_suspect_it_cannot_prove(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    taking = isinstance(event, city.Take) and one.log.table.play.stage is Stage.CAPTURE and not event.yes
    return city.Take(True) if taking else None


def forgets_a_look(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    return city.DontKnow(event.ref, event.place) if isinstance(event, city.Tell) else None


def tells_what_it_never_saw(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, city.DontKnow):
        return None
    to = seat_role(one.log.table.play.turn)
    box = one.box(author, to, (Disclosed(5, None, event.place, one.chance.randbytes(32)),))
    return city.Tell(event.ref, event.place, to, box)


def tells_another_number(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, city.Tell):
        return None
    number = one.hands[seat_of(author) or 0].numbers[event.place - TOPS]
    slip = Disclosed(3 + (number - 2) % 7, None, event.place, one.nonce(event.place))
    return _boxed(one, author, event, slip)


def stows_another(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, city.Stow) or one.log.table.play.stage is not Stage.DISCARD:
        return None
    never = next(kind for kind in _clue_cards(one) if kind not in _cards(one, author))
    nonce, commit = one.bound(author).stow(event.place, never)
    told = _boxed(one, author, event, Disclosed(never, one.seal(never), event.place, nonce))
    return msgspec.structs.replace(told, commit=commit)


def swaps_another_than_it_offered(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, city.Swap) or one.log.table.play.stage is not Stage.SWAP:
        return None
    card = (one.boxed or ())[0].value
    return _boxed(one, author, event, Disclosed(card, one.seal(card)))


# the dealer


def swaps_two(one: CrookedEvening, honest: Pile) -> Pile:
    values = dict(honest.values)
    places = [place for place in values if place < TOPS]
    first = one.chance.choice(places)
    other = one.chance.choice([place for place in places if values[place] != values[first]])
    values[first], values[other] = values[other], values[first]
    return Pile(tuple(values.items()), honest.hands)


def stacks_the_deck(one: CrookedEvening, honest: Pile) -> Pile:
    # An envelope of three cards that belong together is kept: another one would show as soon as it is opened.
    first = 3 if one.attack.game == COURT else 0
    places = [place for place, _ in honest.values if first <= place < TOPS]
    rest = [(place, value) for place, value in honest.values if place not in places]
    stacked = zip(places, sorted(dict(honest.values)[place] for place in places), strict=True)
    return Pile(tuple(sorted((*stacked, *rest))), honest.hands)


def ignores_a_seat(one: CrookedEvening, honest: Pile) -> Pile:
    mixes = [mix.e for _, mix in one.log.table.mixes][:-1]
    key = shuffle_key(one.roles[DEALER].secret, one.log.id, mixes=mixes)
    return one.rules.deal(one.setup, Draw(key, one.rules.RULES))


def boxes_other_cards(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, Deal) or one.pile is None:
        return None
    values, mine = dict(one.pile.values), one.pile.hands[0]
    cards = tuple(Disclosed(values[at] ^ 1, one.seal(values[at] ^ 1), at, one.nonce(at)) for at in mine)
    return msgspec.structs.replace(
        event, boxes=((seat_role(0), one.box(author, seat_role(0), cards)), *event.boxes[1:])
    )


def says_a_false_verdict(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    return msgspec.structs.replace(event, verdict=not event.verdict) if isinstance(event, court.Look) else None


def shows_another_envelope(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, court.Look) or one.pile is None:
        return None
    values = dict(one.pile.values)
    cards = (Disclosed((values[at] + 10) % ANSWERS, None, at, one.nonce(at)) for at in event.places)
    return _boxed(one, author, event, *cards)


def hands_out_another_card(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, city.Draw) or one.pile is None or event.place + 1 not in dict(one.pile.values):
        return None
    other = one.pile.value(event.place + 1)
    return _boxed(one, author, event, Disclosed(other, one.seal(other), event.place, one.nonce(event.place)))


def shows_another_number(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not isinstance(event, city.Look) or one.pile is None:
        return None
    (place,) = event.places
    return _boxed(one, author, event, Disclosed(3 + (one.pile.value(place) - 2) % 7, None, place, one.nonce(place)))


# the dice


def _later(event: TableEvent, one: CrookedEvening) -> bool:
    return isinstance(event, Roll) and one.chance.random() < 0.3


def reports_another_value(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    return msgspec.structs.replace(event, value=event.value % 6 + 1) if _later(event, one) else None  # type: ignore[attr-defined]


def takes_another_share(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not _later(event, one) or not isinstance(event, Roll):
        return None
    own = one.roles[DICE].chain(one.chain).share(event.k + 1)
    return _rolled(one, event.k, ((DICE, own), *event.shares[1:]))


def makes_up_a_seats_share(one: CrookedEvening, author: Role, event: TableEvent) -> Said:
    if not _later(event, one) or not isinstance(event, Roll):
        return None
    return _rolled(one, event.k, (*event.shares[:-1], (event.shares[-1][0], one.chance.randbytes(32))))


def _rolled(one: CrookedEvening, k: int, shares: tuple[tuple[Role, bytes], ...]) -> Roll:
    """Return the roll that some shares make: its value follows, and only a share is not what was bound."""
    return Roll(k, shares, roll_value(one.log.id, k, shares=shares))


# what makes room for a lie


def _accuses(one: CrookedEvening, option: Option) -> bool:
    return option.id.startswith("accuse")


def _asks_the_liar(one: CrookedEvening, option: Option) -> bool:
    return option.id.startswith(("offer.1", "ask"))


def _asks_what_the_liar_saw(one: CrookedEvening, option: Option) -> bool:
    event = option.event
    return (
        isinstance(event, city.Point) and event.target == 1 and bool(one.log.table.play.known[1] >> event.suspect & 1)
    )


def attacks() -> Iterator[Attack]:
    """Yield every row of the table that is a lie of one role."""
    yield Attack("denies a card that it holds", COURT, LIAR, denies_a_card)
    yield Attack("shows everybody a card that it gave away", COURT, LIAR, shows_what_it_gave_away)
    yield Attack("shows everybody a card with a made-up seal", COURT, LIAR, shows_with_a_made_up_seal)
    yield Attack("denies a clue that it holds", CITY, LIAR, denies_a_clue, prefers=_asks_the_liar)
    yield Attack("misreads the chart", CITY, LIAR, misreads_the_chart)
    yield Attack("claims falsely that its case is (not) solved", CITY, LIAR, claims_falsely, wanders=True)
    yield Attack("takes a suspect that it cannot prove", CITY, LIAR, takes_a_suspect_it_cannot_prove)
    yield Attack("says falsely that it has not checked", CITY, LIAR, forgets_a_look, prefers=_asks_what_the_liar_saw)
    yield Attack("tells a number that it never saw", CITY, LIAR, tells_what_it_never_saw)
    yield Attack("tells another number than it saw", CITY, LIAR, tells_another_number, prefers=_asks_what_the_liar_saw)
    yield Attack("stows a card that is not its own", CITY, LIAR, stows_another)
    yield Attack("hands over another box than it offered", CITY, LIAR, swaps_another_than_it_offered)
    for game in (COURT, CITY):
        yield Attack("keeps a copy and gives it again", game, LIAR, keeps_a_copy)
        yield Attack("passes a card it never had, with its true seal", game, LIAR, never_had_it)
        yield Attack("passes a card with a made-up seal", game, LIAR, forges_a_seal)
        yield Attack("passes two cards", game, LIAR, gives_two)
        yield Attack("passes a box that does not open", game, LIAR, gives_an_empty_box)
        yield Attack("rejects a good box", game, LIAR, rejects_a_good_box)
        yield Attack("mixes something else than it committed to", game, LIAR, mixes_something_else)
        yield Attack("reveals another secret", game, LIAR, reveals_another_secret)
        yield Attack("swaps two cards after the shuffle", game, DEALER, stack=swaps_two)
        yield Attack("stacks the deck", game, DEALER, stack=stacks_the_deck)
        yield Attack("shuffles without one seat's mix", game, DEALER, stack=ignores_a_seat)
    yield Attack("boxes other cards than it committed to", COURT, DEALER, boxes_other_cards)
    yield Attack("gives a false verdict", COURT, DEALER, says_a_false_verdict, prefers=_accuses)
    yield Attack("shows another envelope", COURT, DEALER, shows_another_envelope, prefers=_accuses)
    yield Attack("hands out another card than the top one", CITY, DEALER, hands_out_another_card)
    yield Attack("shows another number", CITY, DEALER, shows_another_number)
    for game in (COURT, CITY):
        yield Attack("reports another roll", game, DICE, reports_another_value)
        yield Attack("rolls with another share of its own", game, DICE, takes_another_share)
        yield Attack("makes up a seat's share", game, DICE, makes_up_a_seats_share)
