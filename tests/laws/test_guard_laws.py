"""Laws of a guarded test set: what is read, what is never told, who may be where."""

import itertools
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nofluke.errors import InputError, NoflukeError
from nofluke.guard import confirmation, holdouts, metrics, policies, standings, uploads

TOKENS = ("LABEL-ONE-7f3a", "LABEL-TWO-c91e")
EASY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

ids_ = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=6),
    min_size=2,
    max_size=8,
    unique=True,
)
cells = st.text(st.characters(codec="utf-8"), max_size=12)


def hidden_of(ids, labels, metric="accuracy", **more):
    return holdouts.of_texts(ids, labels, metric=metrics.METRICS[metric], **more)


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def written(rows, names=("id", "prediction")):
    return "\n".join(",".join(map(quoted, row)) for row in (names, *rows)) + "\n"


def read(text, hidden, kind, name="a.csv"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return uploads.read(path, hidden, kind=kind)


@given(ids=ids_, given_ids=ids_, data=st.data())
@EASY
def test_what_is_read_is_a_bijection_with_the_ids(ids, given_ids, data):
    """Whatever rows are sent: accepted exactly where their ids are a permutation of ours."""
    pool = data.draw(st.sampled_from([ids, [*ids, *given_ids[:1]], ids[1:], given_ids]))
    pool = data.draw(st.permutations(pool))
    if data.draw(st.booleans()) and pool:
        pool[0] = pool[-1]
    numbers = [repr(float(i)) for i in range(len(pool))]
    hidden = hidden_of(ids, ["1", "0"] * (len(ids) // 2) + ["1"] * (len(ids) % 2))
    try:
        found = read(written(zip(pool, numbers, strict=True)), hidden, "number")
    except InputError:
        assert sorted(pool) != sorted(ids)
    else:
        assert sorted(pool) == sorted(ids)
        assert dict(zip(hidden.ids, map(repr, found.values.tolist()), strict=True)) == dict(
            zip(pool, numbers, strict=True)
        )


def told_by(work):
    """All that an error says, and all that it carries."""
    try:
        work()
    except NoflukeError as error:
        return f"{error} {error!r} {error.__cause__!r} {error.args}"
    return ""


@given(
    ids=ids_,
    rows=st.lists(
        st.lists(st.one_of(cells, ids_.map(lambda i: i[0])), min_size=1, max_size=3), max_size=8
    ),
    metric=st.sampled_from(["accuracy", "exact_match", "brier", "auc"]),
    coin=st.randoms(use_true_random=False),
)
@EASY
def test_no_message_ever_tells_a_label(ids, rows, metric, coin):
    labels = [*TOKENS, *(coin.choice(TOKENS) for _ in ids[2:])]
    hidden = hidden_of(ids, labels, metric)
    kind = metrics.METRICS[metric].prediction
    for sent in (rows, [[one, coin.choice([*TOKENS, "0.5", "x", ""])] for one in ids]):
        for text, name in ((written(sent), "a.csv"), (repr(sent), "a.jsonl"), (written(sent), "a")):
            told = told_by(lambda text=text, name=name: read(text, hidden, kind, name))
            assert not any(token in told for token in TOKENS)
    assert not any(token in repr(hidden) for token in TOKENS)


@given(ids=ids_, column=cells, data=st.data())
@EASY
def test_no_message_to_an_owner_tells_a_label_either(ids, column, data):
    labels = data.draw(
        st.lists(st.sampled_from([*TOKENS, ""]), min_size=len(ids), max_size=len(ids))
    )
    metric = data.draw(st.sampled_from(sorted(metrics.METRICS)))
    confirm = data.draw(st.sampled_from([0.0, 0.5, 0.99]))
    spec = {
        "metric": metric,
        "bounds": None if metrics.METRICS[metric].bounds else (0, 1),
        "confirm": confirm,
        "label": data.draw(st.sampled_from(["label", column])),
    }

    def work():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "own.csv"
            path.write_text(
                written(zip(ids, labels, strict=True), ("id", "label")), encoding="utf-8"
            )
            hidden = holdouts.read(path, spec)
        policies.begin(policies.from_spec(spec), hidden)

    told = told_by(work)
    assert not any(token in told for token in TOKENS)


@given(
    ids=ids_,
    coin=st.randoms(use_true_random=False),
    metric=st.sampled_from(["accuracy", "exact_match", "brier", "squared_error", "absolute_error"]),
    huge=st.floats(allow_nan=False, allow_infinity=False),
)
@EASY
def test_whether_an_upload_is_accepted_and_scored_depends_on_no_label(ids, coin, metric, huge):
    """The same file against flipped labels: the same refusal or the same kind of score."""
    labels = ["0", "1", *(coin.choice("01") for _ in ids[2:])]
    flipped = ["1" if label == "0" else "0" for label in labels]
    kind = metrics.METRICS[metric].prediction
    value = {"label": "1", "text": repr(huge), "probability": "0.25"}.get(kind, repr(huge))
    bounds = None if metrics.METRICS[metric].bounds else (0, 1)
    policy = policies.from_spec({"metric": metric, "bounds": bounds})
    outcomes = []
    for truth in (labels, flipped):
        hidden = hidden_of(ids, truth, metric)
        text = written([[one, value] for one in ids])
        outcomes.append(told_by(lambda text=text, hidden=hidden: policies.scores(
            policy, hidden, read(text, hidden, kind))))  # fmt: skip
    assert outcomes[0] == outcomes[1]


limits = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).map(sorted), min_size=1, max_size=7
)


@given(pairs=limits, better=st.sampled_from(["higher", "lower"]))
@settings(max_examples=200, deadline=None)
def test_ranks_and_tiers_are_those_of_brute_force(pairs, better):
    low, high = (np.array(x, dtype=float) for x in zip(*pairs, strict=True))
    found = standings.ranks(low, high, better=better)
    m = len(pairs)

    def beats(j, i):
        return low[j] > high[i] if better == "higher" else high[j] < low[i]

    ahead = [[j for j in range(m) if beats(j, i)] for i in range(m)]
    assert found.best.tolist() == [1 + len(a) for a in ahead]
    assert found.worst.tolist() == [m - sum(beats(i, j) for j in range(m)) for i in range(m)]
    tiers, rest, tier = [0] * m, set(range(m)), 1
    while rest:
        front = {i for i in rest if not any(j in rest for j in ahead[i])}
        for i in front:
            tiers[i] = tier
        rest, tier = rest - front, tier + 1
    assert found.tier.tolist() == tiers


@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 7), st.integers(0, 7)).map(sorted), min_size=1, max_size=3
    )
)
@settings(max_examples=40, deadline=None)
def test_plausible_ranks_hold_every_rank_that_the_limits_allow(pairs):
    """Every truth within the limits has its ranks in the sets, and both ends are reached."""
    low, high = zip(*pairs, strict=True)
    found = standings.ranks(low, high, better="higher")
    m, seen = len(pairs), [set() for _ in pairs]
    steps = [np.arange(a, b + 0.25, 0.5) for a, b in pairs]
    for truth in itertools.product(*steps):
        for i in range(m):
            seen[i].add(1 + sum(truth[j] > truth[i] for j in range(m)))
    for i in range(m):
        assert found.best[i] == min(seen[i])
        assert found.worst[i] >= max(seen[i])
        # Limits that only touch allow equals at most, which share a rank.
        if len({*low, *high}) == 2 * m:
            assert found.worst[i] == max(seen[i])


