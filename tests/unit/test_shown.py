"""What notebooks show of tables, of small records, and of answers without a page of their own."""

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import nofluke
from nofluke import (
    Predictions,
    Scores,
    bands,
    drift,
    means,
    plots,
    proportions,
    quantiles,
    report,
    selective,
    sequences,
)
from nofluke.classify import calibration, cost, curves
from nofluke.errors import InputError
from nofluke.questions.watched import Watched
from nofluke.results import Result
from nofluke.selection import leakage
from nofluke.shown import Drawn, Shown

HOSTILE = ("<script>alert(1)</script>", "a\n\u202eb & {{ 7*7 }}")
RNG = np.random.default_rng(0)
X = RNG.random(40)


class Cells(HTMLParser):
    """The cells of all tables, and whatever text there is."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.open, self.tags = [], False, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.open = True
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        if tag in {"td", "th"}:
            self.open = False

    def handle_data(self, data):
        if self.open:
            self.rows[-1][-1] += data


def table(**how):
    x = np.array([[1.0, 2.0, 4.0], [3.0, np.nan, 5.0]])
    given = {"candidates": ["a", "b"], "better": "lower", "metric": "latency_s"}
    return Scores.from_arrays(x, **given | how)


def shown(thing):
    return Cells(thing._repr_html_())


def harmless(text):
    """Nothing runs, nothing is fetched, and what came from outside stays text."""
    assert "<script" not in text
    assert not re.search(r"(?:src|href)=\"(?!data:|#)", text)
    assert "url(http" not in text
    assert "@import" not in text


class TestScores:
    def test_counts_means_and_ends_by_candidate(self):
        rows = shown(table()).rows
        assert rows == [
            ["candidate", "scores", "missing", "mean", "lowest", "highest"],
            ["a", "3", "0", "2.3333", "1", "4"],
            ["b", "2", "1", "4", "3", "5"],
        ]

    def test_metric_and_orientation_are_told_or_said_to_be_unknown(self):
        text = table()._repr_html_()
        assert "metric latency_s" in text
        assert "lower is better" in text
        assert "<strong>descriptive</strong>" in text
        bare = Scores.from_arrays([[0.5, 0.1]])._repr_html_()
        assert "metric not named" in bare
        assert "which way is better: not declared" in bare
        assert "no bounds declared" in bare

    def test_notes_are_shown(self):
        assert "<code>NF999</code>" in replace(table(), notes=("NF999: look.",))._repr_html_()

    def test_failed_rows_count_as_the_worst_and_are_counted(self):
        rows = [{"model": "a", "id": str(i), "latency_s": 1.0, "ok": i} for i in range(3)]
        found = nofluke.read(rows, failed="ok=0", bounds=(0, 7))
        cells = shown(found).rows
        assert cells[0][3] == "failed"
        assert cells[1] == ["a", "3", "0", "1", "3", "1", "7"]
        assert "failed rows count as the worst score" in found._repr_html_()

    def test_infinite_scores_have_an_infinite_mean_and_both_have_none(self):
        x = [[1.0, math.inf], [-math.inf, math.inf]]
        cells = shown(Scores.from_arrays(x, better="lower")).rows
        assert cells[1][3:] == ["∞", "1", "∞"]
        assert cells[2][3:] == ["–", "−∞", "∞"]

    def test_what_nobody_shares_is_not_missing(self):
        apart = Scores.from_arrays({"a": [1.0, 2.0], "b": [3.0]}, better="lower")
        assert [row[2] for row in shown(apart).rows[1:]] == ["0", "0"]

    def test_runs_of_one_example_are_scores_of_one_example(self):
        rows = [
            {"model": m, "id": i, "run": str(r), "accuracy": r / 2}
            for m, ids in (("a", "xyz"), ("b", "xy"))
            for i in ids
            for r in (0, 1)
        ]
        cells = shown(nofluke.read(rows)).rows
        assert [row[:3] for row in cells[1:]] == [["a", "6", "0"], ["b", "4", "1"]]
        assert "2 runs" in nofluke.read(rows)._repr_html_()

    def test_many_candidates_are_told_and_not_all_listed(self):
        many = Scores.from_arrays(RNG.random((50, 3)), better="lower")
        assert len(shown(many).rows) == 1 + 40
        assert "and 10 further candidates" in many._repr_html_()

    def test_a_candidate_without_scores(self):
        x = [[1.0, 2.0], [np.nan, np.nan]]
        cells = shown(Scores.from_arrays(x, better="lower")).rows
        assert cells[2] == ["1", "0", "2", "–", "–", "–"]

    def test_hostile_ids_stay_text(self):
        text = table(candidates=list(HOSTILE), metric="<img src=x>")._repr_html_()
        harmless(text)
        assert Cells(text).rows[1][0] == HOSTILE[0]
        assert "img" not in [tag for tag, _ in Cells(text).tags]

    def test_it_is_complete_in_itself_light_and_dark(self):
        text = table()._repr_html_()
        harmless(text)
        assert "prefers-color-scheme:dark" in text
        assert text.count("<style>") == 1


def test_predictions_by_candidate():
    found = Predictions.from_arrays([0, 1, 1], {"svm": [0.2, 0.9, 0.5], "nn": [0.0, 7.0, 1.0]})

    assert shown(found).rows[1:] == [
        ["svm", "3", "2", "0", "0.7", "0.2", "0.2", "0.9"],
        ["nn", "3", "2", "0", "4", "0", "0", "7"],
    ]
    assert "2 positive, 1 negative" in found._repr_html_()
    assert "not all between 0 and 1" in found._repr_html_()


RECORDS = {
    "interval": lambda: means.star(X, bounds=(0, 1), level=0.95),
    "evidence": lambda: proportions.mcnemar(wins=9, losses=3),
    "band": lambda: bands.dkw(X, alpha=0.1),
    "quantile": lambda: quantiles.interval(X, 0.5),
    "quantile difference": lambda: quantiles.difference(X, X + 0.1, 0.5, level=0.9),
    "path": lambda: sequences.quantile(X, 0.5, level=0.9),
    "rule": lambda: selective.RULES["fixed_size"].call(K=10, delta=0.1, size=2),
    "area": lambda: curves.auc_interval(X > 0.5, X + RNG.normal(size=40), level=0.9),
    "roc": lambda: curves.roc(X > 0.5, X + RNG.normal(size=40), level=0.9),
    "cost": lambda: cost.bayes(X > 0.5, X, c_fp=1, c_fn=5, level=0.9),
    "psi": lambda: drift.psi(RNG.random(50), RNG.random(50), n_resamples=99),
    "calibration": lambda: calibration.brier(X > 0.5, X, level=0.9),
}


@pytest.mark.parametrize("name", RECORDS)
def test_small_records_show_their_words_their_guarantee_and_every_field(name):
    thing = RECORDS[name]()
    text = thing._repr_html_()

    harmless(text)
    assert isinstance(thing, Shown)
    assert text.count('<div class="nofluke"') == 1
    told = {row[0] for row in Cells(text).rows}
    assert {f.replace("_", " ") for f in thing.__dataclass_fields__} <= told
    guarantee = getattr(thing, "guarantee", None)
    assert not isinstance(guarantee, str) or f"<strong>{guarantee}</strong>" in text


def test_limits_of_a_record_are_rounded_outward():
    thing = replace(means.star(X, bounds=(0, 1), level=0.95), lower=0.1234567, upper=0.7654321)
    cells = {row[0]: row[1] for row in shown(thing).rows}

    assert float(cells["lower"]) <= thing.lower < float(cells["lower"]) + 1e-5
    assert float(cells["upper"]) >= thing.upper > float(cells["upper"]) - 1e-5


def test_long_arrays_are_told_by_their_size_and_range():
    cells = {row[0]: row[1] for row in shown(bands.dkw([0.5] * 5 + [2.0] * 5, alpha=0.1)).rows}

    assert cells["x"] == "10 numbers from 0.5 to 2"


@pytest.mark.parametrize("kind", [int, object, dict])
def test_other_things_have_no_page(kind):
    with pytest.raises(InputError, match=f"no page for a {kind.__name__}"):
        report.body(kind())


class TestPictures:
    def test_scores_lie_between_their_ends(self):
        ax = table().plot()
        ranges = [line for line in ax.lines if line.get_gid() == "range"]
        assert [line.get_xdata().tolist() for line in ranges] == [[1, 4], [3, 5]]
        # Inverted distribution function: with n = 3 the quartiles are the first and the third.
        bars = [(p.get_x(), p.get_x() + p.get_width()) for p in ax.patches]
        assert bars == [(1, 4), (3, 5)]
        means_drawn = [x.get_xdata()[0] for x in ax.lines if x.get_marker() == "D"]
        assert means_drawn == pytest.approx([7 / 3, 4])
        assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
        assert "latency_s (lower is better)" in ax.get_xlabel()
        assert "descriptive" in ax.get_title(loc="left")

    def test_binary_scores_are_shares(self):
        ax = Scores.from_arrays([[1, 1, 0, 0], [1, 0, 0, 0]], better="higher", binary=True).plot()
        assert [p.get_width() for p in ax.patches] == [0.5, 0.25]
        assert [t.get_text() for t in ax.texts[:2]] == ["2 of 4", "1 of 4"]

    def test_infinite_scores_are_told_and_not_drawn(self):
        ax = Scores.from_arrays([[1.0, 2.0, math.inf], [math.inf] * 3], better="lower").plot()
        words = "\n".join(t.get_text() for t in ax.texts)
        assert "∞ (n=3, 1 infinite)" in words
        assert "∞ (n=3, 3 infinite)" in words
        assert not [x for x in ax.lines if x.get_marker() == "D"]
        assert "drawn without the infinite ones" in words
        assert all(map(math.isfinite, ax.get_xlim()))

    def test_far_scores_do_not_squeeze_the_others_flat(self):
        x = [[1e-9, 0.0, 1.0, 2.0, 500.0], [0.5, 1.0, 1.0, 2.0, 3.0]]
        ax = Scores.from_arrays(x, better="lower", metric="log_loss").plot()
        words = "\n".join(t.get_text() for t in ax.texts)
        assert ax.get_xscale() == "log"
        assert ax.get_xlabel().endswith(", log scale")
        assert "scores below 0.001 lie left of the axis" in words
        assert ax.get_xlim()[1] > 500
        signed = Scores.from_arrays([[-1.0, 1.0, 500.0]], better="lower").plot()
        assert signed.get_xscale() == "linear"

    def test_positives_and_negatives_apart(self):
        ax = Predictions.from_arrays([0, 1, 1], {"svm": [0.2, 0.9, 0.5]}).plot()
        ranges = {x.get_label(): x.get_xdata().tolist() for x in ax.lines if x.get_gid() == "range"}
        assert ranges == {"svm, positive": [0.5, 0.9], "svm, negative": [0.2, 0.2]}

    def test_many_candidates(self):
        ax = Scores.from_arrays(RNG.random((50, 3)), better="lower").plot()
        assert len(ax.get_yticklabels()) == 40
        assert "first 40 of 50" in ax.get_title(loc="left")

    def test_axes_of_the_caller(self):
        from matplotlib.figure import Figure

        ax = Figure().add_subplot()
        assert table().plot(ax=ax) is ax

    def test_a_notebook_shows_new_axes_as_their_picture(self):
        text = table(candidates=list(HOSTILE)).plot()._repr_html_()
        harmless(text)
        assert text.startswith("<div")
        assert '<svg role="img"' in text
        assert "&lt;script&gt;" in text


def kinds(base):
    found = []
    for kind in base.__subclasses__():
        found += [kind, *kinds(kind)]
    return found


def test_every_kind_of_answer_has_a_picture_or_says_what_it_has_instead():
    for kind in kinds(Result):
        if kind.__abstractmethods__:
            continue
        drawn = plots.draw.dispatch(kind) not in {
            plots.draw.dispatch(Result),
            plots.draw.dispatch(object),
        }
        if not drawn:
            with pytest.raises(InputError, match=r"its rows say all of it") as caught:
                plots.draw.dispatch(kind)(object.__new__(kind))
            assert caught.value.code == "NF350"
    assert plots.draw.dispatch(Watched) is plots.draw.dispatch(Result)


def test_an_answer_without_a_page_of_its_own_shows_its_rows():
    class Odd(Result):
        @property
        def kind(self):
            return "odd_one"

        def rows(self):
            return [{"what": HOSTILE[0], "number": 0.5, "sure": True, "none": None}]

        def sentences(self):
            return ["It is odd."]

        def _fields(self):
            return {}

    odd = Odd(guarantee="descriptive", assumes=(), n=1, digest="")
    text = odd._repr_html_()
    assert Cells(text).rows[:2] == [["what", "number", "sure"], [HOSTILE[0], "0.5", "yes"]]
    assert "odd one (descriptive)" in text
    assert "It is odd." in text
    with pytest.raises(InputError, match="no picture for a Odd"):
        odd.plot()


def features(n=60, p=4):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@pytest.fixture(scope="module")
def leaks():
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = features()
    return leakage(make_pipeline(StandardScaler(), GaussianNB()), X, y, metric="accuracy")


def test_tables_are_drawn_and_records_are_not():
    assert issubclass(Scores, Drawn)
    assert issubclass(Predictions, Drawn)
    assert not hasattr(RECORDS["interval"](), "plot")
