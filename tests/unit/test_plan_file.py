"""A plan on paper, and a comparison that keeps to it."""

import dataclasses
import json

import numpy as np
import pytest

from nofluke import Scores, compare, plan
from nofluke.errors import InputError, ReadError

WHAT = {
    "planned": 100,
    "a": "old",
    "b": "new",
    "better": "higher",
    "bounds": (0, 1),
    "created": "2025-03-31",
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "plan.json"


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    old = rng.random(100) * 0.6
    return Scores.from_arrays({"old": old, "new": old + 0.1 + 0.2 * rng.random(100)}, bounds=(0, 1))


def code_of(question, *args, **how):
    with pytest.raises(InputError) as found:
        question(*args, **how)
    return found.value.code, str(found.value)


class TestTheFile:
    def test_it_comes_back_as_it_was_written(self, path):
        written = plan.write(path, **WHAT, margin=0.01, seed=3, delta=0.05, power=0.8)

        assert plan.read(path) == written
        assert json.loads(path.read_text())["seen"] == "nothing yet seen"
        assert "2025-03-31" in written.sentences()[0]

    def test_the_same_plan_has_the_same_digest(self, tmp_path):
        one = plan.write(tmp_path / "1", **WHAT, margin=0)
        other = plan.write(tmp_path / "2", **(WHAT | {"bounds": [0.0, 1.0]}))
        later = plan.write(tmp_path / "3", **(WHAT | {"created": "2025-04-01"}))

        assert one.digest == other.digest != later.digest

    def test_a_tool_that_spells_json_otherwise_does_no_harm(self, path):
        written = plan.write(path, **WHAT)
        said = json.loads(path.read_text())
        text = json.dumps(dict(sorted(said.items())))
        path.write_text(
            text.replace('"margin": 0.0', '"margin": 0').replace("[0.0, 1.0]", "[0, 1]")
        )
        assert "0.0" not in path.read_text().replace("0.05", "")

        assert plan.read(path) == written

    @pytest.mark.parametrize(
        ("field", "value"),
        [("alpha", 0.1), ("planned", 50), ("margin", 0.5), ("b", "newer"),
         ("created", "2024-01-01"), ("seed", 1), ("method", "t"), ("seen", "all")],
    )  # fmt: skip
    def test_a_change_is_refused_and_named(self, path, field, value):
        plan.write(path, **WHAT)
        said = json.loads(path.read_text())
        path.write_text(json.dumps(said | {field: value}))
        code, text = code_of(plan.read, path)

        assert code == "NF030"
        assert f"what was changed: {field} (now {value!r})" in text

    def test_a_field_more_or_less_is_refused(self, path):
        plan.write(path, **WHAT)
        said = json.loads(path.read_text())
        for changed in (said | {"note": "x"}, {k: v for k, v in said.items() if k != "alpha"}):
            path.write_text(json.dumps(changed))
            assert code_of(plan.read, path)[0] == "NF030"

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "nofluke plan", "schema": 3}'])
    def test_what_is_no_plan_is_refused(self, path, text):
        path.write_text(text)

        assert code_of(plan.read, path)[0] == "NF030"

    def test_a_plan_is_not_written_over(self, path):
        plan.write(path, **WHAT)

        assert "is there already" in code_of(plan.write, path, **WHAT)[1]

    @pytest.mark.parametrize(
        ("how", "code"),
        [
            ({"better": None}, "NF009"),
            ({"bounds": None}, "NF016"),
            ({"b": "old"}, "NF008"),
            ({"method": "magic"}, "NF008"),
            ({"method": "mcnemar"}, "NF008"),
            ({"method": "mcnemar", "binary": True, "margin": 0.1}, "NF008"),
            ({"alternative": "not-worse"}, "NF008"),
            ({"created": "yesterday"}, "NF008"),
            ({"max_cluster_size": 4}, "NF008"),
            ({"planned": 0}, "NF008"),
            ({"alpha": 5}, "NF008"),
        ],
    )
    def test_what_compare_would_refuse_is_refused_now(self, path, how, code):
        assert code_of(plan.write, path, **(WHAT | how))[0] == code
        assert not path.exists()

    def test_a_known_metric_says_its_orientation_and_bounds(self, path):
        found = plan.write(path, planned=10, a="x", b="y", metric="accuracy")

        assert (found.better, found.bounds) == ("higher", (0.0, 1.0))


