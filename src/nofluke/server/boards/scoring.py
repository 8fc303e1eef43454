"""From what was handed in to what is told: the one place where hidden rows meet predictions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nofluke.guard import policies
from nofluke.guard.uploads import Predictions
from nofluke.ledger import release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.ledger.release import Released, State
    from nofluke.server.boards.holdings import Holding


def look(
    held: Holding, state: State, contents: Sequence[bytes], training: str | None
) -> tuple[Released, State]:
    """One look at one submission, or at two of them side by side; nothing is kept by it.

    Args:
        held: The rows and their policy.
        state: The state of the rule after the look before.
        contents: Predictions as they were stored, of one submission or of two.
        training: The analyst's own score, as text.

    Raises:
        NoflukeError: The rule refuses, or something does not fit; not for the submitter's eyes.
    """
    own = None if training is None else float(training)
    handed = [
        policies.submission(held.policy, held.holdout, Predictions.from_bytes(one), training=own)
        for one in contents
    ]
    told, after = (
        release.look(state, *handed) if len(handed) == 1 else release.compare(state, *handed)
    )
    return replace(told, assumes=policies.assumes(held.policy, told.assumes)), after
