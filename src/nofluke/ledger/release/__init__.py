"""Release rules: what a guarded test set tells about a submission, and what remains.

A rule is a state that never changes. ``look`` takes a state and a submission, and gives the answer
and the state after it; the first is for the analyst, the second for the guard. ``compare`` takes
two submissions and says which is shown to be better. What each rule promises, and under which
assumptions, is part of its answer; everything that one state tells is right at once with
probability at least 1 - alpha.

=============  ============================  ======================================================
rule           tells                         promises, with probability at least 1 - alpha
=============  ============================  ======================================================
`Ladder`       the best so far, in steps     where the best expected score lies, at every look
`FreeLadder`   the best so far               the same, with wider limits
`Thresholdout` training score or noisy mean  limits for every submission's expected score
`Rounded`      the score, rounded            limits for every submission's expected score
`Verdict`      one bit                       no verdict "better" is wrong
`Fresh`        evidence, on rows to come     no claim is proved that is false
=============  ============================  ======================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from nofluke.ledger.release.comparisons import compare
from nofluke.ledger.release.fresh import Claim, Fresh
from nofluke.ledger.release.ladders import FreeLadder, Ladder
from nofluke.ledger.release.noise import Given, Noise, OperatingSystem
from nofluke.ledger.release.records import Released, State, Submission
from nofluke.ledger.release.rounded import Rounded
from nofluke.ledger.release.saving import RULES, from_json, to_json
from nofluke.ledger.release.thresholdout import Thresholdout
from nofluke.ledger.release.verdicts import Verdict

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.ledger.release.noise import Rng

S = TypeVar("S", bound=State)

__all__ = [
    "RULES",
    "Claim",
    "FreeLadder",
    "Fresh",
    "Given",
    "Ladder",
    "Noise",
    "OperatingSystem",
    "Released",
    "Rounded",
    "State",
    "Submission",
    "Thresholdout",
    "Verdict",
    "compare",
    "from_json",
    "look",
    "to_json",
]


def look(state: S, submission: Submission | ArrayLike, *, rng: Rng = None) -> tuple[Released, S]:
    """One look: what is told about a submission, and the state that must replace the old one.

    A pure function, given the noise. A state from before the look would give the look back, so
    that whoever keeps states must keep the last one only, and write it down before the answer is
    shown. All who submit to one set of hidden rows share one state. An error may name scores of
    hidden rows: it is for the owner of the rows, and an analyst is told its code at most.

    Args:
        state: The rule and what it remembers.
        submission: Scores of the hidden rows, shape (n,), or a ``Submission``.
        rng: Source of Laplace noise, which only ``Thresholdout`` uses: the operating system's
            randomness by default, ``Given`` draws in tests, a generator in simulations.

    Raises:
        InputError: No look is left (NF365), the submission does not fit (NF367), or no noise can
            be drawn (NF368).

    >>> state = Rounded(n=4, looks=1, step=0.1)
    >>> answer, state = look(state, [1, 1, 0, 1])
    >>> answer.value, answer.looks_left
    (0.8, 0)
    """
    handed = submission if isinstance(submission, Submission) else Submission(submission)
    return state.answer(handed, rng)
