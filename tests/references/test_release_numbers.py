"""Release rules against exact rationals, forty digits, and transcripts counted one by one."""

import json
import math
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pytest

from nofluke.kernels import ladders, thresholdout, transcripts
from nofluke.ledger import release

mpmath.mp.dps = 40


def known(shared, name):
    return json.loads((shared / "reference" / "classify" / f"{name}.json").read_text("utf-8"))


def choose(n, k):
    return math.comb(n, k) if 0 <= k <= n else 0


def test_how_many_fixed_evaluations_a_test_set_carries(shared):
    case = known(shared, "reuse_bounds")
    n, delta = case["inputs"]["n"], case["inputs"]["delta"]

    for looks, radius in case["expected"]["nonadaptive_union"].items():
        found = transcripts.nonadaptive_radius(n, int(looks), delta)
        assert found == pytest.approx(radius, rel=case["tolerance"])
        state = release.Rounded(n=n, looks=int(looks), alpha=delta, step=1 / n, adaptive=False)
        told, _ = release.look(state, [1] * 600 + [0] * 400)
        # Half a step is the price of rounding, also where nothing was rounded.
        assert told.upper - told.value == pytest.approx(radius + 0.5 / n, rel=1e-12)


def test_radii_for_answers_that_were_used():
    n, delta = 1000, 0.05
    for looks, values in ((2, 101), (20, 51), (100, 1001)):
        exact = mpmath.sqrt(
            mpmath.log(2 * looks * mpmath.mpf(values) ** (looks - 1) / delta) / 2 / n
        )
        found = transcripts.adaptive_radius(n, looks, delta, values)
        assert found == pytest.approx(float(exact), rel=1e-13)
    assert transcripts.splitting_radius(1000, 10, 0.05) == pytest.approx(
        float(mpmath.sqrt(mpmath.log(400) / 200)), rel=1e-13
    )
    assert transcripts.splitting_radius(9, 10, 0.05) == math.inf


def test_the_ladder_with_a_fixed_step(shared):
    case = known(shared, "ladder_fixed")
    given = case["inputs"]

    found = ladders.ladder(given["losses"], given["eta"])

    assert found.tolist() == case["expected"]["released"]


@pytest.mark.parametrize(("better", "value"), [("lower", lambda v: v), ("higher", lambda v: 1 - v)])
def test_the_rule_is_that_ladder_on_rows(shared, better, value):
    case = known(shared, "ladder_fixed")
    state = release.Ladder(n=1000, looks=9, step=case["inputs"]["eta"], better=better)

    released = []
    for loss in case["inputs"]["losses"]:
        wrong = round(1000 * loss)
        rows = np.repeat([value(1), value(0)], [wrong, 1000 - wrong])
        told, state = release.look(state, rows)
        released.append(told.value)

    assert released == pytest.approx([value(v) for v in case["expected"]["released"]], abs=1e-12)
    assert state.left == 0


@pytest.mark.parametrize("budget", [1, 2])
def test_thresholdout_given_its_noise(shared, budget):
    case = known(shared, "thresholdout_given_noise")
    given, want = case["inputs"], case["expected"][f"budget{budget}"]
    noise = given["noise"]
    threshold, left = given["T"] + noise["gamma0"], budget
    answers, thresholds = [], []
    for i, (train, holdout) in enumerate(zip(given["train"], given["holdout"], strict=True)):
        if left == 0:
            answers.append(None)
            thresholds.append(threshold)
            continue
        draws = iter([noise["eta"][i], noise["xi"][i], noise["gamma_new"][i]])
        found = thresholdout.answer(
            holdout,
            train,
            threshold=threshold,
            base=given["T"],
            sigma=0.01,
            laplace=lambda _scale, draws=draws: next(draws),
        )
        threshold, left = found.threshold, left - found.spent
        answers.append(found.value)
        thresholds.append(threshold)

    assert left == want["left"]
    assert [a is None for a in answers] == [a is None for a in want["answers"]]
    got = [a for a in answers if a is not None]
    assert got == pytest.approx([a for a in want["answers"] if a is not None], abs=1e-12)
    if "threshold_after" in want:
        assert thresholds == pytest.approx(want["threshold_after"], abs=1e-12)


