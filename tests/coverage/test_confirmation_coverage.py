"""How often all statements of a confirmation hold at once, where the truth is known."""

import numpy as np
import pytest
from scipy.stats import norm

from nofluke.guard import confirmation, holdouts, metrics, policies, uploads

ALPHA = 0.1


def drawn(rng, metric, n):
    """Labels, predictions of the finalists, and their true scores."""
    y = rng.integers(0, 2, n)
    rates = (0.8, 0.85)
    if metric == "accuracy":
        noise = rng.random(n)  # the finalists err on the same hard rows
        said = [np.where(noise < rate, y, 1 - y).astype(float) for rate in rates]
        return y, said, np.array(rates)
    shifts = (0.5, 1.0, 1.0)
    said = [y * shift + rng.standard_normal(n) for shift in shifts]
    return y, said, norm.cdf(np.array(shifts) / np.sqrt(2))


@pytest.mark.parametrize("metric", ["accuracy", "auc"])
def test_all_statements_hold_at_once(metric):
    rng, n, missed = np.random.default_rng(8), 120, 0
    runs = 400 if metric == "auc" else 120  # limits of differences take time
    policy = policies.from_spec({"metric": metric, "alpha": ALPHA})
    for _ in range(runs):
        y, said, truth = drawn(rng, metric, n)
        ids = [f"r{i:03d}" for i in range(n)]
        hidden = holdouts.of_texts(
            ids,
            y.astype(str).tolist(),
            metric=metrics.METRICS[metric],
            confirm=0.5,
            entropy=rng.bytes,
        )
        finalists = {
            name: uploads.of_texts(
                [repr(float(v)) for v in values], hidden, kind=policy.kind.prediction
            )
            for name, values in zip("abc", said, strict=False)
        }
        found = confirmation.confirm(policy, hidden, finalists)
        scores = zip(found.scores.values(), truth, strict=True)
        differences = zip(found.differences.values(), truth[1:] - truth[0], strict=True)
        held = [lim.lower <= t <= lim.upper for lim, t in (*scores, *differences)]
        missed += not all(held)
    # Binomial: five standard errors above the error level.
    assert missed / runs <= ALPHA + 5 * np.sqrt(ALPHA * (1 - ALPHA) / runs)
