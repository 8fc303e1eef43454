"""Real files of lm-evaluation-harness, Inspect AI and HELM, against plain walks through them."""

import json
import math
import zipfile

import pytest

from nofluke import read
from nofluke.errors import InputError

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}


@pytest.fixture(scope="session")
def formats(shared):
    return shared / "formats"


@pytest.fixture(scope="session")
def cases(shared):
    return shared / "cases" / "inputs"


def said(shared, name):
    return json.loads((shared / "cases" / f"{name}.json").read_text())["expected"]["values"]


def every(folder, *patterns):
    return {p for pattern in patterns for p in folder.rglob(pattern) if p.is_file()}


class TestLmEval:
    def test_samples(self, formats):
        (path,) = (formats / "lm_eval").glob("samples_*.jsonl")
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        scores = read(path)

        assert dict(zip(scores.examples, scores.values, strict=True)) == {
            str(r["doc_id"]): r["exact_match"] for r in rows
        }
        assert scores.metric == "exact_match"
        results = json.loads(path.with_name(f"results{path.stem[-27:]}.json").read_text())
        assert scores.candidates == (results["model_name"],)
        assert any(f"holds {len(rows)} documents" in n and "count 5000" in n for n in scores.notes)

    def test_results(self, formats):
        (path,) = (formats / "lm_eval").glob("results_*.json")
        known = json.loads(path.read_text())["results"]
        scores = read(path, keep="stderr")

        assert dict(zip(scores.examples, scores.values, strict=True)) == {
            task: row["exact_match,none"] for task, row in known.items()
        }
        kept = dict(zip(scores.examples, scores.kept["stderr"], strict=True))
        assert kept == {task: row["exact_match_stderr,none"] for task, row in known.items()}
        assert any("math_perturbed_full: a standard error of 0" in n for n in scores.notes)

    def test_two_filters(self, shared, cases):
        expected = said(shared, "reader-01")
        (path,) = cases.glob("reader01*")
        with pytest.raises(InputError, match=r"'strict-match' \(6 rows\)"):
            read(path)
        for filter_, mean in (
            ("strict-match", "strict_match"),
            ("flexible-extract", "flexible_extract"),
        ):
            scores = read(path, where={"filter": filter_})
            assert scores.values.size == expected["n_documents"]
            assert scores.values.mean() == pytest.approx(expected[mean], abs=1e-12)

    def test_standard_errors(self, shared, cases):
        expected = said(shared, "reader-02")
        (path,) = cases.glob("reader02*")
        rows = json.loads(path.read_text())["results"]
        for metric in ("transfer", "exact_match", "perplexity", "acc"):
            scores = read(path, metric=metric, keep="stderr")
            for task, value in zip(scores.examples, scores.values, strict=True):
                assert value == rows[task][f"{metric},none"]
        assert math.isnan(read(path, metric="transfer", keep="stderr").kept["stderr"][0])
        assert read(path, metric="perplexity").better == "lower"
        shown = f"it is {expected['toy_math_hard_stderr_from_score_and_n']:.4g} at n=200"
        assert any(shown in note for note in read(path, metric="exact_match").notes)
        assert any("toy_single is the score of one" in n for n in read(path, metric="acc").notes)


class TestInspect:
    def test_every_log(self, formats):
        paths = every(formats / "inspect_ai", "*.json", "*.eval")
        assert len(paths) == 6
        for path in paths:
            values = walked(path)
            if not values:
                with pytest.raises(InputError, match=r"no score; its status is 'success'"):
                    read(path)
                continue
            scores = read(path)
            assert dict(zip(scores.examples, scores.values, strict=True)) == values

    def test_the_archive_and_the_document_are_one_log(self, formats):
        a, b = (read(formats / "inspect_ai" / f"log_formats.{kind}") for kind in ("eval", "json"))

        assert (a.candidates, a.examples, a.notes) == (b.candidates, b.examples, b.notes)
        assert a.values.tolist() == b.values.tolist()

    @pytest.mark.parametrize(
        ("name", "text"),
        [
            ("popularity.json", "is 'cancelled', and not 'success'"),
            ("popularity.json", "3 of the 100 samples"),
            ("data_arc_qwen.json", "3 of the 2376 samples"),
        ],
    )
    def test_what_is_told(self, formats, name, text):
        assert any(text in note for note in read(formats / "inspect_ai" / name).notes)

    def test_errors(self, shared, cases):
        expected = said(shared, "reader-03")
        scores = read(cases / "reader03_inspect_log.json")

        assert len(scores.examples) == expected["total"]
        assert scores.n.tolist() == [expected["scored"]]
        (note,) = (n for n in scores.notes if "NF303: 2 of 12" in n)
        for value in (
            expected["accuracy_scored_only"],
            expected["accuracy_errors_as_wrong"],
            expected["accuracy_if_errors_were_right"],
        ):
            assert f"{value:.4g}" in note


def walked(path):
    """Scores by id, by a plain walk."""
    if path.suffix == ".eval":
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.startswith("samples/")]
            samples = [json.loads(archive.read(n)) for n in names]
    else:
        samples = json.loads(path.read_text())["samples"]
    return {str(s["id"]): GRADES[score["value"]] for s in samples for score in s["scores"].values()}


class TestHelm:
    def test_every_metric_of_the_run(self, formats):
        (path,) = (formats / "helm").rglob("per_instance_stats.json")
        values = {}
        for record in json.loads(path.read_text()):
            for stat in record["stats"]:
                if stat["count"]:
                    values.setdefault(stat["name"]["name"], {})[record["instance_id"]] = (
                        stat["name"]["split"],
                        stat["sum"] / stat["count"],
                    )
        assert len(values) > 20
        for metric, rows in values.items():
            for source in (path, path.parent):
                scores = read(source, metric=metric, better="higher", where={"split": "test"})
                assert scores.candidates == ("openai/gpt2",)
                assert dict(zip(scores.examples, scores.values, strict=True)) == {
                    i: value for i, (split, value) in rows.items() if split == "test"
                }

    def test_scores_and_the_rest_are_told_apart(self, formats):
        with pytest.raises(InputError) as caught:
            read(formats / "helm")

        assert "exact_match" in str(caught.value)
        assert "num_" not in str(caught.value)

    def test_totals(self, formats):
        (path,) = (formats / "helm").rglob("stats.json")
        (value,) = (
            stat["mean"]
            for stat in json.loads(path.read_text())
            if stat["name"] == {"name": "f1_score", "split": "test"}
        )
        scores = read(path, metric="f1_score", where={"split": "test", "perturbation": "none"})

        assert scores.values.tolist() == [value]
