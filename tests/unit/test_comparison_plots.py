"""Pictures of comparisons and envelopes, judged by the numbers and words they hold."""

import math
from dataclasses import replace
from functools import cache
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from nofluke import Scores, plots, read
from nofluke.plots import comparison as shared
from nofluke.plots.differences import bars_of, shares
from nofluke.plots.evidence import first_crossing, thinned
from nofluke.plots.quantiles import points
from nofluke.questions.compare import compare
from nofluke.questions.comparison import WealthPath
from nofluke.questions.plan import envelope
from nofluke.results import outward

DRAWN = (
    plots.differences,
    plots.methods,
    plots.evidence,
    plots.normal_quantiles,
    plots.subgroups,
    plots.group_shares,
)


def table(n=150, *, better="higher", shift=0.05, names=("old", "new"), **how):
    rng = np.random.default_rng(0)
    a = rng.beta(4, 3, n)
    b = np.where(rng.random(n) < 0.3, a, np.clip(a + rng.normal(shift, 0.08, n), 0, 1))
    return Scores.from_arrays(
        dict(zip(names, (a, b), strict=True)), better=better, bounds=(0, 1), **how
    )


def binary(better="higher"):
    right = {"old": [0] * 30 + [1] * 70, "new": [1] * 12 + [0] * 20 + [1] * 66 + [0] * 2}
    return compare(
        Scores.from_arrays(right, binary=True, better=better, metric="exact_match"), "old", "new"
    )


GROUPS = {str(i): "news" if i % 3 else "social" for i in range(150)}
MIX = {"news": 0.25, "social": 0.75}


@cache
def answer(kind="plain"):
    how = {
        "plain": {},
        "lower": {"better": "lower", "alternative": "not-worse", "margin": 0.02},
        "equivalent": {"alternative": "equivalent", "margin": 0.1},
        "different": {"alternative": "different"},
        "groups": {"groups": GROUPS},
        "mix": {"groups": GROUPS, "mix": MIX},
        "t": {"method": "t"},
        "planned": {"planned": 100, "shift": 0.2},
        "clusters": {"clusters": {str(i): f"doc{i // 3}" for i in range(150)}},
    }[kind]
    made = {key: how.pop(key) for key in ("better", "shift") if key in how}
    return compare(table(metric="rouge", **made), "old", "new", **how)


@cache
def single():
    one = Scores.from_arrays({"old": [0.5], "new": [0.7]}, better="higher", bounds=(0, 1))
    return compare(one, "old", "new")


def texts(ax):
    return [t.get_text() for t in ax.texts]


def words(ax):
    return "\n".join([*texts(ax), ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()])


def lines(ax, name):
    return [x for x in ax.lines if x.get_label() == name]


def bars(ax):
    return [(b.get_x(), b.get_width(), b.get_height(), b) for c in ax.containers for b in c]


# The differences themselves.


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_binary_metric_has_a_bar_for_each_outcome_with_its_share_on_it(better):
    result = binary(better)
    left, right = ("worse", "better") if better == "higher" else ("better", "worse")

    ax = plots.draw(result)

    drawn = [(round(x + w / 2, 9), h) for x, w, h, _ in bars(ax)]
    assert drawn == [(-1, 4), (0, 84), (1, 12)]
    assert {f"{left}: 4 (4 %)", "equal: 84 (84 %)", f"{right}: 12 (12 %)"} <= set(texts(ax))
    assert [b.get_hatch() is not None for *_, b in bars(ax)] == [
        left == "worse",
        False,
        right == "worse",
    ]
    assert ax.get_ylim()[0] == 0


def test_an_outcome_that_never_came_keeps_its_place():
    right = {"old": [0] * 9 + [1] * 9, "new": [1] * 18}
    result = compare(Scores.from_arrays(right, binary=True, better="higher"), "old", "new")

    ax = plots.differences(result)

    assert [h for _, _, h, _ in bars(ax)] == [0, 9, 9]
    assert "worse: 0 (0 %)" in texts(ax)


@pytest.mark.parametrize("kind", ["plain", "lower", "equivalent", "clusters"])
def test_a_histogram_counts_every_difference_once_and_zeros_apart(kind):
    result = answer(kind)
    d = result.d

    ax = plots.differences(result)

    assert sum(h for _, _, h, _ in bars(ax)) == d.size
    for x, w, h, _ in bars(ax):
        if abs(x + w / 2) < 1e-12:
            assert h == (d == 0).sum()
        else:
            eps = 1e-12
            inside = (d != 0) & (d > x - eps) & (d < x + w + eps)
            assert h <= inside.sum()
    below = sum(h for x, w, h, _ in bars(ax) if x + w / 2 < -1e-12)
    assert below == (d < 0).sum()