def test_the_rule_is_that_thresholdout_on_rows(shared):
    case = known(shared, "thresholdout_given_noise")
    given, noise = case["inputs"], case["inputs"]["noise"]
    # In the order in which they are asked for: answers 2 and 4 differ from the training score.
    draws = [noise["gamma0"]]
    for i in range(4):
        draws.append(noise["eta"][i])
        if i in (1, 3):
            draws += [noise["xi"][i], noise["gamma_new"][i]]
    rng = release.Given(draws)
    state = release.Thresholdout(n=1000, looks=5, budget=2, threshold=given["T"], sigma=0.01)

    released = []
    for train, holdout in zip(given["train"][:4], given["holdout"][:4], strict=True):
        right = round(1000 * holdout)
        rows = np.repeat([1, 0], [right, 1000 - right])
        told, state = release.look(state, release.Submission(rows, training=train), rng=rng)
        released.append(told.value)

    assert released == pytest.approx(case["expected"]["budget2"]["answers"][:4], abs=1e-12)
    assert (state.left, state.noisy) == (0, pytest.approx(0.04, abs=1e-12))


def boards(levels, looks):
    """Every sequence that a ladder of so many levels can show, by submitting every grid of losses.

    The losses lie on quarters of the step, so that each way of rounding occurs.
    """
    eta = Fraction(1, levels)
    grid = [Fraction(i, 4 * levels) for i in range(4 * levels + 1)]
    seen = {()}
    for _ in range(looks):
        seen = {
            (*path, ladders.step(loss, path[-1] if path else None, eta))
            for path in seen
            for loss in grid
        }
    return seen


@pytest.mark.parametrize(("levels", "looks"), [(1, 3), (3, 4), (4, 5)])
def test_transcripts_of_a_ladder_counted_one_by_one(levels, looks):
    falling = {
        path
        for path in product(range(levels + 1), repeat=looks)
        if list(path) == sorted(path, reverse=True)
    }

    # From one step above zero no loss improves by more than a step; all else is reached.
    assert boards(levels, looks) == {p for p in falling if not {0, 1} <= set(p)}
    assert len(falling) == math.comb(levels + looks, levels)
    for drops in range(1, looks + 1):
        counted = sum(len(set(path)) == drops for path in falling)
        logarithm = transcripts.log_descents(looks, drops, levels)
        assert counted == round(math.exp(logarithm))


def test_levels_of_all_nodes_add_up_to_the_error_level():
    alpha, looks, levels = 0.05, 6, 4
    spent = Fraction(0)
    for look in range(1, looks + 1):
        for path in product(range(levels + 1), repeat=look - 1):
            if list(path) != sorted(path, reverse=True):
                continue
            code = transcripts.log_descents_code(look - 1, len(set(path)), levels)
            spent += Fraction(math.exp(transcripts.log_share(alpha, looks, code)))
    assert float(spent) == pytest.approx(alpha, rel=1e-12)

    values, budget, spent = 3, 2, Fraction(0)
    for look in range(1, looks + 1):
        for path in product(range(values + 1), repeat=look - 1):  # 0 is predictable
            used = sum(answer > 0 for answer in path)
            if used < budget:
                code = transcripts.log_sparse_code(look - 1, used, values, budget)
                spent += Fraction(math.exp(transcripts.log_share(alpha, looks, code)))
    assert float(spent) == pytest.approx(alpha, rel=1e-12)


@pytest.mark.parametrize("levels", [1, 3, 10])
def test_shares_of_near_answers_in_fractions(levels):
    """Along every path of three answers: each share from its definition, and all add up to 1."""
    total = Fraction(0)
    weights = [Fraction(1, (d + 1) * (d + 2)) for d in range(levels + 1)]
    for path in product(range(levels + 1), repeat=3):
        share = Fraction(1, levels + 1)
        code = transcripts.log_near_code(path[0], None, levels)
        for before, now in pairwise(path):
            near = [weights[abs(answer - before)] for answer in range(levels + 1)]
            share *= near[now] / sum(near)
            code += transcripts.log_near_code(now, before, levels)
        assert math.exp(-code) == pytest.approx(float(share), rel=1e-12)
        total += share
    assert total == 1


def test_later_intervals_pay_for_the_answers_before():
    """Losses of 1, 0 and 2 steps: nothing, one of three, and then from the middle to an end."""
    state = release.Rounded(n=1000, looks=4, step=0.5)
    near = Fraction(1, 6) / (Fraction(1, 2) + 2 * Fraction(1, 6))  # from the middle to an end
    for right, share in ((500, 1), (900, Fraction(1, 3)), (100, near / 3)):
        told, state = release.look(state, [1] * right + [0] * (1000 - right))
        code = mpmath.mpf(share.denominator) / share.numerator
        radius = mpmath.sqrt(mpmath.log(mpmath.mpf(2) * 4 * code / 0.05) / 2000)
        assert told.upper == pytest.approx(min(1, float(told.value + 0.25 + radius)), rel=1e-12)
        assert told.lower == pytest.approx(max(0, float(told.value - 0.25 - radius)), rel=1e-12)


