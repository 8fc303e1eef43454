"""What is known of a metric by its name: which way it points and what it cannot leave.

Nothing here is guessed from data: the names say it, or the caller does.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from nofluke import checks
from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.checks import Better
    from nofluke.scores.table import Scores

T = TypeVar("T")


def _each(names: str, said: T) -> dict[str, T]:
    return dict.fromkeys(names.split(), said)


_HIGHER = (
    "accuracy acc exact_match em f1 f1_score macro_f1 micro_f1 auc roc_auc average_precision "
    "precision recall bleu rouge rouge_l rouge1 rouge2 chrf comet reward win_rate pass pass@1 "
    "resolved correct mcc kappa ndcg mrr map iou dice r2 throughput preference"
)
_LOWER = (
    "loss log_loss logloss nll cross_entropy brier brier_score perplexity mse rmse mae mape smape "
    "mase wape wql sql crps pinball error error_rate wer cer latency latency_s latency_ms ttft "
    "ttft_s ttft_ms end_to_end_latency_s inter_token_latency_s duration runtime time cost ece"
)
_BETTER: dict[str, Better] = {**_each(_HIGHER, "higher"), **_each(_LOWER, "lower")}

# Right or wrong on one example.
_BINARY = "accuracy acc exact_match em pass pass@1 resolved correct is_correct solved passed"
# Shares of one example's words, pixels, neighbours, pairs or comparisons, and means of such.
_SHARES = (
    "f1 f1_score macro_f1 micro_f1 precision recall meteor iou jaccard dice ndcg mrr map hit_rate "
    "auc roc_auc average_precision win_rate"
)
_ERROR_SHARES = "brier brier_score error_rate mer"
_COSINES = "cosine cosine_similarity"
_CORRELATIONS = (
    "pearson pearsonr spearman spearmanr kendall kendalltau kendall_tau mcc kappa cohen_kappa "
    "quadratic_weighted_kappa qwk"
)
# Usually one number of all examples, which may have been copied to each.
_POOLED = f"{_CORRELATIONS} auc roc_auc average_precision map macro_f1 micro_f1 f1 f1_score"
_ROUGE = re.compile(r"rouge(_?([1-9]|l|lsum|s|su|su4|w))?(_(f|f1|fmeasure|p|precision|r|recall))?")
_AT_K = re.compile(r"(f1|hits?|hit_rate|map|mrr|ndcg|precision|recall)@[0-9]+")
_BOUNDS: dict[str, tuple[float, float]] = {
    **_each(f"{_BINARY} {_SHARES} {_ERROR_SHARES}", (0.0, 1.0)),
    **_each(f"{_COSINES} {_CORRELATIONS}", (-1.0, 1.0)),
}

_CORPUS = (
    "it is computed over all examples at once, so one example has no score of its own to compare"
)
_SCALES = (
    "two scales are in use, from 0 to 1 and from 0 to 100; say which is yours: bounds=(0, 1) or "
    "bounds=(0, 100)"
)
_WHY_NOT: dict[str, str] = {
    **_each(
        "loss log_loss logloss nll cross_entropy perplexity mse rmse mae mape mase wape wql sql "
        "crps pinball latency latency_s latency_ms ttft ttft_s ttft_ms end_to_end_latency_s "
        "inter_token_latency_s duration runtime time cost",
        "it has no highest value: one bad example can cost anything",
    ),
    **_each(
        "wer cer ter",
        "insertions make it exceed 1, so it has no highest value; a bound that your scores do keep "
        'can be declared, and pooled="errors/words" compares the errors per word of the corpus',
    ),
    **_each("bleu sacrebleu sentence_bleu chrf chrf++ sentence_chrf", _SCALES),
    **_each(
        "bertscore bert_score bertscore_f1 bertscore_precision bertscore_recall",
        "raw precision and recall are mean cosines in [-1, 1], but their harmonic mean F1 has no "
        "lowest value where the two differ in sign, and rescaled scores go as low as the baseline "
        "makes them; declare what yours cannot leave",
    ),
    **_each(
        "ece corpus_bleu corpus_chrf corpus_ter corpus_f1 corpus_spearman corpus_pearson "
        "corpus_kendall",
        _CORPUS,
    ),
    "r2": "it has a highest value, 1, and no lowest",
    "throughput": "it has no highest value",
    "smape": "several scales are in use, up to 1, 2, 100 or 200; say which is yours",
    "error": "it may be a wrong answer, 0 or 1, or the size of a deviation, which has no bounds; "
    "for the former declare bounds=(0, 1)",
    "reward": "a reward has the scale that its model was given; declare it if it has bounds",
    "comet": "its models are regressions, whose scores leave any range now and then",
    "preference": "judges use several scales, such as 0 to 1 and 1 to 2; say which is yours",
}
_PRESUMED: dict[str, str] = {
    **_each(
        _POOLED,
        "each example must have one of its own: a number of the whole corpus is no score of an "
        "example",
    ),
    **_each(
        "brier brier_score",
        "the outcome of an example must be yes or no; summed over several classes the score "
        "reaches 2: bounds=(0, 2)",
    ),
}
# Beside the orientation that readers go by: names of which they would make no score column.
_ALSO: dict[str, Better] = {
    **_each("ter mer", "lower"),
    **_each(f"{_BINARY} {_SHARES} {_COSINES} {_CORRELATIONS}", "higher"),
    **_each("sacrebleu sentence_bleu chrf++ sentence_chrf bertscore bert_score", "higher"),
    **_each("bertscore_f1 bertscore_precision bertscore_recall", "higher"),
    **_each("corpus_bleu corpus_chrf corpus_f1", "higher"),
    **_each("corpus_spearman corpus_pearson corpus_kendall", "higher"),
    "corpus_ter": "lower",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """What the name of a metric says.

    Attributes:
        name: The name in lower case with underscores; None if there was none.
        better: "higher" or "lower" wins; None if that is not known.
        bounds: Lowest and highest score that one example can have by the metric's meaning; None
            if there are none, if conventions differ, or if the metric is not known.
        binary: Whether one example is right or wrong, 0 or 1, by the metric's meaning. Scores that
            are averages of several runs lie between.
        reason: Why there are no bounds, or what the bounds presume; "" where there is nothing to
            say.
    """

    name: str | None
    better: Better | None
    bounds: tuple[float, float] | None
    binary: bool
    reason: str


def orientation(metric: str | None) -> Better | None:
    """Whether a higher or a lower value of a well-known metric wins; None if it is not known.

    >>> orientation("log_loss"), orientation("Accuracy"), orientation("glorp")
    ('lower', 'higher', None)
    """
    if metric is None:
        return None
    return _BETTER.get(_key(metric))


def known(metric: str | None) -> Metric:
    """What is known of a metric: a record with gaps where nothing is.

    Args:
        metric: Its name, in any case of letters.

    >>> known("Exact-Match").bounds, known("spearman").bounds, known("wer").bounds
    ((0.0, 1.0), (-1.0, 1.0), None)
    >>> known("bleu").reason
    'two scales are in use, from 0 to 1 and from 0 to 100; say which is yours: bounds=(0, 1) or bounds=(0, 100)'
    """  # noqa: E501 (the text is one line)
    if metric is None:
        return Metric(name=None, better=None, bounds=None, binary=False, reason="")
    key = _key(metric)
    share = _AT_K.fullmatch(key) is not None or _ROUGE.fullmatch(key) is not None
    bounds = (0.0, 1.0) if share else _BOUNDS.get(key)
    reason = _WHY_NOT.get(key) or _PRESUMED.get(key, "")
    if bounds is None and not reason:
        reason = "nothing is known of a metric of this name"
    return Metric(
        name=key,
        better=_BETTER.get(key) or _ALSO.get(key) or ("higher" if share else None),
        bounds=bounds,
        binary=key in _BINARY.split(),
        reason=reason,
    )


def bounds_of(
    scores: Scores,
    bounds: Sequence[float] | None = None,
    *,
    candidates: Sequence[str] | None = None,
) -> tuple[float, float]:
    """Lowest and highest possible score: as said now, as the table says, or as the metric means.

    The bounds are a promise about scores not yet seen, so they are never taken from the scores;
    these are checked against them, and neither clipped nor rescaled. Failed rows and filled gaps
    are not: they count as the worst score there is, which the bounds define.

    Args:
        scores: The table.
        bounds: Lowest and highest possible score, if the caller says; it has the last word.
        candidates: Whose scores are checked; everybody's by default.

    Raises:
        InputError: No bounds are declared and the metric has none, or is not known; bounds that
            are not finite; scores outside the bounds; a number of the whole corpus as a score.

    >>> from nofluke import Scores
    >>> bounds_of(Scores.from_arrays([[1, 0], [1, 1]], metric="accuracy"))
    (0.0, 1.0)
    """
    metric = known(scores.metric)
    limits = checks.bounds(bounds) or scores.bounds or metric.bounds
    if limits is None:
        raise _no_bounds(metric, failed=scores.failed is not None and bool(scores.failed.any()))
    low, high = limits
    if not (math.isfinite(low) and math.isfinite(high)):
        raise InputError(
            f"bounds=({low:g}, {high:g}) are not finite; no finite-sample statement about a mean "
            "exists without a lowest and a highest possible score.",
            code="NF016",
        )
    looked = _measured(scores, candidates)
    scores.refuse_outside(low, high, among=looked)
    if metric.name in _POOLED.split():
        _refuse_copies(scores, looked, low, high)
    return low, high


def _key(metric: str) -> str:
    return metric.strip().lower().replace("-", "_").replace(" ", "_")


def _no_bounds(metric: Metric, *, failed: bool) -> InputError:
    if metric.name is None:
        return InputError(
            "bounds= is not declared and the scores name no metric: say the lowest and highest "
            "possible score, such as bounds=(0, 1), or the metric. Taken from the scores they "
            "would promise nothing.",
            code="NF016",
        )
    otherwise = (
        "else a failed row is infinite, and there is no mean to compare: ask certify for quantiles."
        if failed
        else "else a comparison with method='t' needs none and is labelled asymptotic."
    )
    return InputError(
        f"the metric {metric.name!r} has no bounds to go by: {metric.reason}. If its scores cannot "
        f"leave a range by their meaning, declare it: bounds=(low, high); {otherwise}",
        code="NF019",
    )


def _measured(scores: Scores, candidates: Sequence[str] | None) -> NDArray[np.bool_]:
    """Which rows hold a score that was measured, of these candidates."""
    looked = np.ones(scores.values.size, np.bool_)
    if candidates is not None:
        wanted = np.array([c in candidates for c in scores.candidates])
        looked = np.repeat(wanted, scores.n)
    for stand_ins in (scores.failed, scores.filled):
        if stand_ins is not None:
            looked &= ~stand_ins
    return looked


def _refuse_copies(scores: Scores, looked: NDArray[np.bool_], low: float, high: float) -> None:
    """Refuse one number of the whole corpus that was copied to every example."""
    ends = zip(scores.starts[:-1].tolist(), scores.starts[1:].tolist(), strict=True)
    samples = [scores.values[a:b][looked[a:b]] for a, b in ends]
    samples = [s for s in samples if s.size > 1]
    inside = any(low < s[0] < high for s in samples)
    if samples and inside and all((s == s[0]).all() for s in samples):
        raise InputError(
            f"every example has the same {scores.metric!r}, {samples[0][0]:g}, as if one number of "
            f"the whole corpus had been copied to each: {_CORPUS}. Give scores of single examples.",
            code="NF019",
        )