def test_shares_speak_of_all_differences():
    for word, count, share in shares(answer("plain")):
        sign = {"worse": -1, "equal": 0, "better": 1}[word]
        assert count == (np.sign(answer("plain").d) == sign).sum()
        assert share == count / 150


def test_the_axis_is_symmetric_and_holds_everything():
    for kind in ("plain", "lower", "equivalent", "t"):
        result = answer(kind)

        ax = plots.differences(result)

        left, right = ax.get_xlim()
        assert left == -right
        held = [*result.d, *shared.margins(result), result.asymptotic.lower]
        assert left < min(held)
        assert max(held) < right


def test_the_mean_stands_in_both_of_its_intervals():
    result = answer("plain")

    ax = plots.differences(result)

    for name, interval in (("guaranteed", result.guaranteed), ("asymptotic", result.asymptotic)):
        (line,) = lines(ax, name)
        assert tuple(line.get_xdata()) == (interval.lower, interval.upper)
        assert any(
            f"{interval.method}, {interval.guarantee}" in t
            and outward(interval.lower, "higher", digits=3) in t
            and outward(interval.upper, "lower", digits=3) in t
            for t in texts(ax)
        )
    assert {float(m.get_xdata()[0]) for m in lines(ax, "mean")} == {result.estimate}
    (solid,), (broken,) = lines(ax, "guaranteed"), lines(ax, "asymptotic")
    assert solid.get_linestyle() == "-"
    assert broken.get_linestyle() == "--"


def test_only_an_asymptotic_answer_has_only_an_asymptotic_interval():
    ax = plots.differences(answer("t"))

    assert not lines(ax, "guaranteed")
    assert len(lines(ax, "asymptotic")) == 1
    assert "asymptotic" in ax.get_title(loc="left")


def test_margins_are_marked_on_the_scale_of_the_difference():
    for kind, wanted in (
        ("plain", []),
        ("lower", [0.02]),  # a loss of 0.02 where lower is better is a difference of +0.02
        ("equivalent", [-0.1, 0.1]),
    ):
        for draw in (plots.differences, plots.methods):
            ax = draw(answer(kind))
            assert sorted(float(x.get_xdata()[0]) for x in lines(ax, "margin")) == wanted
            assert [float(x.get_xdata()[0]) for x in lines(ax, "zero")] == [0]
            assert ("margin" in words(ax)) == bool(wanted)


def test_an_infinite_limit_is_an_arrow():
    result = single()
    assert math.isinf(result.asymptotic.upper)

    for draw in (plots.differences, plots.methods):
        ax = draw(result)
        arrows = lines(ax, "no limit")
        assert [a.get_marker() for a in arrows] == ["<", ">"]
        left, right = ax.get_xlim()
        assert all(left < float(a.get_xdata()[0]) < right for a in arrows)
        assert any("[−∞, ∞]" in t for t in texts(ax))


def test_without_an_orientation_nothing_is_called_better():
    scores = Scores.from_arrays({"a": [0.1, 0.5, 0.4], "b": [0.2, 0.4, 0.4]}, bounds=(0, 1))
    result = compare(scores, "a", "b", alternative="different")

    told = words(plots.differences(result))

    assert "lower: 1" in told
    assert "higher: 1" in told
    assert "better" not in told


def test_two_samples_show_their_blocks():
    n = 40
    x = np.random.default_rng(0).random(2 * n)
    frame = pd.DataFrame(
        {"candidate": ["old"] * n + ["new"] * n, "example": map(str, range(2 * n)), "score": x}
    )
    scores = read(frame, better="higher", bounds=(0, 1))
    result = compare(scores, "old", "new", paired=False)
    assert result.d is None

    ax = plots.differences(result)

    assert sum(h for _, _, h, _ in bars(ax)) == n
    assert ax.get_ylabel() == "number of blocks"


def test_few_values_have_bars_and_roundings_of_one_value_are_one():
    tenths = np.array([0.3 - 0.1, 0.2, 0.5 - 0.3, -0.2, 0.0])
    assert len(set(tenths)) > 3

    found = bars_of(tenths)

    assert found.values
    assert found.heights.tolist() == [1, 1, 3]


