"""Laws of streams, for any scores and plans."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke import ComparisonStream
from nofluke.errors import InputError
from nofluke.kernels import betting

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=60)
PLANNED = st.none() | st.integers(1, 80)
WEIGHT = st.sampled_from([0, 0.3, 0.8, 1])
MARGIN = st.sampled_from([0.0, 0.05, 0.5])
ALTERNATIVES = st.sampled_from(["better", "worse", "different", "not-worse"])


def stream_of(pairs, **how):
    if how.get("alternative") == "not-worse":
        how = {"margin": 0.05, **how}
    stream = ComparisonStream(**{"bounds": (0, 1), **how})
    for a, b in pairs:
        stream.update(a, b)
    return stream


@settings(deadline=None)  # the first call waits for the compiler
@given(pairs=PAIRS, planned=PLANNED, weight=WEIGHT, margin=MARGIN)
def test_wealth_is_that_of_the_kernel_to_the_last_bit(pairs, planned, weight, margin):
    share = 0 if planned is None else weight
    kind = {0: "sequence", 1: "star"}.get(share, "hedged")
    plan = betting.Plan(alpha=0.05, planned=planned or 0, kind=kind, weight=weight)
    x = np.array([(b - a + 1) / 2 for a, b in pairs])
    m, ones = (margin + 1) / 2, np.ones(x.size)

    stream = stream_of(pairs, planned=planned, weight=weight, margin=margin)

    above = betting.wealth_path(x, ones, m, plan)
    below = betting.wealth_path(1 - x, ones, 1 - m, plan)
    assert list(stream.evidence.values()) == [math.exp(above[-1]), math.exp(below[-1])]
    first = betting.first_passage(x, ones, m, plan), betting.first_passage(1 - x, ones, 1 - m, plan)
    assert stream.decided_at == min((t for t in first if t), default=None)


@given(pairs=PAIRS, planned=PLANNED, weight=WEIGHT)
def test_changing_places_turns_better_into_worse(pairs, planned, weight):
    here = stream_of(pairs, planned=planned, weight=weight, margin=0.1, alternative="better")
    there = stream_of(
        [(b, a) for a, b in pairs],
        planned=planned,
        weight=weight,
        margin=0.1,
        alternative="worse",
    )
    words = {"better": "worse", "not better": "not worse", "continue": "continue"}
    assert (there.verdict, there.decided_at) == (words[here.verdict], here.decided_at)
    assert list(there.evidence.values()) == pytest.approx(list(here.evidence.values()), rel=1e-9)


@given(pairs=PAIRS, planned=PLANNED, alternative=ALTERNATIVES)
def test_units_do_not_matter(pairs, planned, alternative):
    """Binary units, so that no score is rounded."""
    how = {"planned": planned, "alternative": alternative}
    pairs = [(round(a * 64) / 64, round(b * 64) / 64) for a, b in pairs]
    here = stream_of(pairs, margin=0.125, **how)
    there = stream_of([(8 * a - 3, 8 * b - 3) for a, b in pairs], margin=1.0, bounds=(-3, 5), **how)
    assert list(there.evidence.values()) == list(here.evidence.values())
    assert (there.verdict, there.decided_at) == (here.verdict, here.decided_at)


@settings(deadline=None)
@given(pairs=PAIRS, planned=PLANNED, alternative=ALTERNATIVES, at=st.integers(0, 60))
def test_saving_changes_nothing(pairs, planned, alternative, at):
    how = {"planned": planned, "alternative": alternative, "margin": 0.05}
    saved = ComparisonStream.from_json(stream_of(pairs[:at], **how).to_json())
    for a, b in pairs[at:]:
        saved.update(a, b)
    assert saved.to_json() == stream_of(pairs, **how).to_json()


@given(pairs=PAIRS, alternative=ALTERNATIVES, bad=st.floats(1.001) | st.just(math.nan))
def test_a_refusal_leaves_no_trace(pairs, alternative, bad):
    stream = stream_of(pairs, alternative=alternative, planned=50)
    before = stream.to_json()
    for refused in ((bad, 0), (0, bad)):
        with pytest.raises(InputError):
            stream.update(*refused)
    assert stream.to_json() == before


@settings(max_examples=30, deadline=None)
@given(pairs=PAIRS, alternative=ALTERNATIVES, planned=PLANNED)
def test_a_verdict_never_changes(pairs, alternative, planned):
    stream, verdict, at = (
        stream_of([], alternative=alternative, planned=planned, alpha=0.3),
        "continue",
        None,
    )
    for a, b in pairs * 3:
        stream.update(a, b)
        if verdict != "continue":
            assert (stream.verdict, stream.decided_at) == (verdict, at)
        verdict, at = stream.verdict, stream.decided_at
