"""Coverage and length of quantile intervals over few runs, against a larger simulation.

Source: notes on the methods, section 4: 200,000 samples for each of the six distributions and n,
simulated with another program; mean of six distributions, coverage to 3 digits, length in decile
ranges to 2. Ours are 2000 samples of each, compared within five standard errors.
"""

import pytest

from nofluke.studies import engine
from nofluke.studies.papers.quantiles import cells
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS, decile_range
from nofluke.studies.papers.quantiles.figures import chosen, over_distributions
from nofluke.studies.papers.quantiles.grid import Cell

SAMPLES = 2000

# (n, u, level, method): (coverage, length), None where only one limit exists.
NOTES = {
    (10, 0.05, 0.9, "exact_equal"): (0.989, None),
    (10, 0.05, 0.9, "hutson"): (0.959, None),
    (10, 0.05, 0.9, "nyblom"): (0.943, None),
    (10, 0.05, 0.9, "asymptotic"): (0.847, None),
    (10, 0.05, 0.9, "semiparametric_bootstrap"): (0.796, 0.82),
    (10, 0.05, 0.9, "bootstrap"): (0.389, 0.31),
    (10, 0.05, 0.9, "hanson_koopmans"): (0.952, 1.50),
    (10, 0.25, 0.9, "exact_shortest"): (0.924, 0.64),
    (10, 0.25, 0.9, "auto"): (0.907, 0.58),
    (10, 0.25, 0.9, "hanson_koopmans"): (0.911, 0.60),
    (10, 0.25, 0.9, "bootstrap"): (0.924, 0.64),
    (10, 0.5, 0.9, "exact_equal"): (0.978, 0.79),
    (10, 0.5, 0.9, "exact_shortest"): (0.934, 0.67),
    (10, 0.5, 0.9, "hutson"): (0.905, 0.56),
    (10, 0.5, 0.9, "nyblom"): (0.897, 0.55),
    (10, 0.5, 0.9, "asymptotic"): (0.902, 0.58),
    (10, 0.5, 0.9, "bootstrap"): (0.773, 0.43),
    (10, 0.9, 0.9, "semiparametric_bootstrap"): (0.796, 0.60),
    (10, 0.9, 0.9, "bootstrap"): (0.638, 0.41),
    (10, 0.95, 0.9, "asymptotic"): (0.981, None),
    (10, 0.95, 0.9, "hanson_koopmans"): (0.952, 1.46),
    (25, 0.1, 0.9, "auto"): (0.902, 0.41),
    (25, 0.1, 0.9, "exact_shortest"): (0.919, 0.45),
    (25, 0.25, 0.9, "exact_equal"): (0.938, 0.41),
    (25, 0.25, 0.9, "hutson"): (0.909, 0.36),
    (25, 0.25, 0.9, "nyblom"): (0.900, 0.35),
    (25, 0.9, 0.9, "asymptotic"): (0.892, 0.38),
    (25, 0.95, 0.9, "semiparametric_bootstrap"): (0.833, 0.45),
    (25, 0.95, 0.9, "bootstrap"): (0.716, 0.34),
    (25, 0.95, 0.9, "hanson_koopmans"): (0.939, 0.62),
    (10, 0.05, 0.95, "hutson"): (0.981, None),
    (10, 0.05, 0.95, "semiparametric_bootstrap"): (0.834, 1.01),
    (10, 0.05, 0.95, "hanson_koopmans"): (0.978, 1.96),
    (10, 0.5, 0.95, "hutson"): (0.962, 0.67),
    (10, 0.5, 0.95, "nyblom"): (0.947, 0.63),
    (10, 0.75, 0.95, "asymptotic"): (0.988, None),
    (10, 0.9, 0.95, "semiparametric_bootstrap"): (0.830, 0.73),
    (25, 0.1, 0.95, "bootstrap"): (0.919, 0.45),
    (25, 0.25, 0.95, "exact_equal"): (0.982, 0.54),
    (25, 0.25, 0.95, "exact_shortest"): (0.963, 0.50),
    (25, 0.75, 0.95, "hutson"): (0.956, 0.41),
    (25, 0.75, 0.95, "nyblom"): (0.949, 0.40),
    (25, 0.9, 0.95, "hanson_koopmans"): (0.966, 0.56),
}


@pytest.fixture(scope="module")
def ours():
    grid = [Cell(d, n, SAMPLES) for d in DISTRIBUTIONS for n in (10, 25)]
    return engine.run({"intervals": engine.Part(cells.intervals, grid)}, seed=5)["intervals"]


@pytest.mark.parametrize("key", NOTES, ids=str)
def test_coverage_and_length(ours, key):
    n, u, level, method = key
    coverage, length = NOTES[key]
    rows = chosen(ours, n=n, u=u, level=level, method=method)
    ((_, found),) = over_distributions(rows, "coverage")

    assert len(rows) == len(DISTRIBUTIONS)
    assert found.value == pytest.approx(coverage, abs=5 * found.error + 0.0007)
    assert {row["limits"] == "both" for row in rows} == {length is not None}
    if length is not None:
        ((_, found),) = over_distributions(rows, "length")
        assert found.value == pytest.approx(length, abs=5 * found.error + 0.005)


# Source: inverse distribution functions of scipy 1.17; the mixture by root finding.
DECILE_RANGES = {
    "N(0.9, 0.02)": 0.05126206262178412,
    "Beta(20, 2)": 0.14731784700058603,
    "Beta(2, 20)": 0.14731784700058606,
    "Beta(15, 15)": 0.2326813254544708,
    "U(0, 1)": 0.8,
    "mixture": 0.1420845763219326,
}
MIXTURE = {
    0.05: 0.7615534530332818,
    0.1: 0.7747513629725052,
    0.25: 0.7999999784442525,
    0.5: 0.86,
    0.75: 0.9000214546705334,
    0.9: 0.9168359392944379,
    0.95: 0.9256326366961984,
}


def test_decile_ranges():
    assert {d: decile_range(d) for d in DISTRIBUTIONS} == pytest.approx(DECILE_RANGES, abs=1e-10)


def test_quantiles_of_the_mixture():
    found = {u: DISTRIBUTIONS["mixture"].quantile(u) for u in MIXTURE}
    assert found == pytest.approx(MIXTURE, abs=1e-10)


# Source: notes, section 1.3: coverage of the t interval of the mean at n = 10, two digits and more.
@pytest.mark.parametrize(
    ("distribution", "level", "coverage"),
    [("Beta(20, 2)", 0.9, 0.882), ("Beta(2, 20)", 0.9, 0.882), ("N(0.9, 0.02)", 0.9, 0.9)],
)
def test_the_interval_of_the_mean(distribution, level, coverage):
    cell = Cell(distribution, 10, 40_000)
    (row,) = chosen(cells.mean_intervals(cell, engine.generator(0, "mean", cell)), level=level)

    assert row["coverage"] == pytest.approx(coverage, abs=5 * row["coverage_error"])