def test_binomials_of_any_size():
    for n, k in ((0, 0), (5, 2), (1000, 500), (10**6, 3), (10**9, 10**4)):
        exact = float(mpmath.log(mpmath.binomial(n, k)))
        assert transcripts.log_choose(n, k) == pytest.approx(exact, rel=1e-10, abs=1e-12)
    assert transcripts.log_choose(3, 4) == -math.inf


def test_the_promise_of_a_ladder_in_exact_numbers():
    """Two looks: the second is one of the 51 nodes of its kind, among two looks and one kind."""
    n, eta = 1000, Fraction(1, 50)
    state = release.Ladder(n=n, looks=2, step=0.02)
    first, state = release.look(state, [1] * 600 + [0] * 400)
    second, state = release.look(state, [1] * 700 + [0] * 300)

    narrow = mpmath.sqrt(mpmath.log(mpmath.mpf(2) * 2 / 0.05) / 2 / n)
    wide = mpmath.sqrt(mpmath.log(mpmath.mpf(2) * 2 * 51 / 0.05) / 2 / n)
    assert (first.value, second.value) == (0.6, 0.7)
    assert first.lower == pytest.approx(float(0.6 - float(eta) / 2 - narrow), rel=1e-12)
    assert first.upper == pytest.approx(float(0.6 + float(eta) + narrow), rel=1e-12)
    assert second.lower == pytest.approx(float(0.7 - float(eta) / 2 - wide), rel=1e-12)
    assert second.upper == pytest.approx(float(0.7 + float(eta) + wide), rel=1e-12)
    # Two values of 51, at one or at two of the looks: 51 x 50 / 2 paths of the second kind of two.
    assert second.bits == pytest.approx(math.log2(2 * choose(51, 2)), rel=1e-12)


def test_the_parameter_free_ladder_in_fractions():
    """Every pair of submissions on five rows, against the definition with a root."""
    for first, second in product(product((0, 1), repeat=5), repeat=2):
        state = release.FreeLadder(n=5, looks=2, better="lower")
        _, state = release.look(state, first)
        told, _ = release.look(state, second)
        d = [Fraction(b - a) for a, b in zip(first, second, strict=True)]
        variance = sum((v - sum(d) / 5) ** 2 for v in d) / 4
        error = mpmath.sqrt(mpmath.mpf(variance.numerator) / variance.denominator / 5)
        gap = mpmath.mpf(sum(first) - sum(second)) / 5
        moved = gap - error > mpmath.mpf(10) ** -30
        assert told.value == pytest.approx((sum(second) if moved else sum(first)) / 5, abs=1e-15)


def test_limits_of_a_rounded_rate_hold_those_of_all_counts_that_round_to_it():
    """Bisection of the binomial tails for every count, and the outermost of them."""

    def tail(count, n, rate):
        return mpmath.betainc(count, n - count + 1, 0, rate, regularized=True)

    n, alpha, looks = 60, 0.05, 3
    state = release.Rounded(n=n, looks=looks, alpha=alpha, step=0.1, binary=True)
    told, state = release.look(state, [1] * 40 + [0] * 20)
    told, state = release.look(state, [1] * 40 + [0] * 20)

    counts = [c for c in range(n + 1) if abs(Fraction(c, n) - Fraction(7, 10)) <= Fraction(1, 20)]
    error = mpmath.mpf(alpha) / looks / 11 / 2  # the second look, after the first of eleven
    assert told.value == pytest.approx(0.7, abs=1e-15)
    assert tail(counts[0], n, told.lower) == pytest.approx(error, rel=1e-9)
    assert 1 - tail(counts[-1] + 1, n, told.upper) == pytest.approx(error, rel=1e-9)


def test_what_noise_can_add():
    """The tails of the three laws at the bounds, in forty digits, add up to the error level."""
    sigma, looks, budget, alpha = 0.004, 100, 7, 0.025
    both, size = thresholdout.noise_bounds(sigma, looks, budget, alpha)
    share = mpmath.mpf(alpha) / (2 * budget + looks + 1)

    upper = mpmath.exp(-mpmath.mpf(both) / 6 / sigma) / 2  # each at its own scale: 2 and 4 sigma
    assert float(upper / share) == pytest.approx(1, rel=1e-12)
    assert float(mpmath.exp(-mpmath.mpf(size) / sigma) / share) == pytest.approx(1, rel=1e-12)