def test_a_histogram_is_mirrored_with_its_data():
    d = np.round(np.random.default_rng(1).normal(0.1, 0.3, 500), 2)
    there, back = bars_of(d), bars_of(-d)

    assert not there.values
    np.testing.assert_array_equal(there.heights, back.heights[::-1])
    np.testing.assert_allclose(there.left, -back.right[::-1])
    assert there.heights.sum() == back.heights.sum() == 500


# Every method.


def test_every_method_is_a_line_with_its_guarantee_and_verdict():
    result = answer("plain")

    ax = plots.methods(result)

    assert [t.get_text() for t in ax.get_yticklabels()] == [
        f"{row['method']}\n{row['guarantee']}" for row in result.rows()
    ]
    for row in result.rows():
        (line,) = lines(ax, row["method"])
        assert tuple(line.get_xdata()) == (row["lower"], row["upper"])
        assert (line.get_linestyle() == "-") == (row["guarantee"] in shared.HOLDING)
        told = f"{shared.range_of(row['lower'], row['upper'])}\n{row['verdict']}"
        assert told + (", used" if row["used"] else "") in texts(ax)
    assert [float(e.get_xdata()[0]) for e in lines(ax, "estimate")] == [
        row["estimate"] for row in result.rows()
    ]
    assert sum(", used" in t for t in texts(ax)) == 1


def test_an_exact_test_is_a_p_value_and_no_interval():
    result = binary()

    ax = plots.methods(result)

    assert not lines(ax, "mcnemar")
    p = outward(result.test.pvalue, "lower", digits=3)
    assert f"p = {p}, no interval\n{result.verdict}, used" in texts(ax)


def test_zero_is_always_in_the_picture():
    for result in (answer("plain"), answer("equivalent"), binary(), single()):
        left, right = plots.methods(result).get_xlim()
        assert left < 0 < right


# Evidence.


@pytest.mark.parametrize("kind", ["plain", "equivalent", "planned", "different", "clusters"])
def test_evidence_is_drawn_from_one_with_the_level_that_decides(kind):
    result = answer(kind)

    ax = plots.evidence(result)

    for wealth in result.wealth:
        (path,) = lines(ax, wealth.label)
        assert (path.get_xdata()[0], path.get_ydata()[0]) == (0, 0)
        np.testing.assert_array_equal(path.get_xdata()[1:], np.arange(1, result.n_units + 1))
        np.testing.assert_allclose(path.get_ydata()[1:], wealth.log_e / math.log(10))
    levels = {round(w.log_threshold / math.log(10), 12) for w in result.wealth}
    assert {round(float(x.get_ydata()[0]), 12) for x in lines(ax, "decides")} == levels
    low, high = ax.get_ylim()
    assert low < 0 < max(levels) < high
    assert ("no licence" in words(ax)) == (result.guarantee == "finite-sample")


@pytest.mark.parametrize("kind", ["plain", "equivalent", "planned", "different"])
def test_the_moment_of_the_verdict_is_marked_and_is_a_crossing(kind):
    result = answer(kind)
    assert result.decided_at is not None

    ax = plots.evidence(result)

    (line,) = lines(ax, "decided")
    assert float(line.get_xdata()[0]) == result.decided_at
    rings = {float(x.get_xdata()[0]) for x in lines(ax, "first crossing")}
    assert rings == {first_crossing(w) for w in result.wealth} - {None}
    assert result.decided_at in rings
    assert f"after {result.decided_at} of {result.n_units}" in words(ax)


def test_an_undecided_answer_has_no_moment():
    result = answer("clusters")
    if result.decided_at is None:
        assert not lines(plots.evidence(result), "decided")
    assert not lines(plots.evidence(single()), "decided")


def test_a_method_that_looks_once_says_so():
    told = words(plots.evidence(binary()))

    assert "looks once" in told


def test_a_long_path_is_thinned_and_keeps_its_first_crossing_and_its_extremes():
    rng = np.random.default_rng(0)
    for spike in (3, 50_000, 99_999):
        log_e = -0.001 * np.arange(100_000) + rng.normal(0, 0.01, 100_000)
        log_e[spike] = 5.0
        wealth = WealthPath(label="gain above 0", log_e=log_e, log_threshold=3.0)

        at = thinned(wealth)

        assert at.size <= 2000
        assert spike in at
        assert {0, 99_999, int(log_e.argmin())} <= set(at.tolist())
        assert first_crossing(wealth) == spike + 1
        assert (np.diff(at) > 0).all()
        result = replace(answer("plain"), wealth=(wealth,), n_units=100_000, decided_at=spike + 1)
        (path,) = lines(plots.evidence(result), "gain above 0")
        assert len(path.get_xdata()) <= 2000
        assert spike + 1 in path.get_xdata()


