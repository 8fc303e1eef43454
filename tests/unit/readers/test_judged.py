"""promptfoo, DeepEval, Ragas, AlpacaEval, MTEB and arenas: what in their files would mislead."""

import csv
import json
import statistics

import pytest

import nofluke
from nofluke import read
from nofluke.errors import ReadError
from nofluke.scores.readers import files, recognition
from nofluke.scores.readers.workspace import Workspace


def logs(path):
    """What the reader that knows a file makes of it."""
    with Workspace() as space:
        file = files.told(path, str(path), space)
        reader = recognition.of_file(file)
        return None if reader is None else list(reader.read(file))


def one(path):
    (log,) = logs(path)
    return log


def put(path, value):
    path.write_text(json.dumps(value))
    return path


def table(path, *rows):
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def noted(log, code):
    return [note for note in log.notes if note.startswith(code)]


# --- promptfoo


def result(test, success, *, prompt=0, vars_=None, **more):
    return {
        "promptIdx": prompt,
        "testIdx": test,
        "testCase": {"vars": {"n": test} if vars_ is None else vars_},
        "provider": {"id": "mock:a", "label": ""},
        "prompt": {"raw": f"ask {test}", "label": "ask"},
        "success": success,
        "failureReason": 0 if success else 1,
        "score": float(success),
        "namedScores": {},
        "latencyMs": 100 + test,
        "cost": 0,
        "response": {"output": "x", "cached": False},
    } | more


def promptfoo(path, *results, version=3):
    return put(path, {"evalId": "e", "results": {"version": version, "results": list(results)}})


def cached_repeats():
    """Eight tests, two of them crashed, and two repeats from the cache."""
    lat = {0: 812, 1: 790, 2: 905, 4: 760, 5: 845, 7: 880}
    rows = [
        result(i, True, latencyMs=ms) if i not in (1, 5) else result(i, False, latencyMs=ms)
        for i, ms in lat.items()
    ]
    rows[1]["score"] = 0.75
    crashed = {"failureReason": 2, "latencyMs": 0, "score": 0, "error": "429", "response": None}
    rows += [result(i, False, **crashed) for i in (3, 6)]
    again = {"output": "x", "cached": True}
    return [*rows, *(result(0, True, latencyMs=ms, response=again) for ms in (3, 2))]


def test_promptfoo_keeps_score_pass_error_and_cache_apart(tmp_path):
    log = one(promptfoo(tmp_path / "r.json", *cached_repeats()))
    passed, score = log.scores["pass"], log.scores["score"]
    graded = [v for v in passed if v is not None]
    times = [v for v in log.scores["latencyMs"] if v is not None]
    assert len(log.example) == 8
    assert (sum(graded), len(graded)) == (4, 6)
    assert sum(v for v in score if v is not None) / 6 == pytest.approx(0.7916666666666666)
    assert (len(times), statistics.median(times)) == (6, 828.5)
    assert log.run is None
    (errors,) = noted(log, "NF305")
    assert "2 of 8 rows ended in an error" in errors
    assert "0.6667" in errors
    assert "between 0.5 and 0.75" in errors
    (cache,) = noted(log, "NF306")
    assert "2 of 10 rows" in cache


def test_promptfoo_leads_with_passes_and_says_so(tmp_path):
    rows = [result(i, i % 2 == 0) for i in range(4)]
    scores = read(promptfoo(tmp_path / "r.json", *rows))
    assert scores.metric == "pass"
    assert scores.values.tolist() == [1, 0, 1, 0]
    assert any(note.startswith("NF265") for note in scores.notes)


def test_promptfoo_repeats_are_runs_of_one_test_not_tests(tmp_path):
    """promptfoo 0.121 gives each repeat a testIdx of its own."""
    rows = [result(2 * t + k, k == 0, vars_={"n": t}) for t in range(3) for k in range(2)]
    log = one(promptfoo(tmp_path / "r.json", *rows))
    assert log.example == [0, 0, 1, 1, 2, 2]
    assert log.run == [0, 1, 0, 1, 0, 1]
    assert "6 tests are 3 that differ" in noted(log, "NF346")[0]


