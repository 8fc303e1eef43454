"""Traps in the logs of Inspect AI."""

import importlib.util
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from nofluke import compare, read
from nofluke.errors import InputError
from nofluke.scores.readers import files, zstd
from nofluke.scores.readers.formats import inspect_rows
from nofluke.scores.readers.formats.inspect_ai import EvalFile, JsonFile
from nofluke.scores.readers.workspace import Workspace

HERE = Path(__file__).parent
FIXTURES = HERE.parents[1] / "contracts" / "logs"


def sample(i, value="C", *, epoch=1, **more):
    scores = None if value is None else {"match": {"value": value, "answer": "x"}}
    return {
        "id": i,
        "epoch": epoch,
        "input": f"question {i}",
        "target": "x",
        "scores": scores,
        **more,
    }


def document(samples, *, status="success", **more):
    ids = list(dict.fromkeys(s["id"] for s in samples))
    return {
        "version": 2,
        "status": status,
        "eval": {
            "created": "2026-01-05T10:00:00+00:00",
            "task": "toy",
            "model": "mock/model",
            "dataset": {"name": "toy", "samples": len(ids), "sample_ids": ids},
            "config": {"epochs": max((s["epoch"] for s in samples), default=1)},
        },
        "results": {
            "total_samples": len(samples),
            "scores": [{"name": "match", "scorer": "match"}],
        },
        "samples": samples,
        **more,
    }


@pytest.fixture
def log(tmp_path):
    """Writes a document, as JSON or taken apart into an archive."""

    def write(said, name="log.json"):
        path = tmp_path / name
        if path.suffix == ".json":
            path.write_text(json.dumps(said))
            return path
        header = {k: v for k, v in said.items() if k not in ("samples", "reductions")}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(
                "_journal/start.json", json.dumps({"version": 2, "eval": said["eval"]})
            )
            for s in reversed(said["samples"]):
                archive.writestr(f"samples/{s['id']}_epoch_{s['epoch']}.json", json.dumps(s))
            archive.writestr("summaries.json", json.dumps(said["samples"][::-1]))
            if "reductions" in said:
                archive.writestr("reductions.json", json.dumps(said["reductions"]))
            archive.writestr("header.json", json.dumps(header))
        return path

    return write


def refused(*args, **how):
    with pytest.raises(InputError) as caught:
        read(*args, **how)
    return caught.value


def told(scores, code):
    return [note for note in scores.notes if note.startswith(code)]


def logs(path, reader, *, contents=False):
    with Workspace() as space:
        return list(reader.read(files.told(path, str(path), space)._replace(contents=contents)))


class TestGrades:
    def test_letters_are_numbers_as_the_tool_has_it(self, log):
        scores = read(log(document([sample(i, g) for i, g in enumerate("CPIN", 1)])))

        assert scores.values.tolist() == [1, 0.5, 0, 0]
        assert (scores.better, scores.bounds) == ("higher", (0, 1))
        assert "1 C, 1 I, 1 N, 1 P" in told(scores, "NF302")[0]

    @pytest.mark.parametrize(
        ("value", "number"),
        [("C", 1), ("yes", 1), ("False", 0), ("0.25", 0.25), (True, True), (7, 7), (None, None)],
    )
    def test_values(self, value, number):
        assert inspect_rows.number(value) == number

    @pytest.mark.parametrize("value", ["A-", "c ", "nan", "inf", "1_0", "", [1], {"a": 1}])
    def test_values_that_are_no_numbers(self, value):
        with pytest.raises((ValueError, TypeError)):
            inspect_rows.number(value)

    def test_a_metric_of_other_texts_is_left_out_and_named(self, log):
        samples = [sample(i) for i in range(3)]
        for s in samples:
            s["scores"]["school"] = {"value": "A-"}
        scores = read(log(document(samples)))

        assert scores.metric == "match"
        assert "school ('A-')" in told(scores, "NF301")[0].replace('"', "")

    def test_dicts_are_one_metric_for_each_key(self, log):
        samples = [sample(i, {"tone": i, "facts": "C"}) for i in range(3)]
        path = log(document(samples))

        assert "'match/tone' (3 scores), 'match/facts' (3 scores)" in str(refused(path))
        assert read(path, metric="match/tone", better="higher").values.tolist() == [0, 1, 2]

    def test_the_score_of_version_1(self, log):
        said = document([sample(i) for i in range(2)], version=1)
        for s in said["samples"]:
            s["score"] = s.pop("scores")["match"]
        said["results"] = {"scorer": {"name": "includes"}}

        assert read(log(said)).metric == "includes"

    def test_what_the_results_begin_with_leads_and_it_is_said(self, log):
        samples = [sample(i) for i in range(3)]
        for s in samples:
            s["scores"]["other"] = {"value": "I"}
        scores = read(log(document(samples)))

        assert scores.metric == "match"
        assert told(scores, "NF265")


