"""Betting without a compiler is betting with one, to the last bit."""

import math
import subprocess
import sys

import numpy as np
import pytest

from nofluke.kernels import betting, betting_arrays, betting_loops

SHAPES = {
    "rare": lambda rng, n: (rng.random(n) < 0.1) * 1.0,
    "smooth": lambda rng, n: np.clip(rng.normal(0.55, 0.1, n), 0, 1),
    "differences": lambda rng, n: rng.choice([0.0, 0.5, 1.0], n, p=[0.05, 0.75, 0.2]),
    "lost": lambda rng, n: np.zeros(n),
    "won": lambda rng, n: np.ones(n),
}
WAYS = (betting_loops, betting_arrays)


def asked(shape, kind, n, alpha, *, weighted=False):
    rng = np.random.default_rng(n)
    s = SHAPES[shape](rng, n)
    c = np.maximum(s, rng.random(n)) if weighted else np.ones(n)
    return s, c, betting.Plan(alpha, max(1, n - n // 4), kind)


@pytest.mark.parametrize("kind", ["star", "hedged", "fixed", "sequence"])
@pytest.mark.parametrize("shape", SHAPES)
def test_walks_agree_to_the_last_bit(shape, kind):
    for n, weighted in ((1, False), (7, True), (150, False), (151, True)):
        s, c, plan = asked(shape, kind, n, 0.05, weighted=weighted)
        game = betting._game(plan)
        items = [betting._items(s, c, plan, way) for way in WAYS]
        np.testing.assert_array_equal(items[0].rate, items[1].rate)
        for m in (0.0, 0.02, 0.3, 0.5, 0.9, 1.0):
            paths = [np.full(n, math.nan), np.full(n, math.nan)]
            ends = [
                way.walk(one, m, game, path)
                for way, one, path in zip(WAYS, items, paths, strict=True)
            ]
            assert ends[0] == ends[1]
            np.testing.assert_array_equal(*paths)


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
@pytest.mark.parametrize("kind", ["star", "hedged", "fixed", "sequence"])
@pytest.mark.parametrize("shape", SHAPES)
def test_limits_agree_to_the_last_bit(shape, kind, alpha):
    for n in (3, 120):
        s, c, plan = asked(shape, kind, n, alpha)
        game = betting._game(plan)
        sure, points = betting._sure(game), betting.grid(plan, np.array([1 / 3]))
        found = []
        for way in WAYS:
            items = betting._items(s, c, plan, way)
            if kind in ("star", "hedged"):
                found.append(way.last_rejected(items, points, game, sure))
            else:
                found.append(way.bisected(items, game))
        assert found[0] == found[1]


def test_the_limit_may_lie_beyond_where_it_is_likely():
    """Best of all moments: after a run of wins nothing that follows takes the limit back."""
    s = np.concatenate([np.ones(60), np.zeros(240)])
    c = np.ones(s.size)
    plan = betting.Plan(0.05, 60, "star")
    game, points = betting._game(plan), betting.grid(plan, np.empty(0))
    items = betting._items(s, c, plan, betting_arrays)

    at = betting_arrays.last_rejected(items, points, game, betting._sure(game))

    assert points[at] > betting_arrays._likely(items)
    assert at == betting_loops.last_rejected(items, points, game, betting._sure(game))


def test_items_without_weight_show_nothing():
    s = c = np.zeros(3)
    plan = betting.Plan(0.05, 3, "star")
    game = betting._game(plan)
    found = {
        way.last_rejected(
            betting._items(s, c, plan, way),
            betting.grid(plan, np.empty(0)),
            game,
            betting._sure(game),
        )
        for way in WAYS
    }

    assert found == {0}


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_few_items_load_no_compiler_and_many_do():
    ask = "means.star(x, level=0.95, bounds=(0, 1))"
    said = run(
        "import sys; from nofluke import means\n"
        f"x = [0.4, 0.7] * 200; few = {ask}; print('numba' in sys.modules)\n"
        f"x = [0.4, 0.7] * 20_000; {ask}; print('numba' in sys.modules)\n"
        f"x = [0.4, 0.7] * 200; print(few == {ask})\n"
    )
    assert said.split() == ["False", "True", "True"]


def test_many_small_questions_load_the_compiler_in_the_end(monkeypatch):
    monkeypatch.setattr(betting, "_walked", [betting._FEW - 10])
    plan = betting.Plan(0.05, 5)

    assert betting._is_compiled(11, plan)
    assert betting._is_compiled(5, plan._replace(population=100))