def test_a_fall_below_the_edge_is_told():
    log_e = np.linspace(0, -500, 150)
    wealth = WealthPath(label="gain above 0", log_e=log_e, log_threshold=3.0)

    ax = plots.evidence(replace(answer("plain"), wealth=(wealth,), decided_at=None))

    assert f"gain above 0: falls to 10^{-500 / math.log(10):.3g}, below the edge" in words(ax)
    plots.svg(ax)


# Groups and the mix.


def test_groups_have_simultaneous_limits_and_adjusted_p_values():
    result = answer("groups")

    ax = plots.subgroups(result)

    assert [t.get_text() for t in ax.get_yticklabels()] == ["news", "social"]
    for row in result.subgroups:
        (line,) = lines(ax, row["group"])
        assert tuple(line.get_xdata()) == (row["lower"], row["upper"])
        p = outward(row["adjusted"], "lower", digits=3)
        sign = "≤" if row["p_is_bound"] else "="
        assert f"n={row['n']}, p {sign} {p}\n{row['verdict']}" in texts(ax)
    assert "all limits hold together" in ax.get_title(loc="left")
    assert result.subgroups[0]["guarantee"] in ax.get_title(loc="left")


def test_too_many_groups_to_name_are_counted():
    rows = [answer("groups").subgroups[0] | {"group": str(i)} for i in range(60)]

    ax = plots.subgroups(replace(answer("groups"), subgroups=tuple(rows)))

    assert "60 lines, too many to name here" in words(ax)
    assert all(len(lines(ax, str(i))) == 1 for i in range(60))
    assert ax.figure.get_figheight() <= 14


def test_shares_are_bars_from_zero_for_the_test_set_and_the_mix():
    result = answer("mix")

    ax = plots.group_shares(result)

    tested, mixed = ax.containers
    assert [b.get_width() for b in tested] == [row["share"] for row in result.shares]
    assert [b.get_width() for b in mixed] == [row["mix"] for row in result.shares] == [0.25, 0.75]
    assert ax.get_xlim()[0] == 0
    for row in result.shares:
        assert f"mean difference {row['estimate']:+.3g}\nn = {row['n']}" in texts(ax)
    assert f"{result.plain_estimate:+.4g} with all examples alike" in words(ax)
    assert f"{result.estimate:+.4g} under the mix" in words(ax)


def test_a_group_without_examples_is_said_to_have_none():
    rows = [*answer("mix").shares]
    rows[0] = rows[0] | {"n": 0, "share": 0.0, "estimate": None}

    assert "no examples\nn = 0" in texts(plots.group_shares(replace(answer("mix"), shares=rows)))


# Normal quantiles.


def test_quantiles_are_the_sorted_units_against_normal_ones():
    from scipy.stats import norm

    result = answer("plain")

    ax = plots.normal_quantiles(result)

    (drawn,) = lines(ax, "differences")
    np.testing.assert_array_equal(drawn.get_ydata(), np.sort(result.x))
    n = result.x.size
    np.testing.assert_allclose(drawn.get_xdata(), norm.ppf((np.arange(1, n + 1) - 0.5) / n))
    (line,) = lines(ax, "normal")
    z = np.asarray(line.get_xdata())
    np.testing.assert_allclose(line.get_ydata(), result.x.mean() + result.x.std(ddof=1) * z)
    assert "descriptive" in ax.get_title(loc="left")


def test_of_many_quantiles_the_tails_are_kept_whole():
    x = np.random.default_rng(0).normal(size=20_000)

    z, at = points(x)

    ordered = np.sort(x)
    assert at.size <= 700
    np.testing.assert_array_equal(at[:100], ordered[:100])
    np.testing.assert_array_equal(at[-100:], ordered[-100:])
    assert (np.diff(z) > 0).all()


# All of them.