class TestWhatIsMissing:
    def crashed(self):
        samples = [sample(i, g) for i, g in enumerate("CCICPICCIN")]
        return [*samples, *(sample(i, None, error={"message": "RateLimit"}) for i in (10, 11))]

    def test_errors_are_missing_and_the_limits_are_said(self, log):
        scores = read(log(document(self.crashed())))

        assert scores.n.tolist() == [10]
        assert len(scores.examples) == 12
        (note,) = told(scores, "NF303")
        assert "2 of 12 rows have no score by 'match' (2 ended with an error)" in note
        assert "The mean of the other 10 is 0.55; of all 12 it is 0.4583" in note
        assert "0.625 if right" in note

    def test_they_can_be_counted_as_the_worst(self, log):
        scores = read(log(document(self.crashed())), failed="error")

        assert len(scores.examples) == 12
        assert int(scores.failed.sum()) == 2

    def test_a_comparison_does_not_pass_over_them(self, log):
        one = log(document(self.crashed()))
        two = log(document([sample(i) for i in range(12)]), "two.json")
        with pytest.raises(InputError):
            compare(read({"one": one, "two": two}), "one", "two")

    def test_numbers_without_bounds_have_no_limits(self, log):
        samples = [*(sample(i, i) for i in range(3)), sample(9, None)]
        (note,) = told(read(log(document(samples)), better="higher"), "NF303")

        assert "that is not the mean of 4" in note

    def test_notes_are_those_of_the_metric_that_is_read(self, log):
        samples = [sample(i) for i in range(3)]
        samples[0]["scores"]["other"] = {"value": "I"}

        assert not told(read(log(document(samples)), metric="match"), "NF303")
        assert told(read(log(document(samples)), metric="other"), "NF303")

    def test_a_status_other_than_success_is_said(self, log):
        scores = read(log(document([sample(1)], status="cancelled")))

        assert "status of the evaluation is 'cancelled'" in told(scores, "NF303")[0]

    def test_samples_that_were_to_run_and_are_not_there_are_missing(self, log):
        said = document([sample(i) for i in range(3)], status="error", error={"message": "boom"})
        said["eval"]["dataset"] = {"samples": 5, "sample_ids": [0, 1, 2, 3, 4]}
        scores = read(log(said))

        assert (len(scores.examples), scores.n.tolist()) == (5, [3])
        assert any("'error' (boom)" in note for note in told(scores, "NF303"))
        assert any("2 samples that the evaluation was to run are not" in n for n in scores.notes)

    def test_samples_that_a_rule_stopped_are_not(self, log):
        said = document([sample(i) for i in range(3)])
        said["eval"]["dataset"] = {"samples": 5, "sample_ids": [0, 1, 2, 3, 4]}
        said["results"]["early_stopping"] = {"manager": "some rule", "early_stops": []}

        assert len(read(log(said)).examples) == 3

    def test_a_part_of_the_data_set(self, log):
        said = document([sample(i) for i in range(3)])
        said["eval"]["dataset"]["samples"] = 2376

        assert "3 of the 2376 samples" in told(read(log(said)), "NF303")[0]

    def test_limits_are_counted(self, log):
        samples = [
            sample(1, limit={"type": "token", "limit": 9}),
            sample(2),
            sample(3, limit="time"),
        ]
        (note,) = told(read(log(document(samples))), "NF303")

        assert "2 samples ended at a limit (time 1, token 1)" in note

    def test_invalid_samples(self, log):
        assert (
            "declared invalid"
            in told(read(log(document([sample(1)], invalidated=True))), "NF303")[0]
        )

    @pytest.mark.parametrize("name", ["log.json", "log.eval"])
    def test_nothing_scored_is_refused_with_the_status(self, log, name):
        samples = [sample(i, None, error={"message": "boom"}) for i in range(2)]
        error = refused(log(document(samples, status="error", error={"message": "stop"}), name))

        assert error.code == "NF303"
        assert "2 samples, 2 with an error (the first: boom), and no score" in str(error)
        assert "status is 'error' (stop)" in str(error)

    def test_a_run_that_goes_on_is_refused(self, log, tmp_path):
        path = tmp_path / "going.eval"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("_journal/start.json", "{}")
            archive.writestr("samples/1_epoch_1.json", json.dumps(sample(1)))

        assert "status 'started'" in str(refused(path))
        assert "'started'" in str(refused(log(document([sample(1)], status="started"))))

    def test_in_a_folder_it_is_passed_and_told(self, log):
        log(document([sample(1, None)], status="error"), "crashed.json")
        path = log(document([sample(i) for i in range(3)]))
        scores = read(path.parent)

        assert scores.values.size == 3
        assert any("NF269: not read:" in n and "crashed.json" in n for n in scores.notes)

    def test_a_version_that_is_not_known_is_named(self, log):
        assert "version 3" in str(refused(log(document([sample(1)], version=3))))


