"""The final rows, opened once: what finalists that were named before are worth on them.

Nothing was ever told of these rows, and the finalists are fixed before they are opened, so that no
choice has to be paid for but the number of statements: with m finalists their m scores, and m - 1
differences from the first of them. Each has an equal share of the error level; all hold at once.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nofluke import checks, means, proportions
from nofluke.errors import InputError
from nofluke.guard import policies
from nofluke.kernels import transcripts
from nofluke.ledger.release.records import INDEPENDENT
from nofluke.results import Result, outward, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from nofluke.guard.holdouts import Holdout
    from nofluke.guard.policies import Policy
    from nofluke.guard.uploads import Predictions
    from nofluke.results import Row

UNSEEN: Final = "nothing was told of these rows before, and the finalists were named before"
BOUNDED: Final = "scores of single rows keep to the declared bounds"
#: Finite-sample at every n and for every distribution between the bounds; units are in random
#: order, as it needs.
_MEANS: Final = "star"


class Limits(NamedTuple):
    """One statement: an estimate with its limits, and how they were found."""

    estimate: float
    lower: float
    upper: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Confirmation(Result):
    """What the final rows say of each finalist, and of how they differ from the first.

    Attributes:
        metric: Name of the metric.
        better: "higher" or "lower".
        alpha: The probability that any limit is wrong.
        scores: Of each finalist, by name, in the order in which they were given.
        differences: Of each but the first: its score minus the first's.
        clustered: Whether units are clusters of rows, so that scores are means of their means.
    """

    metric: str
    better: checks.Better
    alpha: float
    scores: Mapping[str, Limits]
    differences: Mapping[str, Limits]
    clustered: bool = False

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "confirmation"

    @property
    def first(self) -> str:
        """The finalist with which the others are compared."""
        return next(iter(self.scores))

    def verdict(self, name: str) -> str:
        """Whether a finalist is shown to be better or worse than the first."""
        found = self.differences[name]
        sign = 1 if self.better == "higher" else -1
        low, high = sorted((sign * found.lower, sign * found.upper))
        return "better" if low > 0 else "worse" if high < 0 else "not shown"

    def rows(self) -> list[Row]:
        """One row for each score, then one for each difference."""
        told = [
            {"part": "score", "name": name, "versus": None, **found._asdict(), "verdict": None}
            for name, found in self.scores.items()
        ]
        return told + [
            {
                "part": "difference",
                "name": name,
                "versus": self.first,
                **found._asdict(),
                "verdict": self.verdict(name),
            }
            for name, found in self.differences.items()
        ]

    def sentences(self) -> list[str]:
        """What a colleague may paste: one sentence for each statement, and what holds of all."""
        means = ", each cluster counted once" if self.clustered else ""
        units = "clusters" if self.clustered else "rows"
        said = [
            f"{name}: {self.metric} {found.estimate:.4g} on the final rows{means}; the expected "
            f"one on {units} like these lies between {_low(found)} and {_high(found)}."
            for name, found in self.scores.items()
        ]
        said += [self._compared(name) for name in self.differences]
        count = len(self.scores) + len(self.differences)
        what = "This holds" if count == 1 else f"All {count} statements hold at once"
        return [
            *said,
            f"{what} with a probability of at least {percent(self.alpha, of_the_rest=True)} "
            f"over the draw of the {units} ({self.guarantee}).",
        ]

    def _compared(self, name: str) -> str:
        found = self.differences[name]
        told = {
            "better": f"{name} is better than {self.first}",
            "worse": f"{name} is worse than {self.first}",
            "not shown": f"{name} is shown neither to be better nor to be worse than {self.first}",
        }[self.verdict(name)]
        return (
            f"{told}: the expected difference ({name} minus {self.first}) lies between "
            f"{_low(found)} and {_high(found)}."
        )

    def _fields(self) -> Mapping[str, Any]:
        return {
            "metric": self.metric,
            "better": self.better,
            "level": 1 - self.alpha,
            "alpha": self.alpha,
            "first": self.first,
            "sentences": self.sentences(),
        }


def confirm(
    policy: Policy,
    holdout: Holdout,
    finalists: Mapping[str, Predictions],
    *,
    alpha: float | None = None,
) -> Confirmation:
    """Open the final rows for finalists.

    Scores that are 0 or 1 have the exact limits of Clopper and Pearson (1934), other means and all
    differences those of betting (`means.star`), areas under the curve Hoeffding's (1963, 5.7) at
    the number of rows of the rarer class; each at alpha / (2 m - 1), by the union bound.

    Args:
        policy: What was agreed.
        holdout: The hidden rows, of which some wait.
        finalists: By name; the first is the one that others are compared with, such as the one that
            stood best on the board. It must not have been chosen by these rows.
        alpha: The probability that any limit is wrong; that of the policy by default.

    Raises:
        InputError: No rows wait, or nobody was named (NF087).
    """
    error = policy.alpha if alpha is None else checks.fraction(alpha, name="alpha")
    if not holdout.units_of["confirmation"]:
        raise InputError("no rows wait for a final confirmation here.", code="NF087")
    if not finalists:
        raise InputError("nobody is named as a finalist; name one before.", code="NF087")
    share = error / (2 * len(finalists) - 1)
    names = list(finalists)
    found = _areas if not policy.kind.by_row else _by_unit
    scores, differences = found(policy, holdout, finalists, share)
    return Confirmation(
        guarantee="finite-sample",
        assumes=policies.assumes(policy, (INDEPENDENT, UNSEEN, BOUNDED)),
        n=policies.units(policy, holdout, "confirmation"),
        digest=digest(finalists),
        question={"finalists": names, "alpha": error},
        metric=policy.metric,
        better=policy.kind.better,
        alpha=error,
        scores=scores,
        differences=differences,
        clustered=policy.clustered,
    )


def digest(finalists: Mapping[str, Predictions]) -> str:
    """SHA-256 of who was named, and of what they predict: what is frozen before the rows open."""
    sha = hashlib.sha256(b"nofluke finalists 1\n")
    for name, predictions in finalists.items():
        text = name.encode("utf-8", "surrogatepass")
        sha.update(b"%d:%b%b\n" % (len(text), text, predictions.digest.encode()))
    return sha.hexdigest()


def _by_unit(
    policy: Policy, holdout: Holdout, finalists: Mapping[str, Predictions], share: float
) -> tuple[dict[str, Limits], dict[str, Limits]]:
    values = {
        name: policies.scores(policy, holdout, said, "confirmation")
        for name, said in finalists.items()
    }
    first = next(iter(values.values()))
    low, high = policy.bounds
    span = high - low
    scores = {
        name: _binary(x, policy, share) if policy.binary else _mean(x, policy.bounds, share)
        for name, x in values.items()
    }
    differences = {
        name: _mean(np.clip(x - first, -span, span), (-span, span), share)
        for name, x in list(values.items())[1:]
    }
    return scores, differences


def _binary(x: NDArray[np.float64], policy: Policy, share: float) -> Limits:
    """Both limits of every binary metric here are 0 and 1."""
    found = proportions.clopper_pearson((x == policy.bounds[1]).astype(float), alpha=share)
    return Limits(found.estimate, found.lower, found.upper, found.method)


def _mean(x: NDArray[np.float64], bounds: tuple[float, float], share: float) -> Limits:
    found = means.METHODS[_MEANS].call(x, alpha=share, bounds=bounds)
    # The limits bet, and may lie beyond the mean by what they have seen; the mean is what it is.
    return Limits(math.fsum(x.tolist()) / x.size, found.lower, found.upper, _MEANS)


def _areas(
    policy: Policy, holdout: Holdout, finalists: Mapping[str, Predictions], share: float
) -> tuple[dict[str, Limits], dict[str, Limits]]:
    n = policies.units(policy, holdout, "confirmation")
    radius = transcripts.log_hoeffding_radius(n, math.log(share))
    values = {
        name: policies.statistic(policy, holdout, said, "confirmation")
        for name, said in finalists.items()
    }
    first = next(iter(values.values()))
    scores = {
        name: Limits(a, max(a - radius, 0.0), min(a + radius, 1.0), "hoeffding")
        for name, a in values.items()
    }
    # A difference of two kernels in [0, 1] lies in [-1, 1]: twice the span, twice the radius.
    differences = {
        name: Limits(d, max(d - 2 * radius, -1.0), min(d + 2 * radius, 1.0), "hoeffding")
        for name, d in ((name, a - first) for name, a in list(values.items())[1:])
    }
    return scores, differences


def _low(found: Limits) -> str:
    """A lower limit in a few digits, rounded so that what is said stays true."""
    return outward(found.lower, "higher", digits=4)


def _high(found: Limits) -> str:
    """An upper limit likewise."""
    return outward(found.upper, "lower", digits=4)
