"""Areas under ROC curves: variance, differences, resamples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from benchmarks.peers.contests import Contender, Contest, ours

TOPIC = "Areas under ROC curves"


def rows(n: int, candidates: int = 1):
    """Labels, shape (n,), and scores that tell something, shape (candidates, n)."""
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.3
    return y, rng.normal(size=(candidates, n)) + y


def contests() -> Iterator[Contest]:
    """Area, interval, paired test, resamples."""
    for n in (3_450, 100_000, 1_000_000):
        yield _area(n)
    for n in (3_450, 1_000_000):
        yield _pair(n)
    yield _bootstrap(10_000)


def _area(n: int) -> Contest:
    y, (s,) = rows(n)
    whole = y.astype(int)

    def here():
        from nofluke.classify import curves

        return lambda: curves.auc_interval(y, s, method="delong")

    def sklearn_():
        from sklearn.metrics import roc_auc_score

        return lambda: roc_auc_score(y, s)

    def ci():
        from confidenceinterval import roc_auc_score

        return lambda: roc_auc_score(whole, s)

    def floor():
        return np.sort(s[y]), np.sort(s[~y])

    return Contest(
        topic=TOPIC,
        question=f"Area with DeLong's interval, {n:,} rows",
        contenders=(
            ours(
                'classify.curves.auc_interval(y, s, method="delong")',
                here,
                says=lambda found: found.estimate,
            ),
            Contender(
                who="scikit-learn",
                how="metrics.roc_auc_score(y, s)",
                ready=sklearn_,
                says=float,
                note="the area alone, without an interval",
            ),
            Contender(
                who="confidenceinterval",
                how="roc_auc_score(y, s)",
                ready=ci,
                says=lambda found: float(found[0]),
            ),
        ),
        tolerance=1e-6,
        floor=floor if n > 10_000 else None,
        floor_is="sorting positives and negatives with numpy",
    )


def _pair(n: int) -> Contest:
    y, (a, b) = rows(n, 2)
    whole = y.astype(int)

    def here():
        from nofluke.classify import curves

        return lambda: curves.compare_auc(y, a, b)

    def theirs():
        from MLstatkit import Delong_test

        return lambda: Delong_test(whole, a, b)

    return Contest(
        topic=TOPIC,
        question=f"DeLong's paired test of two areas, {n:,} rows",
        contenders=(
            ours("classify.curves.compare_auc(y, a, b)", here, says=lambda found: found.pvalue),
            Contender(
                who="MLstatkit",
                how="Delong_test(y, a, b)",
                ready=theirs,
                says=lambda found: float(found[1]),
            ),
        ),
        # Ours refers to Student's t, MLstatkit to the normal law: alike, not equal.
        tolerance=0.02,
    )


def _bootstrap(n: int) -> Contest:
    y, (s,) = rows(n)
    whole = y.astype(int)

    def here():
        from nofluke.classify import curves

        return lambda: curves.auc_interval(y, s, method="bootstrap", n_resamples=2000)

    def ci():
        from confidenceinterval import roc_auc_score

        how = {"method": "bootstrap_percentile", "n_resamples": 2000}
        return lambda: roc_auc_score(whole, s, 0.95, **how)

    def mlstatkit():
        from MLstatkit import Bootstrapping

        return lambda: Bootstrapping(whole, s, metric_str="roc_auc", n_bootstraps=2000)

    return Contest(
        topic=TOPIC,
        question=f"2,000 resamples of an area, {n:,} rows",
        contenders=(
            ours('classify.curves.auc_interval(y, s, method="bootstrap")', here),
            Contender(
                who="confidenceinterval", how='roc_auc_score(.., "bootstrap_percentile")', ready=ci
            ),
            Contender(who="MLstatkit", how='Bootstrapping(y, s, "roc_auc")', ready=mlstatkit),
        ),
    )
