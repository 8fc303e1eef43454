"""Score what waits in a store, and die without a word right before or after one step."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from nofluke.database.engine import Database
from nofluke.ledger import release
from nofluke.server.boards import scoring, work
from nofluke.server.boards.journal import Journal

#: Where a process may be killed, in the order in which it comes by.
STEPS: dict[str, tuple[Any, str]] = {
    "claim": (work, "_heads"),
    "score": (scoring, "look"),
    "look": (release, "look"),
    "entry": (Journal, "look"),
    "told": (work, "_tell"),
    "keep": (work, "_keep"),
}


def die(url: str, step: str, when: str) -> None:
    owner, name = STEPS[step]
    real: Callable[..., Any] = getattr(owner, name)

    def dying(*given: Any, **named: Any) -> Any:
        if when == "after":
            real(*given, **named)
        os._exit(9)

    setattr(owner, name, dying)
    work.score_next(Database(url))
    os._exit(1)  # it was to die before


def main(url: str, cases: list[str]) -> None:
    """One death after the other, each in a process of its own that shares what was imported."""
    for case in cases:
        child = os.fork()
        if child == 0:
            die(url, *case.split("-"))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9, case


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
