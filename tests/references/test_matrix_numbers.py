"""A matrix against numbers made elsewhere, exact fractions and an independent delta method."""

import json
from fractions import Fraction as Exact

import mpmath
import numpy as np
import pytest
from scipy.special import ndtri

from nofluke import proportions
from nofluke.classify.confusion import metrics
from nofluke.classify.prevalence import npv_at, ppv_at

SEED = (40, 20, 10, 930)


@pytest.fixture(scope="session")
def known(shared):
    folder = shared / "reference" / "classify"
    if not folder.is_dir():
        pytest.skip(f"the folder {folder} with reference numbers is not there")
    return lambda name: json.loads((folder / f"{name}.json").read_text("utf-8"))


NAMES = {
    "youden_j": "youden",
    "lr_pos": "lr_positive",
    "lr_neg": "lr_negative",
    "predicted_positive_rate": "predicted_prevalence",
}


def test_the_metrics(known):
    case = known("confusion_seed")
    found = metrics(**case["inputs"])
    for name, value in case["expected"].items():
        if name == "all_negative_accuracy":
            assert found.baselines[0].accuracy.estimate == value
        elif name != "gmean":
            estimate = found[NAMES.get(name, name)].estimate
            assert estimate == pytest.approx(value, rel=case["tolerance"])


@pytest.mark.parametrize("method", ["wilson", "clopper_pearson", "jeffreys"])
def test_the_intervals_of_rates(known, method):
    case = known("confusion_seed_intervals")
    found = metrics(*SEED, method=method)
    for name, by_method in case["expected"].items():
        interval = found[name]
        assert [interval.lower, interval.upper] == pytest.approx(by_method[method], rel=1e-10)


def test_sums(known):
    expected = known("balanced_accuracy_interval")["expected"]
    found = metrics(*SEED)
    for name, key in (("balanced_accuracy", "ba_mover_wilson"), ("youden", "youden_mover_wilson")):
        assert found[name].estimate == pytest.approx(expected[name], rel=1e-12)
        assert [found[name].lower, found[name].upper] == pytest.approx(expected[key], rel=1e-10)


def test_f1_on_the_scale_of_a_rate():
    found = metrics(*SEED).f1
    with mpmath.workdps(40):
        z = mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf("0.95"))
        j, n = mpmath.mpf(40) / 70, 70
        middle, spread = j + z**2 / (2 * n), z * mpmath.sqrt(j * (1 - j) / n + z**2 / (4 * n**2))
        limits = [(middle + sign * spread) / (1 + z**2 / n) for sign in (-1, 1)]
        expected = [float(2 * x / (1 + x)) for x in limits]
    assert [found.lower, found.upper] == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx([0.6252201, 0.8099820], abs=5e-8)


METHODS = {
    "ppv_logit_mercaldo": (ppv_at, "mercaldo"),
    "npv_logit_mercaldo": (npv_at, "mercaldo"),
    "ppv_delta": (ppv_at, "delta"),
    "ppv_mover_wilson": (ppv_at, "mover"),
    "ppv_mover_jeffreys": (ppv_at, "jeffreys"),
}


@pytest.mark.parametrize("key", METHODS)
def test_predictive_values_elsewhere(known, key):
    case = known("ppv_prevalence_seed")
    ask, method = METHODS[key]
    for prevalence, expected in zip(
        case["inputs"]["prevalences"], case["expected"]["by_prevalence"], strict=True
    ):
        found = ask(prevalence, *SEED, method=method)
        assert [found.lower, found.upper] == pytest.approx(expected[key], rel=1e-10)
        assert found.estimate == pytest.approx(expected[key[:3]], rel=1e-12)
        ratios = metrics(*SEED).lr_positive.estimate, metrics(*SEED).lr_negative.estimate
        assert ratios == pytest.approx((expected["lr_pos"], expected["lr_neg"]), rel=1e-12)


def test_rates_at_the_edges(known):
    case = known("proportion_edges")
    for asked, expected in zip(case["inputs"]["cases"], case["expected"]["results"], strict=True):
        for method, limits in expected.items():
            found = proportions.of_counts(
                asked["k"], asked["n"], method=method, alpha=asked["alpha"]
            )
            assert [found.lower, found.upper] == pytest.approx(limits, rel=1e-9)


