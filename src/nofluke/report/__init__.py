"""Answers as pages: one self-contained HTML file, or the same body as a fragment.

The page loads nothing, runs nothing and knows no time of day, so the same result gives the same
bytes, offline and on paper.
"""

from nofluke.report.page import body, page, write

__all__ = ["body", "page", "write"]
