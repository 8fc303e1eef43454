"""The main kernels and questions, with what of them grows and how fast it may.

Data are drawn from the size, so that the same is timed everywhere. Levels that are kept between
calls are asked for anew each time: a call that only looks something up would show nothing. Those
that are kept on disk are found again, too, unless NOFLUKE_CACHE is empty.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import nofluke
from nofluke import Predictions, Scores, bands, means, permutation, selective
from nofluke.classify import auc_intervals, calibration, precision_recall, roc
from nofluke.kernels import crossing, levels
from nofluke.ledger import chain, events, release
from nofluke.scores import pairing
from nofluke.selection import bbc_cv
from nofluke.studies.growth import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_FRESH = count()  # so that no level is asked for twice
_DECADES = (1_000, 10_000, 100_000, 1_000_000)
_ROWS = (100, 1_000, 10_000, 100_000)  # of questions, which do more for each row
_CANDIDATES = (4, 40, 400, 4_000)
_MODELS = (2, 20, 200, 2_000)  # of what takes long for each, or for each pair


def _uniform(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(n).random(n)


def _labelled(n: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.3
    return y, rng.normal(size=n) + y


def _scores(candidates: int, examples: int) -> Scores:
    x = np.random.default_rng(candidates).random((candidates, examples))
    return Scores.from_arrays(x, better="higher", bounds=(0, 1))


def _predictions(candidates: int, n: int) -> Predictions:
    rng = np.random.default_rng(n)
    y = rng.random(n) < 0.3
    of_each = {f"m{k}": 1 / (1 + np.exp(-rng.normal(size=n) - y)) for k in range(candidates)}
    return Predictions.from_arrays(y.astype(int), of_each, positive=1)


def _band(n: int) -> Callable[[], object]:
    x = _uniform(n)
    return lambda: bands.dkw(x, level=0.95)


def _crossing(n: int) -> Callable[[], object]:
    lower = levels.boundary("berk_jones", n, 1e-3, "both")
    return lambda: crossing.crossing_probability(lower, gap=lower[::-1])


def _level(n: int) -> Callable[[], object]:
    return lambda: levels.critical_level("berk_jones", n, 0.05 + 1e-9 * next(_FRESH))


def _betting(n: int) -> Callable[[], object]:
    x = _uniform(n)
    return lambda: means.star(x, bounds=(0, 1), level=0.95)


def _bootstrap(n: int) -> Callable[[], object]:
    x = _uniform(n)
    return lambda: means.bootstrap(x, level=0.95, n_resamples=200)


def _sign_flip(n: int) -> Callable[[], object]:
    x = _uniform(n) - 0.5
    return lambda: permutation.sign_flip(x, n_resamples=200)


def _area(n: int) -> Callable[[], object]:
    y, s = _labelled(n)
    return lambda: auc_intervals.auc_interval(y, s, level=0.95)


def _area_of_clusters(n: int) -> Callable[[], object]:
    y, s = _labelled(4 * n)
    codes = np.arange(4 * n) // 4
    return lambda: auc_intervals.auc_interval(y, s, level=0.95, clusters=codes, method="obuchowski")


def _precision(n: int) -> Callable[[], object]:
    y, s = _labelled(n)
    return lambda: precision_recall.average_precision(y, s, method="boyd")


def _roc(n: int) -> Callable[[], object]:
    y, s = _labelled(n)
    return lambda: roc.roc(y, s)


def _calibration(n: int) -> Callable[[], object]:
    y, s = _labelled(n)
    p = 1 / (1 + np.exp(-s))
    return lambda: calibration.corp(y, p, n_resamples=99)


def _psdme(n: int) -> Callable[[], object]:
    return lambda: selective.psdme(K=n, delta=0.1 + 1e-9 * next(_FRESH)).alpha(n)


def _choice(n: int) -> Callable[[], object]:
    x = np.random.default_rng(n).random((100, n))
    return lambda: bbc_cv(x, better="higher", seed=1, n_resamples=100)


def _table(n: int) -> Callable[[], object]:
    x = np.random.default_rng(n).random((2, n))
    return lambda: Scores.from_arrays(x, better="higher")


def _pairs(n: int) -> Callable[[], object]:
    scores = _scores(2, n)
    return lambda: pairing.pair(scores, "0", "1")


def _read(n: int) -> Callable[[], object]:
    lines = (f"m{k},e{i},{(7 * i + k) % 10}" for k in range(2) for i in range(n))
    handle, name = tempfile.mkstemp(suffix=".csv")
    os.close(handle)
    path = Path(name)
    path.write_text("\n".join(["candidate,example,score", *lines, ""]), encoding="utf-8")

    def call() -> object:
        return nofluke.read(path, better="higher")

    weakref.finalize(call, path.unlink)
    return call


def _ledger(n: int) -> Callable[[], object]:
    lines, previous = [], events.NOTHING
    for seq in range(1, n + 1):
        event = events.sealed(
            seq=seq,
            time="2026-01-01T00:00:00.000Z",
            who="ann",
            kind="note",
            body={"text": "x" * 50, "n": seq},
            previous=previous,
        )
        previous = event.digest
        lines.append(event.line())
    return lambda: chain.check(lines)


def _look(n: int) -> Callable[[], object]:
    rng = np.random.default_rng(n)
    first, second = (
        release.Submission((rng.random(n) < share).astype(float)) for share in (0.4, 0.5)
    )
    _, state = release.look(release.Ladder(n=n, looks=1000), first)
    return lambda: release.look(state, second)


def _certify(candidates: int, examples: int) -> Callable[[], object]:
    scores = _scores(candidates, examples)
    return lambda: nofluke.certify(scores, "top:2")


def _compare(n: int) -> Callable[[], object]:
    scores = _scores(2, n)
    return lambda: nofluke.compare(scores, "0", "1")


def _compare_clusters(n: int) -> Callable[[], object]:
    x = np.random.default_rng(n).random((2, 4 * n))
    scores = Scores.from_arrays(
        x, better="higher", bounds=(0, 1), cluster=[f"c{i // 4}" for i in range(4 * n)]
    )
    return lambda: nofluke.compare(scores, "0", "1", clusters=True)


def _rank(candidates: int, examples: int) -> Callable[[], object]:
    scores = _scores(candidates, examples)
    return lambda: nofluke.rank(scores)


def _classifier(candidates: int, n: int) -> Callable[[], object]:
    predictions = _predictions(candidates, n)
    return lambda: nofluke.classifier(predictions, threshold=0.5)


def _runs(n: int) -> Callable[[], object]:
    x = np.random.default_rng(n).normal(size=n)
    return lambda: nofluke.runs(x, quantile=0.1, better="higher")


def _champion(n: int) -> Callable[[], object]:
    values = np.random.default_rng(n).normal(size=n).tolist()
    entries = {f"seed-{i}": value for i, value in enumerate(values)}
    return lambda: nofluke.champion(entries, better="higher")


SUBJECTS = (
    Subject("band for a distribution", "rows", 1.15, _band, _DECADES, (20_000, 200_000)),
    Subject(
        "crossing probability", "rows", 1.1, _crossing, (10, 100, 1_000, 10_000), (1_000, 16_000)
    ),
    Subject("critical level", "rows", 0.95, _level, (10, 100, 1_000, 10_000), (1_000, 8_000)),
    Subject("mean by betting", "rows", 0.85, _betting, _DECADES, (4_000, 32_000)),
    Subject("bootstrap of a mean", "rows", 0.95, _bootstrap, _DECADES, (10_000, 80_000)),
    Subject("sign flips", "rows", 1, _sign_flip, _DECADES, (2_000, 20_000)),
    Subject("area, with variance", "rows", 1.1, _area, _DECADES, (20_000, 160_000)),
    Subject("area of clusters", "clusters", 1.05, _area_of_clusters, _ROWS, (5_000, 40_000)),
    Subject("average precision", "rows", 1.1, _precision, _DECADES, (20_000, 160_000)),
    Subject("ROC curve", "rows", 1.15, _roc, _DECADES, (20_000, 160_000)),
    Subject("calibration curve", "rows", 0.9, _calibration, _ROWS, (1_000, 8_000)),
    Subject("PS-DME levels", "candidates", 1, _psdme, _DECADES, (20_000, 160_000)),
    Subject("bootstrap of a choice", "candidates", 0.8, _choice, _CANDIDATES, (500, 4_000)),
    Subject("table from arrays", "rows", 1.1, _table, _DECADES, (10_000, 80_000)),
    Subject("pairs of two candidates", "rows", 0.95, _pairs, _ROWS, (2_000, 16_000)),
    Subject("reading a CSV", "rows", 0.7, _read, _ROWS, (20_000, 160_000)),
    Subject("checking a ledger", "entries", 1, _ledger, (10, 100, 1_000, 10_000), (250, 2_000)),
    Subject("a look at a guarded set", "rows", 1.05, _look, _DECADES, (60_000, 480_000)),
    Subject("certify", "rows", 0.85, lambda n: _certify(4, n), _ROWS, (10_000, 80_000)),
    Subject("certify", "candidates", 0.8, lambda n: _certify(n, 100), _CANDIDATES, (1_000, 8_000)),
    Subject("compare", "rows", 0.75, _compare, _ROWS, (2_500, 20_000)),
    Subject("compare", "clusters", 0.85, _compare_clusters, _ROWS, (500, 4_000)),
    Subject("rank", "rows", 0.95, lambda n: _rank(4, n), _ROWS, (500, 4_000)),
    Subject("rank", "candidates", 1.4, lambda n: _rank(n, 50), _MODELS, (8, 32)),
    Subject("classifier", "rows", 0.8, lambda n: _classifier(1, n), _ROWS, (1_000, 8_000)),
    Subject("classifier", "candidates", 1, lambda n: _classifier(n, 100), _MODELS, (2, 12)),
    Subject("runs", "runs", 0.95, _runs, (10, 100, 1_000, 10_000), (2_000, 16_000)),
    Subject("champion", "candidates", 0.95, _champion, (10, 100, 1_000, 10_000), (4_000, 32_000)),
)
