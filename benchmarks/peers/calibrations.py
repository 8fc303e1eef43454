"""Calibration: the parts of a score, and smooth errors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from benchmarks.peers.contests import Contender, Contest, ours

TOPIC = "Calibration"


def forecasts(n: int):
    """Labels and forecasts that are a little too sure, shape (n,) each."""
    rng = np.random.default_rng(n)
    p = rng.random(n)
    return rng.random(n) < 0.1 + 0.8 * p, p


def contests() -> Iterator[Contest]:
    """CORP parts, isotonic fit, smooth error."""
    for n in (8_886, 100_000):
        yield _parts(n)
    yield _smooth(8_886)


def _parts(n: int) -> Contest:
    y, p = forecasts(n)
    real = y.astype(float)

    def here():
        from nofluke.classify import calibration

        return lambda: calibration.corp(y, p, n_resamples=0)

    def diagnostics():
        from model_diagnostics.scoring import SquaredError, decompose

        score = SquaredError()
        return lambda: decompose(real, p, scoring_function=score)

    def sklearn_():
        from sklearn.isotonic import IsotonicRegression

        return lambda: IsotonicRegression().fit(p, real)

    return Contest(
        topic=TOPIC,
        question=f"Brier score in its three parts by an isotonic fit, {n:,} rows",
        contenders=(
            ours(
                "classify.calibration.corp(y, p, n_resamples=0)",
                here,
                says=lambda found: found.miscalibration,
            ),
            Contender(
                who="model-diagnostics",
                how="scoring.decompose(y, p, SquaredError())",
                ready=diagnostics,
                says=lambda found: float(found["miscalibration"][0]),
            ),
            Contender(
                who="scikit-learn",
                how="isotonic.IsotonicRegression().fit(p, y)",
                ready=sklearn_,
                note="the fit alone",
            ),
        ),
        tolerance=1e-8,
        floor=lambda: np.sort(p),
        floor_is="sorting the forecasts with numpy",
        within=10.0,
    )


def _smooth(n: int) -> Contest:
    y, p = forecasts(n)

    def here():
        from nofluke.classify import calibration

        return lambda: calibration.smooth_ece(y, p)

    def theirs():
        from relplot import smECE

        real = y.astype(float)
        return lambda: smECE(p, real)

    return Contest(
        topic=TOPIC,
        question=f"Smooth calibration error, {n:,} rows",
        contenders=(
            ours("classify.calibration.smooth_ece(y, p)", here, says=lambda found: found.value),
            Contender(
                who="relplot",
                how="smECE(p, y)",
                ready=theirs,
                says=float,
                note="on a grid, right to about the third digit",
            ),
        ),
        tolerance=0.03,
    )