def test_limits_of_thresholdout_in_forty_digits():
    """A correction, and a training score after it that pays for the 101 values it could have."""
    n, looks, budget, sigma = 2000, 4, 3, 0.001
    state = release.Thresholdout(
        n=n, looks=looks, budget=budget, threshold=0.05, sigma=sigma, step=0.01
    )
    hidden = [1] * 1200 + [0] * 800
    quiet = release.Given([0.0, 0.0, 0.004, 0.0, 0.0])
    first, state = release.look(state, release.Submission(hidden, training=0.8), rng=quiet)
    second, state = release.look(state, release.Submission(hidden, training=0.57), rng=quiet)

    def radius(nodes):
        return mpmath.sqrt(mpmath.log(2 * looks * mpmath.mpf(nodes) / (0.05 / 2)) / 2 / n)

    draws = mpmath.mpf(looks + 2 * budget + 1) / (0.05 / 2)
    correction = sigma * mpmath.log(draws) + 0.005 + radius(1)
    # The second look: kinds of none or one correction, and 101 values of the one there was.
    confirmed = 0.05 + 6 * sigma * mpmath.log(draws / 2) + radius(2 * 101)
    assert (first.value, second.value) == (0.6, 0.57)
    assert first.upper - 0.6 == pytest.approx(float(correction), rel=1e-9)
    assert 0.6 - first.lower == pytest.approx(float(correction), rel=1e-9)
    assert second.upper - 0.57 == pytest.approx(float(confirmed), rel=1e-9)
    assert 0.57 - second.lower == pytest.approx(float(confirmed), rel=1e-9)


def test_limits_of_the_parameter_free_ladder_in_forty_digits():
    n, looks = 2000, 3
    state = release.FreeLadder(n=n, looks=looks)
    for right in (1000, 1400, 1405):
        told, state = release.look(state, [1] * right + [0] * (n - right))

    def radius(nodes):
        return mpmath.sqrt(mpmath.log(2 * looks * mpmath.mpf(nodes) / 0.05) / 2 / n)

    # 1405 is better by 5 rows; its standard error is sqrt(5) rows. Its own limits count 0.7025.
    assert told.value == 0.7025
    nodes = 2 * choose(n + 1, 2)  # two kinds; both looks before told something
    assert told.upper == pytest.approx(
        float(0.7025 + 1 / mpmath.sqrt(n - 1) + radius(nodes)), rel=1e-9
    )
    assert told.lower == pytest.approx(float(0.7025 - 0.5 / n - radius(nodes)), rel=1e-9)


def test_false_verdicts_over_every_labelling_of_eight_rows():
    """All 256 labellings are equally likely, so that nothing is better than anything."""
    n, looks, alpha = 8, 3, 0.3
    rng, labellings = np.random.default_rng(6), list(product((0, 1), repeat=n))
    baseline = np.zeros(n, dtype=int)
    for _ in range(2):
        guesses = rng.integers(0, 2, (looks, n))
        guesses[0] = 1  # differs from the baseline on every row
        wrong = 0
        for labels in labellings:
            state = release.Verdict(n=n, looks=looks, alpha=alpha, baseline=baseline == labels)
            for guess in guesses:
                told, state = release.look(state, guess == labels)
                if told.verdict == "better":
                    wrong += 1
                    break
        assert 0 < Fraction(wrong, 256) <= Fraction(3, 10)


def test_levels_of_verdicts_in_exact_numbers():
    state = release.Verdict(n=60, looks=10, baseline=[1] * 30 + [0] * 30, wins=3)
    levels, better = [], [1] * 60
    for rows in (better, [1] * 30 + [0] * 30, better):
        levels.append(state.level)
        _, state = release.look(state, rows)
    # Looks 1, 2 and 3 after 0, 1 and 1 verdicts "better": kinds 1, 2, 3 and paths 1, 1, 2.
    assert levels == pytest.approx([0.005, 0.0025, 0.005 / 6], rel=1e-12)
    assert state.won == 2


def test_evidence_of_a_claim_is_a_product_of_bets():
    """Waudby-Smith & Ramdas 2024: each bet from the rows before it, at most 1 / m / 2."""
    rng = np.random.default_rng(5)
    gains = rng.choice([-1.0, 0.0, 1.0], 60, p=[0.2, 0.4, 0.4])
    state = release.Fresh().opening("new", weight=0.25)
    for part in np.split(gains, [7, 8, 31]):
        told, state = release.look(state, release.Submission(part, claim="new"))

    stakes = []
    x = (gains + 1) / 2
    total, squares = 0.5, 0.25
    log_threshold = -math.log(0.05 * 0.25)
    for t, value in enumerate(x, start=1):
        stakes.append(squares / t)
        total += value
        squares += (value - total / (t + 1)) ** 2
    raw = np.sqrt(
        2 * log_threshold / (np.array(stakes) * np.arange(1, 61) * np.log(np.arange(2, 62)))
    )
    wealth = np.prod(1 + np.minimum(raw, 1.0) * (x - 0.5))
    assert told.value == pytest.approx(wealth, rel=1e-9)
