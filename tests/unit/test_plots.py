"""Pictures, judged by the numbers and words they hold."""

import math
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from matplotlib.figure import Figure

from nofluke import Scores, certify, plots
from nofluke.errors import InputError
from nofluke.plots import labels
from nofluke.plots.rules import side_by_side

SIGN = {"lower": "≤", "higher": "≥"}


def scores(K=12, n=200, *, better="lower", seed=0, **how):
    x = np.random.default_rng(seed).gamma(2, size=(K, n)) * np.linspace(0.6, 1.5, K)[:, None]
    return Scores.from_arrays(x if better == "lower" else 1 / (1 + x), better=better, **how)


def answer(better="lower", *, select="top:3", gamma=(0.05, 0.15, 0.3), **how):
    return certify(scores(better=better), select, gamma=gamma, **{"band": "kolmogorov"} | how)


def binary(better="higher", K=10, **how):
    x = np.random.default_rng(1).random((K, 300)) < np.linspace(0.6, 0.9, K)[:, None]
    return certify(Scores.from_arrays(x, better=better, metric="exact_match"), "top:4", **how)


def texts(ax):
    return [t.get_text() for t in ax.texts]


def words(ax):
    return "\n".join([*texts(ax), ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()])


def line(ax, name):
    return next(x for x in ax.lines if x.get_label() == name)


def points(ax):
    """All single points, as (x, y)."""
    return [
        (float(x.get_xdata()[0]), float(x.get_ydata()[0]))
        for x in ax.lines
        if len(x.get_xdata()) == 1
    ]


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_a_curve_holds_the_guaranteed_values_from_where_the_certificate_begins(better):
    result = answer(better)

    ax = plots.kpi_against_gamma(result)

    for e in result.evaluated:
        drawn = line(ax, e.candidate)
        gammas = tuple(drawn.get_xdata()[:-1])
        assert gammas[0] == pytest.approx(e.half_width, rel=1e-9)
        assert list(drawn.get_ydata()[:-1]) == result.curve(e.candidate, gammas)
        assert drawn.get_drawstyle() == "steps-post"
        assert e.candidate in texts(ax)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_asked_rates_are_marked_on_the_curves_and_winners_apart_from_them(better):
    result = answer(better)

    ax = plots.kpi_against_gamma(result)

    for row in result.rows():
        assert ((row["gamma"], row["value"]) in points(ax)) == row["certified"]
    rings = [x for x in ax.lines if x.get_label() == "winner"]
    named = [w for w in result.winners() if w["candidate"] is not None]
    assert [(r.get_xdata()[0], r.get_ydata()[0]) for r in rings] == [
        (w["gamma"], w["value"]) for w in named
    ]
    assert all(r.get_markerfacecolor() == "none" for r in rings)
    assert "winner, at its own level" in words(ax)
    assert "γ=0.05: not certified (n=200, needs" in words(ax)


def test_of_many_chosen_some_are_named_and_the_others_are_grey():
    result = certify(scores(60, 100), "top:40", gamma=0.3)

    ax = plots.kpi_against_gamma(result)

    grey = [x for x in ax.lines if x.get_color() == "#c4c4c4"]
    assert len(grey) == 33
    assert "grey: 33 more of the chosen" in words(ax)
    assert sum(t in result.selected for t in texts(ax)) == 7
    for drawn in grey:
        gammas = tuple(drawn.get_xdata()[:-1])
        assert list(drawn.get_ydata()[:-1]) == result.curve(drawn.get_label(), gammas)


@pytest.mark.parametrize(
    ("better", "side"), [("lower", "lower"), ("higher", "upper"), ("lower", "both")]
)
def test_a_fan_draws_the_band_on_its_own_side_only(better, side):
    result = answer(better, side=side)
    band = result.evaluated[0].region

    ax = plots.band_fan(result)

    share = line(ax, "share of scores")
    t = np.asarray(share.get_xdata())
    np.testing.assert_array_equal(share.get_ydata(), [(band.x <= point).mean() for point in t])
    drawn = {x.get_label() for x in ax.lines}
    for name, limit, absent in (
        ("lower limit", band.lower, "upper"),
        ("upper limit", band.upper, "lower"),
    ):
        assert (name in drawn) == (side != absent)
        if name in drawn:
            np.testing.assert_array_equal(line(ax, name).get_ydata(), limit(t))


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_a_fan_marks_each_guaranteed_value_at_its_height(better):
    result = answer(better)
    best = result.selected[0]

    ax = plots.band_fan(result)

    for row in result.rows()[:3]:
        height = 1 - row["gamma"] if better == "lower" else row["gamma"]
        assert ((row["value"], height) in points(ax)) == row["certified"]
        if row["certified"]:
            assert f"γ={row['gamma']:g}: {labels.promise(row['value'], better)}" in texts(ax)
    needed = result.rows()[0]["n_needed"]
    assert f"γ=0.05: not certified (n=200, needs {needed})" in words(ax)
    assert best in ax.get_title(loc="left")
    assert result.guarantee in ax.get_title(loc="left")


