"""The audit and the replay of a table's record. Pure functions of a docket; they know no network.

    report = audit(load(text), receipts=[note])     # a Report: verdict, findings with culprit, what is left unproved
    for told in replay(load(text), Viewer("seat1")):    # (seq, ts, table, sentence), as that seat saw the game
"""

from chambers.audit.audit import audit
from chambers.audit.findings import Counts, Finding, Report, Unproved, Verdict
from chambers.audit.replay import Told, replay

__all__ = ["Counts", "Finding", "Report", "Told", "Unproved", "Verdict", "audit", "replay"]
