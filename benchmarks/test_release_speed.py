"""Time of one look at guarded rows, which the server waits for."""

import numpy as np
import pytest

from nofluke.ledger import release

N = 100_000
HALF = (1.0, 0.0) * (N // 2)


@pytest.mark.parametrize(
    "state",
    [
        release.Ladder(n=N, looks=1000),
        release.FreeLadder(n=N, looks=1000),
        release.Thresholdout(n=N, looks=1000),
        release.Rounded(n=N, looks=1000, binary=True),
        release.Verdict(n=N, looks=1000, baseline=HALF),
    ],
    ids=lambda state: state.rule,
)
def test_a_look_at_a_hundred_thousand_rows(benchmark, state):
    rng = np.random.default_rng(1)
    before = release.Submission((rng.random(N) < 0.4).astype(float), training=0.4)
    submission = release.Submission((rng.random(N) < 0.5).astype(float), training=0.5)
    _, state = release.look(state, before, rng=rng)

    told, after = benchmark(release.look, state, submission, rng=rng)

    assert (told.look, after.look) == (2, 2)


def test_a_state_to_json_and_back(benchmark):
    _, state = release.look(release.FreeLadder(n=N, looks=10), HALF)
    assert benchmark(lambda: release.from_json(release.to_json(state))) == state