@given(st.data())
@settings(max_examples=20, deadline=None)
def test_more_finalists_never_make_a_limit_narrower(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    n = 60
    hidden = hidden_of([f"r{i}" for i in range(n)], ["1", "0"] * (n // 2), confirm=0.5)
    policy = policies.from_spec({})
    sent = {
        name: uploads.of_texts(rng.choice(["0", "1"], n).tolist(), hidden, kind="label")
        for name in "abc"
    }
    alone = confirmation.confirm(policy, hidden, {"a": sent["a"]}).scores["a"]
    among = confirmation.confirm(policy, hidden, sent).scores["a"]
    assert among.lower <= alone.lower
    assert alone.upper <= among.upper
    assert among.estimate == alone.estimate


@pytest.mark.parametrize("part", ["board", "confirmation"])
@given(n=st.integers(2, 40), data=st.data())
@EASY
def test_units_hold_every_row_once(part, n, data):
    confirm = data.draw(st.sampled_from([0.2, 0.5]))
    clusters = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=n, max_size=n))
    if len(set(clusters)) < 2:
        clusters[0] = "z"
    hidden = hidden_of([f"r{i}" for i in range(n)], ["x"] * n, cluster=clusters, confirm=confirm)
    whole = hidden.units_of[part]
    assert hidden.units(np.ones(n), part).tolist() == [1.0] * whole
    where = hidden.rows(part)
    order = {one: clusters[int(one[1:])] for one in hidden.ids}
    inside = {order[one] for one, there in zip(hidden.ids, where, strict=True) if there}
    outside = {order[one] for one, there in zip(hidden.ids, where, strict=True) if not there}
    assert not inside & outside
    assert len(inside) == whole