def test_a_fan_of_another_candidate():
    result = answer()
    other = result.selected[2]

    assert other in plots.band_fan(result, candidate=other).get_title(loc="left")
    with pytest.raises(InputError, match="not among the chosen"):
        plots.band_fan(result, candidate="nobody")


@pytest.mark.parametrize(("better", "end"), [("lower", "right"), ("higher", "left")])
def test_infinite_scores_are_counted_beyond_the_edge(better, end):
    sign = 1 if better == "lower" else -1
    x = sign * np.random.default_rng(0).gamma(2, size=(2, 300))
    x[:, :9] = sign * math.inf
    result = certify(Scores.from_arrays(x, better=better), "top:1@q0.5", gamma=(0.1, 0.2))

    ax = plots.band_fan(result)

    assert f"9 of 300 scores are {'' if sign > 0 else '−'}∞: beyond the {end} edge" in words(ax)
    assert np.isfinite(ax.get_xlim()).all()
    plots.svg(plots.kpi_against_gamma(result))


def test_limits_on_infinite_scores_are_said_to_be_infinite():
    result = certify(
        Scores.from_arrays(np.full((2, 300), math.inf), better="lower"), "names:0", gamma=0.2
    )

    assert "Every limit falls on an infinite score." in words(plots.kpi_against_gamma(result))
    assert "γ=0.2: ≤ ∞ (an infinite score)" in words(plots.band_fan(result))


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_rates_draw_estimate_and_promised_limit(better):
    result = binary(better)

    ax = plots.rates(result)

    assert ax.get_xlim() == (0, 1)
    for place, e in enumerate(result.evaluated):
        assert (e.region.estimate, place) in points(ax)
        bar = line(ax, e.candidate).get_xdata()
        limit = e.value(0.1, better)
        assert sorted(bar) == sorted([e.region.estimate, limit])
        assert labels.promise(limit, better) in texts(ax)
    ring = line(ax, "winner")
    assert ring.get_xdata()[0] == result.winners()[0]["value"]
    assert [t.get_text() for t in ax.get_yticklabels()] == list(result.selected)


def test_many_rates_name_the_first_and_count_the_others():
    x = np.random.default_rng(1).random((80, 50)) < 0.5
    result = certify(Scores.from_arrays(x, better="higher"), "top:60")

    ax = plots.rates(result)

    assert len(ax.get_yticklabels()) == 7
    assert "unnamed rows: 53 more of the chosen" in words(ax)


@pytest.mark.parametrize("result", [answer(), binary()], ids=["band", "binary"])
def test_rules_are_bars_from_zero_with_the_used_and_the_invalid_ones_marked(result):
    ax = plots.rules(result)

    of = "alpha" if result.binary else "half_width"
    bars = [b for container in ax.containers for b in container]
    assert [b.get_width() for b in bars] == [row[of] for row in result.rules]
    assert ax.get_xlim()[0] == 0
    for bar, row in zip(bars, result.rules, strict=True):
        assert (bar.get_hatch() is not None) == (not row["valid"])
    assert sum("used" in text for text in texts(ax)) == 1
    assert sum("invalid here" in text for text in texts(ax)) == sum(
        not r["valid"] for r in result.rules
    )


@pytest.mark.parametrize(
    ("how", "used"),
    [
        ({}, "fixed_size"),
        ({"rule": "minimax"}, "minimax"),
        ({"rule": "naive"}, "naive"),
        ({"rule": "psdme"}, "psdme"),
        ({"rule": "psdme:0.5"}, "psdme:0.5"),
        ({"rule": "psdme:0.3"}, "psdme:0.3"),
        ({"rule": "sizes:3,5"}, "sizes:3,5"),
        ({"split": 0.5, "seed": 1}, "split:0.5"),
        ({"split": 0.3, "seed": 1}, "split:0.3"),
        ({"claim": "simultaneous"}, "bonferroni"),
    ],
)
def test_exactly_one_rule_is_the_used_one(how, used):
    rows = [row for row in side_by_side(answer(**how)) if row["used"]]

    assert [row["rule"] for row in rows] == [used]


def test_an_invalid_rule_is_called_so_in_every_title():
    result = answer(rule="naive")

    for draw in (plots.kpi_against_gamma, plots.band_fan, plots.rules):
        assert "NOT VALID" in draw(result).get_title(loc="left")


