"""Pictures and pages of nested cross-validation, leakage, splits and the parts of a risk."""

import json
import re

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from nofluke import plots
from nofluke.report import page
from nofluke.selection import (
    leakage,
    nested_cv,
    noise_bias_variance,
    plan_split,
    seen_groups,
    validate,
)
from nofluke.selection.leaks import Leakage

HOSTILE = "<script>alert(1)</script>"
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 80))
Y = np.arange(60) % 2
MODEL = Pipeline([("scale", StandardScaler()), ("best", SelectKBest()), ("nb", GaussianNB())])


def nested(**how):
    how = {"metric": "balanced_accuracy", "inner": 3, "outer": 4} | how
    return nested_cv(MODEL, {"best__k": [2, 20]}, X, Y, **how)


def plan(**how):
    device = np.arange(120) % 12
    columns = {"group": [f"{HOSTILE}{d}" for d in device], "site": device % 2}
    return plan_split(**columns | {"time": np.arange(120), "gap": 2} | how)


def check(**how):
    columns = {"group": np.arange(40) % 7, "time": np.arange(40), "labels": np.arange(40) % 2}
    return validate(np.arange(30), np.arange(30, 40), **columns | how)


def risk(seeds=2, **how):
    f = np.random.default_rng(1).normal(size=(6, seeds, 25))
    return noise_bias_variance(f, np.zeros(25), shared_seeds=False, **how)


ANSWERS = {
    "nested_cv": nested,
    "leakage": lambda: leakage(MODEL, X, Y, metric="accuracy", folds=4),
    "split_plan": plan,
    "split_check": check,
    "risk_parts": lambda: risk(noise=0.2),
    "seen_groups": lambda: seen_groups(
        GaussianNB(), X, Y, group=np.arange(60) // 4, metric="accuracy", group_name=HOSTILE
    ),
}


def plain(html):
    return re.sub(
        r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"(?s)<script.*?</script>", "", html))
    )


@pytest.mark.parametrize("kind", ANSWERS)
def test_the_page_is_whole_and_holds_the_answer(kind, tmp_path):
    answer = ANSWERS[kind]()
    path = tmp_path / "page.html"
    answer.report(path)
    html = path.read_text("utf-8")
    assert html.count("<svg") == 1
    assert "<title>nofluke " + kind in html
    assert answer.guarantee in html
    assert "<script>alert" not in html
    assert page(answer) == html
    (embedded,) = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html)
    assert json.loads(embedded) == json.loads(answer.to_json())
    assert json.loads(embedded)["kind"] == kind
    links = re.findall(r'href="([^"]*)"', html)
    assert all(link.startswith(("#", "data:text/csv", "data:image/png")) for link in links)
    assert answer._repr_html_() in html


def test_the_policy_of_a_page_lets_its_own_raster_be_seen():
    html = page(plan())
    assert "data:image/png;base64" in html
    assert "img-src data:" in html
    assert "default-src 'none'" in html


def test_the_nested_page_shows_optimism_layers_and_every_configuration():
    found = nested(thresholds=[0.4, 0.6])
    html = plain(page(found))
    for fold in found.rows():
        assert f"{fold['score']:.4g} {fold['inner_best']:.4g}" in html
    for row in found.layers():
        assert f"{row['step']} {row['layer']} {row['rows']}" in html
    assert html.count("best__k=20") >= len(found.folds)
    assert "its threshold" in html
    assert f"balanced_accuracy {found.estimate:.4g} on rows that had no part in the choice" in html


def test_failed_configurations_are_counted_where_there_are_any():
    def fragile(model, X, y):
        return float("nan") if model["best"].k == 2 else 0.5

    html = plain(page(nested(metric=fragile, final=False)))
    assert "held out tried failed" in html
    assert "tried failed" not in plain(page(nested(final=False)))


def test_a_page_without_scores_or_a_final_model():
    def undefined(model, X, y):
        return 1.0 if len(y) == 15 else float("nan")  # inner folds hold 15 rows, outer ones 30

    found = nested(metric=undefined, outer=2, inner=2, final=False)
    html = plain(page(found))
    assert "undefined is undefined on every outer fold" in html
    assert "final model, chosen on all rows" not in html
    plots.svg(found.plot())


def test_the_leakage_picture_draws_both_scores_of_each_step():
    found = ANSWERS["leakage"]()
    ax = plots.draw(found)
    inside = [line.get_xdata()[0] for line in ax.lines if line.get_label() == "inside"]
    outside = [line.get_xdata()[0] for line in ax.lines if line.get_label() == "on all rows"]
    limits = [list(line.get_xdata()) for line in ax.lines if line.get_label() == "limits"]
    assert inside == [s.honest for s in found.steps]
    assert outside == [s.leaky for s in found.steps]
    assert limits == [
        [s.honest + s.lower, s.honest + s.upper] for s in found.steps if s.lower is not None
    ]
    assert f"Fitted on all rows, best raises accuracy by {found['best'].leak:.3g}" in page(found)


def test_a_probe_without_a_leak_says_that():
    found = leakage(
        Pipeline([("scale", StandardScaler()), ("nb", GaussianNB())]), X, Y, metric="accuracy"
    )
    assert found["scale"].leak <= 0
    assert "No probed step raises accuracy" in page(found)


