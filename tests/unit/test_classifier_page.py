"""The pictures and the page of a card."""

import json
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from nofluke import Predictions, classifier, plots
from nofluke.errors import InputError
from nofluke.report import page

HOSTILE = "<script>alert(1)</script> $x$"
PICTURES = ("roc", "precision_recall", "reliability", "costs", "benefit", "parts")


def answer(K=2, **how):
    rng = np.random.default_rng(0)
    y = rng.random(90) < 0.4
    names = ["a", HOSTILE, *(f"m{i}" for i in range(K))][:K]
    scores = {name: 1 / (1 + np.exp(-(2 * y - 1 + (i + 1) * rng.normal(size=90))))
              for i, name in enumerate(names)}  # fmt: skip
    kind = np.where(np.arange(90) < 84, np.where(np.arange(90) % 2, "odd", "even"), "tiny")
    table = Predictions.from_arrays(y, scores, groups=kind, cluster=np.arange(90) // 3)
    default = {"threshold": 0.5, "costs": (1, 4), "groups": True, "n_resamples": 99}
    return classifier(table, **default | how)


def lines(ax, name):
    return [line for line in ax.lines if line.get_label() == name]


def bands(ax):
    return [c for c in ax.collections if str(c.get_label()).startswith("band ")]


def texts(ax):
    return "\n".join(text.get_text() for text in ax.texts)


def test_the_roc_curve_is_that_of_the_card():
    card = answer()
    ax = plots.draw(card)
    curve = card.curves["a"].roc
    assert np.array_equal(lines(ax, "a")[0].get_xdata(), curve.fpr)
    assert np.array_equal(lines(ax, "a")[0].get_ydata(), curve.tpr)
    dot = lines(ax, "threshold a")[0]
    assert dot.get_xdata()[0] == card.row("a", "fpr")["estimate"]
    assert dot.get_ydata()[0] == card.row("a", "recall")["estimate"]
    assert len(bands(ax)) == 2
    assert "band finite-sample, level 95 %" in ax.get_title(loc="left")


def test_the_band_of_the_roc_curve_is_drawn_between_its_limits():
    card = answer(K=1)
    curve, band = card.curves["a"].roc, bands(plots.roc(card))[0]
    corners = band.get_paths()[0].vertices
    at = np.linspace(0, 1, 401)
    assert corners[:, 1].min() == pytest.approx(min(curve.lower(at)))
    assert corners[:, 1].max() == pytest.approx(max(curve.upper(at)))


def test_bands_are_left_out_where_they_would_be_wrong_or_unreadable():
    for card, why in ((answer(clusters=True), "rows of one cluster"), (answer(K=3), "3 of them")):
        for name in ("roc", "precision_recall", "costs", "benefit"):
            ax = getattr(plots, name)(card)
            assert bands(ax) == []
            assert why in texts(ax)
            assert "without bands" in ax.get_title(loc="left")


def test_precision_has_the_line_of_the_prevalence():
    card = answer()
    ax = plots.precision_recall(card)
    assert lines(ax, "prevalence")[0].get_ydata()[0] == card.curves["a"].precision_recall.prevalence
    elsewhere = plots.precision_recall(answer(prevalence=0.05))
    assert lines(elsewhere, "prevalence")[0].get_ydata()[0] == 0.05
    assert lines(ax, "a")[0].get_drawstyle() == "steps-pre"


def test_the_drawn_steps_of_precision_enclose_the_average_precision():
    card = answer()
    ax = plots.precision_recall(card)
    for name in card.candidates:
        (line,) = lines(ax, name)
        recall, precision = line.get_xdata(), line.get_ydata()
        assert recall[0] == 0
        drawn = (np.diff(recall) * precision[1:]).sum()
        assert drawn == pytest.approx(card.row(name, "average_precision")["estimate"])


def test_reliability_draws_curve_band_and_counts():
    card = answer()
    ax = plots.reliability(card, candidate=HOSTILE)
    corp = card.curves[HOSTILE].corp
    assert np.array_equal(lines(ax, "calibration curve")[0].get_ydata(), corp.recalibrated)
    beside = next(other for other in ax.figure.axes if other is not ax)
    assert sum(bar.get_height() for bar in beside.patches) == 90
    assert "against calibration: p = " in texts(ax)
    assert "no test" in texts(plots.reliability(answer(clusters=True)))


def test_costs_are_told_by_the_row():
    card = answer()
    ax = plots.costs(card)
    curve = card.curves["a"].costs
    assert lines(ax, "a")[0].get_ydata()[-1] == pytest.approx(curve.totals[-1] / 90)
    assert lines(ax, "flag nobody")[0].get_ydata()[0] == pytest.approx(curve.nobody.estimate / 90)


def test_benefit_is_the_decision_curve():
    card = answer()
    ax = plots.benefit(card)
    assert np.array_equal(lines(ax, "a")[0].get_ydata(), card.curves["a"].benefit.net_benefit)


def test_parts_have_their_intervals_and_small_ones_none():
    card = answer(K=1)
    ax = plots.parts(card, metric="recall")
    rows = {r["part"]: r for r in card.parts if r["metric"] == "recall"}
    drawn = lines(ax, "odd a")[0].get_xdata()
    assert list(drawn) == [rows["odd"]["lower"], rows["odd"]["upper"]]
    assert lines(ax, "tiny a") == []
    assert "withheld" in texts(ax)
    assert lines(ax, "all rows")[0].get_xdata()[0] == card.row("a", "recall")["estimate"]
    with pytest.raises(InputError):
        plots.parts(card, metric="kappa")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_of_what_is_not_there_say_so(name):
    table = Predictions.from_arrays([1, 1, 1], {"m": [3.0, 4.0, 5.0]})
    ax = getattr(plots, name)(classifier(table, n_resamples=99))
    assert ax.texts
    assert plots.svg(ax).startswith("<svg role")


@pytest.mark.parametrize("name", PICTURES)
def test_given_axes_are_used(name):
    ax = Figure().add_subplot()
    assert getattr(plots, name)(answer(), ax=ax) is ax


def test_many_candidates_are_drawn_in_part_and_counted():
    ax = plots.roc(answer(K=9, groups=None, n_resamples=0))
    assert "7 of 9 candidates" in texts(ax)


def test_the_page_holds_the_tables_and_nothing_harmful():
    card = answer(prevalence=0.05)
    text = page(card)
    assert HOSTILE not in text
    assert text.count("<svg") == 7
    for told in ("Calibration of", "Decision curve", "Differences of areas", "withheld: "):
        assert told in text
    held = re.search(r'class="nofluke-result">(.*?)</script>', text, re.DOTALL)
    assert json.loads(held[1])["rows"] == json.loads(card.to_json())["rows"]
    assert text == page(card)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, "a has the largest area of 2, and the choice is paid for"),
        ({"K": 1}, "Area under the ROC curve: "),
    ],
)
def test_the_banner(how, said):
    assert said in page(answer(**how))


