"""The events of the witness-stand game, each with the fields that are signed and kept for ever.

Suspects are 0..3 (A..D), questions 0..19 (suspect * 5 + number), spaces 0..27, cards kinds 0..43.
"""

from __future__ import annotations

from chambers.rules.events import TableEvent
from chambers.rules.roles import Role


class Corner(TableEvent, frozen=True, tag="corner"):
    """A seat puts its pawn on a corner before the first turn (WS: Setting Up the Game)."""

    space: int


class Ask(TableEvent, frozen=True, tag="ask"):
    """The seat whose turn it is asks `target` a question, publicly or confidentially (WS: Questioning a Suspect)."""

    target: int
    question: int
    public: bool


class Go(TableEvent, frozen=True, tag="go"):
    """The seat whose turn it is asks nothing more in this step, and goes on."""


class NoCard(TableEvent, frozen=True, tag="none"):
    """The seat asked holds no answer to the question that entry `ref` asked."""

    ref: int


class Show(TableEvent, frozen=True, tag="show"):
    """The seat asked shows a card to everybody; the asker takes it."""

    ref: int
    card: int
    seal: bytes

    def __repr__(self) -> str:
        # An option that is not taken holds one of these, and names a card that nobody else may know.
        return f"Show(ref={self.ref})"


class Pass(TableEvent, frozen=True, tag="pass"):
    """A seat hands a card face down to another: a confidential answer, or a Burger gift. `ref` asked for it."""

    ref: int
    to: Role
    box: bytes


class Play(TableEvent, frozen=True, tag="play"):
    """A seat plays I Object!, Objection Overruled! or Witness Dismissed. `ref`: the entry that opened the window."""

    ref: int
    card: int
    seal: bytes

    def __repr__(self) -> str:
        return f"Play(ref={self.ref})"


class Place(TableEvent, frozen=True, tag="place"):
    """On a Della Street or Perry Mason space: the suspect put on the Stand, or -1 for none (Della only)."""

    suspect: int


class Move(TableEvent, frozen=True, tag="move"):
    """On Go to Any Corner: the corner chosen, or the space stood on to stay."""

    space: int


class Accuse(TableEvent, frozen=True, tag="accuse"):
    """The seat whose turn it is accuses the suspect on the Stand (WS: Winning the Game)."""

    suspect: int


class Look(TableEvent, frozen=True, tag="look"):
    """The dealer lets the accuser look at the envelope, and tells everybody whether the accusation is right."""

    ref: int
    places: tuple[int, ...]
    to: Role
    verdict: bool
    box: bytes


class OpenCards(TableEvent, frozen=True, tag="opencards"):
    """The dealer opens the envelope to everybody after a right accusation: (place, card, nonce)."""

    cards: tuple[tuple[int, int, bytes], ...]


class EndTurn(TableEvent, frozen=True, tag="endturn"):
    """The seat whose turn it is ends it."""


EVENTS: tuple[type[TableEvent], ...] = (
    Corner, Ask, Go, NoCard, Show, Pass, Play, Place, Move, Accuse, Look, OpenCards, EndTurn,
)  # fmt: skip
