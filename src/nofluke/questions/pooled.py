"""`compare_pooled`: two candidates by a statistic of the whole corpus, resampled in pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import clusters, resampling
from nofluke.kernels.student import Limits
from nofluke.questions import corpus_statistics
from nofluke.questions.corpora import Corpora, paired, refuse_gaps
from nofluke.questions.pooled_answer import Estimate, PooledComparison
from nofluke.scores.sides import check_two, two_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.corpus_statistics import Columns, CorpusStatistic
    from nofluke.scores.sourced import Sourced
    from nofluke.scores.table import Scores

_ALTERNATIVES = ("better", "worse", "different")
_MISSING = ("raise", "common")
_FEW = 50  # units; with fewer the bootstrap of a skewed statistic misses visibly more than it says


def compare_pooled(
    scores: Scores | Sourced,
    a: str,
    b: str,
    statistic: str | Callable[[Mapping[str, NDArray[np.float64]]], float],
    *,
    alpha: float = 0.05,
    alternative: str = "different",
    better: str | None = None,
    n_resamples: int = 2000,
    seed: int | np.random.Generator = 0,
    missing: str = "raise",
) -> PooledComparison:
    """The difference b minus a of a statistic that only a whole corpus has.

    Corpus WER, BLEU or a rank correlation are no means over items, so no method for means applies
    to them. Items are resampled in pairs, the same ones for both sides, and whole clusters where
    the table has clusters; the answer is ``asymptotic``. For a ratio of sums the mean of the
    items' own ratios is shown beside it: long items weigh more in the one and not in the other.

    Args:
        scores: The table or source, read with ``keep=`` of the columns that the statistic needs.
        a: Id of one candidate.
        b: Id of the other; the difference is b minus a.
        statistic: "errors/words" (sum of one column over the sum of another), "pearson:x,y",
            "spearman:x,y", "bleu:m1,m2,m3,m4,t1,t2,t3,t4,sys,ref" (per-item counts of matched
            n-grams, of n-grams, and lengths; from 0 to 100, no smoothing), or a function from a
            mapping of column arrays to a number. The column "score" is the score itself.
        alpha: Error level of each interval; one-sided alternatives spend all of it on one limit.
        alternative: "different", or "better" or "worse" for b against a.
        better: "higher" or "lower": which way the statistic is better, whatever the score is; known
            for correlations and BLEU, and needed for "better" and "worse" only.
        n_resamples: Bootstrap resamples.
        seed: Seed or generator of the resamples.
        missing: "raise" refuses items that only one side has; "common" leaves them out.

    Returns:
        The difference with BCa limits (which decide), percentile and jackknife limits. Limits are
        infinite where the resamples do not vary.

    Raises:
        InputError: Unknown ids, columns or words; unpaired items; a statistic that is undefined
            on the corpus.

    Source: Efron 1987 (BCa); Koehn 2004 (paired resampling of a corpus).

    >>> from dataclasses import replace
    >>> import numpy as np
    >>> from nofluke import Scores
    >>> rng = np.random.default_rng(0)
    >>> words = rng.integers(5, 30, 200).astype(float)
    >>> errors = rng.binomial(words.astype(int), [[0.2], [0.1]]).astype(float)
    >>> s = Scores.from_arrays(errors / words, candidates=["old", "new"], better="lower")
    >>> s = replace(s, kept={"errors": errors.ravel(), "words": np.tile(words, 2)})
    >>> how = {"alternative": "better", "better": "lower"}
    >>> answer = compare_pooled(s, "old", "new", "errors/words", **how)
    >>> answer.verdict, round(answer.a, 3), round(answer.b, 3)
    ('yes', 0.212, 0.104)
    """
    scores = two_of(scores, a, b)
    check_two(scores, a, b)
    asked = _Asked.understood(
        scores,
        statistic,
        alpha=alpha,
        alternative=alternative,
        better=better,
        n_resamples=n_resamples,
        missing=missing,
    )
    corpora = paired(scores, a, b, asked.statistic.columns, missing)
    if isinstance(statistic, str):  # a function may know what to do with gaps
        refuse_gaps(corpora)
    rng = checks.generator(seed)
    question = {
        "a": a,
        "b": b,
        "statistic": asked.statistic.name,
        "alpha": asked.alpha,
        "alternative": alternative,
        "better": asked.better,
        "n_resamples": asked.n_resamples,
        "seed": None if isinstance(seed, np.random.Generator) else int(seed),
        "missing": missing,
    }
    return _answer(asked, corpora, rng, question, scores.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The choices as they were understood."""

    statistic: CorpusStatistic
    alpha: float
    alternative: str
    better: checks.Better | None
    side: checks.Side
    n_resamples: int

    @classmethod
    def understood(
        cls,
        scores: Scores,
        statistic: str | Callable[[Columns], float],
        *,
        alpha: float,
        alternative: str,
        better: str | None,
        n_resamples: int,
        missing: str,
    ) -> _Asked:
        known = tuple(dict.fromkeys([*scores.kept, "score"]))
        found = corpus_statistics.understood(statistic, known)
        checks.choice(alternative, _ALTERNATIVES, name="alternative")
        checks.choice(missing, _MISSING, name="missing")
        # The table's orientation is that of the score, and a statistic of other columns may differ.
        way = better if better is not None else found.better
        side = _side(alternative, way)
        alpha = checks.fraction(alpha, name="alpha")
        return cls(
            statistic=found,
            alpha=alpha,
            alternative=alternative,
            better=None if way is None else checks.better(way),
            side=side,
            n_resamples=_enough(n_resamples, checks.tail(alpha, side)),
        )


