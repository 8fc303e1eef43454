"""`--ledger` of the questions: the look is written down before its answer is shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def on_record(ask: Callable[..., Any], ledger: str | None) -> Callable[..., Any]:
    """The question itself, or the question asked on the record of a ledger.

    Args:
        ask: A question.
        ledger: The place of a ledger, or None.
    """
    if ledger is None:
        return ask
    from nofluke.ledger.asked import asked

    return partial(asked, ask, ledger=ledger)