def test_promptfoo_tests_that_assert_otherwise_are_two(tmp_path):
    rows = [
        result(i, True, testCase={"vars": {"n": 1}, "assert": [{"type": "equals", "value": i}]})
        for i in range(2)
    ]
    log = one(promptfoo(tmp_path / "r.json", *rows))
    assert log.example == [0, 1]
    assert log.run is None


def test_promptfoo_with_hidden_variables_takes_the_prompt_or_says_it_cannot_know(tmp_path):
    rows = [result(i, True, testCase={}, vars={}) for i in range(3)]
    log = one(promptfoo(tmp_path / "raw.json", *rows))
    assert log.example == [0, 1, 2]
    assert not noted(log, "NF346")
    for row in rows:
        row["prompt"] = {"raw": "[prompt stripped]", "label": "ask"}
    log = one(promptfoo(tmp_path / "hidden.json", *rows))
    assert log.example == [0, 1, 2]
    assert "hidden" in noted(log, "NF346")[0]


def test_promptfoo_two_providers_of_one_name_stay_two_candidates(tmp_path):
    rows = [result(t, p == 0, prompt=p) for t in range(3) for p in range(2)]
    log = one(promptfoo(tmp_path / "r.json", *rows))
    assert sorted(set(log.candidate)) == ["mock:a (column 0)", "mock:a (column 1)"]
    assert log.run is None


def test_promptfoo_several_prompts_are_candidates(tmp_path):
    rows = [
        result(t, p == 0, prompt=p, prompt_=None) | {"prompt": {"raw": "r", "label": f"way {p}"}}
        for t in range(2)
        for p in range(2)
    ]
    log = one(promptfoo(tmp_path / "r.json", *rows))
    assert sorted(set(log.candidate)) == ["mock:a, way 0", "mock:a, way 1"]


def test_promptfoo_order_of_rows_is_no_matter(tmp_path):
    rows = [result(2 * t + k, k == 0, vars_={"n": t}) for t in range(3) for k in range(2)]
    ahead = one(promptfoo(tmp_path / "a.json", *rows))
    back = one(promptfoo(tmp_path / "b.json", *rows[::-1]))
    assert ahead.example == back.example[::-1]


def test_promptfoo_named_scores_are_metrics_and_hide_none(tmp_path):
    rows = [result(i, True, namedScores={"tone": 0.5, "score": 0.25}) for i in range(2)]
    log = one(promptfoo(tmp_path / "r.json", *rows))
    assert log.scores["tone"] == [0.5, 0.5]
    assert log.scores["score"] == [1.0, 1.0]
    assert log.scores["namedScores.score"] == [0.25, 0.25]


def test_promptfoo_lines_read_as_the_document(tmp_path):
    rows = [result(i, i > 0) for i in range(3)]
    lines = tmp_path / "r.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert one(lines).scores == one(promptfoo(tmp_path / "r.json", *rows)).scores


def test_promptfoo_before_tests_had_numbers(tmp_path):
    rows = [result(i, i > 0, vars={"n": i}) for i in range(3)]
    for row in rows:
        for name in ("testIdx", "promptIdx", "testCase", "failureReason"):
            del row[name]
    rows[0] |= {"error": "timeout", "gradingResult": None}
    log = one(promptfoo(tmp_path / "r.json", *rows, version=2))
    assert log.example == [0, 1, 2]
    assert log.scores["pass"] == [None, True, True]


def test_promptfoo_csv_is_refused_with_what_to_do(tmp_path):
    header = ["n", "[mock:a] ask", "Status", "Score", "Named Scores", "Grader Reason", "Comment"]
    path = table(tmp_path / "r.csv", header * 1, ["1", "yes", "PASS", "1.00", "", "ok", ""])
    with pytest.raises(ReadError, match=r"two decimals.*--output results\.json"):
        logs(path)


# --- DeepEval


def case(name, success, *metrics):
    found = [
        {"name": metric, "success": True, "score": score} for metric, score in metrics if metric
    ]
    return {"name": name, "input": name, "actualOutput": "a", "success": success} | {
        "metricsData": found
    }


def deepeval(path, *cases, wrapped=True, **more):
    run = {"testCases": list(cases)} | more
    return put(path, {"testRunData": run} if wrapped else run)


