"""Traps in what HELM writes."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError
from nofluke.scores.readers.formats import helm

TYPOS = {"name": "typos", "robustness": True, "fairness": False, "prob": 0.1}


def stat(name, value, *, split="test", count=1, perturbation=None):
    """As HELM writes it: no mean where nothing was counted, variances of the population."""
    named = {"name": name, "split": split}
    if perturbation:
        named["perturbation"] = perturbation
    total = 0 if value is None else value * count
    found = {"name": named, "count": count, "sum": total, "sum_squared": total}
    return found if not count else {**found, "mean": value, "variance": 0.0, "stddev": 0.0}


def record(i, *stats, trial=0, perturbation=None):
    told = {"instance_id": f"id{i}", "train_trial_index": trial, "stats": list(stats)}
    return told | ({"perturbation": perturbation} if perturbation else {})


def spec(name="toy:subject=sums,model=acme_tiny", **adapter):
    return {"name": name, "adapter_spec": {"model": "acme/tiny", "method": "generation", **adapter}}


@pytest.fixture
def run(tmp_path):
    """Writes the folder of a run."""

    def write(records, said=None, name="toy:subject=sums,model=acme_tiny", stats=None):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        for file, content in (
            (helm._ROWS, records),
            (helm._SPEC, spec() if said is None else said),
            ("stats.json", stats),
        ):
            if content:
                (folder / file).write_text(json.dumps(content))
        return folder

    return write


def refused(*args, **how):
    with pytest.raises(InputError) as caught:
        read(*args, **how)
    return str(caught.value)


def told(scores, code):
    return [note for note in scores.notes if note.startswith(code)]


def test_a_run(run):
    scores = read(run([record(i, stat("exact_match", float(i % 2))) for i in range(4)]))

    assert scores.candidates == ("acme/tiny",)
    assert scores.values.tolist() == [0, 1, 0, 1]
    assert (scores.metric, scores.better, scores.bounds) == ("exact_match", "higher", (0, 1))


def test_the_file_alone_reads_like_its_folder(run):
    folder = run([record(i, stat("f1_score", i / 4)) for i in range(4)])

    assert read(folder).values.tolist() == read(folder / helm._ROWS).values.tolist()
    assert read(folder / helm._ROWS).candidates == ("acme/tiny",)


def test_without_a_specification_the_folder_names_the_model(run):
    folder = run([record(i, stat("f1_score", 0.5)) for i in range(3)], said={})

    assert read(folder / helm._ROWS).candidates == ("acme_tiny",)


def test_names_with_equals_signs_and_commas(run):
    said = spec("mmlu:subject=anatomy,method=joint,model=acme_tiny,eval_split=test")
    one = run([record(0, stat("exact_match", 1.0))], said, "mmlu:subject=anatomy,model=acme_tiny")
    other = said | {"name": "mmlu:subject=law,method=joint,model=acme_tiny,eval_split=test"}
    two = run([record(0, stat("exact_match", 0.0))], other, "mmlu:subject=law,model=acme_tiny")
    scores = read([one, two])

    assert scores.examples == (
        "mmlu:subject=anatomy,method=joint,eval_split=test/id0",
        "mmlu:subject=law,method=joint,eval_split=test/id0",
    )


@pytest.mark.parametrize(
    "name", ["toy:model=a_b", "toy-model=a_b", "toy:model=a_b,x=1", "toy:x=1,model=a_b"]
)
def test_the_model_in_a_name(name):
    assert helm._MODEL.search(name)[1] == "a_b"


class TestStatistics:
    def test_counts_and_times_are_no_scores_but_may_be_asked_for(self, run):
        beside = ("num_prompt_tokens", "inference_runtime", "finish_reason_stop", "max_prob")
        path = run(
            [
                record(i, stat("exact_match", 1.0), *(stat(n, i / 2) for n in beside))
                for i in range(3)
            ]
        )
        scores = read(path)

        assert scores.metric == "exact_match"
        assert "'num_prompt_tokens'" in told(scores, "NF301")[0]
        times = read(path, metric="inference_runtime", better="lower")
        assert times.values.tolist() == [0, 0.5, 1]

    def test_nothing_but_counts_is_refused(self, run):
        assert "counts and times alone" in refused(run([record(0, stat("num_bytes", 7.0))]))

    def test_several_scores_are_for_the_caller_to_choose(self, run):
        path = run([record(i, stat("f1_score", 0.5), stat("rouge_l", 0.5)) for i in range(3)])

        assert "'f1_score' (3 scores), 'rouge_l' (3 scores)" in refused(path)

    def test_what_was_not_counted_is_missing(self, run):
        scores = read(
            run([record(0, stat("f1_score", 1.0)), record(1, stat("f1_score", None, count=0))])
        )

        assert (len(scores.examples), scores.n.tolist()) == (2, [1])

    def test_records_of_several_metrics_of_one_instance_are_one_row(self, run):
        rows = [record(i, stat(n, i / 2)) for n in ("f1_score", "rouge_l") for i in range(3)]

        assert read(run(rows), metric="rouge_l").values.tolist() == [0, 0.5, 1]

    def test_two_values_of_one_metric_are_refused(self, run):
        rows = [record(0, stat("f1_score", 0.5)), record(0, stat("f1_score", 1.0))]

        assert "two values of f1_score for instance 'id0'" in refused(run(rows))

    def test_several_outputs_are_one_row(self, run):
        scores = read(run([record(i, stat("f1_score", 0.5, count=4)) for i in range(3)]))

        assert scores.values.tolist() == [0.5] * 3
        assert "up to 4 outputs" in told(scores, "NF302")[0]

    def test_only_what_is_a_share_by_its_meaning_has_bounds(self, run):
        path = run([record(i, stat("toxicity_frac", 0.5)) for i in range(3)])

        scores = read(path)

        assert (scores.better, scores.bounds) == (None, None)


def test_what_was_asked_and_answered_stands_beside(run):
    folder = run([record(i, stat("f1_score", 0.5), trial=t) for t in range(2) for i in range(2)])
    asked = [{"id": f"id{i}", "input": {"text": f"question {i}"}} for i in range(2)]
    said = [
        {"instance_id": f"id{i}", "train_trial_index": t, "predicted_text": f"answer {i} {t}"}
        for i in range(2)
        for t in range(2)
    ]
    (folder / "instances.json").write_text(json.dumps(asked))
    (folder / "display_predictions.json").write_text(json.dumps(said))
    scores = read(folder, contents=True)

    assert scores.input.names == ("question 0", "question 1")
    assert scores.output.names == ("answer 0 0", "answer 0 1", "answer 1 0", "answer 1 1")
    assert read(folder).input is None


class TestReadings:
    def test_perturbations_are_no_examples_of_their_own(self, run):
        rows = [
            record(i, stat("exact_match", v, perturbation=p), perturbation=p)
            for p, v in ((None, 1.0), (TYPOS, 0.0))
            for i in range(3)
        ]
        path = run(rows)

        assert "'none' (3 rows), 'typos (prob 0.1)' (3 rows)" in refused(path)
        assert read(path, where={"perturbation": "none"}).values.tolist() == [1, 1, 1]
        scores = read(path, where={"perturbation": "typos (prob 0.1)"})
        assert scores.values.tolist() == [0, 0, 0]
        assert told(scores, "NF266")

    def test_splits_are_kept_apart(self, run):
        path = run(
            [record(i, stat("f1_score", 0.5, split="test" if i else "valid")) for i in range(4)]
        )
        error = refused(path)

        assert (
            "several splits, which the tool keeps apart: 'test' (3 rows), 'valid' (1 row)" in error
        )
        assert "read in several ways" not in error
        assert read(path, where={"split": "test"}).values.size == 3

    def test_trials_are_runs_of_the_same_instance(self, run):
        rows = [record(i, stat("f1_score", t / 2), trial=t) for t in range(3) for i in range(4)]
        scores = read(run(rows))

        assert (scores.values.size, len(scores.examples)) == (12, 4)
        assert scores.run.names == ("0", "1", "2")


class TestTotals:
    def test_they_are_a_row_for_each_run(self, run):
        stats = [
            stat("exact_match", 0.5),
            stat("num_instances", 4.0),
            stat("exact_match", 0.25, split="valid"),
        ]
        folder = run([], stats=stats)
        scores = read(folder / "stats.json", where={"split": "test"})

        assert scores.examples == ("toy:subject=sums",)
        assert scores.values.tolist() == [0.5]
        assert "runs like these" in told(scores, "NF300")[0]

    def test_rows_go_before_them(self, run, tmp_path):
        run([record(i, stat("f1_score", 0.5)) for i in range(3)], stats=[stat("f1_score", 0.5)])

        assert read(tmp_path).values.size == 3


def test_a_field_of_another_type_is_refused(run):
    folder = run([{"instance_id": "a", "train_trial_index": 0, "stats": [{"name": 7}]}])

    assert "is not as the format has it" in refused(folder)


def test_an_empty_run_is_refused(run):
    folder = run([record(0, stat("f1_score", 1.0))])
    (folder / helm._ROWS).write_text("[]")

    assert "no instances" in refused(folder)


def test_a_count_beyond_all_numbers_is_refused(tmp_path):
    stat = {"name": {"name": "exact_match"}, "count": 10**400, "sum": 1.0}
    record = {"instance_id": "a", "train_trial_index": 0, "stats": [stat]}
    path = tmp_path / "per_instance_stats.json"
    path.write_text(json.dumps([record]))

    with pytest.raises(InputError, match="not as the format has it"):
        read(path)
