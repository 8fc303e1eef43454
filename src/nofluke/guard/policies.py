"""What one guarded test set measures, tells, and allows: fixed before the first look."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.guard import columns, holdouts, metrics, uploads
from nofluke.guard.words import words
from nofluke.ledger import release
from nofluke.ledger.release.records import INDEPENDENT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.guard.holdouts import Holdout, Part
    from nofluke.guard.uploads import Predictions

__all__ = [
    "CLUSTERS",
    "OPTIONS",
    "Policy",
    "assumes",
    "begin",
    "from_json",
    "from_spec",
    "scores",
    "statistic",
    "submission",
    "training_score",
    "truth",
    "units",
    "words",
]

#: What each rule takes beside the number of looks and the error level.
OPTIONS: Final[dict[str, tuple[str, ...]]] = {
    "ladder": ("step",),
    "free-ladder": (),
    "thresholdout": ("budget", "threshold", "sigma", "step"),
    "rounded": ("step", "adaptive"),
    "verdict": ("wins", "margin", "test", "moving"),
}
CLUSTERS: Final = "clusters of rows are independent draws from the population that is meant"
MOST_LOOKS: Final = 1_000_000
_SCHEMA: Final = 1
_DEFAULT_STEP: Final = 0.01  # of the span


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What is measured, what a look tells, and how many looks there are.

    Attributes:
        metric: Name of the metric.
        bounds: Lowest and highest possible score of a row.
        rule: Name of the release rule.
        looks: How many looks the error level pays for.
        per_member: The most that one member may take; None without a limit.
        per_team: The most that one team may take; None without a limit.
        alpha: The probability that anything told is wrong.
        options: The rule's own choices, all of them spelled out.
        positive: The label of the positive class, for metrics of two classes; None where the labels
            say it themselves.
        clustered: Whether units are clusters of rows.
    """

    metric: str
    bounds: tuple[float, float]
    rule: str
    looks: int
    per_member: int | None = None
    per_team: int | None = None
    alpha: float
    options: Mapping[str, Any] = field(default_factory=dict)
    positive: str | None = None
    clustered: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        kind = metrics.metric(self.metric)
        object.__setattr__(self, "bounds", tuple(float(b) for b in self.bounds))
        if self.rule not in OPTIONS:
            raise _impossible(f"rule={self.rule!r} is not one of {', '.join(OPTIONS)}.")
        unknown = [name for name in self.options if name not in OPTIONS[self.rule]]
        if unknown:
            takes = ", ".join(OPTIONS[self.rule]) or "no options"
            raise _impossible(f"{self.rule} has no option {unknown[0]!r}; it takes {takes}.")
        odd = [n for n, v in self.options.items() if not isinstance(v, str | int | float | None)]
        if odd:
            raise _impossible(f"option {odd[0]!r} is no number, text or truth value.")
        if self.looks > MOST_LOOKS:
            raise _impossible(f"looks={self.looks:,} is above {MOST_LOOKS:,}.")
        for name in ("per_member", "per_team"):
            limit = getattr(self, name)
            if limit is not None and checks.whole(limit, name=name) > self.looks:
                raise _impossible(f"{name}={limit} is above looks={self.looks}; leave it out.")
        if not kind.by_row and self.rule in ("free-ladder", "verdict"):
            raise _impossible(
                f"{self.rule} compares row by row, and {self.metric} is no mean of rows; take "
                "ladder, rounded or thresholdout."
            )
        if not kind.by_row and self.clustered:
            raise _impossible(
                f"no promise is known for {self.metric} on clusters of rows; take a metric that is "
                "a mean of rows, or independent rows."
            )

    @property
    def kind(self) -> metrics.Metric:
        """The metric."""
        return metrics.METRICS[self.metric]

    @property
    def binary(self) -> bool:
        """Whether each unit's score is one of the bounds."""
        return self.kind.binary and not self.clustered

    def labels(self, holdout: Holdout) -> tuple[str, ...]:
        """The names of labels, as far as members may know them: none where they are answers."""
        return () if self.kind.truth == "numbers" or self.metric == "exact_match" else holdout.names

    @property
    def training(self) -> bool:
        """Whether a submission must name the analyst's own score."""
        return self.rule == "thresholdout"

    def to_json(self) -> str:
        """All of it as text."""
        return json.dumps({"schema": _SCHEMA, **asdict(self)}, sort_keys=True)


