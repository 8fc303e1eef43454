"""Noise, bias and variance against products of pairs in exact fractions, and what must hold."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.selection import noise_bias_variance

NAMES = ("noise", "bias^2", "noise + bias^2", "variance", "training sets", "seeds")
VALUES = st.integers(-6, 6)


@st.composite
def studies(draw, least_seeds=1):
    D, U, R = draw(st.integers(2, 4)), draw(st.integers(least_seeds, 3)), draw(st.integers(1, 3))
    n = draw(st.integers(2, 4))
    f = [[[draw(VALUES) for _ in range(n)] for _ in range(U)] for _ in range(D)]
    y = [[draw(VALUES) for _ in range(n)] for _ in range(R)]
    return np.array(f, float) / 4, np.array(y, float) / 4


def by_pairs(f, y, *, shared):
    """Parts of one row from mean products of what is independent, with no sum of squares."""
    f = [[Fraction(v) for v in row] for row in f.tolist()]
    y = [Fraction(v) for v in y.tolist()]
    runs = list(product(range(len(f)), range(len(f[0]))))

    def mean(products):
        products = list(products)
        return sum(products, Fraction(0)) / len(products) if products else None

    def pairs(keep):
        return mean(f[a][b] * f[c][d] for (a, b), (c, d) in product(runs, runs) if keep(a, b, c, d))

    apart = pairs(lambda a, b, c, d: a != c and (b != d or not shared))  # (E f)^2
    same_set = pairs(lambda a, b, c, d: a == c and b != d)  # E (E_U f)^2
    square = pairs(lambda a, b, c, d: (a, b) == (c, d))
    cross = mean(y) * mean(f[a][b] for a, b in runs)
    squares = mean(v * v for v in y)
    other = mean(y[r] * y[s] for r, s in product(range(len(y)), repeat=2) if r != s)
    return {
        "noise": None if other is None else squares - other,
        "bias^2": None if other is None else other - 2 * cross + apart,
        "noise + bias^2": squares - 2 * cross + apart,
        "variance": square - apart,
        "training sets": None if same_set is None else same_set - apart,
        "seeds": None if same_set is None else square - same_set,
    }


def assert_is(found, want):
    if want is None:
        assert found is None
    else:
        assert found == pytest.approx(float(want), rel=1e-11, abs=1e-12)


def mean_parts(f, y, *, shared):
    parts = [by_pairs(f[:, :, j], y[:, j], shared=shared) for j in range(f.shape[2])]
    return {
        k: None if parts[0][k] is None else sum(p[k] for p in parts) / len(parts) for k in NAMES
    }


@settings(deadline=None, max_examples=60)
@given(studies())
def test_own_seeds_give_what_mean_products_of_pairs_give(study):
    f, y = study
    found = noise_bias_variance(f, y, shared_seeds=False)
    for name, want in mean_parts(f, y, shared=False).items():
        assert_is(found[name].estimate, want)


@settings(deadline=None, max_examples=60)
@given(studies(least_seeds=2))
def test_shared_seeds_give_what_mean_products_of_pairs_give(study):
    f, y = study
    found = noise_bias_variance(f, y, shared_seeds=True)
    for name, want in mean_parts(f, y, shared=True).items():
        assert_is(found[name].estimate, want)


@settings(deadline=None, max_examples=80)
@given(studies(least_seeds=2), st.booleans())
def test_the_parts_add_up_to_the_mean_loss_exactly(study, shared):
    f, y = study
    loss = sum(
        (Fraction(t) - Fraction(p)) ** 2
        for row in range(f.shape[2])
        for t in y[:, row].tolist()
        for p in f[:, :, row].ravel().tolist()
    ) / Fraction(f.size * len(y))
    want = mean_parts(f, y, shared=shared)
    assert want["noise + bias^2"] + want["training sets"] + want["seeds"] == loss
    found = noise_bias_variance(f, y, shared_seeds=shared)
    value = {p.part: p.estimate for p in found.parts}
    assert value["risk"] == pytest.approx(float(loss), rel=1e-12, abs=1e-13)
    assert value["noise + bias^2"] + value["variance"] == pytest.approx(value["risk"], abs=1e-12)
    assert value["training sets"] + value["seeds"] == pytest.approx(value["variance"], abs=1e-12)
    if len(y) > 1:
        assert value["noise"] + value["bias^2"] == pytest.approx(value["noise + bias^2"], abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(studies(), st.randoms(use_true_random=False))
def test_neither_the_order_nor_the_origin_counts(study, random):
    f, y = study
    how = {"shared_seeds": False}
    first = noise_bias_variance(f, y, **how)
    order = [random.sample(range(m), m) for m in f.shape]
    g = f[np.ix_(*order)]
    moved = noise_bias_variance(g + 8, y[:, order[2]] + 8, **how)
    mirrored = noise_bias_variance(-2 * f, -2 * y, **how)
    for one, two, three in zip(first.parts, moved.parts, mirrored.parts, strict=True):
        for name in ("estimate", "se", "naive"):
            a, b, c = (getattr(p, name) for p in (one, two, three))
            if a is None:
                assert b is None
                assert c is None
            else:
                assert b == pytest.approx(a, rel=1e-9, abs=1e-10)
                assert c == pytest.approx(4 * a, rel=1e-9, abs=1e-10)


@settings(deadline=None, max_examples=40)
@given(studies())
def test_models_that_agree_have_no_variance_at_all(study):
    f, y = study
    same = np.broadcast_to(f[:1, :1] / 3, f.shape)
    found = noise_bias_variance(same, y, shared_seeds=False)
    assert found["variance"].estimate == 0
    assert found["seeds"].estimate in (None, 0)
    if len(y) == 1:
        assert found["noise + bias^2"].estimate == found["risk"].estimate
