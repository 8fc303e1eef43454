"""The picture and the page of a final report."""

import json
import re

import numpy as np
import pytest

from nofluke import Predictions, final_report, plots
from nofluke.report import page

HOSTILE = "<script>alert(1)</script> $x$"


def answer(**how):
    rng = np.random.default_rng(0)
    y = rng.random(90) < 0.4
    scores = {
        name: 1 / (1 + np.exp(-(2 * y - 1 + (i + 1) * rng.normal(size=90))))
        for i, name in enumerate([HOSTILE, "b", "c"])
    }
    kind = np.where(np.arange(90) % 2, "odd", "<b>even</b>")
    default = {"threshold": 0.5, "costs": (1, 4), "n_resamples": 99, "rule": HOSTILE}
    return final_report(Predictions.from_arrays(y, scores, groups=kind), **default | how)


def line(ax, name):
    return [x for x in ax.lines if x.get_label() == name]


def test_the_chosen_is_marked_among_all():
    report = answer(chosen="c")
    ax = plots.draw(report)
    (star,) = line(ax, "chosen")
    assert star.get_xdata()[0] == report.champion.scores["c"]
    (rings,) = line(ax, "scores")
    assert sorted(rings.get_xdata()) == sorted(report.champion.scores.values())
    (own,) = line(ax, "chosen interval")
    assert tuple(own.get_xdata()) == (report.headline["lower"], report.headline["upper"])
    assert ax.get_yticklabels()[-1].get_text() == "chosen"
    assert len(ax.get_yticks()) == len(ax.get_yticklabels())


def test_the_interval_of_the_largest_is_drawn_once():
    ax = plots.draw(answer())
    assert line(ax, "chosen interval") == []
    assert len(line(ax, "winner")) == 1


@pytest.mark.parametrize("how", [{}, {"threshold": None, "costs": None, "rule": None}])
def test_the_page_has_every_part_and_runs_no_script(how):
    report = answer(**how)
    text = page(report)
    assert "alert(1)</script>" not in text
    assert "<b>even</b>" not in text
    for part in report.checklist:
        assert f'<th scope="row">{part["part"]}</th>' in text
    assert text.count("<strong>missing</strong>") == len(report.missing())
    inside = re.search(r'class="nofluke-result">(.*?)</script>', text, re.DOTALL)
    assert json.loads(inside[1])["chosen"] == report.chosen
    pictures = text.count("<figure>")
    assert pictures == 6 + (report.card.curves[report.chosen].costs is not None)


def test_captions_say_whether_bands_pay():
    assert "which pays for the choice" in page(answer())
    assert "which pays for the choice" not in page(answer(chosen="b", planned="name:b"))
