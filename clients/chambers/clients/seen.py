"""A seat's view as one flat mapping: the game's public part beside what this seat alone sees."""

from __future__ import annotations

from typing import Any

View = dict[str, Any]


def flat(view: View) -> View:
    """Return the view with the fields of its `public` part beside its own."""
    public = view.get("public")
    if not isinstance(public, dict):
        return view
    return {**{name: value for name, value in view.items() if name != "public"}, **public}
