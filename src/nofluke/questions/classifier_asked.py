"""What is asked of a classifier: threshold, costs, prevalence, level, checked at the door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from nofluke import checks
from nofluke.classify import cost
from nofluke.classify.confusion import METHODS
from nofluke.errors import InputError, some

Costs: TypeAlias = "Mapping[str, float] | Sequence[float] | None"
Thresholds: TypeAlias = "float | Mapping[str, float] | None"
Prevalence: TypeAlias = "float | tuple[int, int] | None"

#: Parts of a card that may be left out, and what goes with them, for a sentence.
PARTS: Final = {
    "average_precision": "average precision",
    "decisions": "matrices, rates at a threshold, costs",
    "probabilities": "Brier score, log loss, calibration",
    "differences": "differences between candidates, the best of them",
}

_COSTS = ("c_fp", "c_fn", "c_tp", "c_tn")
_HALF = 0.5


class Asked(NamedTuple):
    """Checked choices of the question.

    Attributes:
        thresholds: As given: one for all candidates, or by candidate; None where nobody said.
        costs: By ``c_fp``, ``c_fn``, ``c_tp``, ``c_tn``; None without.
        prevalence: Share of positives in use, or (k, n) from which it is estimated.
        alpha: Error level of each interval that stands alone.
        method: Interval of a rate.
        n_resamples: Of average precision, and of the bands and the test of calibration.
        seed: Seed of all resamples.
        without: Parts that are left out, names of ``PARTS`` in their order.
    """

    thresholds: float | Mapping[str, float] | None
    costs: Mapping[str, Any] | None
    prevalence: Prevalence
    alpha: float
    method: str
    n_resamples: int
    seed: int
    without: tuple[str, ...] = ()

    def threshold(self, candidate: str, *, probabilities: bool) -> Cut:
        """Where a candidate's decision is taken, and who said so."""
        if "decisions" in self.without:
            return Cut(None, "left out")
        if isinstance(self.thresholds, Mapping):
            return Cut(self.thresholds[candidate], "given")
        if self.thresholds is not None:
            return Cut(self.thresholds, "given")
        if not probabilities:
            return Cut(None, "nobody")
        if self.costs is not None:
            return Cut(cost.bayes_threshold(**self.costs), "costs")
        return Cut(_HALF, "one half")


class Cut(NamedTuple):
    """A threshold, or None, and where it comes from.

    That is "given", "costs", "one half", "nobody", or "left out" where none was wanted.
    """

    at: float | None
    by: str


def asked(
    candidates: Sequence[str],
    *,
    threshold: Thresholds,
    costs: Costs,
    prevalence: Prevalence,
    level: float,
    method: str,
    n_resamples: int,
    seed: int,
    without: Sequence[str] = (),
) -> Asked:
    """The choices, checked.

    Raises:
        InputError: A threshold that is no number or for an unknown candidate, costs that are no
            two numbers (NF064) or under which there is nothing to decide (NF058), a
            prevalence that is no share, parts that are none or that were asked for (NF417).
    """
    left_out = _without(without)
    _refuse_contradiction(left_out, threshold=threshold, costs=costs, prevalence=prevalence)
    return Asked(
        thresholds=_thresholds(threshold, candidates),
        costs=_costs(costs),
        prevalence=_prevalence(prevalence),
        alpha=checks.alpha(level=level, alpha=None),
        method=checks.choice(method, METHODS, name="method"),
        n_resamples=checks.whole(n_resamples, name="n_resamples", least=0),
        seed=checks.whole(seed, name="seed", least=0),
        without=left_out,
    )


def _without(given: Sequence[str]) -> tuple[str, ...]:
    names = [given] if isinstance(given, str) else list(given)
    strange = [name for name in names if name not in PARTS]
    if strange:
        raise InputError(
            f"without= names {some(strange)}, and the parts that can be left out are "
            f"{some(PARTS)}; areas under the ROC curve always stay.",
            code="NF417",
        )
    return tuple(name for name in PARTS if name in names)


def _refuse_contradiction(
    without: Sequence[str], *, threshold: Thresholds, costs: Costs, prevalence: Prevalence
) -> None:
    """Refuse to be asked for what is to be left out."""
    given = [
        name
        for name, value in (("threshold", threshold), ("costs", costs))
        if value is not None and "decisions" in without
    ]
    if prevalence is not None and {"decisions", "average_precision"} <= set(without):
        given.append("prevalence")
    if given:
        raise InputError(
            f"without={','.join(without)} leaves out what {some(given)} asks for; give one or the "
            "other.",
            code="NF417",
        )


def _thresholds(given: Thresholds, candidates: Sequence[str]) -> float | dict[str, float] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return checks.real(given, name="threshold")
    if set(given) != set(candidates):
        raise InputError(
            f"threshold= names {some(given)}, and the candidates are {some(candidates)}; give one "
            "for each of them.",
            code="NF008",
        )
    return {name: checks.real(t, name=f"threshold[{name!r}]") for name, t in given.items()}


def _costs(given: Costs) -> dict[str, float] | None:
    """Costs by name; an error must cost more than the right decision on the same case."""
    if given is None:
        return None
    named: Any = given
    if not isinstance(given, Mapping):
        pair = list(named) if isinstance(named, Sequence) and not isinstance(named, str) else []
        if len(pair) != 2:
            raise InputError(
                f"costs={given!r} must be two numbers, that of a false alarm and that of a miss, "
                'as in costs=(1, 20); or a mapping, as in costs={"c_fp": 1, "c_fn": 20}.',
                code="NF064",
            )
        named = dict(zip(_COSTS, pair, strict=False))
    unknown = [name for name in named if name not in _COSTS]
    if unknown or not {"c_fp", "c_fn"} <= set(named):
        raise InputError(
            f"costs= has the names {some(named)}; it needs c_fp (a false alarm) and c_fn (a miss), "
            "and may have c_tp and c_tn (the right decisions).",
            code="NF064",
        )
    found = {name: checks.real(value, name=f"costs[{name!r}]") for name, value in named.items()}
    cost.bayes_threshold(**found)  # refuses costs under which there is nothing to decide
    return found


def _prevalence(given: Prevalence) -> Prevalence:
    if given is None:
        return None
    if not isinstance(given, Sequence):
        return checks.fraction(given, name="prevalence")
    if len(given) != 2:
        raise InputError(
            f"prevalence={given!r} must be a share between 0 and 1, or (k, n): k positives among n "
            "cases drawn where the classifier is used.",
            code="NF008",
        )
    k, n = (checks.whole(x, name="prevalence", least=0) for x in given)
    if not 0 <= k <= n or n == 0:
        raise InputError(
            f"prevalence={given!r} says {k} positives among {n} cases, which cannot be.",
            code="NF008",
        )
    return k, n