class TestIds:
    def test_numbers_and_texts_match_across_logs(self, log):
        one = log(document([sample("1"), sample(2)]))
        two = log(document([sample(1), sample("2")]), "two.json")
        scores = read({"one": one, "two": two})

        assert scores.examples == ("1", "2")

    def test_a_number_and_the_same_text_in_one_log_are_two_samples(self, log):
        scores = read(log(document([sample("1", "C"), sample(1, "I"), sample(2)])))

        assert scores.examples == ('"1"', "1", "2")
        assert scores.values.tolist() == [1, 0, 1]
        assert told(scores, "NF304")

    def test_a_sample_that_was_logged_again_counts_once(self, log, tmp_path):
        path = log(document([sample(1, "I"), sample(2)]), "log.eval")
        with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("summaries.json", json.dumps([sample(1, "I"), sample(1), sample(2)]))

        assert read(path).values.tolist() == [1, 1]


class TestEpochs:
    def test_they_are_runs_of_one_example(self, log):
        samples = [
            sample(i, g, epoch=e) for e, gs in ((1, "CI"), (2, "CC")) for i, g in enumerate(gs)
        ]
        scores = read(log(document(samples)))

        assert scores.values.size == 4
        assert len(scores.examples) == 2
        assert scores.run.names == ("1", "2")

    def test_one_epoch_is_compared_with_several(self, log):
        samples = [sample(i, epoch=e) for e in (1, 2) for i in range(3)]
        one = log(document(samples))
        two = log(document([sample(i) for i in range(3)]), "two.json")
        scores = read({"one": one, "two": two})

        assert scores.n.tolist() == [6, 3]

    def test_a_reducer_other_than_the_mean_is_said(self, log):
        said = document([sample(1, epoch=e) for e in (1, 2)])
        said["eval"]["config"]["epochs_reducer"] = ["mean", "pass_at_2"]

        assert any("'pass_at_2'" in note for note in told(read(log(said)), "NF302"))


