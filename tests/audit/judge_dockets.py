"""Audits the dockets named on its command line, one line a verdict: run in a process of its own, whose limits count."""

from __future__ import annotations

import sys
from pathlib import Path

from chambers.audit import audit
from chambers.protocol.docket import load
from chambers.protocol.errors import ProtocolError

if __name__ == "__main__":
    for name in sys.argv[1:]:
        try:
            print(audit(load(Path(name).read_text(encoding="utf-8")), workers=0).verdict, flush=True)
        except ProtocolError as error:
            print(error.code, flush=True)
