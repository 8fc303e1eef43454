"""A guarded test set in its parts: metrics, hidden rows, policies, budgets, words."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from nofluke import Predictions, proportions
from nofluke.errors import HoldoutError, InputError
from nofluke.guard import budgets, confirmation, holdouts, metrics, policies, standings, uploads
from nofluke.guard.budgets import Counts
from nofluke.ledger import fingerprints, release


def fixed(size):
    """The same "randomness" each time, for splits that a test can name."""
    return np.random.default_rng(5).bytes(size)


def rows(labels, metric="accuracy", ids=None, **more):
    ids = ids or [f"r{i}" for i in range(len(labels))]
    return holdouts.of_texts(ids, labels, metric=metrics.METRICS[metric], entropy=fixed, **more)


def said(values, hidden, kind="label"):
    return uploads.of_texts([str(v) for v in values], hidden, kind=kind)


class TestMetrics:
    def test_scores_are_what_their_names_say(self):
        hidden = rows(["1.5", "-2", "10"], "absolute_error")
        policy = policies.from_spec({"metric": "absolute_error", "bounds": (0, 5)})
        found = said([1, 1e308, 9.75], hidden, "number")
        by_row = policy.kind.scores(
            policies.truth(policy, hidden), found.coded(hidden), bounds=(0.0, 5.0)
        )
        assert dict(zip(hidden.ids, by_row.tolist(), strict=True)) == {
            "r0": 0.5, "r1": 5.0, "r2": 0.25,
        }  # fmt: skip
        brier = policies.from_spec({"metric": "brier", "options": {"positive": "yes"}})
        hidden = rows(["yes", "no"], "brier")
        values = policies.scores(brier, hidden, said([0.75, 0.5], hidden, "probability"))
        assert sorted(values.tolist()) == [0.0625, 0.25]

    def test_scoring_never_refuses_what_a_reader_let_through(self):
        hidden = rows(["1e308", "-1e308"], "squared_error")
        policy = policies.from_spec({"metric": "squared_error", "bounds": (0, 1)})
        assert policies.scores(policy, hidden, said([-1e308, 1e308], hidden, "number")).max() == 1
        hidden = rows(["a", "b"], "exact_match")
        policy = policies.from_spec({"metric": "exact_match"})
        assert policies.scores(policy, hidden, said(["", "\x01"], hidden, "text")).max() == 0

    @pytest.mark.parametrize("distinct", [2, 5, 10**6])
    def test_the_area_is_that_of_another_program(self, distinct):
        rng = np.random.default_rng(distinct)
        y = rng.random(300) < 0.3
        x = rng.integers(0, distinct, 300) + y * rng.integers(0, 3, 300)
        found = metrics.area(y, x.astype(float))
        assert found == pytest.approx(roc_auc_score(y, x), abs=1e-12)

    def test_bounds_are_declared_where_there_are_none(self):
        for bounds, match in ((None, "missing"), ((1, 2), "from 0"), ((0, float("inf")), "from 0")):
            with pytest.raises(InputError, match=match):
                policies.from_spec({"metric": "squared_error", "bounds": bounds})
        with pytest.raises(InputError, match="do not fit accuracy"):
            policies.from_spec({"metric": "accuracy", "bounds": (0, 2)})


class TestHoldouts:
    def test_rows_units_and_split(self):
        labels = ["1", "0"] * 30
        hidden = rows(labels, cluster=[f"c{i // 3}" for i in range(60)], confirm=0.25)
        assert hidden.units_of == {"board": 15, "confirmation": 5}
        board, final = hidden.rows("board"), hidden.rows("confirmation")
        assert (board.sum(), final.sum(), (board & final).sum()) == (45, 15, 0)
        values = np.arange(60.0)
        clusters = [int(one[1:]) // 3 for one in hidden.ids]
        means = {c: values[[k == c for k in clusters]].mean() for c in range(20)}
        both = [*hidden.units(values, "board"), *hidden.units(values, "confirmation")]
        assert sorted(both) == pytest.approx(sorted(means.values()))

    def test_the_split_is_drawn_anew_and_evenly(self):
        behind = np.zeros(10)
        for _ in range(2000):
            hidden = holdouts.of_texts(
                [f"r{i}" for i in range(10)],
                ["1"] * 10,
                metric=metrics.METRICS["accuracy"],
                confirm=0.3,
            )
            behind += hidden.rows("confirmation")
        # 3 of 10 each time: a row waits 600 times on average, standard deviation 20.5.
        assert abs(behind - 600).max() < 6 * 20.5

    def test_bytes_come_back(self):
        hidden = rows(["1", "0", "1"], confirm=0.4, baseline=["1", "1", "0"], id="case")
        again = holdouts.Holdout.from_bytes(hidden.to_bytes())
        assert again.marks == hidden.marks
        assert (again.ids, again.board, again.said) == (hidden.ids, hidden.board, hidden.said)
        for name in ("codes", "unit", "baseline"):
            assert np.array_equal(getattr(again, name), getattr(hidden, name))
        for broken in (b"", b"x", hidden.to_bytes()[:-4], uploads.zlib.compress(b"\x80")):
            with pytest.raises(InputError, match="not the rows"):
                holdouts.Holdout.from_bytes(broken)

    def test_the_key_of_the_budget_forgets_names_and_order(self):
        first = rows(["cat", "dog", "cow", "cat", "dog", "cow"], ids=list("abcdef"))
        renamed = rows(["2", "0", "1", "2", "0", "1"], ids=list("abcdef"))
        shuffled = rows(["1", "0", "2"] * 2, ids=list("fedcba"))
        assert first.marks.labels == renamed.marks.labels == shuffled.marks.labels
        assert first.overlap(renamed) == 0
        assert first.in_common(renamed) == 1
        changed = rows(["2", "0", "1", "2", "0", "0"], ids=list("abcdef"))
        assert changed.marks.labels != first.marks.labels
        assert renamed.overlap(changed) == pytest.approx(5 / 6)

    def test_two_labels_have_the_mark_that_predictions_have(self):
        ids = ["b", "a", "c"]
        table = Predictions.from_arrays([1, 0, 1], {"m": [0.1, 0.2, 0.3]}, examples=ids)
        for labels in (["1", "0", "1.0"], ["no", "yes", "no"]):
            assert rows(labels, ids=ids).marks.labels == fingerprints.marks(table).labels

    def test_measured_numbers_are_marked_by_their_values(self):
        ids = [f"p{i}" for i in range(20)]
        heights = rows([str(1.5 + i / 7) for i in range(20)], "squared_error", ids)
        weights = rows([str(70 + i / 3) for i in range(20)], "squared_error", ids)
        assert heights.marks.labels != weights.marks.labels
        assert heights.marks.ids == weights.marks.ids

    @pytest.mark.parametrize(
        ("ids", "labels", "match"),
        [
            ([], [], "no rows"),
            (["a", "a"], ["1", "0"], "'a' stands twice"),
            (["a", ""], ["1", "0"], "row 2"),
            (["a", "b "], ["1", "0"], "no space at its ends"),
            (["a", "b\n"], ["1", "0"], "printable"),
            (["a", "x" * 1001], ["1", "0"], "1 to 1000"),
            (["a", "b"], ["1", " "], "1 row has no label"),
            (["a", "b"], ["1", "1.0"], "needs two"),
        ],
    )
    def test_rows_that_cannot_serve(self, ids, labels, match):
        with pytest.raises(InputError, match=match) as caught:
            holdouts.of_texts(ids, labels, metric=metrics.METRICS["auc"])
        assert caught.value.code == "NF080"

    def test_a_file_of_any_shape(self, tmp_path):
        path = tmp_path / "own.csv"
        path.write_text("site,case,outcome,old\nx,1,yes,no\ny,2,no,no\ny,3,yes,yes\n")
        spec = {"id": "case", "label": "outcome", "cluster": "site", "baseline": "old"}
        hidden = holdouts.read(path, spec)
        assert (hidden.n, hidden.units_of["board"], hidden.id) == (3, 2, "case")
        assert [hidden.said[c] for c in hidden.baseline] == ["no", "no", "yes"]
        with pytest.raises(InputError, match="no column 'label'"):
            holdouts.read(path, {"id": "case"})
        with pytest.raises(InputError, match="two purposes"):
            holdouts.read(path, {"id": "case", "label": "case"})


SPECS = [
    {"rule": "ladder"},
    {"rule": "free-ladder"},
    {"rule": "thresholdout"},
    {"rule": "thresholdout", "cluster": "c"},
    {"rule": "rounded", "options": {"step": 0.05, "adaptive": False}},
    {"rule": "rounded", "cluster": "c"},
    {"rule": "verdict", "baseline": "old", "options": {"wins": 2, "moving": True}},
    {"rule": "verdict", "baseline": "old", "options": {"margin": 0.01}},
    {"rule": "verdict", "baseline": "old", "metric": "brier"},
    {"rule": "ladder", "metric": "absolute_error", "bounds": (0, 40)},
    {"rule": "rounded", "metric": "exact_match"},
    {"rule": "rounded", "metric": "auc"},
    {"rule": "ladder", "metric": "auc"},
    {"rule": "thresholdout", "metric": "auc"},
]


class TestPolicies:
    @pytest.mark.parametrize("spec", SPECS, ids=str)
    def test_every_rule_begins_looks_and_says_what_it_does(self, spec):
        policy = policies.from_spec({**spec, "looks": 7})
        assert policies.from_json(policy.to_json()) == policy
        labels = ["1", "0"] * 20
        cluster = [str(i // 2) for i in range(40)] if policy.clustered else None
        hidden = rows(labels, policy.metric, cluster=cluster, baseline=["1"] * 40, confirm=0.25)
        state = policies.begin(policy, hidden)
        assert (state.n, state.looks) == (policies.units(policy, hidden), 7)
        found = said(["1"] * 40, hidden, policy.kind.prediction)
        training = policies.training_score(policy, 0.5 if policy.training else None)
        handed = policies.submission(policy, hidden, found, training=training)
        answer, after = release.look(state, handed)
        assert (answer.look, after.look) == (1, 1)
        low, high = standings.limits([answer.to_dict()])
        if policy.rule == "verdict":
            assert (low, high) == ([-np.inf], [np.inf])
        else:
            truth = policies.statistic(policy, hidden, found)
            assert low[0] <= truth <= high[0]
        told, after = release.compare(after, handed, handed)
        assert (told.verdict, after.left) == ("not shown", 5)
        text = " ".join(policies.words(policy, confirmation_rows=10))
        assert "costs one of 7 looks" in text
        assert "at least 95 %" in text
        assert "10 rows of those you predict wait" in text

    @pytest.mark.parametrize(
        ("spec", "match"),
        [
            ({"rule": "verdict"}, "no.* is there|none is"),
            ({"rule": "free-ladder", "metric": "auc"}, "no mean of rows"),
            ({"rule": "verdict", "metric": "auc", "baseline": "b"}, "no mean of rows"),
            ({"metric": "auc", "cluster": "c"}, "clusters"),
            ({"metric": "f1"}, "not one of"),
            ({"rule": "fresh"}, "not one of"),
            ({"options": {"wins": 1}}, "no option 'wins'"),
            ({"options": {"step": "big"}}, "not a number"),
            ({"options": {"step": 2}}, "step"),
            ({"options": {"positive": "1"}}, "no positive label"),
            ({"options": {"step": [1]}}, "no number, text"),
            ({"options": [1]}, "names with values"),
            ({"looks": 0}, "looks"),
            ({"looks": 10**7}, "looks"),
            ({"looks": 2.5}, "looks"),
            ({"alpha": 5}, "alpha"),
            ({"per_member": 101}, "above looks"),
            ({"per_team": 0}, "per_team"),
            ({"rule": "verdict", "baseline": "b", "options": {"test": "t"}}, "test"),
            ({"rule": "verdict", "baseline": "b", "cluster": "c", "options": {"test": "mcnemar"}},
             "mcnemar"),
            ({"rule": "thresholdout", "cluster": "c", "options": {"step": None}}, "step="),
            ({"rule": "thresholdout", "metric": "brier", "options": {"step": None}}, "step="),
        ],
    )  # fmt: skip
    def test_what_cannot_be(self, spec, match):
        with pytest.raises(InputError, match=match):
            policies.from_spec(spec)

    def test_names_of_labels_are_told_unless_they_are_answers(self):
        for metric, names in (("accuracy", ("0", "1")), ("auc", ("0", "1")), ("exact_match", ()),
                              ("squared_error", ())):  # fmt: skip
            bounds = None if metrics.METRICS[metric].bounds else (0, 1)
            policy = policies.from_spec({"metric": metric, "bounds": bounds})
            hidden = rows(["0", "1"], metric)
            assert policy.labels(hidden) == names

    def test_positive_is_said_or_clear(self):
        policy = policies.from_spec({"metric": "brier"})
        for labels in (["0", "1"], ["-1", "1.0"], ["False", "True"]):
            hidden = rows(labels, "brier")
            assert policies.truth(policy, hidden).tolist() == [0, 1]
        with pytest.raises(InputError, match="must name one of the two"):
            policies.begin(policy, rows(["no", "yes"], "brier"))
        named = policies.from_spec({"metric": "brier", "options": {"positive": "no"}})
        assert policies.truth(named, rows(["no", "yes"], "brier")).tolist() == [1, 0]

    def test_texts_that_are_no_policy(self):
        good = policies.from_spec({}).to_json()
        for text in ("", "[]", "{}", good.replace("alpha", "beta"), "[" * 10**5):
            with pytest.raises(InputError, match="no policy"):
                policies.from_json(text)

    def test_training_is_asked_for_where_it_is_used(self):
        with_it = policies.from_spec({"rule": "thresholdout"})
        for wrong in (None, 1.5, -0.1, float("nan")):
            with pytest.raises(InputError):
                policies.training_score(with_it, wrong)
        with pytest.raises(InputError, match="does not use it"):
            policies.training_score(policies.from_spec({}), 0.5)


class TestBudgets:
    policy = policies.from_spec({"looks": 5, "per_team": 3, "per_member": 2})

    def test_each_limit_refuses_with_its_own_code(self):
        for counts, code in (
            (Counts(5, 0, 0), "NF081"),
            (Counts(4, 3, 0), "NF082"),
            (Counts(4, 2, 2), "NF083"),
            (Counts(9, 9, 9), "NF081"),
        ):
            with pytest.raises(HoldoutError) as caught:
                budgets.admit(self.policy, counts)
            assert caught.value.code == code
        after = budgets.admit(self.policy, Counts(4, 2, 1))
        assert after == budgets.Remaining(looks=0, team=0, member=0, rule=None)
        assert budgets.left(self.policy, Counts(1, 1, 1)).now == 1

    def test_a_rule_that_has_told_all_is_spent(self):
        policy = policies.from_spec({"rule": "verdict", "baseline": "b", "looks": 5})
        hidden = rows(["1"] * 40, baseline=["1"] * 10 + ["0"] * 30)
        with pytest.raises(InputError, match="none of the labels"):
            policies.begin(policy, hidden)
        hidden = rows(["1", "0"] * 20, baseline=["0"] * 40)
        state = policies.begin(policy, hidden)
        order = {f"r{i}": i % 2 for i in range(40)}
        perfect = said(["0" if order[i] else "1" for i in hidden.ids], hidden)
        answer, state = release.look(state, policies.submission(policy, hidden, perfect))
        assert answer.verdict == "better"
        with pytest.raises(HoldoutError, match="told all that it may") as caught:
            budgets.admit(policy, Counts(1), state)
        assert caught.value.code == "NF081"
        assert budgets.left(policy, Counts(1), state).rule == 0


class TestStandings:
    def test_nothing_told_means_any_rank(self):
        nan = float("nan")
        found = standings.ranks([nan, nan, 0.5], [nan, nan, 0.6], better="lower")
        assert (found.best.tolist(), found.worst.tolist()) == ([1] * 3, [3] * 3)
        assert found.tier.tolist() == [1] * 3
        assert standings.ranks([], [], better="higher").best.size == 0

    def test_touching_limits_are_not_told_apart(self):
        found = standings.ranks([0.5, 0.6], [0.6, 0.7], better="higher")
        assert found.tier.tolist() == [1, 1]

    def test_words(self):
        for spec in SPECS:
            policy = policies.from_spec(spec)
            told = " ".join(standings.words(policy))
            assert ("each may be anywhere" in told) == (policy.rule == "verdict")


class TestConfirmation:
    def confirmed(self, metric="accuracy", names=("ann",), n=400, **spec):
        policy = policies.from_spec({"metric": metric, **spec})
        hidden = rows(["1", "0"] * (n // 2), metric, confirm=0.5)
        rng = np.random.default_rng(3)
        finalists = {}
        for k, name in enumerate(names):
            right = rng.random(n) < 0.6 + 0.35 * k
            values = np.where(
                right, policies.truth(policy, hidden), 1 - policies.truth(policy, hidden)
            )
            codes = [hidden.names[int(c)] for c in values]
            finalists[name] = said(codes, hidden, policy.kind.prediction)
        return policy, hidden, finalists, confirmation.confirm(policy, hidden, finalists)

    def test_binary_scores_are_exact_at_their_share(self):
        policy, hidden, finalists, found = self.confirmed(names=("ann", "bob"))
        for name, predictions in finalists.items():
            x = policies.scores(policy, hidden, predictions, "confirmation")
            exact = proportions.clopper_pearson(x, alpha=0.05 / 3)
            limits = found.scores[name]
            assert (limits.lower, limits.upper) == (exact.lower, exact.upper)
            assert limits.estimate == pytest.approx(x.mean())
        assert found.verdict("bob") == "better"
        assert found.n == 200
        assert "All 3 statements hold at once" in str(found)

    def test_one_finalist_pays_for_one_statement(self):
        policy, hidden, finalists, found = self.confirmed()
        x = policies.scores(policy, hidden, finalists["ann"], "confirmation")
        assert found.scores["ann"].lower == proportions.clopper_pearson(x, alpha=0.05).lower
        assert found.differences == {}
        last = found.sentences()[-1]
        assert last.startswith("This holds with a probability of at least 95 % over the draw")

    def test_areas_have_hoeffdings_radius_at_the_rarer_class(self):
        policy, hidden, _, found = self.confirmed("auc", ("ann", "bob"))
        rarer = policies.units(policy, hidden, "confirmation")
        positive = policies.truth(policy, hidden)[hidden.rows("confirmation")]
        assert rarer == min(positive.sum(), (1 - positive).sum())
        radius = np.sqrt(np.log(2 * 3 / 0.05) / (2 * rarer))
        ann = found.scores["ann"]
        assert ann.lower == pytest.approx(ann.estimate - radius)
        bob = found.differences["bob"]
        assert bob.estimate - bob.lower == pytest.approx(2 * radius)

    def test_lower_is_better_for_errors(self):
        *_, found = self.confirmed("brier", ("ann", "bob"))
        assert found.differences["bob"].upper < 0
        assert found.verdict("bob") == "better"
        assert [row["part"] for row in found.rows()] == ["score", "score", "difference"]
        assert found.to_dict()["kind"] == "confirmation"

    def test_what_cannot_be_confirmed(self):
        policy = policies.from_spec({})
        hidden = rows(["1", "0"])
        for rows_, finalists in ((hidden, {"a": said([1, 1], hidden)}),
                                 (rows(["1", "0"], confirm=0.5), {})):  # fmt: skip
            with pytest.raises(InputError) as caught:
                confirmation.confirm(policy, rows_, finalists)
            assert caught.value.code == "NF087"

    def test_the_digest_fixes_names_and_predictions(self):
        hidden = rows(["1", "0"])
        one, two = said([1, 1], hidden), said([0, 1], hidden)
        found = {
            confirmation.digest(f)
            for f in (
                {"a": one},
                {"b": one},
                {"a": two},
                {"a": one, "b": two},
                {"b": two, "a": one},
            )
        }
        assert len(found) == 5
        assert all(set(d) <= set("0123456789abcdef") for d in found)


def test_a_record_serves_as_a_mapping_does():
    spec = dataclasses.make_dataclass("Spec", [("rule", str, "rounded"), ("looks", int, 4)])()
    assert policies.from_spec(spec) == policies.from_spec({"rule": "rounded", "looks": 4})
    assert Fraction(policies.from_spec(spec).alpha) == Fraction(0.05)


@pytest.mark.parametrize("spellings", [("1", "1.0"), ("yes", "yes ")])
def test_rows_of_one_label_hide_nothing_where_members_are_told_its_name(tmp_path, spellings):
    path = tmp_path / "rows.csv"
    path.write_text("id,label\n" + "".join(f"r{i},{spellings[i % 2]}\n" for i in range(30)))
    with pytest.raises(InputError, match="all rows have the same label") as refused:
        holdouts.read(path, {"metric": "accuracy"})
    assert refused.value.code == "NF080"
    assert holdouts.read(path, {"metric": "exact_match"}).n == 30
