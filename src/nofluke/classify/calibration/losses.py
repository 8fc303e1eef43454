"""Mean scores of probabilities: Brier and logarithmic, with their intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from nofluke import checks, means
from nofluke.classify.calibration.probabilities import probabilities
from nofluke.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CONVENTIONS: Final = ("one", "two")


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanScore(Interval):
    """The mean of a score of probabilities, with an interval; lower is better.

    Attributes:
        score: "Brier score" with its convention, or "log loss".
        n_positive: Positive rows.
        assumes: What must be true for the interval.
        notes: Cautions, each beginning with its code.
    """

    score: str
    n_positive: int
    assumes: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.score} {Interval.__str__(self)}"


def brier(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    convention: str = "one",
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    method: str = "betting",
    positive: object = None,
) -> MeanScore:
    """Mean Brier score (p - y)^2 with an interval that holds at every n; lower is better.

    Well defined with one class too. 0 is perfect; 0.25 is what p = 0.5 gets everywhere.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        convention: "one" counts the positive class; "two" sums over both classes as Brier did,
            which doubles the score and its limits.
        level: Coverage; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        method: A method of ``nofluke.means``: the default promises its level for independent rows
            of any distribution and depends on their order (which must not depend on the scores);
            "t" does not, is narrower, and is asymptotic.
        positive: The label of the positive class.

    Raises:
        InputError: Values of ``p`` outside [0, 1], labels of unknown meaning, an unknown
            convention or method.

    Source: Brier 1950, Monthly Weather Review 78, 1-3.

    >>> print(brier([1, 0, 1, 1], [0.9, 0.2, 0.6, 0.7], method="t"))
    Brier score 0.075 [0, 0.1793] at 95% (t, n=4, asymptotic)
    """
    y, q = probabilities(labels, p, positive=positive)
    factor = 2.0 if checks.choice(convention, CONVENTIONS, name="convention") == "two" else 1.0
    error = checks.alpha(level=level, alpha=alpha, default=0.95)
    losses = factor * (q - y) ** 2
    found = means.METHODS[method].call(losses, alpha=error, side=side, bounds=(0.0, factor))
    name = "Brier score" if factor == 1 else "Brier score (two classes)"
    return _mean_score(found, name, y, losses, most=factor)


def log_loss(
    labels: ArrayLike,
    p: ArrayLike,
    *,
    level: float | None = None,
    alpha: float | None = None,
    side: str = "both",
    positive: object = None,
) -> MeanScore:
    """Mean log loss, -log of the probability given to what happened; lower is better.

    A row that was given probability 0 and happened has infinite loss, and so has the mean: nothing
    is clipped. Then the interval is (inf, inf), which is literally true: an event of infinite loss
    has been seen, so its probability is not 0 and the expected loss is infinite. Otherwise the
    interval is Student's; log loss has no bound, so no interval for its mean holds at every n.

    Args:
        labels: Shape (n,): 0 and 1, truth values, or -1 and 1; else with ``positive``.
        p: Probability that each row is positive, in [0, 1], shape (n,).
        level: Coverage; 0.95 by default.
        alpha: Error level, instead of ``level``.
        side: "both", "lower" or "upper".
        positive: The label of the positive class.

    Raises:
        InputError: As for ``brier``.

    >>> print(log_loss([1, 0, 1, 1], [0.9, 0.2, 0.6, 0.7]))
    log loss 0.299 [0.02119, 0.5768] at 95% (t, n=4, asymptotic)
    >>> log_loss([1, 0], [0.0, 0.5]).notes[0][:6]
    'NF203:'
    """
    y, q = probabilities(labels, p, positive=positive)
    error, on = checks.alpha(level=level, alpha=alpha, default=0.95), checks.side(side)
    losses = logarithmic(y, q)
    sure_and_wrong = int(np.isinf(losses).sum())
    if not sure_and_wrong:
        found = means.t(losses, alpha=error, side=on, bounds=(0.0, math.inf))
        return _mean_score(found, "log loss", y, losses, most=math.inf)
    note = (
        f"NF203: {sure_and_wrong} of {y.size} rows were given probability 0 and happened; the log "
        "loss is infinite, and nothing is clipped."
    )
    return MeanScore(
        estimate=math.inf,
        lower=0.0 if on == "upper" else math.inf,
        upper=math.inf,
        alpha=error,
        side=on,
        method="t",
        guarantee="finite-sample",
        n=y.size,
        score="log loss",
        n_positive=int(y.sum()),
        assumes="rows are draws from the cases that count",
        notes=(note,),
    )


def logarithmic(y: NDArray[np.bool_], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log loss of each row, shape (n,); infinite where it was sure and wrong."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(y, -np.log(p), -np.log1p(-p)))


def _mean_score(
    found: Interval,
    name: str,
    y: NDArray[np.bool_],
    losses: NDArray[np.float64],
    *,
    most: float,
) -> MeanScore:
    """An interval without width from equal losses would be ignorance that looks like certainty.

    So the limits are 0 and ``most``, the largest score there is, then.
    """
    low, high = found.lower, found.upper
    notes: tuple[str, ...] = ()
    if found.guarantee == "asymptotic" and losses.size > 1 and losses.min() == losses.max():
        low, high = 0.0, most
        notes = (
            f"NF205: all {losses.size} losses equal {losses[0]:.4g}, which says nothing about "
            "their spread; the limits are those of the score.",
        )
    return MeanScore(
        estimate=found.estimate,
        lower=low,
        upper=high,
        alpha=found.alpha,
        side=found.side,
        method=found.method,
        guarantee=found.guarantee,
        n=found.n,
        score=name,
        n_positive=int(y.sum()),
        assumes="rows are independent draws",
        notes=notes,
    )
