"""Whether a model recognises devices or patients: scores on seen ones and on new ones."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import checks, workers
from nofluke.errors import InputError
from nofluke.kernels import student
from nofluke.results import Result, Row, percent
from nofluke.selection.nested import seeds
from nofluke.selection.nested.asked import check_metric, check_rows, named
from nofluke.selection.nested.folds import scorer
from nofluke.selection.nested.splitting import outer_splits
from nofluke.selection.repeats import journal
from nofluke.selection.repeats.asked import require
from nofluke.selection.repeats.single import Metric, n_rows, take
from nofluke.selection.split_plan import Splitter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_ASSUMES = (
    "The gain is that of these rows and folds. Scores of folds share training rows, and the limits "
    "allow for that by a rule of thumb (Nadeau & Bengio 2003), not by a theorem.",
    "Rows of one group are alike for reasons that a new group does not share.",
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SeenGroups(Result):
    """Scores on rows of groups that training has seen, beside scores of the same rows unseen.

    Attributes:
        metric: Name of the metric; higher is better.
        level: Confidence aimed at by the heuristic limits.
        group_name: What a group is.
        n_groups: Number of groups of which rows were scored.
        new: Mean score over folds where training has seen no row of the tested groups.
        seen: The same rows scored by models of as many training rows, some of the tested groups.
        gain: ``seen`` less ``new``: by how much a random split flatters the score.
        by_fold: The difference on each fold where both are defined.
        se: Heuristic standard error; None for one fold, and where no fold differs from another.
        lower: Lower heuristic limit of the gain; None where there is no standard error.
        upper: Upper limit.
    """

    metric: str
    level: float
    group_name: str
    n_groups: int
    new: float
    seen: float
    gain: float
    by_fold: tuple[float, ...]
    se: float | None
    lower: float | None
    upper: float | None

    @property
    def kind(self) -> str:
        """The question this answers."""
        return "seen_groups"

    def rows(self) -> list[Row]:
        """One row."""
        names = ("metric", "new", "seen", "gain", "se", "lower", "upper", "n_groups")
        return [{**{n: getattr(self, n) for n in names}, "n_folds": len(self.by_fold)}]

    def sentences(self) -> list[str]:
        """What a colleague may paste; each sentence is literally true."""
        folds = f"{len(self.by_fold)} fold{'s' if len(self.by_fold) > 1 else ''}"
        if self.lower is not None:
            limits = f"[{self.lower:+.4g}, {self.upper:+.4g}], heuristic at {percent(self.level)}"
        elif len(self.by_fold) == 1:
            limits = "one fold shows no spread"
        else:
            limits = "the same on every fold"
        return [
            f"On rows of a {self.group_name} of which training has seen other rows {self.metric} "
            f"is {self.seen:.4g}, on the same rows without them {self.new:.4g}: a gain of "
            f"{self.gain:+.4g} ({limits}; {folds}, {self.n_groups} "
            f"{self.group_name}{'s' if self.n_groups > 1 else ''}).",
            f"A split that deals single rows trains on other rows of a tested {self.group_name}; "
            f"in use on a new {self.group_name} there are none.",
        ]

    def _fields(self) -> Mapping[str, Any]:
        return {
            "level": self.level,
            "group_name": self.group_name,
            "by_fold": list(self.by_fold),
        }


class _Rows(NamedTuple):
    """Rows of one fold: trained on without and with some of the tested groups, and scored."""

    without: NDArray[np.int64]
    among: NDArray[np.int64]
    scored: NDArray[np.int64]


def seen_groups(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    group: Any,
    metric: Metric,
    folds: Any = 5,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    group_name: str = "group",
) -> SeenGroups:
    """By how much a score gains where training has seen other rows of the tested groups.

    Features often carry a fingerprint of the device, patient or plate they come from, and a model
    that recognises it repeats the labels it has seen there. On every fold whole groups are held
    out, and half of the rows of each are scored twice: by a model of the other groups, and by one
    in which as many training rows, drawn at random, have given way to the other half. Sizes and
    scored rows are the same, so what differs is having seen the group. A group of which no other
    row can be shown (it has one row, or training is too small) is not scored.

    Args:
        estimator: Estimator or pipeline in the manner of scikit-learn.
        X: Features, one row for each example.
        y: Targets, one for each row.
        group: The device, patient or user of each row, shape (n,).
        metric: Name of a scorer of scikit-learn, or a function (estimator, X, y) -> score; higher
            is better.
        folds: Number of folds, a splitter (such as ``plan_split``), or a list of (train, test); no
            group on both sides.
        level: Confidence aimed at by the limits.
        seed: The seed of folds and halves, and of each ``random_state`` that was left at None;
            both fits of a fold have the same.
        n_jobs: How many fits at once; -1 for one on each core. None does as
            ``joblib.parallel_config`` says, and without it fits one after the other.
        group_name: What a group is ("device"), for the sentences.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: Folds that cannot be made or that tear groups apart (NF240), groups of one row
            each, a metric that is defined on no fold, or an argument that cannot be used.

    Source: the standard error is sd * sqrt(1/K + n_test/n_train) with Student's t, K - 1 degrees
    of freedom (Nadeau & Bengio 2003, section 3); heuristic here.

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> device = np.arange(200) % 20
    >>> X = rng.normal(size=(20, 4))[device] + 0.1 * rng.normal(size=(200, 4))
    >>> y = (rng.random(20) < 0.5)[device]  # a coin for each device
    >>> found = seen_groups(KNeighborsClassifier(3), X, y, group=device, metric="accuracy")
    >>> found.seen == 1.0, found.gain > 0.2
    (True, True)
    """
    require()
    check_rows(X, y, group)
    check_metric(metric)
    root = checks.whole(seed, name="seed", least=0)
    level = checks.fraction(level, name="level")
    splits = _splits(folds, estimator, X, y, group, root=root)
    halves = [
        _halves(a, b, np.asarray(group), np.random.default_rng((root, k)))
        for k, (a, b) in enumerate(splits)
    ]
    pairs = _scored((estimator, X, y, metric), halves, root, n_jobs)
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    scored = [h.scored for h, pair in zip(halves, pairs, strict=True) if None not in pair]
    if not both:
        raise InputError(
            f"metric={named(metric)!r} is defined on none of {len(pairs)} folds; take fewer folds.",
            code="NF240",
        )
    return SeenGroups(
        guarantee="heuristic",
        assumes=_ASSUMES,
        n=n_rows(X),
        digest=_digest(X, y, group),
        notes=_notes([k for k, pair in enumerate(pairs) if None in pair]),
        question={"metric": named(metric), "folds": len(splits), "level": level, "seed": root},
        metric=named(metric),
        level=level,
        group_name=group_name,
        n_groups=np.unique(np.asarray(group)[np.concatenate(scored)]).size,
        **_numbers(both, halves, level),
    )


def _splits(
    folds: Any, estimator: Any, X: Any, y: Any, group: Any, *, root: int
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Folds of whole groups; a plan of splits knows its groups itself and takes none."""
    if isinstance(folds, Splitter):
        folds = list(folds.split(X))
    return outer_splits(folds, estimator, X, y, group, seed=root)


