"""Finished runs survive any cut of their file, and seeds depend on their own name only."""

import math
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.selection.repeats import journal, sources
from nofluke.selection.repeats.single import Outcome

SCORES = st.none() | st.floats(allow_nan=False)
OUTCOMES = st.builds(
    Outcome,
    seeds=st.dictionaries(st.sampled_from(sources.SOURCES), st.integers(0, 2**32 - 1), min_size=1),
    score=SCORES,
    error=st.text(max_size=20),
    seconds=st.floats(0, 1e6),
    warned=st.lists(st.text(max_size=20), max_size=2).map(tuple),
    moved=st.dictionaries(st.sampled_from(["numpy", "random"]), st.text(max_size=5)),
)
QUESTIONS = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5), max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    runs=st.lists(OUTCOMES, max_size=4, unique_by=lambda o: journal.key(o.seeds)),
    question=QUESTIONS,
    cut=st.floats(0, 1),
)
def test_a_file_cut_anywhere_holds_the_first_runs_and_takes_the_rest(runs, question, cut):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        with journal.Journal(path, question) as kept:
            for outcome in runs:
                kept.add(outcome)
        text = path.read_bytes()
        path.write_bytes(text[: math.floor(cut * len(text))])

        with journal.Journal(path, question) as kept:
            survived = list(kept.found.values())
            for outcome in runs[len(survived) :]:
                kept.add(outcome)

        assert survived == runs[: len(survived)]
        assert len(survived) >= text[: math.floor(cut * len(text))].count(b"\n") - 1
        assert path.read_bytes() == text


@given(
    root=st.integers(0, 2**64),
    pairs=st.lists(
        st.tuples(st.sampled_from(sources.SOURCES), st.integers(0, 999)),
        min_size=2,
        max_size=30,
        unique=True,
    ),
)
def test_seeds_are_those_that_random_states_take_and_hardly_ever_equal(root, pairs):
    seeds = [sources.seed_of(root, source, run) for source, run in pairs]

    assert all(0 <= seed < 2**32 for seed in seeds)
    # Two of 30 are equal by chance with probability 1e-7; three equal ones would be a bug.
    assert len(set(seeds)) >= len(seeds) - 1