def from_json(text: str) -> Policy:
    """What ``to_json`` gave.

    Raises:
        InputError: Something else (NF086).

    >>> policy = from_spec({"rule": "rounded", "looks": 20})
    >>> from_json(policy.to_json()) == policy
    True
    """
    try:
        said = json.loads(text)
        if said.pop("schema") != _SCHEMA or set(said) != {f.name for f in fields(Policy)}:
            raise KeyError("schema")
        return Policy(**{**said, "bounds": tuple(said["bounds"])})
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("this text is no policy of a guarded test set.", code="NF086") from None


def from_spec(spec: Any) -> Policy:
    """The policy that an owner asks for, with defaults filled in.

    Args:
        spec: A mapping or a record with ``metric``, ``bounds``, ``rule``, ``looks``,
            ``per_member``, ``per_team``, ``alpha``, ``options``, ``cluster`` and ``baseline``.

    Raises:
        InputError: These cannot go together (NF085), or a number is none (NF008).

    >>> from_spec({"metric": "accuracy", "rule": "ladder", "looks": 50}).options
    {'step': 0.01}
    """
    said = holdouts.fields_of(spec)
    options = said.get("options") or {}
    if not isinstance(options, Mapping):
        raise _impossible("options must be names with values.")
    options = dict(options)
    positive = options.pop("positive", None)
    kind = metrics.metric(said.get("metric", "accuracy"))
    if positive is not None and kind.truth != "classes":
        raise _impossible(f"{kind.name} has no positive label.")
    policy = Policy(
        metric=kind.name,
        bounds=kind.resolved(said.get("bounds")),
        rule=str(said.get("rule", "ladder")),
        looks=checks.whole(said.get("looks", 100), name="looks"),
        per_member=said.get("per_member"),
        per_team=said.get("per_team"),
        alpha=checks.fraction(said.get("alpha", 0.05), name="alpha"),
        options=options,
        positive=None if positive is None else columns.spelled(str(positive)),
        clustered=said.get("cluster") is not None,
    )
    policy = replace(policy, options={**_defaults(policy), **options})
    if policy.rule == "verdict" and said.get("baseline") is None:
        raise _impossible(
            "rule='verdict' tells whether a submission is better than a baseline, and none is "
            "there; name the column of the baseline's predictions."
        )
    _only_binary(policy)
    _state(policy, n=2)  # what the rule itself refuses, it refuses here
    return policy


def _only_binary(policy: Policy) -> None:
    """Refuse now what would fail at a look, on scores that only the guard knows."""
    if policy.binary:
        return
    needs = "each unit's score to be the lowest or the highest possible one"
    if policy.options.get("test") == "mcnemar":
        raise _impossible(f"test='mcnemar' needs {needs}; take test='betting'.")
    if policy.rule == "thresholdout" and policy.options.get("step") is None:
        raise _impossible(f"thresholdout without a step needs {needs}; say step=.")


def _defaults(policy: Policy) -> dict[str, Any]:
    low, high = policy.bounds
    step = _DEFAULT_STEP * (high - low)
    if policy.rule == "thresholdout":
        whole = {"budget": 10, "threshold": 4 * step, "sigma": step}
        return whole if policy.binary else {**whole, "step": step}
    if policy.rule == "verdict":
        exact = policy.binary and not policy.options.get("margin")
        return {"wins": 1, "margin": 0.0, "test": "mcnemar" if exact else "betting"}
    return {"step": step} if policy.rule in ("ladder", "rounded") else {}


