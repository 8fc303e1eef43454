"""Train many classifiers on scikit-learn's digits and record their log loss per test example.

The 1797 bundled images are split once, stratified by digit, into 898 for training and 899 for
testing. Every configuration is fitted on the training half, and the log loss of each test
example is written to ``log_loss.parquet`` beside this script, one row per candidate and example:

``candidate``  a readable name of the configuration, such as ``svc-rbf-C1-gamma0.001``
``example``    the image's row number in the data set, such as ``digit-0007``
``score``      the example's log loss in nats, ``-ln(probability given to the true digit)``
``metric``     the constant ``log_loss``
``val_score``  the configuration's mean log loss over the training half in 5-fold
               cross-validation, the same number on each of the candidate's rows

Probabilities are not clipped. A model that gives the true digit probability exactly 0 has an
infinite log loss there, so ``score`` and ``val_score`` lie in [0, +inf] with +inf included, and
they have no finite upper bound. Scores are full doubles, not rounded.

Run ``python examples/digits/train.py``; it needs scikit-learn, NumPy and DuckDB. All seeds are
fixed and every fit runs on one thread, so a second run with the same library versions on the
same kind of processor writes the same file.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from joblib import Parallel, delayed, parallel_config
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC, LinearSVC

SEED = 0
FOLDS = 5
OUTPUT = Path(__file__).with_name("log_loss.parquet")

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Models = dict[str, Any]  # candidate name -> unfitted scikit-learn classifier


@dataclass(frozen=True)
class Split:
    """The two halves of the data, and the data-set row of each test example."""

    train_x: FloatArray
    train_y: IntArray
    test_x: FloatArray
    test_y: IntArray
    test_rows: IntArray


@dataclass(frozen=True)
class Result:
    """One candidate's score on every test example, and its cross-validated mean."""

    candidate: str
    scores: FloatArray
    val_score: float


def load_split() -> Split:
    """Return the fixed stratified half-and-half split of the digits."""
    x, y = load_digits(return_X_y=True)
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=SEED)
    test = np.sort(test)
    return Split(x[train], y[train], x[test], y[test], test)


def folds() -> StratifiedKFold:
    """Return the fixed 5-fold split used to validate and to calibrate."""
    return StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)


def calibrated(model: Any) -> Any:
    """Turn a classifier's margins into probabilities by cross-validated Platt scaling."""
    return CalibratedClassifierCV(model, method="sigmoid", cv=folds(), ensemble=False)


def linear_models() -> Models:
    """Logistic regressions and calibrated linear support vector machines."""
    models: Models = {}
    for c in (0.01, 0.1, 1, 10, 100):
        logistic = LogisticRegression(C=c, max_iter=2000)
        models[f"logistic-C{c}"] = make_pipeline(MinMaxScaler(), logistic)
    for c in (0.01, 0.1, 1):
        svm = LinearSVC(C=c, max_iter=5000, random_state=SEED)
        models[f"linear-svm-C{c}"] = calibrated(make_pipeline(MinMaxScaler(), svm))
    return models


def kernel_models() -> Models:
    """Calibrated support vector machines with radial and polynomial kernels."""
    models: Models = {}
    for c in (1, 10):
        for gamma in (0.0003, 0.001, 0.002):
            models[f"svc-rbf-C{c}-gamma{gamma}"] = calibrated(SVC(C=c, gamma=gamma))
    for degree in (2, 3, 4):
        models[f"svc-poly{degree}-C1"] = calibrated(SVC(kernel="poly", degree=degree, C=1))
    return models


def neighbour_models() -> Models:
    """Nearest-neighbour votes, which can give the true digit probability 0."""
    models: Models = {}
    for k in (1, 5, 15):
        models[f"knn-k{k}-uniform"] = KNeighborsClassifier(k)
    models["knn-k15-distance"] = KNeighborsClassifier(15, weights="distance")
    return models


def tree_models() -> Models:
    """Random forests, extra trees and gradient boosting."""
    models: Models = {}
    for n, leaf in ((100, 1), (300, 1), (300, 5)):
        models[f"random-forest-n{n}-leaf{leaf}"] = RandomForestClassifier(
            n, min_samples_leaf=leaf, random_state=SEED
        )
    for n, leaf in ((100, 1), (300, 1), (300, 3)):
        models[f"extra-trees-n{n}-leaf{leaf}"] = ExtraTreesClassifier(
            n, min_samples_leaf=leaf, random_state=SEED
        )
    for rate in (0.1, 0.3):
        models[f"hist-boosting-rate{rate}"] = HistGradientBoostingClassifier(
            learning_rate=rate, max_iter=60, max_leaf_nodes=8, random_state=SEED
        )
    return models