def test_draw_picks_the_picture_by_the_kind_of_result():
    assert "failure rate" in plots.draw(answer()).get_xlabel()
    assert "rate of 1" in plots.draw(binary()).get_xlabel()
    assert answer().plot().get_xlabel() == plots.draw(answer()).get_xlabel()
    with pytest.raises(InputError, match="no picture for a int"):
        plots.draw(3)


def test_pictures_of_the_wrong_kind_are_refused_with_the_right_one_named():
    with pytest.raises(InputError, match="rates"):
        plots.kpi_against_gamma(binary())
    with pytest.raises(InputError, match="rates"):
        plots.band_fan(binary())
    with pytest.raises(InputError, match="kpi_against_gamma"):
        plots.rates(answer())


@pytest.mark.parametrize("draw", [plots.kpi_against_gamma, plots.band_fan, plots.rules])
def test_given_axes_are_used_and_returned(draw):
    ax = Figure().add_subplot()

    assert draw(answer(), ax=ax) is ax


@pytest.mark.parametrize("draw", [plots.kpi_against_gamma, plots.band_fan, plots.rules])
def test_nothing_chosen_is_said(draw):
    assert "Nobody was chosen" in words(draw(answer(select="threshold:0.0001")))


def test_one_score_of_one_candidate():
    result = certify(Scores.from_arrays([[0.5]], better="lower"), "top:1", gamma=0.1)

    for draw in (plots.kpi_against_gamma, plots.band_fan, plots.rules):
        plots.svg(draw(result))
    assert "not certified (n=1" in words(plots.band_fan(result))


def test_a_level_of_zero_promises_nothing():
    rule = "sizes:5"
    result = answer(rule=rule)

    assert "promises nothing" in words(plots.kpi_against_gamma(result))
    assert "promises nothing" in words(plots.band_fan(result))
    assert "promises nothing, used" in words(plots.rules(result))


def test_a_squeezed_axis_becomes_logarithmic_and_says_so():
    x = np.random.default_rng(0).lognormal(0, 3, size=(3, 400))
    result = certify(Scores.from_arrays(x, better="lower"), "top:1", gamma=0.2)

    assert "log scale" in plots.kpi_against_gamma(result).get_ylabel()
    assert "log scale" in plots.band_fan(result).get_xlabel()
    assert "log" not in plots.band_fan(answer()).get_xlabel()


HOSTILE = [
    "<script>x</script>",
    "$x_1$",
    "$\\frac",
    "a" * 300,
    "🎉 é",
    'it\'s "q" & co',
    "a\n\u202eb",
    "</svg>",
]


def parsed(ax):
    return ET.fromstring(plots.svg(ax))  # noqa: S314 (our own text)


def test_hostile_ids_are_text_in_the_svg():
    result = certify(scores(8, candidates=HOSTILE, metric="$\\mu$ <b>"), "top:7", gamma=0.3)

    for draw in (plots.kpi_against_gamma, plots.band_fan, plots.rules):
        tree = parsed(draw(result))
        assert not [e for e in tree.iter() if e.tag.endswith(("script", "}b"))]
    told = "".join(parsed(plots.kpi_against_gamma(result)).itertext())
    for name in result.selected[:7]:
        assert labels.short(name) in told


def test_svg_is_the_same_each_time_and_carries_words_and_no_date():
    result = answer()

    first, second = (plots.svg(plots.draw(result)) for _ in range(2))

    assert first == second
    assert first.startswith('<svg role="img" aria-labelledby="nf')
    assert "<title " in first
    assert "<desc " in first
    assert "What each of the chosen guarantees" in first
    assert not re.search(r"<metadata|<!--|<style|Matplotlib|dc:date", first)
    ids = re.findall(r'\sid="([^"]+)"', first)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'(?:url\(#|href="#)([^")]+)', first)) <= set(ids)


def test_importing_the_pictures_does_not_import_matplotlib():
    code = (
        "import sys, nofluke.plots, nofluke.report\n"
        "print('matplotlib' in sys.modules, 'jinja2' in sys.modules)\n"
    )

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == ["False", "False"]


def test_drawing_never_touches_pyplot():
    code = (
        "import sys, numpy as np, nofluke\n"
        "s = nofluke.Scores.from_arrays(np.random.default_rng(0).random((3, 50)), better='lower')\n"
        "nofluke.certify(s, 'top:1', gamma=0.4).plot()\n"
        "print('matplotlib.pyplot' in sys.modules)\n"
    )

    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout.strip() == "False"


def test_labels_never_overlap_and_keep_their_order():
    heights = np.random.default_rng(0).random(12)

    placed = labels.spread(list(heights), 0.05)

    assert (np.diff(sorted(placed)) >= 0.05 - 1e-12).all()
    assert list(np.argsort(placed)) == list(np.argsort(heights))
    assert max(placed) <= 1