def test_deepeval_success_is_of_all_metrics_and_metrics_have_blanks_in_names(tmp_path):
    cases = [case(f"c{i}", False, ("Exact Match", 1.0), ("Tool Usage", 0.0)) for i in range(2)]
    log = one(deepeval(tmp_path / "r.json", *cases, hyperparameters={"model": "m"}))
    assert log.candidate == "m"
    assert log.scores == {
        "Exact Match": [1.0, 1.0],
        "Tool Usage": [0.0, 0.0],
        "success": [False, False],
    }
    assert log.usual is None


@pytest.mark.parametrize("wrapped", [True, False])
def test_deepeval_skipped_and_failed_metrics_have_no_score(tmp_path, wrapped):
    crashed = case("c2", False, ("B", 1.0))
    crashed["metricsData"].append({"name": "A", "success": False, "error": "timed out"})
    cases = [case("c0", True, ("A", 1.0), ("B", 0.5)), case("c1", True, ("B", 0.0)), crashed]
    log = one(deepeval(tmp_path / "r.json", *cases, wrapped=wrapped))
    assert log.scores["A"] == [1.0, None, None]
    assert log.scores["B"] == [0.5, 0.0, 1.0]
    (note,) = noted(log, "NF305")
    assert "ended in an error or did not get this metric" in note
    assert noted(log, "NF347")


def test_deepeval_two_metrics_of_one_name_are_two(tmp_path):
    log = one(deepeval(tmp_path / "r.json", case("c", True, ("GEval", 1.0), ("GEval", 0.0))))
    assert log.scores["GEval"] == [1.0]
    assert log.scores["GEval (2)"] == [0.0]


def test_deepeval_conversations_are_rows_with_their_turns(tmp_path):
    turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]
    talk = {"name": "t", "success": True, "turns": turns}
    talk["metricsData"] = [{"name": "Polite", "score": 1.0}]
    log = one(deepeval(tmp_path / "r.json", conversationalTestCases=[talk]))
    assert (log.input, log.output) == (["hi"], ["ho"])
    assert log.scores["Polite"] == [1.0]


def test_deepeval_of_old_names_its_metrics_otherwise(tmp_path):
    old = {"name": "c", "success": True, "actualOutput": "a"}
    old["metricsMetadata"] = [{"metric": "Bias", "score": 0.25, "minimumScore": 0.5}]
    assert one(deepeval(tmp_path / "r.json", old, wrapped=False)).scores["Bias"] == [0.25]


def test_deepeval_cache_and_empty_runs_are_refused(tmp_path):
    with pytest.raises(ReadError, match=r"cache.*latest_test_run\.json"):
        logs(put(tmp_path / "cache.json", {"test_cases_lookup_map": {"{}": {}}}))
    with pytest.raises(ReadError, match="no test cases"):
        logs(deepeval(tmp_path / "r.json"))
    with pytest.raises(ReadError, match="without any metric"):
        logs(deepeval(tmp_path / "s.json", case("c", True)))


# --- Ragas

ASKED = ["user_input", "retrieved_contexts", "response", "reference"]


def test_ragas_nan_is_no_score_and_the_bounds_are_told(tmp_path):
    rows = [["q0", "c", "a", "r", "1.0"], ["q1", "c", "a", "r", ""], ["q2", "c", "a", "r", "nan"]]
    log = one(table(tmp_path / "r.csv", [*ASKED, "faithfulness"], *rows))
    assert log.scores == {"faithfulness": [1.0, None, None]}
    assert "between 0.3333 and 1 over all, if the others lie" in noted(log, "NF305")[0]
    assert log.bounds == {"faithfulness": (0.0, 1.0)}


def test_ragas_repeated_questions_are_told(tmp_path):
    rows = [["q", "c", "a", "r", "1.0"], ["q", "c", "a", "r", "0.0"]]
    log = one(table(tmp_path / "r.csv", [*ASKED, "faithfulness"], *rows))
    assert log.example == ["q", "q (2)"]
    assert noted(log, "NF345")


def test_ids_stay_apart_where_one_looks_like_a_numbered_one(tmp_path):
    rows = [[q, "c", "a", "r", "1.0"] for q in ("q", "q", "q (2)")]
    log = one(table(tmp_path / "r.csv", [*ASKED, "faithfulness"], *rows))
    assert log.example == ["q", "q (3)", "q (2)"]


