"""The witness-stand game on the page: a ring of spaces around Gallery, Stand and Chambers."""

from __future__ import annotations

from typing import Any, Final

from chambers.audit.page.drawing import Piece, box, initial, lines, ring, text, token
from chambers.rules.terms import Disclosed
from chambers.rules.witness_stand.edition import LETTERS, Edition, Space, SpaceKind, card_code, card_text, is_answer

CELL: Final = 92
EDGE: Final = 12
_ROOMS: Final = {"Gallery": (0.0, 1.1), "Witness Stand": (0.0, 3.6), "In Chambers": (3.0, 3.6)}
_GALLERY: Final = 2.3
_STAND: Final = (1.5, 5.3)
_CHAMBERS: Final = (4.5, 5.3)


class Scenery:
    """Draws the board of any edition from the places that its spaces name."""

    def board(self, edition: Edition, names: tuple[str, ...], /) -> str:
        """Return the board with all its pieces as SVG markup."""
        width = EDGE * 2 + CELL * (1 + max(space.col for space in edition.board))
        height = EDGE * 2 + CELL * (1 + max(space.row for space in edition.board))
        parts = [
            f'<svg class="board" viewBox="0 0 {width} {height}" role="img" aria-label="The board">',
            *(_space(edition, space) for space in edition.board),
            *_rooms(edition),
            *(
                token(f"suspect{letter}", letter, suspect.name, kind="suspect", radius=20)
                for letter, suspect in zip(LETTERS, edition.suspects, strict=True)
            ),
            ring("turn"),
            *(token(f"pawn{n}", initial(name), name, kind=f"pawn seat{n}") for n, name in enumerate(names)),
            "</svg>",
        ]
        return "".join(parts)

    def pieces(self, edition: Edition, view: dict[str, Any], /) -> tuple[Piece, ...]:
        """Return where the pieces stand in a public view; a piece that is not named is not on the board."""
        found: list[Piece] = []
        if "seats" not in view:
            return ()
        for seat, one in enumerate(view["seats"]):
            if one["space"] is None or one["dropped"]:
                continue
            space = edition.board[one["space"]]
            x = EDGE + CELL * space.col + 20 + 26 * (seat % 3)
            y = EDGE + CELL * space.row + 47 + 27 * (seat // 3)
            if seat == view["turn"]["seat"]:
                found.append(Piece("turn", x, y))
            found.append(Piece(f"pawn{seat}", x, y))
        witness = view["witness"]
        for n, letter in enumerate(LETTERS):
            column, row = 0.75 + 1.5 * n, _GALLERY
            if witness is not None and witness["suspect"] == letter:
                column, row = _STAND if witness["where"] == "stand" else _CHAMBERS
            found.append(Piece(f"suspect{letter}", EDGE + CELL * (1 + column), EDGE + CELL * row))
        return tuple(found)

    def words(self, view: dict[str, Any], /) -> tuple[str, ...]:
        """Return a public view in sentences."""
        if "seats" not in view:
            return ("Nothing has been dealt yet.",)
        seats, turn, witness = view["seats"], view["turn"], view["witness"]
        found = []
        if turn["round"]:
            found.append(f"Round {turn['round']}: it is {seats[turn['seat']]['name']}'s turn.")
        if witness is None:
            found.append("All suspects are in the Gallery.")
        else:
            where = "on the Stand" if witness["where"] == "stand" else "in Chambers"
            found.append(f"Suspect {witness['suspect']} is {where}.")
        asked = view["question"]
        if asked is not None:
            how = "in public" if asked["public"] else "in confidence"
            names = seats[asked["asker"]]["name"], seats[asked["target"]]["name"]
            found.append(f"{names[0]} asks {names[1]} {asked['question']} {how}.")
        for one in seats:
            place = one["space_name"] or "not on the board yet"
            states = [word for word, so in (("out", one["out"]), ("left", one["dropped"])) if so]
            found.append(f"{one['name']}: {place}; {one['cards']} cards{''.join(', ' + state for state in states)}.")
        return tuple(found)

    def short(self, edition: Edition, shown: Disclosed, /) -> str:
        """Return the few letters that stand for a card."""
        return card_code(shown.value) if is_answer(shown.value) else card_text(edition, shown.value)

    def card(self, edition: Edition, shown: Disclosed, /) -> str:
        """Return a card's code with its words."""
        name = card_text(edition, shown.value)
        return f"{card_code(shown.value)} {name}" if is_answer(shown.value) else name


def _space(edition: Edition, space: Space) -> str:
    x, y = EDGE + CELL * space.col, EDGE + CELL * space.row
    name = edition.space_names.get(space.kind, str(space.kind))
    if space.kind is SpaceKind.CALL and space.suspect is not None:
        how = "in confidence" if space.confidential else "in public"
        name, short = f"{name}: suspect {LETTERS[space.suspect]}, {how}", f"{LETTERS[space.suspect]} {how}"
    else:
        short = name
    kind = f"space {space.kind}{' corner' if space.corner else ''}{' hush' if space.confidential else ''}"
    words = "".join(text(x + CELL / 2, y + 16 + 12 * n, line, "label") for n, line in enumerate(lines(short, 14)))
    return f"<g>{box(x + 2, y + 2, CELL - 4, CELL - 4, kind=kind, title=name)}{words}</g>"


def _rooms(edition: Edition) -> list[str]:
    parts = []
    for name, (column, row) in _ROOMS.items():
        width, height = (6, 2.35) if name == "Gallery" else (3, 3.3)
        x, y = EDGE + CELL * (1 + column) + 6, EDGE + CELL * row
        parts.append(box(x, y, CELL * width - 12, CELL * height, kind="room"))
        parts.append(text(x + CELL * width / 2 - 6, y + 20, name, "room-name"))
    for n, suspect in enumerate(edition.suspects):
        x = EDGE + CELL * (1.75 + 1.5 * n)
        for number, line in enumerate(lines(suspect.name, 19)):
            parts.append(text(x, EDGE + CELL * _GALLERY + 38 + 13 * number, line, "label"))
    return parts
