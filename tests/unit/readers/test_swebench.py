"""SWE-bench: who counts as not resolved, instances of one repository, evaluations that broke."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError

REPORT = {
    "total_instances": 5,
    "submitted_instances": 4,
    "resolved_instances": 1,
    "resolved_ids": ["django__django-1"],
    "unresolved_ids": ["django__django-2"],
    "empty_patch_ids": ["sympy__sympy-3"],
    "error_ids": ["scikit-learn__scikit-learn-4"],
    "incomplete_ids": ["psf__requests-5"],
    "schema_version": 2,
}
HASH = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def written(tmp_path):
    def write(value, name="model.run.json"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
        return path

    return write


def told(scores):
    return dict(zip(scores.examples, scores.values.tolist(), strict=False))


def test_an_empty_patch_and_an_evaluation_that_broke_are_not_resolved(written):
    scores = read(written(REPORT))

    values = {scores.examples[i]: v for i, v in zip(scores.where, scores.values, strict=True)}
    assert values == {
        "django__django-1": 1,
        "django__django-2": 0,
        "sympy__sympy-3": 0,
        "scikit-learn__scikit-learn-4": 0,
    }
    assert scores.n_failed.tolist() == [1]
    assert [scores.examples[e] for _, e in scores.empty.tolist()] == ["psf__requests-5"]
    assert scores.binary


def test_what_the_missing_ones_matter_is_told(written):
    notes = read(written(REPORT)).notes

    [missing] = [note for note in notes if note.startswith("NF316")]
    assert "1 of 5 instances" in missing
    assert "0.200 of all if none of them counts, and 0.400 if all did" in missing
    [broken] = [note for note in notes if note.startswith("NF315")]
    assert "0.200 of all are resolved, and 0.400 would be" in broken


def test_the_repository_is_the_cluster(written):
    scores = read(written(REPORT))

    assert scores.cluster.names == (
        "django/django",
        "psf/requests",
        "scikit-learn/scikit-learn",
        "sympy/sympy",
    )


def test_old_reports_hold_counts_only(written):
    with pytest.raises(InputError, match="no lists of ids"):
        read(written({k: v for k, v in REPORT.items() if not k.endswith("_ids")}))


def test_an_id_in_two_lists_is_refused(written):
    with pytest.raises(InputError, match="stands in two lists"):
        read(written({**REPORT, "unresolved_ids": ["django__django-1"]}))


def test_a_count_that_is_not_the_list_is_told(written):
    scores = read(written({**REPORT, "resolved_instances": 7}))

    assert any(note.startswith("NF318") for note in scores.notes)


def evaluation(write, model="model", **ends):
    for name, resolved in ends.items():
        if resolved is None:
            write([], f"logs/{model}/{name}/patch.diff")
            continue
        report = {name: {"patch_exists": True, "resolved": resolved}}
        write(report, f"logs/{model}/{name}/report.json")


def test_an_instance_without_a_report_broke_and_is_not_left_out(written, tmp_path):
    evaluation(written, **{"a__a-1": True, "a__a-2": False, "b__b-3": None})

    scores = read(tmp_path / "logs" / "model")

    assert told(scores) == {"a__a-1": 1, "a__a-2": 0, "b__b-3": 0}
    assert scores.candidates == ("model",)
    assert scores.n_failed.tolist() == [1]


def test_each_model_below_a_folder_is_a_candidate_and_its_report_is_not_read_again(
    written, tmp_path
):
    for model in ("one", "two"):
        evaluation(written, model, **{"a__a-1": True})
    written({"resolved_ids": ["a__a-1"], "unresolved_ids": []}, "one.run.json")

    scores = read(tmp_path)

    assert scores.candidates == ("one", "two")
    assert any("1 summary of swebench not read" in note for note in scores.notes)


def test_a_single_instance_is_named_by_the_folders_above(written):
    path = written({"a__a-1": {"patch_exists": True, "resolved": True}}, "m/a__a-1/report.json")

    assert read(path).candidates == ("m",)


def test_results_of_pro_are_true_or_false(written):
    ids = [f"instance_{repo}-{HASH}{more}" for repo, more in (("a__b", "-v1"), ("NodeBB__n", ""))]
    scores = read(written({ids[0]: True, ids[1]: False}, "eval_results.json"))

    assert told(scores) == {ids[0]: 1, ids[1]: 0}
    assert scores.cluster.names == ("NodeBB/n", "a/b")


def test_models_with_other_sets_of_instances_are_not_silently_compared(written):
    ids = [f"instance_a__b-{HASH[:-1]}{i}" for i in range(3)]
    one = written({ids[0]: True, ids[1]: False}, "one.json")
    two = written({ids[1]: True, ids[2]: False}, "two.json")

    scores = read([one, two])

    assert not scores.complete
    assert scores.n.tolist() == [2, 2]