def test_ragas_index_columns_of_pandas_are_no_metrics(tmp_path):
    header = ["", *ASKED, "faithfulness", "Unnamed: 0", "query_length"]
    log = one(table(tmp_path / "r.csv", header, ["0", "q", "c", "a", "r", "1.0", "0", "long"]))
    assert set(log.scores) == {"faithfulness"}


def test_ragas_does_not_claim_a_table_of_several_models(tmp_path):
    header = ["model", "question", "answer", "correctness"]
    path = table(tmp_path / "t.csv", header, ["a", "q", "x", "1"], ["b", "q", "y", "0"])
    assert logs(path) is None


def test_ragas_noise_is_better_low(tmp_path):
    header = [*ASKED, "noise_sensitivity(mode=relevant)", "context_recall"]
    log = one(table(tmp_path / "r.csv", header, ["q", "c", "a", "r", "0.5", "1"]))
    assert log.better == {"noise_sensitivity(mode=relevant)": "lower", "context_recall": "higher"}


SHAPES = {
    "columns": {"user_input": {"0": "q", "1": "p"}, "response": {"0": "a", "1": "b"}}
    | {"faithfulness": {"0": 1.0, "1": None}},
    "index": {
        "0": {"user_input": "q", "response": "a", "faithfulness": 1.0},
        "1": {"user_input": "p", "response": "b", "faithfulness": None},
    },
    "split": {
        "columns": ["user_input", "response", "faithfulness"],
        "index": [0, 1],
        "data": [["q", "a", 1.0], ["p", "b", None]],
    },
}


@pytest.mark.parametrize("shape", SHAPES)
def test_ragas_reads_each_shape_that_pandas_writes(tmp_path, shape):
    log = one(put(tmp_path / "r.json", SHAPES[shape]))
    assert log.example == ["q", "p"]
    assert log.output == ["a", "b"]
    assert log.scores == {"faithfulness": [1.0, None]}


def test_ragas_columns_named_by_numbers_are_read_as_texts(tmp_path):
    told = SHAPES["split"] | {"columns": ["user_input", "response", "faithfulness", 7]}
    told["data"] = [["q", "a", 1.0, "x"], ["p", "b", None, "y"]]
    assert one(put(tmp_path / "r.json", told)).scores == {"faithfulness": [1.0, None]}


def test_ragas_fields_that_are_no_list_are_not_claimed(tmp_path):
    assert logs(put(tmp_path / "r.json", {"schema": {"fields": 7}, "data": []})) is None


def test_ragas_metrics_behind_long_texts_are_still_read(tmp_path):
    texts = {str(i): f"{i} " + "long " * 2000 for i in range(20)}
    told = {"user_input": texts, "response": texts}
    told["faithfulness"] = dict.fromkeys(texts, 0.5)
    assert one(put(tmp_path / "r.json", told)).scores == {"faithfulness": [0.5] * 20}


def test_ragas_columns_of_different_rows_are_refused(tmp_path):
    told = SHAPES["columns"] | {"faithfulness": {"0": 1.0}}
    with pytest.raises(ReadError, match="not whole"):
        logs(put(tmp_path / "r.json", told))


def test_ragas_text_in_a_metric_is_refused(tmp_path):
    with pytest.raises(ReadError, match="number was expected"):
        logs(table(tmp_path / "r.csv", [*ASKED, "faithfulness"], ["q", "c", "a", "r", "high"]))


# --- AlpacaEval


def annotation(i, preference, **more):
    return {
        "instruction": f"say {i}",
        "output_1": "one",
        "generator_1": "ref",
        "output_2": "two",
        "generator_2": "cand",
        "annotator": "judge",
        "preference": preference,
    } | more


def test_alpaca_scores_stay_between_one_and_two_for_the_second_output(tmp_path):
    log = one(put(tmp_path / "a.json", [annotation(0, 2.0), annotation(1, 1.25)]))
    assert log.candidate == ["cand", "cand"]
    assert log.scores == {"preference": [2.0, 1.25]}
    assert log.bounds == {"preference": (1.0, 2.0)}
    assert "NF307" in log.notes[0]
    assert log.settings == {"judge": "judge"}


