"""A test set's register: what was fixed, what was tried, and every look, in a chain of entries.

The ledger stands above the questions: a question knows no ledger, and ``asked`` writes a look down
before its answer is shown.
"""

from nofluke.ledger.asked import asked
from nofluke.ledger.book import Ledger

__all__ = ["Ledger", "asked"]