def _halves(
    train: NDArray[np.int64],
    test: NDArray[np.int64],
    group: NDArray[Any],
    rng: np.random.Generator,
) -> _Rows:
    """Half of the rows of each tested group to be seen, the other half to be scored."""
    mixed = rng.permutation(test)
    names = group[mixed]
    shown = np.zeros(mixed.size, np.bool_)
    for name in np.unique(names):
        places = np.flatnonzero(names == name)
        shown[places[: places.size // 2]] = True
    if not shown.any():
        raise InputError(
            "no tested group has two rows, so that none can be seen before it is scored; groups of "
            "one row each are what a random split deals.",
            code="NF008",
        )
    # Never all of the training rows: the model shall know other groups, too.
    size = min(int(shown.sum()), max(1, train.size // 2))
    kept = rng.permutation(train)[size:]
    seen = mixed[shown][:size]
    # A group of one row, or one that found no room, is new to both models and shows nothing.
    scored = mixed[~shown & np.isin(names, group[seen])]
    return _Rows(np.sort(train), np.sort(np.concatenate([kept, seen])), np.sort(scored))


def _scored(
    asked: tuple[Any, Any, Any, Metric], halves: Sequence[_Rows], root: int, n_jobs: int | None
) -> list[tuple[float | None, float | None]]:
    """Scores without and with rows of the tested groups, fold by fold."""
    pieces = (
        (asked, root, k, rows, half.scored) for k, half in enumerate(halves) for rows in half[:2]
    )
    found = list(workers.each(_score, pieces, n_jobs=n_jobs))
    return list(zip(found[::2], found[1::2], strict=True))


def _score(
    asked: tuple[Any, Any, Any, Metric],
    root: int,
    number: int,
    train: NDArray[np.int64],
    test: NDArray[np.int64],
) -> float | None:
    estimator, X, y, metric = asked
    model = seeds.seeded(estimator, root, number).fit(take(X, train), take(y, train))
    value = float(scorer(metric)(model, take(X, test), take(y, test)))
    return value if math.isfinite(value) else None


def _numbers(
    both: Sequence[tuple[float, float]], halves: Sequence[_Rows], level: float
) -> dict[str, Any]:
    differences = [seen - new for new, seen in both]
    gain = math.fsum(differences) / len(both)
    share = sum(h.scored.size for h in halves) / sum(h.without.size for h in halves)
    se = student.error_over_splits(np.array(differences), share)
    reach = None if se is None else student.radius(se, len(both) - 1, (1 - level) / 2)
    return {
        "new": math.fsum(a for a, _ in both) / len(both),
        "seen": math.fsum(b for _, b in both) / len(both),
        "gain": gain,
        "by_fold": tuple(differences),
        "se": se,
        "lower": None if reach is None else gain - reach,
        "upper": None if reach is None else gain + reach,
    }


def _notes(undefined: Sequence[int]) -> tuple[str, ...]:
    if not undefined:
        return ()
    return (
        f"NF245: the metric is undefined on folds {list(undefined)}; they have no part in the "
        "means.",
    )


def _digest(*parts: Any) -> str:
    return hashlib.sha256(" ".join(journal.digest(part) for part in parts).encode()).hexdigest()
