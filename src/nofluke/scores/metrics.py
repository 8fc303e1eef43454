"""What is known of a metric by its name: which way it points. Nothing here looks at data."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nofluke.checks import Better

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
_BETTER: dict[str, Better] = {
    **dict.fromkeys(_HIGHER.split(), "higher"),
    **dict.fromkeys(_LOWER.split(), "lower"),
}


def orientation(metric: str | None) -> Better | None:
    """Whether a higher or a lower value of a well-known metric wins; None if it is not known.

    >>> orientation("log_loss"), orientation("Accuracy"), orientation("glorp")
    ('lower', 'higher', None)
    """
    if metric is None:
        return None
    return _BETTER.get(metric.strip().lower().replace("-", "_").replace(" ", "_"))