def _side(alternative: str, better: str | None) -> checks.Side:
    """The side on which the difference must be bounded to show the alternative."""
    if alternative == "different":
        return "both"
    upwards = (checks.better(better) == "higher") == (alternative == "better")
    return "lower" if upwards else "upper"


def _enough(n_resamples: int, tail: float) -> int:
    B = checks.whole(n_resamples, name="n_resamples")
    if tail * (B + 1) < 1:
        raise InputError(
            f"n_resamples={B} cannot show a limit at the level {tail:g}: the most extreme resample "
            f"is not extreme enough; take at least {math.ceil(10 / tail)}.",
            code="NF008",
        )
    return B


def _answer(
    asked: _Asked,
    corpora: Corpora,
    rng: np.random.Generator,
    question: Mapping[str, Any],
    digest: str,
) -> PooledComparison:
    figures = _figures(asked.statistic, corpora)
    replicates, left_out = _resampled(asked, corpora, rng)
    bca, percentile, jackknife = _pooled(asked, corpora, figures, replicates, left_out)
    per_item, told = _per_item(asked, corpora)
    return PooledComparison(
        guarantee="asymptotic",
        assumes=(
            f"{corpora.unit}s are independent draws from the cases that matter",
            "there are many of them, and no few carry the statistic",
        ),
        n=corpora.n,
        digest=digest,
        notes=(
            *corpora.notes,
            *told,
            *_disagreement(jackknife, per_item),
            *_blind_spots(corpora, replicates),
        ),
        question=question,
        statistic=asked.statistic.name,
        names=corpora.names,
        bca=bca,
        percentile=percentile,
        jackknife=jackknife,
        per_item=per_item,
        unit=corpora.unit,
        n_units=corpora.n_units,
        alpha=asked.alpha,
        alternative=asked.alternative,
        better=asked.better,
    )


def _figures(statistic: CorpusStatistic, corpora: Corpora) -> tuple[float, float]:
    """The statistic of each side's corpus."""
    if statistic.ratio:
        _refuse_negative(corpora, statistic.columns[1])
    a, b = float(statistic.value(corpora.a)), float(statistic.value(corpora.b))
    for name, figure in zip(corpora.names, (a, b), strict=True):
        if not math.isfinite(figure):
            raise InputError(
                f"{statistic.name} of {name!r} is {figure} on the whole corpus of {corpora.n} "
                "items: a sum of 0 below the line, or a column that does not vary.",
                code="NF026",
            )
    return a, b


def _refuse_negative(corpora: Corpora, column: str) -> None:
    for name, columns in zip(corpora.names, (corpora.a, corpora.b), strict=True):
        bad = np.flatnonzero(columns[column] < 0)
        if bad.size:
            raise InputError(
                f"column {column!r} of {name!r} is negative for {bad.size} items: "
                f"{some(corpora.items[i] for i in bad.tolist())}; what is divided by must count "
                "something.",
                code="NF026",
            )


