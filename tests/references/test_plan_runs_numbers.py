"""Sizes, types and ranks of planned runs beside numbers by exact binomial sums and 40 digits."""

import pytest

from nofluke import plan
from nofluke.questions.run_sizes import limits_at

US = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
# What the rule for method "auto" takes, row by row; H, A, U, L as in `runs`.
TYPES = {
    (10, 0.9): "U U A H A L L",
    (15, 0.9): "U U H H H L L",
    (25, 0.9): "U A H H H A L",
    (50, 0.9): "A H H H H H A",
    (10, 0.95): "U U U H L L L",
    (15, 0.95): "U U H H H L L",
    (25, 0.95): "U U H H H L L",
    (50, 0.95): "U H H H H H L",
}
# Exact minimal sizes at levels 0.9, 0.95 and 0.99.
LEAST = {
    0.5: {"total": (5, 6, 8), "equal": (5, 6, 8), "one": (4, 5, 7)},
    0.75: {"total": (9, 11, 17), "equal": (11, 13, 19), "one": (9, 11, 17)},
    0.9: {"total": (22, 29, 44), "equal": (29, 36, 51), "one": (22, 29, 44)},
    0.95: {"total": (45, 59, 90), "equal": (59, 72, 104), "one": (45, 59, 90)},
    0.99: {"total": (230, 299, 459), "equal": (299, 368, 528), "one": (230, 299, 459)},
}


def test_the_types_of_every_cell():
    found = {(n, level): " ".join(limits_at(n, u, level).exists for u in US) for n, level in TYPES}
    assert found == TYPES


@pytest.mark.parametrize("u", LEAST)
@pytest.mark.parametrize(("i", "level"), list(enumerate((0.9, 0.95, 0.99))))
def test_minimal_sizes(u, i, level):
    high, low = plan.runs(u, level), plan.runs(round(1 - u, 2), level)

    assert (high.total, low.total) == (LEAST[u]["total"][i],) * 2
    assert (high.equal, low.equal) == (LEAST[u]["equal"][i],) * 2
    assert (high.upper, low.lower) == (LEAST[u]["one"][i],) * 2
    assert (high.lower, high.upper) == (low.upper, low.lower)


def test_ranks_are_those_of_the_notes():
    row = plan.runs(0.1, 0.95, n=50).at(50)
    assert (row["lower_rank"], row["upper_rank"]) == pytest.approx(
        (1.8027094284721, 9.9795170980287), abs=1e-10
    )
    row = plan.runs(0.5, 0.9).at(10)
    assert row["lower_rank"] == pytest.approx(2.9348060542754, abs=1e-10)
    assert row["coverage"] == pytest.approx(0.905133, abs=1e-6)
