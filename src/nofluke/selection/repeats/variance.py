"""How much each source of randomness moves the score, the others held still."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import chdtri

from nofluke import checks
from nofluke.errors import InputError
from nofluke.selection.repeats import sources as known
from nofluke.selection.repeats import study
from nofluke.selection.repeats.answers import Repeats, SourceVariance, SourceVariances
from nofluke.selection.repeats.asked import ask
from nofluke.selection.repeats.record import Way, answer
from nofluke.selection.repeats.study import Path, Size

if TYPE_CHECKING:
    from nofluke.selection.repeats.single import Metric
    from nofluke.selection.repeats.sources import Hook

_ASSUMES = (
    "Scores of a source are independent and normal; where they are not, the limits can be far "
    "off at any number of runs, since they depend on the fourth moment.",
    "Each deviation is that of one source at one setting of the others, that of the first run. "
    "At another setting it may be another, and the variances need not add up to that of all "
    "together: sources interact.",
)


class Limits(NamedTuple):
    """Limits for a standard deviation."""

    lower: float
    upper: float


def variance_by_source(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    metric: Metric,
    seed: int = 0,
    n: int = 25,
    sources: Sequence[str] | None = None,
    level: float = 0.95,
    groups: Any = None,
    test: tuple[Any, Any] | None = None,
    test_size: float = 0.25,
    subsample: Size = None,
    seeds: Mapping[str, Hook] | None = None,
    better: str | None = None,
    bounds: Sequence[float] | None = None,
    name: str | None = None,
    n_jobs: int | None = None,
    threads: int = 1,
    deterministic: bool = True,
    path: Path = None,
    progress: bool | None = None,
) -> SourceVariances:
    """Standard deviation of the score by source: one varies, the others stay as in the first run.

    Beside each stands the deviation with all of these sources varied together. The first run is
    shared by all, so S sources take 1 + (S + 1)(n - 1) runs (with one source 1 + (n - 1)), and
    one more to see that equal seeds agree.

    Args:
        estimator: As in ``repeat``, like all that is not described here.
        X: Features.
        y: Targets.
        metric: Name of a scorer, or a function.
        seed: The seed that all others are derived from.
        n: Number of runs for each source, at least 2.
        sources: Which; by default the usual ones that there are.
        level: Confidence of each interval by itself.
        groups: One label for each row.
        test: A fixed test set.
        test_size: Share that is tested on.
        subsample: Share of the training rows that is drawn, or "bootstrap"; 0.9 where ``sources``
            names "subsample" and this is None.
        seeds: What else takes the seed of a source.
        better: "higher" or "lower" wins.
        bounds: Lowest and highest possible score.
        name: Id of the candidate.
        n_jobs: How many fits at once; -1 for one on each core. None does as
            ``joblib.parallel_config`` says, and without it fits one after the other.
        threads: Threads within each run.
        deterministic: Whether torch is asked for deterministic algorithms.
        path: Where finished runs are kept; the runs of ``repeat`` may stand in the same place.
        progress: Whether to show a progress bar.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: As for ``repeat``; fewer than two runs of a source that did not fail.

    >>> import numpy as np
    >>> from sklearn.linear_model import SGDClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 3))
    >>> y = X[:, 0] + rng.normal(size=80) > 0
    >>> found = variance_by_source(SGDClassifier(), X, y, metric="accuracy", seed=1, n=4)
    >>> [s.source for s in found.sources]
    ['split', 'init', 'order', 'all']
    """
    asked = ask(
        estimator,
        X,
        y,
        metric=metric,
        seed=seed,
        vary=sources,
        groups=groups,
        test=test,
        test_size=test_size,
        subsample=subsample,
        seeds=seeds,
        better=better,
        bounds=bounds,
        name=name,
        n_jobs=n_jobs,
        threads=threads,
        deterministic=deterministic,
    )
    size = checks.whole(n, name="n", least=2)
    alpha = checks.alpha(level=level, alpha=None)
    chosen, absent = known.varied(sources, asked.there, asked.setup.places)
    varied = {**{s: (s,) for s in chosen}, "all": chosen}
    ways = {
        what: Way(vary, absent, 1, study.planned(asked, vary, size, 1))
        for what, vary in varied.items()
    }
    done = study.carried_out(asked, list(ways.values()), path=path, progress=progress)
    repeats = {what: answer(asked, way, done) for what, way in ways.items()}
    return SourceVariances(
        sources=tuple(_variance(what, found, alpha) for what, found in repeats.items()),
        level=level,
        guarantee="heuristic",
        assumes=(*repeats["all"].assumes, *_ASSUMES),
        repeats=repeats,
        notes=_notes(repeats),
    )


def sd_limits(sd: float, n: int, alpha: float) -> Limits:
    """Limits for the standard deviation of a normal law, from that of n draws of it.

    (n - 1) s^2 / sigma^2 is chi-square with n - 1 degrees of freedom; alpha / 2 on each side.

    >>> tuple(round(limit, 4) for limit in sd_limits(1.0, 25, 0.05))
    (0.7808, 1.3912)
    """
    freedom = n - 1
    most, least = chdtri(freedom, alpha / 2), chdtri(freedom, 1 - alpha / 2)
    return Limits(sd * math.sqrt(freedom / most), sd * math.sqrt(freedom / least))


def _variance(source: str, repeats: Repeats, alpha: float) -> SourceVariance:
    scores = np.array([o.score for o in repeats.outcomes if o.score is not None], np.float64)
    if scores.size < 2 or not np.isfinite(scores).all():
        raise InputError(
            f"{source}: {scores.size} of {len(repeats.outcomes)} runs have a score"
            f"{'' if np.isfinite(scores).all() else ', and some are infinite'}; a standard "
            "deviation needs two finite ones at least.",
            code="NF049",
        )
    n_distinct = np.unique(scores).size
    sd = float(scores.std(ddof=1)) if n_distinct > 1 else 0.0
    limits = sd_limits(sd, scores.size, alpha) if n_distinct > 1 else (None, None)
    return SourceVariance(
        source=source,
        n=len(repeats.outcomes),
        n_failed=int(repeats.n_failed[0]),
        mean=float(scores.mean()),
        sd=sd,
        lower=limits[0],
        upper=limits[1],
        lowest=float(scores.min()),
        highest=float(scores.max()),
        n_distinct=n_distinct,
    )


def _notes(repeats: Mapping[str, Repeats]) -> tuple[str, ...]:
    """The notes of all together, and of each source what befell its runs."""
    own = [
        f"{note[:5]}: {way}: {note[7:]}"
        for way, found in repeats.items()
        for note in found.notes
        if way != "all" and note.startswith(("NF194", "NF196"))
    ]
    return (*repeats["all"].notes, *own)
