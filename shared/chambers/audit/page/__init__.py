"""The audit as one page to look at: verdict, story, board, knowledge and proofs in a file that needs nothing else.

text = page(inspect(load(docket_text)))     # HTML; no network, no script from elsewhere
"""

from chambers.audit.page.document import page

__all__ = ["page"]