class TestFiles:
    def test_the_archive_and_the_document_read_identically(self, log):
        samples = [sample(i, g, output={"completion": "a"}) for i, g in enumerate("CIPN")]
        samples.append(sample("x", None, error={"message": "boom"}))
        said = document(samples)
        for contents in (False, True):
            a = logs(log(said), JsonFile(), contents=contents)
            b = logs(log(said, "log.eval"), EvalFile(), contents=contents)
            assert a == b

    def test_without_samples_the_reduced_scores_are_read(self, log):
        said = document([])
        said["reductions"] = [
            {"scorer": "match", "reducer": r, "samples": [{"value": v, "sample_id": "a"}]}
            for r, v in (("mean", 0.5), ("max", 1))
        ]
        path = log(said)

        assert "by reducer: 'mean' (1 row), 'max' (1 row)" in str(refused(path, better="higher"))
        scores = read(path, where={"reducer": "max"}, better="higher")
        assert scores.values.tolist() == [1]
        assert "reducer 'max'" in told(scores, "NF302")[0]

    def test_summaries_of_the_journal_stand_in(self, tmp_path, log):
        said = document([sample(i) for i in range(11)])
        path = tmp_path / "log.eval"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("_journal/start.json", "{}")
            for i, s in enumerate(said["samples"], 1):
                archive.writestr(f"_journal/summaries/{i}.json", json.dumps([s]))
            archive.writestr("_journal/summaries/12.json", json.dumps([sample(3, "I")]))
            archive.writestr("header.json", json.dumps({k: said[k] for k in list(said)[:4]}))

        assert read(path).values.tolist().count(0) == 1

    def test_zstd_without_a_library(self, monkeypatch):
        path = FIXTURES / "inspect-eval" / "toy_0.3.285.eval"
        known = logs(path, EvalFile())
        monkeypatch.setattr(zstd, "_library", lambda: None)

        assert list(map(repr, logs(path, EvalFile()))) == list(map(repr, known))

    def test_an_archive_whose_end_is_missing_is_known_and_refused(self, log):
        path = log(document([sample(1)]), "log.eval")
        path.write_bytes(path.read_bytes()[:-60])

        assert "copied or written in part" in str(refused(path))

    def test_a_broken_member_is_refused(self, log, tmp_path):
        path = log(document([sample(1)]), "log.eval")
        data = path.read_bytes()
        at = data.index(b"summaries.json") + 40
        path.write_bytes(data[:at] + b"\xff\xff\xff" + data[at + 3 :])

        assert refused(path).code == "NF261"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """One evaluation by Inspect itself, as both kinds of file."""
    if importlib.util.find_spec("inspect_ai") is None:
        pytest.skip("inspect-ai is not installed: pip install nofluke[inspect]")
    folder = tmp_path_factory.mktemp("inspect")
    made = [sys.executable, str(HERE / "inspect_logs.py"), str(folder)]
    subprocess.run(made, check=True, capture_output=True)
    return folder


class TestTheToolItself:
    def test_both_kinds_of_file_read_identically(self, fresh):
        for contents in (False, True):
            a = logs(fresh / "same.json", JsonFile(), contents=contents)
            b = logs(fresh / "same.eval", EvalFile(), contents=contents)
            assert list(map(repr, a)) == list(map(repr, b))

    def test_the_means_are_those_that_it_says(self, fresh):
        said = json.loads((fresh / "said").read_text())
        (log,) = logs(fresh / "same.eval", EvalFile())
        values = {i: [] for i in log.example}
        for i, value in zip(log.example, log.scores["graded"], strict=True):
            values[i] += [] if value is None else [value]
        means = [sum(v) / len(v) for v in values.values()]

        assert sum(means) / len(means) == pytest.approx(said["graded"]["accuracy"])

    def test_texts_are_those_of_the_samples(self, fresh):
        (log,) = logs(fresh / "same.eval", EvalFile(), contents=True)

        assert log.input[:2] == ["question 0", "question 2"]
        assert log.output[:2] == ["answer 1 1", "answer 3 1"]


def test_an_integer_beyond_all_numbers_is_no_score(log):
    with pytest.raises(InputError, match="no score that is a number"):
        read(log(document([sample(1, 10**400)])))


def test_a_broken_number_of_epochs_does_not_fill_the_memory(log):
    said = document([sample(1)])
    said["eval"]["config"]["epochs"] = 10**12
    with pytest.raises(InputError, match="was to run 1000000000000 epochs of 1 samples"):
        read(log(said))