def test_alpaca_missing_preferences_are_bounded_by_one_and_two(tmp_path):
    log = one(put(tmp_path / "a.json", [annotation(0, 2.0), annotation(1, None)]))
    assert log.scores["preference"] == [2.0, None]
    assert "between 1.5 and 2" in noted(log, "NF305")[0]


def test_alpaca_zero_is_a_draw_in_old_files(tmp_path):
    log = one(put(tmp_path / "a.json", [annotation(0, 0), annotation(1, 1)]))
    assert log.scores["preference"] == [1.5, 1]
    assert "older versions" in noted(log, "NF307")[1]


def test_alpaca_other_preferences_are_refused(tmp_path):
    with pytest.raises(ReadError, match="not 1 to 2"):
        logs(put(tmp_path / "a.json", [annotation(0, 3.0)]))


def test_alpaca_several_judges_are_readings_of_one_example(tmp_path):
    rows = [annotation(i, 1 + k, annotator=f"j{k}") for i in range(2) for k in range(2)]
    path = put(tmp_path / "a.json", rows)
    assert one(path).alternatives == {"annotator": ["j0", "j1"] * 2}
    with pytest.raises(ReadError, match="in several ways, by annotator"):
        read(path)
    scores = read(path, where={"annotator": "j1"})
    assert scores.values.tolist() == [2, 2]


def test_alpaca_several_models_share_their_instructions(tmp_path):
    rows = [annotation(i, 1 + m, generator_2=f"m{m}") for m in range(2) for i in range(3)]
    scores = read(put(tmp_path / "a.json", rows))
    assert scores.candidates == ("m0", "m1")
    assert scores.examples == ("say 0", "say 1", "say 2")


def test_alpaca_leaderboard_is_in_per_cent_and_no_rows(tmp_path):
    header = ["name", "win_rate", "length_controlled_winrate", "avg_length", "link"]
    path = table(tmp_path / "l.csv", header, ["a", "50.5", "49", "100", ""])
    log = one(path)
    assert log.scores["win_rate"] == [50.5]
    assert log.bounds["win_rate"] == (0.0, 100.0)
    assert log.units["win_rate"] == "%"
    assert noted(log, "NF308")


# --- MTEB


def mteb(path, scores, **more):
    told = {"dataset_revision": "r", "mteb_version": "2.1", "task_name": "Toy", "scores": scores}
    return put(path, told | more)


def entry(main, subset="default", **more):
    return {"main_score": main, "hf_subset": subset, "languages": ["eng-Latn"]} | more


def test_mteb_splits_are_a_choice_and_subsets_examples(tmp_path):
    path = mteb(tmp_path / "t.json", {"test": [entry(0.5, "en"), entry(0.25, "de")], "dev": []})
    log = one(path)
    assert log.example == ["en", "de"]
    assert log.alternatives == {"split": ["test", "test"]}
    both = mteb(tmp_path / "u.json", {"test": [entry(0.5)], "dev": [entry(0.75)]})
    with pytest.raises(ReadError, match="by split"):
        read(both)


def test_mteb_bare_nan_is_no_score(tmp_path):
    log = one(mteb(tmp_path / "t.json", {"test": [entry(float("nan")), entry(1.0, "de")]}))
    assert log.scores["main_score"] == [None, 1.0]
    assert "1 of 2 rows are NaN or empty" in noted(log, "NF305")[0]


def test_mteb_model_is_the_one_beside_or_of_the_folder(tmp_path):
    place = tmp_path / "org__model__x" / ("0" * 40)
    place.mkdir(parents=True)
    path = mteb(place / "Toy.json", {"test": [entry(0.5)]})
    assert one(path).candidate == "org/model__x"
    put(place / "model_meta.json", {"name": "org/other"})
    log = one(path)
    assert log.candidate == "org/other"
    assert log.also == (place / "model_meta.json",)


def test_mteb_before_it_named_a_main_score_is_refused_by_version(tmp_path):
    old = {"dataset_revision": "r", "mteb_dataset_name": "Toy", "mteb_version": "1.0.2"}
    with pytest.raises(ReadError, match=r"MTEB 1\.0\.2.*to_disk"):
        logs(put(tmp_path / "t.json", old | {"test": {"accuracy": 0.5}}))