def test_banners_at_the_edges():
    one = classifier(Predictions.from_arrays([1, 1], {"m": [0.5, 0.7]}), n_resamples=99)
    assert "do not tell whether the scores order the classes" in page(one)
    y, s = [0] * 9 + [1] * 9, np.arange(18.0)
    perfect = classifier(Predictions.from_arrays(y, {"m": s}), n_resamples=99)
    assert 'class="nf-banner nf-invalid"' in page(perfect)


def test_one_class_has_no_empty_panels():
    p = np.linspace(0.1, 0.9, 30)
    html = page(classifier(Predictions.from_arrays(np.ones(30, int), {"a": p}), n_resamples=0))
    assert "none of the candidates has rows of both classes" not in html
    assert '<td class="nf-long">undefined: no row is negative' in html
    assert "Calibration of a" in html
    scores = page(classifier(Predictions.from_arrays(np.ones(30, int), {"a": 9 * p})))
    assert "<figure" not in scores
    assert "The pictures" not in scores


@pytest.mark.parametrize("picture", ["roc", "precision_recall", "costs", "benefit"])
def test_a_legend_names_candidates_as_they_are_written(picture):
    y = np.arange(60) % 3 == 0
    rng = np.random.default_rng(1)
    names = ["$\\frac$", "_hidden", "a $x$ b"]
    table = Predictions.from_arrays(y, {name: rng.random(60) for name in names})

    ax = getattr(plots, picture)(classifier(table, costs=(1, 4), n_resamples=0))
    ax.figure.draw_without_rendering()

    told = [text.get_text().split(": area")[0] for text in ax.get_legend().get_texts()]
    assert told[:3] == names
