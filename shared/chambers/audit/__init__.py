"""The audit and the replay of a table's record. Pure functions of a docket; they know no network.

report = audit(load(text), receipts=[note])     # a Report: verdict, findings with culprit, what is left unproved
for told in replay(load(text), Viewer("seat1")):    # (seq, ts, table, sentence), as that seat saw the game
for one in sent(load(text), Viewer("seat1")):       # (seq, ts, message), what that seat's client was sent
"""

from chambers.audit.audit import Inspection, audit, inspect
from chambers.audit.findings import Counts, Finding, Remark, Report, Unproved, Verdict
from chambers.audit.replay import Told, replay
from chambers.audit.sent import Sent, sent

__all__ = [
    "Counts",
    "Finding",
    "Inspection",
    "Remark",
    "Report",
    "Sent",
    "Told",
    "Unproved",
    "Verdict",
    "audit",
    "inspect",
    "replay",
    "sent",
]
