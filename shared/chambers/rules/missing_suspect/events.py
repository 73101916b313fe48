"""The events of the missing-suspect game, each with the fields that are signed and kept for ever.

Suspects are 0..6 in printed order, places of the city node numbers, clues 0..31, cards kinds. A place of a hidden
value is 0..27 in the clue pile, 1000 + suspect for a number, 2000..2007 in the case pile, 3000.. for what was stowed.
`ref` is the entry that made the statement due.
"""

from __future__ import annotations

from chambers.rules.events import TableEvent
from chambers.rules.missing_suspect.edition import ChartResult
from chambers.rules.roles import Role


class Place(TableEvent, frozen=True, tag="place"):
    """The Dealer puts a suspect, number unseen, on a free S spot (MS: Start of Play)."""

    suspect: int
    node: int


class Move(TableEvent, frozen=True, tag="move"):
    """The car is driven: every node entered in order, the start left out; a tunnel jump adds the other tunnel."""

    path: tuple[int, ...]


class Take(TableEvent, frozen=True, tag="take"):
    """The seat whose turn it is takes what it may (a clue card, a new case, a suspect), or declines it."""

    yes: bool


class Draw(TableEvent, frozen=True, tag="draw"):
    """The dealer hands the top card of the clue pile or of the case pile to the seat whose turn it is."""

    ref: int
    place: int
    to: Role
    box: bytes


class Stow(TableEvent, frozen=True, tag="stow"):
    """A seat puts a card under its pile, at a new place that it commits to; the box is for the dealer."""

    ref: int
    place: int
    commit: bytes
    box: bytes


class Show(TableEvent, frozen=True, tag="show"):
    """A seat shows its new case to everybody (only with `open_cases`)."""

    ref: int
    card: int
    seal: bytes


class Play(TableEvent, frozen=True, tag="play"):
    """A seat plays the Question Witness card that it has drawn."""

    ref: int
    card: int
    seal: bytes


class EndTurn(TableEvent, frozen=True, tag="endturn"):
    """The card just drawn is kept and is no Question Witness, so the turn is over."""


class Chart(TableEvent, frozen=True, tag="chart"):
    """What the Question Witness chart says for the throw and the seat's case, which only its vault knows."""

    ref: int
    result: ChartResult


class Check(TableEvent, frozen=True, tag="check"):
    """On Check Suspect: the suspect that is driven to."""

    suspect: int


class Offer(TableEvent, frozen=True, tag="offer"):
    """A seat turns to another for a trade, bound to the card it will give: the hash of its box; empty without one."""

    to: Role
    offer: bytes


class Ask(TableEvent, frozen=True, tag="ask"):
    """The seat that has turned to `target` asks for a clue by name; `offer` is what it is bound to."""

    target: int
    clue: int
    offer: bytes


class Point(TableEvent, frozen=True, tag="point"):
    """A seat points to a suspect on the board and asks `target` for the number (MS: Ask for Suspect Number)."""

    target: int
    suspect: int


class NoCard(TableEvent, frozen=True, tag="none"):
    """The seat asked holds no card with the clue that entry `ref` asked for."""

    ref: int


class Have(TableEvent, frozen=True, tag="have"):
    """The seat asked holds the clue that entry `ref` asked for, but nothing was offered for it."""

    ref: int


class Pass(TableEvent, frozen=True, tag="pass"):
    """The seat asked hands the card with the clue over for nothing (only with `empty_ask` free)."""

    ref: int
    to: Role
    box: bytes


class Swap(TableEvent, frozen=True, tag="swap"):
    """One half of a trade: first the seat asked hands its card over, then the asker the one it was bound to."""

    ref: int
    to: Role
    box: bytes


class Tell(TableEvent, frozen=True, tag="tell"):
    """The seat asked passes a suspect's number on a slip."""

    ref: int
    place: int
    to: Role
    box: bytes


class DontKnow(TableEvent, frozen=True, tag="dontknow"):
    """The seat asked has not checked that suspect."""

    ref: int
    place: int


class Look(TableEvent, frozen=True, tag="look"):
    """The dealer lets the seat whose turn it is look under a suspect."""

    ref: int
    places: tuple[int, ...]
    to: Role
    box: bytes


class Claim(TableEvent, frozen=True, tag="claim"):
    """A seat that carries a suspect says whether its cards still prove that number (MS-33)."""

    ref: int
    solved: bool


class OpenCards(TableEvent, frozen=True, tag="opencards"):
    """The proof at trial: three clue cards, then the case, as (kind, seal); the suspect as (place, number, nonce)."""

    cards: tuple[tuple[int, bytes], ...]
    suspects: tuple[tuple[int, int, bytes], ...]


EVENTS: tuple[type[TableEvent], ...] = (
    Place, Move, Take, Draw, Stow, Show, Play, EndTurn, Chart, Check, Offer, Ask, Point, NoCard, Have, Pass, Swap,
    Tell, DontKnow, Look, Claim, OpenCards,
)  # fmt: skip
