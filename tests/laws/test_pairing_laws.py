"""What must hold for the pairs of any table, and for the distance of any two texts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nofluke import Scores, read
from nofluke.scores import lookalikes, texts
from nofluke.scores.pairing import hash_order, pair, unpaired

IDS = st.lists(st.text(st.characters(codec="utf-8"), max_size=4), unique=True, max_size=20)
SCORES = st.floats(0, 1, allow_subnormal=False)
# One row: model, example, run and score; None is a missing score.
CELLS = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from("pqrst"), st.sampled_from("12")),
    st.none() | SCORES,
    min_size=1,
)
WORDS = st.text("abé漢\n", max_size=12)


def table(cells):
    rows = [
        {"model": m, "id": i, "seed": s, "accuracy": score} for (m, i, s), score in cells.items()
    ]
    return read([*rows, *({"model": m, "id": "zz", "seed": "1", "accuracy": 1.0} for m in "abc")])


@given(IDS, st.integers(0, 5), st.randoms())
def test_the_order_belongs_to_the_ids_and_not_to_their_places(ids, seed, random):
    order = hash_order(ids, seed)
    assert sorted(order.tolist()) == list(range(len(ids)))
    shuffled = random.sample(ids, len(ids))
    assert [ids[i] for i in order] == [shuffled[i] for i in hash_order(shuffled, seed)]


@given(IDS.filter(bool), st.integers(0, 5))
def test_one_more_id_leaves_the_others_in_their_order(ids, seed):
    fewer = ids[1:]
    kept = [ids[i] for i in hash_order(ids, seed) if i]
    assert kept == [fewer[i] for i in hash_order(fewer, seed)]


@given(CELLS, st.randoms())
def test_pairs_do_not_depend_on_the_order_of_rows(cells, random):
    shuffled = dict(random.sample(list(cells.items()), len(cells)))
    one, two = (pair(table(c), "a", "b", missing="common", seed=3) for c in (cells, shuffled))
    assert one.ids == two.ids
    assert (one.a == two.a).all()
    assert (one.b == two.b).all()
    assert (one.order == two.order).all()
    assert one.counts == two.counts
    assert one.notes == two.notes


@given(CELLS)
def test_swapping_the_sides_swaps_the_answer(cells):
    scores = table(cells)
    for missing in ("common", "worst"):
        one, two = pair(scores, "a", "b", missing=missing), pair(scores, "b", "a", missing=missing)
        assert one.ids == two.ids
        assert ((one.b - one.a) == -(two.b - two.a)).all()
        sided = {k: v for k, v in one.counts.items() if k.endswith(("_a", "_b"))}
        assert len(sided) == 8
        for name, count in sided.items():
            other = name[:-1] + ("b" if name.endswith("a") else "a")
            assert two.counts[other] == count


@given(CELLS)
def test_pairs_are_what_a_dictionary_would_make_of_them(cells):
    runs = {m: {"zz": [1.0]} for m in "ab"}
    for (m, i, _), score in cells.items():
        if m in runs:
            runs[m].setdefault(i, []).append(score)
    a, b = runs["a"], runs["b"]
    whole = sorted(i for i in a.keys() & b.keys() if None not in a[i] + b[i])
    every = {i: a.get(i, []) + b.get(i, []) for i in a.keys() | b.keys()}
    either = sorted(i for i, scored in every.items() if any(s is not None for s in scored))

    common = pair(table(cells), "a", "b", missing="common")
    assert list(common.ids) == whole
    assert np.allclose(common.a, [np.mean(a[i]) for i in whole], rtol=1e-14, atol=1e-15)
    assert common.counts["only_a"] == len(a.keys() - b.keys())
    assert common.counts["missing_b"] == sum(None in s for s in b.values())

    worst = pair(table(cells), "a", "b", missing="worst")
    assert list(worst.ids) == either
    filled = [np.mean([s or 0 for s in b.get(i, [0])]) for i in either]
    assert np.allclose(worst.b, filled, rtol=1e-14, atol=1e-15)


@given(CELLS)
def test_what_is_averaged_stays_between_the_lowest_and_the_highest(cells):
    p = pair(table(cells), "a", "b", missing="worst")
    known = [s for s in cells.values() if s is not None] + [0.0, 1.0]
    assert min(known) <= min(p.a.min(), p.b.min())
    assert max(p.a.max(), p.b.max()) <= max(known)


@given(st.lists(SCORES, min_size=1, max_size=6), st.lists(SCORES, min_size=1, max_size=6))
def test_samples_of_their_own_are_handed_out_as_they_are(x, y):
    s = unpaired(Scores.from_arrays({"a": x, "b": y}), "a", "b", overlap="accept")
    assert (s.a.tolist(), s.b.tolist()) == (x, y)
    assert s.counts["shared"] == (len(x) if len(x) == len(y) else 0)


@given(WORDS, WORDS)
def test_a_distance_is_what_its_definition_says(x, y):
    table = list(range(len(y) + 1))
    for i, c in enumerate(x, start=1):
        row = [i]
        for j, d in enumerate(y, start=1):
            row.append(min(table[j] + 1, row[-1] + 1, table[j - 1] + (c != d)))
        table = row
    assert texts.distance(x, y) == table[-1] / max(len(x), len(y), 1)
    numbers = [[ord(c) for c in t] for t in (x, y)]
    assert texts.distance(*numbers) == texts.distance(x, y)


@given(WORDS, WORDS)
def test_the_first_difference_is_the_first(x, y):
    at = texts.first_difference(x, y)
    assert x[:at] == y[:at]
    assert x[at : at + 1] != y[at : at + 1] or at == len(x) == len(y)


@given(st.text(max_size=6))
def test_what_is_invisible_or_drawn_alike_is_spelled_in_escapes(x):
    for y in (f"{x}\u200b", f"\u0430{x}", f"{x}\uff21"):
        other = y.replace("\u0430", "a").replace("\uff21", "A")
        told = lookalikes.spelled(other, y)
        assert told.isprintable()
        first, second = other.replace("\u200b", ""), y
        assert lookalikes.skeleton(first) == lookalikes.skeleton(second)
        assert other == y or told.isascii()
