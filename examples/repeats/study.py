"""How much do two classifiers vary from run to run, and what makes them vary?

Two searches over settings, of a multilayer perceptron and of a gradient boosting, are run again and
again on scikit-learn's breast cancer data (569 rows, 30 features). Five sources of randomness are
varied one by one and all together: the split into training and test set, the seeds of the models,
the order of the training rows, a subsample of 90 % of them, and the search (which settings are
tried, and the folds they are validated on).

Run ``python examples/repeats/study.py``; it needs ``pip install nofluke[sklearn]``. Options:
``--runs N`` (25), ``--tries N`` settings in each search (3), ``--jobs N`` (2), ``--path FOLDER`` to
keep finished runs and go on after a stop. The tables do not depend on ``--jobs``; other versions of
scikit-learn may change some scores.
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

from scipy.stats import loguniform, randint
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from nofluke import quantiles
from nofluke.selection import variance_by_source
from nofluke.selection.repeats import SourceVariances

SEED = 2026
LEVEL = 0.9


def search(model: Any, settings: dict[str, Any], tries: int) -> RandomizedSearchCV:
    """Try some settings, each validated on three folds."""
    folds = StratifiedKFold(3, shuffle=True)
    return RandomizedSearchCV(model, settings, n_iter=tries, cv=folds, scoring="neg_log_loss")


def models(tries: int = 3) -> dict[str, RandomizedSearchCV]:
    """Return the two configurations by name."""
    network = make_pipeline(StandardScaler(), MLPClassifier((16,), max_iter=60, solver="adam"))
    boosting = HistGradientBoostingClassifier(max_iter=40, max_features=0.5, max_leaf_nodes=8)
    return {
        "perceptron": search(
            network,
            {
                "mlpclassifier__alpha": loguniform(1e-4, 1e1),
                "mlpclassifier__learning_rate_init": loguniform(1e-3, 3e-2),
            },
            tries,
        ),
        "boosting": search(
            boosting,
            {"learning_rate": loguniform(0.03, 0.3), "min_samples_leaf": randint(5, 40)},
            tries,
        ),
    }


def study(runs: int, *, tries: int, jobs: int, path: str | None) -> dict[str, SourceVariances]:
    """Vary each source, and all of them, for both models."""
    x, y = load_breast_cancer(return_X_y=True)
    return {
        name: variance_by_source(
            model,
            x,
            y,
            metric="accuracy",
            seed=SEED,
            n=runs,
            subsample=0.9,
            level=LEVEL,
            name=name,
            n_jobs=jobs,
            path=path,
        )
        for name, model in models(tries).items()
    }


def limits(x: list[float], u: float) -> tuple[float, float]:
    """One-sided exact limits for the u-quantile, each at LEVEL; infinite where there is none."""
    low = quantiles.exact(x, u, level=LEVEL, side="lower")
    high = quantiles.exact(x, u, level=LEVEL, side="upper")
    return float(low.lower), float(high.upper)


def print_deviations(found: dict[str, SourceVariances]) -> None:
    """Print the standard deviations in percentage points, with their limits."""
    print("| varied | " + " | ".join(found) + " |")
    print("|---|" + "---|" * len(found))
    for source in [s.source for s in next(iter(found.values())).sources]:
        cells = []
        for answer in found.values():
            s = answer[source]
            between = "" if s.lower is None else f" [{100 * s.lower:.2f}, {100 * s.upper:.2f}]"
            cells.append(f"{100 * s.sd:.2f}{between}")
        print(f"| {source} | " + " | ".join(cells) + " |")


def print_quantiles(found: dict[str, SourceVariances]) -> None:
    """Print low percentiles and the median of the runs in which everything varies."""
    print("| percentile of accuracy | " + " | ".join(found) + " |")
    print("|---|" + "---|" * len(found))
    for u in (0.05, 0.1, 0.5):
        cells = []
        for answer in found.values():
            x = answer.repeats["all"].sample(0).tolist()
            low, high = limits(x, u)
            at = float(quantiles.sample_quantile(x, u))
            least = f"at least {low:.3f}" if math.isfinite(low) else "no lower limit"
            most = f"at most {high:.3f}" if math.isfinite(high) else "no upper limit"
            cells.append(f"{at:.3f} ({least}; {most})")
        print(f"| {round(100 * u)}th | " + " | ".join(cells) + " |")


def main(given: list[str] | None = None) -> None:
    """Run the study and print its tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--path")
    told = parser.parse_args(given)
    start = time.perf_counter()
    found = study(told.runs, tries=told.tries, jobs=told.jobs, path=told.path)
    print_deviations(found)
    print()
    print_quantiles(found)
    pairs = zip(*(a.repeats["all"].sample(0) for a in found.values()), strict=True)
    wins = [first > second for first, second in pairs]
    print(f"\n{' beats '.join(found)} in {sum(wins)} of {len(wins)} runs on the same split")
    print(f"{time.perf_counter() - start:.0f} seconds")


if __name__ == "__main__":
    main()