def test_every_number_of_the_table_in_fractions():
    tp, fp, fn, tn = map(Exact, SEED)
    n = tp + fp + fn + tn
    recall, specificity, fpr = tp / (tp + fn), tn / (tn + fp), fp / (tn + fp)
    odds_at_1 = Exact(1, 99) * recall / fpr
    expected = {
        "accuracy": Exact(97, 100),
        "recall": Exact(4, 5),
        "specificity": Exact(93, 95),
        "fpr": Exact(2, 95),
        "precision": Exact(2, 3),
        "npv": Exact(93, 94),
        "balanced_accuracy": Exact(169, 190),
        "prevalence": Exact(1, 20),
        "lr_positive": Exact(38),
        "dor": Exact(186),
        "kappa": Exact(37, 52),
        "f1": Exact(8, 11),
    }
    by_hand = {
        "accuracy": (tp + tn) / n,
        "balanced_accuracy": (recall + specificity) / 2,
        "lr_positive": recall / fpr,
        "dor": tp * tn / fp / fn,
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    found = metrics(*SEED)
    for name, value in expected.items():
        assert found[name].estimate == float(value)
        assert by_hand.get(name, value) == value
    assert odds_at_1 / (1 + odds_at_1) == Exact(38, 137)
    assert ppv_at(0.01, *SEED).estimate == pytest.approx(38 / 137, rel=1e-15)


def mcc(a, b, c, d):
    return (a * d - b * c) / mpmath.sqrt((a + c) * (b + d) * (a + b) * (c + d))


def kappa(a, b, c, d):
    return 2 * (a * d - b * c) / ((a + c) * (c + d) + (b + d) * (a + b))


def dor(a, b, c, d):
    return a * d / (b * c)


def lr_positive(a, b, c, d):
    return a / (a + c) * (b + d) / b


def balanced_accuracy(a, b, c, d):
    return (a / (a + c) + d / (b + d)) / 2


def f1(a, b, c, d):
    return 2 * a / (2 * a + b + c) + 0 * d


@pytest.mark.parametrize("f", [mcc, kappa, dor, lr_positive, balanced_accuracy, f1])
@pytest.mark.parametrize("cells", [SEED, (30, 8, 9, 70), (5, 60, 55, 20)])
@pytest.mark.parametrize("method", ["wilson", "jeffreys"])
def test_half_the_width_tends_to_the_delta_method_of_the_multinomial_law(f, cells, method):
    times = 10**7
    with mpmath.workdps(40):
        n = sum(cells)
        p = [mpmath.mpf(k) / n for k in cells]
        slopes = [mpmath.diff(f, tuple(p), tuple(int(i == j) for j in range(4))) for i in range(4)]
        mean = sum(w * s for w, s in zip(p, slopes, strict=True))
        variance = sum(w * s * s for w, s in zip(p, slopes, strict=True)) - mean**2
        expected = float(mpmath.sqrt(variance / (n * times))) * -float(ndtri(0.025))
    found = metrics(*(times * k for k in cells), method=method)[f.__name__]
    assert (found.upper - found.lower) / 2 == pytest.approx(expected, rel=1e-3)
    assert found.upper - found.estimate == pytest.approx(expected, rel=1e-3)


def test_the_exact_box_covers_mcc_wherever_the_rates_are_within_their_limits():
    found = metrics(*SEED, method="clopper_pearson").mcc
    limits = [
        proportions.of_counts(k, n, alpha=0.05 / 3) for k, n in ((40, 50), (20, 950), (50, 1000))
    ]
    a, b, p = (
        np.random.default_rng(1)
        .uniform([x.lower for x in limits], [x.upper for x in limits], (20_000, 3))
        .T
    )
    q = p * a + (1 - p) * b
    values = (a - b) * np.sqrt(p * (1 - p) / (q * (1 - q)))
    assert found.lower <= values.min() < found.lower + 0.1
    assert found.upper - 0.1 < values.max() <= found.upper
