"""Functionals of a band: what is refused, what is asked for by name, what the register knows."""

import math
from pathlib import Path

import numpy as np
import pytest

from nofluke import bands, functionals
from nofluke.errors import InputError
from nofluke.functionals import (
    FUNCTIONALS,
    cvar,
    distortion,
    interquantile_range,
    mean,
    named,
    quantile,
)

LOW, HIGH = -2.0, 12.0
X = np.random.default_rng(1).gamma(2, 1.5, 60).clip(0, 12)


@pytest.mark.parametrize(
    ("g", "says"),
    [
        (lambda u: 1 - u, "expected 0 and 1"),
        (lambda u: u / 2, "expected 0 and 1"),
        (lambda u: u + 0.3 * np.sin(2 * np.pi * u), "must never fall"),
        (lambda u: np.where(u == 0.5, np.nan, u), "must never fall"),
        (lambda u: max(u, 0.1), "np.vectorize"),
        (lambda u: 0.5, "one value for each"),
        (lambda u: u * math.nan, "expected 0 and 1"),
    ],
)
def test_what_is_no_weight_is_refused(g, says):
    with pytest.raises(InputError, match=says) as refused:
        distortion(bands.dkw(X, alpha=0.1), g, bounds=(LOW, HIGH))
    assert refused.value.code == "NF008"


def test_a_weight_keeps_its_own_array():
    stored = {}

    def g(u):
        stored["given"] = u + 1e-13
        return stored["given"]

    distortion(bands.dkw([1, 2, 3], alpha=0.1), g, bounds=(0, 4))
    assert stored["given"][0] == 1e-13


def test_what_is_asked_wrongly_is_refused():
    band, one_sided = (bands.dkw([1, 2, 3], alpha=0.1, side=s) for s in ("both", "lower"))
    with pytest.raises(InputError, match="strictly between"):
        quantile(band, 1)
    with pytest.raises(InputError, match="better= is not declared") as refused:
        cvar(band, 0.1, bounds=(0, 4), better=None)
    assert refused.value.code == "NF009"
    with pytest.raises(InputError, match="If you mean 10 %"):
        cvar(band, 10, bounds=(0, 4), better="lower")
    with pytest.raises(InputError, match="must be below high"):
        interquantile_range(band, 0.7, 0.3)
    with pytest.raises(InputError, match="needs a band with side='both'"):
        interquantile_range(one_sided, 0.3, 0.7)
    with pytest.raises(InputError, match="1 of 3 scores lie outside bounds=\\(0, 2\\)"):
        quantile(band, 0.5, bounds=(0, 2))


def test_functionals_by_name():
    band = bands.dkw(X, alpha=0.1)
    ask = {"bounds": (LOW, HIGH), "better": "higher"}

    assert named("mean")(band, **ask) == mean(band, bounds=(LOW, HIGH))
    assert named("median")(band, **ask) == quantile(band, 0.5, bounds=(LOW, HIGH))
    assert named("q0.9")(band) == quantile(band, 0.9)
    assert named("q.9") == named("q0.9") == named("q9e-1")
    assert named("cvar0.1")(band, **ask) == cvar(band, 0.1, **ask)
    assert named("cvar1")(band, **ask) == cvar(band, 1, **ask)
    assert named("iqr")(band, **ask) == interquantile_range(band, 0.25, 0.75, bounds=(LOW, HIGH))


@pytest.mark.parametrize("text", ["", "Mean", "mean0.1", "q", "cvar", "q 0.9", "q-0.1", "q0_9"])
def test_other_names_are_refused(text):
    with pytest.raises(InputError, match="is unknown; there are mean, median, iqr, q0.9"):
        named(text)


@pytest.mark.parametrize("text", ["q0", "q1", "q90", "cvar0", "cvar10", "cvar1.01"])
def test_numbers_that_are_no_share_are_refused(text):
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        named(text)


@pytest.mark.parametrize("name", FUNCTIONALS)
def test_every_functional_is_explained(name):
    page = Path(__file__).parents[2] / "docs/how-to/functionals.md"
    assert f"`{name}(band" in page.read_text("utf-8")


def test_the_register_knows_what_each_needs():
    needs = {name: sorted(method.needs) for name, method in FUNCTIONALS.items()}

    assert needs == {
        "quantile": [],
        "mean": ["bounds"],
        "cvar": ["better", "bounds"],
        "distortion": ["bounds"],
        "interquantile_range": ["both sides"],
    }
    assert all(method.cite for method in FUNCTIONALS.values())
    assert all(getattr(functionals, name) is m.call for name, m in FUNCTIONALS.items())
    with pytest.raises(InputError, match="functional='gini' is unknown"):
        FUNCTIONALS["gini"]