def test_a_probe_without_steps_has_a_picture_and_a_page():
    whole = ANSWERS["leakage"]()
    names = Leakage.__dataclass_fields__
    found = Leakage(**{n: getattr(whole, n) for n in names} | {"steps": ()})
    assert "No step could be probed" in "".join(t.get_text() for t in plots.draw(found).texts)
    assert "No step could be probed" in page(found)


def test_the_split_picture_shows_the_role_of_every_row():
    found = plan()
    ax = found.plot()
    shown = np.asarray(ax.get_images()[0].get_array())
    assert shown.shape == (len(found.pairs), 120, 3)
    for k, (train, test) in enumerate(found.pairs):  # rows are in the order of time
        kinds = [np.unique(shown[k, rows], axis=0) for rows in (train, test)]
        assert all(len(kind) == 1 for kind in kinds)
        assert not np.array_equal(*kinds)
        rest = np.setdiff1d(np.arange(120), np.concatenate([train, test]))
        assert (shown[k, rest] == 1).all()
    assert [t.get_text() for t in ax.texts][: len(found.pairs)] == [
        f"{r['n_train']} train, {r['n_test']} test, {r['n_unused']} unused" for r in found.rows()
    ]


def test_without_times_rows_are_ordered_by_the_split_that_tests_them():
    found = plan_split(group=RNG.integers(0, 20, 100), n_splits=4)
    tested = np.asarray(found.plot().get_images()[0].get_array())[:, :, 0] > 0.8
    assert tested.sum(axis=1).tolist() == [r["n_test"] for r in found.rows()]
    assert (np.diff(tested.argmax(axis=1)) > 0).all()
    assert all(np.ptp(np.flatnonzero(row)) == row.sum() - 1 for row in tested)


def test_of_many_rows_some_are_shown():
    ax = plan_split(5001, n_splits=2).plot()
    assert ax.get_images()[0].get_array().shape[1] == 2000
    assert "2000 of 5001 rows" in "".join(t.get_text() for t in ax.texts)


def test_a_random_split_has_its_reason_on_the_page():
    found = plan(method="random", why=f"copies {HOSTILE}", gap=0)
    html = page(found)
    assert "at random: nothing is kept apart" in html
    assert "NF249" in html
    assert "on both sides of a split" not in plain(html)


def test_the_page_of_a_plan_says_what_it_is_silent_about():
    html = plain(page(plan()))
    assert "They say nothing about a new original or labels under other rules." in html
    assert "gap between training and test 2" in html
    assert "No site has rows on both sides of a split." in html


def test_faults_are_bars_and_the_rest_is_said():
    found = check(labels=[0] * 30 + [1] * 10)
    ax = plots.draw(found)
    share = {p.get_y() + p.get_height() / 2: p.get_width() for p in ax.patches}
    assert list(share.values()) == [1.0]  # all test rows are of groups that training has
    texts = "\n".join(t.get_text() for t in ax.texts)
    assert texts.count("not checked") == 5
    assert texts.count("nothing found") == 2
    assert "2 missing on one side" in texts
    html = plain(page(found))
    assert "2 faults: the split does not keep apart what it must (descriptive)" in html


def test_a_clean_split_is_no_promise():
    found = validate([0, 1, 2], [3, 4], group=["a", "b", "c", "d", "e"])
    html = page(found)
    assert "Nothing found: 2 things checked, 7 not (descriptive)" in html
    assert "nf-banner nf-nothing" in html
    assert "Nothing found is no proof" in html


def test_near_rows_are_a_rule_of_thumb():
    assert check(X=RNG.normal(size=(40, 2))).guarantee == "heuristic"
    assert check().guarantee == "descriptive"


def test_digests_are_those_of_what_was_given():
    assert plan().digest == plan(seed=3).digest != plan(gap=1).digest
    assert plan().digest != plan(time=np.arange(120) + 1).digest
    assert check().digest == check(gap=0).digest != check(group=np.arange(40)).digest
    words = ["a", "b"] * 20
    assert len({check().digest, check(texts=words).digest, check(texts=words[::-1]).digest}) == 3


def test_every_part_is_a_bar_with_its_error_and_its_ring():
    found = risk(noise=0.2)
    ax = plots.draw(found)
    assert [p.get_width() for p in ax.patches] == [p.estimate for p in found.parts]
    errors = [list(line.get_xdata()) for line in ax.lines if line.get_label() == "se"]
    assert errors == [[p.estimate - p.se, p.estimate + p.se] for p in found.parts]
    rings = [line.get_xdata()[0] for line in ax.lines if line.get_label() == "naive"]
    assert rings == [p.naive for p in found.parts if p.naive is not None]


def test_parts_that_are_not_known_have_no_bar_and_a_dash():
    found = risk(seeds=1)
    assert len(plots.draw(found).patches) == 3
    html = plain(page(found))
    assert "(noise + bias^2) + " in html
    assert "seeds E_D Var_U: from one seed to another, training set fixed – –" in html
    assert "NF292" in html
