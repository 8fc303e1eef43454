"""Time to read an upload and to score it, as a server does for every submission."""

import numpy as np
import pytest

from nofluke.guard import holdouts, metrics, policies, uploads
from nofluke.ledger import release

KINDS = {"csv": "{},{}\n", "jsonl": '{{"id": "{}", "prediction": {}}}\n'}


@pytest.fixture(params=[10_000, 1_000_000])
def hidden(request):
    n = request.param
    labels = np.random.default_rng(1).integers(0, 2, n).astype(str).tolist()
    ids = [f"row-{i:07d}" for i in range(n)]
    found = holdouts.of_texts(ids, labels, metric=metrics.METRICS["accuracy"])
    assert found.index
    assert found.ids_digest
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_read_and_score(benchmark, hidden, kind, tmp_path):
    """Rows arrive in another order than the holdout's."""
    rng = np.random.default_rng(2)
    order, said = rng.permutation(hidden.n).tolist(), rng.integers(0, 2, hidden.n).tolist()
    path = tmp_path / f"mine.{kind}"
    with path.open("w") as stream:
        stream.write("id,prediction\n" if kind == "csv" else "")
        stream.writelines(KINDS[kind].format(hidden.ids[i], said[i]) for i in order)
    policy = policies.from_spec({"rule": "rounded"})
    state = policies.begin(policy, hidden)

    def once():
        found = uploads.read(path, hidden, kind="label")
        return release.look(state, policies.submission(policy, hidden, found))

    answer, _ = benchmark.pedantic(once, rounds=3, warmup_rounds=1)
    assert abs(answer.value - 0.5) < 0.05
