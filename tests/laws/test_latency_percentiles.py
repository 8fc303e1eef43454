"""Percentiles with failures as infinite: what holds for any sample and any share."""

from fractions import Fraction
from math import ceil, inf

from hypothesis import given
from hypothesis import strategies as st

from nofluke import Scores
from nofluke.scores.latencies import percentiles


@given(
    x=st.lists(st.one_of(st.floats(0, 100), st.just(inf)), min_size=1, max_size=30),
    q=st.integers(1, 1000),
)
def test_a_percentile_is_the_value_of_its_rank(x, q):
    share = Fraction(q, 1000)
    [found] = percentiles(Scores.from_arrays({"a": x}, better="lower"), (float(share),))

    value = sorted(x)[ceil(len(x) * share) - 1]
    assert found.value == (None if value == inf else value)
    if found.value is not None:
        # At least the share q lies at or below it, and less than q below.
        assert sum(v <= value for v in x) >= share * len(x) > sum(v < value for v in x)
