"""Sign-flip p-values against enumeration with exact fractions."""

import json
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from nofluke import permutation
from nofluke.errors import InputError
from nofluke.kernels import sign_flips


def decimal(value):
    """The decimal that was typed."""
    return Fraction(repr(float(value)))


def enumerated(d):
    """Exact p-values by all 2^n signs: better, worse, different."""
    total = sum(d)
    flips = [sum(s * v for s, v in zip(signs, d, strict=True)) for signs in signs_of(len(d))]
    counts = (
        sum(f >= total for f in flips),
        sum(f <= total for f in flips),
        sum(abs(f) >= abs(total) for f in flips),
    )
    return [Fraction(c, 2 ** len(d)) for c in counts]


def signs_of(n):
    return product((1, -1), repeat=n)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("decimals", [1, 2, 9])
def test_p_values_of_decimal_scores_are_those_of_exact_fractions(seed, decimals):
    rng = np.random.default_rng(seed)
    a, b = np.round(rng.normal(0.5, 0.3, (2, 11)), decimals)
    expected = enumerated([decimal(v) - decimal(u) for u, v in zip(a, b, strict=True)])

    found = [permutation.sign_flip(b - a, alternative=w).pvalue for w in permutation.ALTERNATIVES]

    assert found == [float(p) for p in expected]


def test_ties_that_rounding_hides_are_counted(shared):
    case = json.loads((shared / "cases" / "paired-03.json").read_text())
    d = np.subtract(case["input"]["b"], case["input"]["a"])
    expected = case["expected"]["values"]

    assert -d.mean() == pytest.approx(expected["mean_difference"], abs=1e-12)
    assert permutation.sign_flip(d).pvalue == expected["exact_p_two_sided"] == 14 / 128
    better = permutation.sign_flip(d, alternative="better")
    assert better.pvalue == expected["exact_p_one_sided_less"] == 0.0546875


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("shift", [0.0, 10.0, 100.0])
def test_neither_the_unit_nor_large_scores_with_small_differences_lose_ties(size, shift):
    a = np.array([0.3, 0.5, 0.1, 0.5, 0.3, 0.5, 0.6])
    b = np.array([0.6, 0.4, 0.5, 0.8, 0.7, 0.3, 0.9])

    d = ((b + shift) - (a + shift)) * size

    assert permutation.sign_flip(d).pvalue == 14 / 128


def test_differences_of_one_size_are_the_sign_test():
    d = np.concatenate([np.full(56, 0.1), np.full(32, -0.1), np.zeros(912)])

    p = permutation.sign_flip(d, alternative="better").pvalue

    expected = Fraction(sum(math.comb(88, k) for k in range(56, 89)), 2**88)
    assert p == pytest.approx(float(expected), rel=1e-13)


def test_many_ties_are_still_exact():
    d = np.concatenate([np.full(40, 0.25), np.full(30, -0.25), np.full(12, 0.5), np.full(15, -0.5)])
    quarters = 40 - 30 + 2 * (12 - 15)
    law = {}
    for i in range(71):
        for j in range(28):
            at = (2 * i - 70) + 2 * (2 * j - 27)
            law[at] = law.get(at, 0) + math.comb(70, i) * math.comb(27, j)
    expected = Fraction(sum(w for s, w in law.items() if s >= quarters), 2**97)

    found = sign_flips.sign_flip(d, two_sided=False, n_resamples=1, rng=np.random.default_rng(0))

    assert found.exact
    assert found.pvalue == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("two_sided", [False, True])
def test_sampled_signs_agree_with_the_exact_law(two_sided, monkeypatch):
    d = np.random.default_rng(5).normal(0.15, 1, 30)
    rng = np.random.default_rng(6)
    exact = sign_flips.sign_flip(d, two_sided=two_sided, n_resamples=1, rng=rng)
    monkeypatch.setattr(sign_flips, "_STATES", 1)

    sampled = sign_flips.sign_flip(d, two_sided=two_sided, n_resamples=40_000, rng=rng)

    assert (exact.exact, sampled.exact) == (True, False)
    error = math.sqrt(exact.pvalue * (1 - exact.pvalue) / 40_000)
    assert abs(sampled.pvalue - exact.pvalue) < 5 * error


def test_a_sampled_p_value_is_never_0_and_repeats_with_its_seed():
    d = np.random.default_rng(7).normal(3, 1, 200)

    assert permutation.sign_flip(d, n_resamples=99, alternative="better").pvalue == 1 / 100
    assert permutation.sign_flip(d, n_resamples=99, alternative="worse").pvalue == 1

    flat = d - d.mean() + 0.05
    one, again, other = (permutation.sign_flip(flat, seed=s).pvalue for s in (1, 1, 2))
    assert one == again != other


def test_the_order_does_not_matter_not_even_to_sampled_signs():
    d = np.random.default_rng(8).normal(0.1, 1, 500)
    shuffled = np.random.default_rng(9).permutation(d)

    assert permutation.sign_flip(d) == permutation.sign_flip(shuffled)


def test_zeros_and_nothing_at_all():
    d = np.array([0.3, -0.1, 0.0, 0.0, 0.2])

    assert permutation.sign_flip(d).pvalue == permutation.sign_flip(d[d != 0]).pvalue
    for way in permutation.ALTERNATIVES:
        assert permutation.sign_flip([0.0, 0.0], alternative=way).pvalue == 1
    assert permutation.sign_flip([0.5], alternative="better").pvalue == 0.5


def test_what_the_answer_says():
    found = permutation.sign_flip([0.5, 0.25, -0.25])

    assert (found.statistic, found.n, found.guarantee) == (pytest.approx(1 / 6), 3, "finite-sample")
    assert "symmetric around 0" in found.assumes


@pytest.mark.parametrize(
    ("x", "options", "code"),
    [
        ([1, math.inf], {}, "NF012"),
        ([1, math.nan], {}, "NF007"),
        ([1, 2], {"alternative": "greater"}, "NF008"),
        ([1, 2], {"n_resamples": 0}, "NF008"),
        ([1, 2], {"seed": None}, "NF008"),
    ],
)
def test_refusals(x, options, code):
    with pytest.raises(InputError) as refused:
        permutation.sign_flip(x, **options)

    assert refused.value.code == code
