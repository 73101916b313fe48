"""The blank edition of each game, for an owner of the box to fill in."""

from __future__ import annotations

from importlib import resources

from chambers.editions.games import of_game


def blank(game: str, /) -> str:
    """Return the commented TOML of an edition in which nothing is filled in yet; EditionError for an unknown game.

    It can be loaded as it stands, so that `faults` tells what is still to be done.
    """
    of_game(game)
    return resources.files("chambers.editions").joinpath("blank", f"{game}.toml").read_text(encoding="utf-8")