def _resampled(
    asked: _Asked, corpora: Corpora, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Differences on resamples, and with one unit (or group of units) left out."""
    statistic, G = asked.statistic, corpora.n_units
    parts, combine = statistic.parts, statistic.combine
    if parts is not None and combine is not None:
        sides = [_by_unit(parts(columns), corpora.codes) for columns in (corpora.a, corpora.b)]
        both, k = np.hstack(sides), sides[0].shape[1]
        sums = resampling.bootstrap_sums(both, asked.n_resamples, rng)
        rest = resampling.jackknife_sums(both)
        return (
            combine(sums[:, k:]) - combine(sums[:, :k]),
            combine(rest[:, k:]) - combine(rest[:, :k]),
        )

    def difference(units: NDArray[np.int64]) -> float:
        rows = resampling.rows_of_clusters(units, corpora.codes)
        a, b = ({name: c[rows] for name, c in side.items()} for side in (corpora.a, corpora.b))
        return float(statistic.value(b)) - float(statistic.value(a))

    drawn = resampling.bootstrap_rows(difference, G, asked.n_resamples, rng)
    if G == 1:
        return drawn, np.full(1, math.nan)
    return drawn, resampling.jackknife(difference, G)


def _by_unit(parts: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sums within units, shape (n, k) -> (G, k)."""
    if codes.size == codes.max() + 1:
        return parts
    return np.column_stack([np.bincount(codes, weights=column) for column in parts.T])


def _pooled(
    asked: _Asked,
    corpora: Corpora,
    figures: tuple[float, float],
    replicates: NDArray[np.float64],
    left_out: NDArray[np.float64],
) -> tuple[Estimate, Estimate, Estimate]:
    """The difference with BCa, percentile and jackknife limits."""
    a, b = figures
    estimate, alpha, side = b - a, asked.alpha, asked.side
    bend = resampling.acceleration(left_out.mean() - left_out)
    nothing = Limits(-math.inf, math.inf)
    bca = percentile = jackknife = nothing
    if _varies(replicates):
        bca = resampling.limits(replicates, estimate, alpha, side, bend)
        percentile = resampling.limits(replicates, estimate, alpha, side, None)
        jackknife = resampling.jackknife_interval(left_out, estimate, alpha, side)
    spread = float(np.nanstd(replicates, ddof=1)) if _varies(replicates) else math.nan
    se = resampling.jackknife_se(left_out) if left_out.size > 1 else math.nan

    def with_limits(method: str, found: Limits, error: float) -> Estimate:
        return Estimate("pooled", method, a, b, estimate, error, *found, corpora.n)

    return (
        with_limits("bca", bca, spread),
        with_limits("percentile", percentile, spread),
        with_limits("jackknife", jackknife, se),
    )


def _varies(replicates: NDArray[np.float64]) -> bool:
    """Whether the resamples differ by more than rounding."""
    known = replicates[~np.isnan(replicates)]
    return known.size > 1 and float(np.ptp(known)) > 1e-12 * float(np.abs(known).max())


def _per_item(asked: _Asked, corpora: Corpora) -> tuple[Estimate | None, tuple[str, ...]]:
    """The mean of the items' own ratios, and who has none."""
    if not asked.statistic.ratio:
        return None, ()
    above, below = asked.statistic.columns
    whole = (corpora.a[below] > 0) & (corpora.b[below] > 0)
    notes: tuple[str, ...] = ()
    if not whole.all():
        out = [corpora.items[i] for i in np.flatnonzero(~whole).tolist()]
        notes = (
            f"NF150: {len(out)} items have {below} = 0 and no ratio of their own: {some(out)}. "
            "They count in the pooled figure and are left out of the mean of items.",
        )
    if not whole.any():
        return None, notes
    a, b = (side[above][whole] / side[below][whole] for side in (corpora.a, corpora.b))
    d = b - a
    codes = np.unique(corpora.codes[whole], return_inverse=True)[1].astype(np.int64)
    low, high = clusters.t_interval(d, codes, asked.alpha, asked.side)
    se = clusters.cluster_se(d, codes)
    method = "t" if corpora.unit == "item" else "t, clusters"
    n = int(whole.sum())
    return Estimate(
        "per item", method, float(a.mean()), float(b.mean()), float(d.mean()), se, low, high, n
    ), notes


def _disagreement(pooled: Estimate, per_item: Estimate | None) -> tuple[str, ...]:
    """A caution where the corpus and its items tell different stories."""
    if per_item is None:
        return ()
    apart = abs(pooled.estimate - per_item.estimate)
    opposite = pooled.estimate * per_item.estimate < 0
    if not opposite and not apart > pooled.se + per_item.se:
        return ()
    how = "in sign" if opposite else "by more than their standard errors together"
    return (
        f"NF150: the pooled difference {pooled.estimate:.4g} and the mean of the items' own "
        f"differences {per_item.estimate:.4g} disagree {how}. Long items decide the first, every "
        "item counts alike in the second; say which one was meant before quoting either.",
    )


def _blind_spots(corpora: Corpora, replicates: NDArray[np.float64]) -> tuple[str, ...]:
    """What resampling cannot show with these data."""
    notes = []
    if not _varies(replicates):
        notes.append(
            "NF151: all resamples give the same difference, so resampling says nothing about how "
            "far the truth may be from it; no limits are given."
        )
    elif corpora.n_units < _FEW:
        notes.append(
            f"NF151: there are only {corpora.n_units} {corpora.unit}s; bootstrap limits from so "
            "few are too narrow and miss more often than they say."
        )
    undefined = int(np.isnan(replicates).sum())
    if undefined:
        notes.append(
            f"NF151: the statistic is undefined on {undefined} of {replicates.size} resamples; "
            "they count as whatever would widen the interval."
        )
    return tuple(notes)