def gaussian_models() -> Models:
    """Naive Bayes and linear and quadratic discriminants, with several amounts of smoothing."""
    models: Models = {}
    for smoothing in (1e-9, 0.1):
        models[f"gaussian-nb-smooth{smoothing}"] = GaussianNB(var_smoothing=smoothing)
    for shrinkage in (0.01, 0.1, 0.5):
        models[f"lda-shrink{shrinkage}"] = LinearDiscriminantAnalysis(
            solver="lsqr", shrinkage=shrinkage
        )
    for reg in (0.01, 0.1, 0.5):
        models[f"qda-reg{reg}"] = QuadraticDiscriminantAnalysis(reg_param=reg)
    return models


def network_models() -> Models:
    """Multilayer perceptrons of several widths and weight penalties."""
    models: Models = {}
    one_layer = [((32,), 0.1), ((100,), 0.0001), ((100,), 0.1), ((100,), 1), ((200,), 0.1)]
    for layers, alpha in [*one_layer, ((64, 64), 0.1)]:
        network = MLPClassifier(
            layers, alpha=alpha, learning_rate_init=0.005, max_iter=500, random_state=SEED
        )
        width = "x".join(map(str, layers))
        models[f"mlp-{width}-alpha{alpha}"] = make_pipeline(MinMaxScaler(), network)
    return models


def all_models() -> Models:
    """Return every configuration by name."""
    return {
        **linear_models(),
        **kernel_models(),
        **neighbour_models(),
        **tree_models(),
        **gaussian_models(),
        **network_models(),
    }


def log_losses(probabilities: FloatArray, labels: IntArray) -> FloatArray:
    """Return the log loss of every example in nats, +inf where the truth got probability 0.

    A probability that rounding has lifted above 1 counts as 1, so that no loss is negative.
    """
    truth = np.minimum(probabilities[np.arange(len(labels)), labels], 1.0)
    with np.errstate(divide="ignore"):
        losses: FloatArray = np.abs(np.log(truth))  # abs: no logarithm is positive, no -0.0
    if np.isnan(losses).any():
        raise ValueError("a classifier returned a probability that is not a number")
    return losses


def evaluate(candidate: str, model: Any, split: Split) -> Result:
    """Cross-validate a model on the training half, then score it on the test half."""
    validation = cross_val_predict(
        model, split.train_x, split.train_y, cv=folds(), method="predict_proba"
    )
    val_score = float(log_losses(validation, split.train_y).mean())
    model.fit(split.train_x, split.train_y)
    scores = log_losses(model.predict_proba(split.test_x), split.test_y)
    return Result(candidate, scores, val_score)


def evaluate_all(split: Split) -> list[Result]:
    """Evaluate every configuration, one process per core and one thread per process."""
    with parallel_config("loky", n_jobs=-1, inner_max_num_threads=1):
        results: list[Result] = Parallel()(
            delayed(evaluate)(name, model, split) for name, model in all_models().items()
        )
    return results


def write_scores(results: list[Result], rows: IntArray, path: Path) -> None:
    """Write one row per candidate and example, sorted by both, as Parquet."""
    examples = [f"digit-{row:04d}" for row in rows]
    with duckdb.connect() as db:
        db.execute("SET threads = 1")
        db.execute(
            "CREATE TABLE scores (candidate TEXT, example TEXT, score DOUBLE,"
            " metric TEXT, val_score DOUBLE)"
        )
        for result in results:
            db.execute(
                "INSERT INTO scores SELECT ?, unnest(?), unnest(?), 'log_loss', ?",
                [result.candidate, examples, result.scores.tolist(), result.val_score],
            )
        db.table("scores").order("candidate, example").write_parquet(str(path), compression="zstd")


def main() -> None:
    """Train, score and write every configuration."""
    split = load_split()
    results = evaluate_all(split)
    write_scores(results, split.test_rows, OUTPUT)
    infinite = sum(math.isinf(result.scores.max()) for result in results)
    print(f"{len(results)} candidates, {infinite} of them with an infinite score somewhere")
    print(f"{len(split.test_rows)} test examples")


if __name__ == "__main__":
    main()
