"""`nofluke explain`: the page of a code, offline."""

from __future__ import annotations

import sys


def explain(code: str = "") -> None:
    """What a code such as NF103 means and what to do; without one, the list of codes.

    Args:
        code: The code that stands before a note or an error.
    """
    from nofluke import explain as pages

    if code:
        sys.stdout.write(pages.page(code))
        return
    for known in pages.codes():
        sys.stdout.write(pages.page(known).splitlines()[0].removeprefix("# ") + "\n")
