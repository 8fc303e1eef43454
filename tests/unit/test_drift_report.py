import json
import math

import numpy as np
import pandas as pd
import pytest

from nofluke import drift_report, proportions, read_features
from nofluke.classify import cost
from nofluke.drift import bbse
from nofluke.errors import InputError

ROLES = {"prediction": "risk", "label": "died"}


def rows(n, share, *, shift=0.0, wrong=0.0, seed=0):
    """Probabilities that are right at a share of 0.2."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    x = rng.normal(size=n) + 2 * y + shift
    odds = 0.25 * np.exp(2 * x - 2)
    y = y ^ (rng.random(n) < wrong)
    site = rng.choice(["a", "b"], n)
    return pd.DataFrame({"x": x, "site": site, "risk": odds / (1 + odds), "died": y.astype(int)})


def read(frame):
    return read_features(frame, columns=ROLES, optional=("label",))


def ask(before, now, **how):
    return drift_report(read(before), read(now), **how)


BEFORE = rows(900, 0.2)


def test_nothing_has_changed():
    found = ask(BEFORE, rows(600, 0.2, seed=1))
    assert (found.seen, found.excluded) == ((), ())
    assert found.sentences()[0] == (
        "No change is seen, which is no proof that there is none. Where nothing has changed, "
        "anything is found with probability at most 5 % (finite-sample)."
    )
    assert (found.n, found.n_labelled, found.threshold) == (1500, 600, 0.5)


def test_another_share_of_positives():
    found = ask(BEFORE, rows(600, 0.5, seed=2), costs=(1, 4))

    assert "share of positives" in found.seen
    assert "errors within a class" not in found.seen
    assert found.excluded == ()
    assert found.row("share now, by labels")["changed"]
    said = found.sentences()[-1]
    assert said.startswith("If recall and the false positive rate stay and the share is the est")
    assert "Precision goes from" in said
    now = found.row("share now, by labels")["value"]
    before = found.row("share before, by labels")["value"]
    threshold = found.row("threshold of the costs, among probabilities of before")
    assert threshold["value"] == cost.shift_prior(0.2, prevalence=now, new_prevalence=before)
    assert threshold["lower"] < threshold["value"] < threshold["upper"] < 0.2


def test_without_labels_of_now_the_share_is_told_by_flags():
    now = rows(3000, 0.7, seed=3).drop(columns="died")
    found = ask(BEFORE, now, threshold=0.5)

    assert set(found.seen) == {"predictors", "share of positives"}
    assert found.row("share now, by labels") is None
    assert found.row("share now, by flags")["changed"]
    assert "concept drift cannot be seen" in found.row("labelled batches")["reason"]
    assert any("concept drift cannot be seen" in note for note in found.notes)
    assert found.path == {}


def test_other_labels_for_the_same_rows():
    found = ask(BEFORE, rows(900, 0.2, wrong=0.25, seed=4))

    assert "errors within a class" in found.seen
    assert "predictors" not in found.seen
    assert found.excluded == ("label drift alone",)
    assert "speaks for concept drift" in found.notes[-1]
    assert not any("Precision goes" in s for s in found.sentences())
    assert found.row("missed, of positives")["changed"]
    assert any("has been above" in s for s in found.sentences())


def test_other_predictors():
    found = ask(BEFORE, rows(900, 0.2, shift=1.0, seed=5), costs=(1, 4))

    assert "predictors" in found.seen
    assert found.excluded == ("label drift alone",)
    reason = found.row("threshold of the costs, among probabilities of before")["reason"]
    assert "no shift leads back" in reason
    assert "look alike" in found.notes[-1]


def test_limits_of_the_precision_hold_every_rate_inside_the_limits():
    rng = np.random.default_rng(2)
    found = bbse(40, 20, 10, 930, flagged=300, n=1000, alpha=0.03)
    r, t, f = (proportions.of_counts(*c, alpha=0.01) for c in ((300, 1000), (40, 50), (20, 950)))
    draws = [rng.uniform(v.lower, v.upper, 50_000) for v in (r, t, f)]
    precision = draws[1] * (draws[0] - draws[2]) / (draws[0] * (draws[1] - draws[2]))

    assert found.precision[0] <= precision.min() < found.precision[0] + 0.02
    assert found.precision[1] - 0.02 < precision.max() <= found.precision[1]
    assert bbse(40, 20, 10, 930, flagged=0, n=20).precision[0] == 0
    assert bbse(40, 20, 10, 930, flagged=20, n=20).precision[1] == 1
    assert bbse(40, 200, 10, 800, flagged=20, n=1000).precision is None


def test_errors_are_those_of_a_watch_by_hand():
    now = rows(300, 0.2, seed=6)
    now["week"] = np.repeat(["w1", "w2", "w3"], [50, 1, 249])
    found = ask(BEFORE, now, alpha=0.06)
    from nofluke.drift import watch

    flags, y = BEFORE.risk >= 0.5, BEFORE.died == 1
    hand = watch(
        errors=(int((flags != y).sum()), 900),
        positives=(int((~flags & y).sum()), int(y.sum())),
        negatives=(int((flags & ~y).sum()), int((~y).sum())),
        alpha=0.02,
    )
    for _, part in now.groupby("week"):
        wrong = (part.risk >= 0.5) != (part.died == 1)
        hand = hand.add(wrong.astype(float), positive=(part.died == 1).to_numpy())
    assert [r["pvalue"] for r in found.numbers if r["part"] == "errors"] == [
        r["pvalue"] for r in hand.rows()
    ]
    assert len(found.path["errors"]["log_evidence"]) == 3


def test_rows_without_a_label_say_nothing_of_errors():
    now = rows(400, 0.2, seed=7)
    some = now.copy()
    some["died"] = some["died"].astype(float).where(np.arange(400) % 2 == 0)
    found = ask(BEFORE, some)

    assert found.n_labelled == 200
    assert found.row("wrong, of all rows")["n"] == 200
    assert any(note.startswith("NF296: 200 of 400 rows") for note in found.notes)


@pytest.mark.parametrize("labelled", [True, False])
def test_one_row_of_now(labelled):
    now = BEFORE.iloc[:1] if labelled else BEFORE.iloc[:1].drop(columns="died")
    found = ask(BEFORE, now)

    assert found.seen == ()
    assert "at least 10 rows" in found.row("area between the times")["reason"]
    assert found.features == ()
    assert found.row("share now, by flags")["upper"] == 1


def test_one_class_only():
    now = rows(300, 0.0, seed=8)
    found = ask(BEFORE, now)
    assert "share of positives" in found.seen
    missed = found.row("missed, of positives")
    assert missed["value"] is None
    assert missed["reason"] == "no such row has a label now"
    alone = ask(rows(300, 0.0, seed=9), now)
    assert alone.seen == ()
    assert "recall" in alone.row("share now, by flags")["reason"]
    assert alone.row("missed, of positives") is None


def test_a_constant_feature_and_one_that_has_become_constant():
    before = pd.DataFrame({"a": np.ones(60), "b": np.arange(60), "k": "x"})
    now = pd.DataFrame({"a": np.ones(50), "b": np.full(50, 30), "k": "x"})
    found = drift_report(read_features(before), read_features(now))
    by = {f["name"]: f for f in found.features}

    assert (by["a"]["pvalue"], by["a"]["psi"], by["k"]["pvalue"]) == (1, 0, 1)
    assert by["b"]["changed"]
    assert "area" in found.sentences()[1]
    same = drift_report(read_features(before[["a", "k"]]), read_features(now[["a", "k"]]))
    assert same.seen == ()


def test_a_category_that_nobody_had_seen():
    before = pd.DataFrame({"k": ["a", "b"] * 40})
    now = pd.DataFrame({"k": ["c"] * 40 + ["a"] * 10})
    found = drift_report(read_features(before), read_features(now))
    feature = found.features[0]

    assert found.seen == ("predictors",)
    assert (feature["test"], feature["statistic"]) == ("psi", None)
    assert math.isfinite(feature["psi"])
    assert found.guarantee == "finite-sample"
    # The names of categories do not matter.
    names = {"a": "z", "b": "y", "c": "x"}
    other = drift_report(read_features(before.replace(names)), read_features(now.replace(names)))
    assert other.features[0]["psi"] == pytest.approx(feature["psi"])
    assert other.seen == found.seen


def test_scores_that_are_no_probabilities_need_a_threshold():
    before, now = (rows(200, 0.3, seed=s).assign(risk=lambda f: f.x) for s in (1, 2))
    found = ask(before, now)
    assert found.threshold is None
    assert found.row("mean probability now") is None
    assert "no labels and decisions" in found.row("labelled batches")["reason"]
    assert ask(before, now, threshold=1).row("wrong, of all rows")["n"] == 200


def test_decisions_are_no_probabilities():
    before, now = (
        rows(200, 0.3, seed=s).assign(risk=lambda f: (f.x > 1).astype(int)) for s in (1, 2)
    )
    found = ask(before, now)
    assert "probabilities" in found.row("share now, by probabilities")["reason"]
    assert found.row("mean probability now") is None


def test_labels_without_predictions_tell_the_share():
    before, now = (rows(300, share, seed=1)[["x", "died"]] for share in (0.2, 0.6))
    found = drift_report(*(read_features(t, columns={"label": "died"}) for t in (before, now)))
    assert "share of positives" in found.seen
    assert "needs labels and decisions" in found.row("share now, by flags")["reason"]
    assert "needs probabilities" in found.row("share now, by probabilities")["reason"]


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_huge_and_tiny_values_are_told_apart_like_others(scale):
    rng = np.random.default_rng(3)
    before, now = rng.normal(size=60), rng.normal(size=50) + 1
    plain, other = (
        drift_report(*(read_features(pd.DataFrame({"v": v * by})) for v in (before, now)))
        for by in (1.0, scale)
    )
    assert other.row("area between the times")["value"] == pytest.approx(
        plain.row("area between the times")["value"], abs=1e-3
    )
    assert other.seen == plain.seen == ("predictors",)


def test_a_share_that_is_known():
    found = ask(BEFORE, rows(600, 0.2, seed=1), prevalence=0.6)
    assert found.row("share before")["value"] == 0.6
    assert "share of positives" in found.seen


def test_what_is_refused():
    gaps = BEFORE.assign(risk=BEFORE.risk.where(BEFORE.index > 3))
    for before, now, how, code in (
        (BEFORE, gaps, {}, "NF295"),
        (BEFORE[["x"]], BEFORE[["site"]], {}, "NF295"),
        (BEFORE, BEFORE, {"costs": (1, 0)}, "NF295"),
        (BEFORE, BEFORE, {"costs": (1, 2, 3)}, "NF295"),
        (BEFORE, BEFORE, {"alpha": 5}, "NF008"),
        (BEFORE, BEFORE, {"prevalence": 1}, "NF008"),
        (BEFORE, BEFORE, {"threshold": "a"}, "NF008"),
    ):
        with pytest.raises(InputError) as refused:
            drift_report(
                *(
                    read_features(t, columns={k: v if v in t else None for k, v in ROLES.items()})
                    for t in (before, now)
                ),
                **how,
            )
        assert refused.value.code == code


def test_a_level_below_what_permutations_reach():
    found = ask(BEFORE, BEFORE, alpha=1e-5)
    assert "permutations are more than" in found.row("area between the times")["reason"]
    assert found.seen == ()


def test_the_same_input_gives_the_same_bytes_and_every_row_the_same_keys():
    first, again = (ask(BEFORE, rows(100, 0.3, seed=3), costs=(1, 3)) for _ in range(2))
    assert first.to_json() == again.to_json()
    told = json.loads(first.to_json())
    assert told["kind"] == "drift"
    assert "path" not in told
    assert len({tuple(row) for row in told["rows"]}) == 1
    assert {row["guarantee"] for row in told["rows"] if row["reason"] is None} <= {
        "descriptive", "heuristic", "asymptotic", "finite-sample", "anytime",
    }  # fmt: skip
    assert list(first.frame().columns) == list(told["rows"][0])


def test_pictures_draw_what_the_rows_say():
    found = ask(BEFORE, rows(900, 0.2, wrong=0.25, seed=4))
    from nofluke import plots

    ax = found.plot()
    order = sorted(found.features, key=lambda f: f["adjusted"])
    drawn = [
        line.get_xdata()[0] for line in ax.lines if line.get_label() in ("changed", "not seen")
    ]
    assert drawn == [f["psi"] for f in order]
    evidence = plots.drift_evidence(found)
    path = next(x for x in evidence.lines if x.get_label() == "wrong, of all rows").get_ydata()
    assert path == pytest.approx([v / math.log(10) for v in found.path["errors"]["log_evidence"]])
    assert max(path) >= math.log10(found.path["errors"]["limit"])
    none = drift_report(read_features(BEFORE[["x"]]), read_features(BEFORE[["x"]]))
    assert "no labelled batch" in plots.drift_evidence(none).texts[0].get_text()


def test_the_page_holds_every_number(tmp_path):
    found = ask(BEFORE, rows(300, 0.5, seed=2), costs=(1, 4))
    found.report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")

    assert all(row["name"] in text for row in found.numbers)
    assert "Changed: " in text
    assert text.count("<svg") == 2
    assert "share of positives" in found._repr_html_()


def test_every_p_value_stands_beside_what_is_needed():
    found = ask(BEFORE, rows(900, 0.2, wrong=0.25, seed=4))
    told = [row for row in found.rows() if row["pvalue"] is not None]
    assert {row["part"] for row in told} == {"predictors", "errors", "feature"}
    assert all(row["changed"] == (row["pvalue"] <= row["p_needed"]) for row in told)
    assert found.row("area between the times")["p_needed"] == pytest.approx(0.05 / 3)
    assert found.row("missed, of positives")["p_needed"] == pytest.approx(0.05 / 9)
    unseen = ask(BEFORE, BEFORE)
    assert "and 0.0167 or less is needed" in " ".join(unseen.told)


def test_a_share_on_which_no_finding_rests_is_not_said_to_show_no_change():
    now = rows(3000, 0.7, seed=3)
    found = ask(BEFORE, now)
    assert found.row("share now, by labels")["changed"] is True
    assert found.row("share now, by flags")["changed"] is None  # labels take its place
    unlabelled = ask(BEFORE, now.drop(columns="died"))
    assert unlabelled.row("share now, by flags")["changed"] is True
    only_now = ask(BEFORE.drop(columns="died"), now)
    assert only_now.row("share now, by labels")["changed"] is None  # nothing to compare it with
