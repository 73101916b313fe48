"""What a player is called: the name that came, made such as the rules allow, and another one if it is taken."""

from __future__ import annotations

from chambers.rules.check import NAME_LENGTH


def proper_name(name: str, seat: int) -> str:
    """Return the name without stray blanks and unprintable signs, cut to its length; `Seat N` if nothing is left."""
    printable = "".join(sign if sign.isprintable() else " " for sign in name)
    return " ".join(printable.split())[:NAME_LENGTH].strip() or f"Seat {seat}"


def another_name(name: str) -> str:
    """Return a name like this one, for a player whose name is taken: `Ada`, `Ada 2`, `Ada 3`."""
    room = NAME_LENGTH - 4
    stem, _, number = name.rpartition(" ")
    if stem and number.isdigit() and len(number) < 3:
        return f"{stem[:room].strip()} {int(number) + 1}"
    return f"{name[:room].strip()} 2"
