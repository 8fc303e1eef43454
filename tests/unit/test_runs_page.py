"""The picture and the page of runs."""

import json
import math
import re

import numpy as np
import pytest
from matplotlib.figure import Figure

import nofluke
from nofluke import plots, runs
from nofluke.report import page

HOSTILE = "<script>alert(1)</script> $x$"


def answer(**how):
    rng = np.random.default_rng(0)
    values = {"a": rng.normal(0.9, 0.02, 25).clip(0, 1), "b": rng.normal(0.95, 0.02, 12).clip(0, 1)}
    return runs(values | {HOSTILE: [0.97]}, **{"quantile": 0.05, "bounds": (0, 1)} | how)


def drawn(ax, name):
    return [line for line in ax.lines if line.get_label() == name]


def test_every_run_is_a_dot_at_its_score():
    result = answer()
    found = [sorted(line.get_xdata()) for line in drawn(result.plot(), "runs")]
    assert found == [sorted(sample["values"]) for sample in result.samples]


def test_equal_runs_stand_above_each_other():
    ax = runs([0.5, 0.5, 0.5, 0.6, 0.7, 0.8]).plot()
    heights = drawn(ax, "runs")[0].get_ydata()
    assert len({round(float(y), 6) for y in heights[:3]}) == 3
    assert heights[3] == heights[4] == 0


def test_limits_are_drawn_and_missing_ones_are_open_arrows():
    result = answer(quantile=(0.05, 0.5))
    ax = result.plot()
    left, right = ax.get_xlim()
    for row in result.rows():
        lines = drawn(ax, f"{row['candidate']} {row['quantile']:g}")
        if row["status"] == "none":
            assert lines == []
            continue
        low, high = lines[0].get_xdata()
        assert high == row["upper"]
        assert low == row["lower"] or (row["status"] == "one_sided" and left <= low < left + 0.02)
    arrows = drawn(ax, "no limit")
    assert {line.get_marker() for line in arrows} == {"<"}
    assert {line.get_markerfacecolor() for line in arrows} == {"white"}
    assert len(arrows) == sum(row["status"] == "one_sided" for row in result.rows())
    assert right < 1.2


def test_the_interval_of_the_mean_is_beside():
    result = answer()
    ax = result.plot()
    for row in result.means[:2]:
        assert list(drawn(ax, f"mean {row['candidate']}")[0].get_xdata()) == [
            row["lower"],
            row["upper"],
        ]
    assert drawn(ax, f"mean {HOSTILE}") == []
    assert [float(line.get_xdata()[0]) for line in drawn(ax, "mean")] == [
        row["mean"] for row in result.means
    ]


def test_a_bound_within_reach_is_drawn():
    result = runs([0.99, 1.0, 0.98, 0.97, 0.995, 0.985], bounds=(0, 1))
    assert [line.get_xdata()[0] for line in drawn(result.plot(), "natural bound")] == [1.0]


def test_words_of_the_picture():
    ax = answer().plot()
    title = ax.get_title(loc="left")
    texts = "\n".join(text.get_text() for text in ax.texts)
    assert "asymptotic, level 90 %" in title
    assert "5th percentile" in title
    assert "0.05: none (n=1)" in texts
    assert "open arrow" in texts
    assert "natural bounds 0 and 1" in texts
    assert "25 of" not in texts


def test_many_samples_are_drawn_in_part_and_counted():
    ax = runs({f"m{i}": np.random.default_rng(i).random(6) for i in range(40)}).plot()
    assert len(drawn(ax, "runs")) == 24
    assert any("24 of 40 samples" in text.get_text() for text in ax.texts)


def test_given_axes_are_used():
    ax = Figure().add_subplot()
    assert plots.draw(answer(), ax=ax) is ax


def test_a_constant_sample_can_be_drawn():
    left, right = runs([0.9] * 6).plot().get_xlim()
    assert left < 0.9 < right


@pytest.mark.parametrize(
    ("how", "kind", "said"),
    [
        ({}, "asymptotic", "0 of 3 intervals have limits on both sides"),
        ({"quantile": 0.5}, "asymptotic", "2 of 3 intervals"),
        ({"quantile": 0.5, "guaranteed": True}, "promised", "2 of 3 intervals"),
    ],
)
def test_the_banner(how, kind, said):
    text = page(answer(**how))
    assert f'class="nf-banner nf-{kind}"' in text
    assert said in text


def test_banners_of_one_sample():
    assert "has a limit on one side only" in page(runs(np.arange(10.0), quantile=0.05))
    assert "The runs give no limit for the median" in page(runs([0.1, 0.2, 0.3]))
    assert "The median of score: 1.9" in page(runs(np.arange(10.0)))
    folds = nofluke.read([{"model": "m", "fold": i, "score": i**0.5} for i in range(8)])
    assert "folds of a cross-validation are no independent draws" in page(runs(folds))
    assert "does not promise it" in page(runs(np.arange(10.0), method="semiparametric_bootstrap"))


def test_the_page_holds_the_tables_and_nothing_harmful():
    result = answer(against="a", quantile=0.5)
    text = page(result)
    assert HOSTILE not in text
    assert "SD of a run" in text
    assert "SE of the mean" in text
    assert "first limit: 5" in text
    assert "Minus a: difference of quantiles" in text
    held = re.search(r'class="nofluke-result">(.*?)</script>', text, re.DOTALL)
    assert json.loads(held[1])["rows"] == json.loads(result.to_json())["rows"]
    assert text == page(result)


def test_a_missing_limit_is_none_or_a_bound_on_the_page():
    assert "(0, a bound)" in page(answer())
    free = page(answer(bounds=None))
    assert "a bound" not in free
    assert '<td class="nf-n">none</td>' in free
    assert math.isinf(answer(bounds=None).rows()[0]["lower"])
