"""Traps in what lm-evaluation-harness writes."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError
from nofluke.scores.readers import files, recognition
from nofluke.scores.readers.heads import Head

TIME = "2026-01-05T10-00-00"


def row(i, score=1.0, *, filter="none", text=None, **more):  # noqa: A002 (the tool's word)
    text = f"question {i}" if text is None else text
    return {
        "doc_id": i,
        "doc": {"q": text},
        "target": "a",
        "arguments": {"gen_args_0": {"arg_0": text, "arg_1": {"until": ["Q:"]}}},
        "resps": [["a"]],
        "filtered_resps": ["a"],
        "filter": filter,
        "metrics": ["exact_match"],
        "doc_hash": f"hash of {text}",
        "prompt_hash": f"prompt of {text}",
        "exact_match": score,
        **more,
    }


@pytest.fixture
def log(tmp_path):
    """Writes samples (and results) as the tool does: a folder for the model, time in the name."""

    def write(rows, task="sums", model="acme__tiny", results=None, time=TIME, listed=False):
        folder = tmp_path / model
        folder.mkdir(exist_ok=True)
        path = folder / f"samples_{task}_{time}.jsonl"
        lines = "".join(json.dumps(r) + "\n" for r in rows)
        path.write_text(json.dumps(rows, indent=2) if listed else lines)
        if results is not None:
            (folder / f"results_{time}.json").write_text(json.dumps(results))
        return path

    return write


def refused(*args, **how):
    with pytest.raises(InputError) as caught:
        read(*args, **how)
    return caught.value


def codes(scores):
    return {note.partition(":")[0] for note in scores.notes}


class TestFilters:
    @pytest.fixture
    def both(self, log):
        strict = [row(i, float(i < 2), filter="strict-match") for i in range(6)]
        loose = [row(i, float(i < 4), filter="flexible-extract") for i in range(6)]
        return log([*strict, *loose])

    def test_rows_of_two_filters_are_not_twice_as_many_documents(self, both):
        error = refused(both)

        assert error.code == "NF262"
        assert "'strict-match' (6 rows), 'flexible-extract' (6 rows)" in str(error)
        assert "choice among 2" in str(error)

    def test_one_filter_is_read_and_told(self, both):
        scores = read(both, where={"filter": "flexible-extract"})

        assert scores.values.tolist() == [1, 1, 1, 1, 0, 0]
        assert any(n.startswith("NF266: of 2 filters") for n in scores.notes)

    def test_old_versions_did_not_name_the_filter(self, log):
        rows = [row(i, float(half)) for half in (0, 1) for i in range(3)]
        for r in rows:
            del r["filter"], r["metrics"]
        path = log(rows)

        assert "'number 1' (3 rows), 'number 2' (3 rows)" in str(refused(path))
        scores = read(path, where={"filter": "number 2"})
        assert scores.values.tolist() == [1, 1, 1]
        assert any("do not name their filter" in note for note in scores.notes)


class TestMetrics:
    def test_pieces_of_a_corpus_metric_are_left_out_and_named(self, log):
        names = ["exact_match", "bleu", "word_perplexity"]
        rows = [row(i, metrics=names, bleu=["a", "b"], word_perplexity=[-3.0, 5]) for i in range(3)]
        scores = read(log(rows))

        assert scores.metric == "exact_match"
        (note,) = (n for n in scores.notes if n.startswith("NF301"))
        assert "bleu (lists of 2), word_perplexity (lists of 2)" in note

    def test_nothing_but_pieces_is_refused_with_where_the_number_is(self, log):
        rows = [row(i, metrics=["word_perplexity"], word_perplexity=[-3.0, 5]) for i in range(3)]
        error = refused(log(rows))

        assert error.code == "NF301"
        assert "stand in the results file" in str(error)

    def test_in_a_folder_such_a_file_is_passed_and_told(self, log):
        rows = [row(i, metrics=["word_perplexity"], word_perplexity=[-3.0, 5]) for i in range(3)]
        log(rows, task="text")
        scores = read(log([row(0), row(1)]).parent)

        assert scores.values.size == 2
        assert any(n.startswith("NF269: not read:") and "samples_text" in n for n in scores.notes)

    def test_a_run_that_only_predicted_has_no_score_of_999(self, log):
        rows = [row(i, metrics=["bypass"], bypass=999) for i in range(3)]

        assert "--predict_only" in str(refused(log(rows)))

    def test_several_metrics_are_for_the_caller_to_choose(self, log):
        rows = [row(i, metrics=["acc", "acc_norm"], acc=1.0, acc_norm=0.0) for i in range(4)]
        path = log(rows)

        assert "'acc' (4 scores), 'acc_norm' (4 scores)" in str(refused(path))
        assert read(path, metric="acc_norm").bounds == (0, 1)

    def test_nan_is_missing_and_not_zero(self, log):
        scores = read(log([row(0), row(1, float("nan")), row(2)]))

        assert scores.values.tolist() == [1, 1]
        assert scores.examples == ("0", "1", "2")
        assert scores.n.tolist() == [2]

    def test_the_run_says_which_way_a_metric_points(self, log):
        said = {"model_name": "m", "higher_is_better": {"sums": {"glorp": False}}}
        rows = [row(i, metrics=["glorp"], glorp=i / 4) for i in range(4)]

        assert read(log(rows, results=said)).better == "lower"

    @pytest.mark.parametrize("resps", [{"a": 1}, "a", [], ["a"], None, 7])
    def test_answers_of_another_form_are_no_repeats(self, log, resps):
        assert "NF302" not in codes(read(log([row(i, resps=resps) for i in range(3)])))

    def test_several_answers_to_a_question_are_one_example(self, log):
        scores = read(log([row(i, resps=[["a", "b", "c"]]) for i in range(4)]))

        assert scores.values.size == 4
        assert any(n.startswith("NF302: 3 answers were drawn") for n in scores.notes)


class TestIds:
    def test_a_doc_id_that_stands_for_other_documents_is_noticed(self, log):
        one = log([row(0), row(1), row(2)])
        # As written for an unsorted --samples 2,1,0: ids 2, 1, 0 for documents 0, 1, 2.
        rows = [row(2 - i, text=f"question {i}") for i in range(3)]
        scores = read([one, log(rows, model="acme__other")])

        (note,) = (n for n in scores.notes if n.startswith("NF304"))
        assert "2 of 3 examples" in note

    def test_they_can_be_paired_by_what_they_hold(self, log):
        one = log([row(i, float(i)) for i in range(2)])
        two = log([row(1 - i, float(i), text=f"question {i}") for i in range(2)], model="o__o")
        scores = read([one, two], columns={"example": "doc_hash"})

        assert scores.examples == ("hash of question 0", "hash of question 1")
        assert scores.values.tolist() == [0, 1, 0, 1]

    def test_the_same_documents_raise_no_alarm(self, log):
        rows = [row(i) for i in range(3)]

        assert "NF304" not in codes(read([log(rows), log(rows, model="acme__other")]))

    @pytest.mark.parametrize(
        ("ids", "alarm"),
        [((5, 2, 9), True), ((2, 5, 9), False), ((0, 2, 1, 3), False), ((3, 2, 1, 0), False)],
    )
    def test_gaps_in_no_order_are_a_sign_and_several_processes_are_none(self, log, ids, alarm):
        assert ("NF304" in codes(read(log([row(i) for i in ids])))) is alarm

    def test_one_document_under_two_ids(self, log):
        assert "NF264" in codes(read(log([row(0), row(1, text="question 0"), row(2)])))

    def test_text_ids_stay_as_they_are(self, log):
        assert read(log([row("007"), row("7")])).examples == ("007", "7")

    @pytest.mark.parametrize("wrong", [None, True, 1.5, [1]])
    def test_a_row_without_an_id_is_refused(self, log, wrong):
        error = refused(log([row(0), row(wrong)]))

        assert "doc_id" in str(error)
        assert "line 2" in str(error)


class TestNames:
    def test_the_model_stands_in_the_results_beside(self, log):
        said = {"model_name": "acme/tiny-1", "n-samples": {"sums": {"effective": 2}}}
        scores = read(log([row(0), row(1)], model="anything", results=said))

        assert scores.candidates == ("acme/tiny-1",)
        assert "NF303" not in codes(scores)

    def test_else_the_folder_names_it_where_the_tool_named_the_folder(self, log):
        assert read(log([row(0), row(1)])).candidates == ("acme__tiny",)
        assert read(log([row(0), row(1)], model="logs")).candidates == (f"samples_sums_{TIME}",)

    def test_or_the_results_of_another_run_in_it(self, log):
        said = {"model_name": "gpt2", "model_name_sanitized": "gpt2"}
        log([row(0)], task="other", model="gpt2", results=said, time="2026-01-04T10-00-00")

        assert read(log([row(0), row(1)], model="gpt2")).candidates == ("gpt2",)

    def test_one_model_with_other_shots_is_two_candidates(self, log):
        said = [{"model_name": "m", "n-shot": {"sums": shots}} for shots in (0, 5)]
        times = (TIME, "2026-01-06T10-00-00")
        rows = [row(0), row(1)]
        paths = [log(rows, results=r, time=t) for r, t in zip(said, times, strict=True)]
        scores = read(paths)

        assert scores.candidates == ("m (shots=0)", "m (shots=5)")
        assert "NF267" in codes(scores)

    def test_tasks_with_other_shots_are_of_one_candidate(self, log):
        said = {"model_name": "m", "n-shot": {"sums": 5, "products": 0}}
        rows = [row(0), row(1)]
        paths = [log(rows, task=task, results=said) for task in ("sums", "products")]

        assert read(paths).candidates == ("m",)

    def test_two_runs_alike_are_refused(self, log):
        rows = [row(0), row(1)]
        paths = [log(rows), log(rows, time="2026-01-06T10-00-00")]

        assert refused(paths).code == "NF263"

    def test_ids_of_several_tasks_do_not_meet(self, log):
        scores = read([log([row(0), row(1)]), log([row(0), row(1)], task="products")])

        assert scores.examples == ("products/0", "products/1", "sums/0", "sums/1")
        assert "NF268" in codes(scores)

    def test_fewer_documents_than_were_evaluated(self, log):
        said = {"model_name": "m", "n-samples": {"sums": {"original": 9, "effective": 9}}}
        scores = read(log([row(0), row(1)], results=said))

        assert any(
            "holds 2 documents, and the results beside it count 9" in n for n in scores.notes
        )


class TestFiles:
    def test_versions_that_wrote_one_list(self, log):
        rows = [row(i, float(i % 2)) for i in range(4)]
        for r in rows:
            del r["filter"], r["metrics"], r["doc_hash"], r["prompt_hash"]
            r["arguments"] = [[r["doc"]["q"], {"until": ["Q:"]}]]
        scores = read(log(rows, listed=True), contents=True)

        assert scores.values.tolist() == [0, 1, 0, 1]
        assert scores.input.names[0] == "question 0"

    def test_a_first_document_longer_than_what_is_looked_at(self, log, tmp_path):
        path = log([row(0, text="long " * 20_000), row(1)])
        with path.open("rb") as stream:
            assert recognition.named("lm-eval-samples").knows(Head(path, stream.read(1 << 16)))
        assert read(path).values.size == 2

    def test_a_file_that_was_cut_is_refused(self, log):
        path = log([row(0), row(1)])
        path.write_text(path.read_text()[:-20])

        error = refused(path)
        assert error.code == "NF261"
        assert error.line == 2

    def test_texts_are_read_only_where_they_are_looked_at(self, log):
        path = log([row(0), row(1)])

        assert read(path).input is None
        assert read(path, contents=True).input.names == (
            "prompt of question 0",
            "prompt of question 1",
        )


class TestResults:
    @pytest.fixture
    def results(self, tmp_path):
        def write(results, **more):
            path = tmp_path / "results.json"
            path.write_text(json.dumps({"results": results, "model_name": "toy-7b", **more}))
            return path

        return write

    def test_a_table_of_tasks(self, results):
        path = results(
            {
                t: {"alias": t, "acc,none": s, "acc_stderr,none": 0.1}
                for t, s in (("a", 0.5), ("b", 1))
            }
        )
        scores = read(path, keep="stderr")

        assert (scores.candidates, scores.examples) == (("toy-7b",), ("a", "b"))
        assert (scores.metric, scores.better, scores.bounds) == ("acc,none", "higher", (0, 1))
        assert any("tasks like these" in note for note in scores.notes)

    def test_a_standard_error_that_is_missing_is_not_zero(self, results):
        scores = read(
            results({"a": {"alias": "a", "glorp,none": 0.1, "glorp_stderr,none": "N/A"}}),
            better="higher",
        )

        assert any("no standard error for 'a'; it is missing" in n for n in scores.notes)

    def test_a_task_without_a_number_is_missing_and_told(self, results):
        rows = {t: {"acc,none": v, "acc_stderr,none": 0.1} for t, v in {"a": 0.5}.items()}
        rows["b"] = {"acc,none": float("nan"), "acc_stderr,none": "N/A"}

        scores = read(results(rows))

        assert scores.examples == ("a", "b")
        assert scores.values.tolist() == [0.5]
        assert any("not a number for 'b'" in note for note in scores.notes)

    def test_a_standard_error_of_zero_is_questioned(self, results):
        row = {"alias": "a", "acc,none": 0.045, "acc_stderr,none": 0.0}
        scores = read(results({"a": row}, **{"n-samples": {"a": {"effective": 200}}}))

        assert any("it is 0.0147 at n=200" in note for note in scores.notes)

    @pytest.mark.parametrize("score", [0.0, 1.0])
    def test_a_standard_error_of_zero_at_the_edge_is_no_proof(self, results, score):
        scores = read(results({"a": {"alias": "a", "acc,none": score, "acc_stderr,none": 0.0}}))

        assert any("says at best that all scores" in note for note in scores.notes)

    def test_averages_of_tasks_are_no_tasks(self, results):
        row = {"alias": "x", "acc,none": 0.5, "acc_stderr,none": 0.1, "sample_len": 8}
        path = results(
            {"mmlu": row, "a": row, "b": row},
            groups={"mmlu": row},
            group_subtasks={"mmlu": ["a", "b"], "a": [], "b": []},
        )
        scores = read(path)

        assert scores.examples == ("a", "b")
        assert any(n.startswith("NF301") and "'mmlu'" in n for n in scores.notes)

    @pytest.mark.parametrize("groups", [None, 7, [], {}])
    def test_no_groups(self, results, groups):
        row = {"alias": "a", "acc,none": 0.5, "acc_stderr,none": 0.1}

        assert read(results({"a": row}, groups=groups, group_subtasks=groups)).examples == ("a",)

    def test_perplexity_is_better_when_lower(self, results):
        rows = {"a": {"alias": "a", "perplexity,none": 12.4, "acc,none": 0.6, "acc_stderr,none": 0}}
        path = results(rows, higher_is_better={"a": {"perplexity": False, "acc": True}})

        assert read(path, metric="perplexity,none").better == "lower"
        assert read(path, metric="acc").better == "higher"

    def test_versions_without_filters(self, results):
        rows = {"a": {"acc": 0.5, "acc_stderr": 0.1}, "b": {"acc": 0.25, "acc_stderr": 0.1}}
        path = results(rows, versions={"a": 0}, config={"model": "gpt2", "model_args": "x=1"})

        assert read(path).values.tolist() == [0.5, 0.25]

    def test_rows_go_before_the_summary(self, log):
        row_ = {"alias": "sums", "exact_match,none": 1.0, "exact_match_stderr,none": 0.0}
        said = {"results": {"sums": row_}, "model_name": "m"}
        scores = read(log([row(0), row(1)], results=said).parent)

        assert scores.values.size == 2
        assert "NF269" in codes(scores)

    @pytest.mark.parametrize(
        "other",
        [
            {"results": [1, 2]},
            {"results": {}},
            {"results": {"a": 1}},
            {"results": {"a": {"acc": 1}}},
            {"config_general": {}, "results": {"t|0": {"acc": 1, "acc_stderr": 0}}, "versions": {}},
            {"results": {"a": {"x,y": 1}}},
        ],
    )
    def test_results_of_others_are_not_claimed(self, tmp_path, other):
        path = tmp_path / "results.json"
        start = json.dumps(other).encode()

        assert not recognition.named("lm-eval-results").knows(Head(path, start))


def test_the_tool_itself(tmp_path):
    """A fresh log by the tool's model without weights, offline."""
    lm_eval = pytest.importorskip("lm_eval", reason="lm-eval is not installed")
    data = tmp_path / "sums.jsonl"
    docs = [{"q": f"{i} + 1", "c": [str(i), str(i + 1)], "g": 1} for i in range(6)]
    data.write_text("".join(json.dumps(d) + "\n" for d in docs))
    task = {
        "task": "sums",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{q}}",
        "doc_to_choice": "{{c}}",
        "doc_to_target": "g",
        "metric_list": [{"metric": "acc"}],
    }
    found = lm_eval.simple_evaluate(model="dummy", tasks=[task], log_samples=True)
    path = tmp_path / f"samples_sums_{TIME}.jsonl"
    path.write_text("".join(json.dumps(s, default=str) + "\n" for s in found["samples"]["sums"]))
    scores = read(path)

    assert scores.values.mean() == pytest.approx(found["results"]["sums"]["acc,none"])
    assert files.stem(path.name) == scores.candidates[0]