class TestKept:
    def test_everything_comes_from_the_plan(self, path, scores):
        written = plan.write(path, **WHAT, margin=0.05, alpha=0.01, seed=9, alternative="different")
        kept = compare(scores, "old", "new", plan=path)
        plainly = compare(
            dataclasses.replace(scores, better="higher"), "old", "new", margin=0.05, alpha=0.01,
            seed=9, alternative="different", method="hedged_star", planned=100,
        )  # fmt: skip

        assert (kept.verdict, kept.guaranteed) == (plainly.verdict, plainly.guaranteed)
        assert kept.question["plan"] == written.digest
        assert kept.question["alpha"] == 0.01

    def test_repeating_the_plan_is_no_contradiction(self, path, scores):
        written = plan.write(path, **WHAT, margin=0.05)
        how = {"margin": 0.05, "planned": 100, "method": "hedged_star", "bounds": [0, 1]}

        assert compare(scores, "old", "new", plan=written, **how).verdict == "yes"

    @pytest.mark.parametrize(
        "how",
        [
            {"margin": 0.02}, {"alpha": 0.1}, {"alternative": "worse"}, {"method": "t"},
            {"planned": 99}, {"bounds": (0, 2)}, {"binary": True}, {"seed": 1},
            {"missing": "worst"}, {"clusters": {}}, {"population": 1000}, {"paired": False},
            {"mix": {"x": 1.0}}, {"weights": {}},
        ],
        ids=str,
    )  # fmt: skip
    def test_a_contradiction_is_refused_by_name(self, path, scores, how):
        written = plan.write(path, **WHAT)
        if how.get("clusters") == {}:
            how = {"clusters": {str(i): "c" for i in range(100)}}
        code, text = code_of(compare, scores, "old", "new", plan=written, **how)

        assert code == "NF031"
        assert next(iter(how)) in text

    def test_the_table_may_contradict_too(self, path, scores):
        written = plan.write(path, **WHAT, metric="reward")
        other = dataclasses.replace(scores, better="lower", metric="loss", bounds=(0, 5))
        code, text = code_of(compare, other, "old", "new", plan=written)

        assert code == "NF031"
        assert all(f"the table has {name}" in text for name in ("metric", "better", "bounds"))
        assert code_of(compare, scores, "new", "old", plan=written)[0] == "NF031"

    def test_a_plan_that_was_changed_in_memory_is_refused(self, path, scores):
        changed = dataclasses.replace(plan.write(path, **WHAT), alpha=0.5)

        assert code_of(compare, scores, "old", "new", plan=changed)[0] == "NF030"

    @pytest.mark.parametrize("method", ["star", "betting", "t", "hoeffding", "mcnemar"])
    def test_one_look_is_at_the_planned_number(self, path, scores, method):
        binary = method == "mcnemar"
        if binary:
            scores = Scores.from_arrays(
                {"old": [0.0] * 100, "new": [0.0, 1.0] * 50}, bounds=(0, 1), better="higher"
            )
        few = plan.write(path, **(WHAT | {"planned": 99}), method=method, binary=binary)
        path.unlink()
        many = plan.write(path, **(WHAT | {"planned": 101}), method=method, binary=binary)
        code, text = code_of(compare, scores, "old", "new", plan=few)

        assert code == "NF033"
        assert "hedged_star" in text
        late = compare(scores, "old", "new", plan=many)
        assert [n[:5] for n in late.notes if n[:4] == "NF17"] == ["NF174"]

    def test_more_units_are_allowed_where_one_may_go_on(self, path, scores):
        written = plan.write(path, **(WHAT | {"planned": 60}))
        answer = compare(scores, "old", "new", plan=written)

        assert [n[:5] for n in answer.notes if n[:4] == "NF17"] == ["NF175"]
        assert answer.question["planned"] == 60

    def test_clusters_are_planned(self, path, scores):
        labels = {str(i): str(i // 2) for i in range(100)}
        written = plan.write(path, **(WHAT | {"planned": 50}), clusters=labels)
        others = {**labels, "0": "49"}

        assert plan.read(path) == written
        assert compare(scores, "old", "new", plan=path, clusters=dict(labels)).n_units == 50
        for wrong in (others, True, None, False):
            assert code_of(compare, scores, "old", "new", plan=written, clusters=wrong)[0] == (
                "NF031"
            )

    def test_the_column_of_clusters_is_sealed(self, path, scores):
        labels = [str(i // 2) for i in range(100)]
        matrix = {"old": scores.sample(0), "new": scores.sample(1)}
        table = Scores.from_arrays(matrix, bounds=(0, 1), cluster=labels)
        by_doc = dataclasses.replace(table, reading={"columns": {"cluster": "doc"}})
        how = WHAT | {"planned": 50}
        found = plan.write(path, **how, clusters=True)
        named = plan.write(path.with_name("2"), **how, clusters="doc")

        assert (found.cluster_by, named.cluster_by) == ("column cluster", "column doc")
        assert compare(table, "old", "new", plan=found).n_units == 50
        assert compare(by_doc, "old", "new", plan=named, clusters=True).n_units == 50
        assert "column doc" in code_of(compare, by_doc, "old", "new", plan=found)[1]
        assert code_of(compare, table, "old", "new", plan=named)[0] == "NF031"
        # Without labels the table's own column is asked for, and it has none.
        assert code_of(compare, scores, "old", "new", plan=found)[0] == "NF008"

    @pytest.mark.parametrize("name", ["weights", "groups", "bounds", "mix", "clusters", "alpha"])
    def test_an_array_is_refused_and_not_asked_for_its_truth(self, path, scores, name):
        written = plan.write(path, **WHAT)
        code, text = code_of(compare, scores, "old", "new", plan=written, **{name: np.ones(100)})

        assert code in ("NF031", "NF008")
        assert name in text


class TestPilot:
    def table(self, first, last, **how):
        rng = np.random.default_rng(first)
        old = rng.random(last - first) * 0.6
        names = [f"e{i}" for i in range(first, last)]
        new = old + 0.1 + 0.2 * rng.random(last - first)
        return Scores.from_arrays(
            {"old": old, "new": new}, examples=names, bounds=(0, 1), better="higher", **how
        )

    def test_it_is_sealed_that_it_was_seen(self, path):
        pilot = self.table(0, 60)
        written = plan.write(path, **WHAT, pilot=pilot)

        assert written.seen == f"a pilot of 60 pairs, SHA-256 {pilot.digest}"
        assert len(set(written.pilot)) == 60
        assert plan.read(path) == written
        assert "a pilot of 60 pairs" in written.sentences()[0]
        assert compare(self.table(60, 160), "old", "new", plan=path).n_units == 100

    def test_its_examples_are_not_counted_again(self, path):
        written = plan.write(path, **WHAT, pilot=self.table(0, 60))
        code, text = code_of(compare, self.table(58, 158), "old", "new", plan=written)

        assert code == "NF031"
        assert "2 of what would be counted were in the pilot" in text
        assert "example 'e58', example 'e59'" in text

    def test_nor_are_its_clusters(self, path):
        pilot = self.table(0, 60, cluster=[f"c{i // 3}" for i in range(60)])
        fresh = self.table(60, 160, cluster=[f"c{i // 3 - 1}" for i in range(60, 160)])
        written = plan.write(path, **WHAT, clusters=True, pilot=pilot)
        code, text = code_of(compare, fresh, "old", "new", plan=written)

        assert (len(written.pilot), code) == (80, "NF031")
        assert "1 of what would be counted" in text
        assert "cluster 'c19'" in text

    def test_gains_have_no_ids(self, path):
        written = plan.write(path, **WHAT, pilot=[0.1, 0.2, -0.1])

        assert written.seen.startswith("a pilot of 3 pairs, SHA-256 ")
        assert written.pilot == ()


class TestTheDoor:
    @pytest.mark.parametrize(
        ("how", "code"),
        [
            ({"margin": 1}, "NF008"),
            ({"margin": 5}, "NF008"),
            ({"margin": float("inf")}, "NF008"),
            ({"delta": 1.5}, "NF008"),
            ({"delta": float("inf")}, "NF008"),
            ({"binary": "no"}, "NF008"),
            ({"binary": 1}, "NF008"),
            ({"binary": True, "bounds": (2, 3)}, "NF010"),
            ({"clusters": 3}, "NF008"),
        ],
        ids=str,
    )
    def test_what_no_comparison_could_keep_is_refused(self, path, how, code):
        assert code_of(plan.write, path, **(WHAT | how))[0] == code
        assert not path.exists()

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ('{"alpha": 0.05, "alpha": 0.5}', "'alpha' twice"),
            ("[" * 100_000, "too deep"),
            ('{"alpha": NaN}', "NaN is no number"),
        ],
        ids=["twice", "deep", "nan"],
    )
    def test_text_that_can_be_read_in_two_ways_is_refused(self, path, text, told):
        path.write_text(text)
        with pytest.raises(ReadError, match="nofluke plan --write") as found:
            plan.read(path)

        assert found.value.code == "NF030"
        assert told in str(found.value)

    def test_no_file_and_a_folder_are_refused(self, path, tmp_path):
        for wrong in (path, tmp_path):
            with pytest.raises(ReadError, match="cannot be read as a plan") as found:
                plan.read(wrong)
            assert (found.value.code, found.value.path) == ("NF030", str(wrong))
