"""Time of one item of a stream, which must not depend on how many there have been."""

import numpy as np
import pytest

from nofluke import ComparisonStream

ITEMS = 1000


@pytest.mark.parametrize("before", [0, 100_000])
@pytest.mark.parametrize(
    ("alternative", "planned"), [("better", None), ("better", 10**6), ("equivalent", 10**6)]
)
def test_a_thousand_items(benchmark, alternative, planned, before):
    """The time shown is that of 1000 items: milliseconds are microseconds an item."""
    a, b = np.random.default_rng(1).random((2, before + ITEMS))
    stream = ComparisonStream(bounds=(0, 1), alternative=alternative, margin=0.01, planned=planned)
    stream.update_many(a[:before], b[:before])
    pairs = list(zip(a[before:].tolist(), b[before:].tolist(), strict=True))

    def update():
        for x, y in pairs:
            stream.update(x, y)

    benchmark(update)
    assert stream.n >= before + ITEMS