@pytest.mark.parametrize("draw", DRAWN)
def test_given_axes_are_used_and_every_answer_can_be_drawn(draw):
    ax = Figure().add_subplot()
    assert draw(answer("plain"), ax=ax) is ax
    for result in (single(), binary(), answer("t")):
        assert plots.svg(draw(result)).startswith("<svg role")


@pytest.mark.parametrize("draw", DRAWN)
def test_hostile_ids_are_text_in_the_svg(draw):
    names = ("<script>x</script>", "$\\frac a\n\u202eb" + "c" * 300)
    groups = {str(i): ("</svg>" if i % 2 else "$x_1$ <b>") for i in range(150)}
    mix = {"</svg>": 0.5, "$x_1$ <b>": 0.5}
    result = compare(
        table(names=names, metric="$\\mu$ <i>"), *names, groups=groups, mix=mix, method="t"
    )
    result = replace(result, wealth=answer("plain").wealth)

    tree = ET.fromstring(plots.svg(draw(result)))  # noqa: S314 (our own text)

    assert not [e for e in tree.iter() if e.tag.endswith(("script", "}b", "}i"))]
    assert "\u202e" not in "".join(tree.itertext())


def test_a_lost_guarantee_is_in_the_titles():
    result = replace(answer("plain"), guarantee="heuristic")

    for draw in (plots.differences, plots.methods, plots.evidence):
        assert "NOT VALID (heuristic)" in draw(result).get_title(loc="left")


# The envelope.


@pytest.mark.parametrize(("side", "signs"), [("lower", {1}), ("upper", {-1}), ("both", {1, -1})])
def test_an_envelope_draws_its_thresholds_on_its_own_sides(side, signs):
    result = envelope(1000, side=side)

    ax = plots.draw(result)

    n = [row["n"] for row in result.rows()]
    eps = np.array([row["eps"] for row in result.rows()])
    drawn = {1: lines(ax, "threshold"), -1: lines(ax, "threshold below")}
    for sign, found in drawn.items():
        assert len(found) == (sign in signs)
        for line in found:
            np.testing.assert_array_equal(line.get_xdata(), n)
            np.testing.assert_allclose(line.get_ydata(), sign * eps)
    low, high = ax.get_ylim()
    assert (low < 0) == (-1 in signs)
    assert (high > 0) == (1 in signs)
    title = ax.get_title(loc="left")
    assert "finite-sample, for one n fixed in advance" in title
    assert "crossing it at one of many looks proves nothing" in title


def test_an_observed_mean_is_marked_where_it_crosses_and_where_it_has_power():
    result = envelope(10_000, observed=0.05)

    ax = plots.envelope(result)

    (line,) = lines(ax, "observed")
    assert set(line.get_ydata()) == {0.05}
    (ring,), (triangle,) = lines(ax, "crossing"), lines(ax, "power")
    # Hoeffding by hand: 2 log(20) / 0.05^2 = 2396.6, and with 80 % power 7197.6.
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (2397, 0.05)
    assert (triangle.get_xdata()[0], triangle.get_ydata()[0]) == (7198, 0.05)
    assert "n = 2397" in words(ax)
    assert "n = 7198" in words(ax)


@pytest.mark.parametrize("result", [envelope(20_000, observed=0.03), envelope(300)])
def test_thresholds_that_are_cut_off_are_told_with_their_n(result):
    ax = plots.envelope(result)

    low, top = ax.get_ylim()
    cut = max(row["n"] for row in result.rows() if row["eps"] > top)
    assert low == 0
    assert top <= 1
    assert f"thresholds above {top:.3g}, up to n = {cut}, are cut off" in words(ax)
    assert ax.get_xlim()[0] == cut


def test_what_lies_beyond_the_edge_is_told():
    ax = plots.envelope(envelope(1000, observed=0.05))

    assert not lines(ax, "crossing")
    assert "n = 2397 (beyond the edge)" in words(ax)


def test_a_mean_on_the_other_side_never_crosses():
    ax = plots.envelope(envelope(1000, side="lower", observed=-0.2))

    assert not lines(ax, "crossing")
    assert "never crosses" in words(ax)
    assert ax.get_ylim()[0] < -0.2


def test_a_threshold_is_named_away_from_zero():
    assert "threshold 0.07741" in texts(plots.envelope(envelope(1000)))  # 0.07740455
    assert "threshold -0.07741" in texts(plots.envelope(envelope(1000, side="upper")))


def test_one_example_has_an_envelope_too():
    plots.svg(plots.envelope(envelope(1, observed=0.1)))