def test_mteb_scores_that_are_no_records_are_refused(tmp_path):
    for scores in ({"test": [1, 2]}, {"test": "x"}, {}):
        with pytest.raises(ReadError):
            logs(mteb(tmp_path / "t.json", scores))


# --- arenas


def battle(i, winner, **more):
    return {"question_id": f"q{i}", "model_a": "x", "model_b": "y", "winner": winner} | more


def test_arena_a_battle_is_one_example_of_two_models(tmp_path):
    rows = [battle(0, "model_a"), battle(1, "tie (bothbad)"), battle(2, None)]
    log = one(put(tmp_path / "b.json", rows))
    assert log.candidate == ["x", "y"] * 3
    assert log.example == ["q0", "q0", "q1", "q1", "q2", "q2"]
    assert log.scores["win"] == [1.0, 0.0, 0.5, 0.5, None, None]
    assert "without a score: 1 battle." in noted(log, "NF305")[0]


def test_arena_without_ids_counts_battles(tmp_path):
    path = table(tmp_path / "b.csv", ["model_a", "model_b", "winner"], ["x", "y", "x"])
    log = one(path)
    assert log.example == ["1", "1"]
    assert log.scores["win"] == [1.0, 0.0]


def test_arena_of_kaggle_has_three_flags(tmp_path):
    header = ["id", "model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"]
    rows = [["7", "x", "y", "0", "1", "0"], ["8", "x", "y", "0", "0", "1"]]
    assert one(table(tmp_path / "b.csv", header, *rows)).scores["win"] == [0.0, 1.0, 0.5, 0.5]
    with pytest.raises(ReadError, match="2 outcomes"):
        logs(table(tmp_path / "c.csv", header, ["7", "x", "y", "1", "1", "0"]))


def test_arena_questions_that_many_judged_are_battles_of_their_own(tmp_path):
    rows = [battle(0, "model_a", judge="u1"), battle(0, "model_b", judge="u2")]
    log = one(put(tmp_path / "b.json", rows))
    assert log.example == ["q0", "q0", "q0 (2)", "q0 (2)"]
    assert log.cluster == ["u1", "u1", "u2", "u2"]
    assert noted(log, "NF345")


def test_arena_a_model_against_itself_is_told(tmp_path):
    rows = [battle(0, "tie", model_b="x"), battle(1, "model_b")]
    log = one(put(tmp_path / "b.json", rows))
    assert len(log.example) == 2
    assert "against itself: 1 battle." in noted(log, "NF305")[0]


def test_arena_an_unknown_winner_is_refused(tmp_path):
    with pytest.raises(ReadError, match="the winner is 'z'"):
        logs(put(tmp_path / "b.json", [battle(0, "z")]))


# --- the check-up of logs and failed rows


def test_failed_rows_are_not_called_percentages(tmp_path):
    header = ["model", "item", "accuracy", "error"]
    rows = [["a", str(i), i % 2, ""] for i in range(4)] + [["b", str(i), 1, ""] for i in range(3)]
    path = table(tmp_path / "t.csv", header, *rows, ["b", "3", "", "429"])
    answer = nofluke.check(str(path), failed="error")
    assert "NF322" not in {row["code"] for row in answer.rows()}


def test_an_open_choice_is_told_once(tmp_path):
    rows = [annotation(i, 1 + k, annotator=f"j{k}") for i in range(2) for k in range(2)]
    answer = nofluke.check(str(put(tmp_path / "a.json", rows)))
    texts = [row["text"] for row in answer.rows() if row["weight"] == "stops"]
    assert len(texts) == len(set(texts)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"model": "a", "id": 1, "score": 1, "score": 0}\n',
        '{"model" : "a", "id" : 1, "score" : 1, "score" : 0}\n',
        '[{"model": "a", "id": 1, "score": 1}, {"model": "a", "id": 2, "score": 0, "score": 1}]',
        '{"model": ["a"], "id": [1], "score": [1], "score": [0]}',
    ],
)
def test_a_plain_record_with_a_field_twice_is_refused(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(ReadError, match="'score' twice"):
        read(path)


def test_a_colon_in_a_text_is_no_field(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"model": "a\\":", "id": "x\\":y", "score": 1}\n')
    assert read(path).examples == ('x":y',)