def assumes(policy: Policy, told: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """What must be true for what a board promises, of clusters where these are what is drawn.

    Args:
        policy: What was agreed.
        told: What an answer assumes that knows nothing of clusters; by default what every answer of
            the rule does.

    >>> assumes(from_spec({"cluster": "patient"}))[0]
    'clusters of rows are independent draws from the population that is meant'
    """
    said = _state(policy, n=2).assumes if told is None else told
    return tuple(CLUSTERS if policy.clustered and a == INDEPENDENT else a for a in said)


def begin(policy: Policy, holdout: Holdout) -> release.State:
    """The state of the release rule before the first look.

    Args:
        policy: What was agreed.
        holdout: The hidden rows.

    Raises:
        InputError: The rows cannot serve this policy (NF080, NF085, or the rule's own codes).
    """
    truth(policy, holdout)
    if policy.rule != "verdict":
        return _state(policy, n=units(policy, holdout))
    if not holdout.said:
        raise _impossible("rule='verdict' needs the column of a baseline's predictions.")
    texts = [holdout.said[c] for c in holdout.baseline.tolist()]
    baseline = uploads.of_texts(texts, holdout, kind=policy.kind.prediction)
    return _state(policy, n=holdout.board, baseline=scores(policy, holdout, baseline))


def units(policy: Policy, holdout: Holdout, part: Part = "board") -> int:
    """Independent units behind a part; of the area under the curve, rows of the rarer class."""
    if policy.kind.by_row:
        return holdout.units_of[part]
    positive = truth(policy, holdout)[holdout.rows(part)] > 0
    return int(min(positive.sum(), (~positive).sum()))


def truth(policy: Policy, holdout: Holdout) -> NDArray[np.float64]:
    """Labels as the metric takes them: codes of names, 0 and 1, or numbers; shape (n,).

    Raises:
        InputError: Which label is positive is not said, or a class has no row in a part (NF080).
    """
    if policy.kind.truth == "names":
        return np.asarray(holdout.codes, dtype=np.float64)
    if policy.kind.truth == "numbers":
        return np.asarray(columns.numbers(holdout.names)[holdout.codes])
    found = np.asarray(holdout.codes == _positive(policy, holdout), dtype=np.float64)
    for part, count in holdout.units_of.items():
        if count and not policy.kind.by_row and len(set(found[holdout.rows(part)].tolist())) < 2:
            raise InputError(
                f"by chance the rows of the {part} are of one class only; there are too few rows, "
                "or one class is too rare.",
                code="NF080",
            )
    return found


def _positive(policy: Policy, holdout: Holdout) -> int:
    named = policy.positive
    if named is None and tuple(holdout.names) in holdouts.SELF_EXPLAINING:
        return 1
    if named is None or named not in holdout.names:
        raise InputError(
            'options={"positive": ...} must name one of the two labels; only of 0 and 1, -1 and 1, '
            "or false and true is it clear by itself.",
            code="NF080",
        )
    return holdout.names.index(named)


def scores(
    policy: Policy, holdout: Holdout, predictions: Predictions, part: Part = "board"
) -> NDArray[np.float64]:
    """The score of each unit of a part, in the fixed order of units; shape (G,).

    Never raises for anything that a reader let through.
    """
    by_row = policy.kind.scores(
        truth(policy, holdout), predictions.coded(holdout), bounds=policy.bounds
    )
    return holdout.units(by_row, part)


def statistic(
    policy: Policy, holdout: Holdout, predictions: Predictions, part: Part = "board"
) -> float:
    """The number that the metric is: the mean over units, or the area under the curve."""
    if policy.kind.by_row:
        found = scores(policy, holdout, predictions, part)
        return math.fsum(found.tolist()) / found.size
    rows = holdout.rows(part)
    positive = truth(policy, holdout)[rows] > 0
    return metrics.area(positive, predictions.coded(holdout)[rows])


def submission(
    policy: Policy, holdout: Holdout, predictions: Predictions, *, training: float | None = None
) -> release.Submission:
    """What is handed to ``release.look``.

    Args:
        policy: What was agreed.
        holdout: The hidden rows.
        predictions: Of ``uploads.read``.
        training: The analyst's own score, for Thresholdout.
    """
    if policy.kind.by_row:
        return release.Submission(scores(policy, holdout, predictions), training=training)
    return release.Submission(mean=statistic(policy, holdout, predictions), training=training)


def training_score(policy: Policy, given: float | None) -> float | None:
    """The analyst's own score, checked before a look is charged.

    Raises:
        InputError: It is missing, out of bounds, or given where it is not used (NF079).
    """
    if not policy.training:
        if given is not None:
            raise InputError(
                f"training= is given, and {policy.rule} does not use it; leave it out.",
                code="NF079",
            )
        return None
    low, high = policy.bounds
    if given is None or not low <= checks.real(given, name="training") <= high:
        raise InputError(
            f"training={given!r} must be the {policy.metric} on your own rows, from {low:g} to "
            f"{high:g}: this rule compares with it.",
            code="NF079",
        )
    return float(given)


def _state(policy: Policy, *, n: int, baseline: Any = None) -> release.State:
    kind = release.RULES[policy.rule]
    own: dict[str, Any] = dict(policy.options)
    if policy.rule == "rounded":
        own["binary"] = policy.binary
    if policy.rule == "verdict":
        own["baseline"] = (policy.bounds[0],) * n if baseline is None else tuple(baseline.tolist())
    try:
        return kind(
            n=n,
            looks=policy.looks,
            alpha=policy.alpha,
            bounds=policy.bounds,
            better=policy.kind.better,
            **own,
        )
    except TypeError as error:
        raise _impossible(f"an option has a value of a wrong kind ({error}).") from None


def _impossible(message: str) -> InputError:
    return InputError(message, code="NF085")
