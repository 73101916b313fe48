"""The matrix of who may use which subject, as docs/protocol.md shows it; run as a program, it is written there."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from chambers.bus import permissions
from chambers.bus.permissions import ADMIN, CALLOUT, GALLERY, GATE, HOST, SYS, Permissions
from chambers.protocol import subjects
from chambers.protocol.subjects import written
from chambers.rules.roles import DEALER, DICE, GM, seat_role

BEGIN: Final = "<!-- matrix: written by make matrix -->"
END: Final = "<!-- end of matrix -->"
SEAT: Final = 2
TABLE: Final = "0" * 32
VISITOR: Final = "f" * 16
_STATIC: Final = (GM, DEALER, DICE, str(seat_role(SEAT)), GATE, GALLERY, HOST, ADMIN, CALLOUT, SYS)
_NAMES: Final = {str(seat_role(SEAT)): "vault n"}
_WIDE: Final = (written(f"{subjects.inbox(subjects.ANY)}.>"), subjects.JETSTREAM)
"""Rights that hold for other rows too."""


def users() -> dict[str, Permissions]:
    """Return the permissions of every kind of user: one vault of each kind and one client for those of all seats."""
    static = permissions.of_static_users()
    return {
        **{_NAMES.get(user, user): static[user] for user in _STATIC},
        "own vault n": permissions.of_own_vault(TABLE, SEAT),
        "client n": permissions.of_seat_client(TABLE, SEAT),
        "spectator": permissions.of_watcher(VISITOR),
        "guest": permissions.of_guest(VISITOR),
        "with a code": permissions.of_knocker(VISITOR),
    }


def cells() -> dict[str, dict[str, str]]:
    """Return for every subject, as written, what each kind of user may do with it: `p`, `s` or `p s`."""
    found: dict[str, dict[str, str]] = {}
    for user, rights in users().items():
        for mark, allowed in (("p", rights.publish), ("s", rights.subscribe)):
            for subject in allowed:
                row = found.setdefault(written(subject), {})
                if mark not in row.get(user, ""):
                    row[user] = f"{row.get(user, '')} {mark}".strip()
    for wide in _WIDE:
        for subject, row in found.items():
            if subject.startswith(wide.partition("<")[0].rstrip(">")):
                row.update({user: _both(mark, row.get(user, "")) for user, mark in found[wide].items()})
    return dict(sorted(found.items()))


def _both(one: str, other: str) -> str:
    return " ".join(sorted({*one.split(), *other.split()}))


def matrix() -> str:
    """Return the matrix as a table in Markdown."""
    names = tuple(users())
    head = f"| subject | {' | '.join(names)} |\n|---|{'---|' * len(names)}\n"
    rows = [f"| `{subject}` | {' | '.join(row.get(name, '') for name in names)} |" for subject, row in cells().items()]
    return head + "\n".join(" ".join(row.split()) for row in rows) + "\n"


def renewed(document: str) -> str:
    """Return a document with the matrix between its two marks; ValueError if it has none."""
    before, rest = document.split(BEGIN)
    return f"{before}{BEGIN}\n\n{matrix()}\n{END}{rest.split(END)[1]}"


def main() -> None:
    """Write the matrix into the document that is named."""
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
