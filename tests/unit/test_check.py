"""The check-up: each finding on a small table of its own, and none on a clean one."""

import io
import json
import shlex
import sys

import numpy as np
import pytest

from nofluke import check, read
from nofluke.cli import run
from nofluke.errors import InputError, ReadError


def codes(answer, weight=None):
    return {f.code for f in answer.findings if weight in (None, f.weight)}


def rows(matrix, *, metric="accuracy", names=None, ids=None, **columns):
    """A long table from candidates by examples."""
    matrix = np.asarray(matrix, float)
    names = names or [f"m{k}" for k in range(len(matrix))]
    ids = ids or [f"{i:03d}" for i in range(matrix.shape[1])]
    return [
        {"model": names[k], "id": ids[i], metric: None if np.isnan(x) else float(x)}
        | {c: v[k][i] for c, v in columns.items()}
        for (k, i), x in np.ndenumerate(matrix)
    ]


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def test_a_clean_table_has_no_finding_that_would_mislead(rng):
    answer = check(rows(rng.random((3, 60)), metric="f1"))

    assert answer.clean
    assert answer.read
    assert (answer.K, answer.n, answer.metric, answer.better) == (3, 60, "f1", "higher")
    assert "nothing was found that would mislead" in answer.sentences()[0]
    assert [s["command"] for s in answer.supports] == ["certify", "compare", "rank", "champion"]
    assert {u["column"] for u in answer.unlocks} >= {"cluster", "run", "time", "input", "output"}


def test_gaps_say_what_they_do_to_the_ranking(rng):
    x = np.tile([1.0, 0.0], 20)
    better, worse = x.copy(), x.copy()
    worse[1::2] = np.nan  # has only the easy ones
    better[1] = 1.0
    answer = check(rows([better, worse]))

    (told,) = [f.text for f in answer.findings if f.code == "NF320"]
    assert "'m1' 20" in told
    assert "20 of 40 examples are common to all" in told
    assert "2 of 2 candidates change their rank" in told or "'m1' leads on each one's own" in told


def test_examples_that_nobody_scored(rng):
    x = rng.random((2, 30))
    x[:, 4] = np.nan
    assert any("no score from any candidate ('004')" in f.text for f in check(rows(x)).findings)


def test_candidates_that_share_nothing(rng):
    table = rows(rng.random((1, 20)), names=["a"]) + rows(
        rng.random((1, 20)), names=["b"], ids=[f"x{i}" for i in range(20)]
    )
    answer = check(table)
    assert "NF321" in codes(answer)
    assert "--unpaired" in next(s["call"] for s in answer.supports if s["command"] == "compare")
    assert [row["missing"] for row in answer.candidates] == [0, 0]


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("NF322", lambda x: np.where(np.arange(x.shape[1]) == 3, 97.0, x)),
        ("NF323", lambda x: np.where(np.arange(len(x))[:, None] == 1, 0.5, x)),
        ("NF324", lambda x: np.where(np.arange(x.shape[1]) % 4 == 0, -1.0, x)),
        ("NF325", lambda x: np.where(np.arange(len(x))[:, None] == 1, 100 * x, x)),
    ],
)
def test_strange_values(rng, code, change):
    table = change(0.2 + 0.6 * rng.random((3, 80)))
    metric = "f1" if code in ("NF322", "NF323") else "kpi"
    assert code in codes(check(rows(table, metric=metric), better="higher"))


def test_a_heavy_tail_and_examples_of_their_own_scale(rng):
    x = rng.random((2, 60))
    x[0, 5] = 1e6
    assert "NF326" in codes(check(rows(x, metric="mae")))
    scaled = rng.random((2, 60)) * 10.0 ** (np.arange(60) % 6)
    assert "NF325" in codes(check(rows(scaled, metric="mae")))


def test_few_values(rng):
    assert "NF327" in codes(check(rows(rng.integers(1, 6, (4, 60)), metric="score")))


def test_ids_that_look_alike_and_families(rng):
    ids = [f"{i:03d}" for i in range(29)] + ["28"]
    assert "NF328" in codes(check(rows(rng.random((2, 30)), ids=ids)))
    repos = [f"org__repo{i // 6}-{i}" for i in range(30)]
    answer = check(rows(rng.random((2, 30)), ids=repos))
    assert any("5 families" in f.text for f in answer.findings if f.code == "NF329")


def test_a_copy_of_a_candidate(rng):
    x = rng.random((3, 50))
    x[2] = x[0]
    answer = check(rows(x))
    assert any("'m0', 'm2'" in f.text for f in answer.findings if f.code == "NF330")
    x[2, :10], x[0, 40:] = np.nan, np.nan  # equal on what both have
    assert "NF330" in codes(check(rows(x)))


def test_duplicates_and_cached_repeats(rng):
    x = rng.random((1, 20))
    asked = [["same question" if i < 3 else f"question {i}" for i in range(20)]]
    answer = check(rows(x, prompt=asked))
    assert any("2 examples of 'm0'" in f.text for f in answer.findings if f.code == "NF331")
    twice = [
        {"model": "m", "id": str(i), "seed": s, "acc": 1, "response": f"answer {i}"}
        for i in range(10)
        for s in (1, 2)
    ]
    assert "NF332" in codes(check(twice))
    varied = [row | {"response": f"{row['response']} {row['seed']}"} for row in twice]
    assert "NF332" not in codes(check(varied))


def test_unequal_runs_and_repeats(rng):
    table = [
        {"model": m, "id": str(i), "seed": s, "acc": float(rng.random())}
        for m, seeds in (("a", 3), ("b", 1))
        for i in range(8)
        for s in range(seeds)
    ]
    answer = check(table)
    assert {"NF333", "NF343"} <= codes(answer)
    assert any(s["command"] == "runs" for s in answer.supports)


def test_sorted_rows_and_rows_that_follow_each_other(rng):
    x = rng.random((2, 60))
    x[0] = np.sort(x[0])
    assert "NF334" in codes(check(rows(x)))
    walk = np.cumsum(rng.normal(size=(1, 300)), axis=1)
    answer = check(rows(walk, metric="kpi"), better="higher")
    assert "NF335" in codes(answer)
    assert "--dependence ignore" in answer.supports[0]["call"]
    assert "the guarantee is a heuristic" in answer.supports[0]["why"]


def test_columns_that_mark_failures_flags_labels_and_validation(rng):
    n = 40
    table = [
        {
            "model": "m",
            "id": str(i),
            "latency_s": 0.0 if i < 5 else float(rng.random() + 1),
            "error_code": 429 if i < 5 else (-100 if i == 9 else 0),
            "trained_on_this": i == 7,
            "label": i % 2,
            "val_latency": 1.0,
        }
        for i in range(n)
    ]
    answer = check(table)
    assert {"NF336", "NF337", "NF338", "NF339"} <= codes(answer)
    (told,) = [f for f in answer.findings if f.code == "NF336"]
    assert "'429' 5, '-100' 1" in told.text
    assert "error_code" in told.do
    settled = check(table, failed="error_code=429")
    assert "NF336" not in codes(settled)
    assert settled.candidates[0]["failed"] == 5
    assert "--failed error_code=429" in settled.supports[0]["call"]


def test_training_rows_among_the_examples(rng, tmp_path):
    table = rows(rng.random((2, 30)))
    train = [{"id": "003"}, {"id": "029"}, {"id": "zzz"}]
    assert any("2 of 30 ids" in f.text for f in check(table, train=train).findings)
    assert "NF341" in codes(check(table, train=[{"id": "zzz"}]))
    half = [row | {"prompt": f"q{row['id']}" if row["id"] < "015" else ""} for row in table]
    told = text(check(half, train=[{"prompt": "other"}, {"prompt": ""}]), "NF341")
    assert told.startswith("none of the 15 inputs stands in the training data (1 there)")
    with pytest.raises(InputError, match="neither a column of ids nor one of inputs"):
        check(table, train=[{"text": "x"}])


def test_an_open_choice_is_named_and_the_check_goes_on(rng):
    table = [
        {"model": m, "id": str(i), "metric": k, "score": float(rng.random())}
        for m in "ab"
        for k, n in (("f1", 30), ("acc", 10))
        for i in range(n)
    ]
    answer = check(table)
    assert answer.findings[0].weight == "stops"
    assert answer.read
    assert answer.metric == "f1"
    assert "NF342" in codes(answer)
    assert "once a choice is made" in answer.sentences()[0]


def test_repeats_without_a_run_column_are_read_by_a_column_that_tells_them_apart(rng):
    table = [
        {"model": "m", "id": str(i), "fold": f, "acc": float(rng.random())}
        for i in range(8)
        for f in range(3)
    ]
    answer = check(table)
    assert answer.findings[0].code == "NF006"
    assert answer.read
    assert "--columns run=fold" in answer.supports[0]["call"]


def test_what_is_no_table_says_so(tmp_path):
    path = tmp_path / "notes.json"
    path.write_text('{\n"a": 1}')
    with pytest.raises(ReadError, match="no table"):
        check(path)
    answer = check([{"x": 1, "y": 2}])
    assert not answer.read
    assert answer.findings[0].code == "NF003"
    assert answer.sentences()[0].startswith("Not readable as scores")
    with pytest.raises(InputError, match="nothing to draw"):
        answer.plot()


def test_the_command_the_page_and_the_json(rng, tmp_path, capsys):
    path = tmp_path / "scores.csv"
    path.write_text(
        "model,id,acc\n" + "".join(f"m{k},{i},{(i + k) % 2}\n" for k in (0, 1) for i in range(20))
    )
    assert run(["check", str(path), "--report", str(tmp_path / "r.html")]) == 0
    out = capsys.readouterr().out
    assert "This file can be asked today:" in out
    assert f"nofluke certify {path}" in out
    assert "What this file can be asked today" in (tmp_path / "r.html").read_text()
    assert run(["check", str(path), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "check"
    assert told["supports"][0]["command"] == "certify"
    answer = check(path)
    assert answer.plot().get_title(loc="left").startswith("What each candidate has")
    assert "<h2>What was found</h2>" in answer._repr_html_()


def weight(answer, code):
    """How much the findings of one code matter."""
    return [f.weight for f in answer.findings if f.code == code]


def text(answer, code):
    (told,) = [f.text for f in answer.findings if f.code == code]
    return told


def test_standard_input_is_read_once_and_looked_at_as_often_as_needed(monkeypatch, rng):
    table = rows(rng.random((2, 20)), metric="f1")
    written = "model,id,f1\n" + "".join(f"{r['model']},{r['id']},{r['f1']}\n" for r in table)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode())))

    answer = check("-")

    assert (answer.K, answer.n) == (2, 20)
    assert answer.supports[0]["call"].startswith("nofluke certify - ")


def report(*parts):
    """A report of a tool that leads with `score` and reads its model on several parts."""
    metrics = {p: {"0": {"precision": 0.5}, "accuracy": 0.8, "score": 0.8} for p in parts}
    model = {"arch_type": "plain", "backbone": {"type": "MLP"}}
    config = {"seed": 0, "model": model, "data": {"path": "data/adult"}}
    first = {"function": "bin.model.main", "gpus": [], "config": config}
    return first | {"prediction_type": "probs", "best_step": 1, "metrics": metrics}


def test_going_on_takes_the_test_rows_and_what_the_tool_leads_with(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report("train", "val", "test")))

    answer = check(path)

    assert answer.metric == "score"
    assert [f.code for f in answer.findings if f.weight == "stops"] == ["NF262"]
    assert "where={'part': 'test'}" in answer.findings[0].text
    assert text(answer, "NF342").startswith("the check went on with where={'part': 'test'}:")


def test_an_option_that_is_wrong_is_refused(rng, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report("test")))
    with pytest.raises(InputError, match="no log has 'nosuch'"):
        check(path, where={"nosuch": "1"})
    with pytest.raises(InputError, match="this is a plain table"):
        check(rows(rng.random((2, 20))), where={"part": "test"})


def test_what_cannot_be_passed_is_what_is_told(tmp_path):
    path = tmp_path / "metrics.csv"
    path.write_text("step,epoch,gen_loss,disc_loss\n0,0,1.5,2.5\n1,0,nan,nan\n2,0,nan,nan\n")

    answer = check(path, reader="lightning-csv")

    assert not answer.read
    assert "no row that is read has a score" in answer.sentences()[0]


def calls(answer):
    return {row["command"]: row["call"] for row in answer.supports}


def test_runs_is_offered_only_where_it_can_answer(rng, tmp_path, capsys):
    one = [{"model": m, "id": "x", "seed": 1, "acc": float(rng.random())} for m in "ab"]
    assert "runs" not in calls(check(one))
    several = [
        {"model": m, "id": str(i), "seed": s, "acc": None if (i, s) == (3, 2) else 0.5 + i / 50}
        for m in "ab"
        for i in range(6)
        for s in range(4)
    ]
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(several))

    call = calls(check(path))["runs"]

    assert call.endswith("--value mean --missing worst")
    assert run(shlex.split(call)[1:]) == 0
    assert "a " in capsys.readouterr().out


def test_one_score_of_each_candidate_is_nothing_to_pair_or_rank(rng):
    assert set(calls(check(rows(rng.random((5, 1)), metric="f1")))) == {"certify"}


@pytest.mark.parametrize(
    ("metric", "value", "size", "expected"),
    [
        ("accuracy", 1.0, 30, ["told"]),  # solves all
        ("accuracy", 0.0, 30, ["told"]),
        ("f1", 0.5, 30, ["misleads"]),
        ("reward", 500.0, 10, ["misleads"]),
        ("reward", 500.0, 3, ["told"]),
    ],
)
def test_equal_scores_at_the_end_of_a_scale_are_no_sign_of_a_mistake(metric, value, size, expected):
    answer = check(rows(np.full((1, size), value), metric=metric))
    assert weight(answer, "NF323") == expected
    assert "always or never succeeds" in text(answer, "NF323")
    lacking = np.full((2, size), value)
    lacking[0, 0] = np.nan  # perhaps what it would have failed
    assert weight(check(rows(lacking, metric=metric)), "NF323") == ["misleads"]


def test_a_rate_of_errors_is_often_nought_and_a_latency_is_not(rng):
    x = np.where(rng.random((1, 100)) < 0.4, 0.0, 0.1 + rng.random((1, 100)))
    assert weight(check(rows(x, metric="wer")), "NF324") == ["told"]
    late = check(rows(x, metric="latency_s"))
    assert weight(late, "NF324") == ["misleads"]
    assert "the best score there is" in text(late, "NF324")
    floor = check(rows(x, metric="reward"))
    assert "the lowest score there is, perhaps the end of the scale" in text(floor, "NF324")
    inside = check(rows(np.where(x > 0.6, -x, x), metric="kpi"), better="higher")
    assert "score there is" not in text(inside, "NF324")


def test_percentages_are_told_with_the_bounds_to_declare(rng):
    answer = check(rows(100 * rng.random((2, 40)), metric="f1"))
    (found,) = [f for f in answer.findings if f.code == "NF322"]
    assert "may be percentages" in found.text
    assert found.do.startswith("bounds=(0, 100)")
    failed = [[0] * 30 + [1] * 10] * 2
    settled = check(rows(rng.random((2, 40)), metric="f1", code=failed), failed="code=1")
    assert "NF322" not in codes(settled)
    strange = check(rows(np.where(np.arange(40) == 3, 1e4, rng.random((2, 40))), metric="f1"))
    (found,) = [f for f in strange.findings if f.code == "NF322"]
    assert "percentages" not in found.text
    assert "bounds=(low, high)" in found.do


def test_a_tail_is_told_with_its_share_of_the_sum():
    x = np.ones((1, 200))
    x[0] += np.arange(200) / 1000
    x[0, :2] = 1e6, 3e6
    told = text(check(rows(x, metric="mae")), "NF326")
    assert "some scores of 1 of 1 candidates" in told
    assert "3e+06 in size" in told
    assert "the largest 2 scores are 100% of the sum" in told


def test_few_scores_say_nothing_of_a_scale(rng):
    few = [[0.2, 0.5, 0.9], [30.0, 60.0, 2.0]]
    assert weight(check(rows(few, metric="latency_s")), "NF325") == []
    many = rng.random((2, 12)) * [[1], [100]]
    assert weight(check(rows(many, metric="kpi"), better="higher"), "NF325") == ["misleads"]


def test_scores_that_go_with_a_length(rng):
    n = 400
    length = rng.integers(20, 900, (2, n))
    noise = rng.normal(size=(2, n))
    going = rows(length / 900 + noise / 4, metric="kpi", output_chars=length.tolist())
    assert "'output_chars': rank correlation 0." in text(check(going, better="higher"), "NF339")
    free = rows(noise, metric="kpi", output_chars=length.tolist())
    assert "NF339" not in codes(check(free, better="higher"))


def test_rows_that_share_their_time(rng):
    x = rng.random((2, 30))
    seconds = [[i // 2 for i in range(30)]] * 2
    told = text(check(rows(x, timestamp=seconds)), "NF335")
    assert told.startswith("30 of 60 rows have the time of another row")
    assert "NF335" not in codes(check(rows(x, timestamp=[list(range(30))] * 2)))


SHAPES = {
    "right or wrong": lambda rng, size: rng.random(size) < rng.uniform(0.3, 0.8, (size[0], 1)),
    "shares": lambda rng, size: rng.random(size),
    "grades": lambda rng, size: rng.integers(0, 11, size) / 10,
    "times": lambda rng, size: rng.lognormal(0, 1, size),
    "heavier": lambda rng, size: rng.pareto(2, size) + 1,
    "normal": lambda rng, size: rng.normal(size=size),
    "counts": lambda rng, size: rng.poisson(20, size),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [(1, 30), (2, 100), (5, 60), (12, 300)])
def test_nothing_misleads_in_clean_tables(shape, size):
    for seed in range(3):
        rng = np.random.default_rng([seed, *size])
        answer = check(rows(SHAPES[shape](rng, size), metric="kpi"), better="higher")
        assert answer.clean, answer.rows()


def test_calls_fit_what_is_missing(rng):
    x = rng.random((3, 12))
    x[0, :6], x[2, 6:] = np.nan, np.nan  # no example is common to all three
    apart = calls(check(rows(x, metric="f1")))
    assert apart["certify"].endswith("--missing own")
    assert apart["compare"].endswith("--a m0 --b m2 --unpaired --missing own")
    assert "rank" not in apart
    x = rng.random((3, 12))
    x[2] = np.nan  # nothing at all of one
    nothing = calls(check(rows(x, metric="f1")))
    assert nothing["certify"].endswith("--missing worst")
    assert "--a m0 --b m1" in nothing["compare"]
    unbounded = calls(check(rows(x, metric="mae")))
    assert set(unbounded) == {"compare"}


def test_where_failed_rows_are_infinitely_late_no_mean_is_offered(rng, tmp_path, capsys):
    path = tmp_path / "late.json"
    late = rows(rng.random((3, 40)), metric="latency_s", code=[[0] * 30 + [429] * 10] * 3)
    path.write_text(json.dumps(late))

    offered = calls(check(path, failed="code=429"))

    assert set(offered) == {"certify"}
    assert "--select top:3@median" in offered["certify"]
    assert run(shlex.split(offered["certify"])[1:]) == 0
    assert "certify" not in capsys.readouterr().err
    assert run(["compare", str(path), "--a", "m0", "--b", "m1", "--failed", "code=429"]) == 2
    assert "infinite, and there is no mean" in capsys.readouterr().err


def test_an_empty_flag_is_none_in_whatever_way_it_is_written(tmp_path, rng):
    """What the check-up counts as marked is what `failed=` counts."""
    x, header = rng.random((1, 30)), "model,id,accuracy,leak,failed"
    for nothing in ("0.0", "0", "no", "False", "none", ""):
        path = tmp_path / "t.csv"
        lines = [f"a,{i},{v},{nothing},{nothing}" for i, v in enumerate(x[0])]
        path.write_text("\n".join([header, *lines]))
        answer = check(str(path))
        assert answer.read, nothing
        assert not {"NF336", "NF337"} & codes(answer), nothing
        assert not read(path, failed="failed").n_failed.any(), nothing
    path.write_text("\n".join([header, *lines[1:], "a,0,0.5,x,x"]))
    assert {"NF336", "NF337"} <= codes(check(str(path)))


def test_infinite_scores_are_checked_without_a_range_or_a_mean():
    late = [[np.inf] * 6, [1.0, 2.0, 3.0, 4.0, 5.0, np.inf]]
    answer = check(rows(late, metric="latency_s"))
    assert "7 scores are infinite ('m0', 'm1')" in text(answer, "NF322")
    assert "'m0' inf" in text(answer, "NF323")
    [only] = [f for f in check(rows(late[1:], metric="kpi")).findings if f.code == "NF322"]
    assert only.text.startswith("1 score is infinite")
    both = [[np.inf, -np.inf, 1.0, np.nan], [1.0, 2.0, 3.0, 4.0]]
    told = text(check(rows(both, metric="kpi"), better="higher"), "NF320")
    assert told.endswith("Whoever lacks the hard examples looks better.")


def test_copies_are_counted_once_each(rng):
    x = np.tile(rng.random(60), (3, 1))
    for k in range(3):
        x[k, k::3] = np.nan  # each two share a third of the examples
    told = text(check(rows(x)), "NF330")
    assert told.startswith("3 candidates have exactly the scores of another")


def test_candidates_that_agree_in_their_first_run_alone_are_no_copies(rng):
    first = rng.random(60)
    table = [
        {"model": m, "id": f"{i:03d}", "seed": s, "accuracy": first[i] if s == 0 else rng.random()}
        for k, m in enumerate("ab")
        for i in range(60)
        for s in (0, 1)
        if i % 6 != k
    ]
    assert "NF330" not in codes(check(table))


def test_ids_that_look_alike_are_counted_as_ids(rng):
    ids = [f"{i:03d}" for i in range(29)] + ["28"]
    told = text(check(rows(rng.random((2, 30)), ids=ids)), "NF328")
    assert told.startswith("2 example ids look like another one")


def test_clusters_are_those_of_one_candidate(rng):
    x = rng.random((2, 12))
    user = [[f"u{i // 4}" for i in range(12)], [f"v{i // 4}" for i in range(12)]]
    ids = [[f"{k}{i}" for i in range(12)] for k in range(2)]
    table = [
        {"model": f"m{k}", "id": ids[k][i], "accuracy": x[k, i], "user": user[k][i]}
        for k in range(2)
        for i in range(12)
    ]
    told = text(check(table, columns={"cluster": "user"}), "NF344")
    assert told.startswith("the rows belong to 6 clusters, those of one candidate (up to 12) to at")


def test_a_row_is_told_by_the_one_before_it_with_its_time():
    table = [{"model": "a", "id": str(i), "time": i // 3, "kpi": i * 7 % 11} for i in range(12)]
    told = text(check(table, better="higher"), "NF335")
    assert told.startswith("8 of 12 rows have the time of another row that stands before them")


@pytest.mark.parametrize("bounds", [(0, 1), (0, 1234567), (-0.1, 1 / 3), (0.0, 1e22)])
def test_bounds_are_as_they_were_said_in_the_call_to_copy(rng, bounds):
    answer = check(rows(rng.random((2, 20)) / 4, metric="kpi"), better="higher", bounds=bounds)
    words = answer.supports[0]["call"].split()
    at = words.index("--bounds")
    assert tuple(map(float, words[at + 1 : at + 3])) == bounds


def test_calls_to_copy_read_the_text_as_the_check_up_did(tmp_path, rng, capsys):
    """What was said of the text is said in every call, so that no other cells are read."""
    path = tmp_path / "t.csv"
    cells = [f"{m};{i};{rng.integers(100, 999) / 1000:.3f}" for m in "ab" for i in range(30)]
    path.write_text("\n".join(["model;id;accuracy", *cells]).replace(".", ","))

    answer = check(str(path), delimiter=";", decimal=",")

    called = {row["command"]: shlex.split(row["call"]) for row in answer.supports}
    assert {"certify", "compare", "champion"} <= set(called)
    for command, (_, *words) in called.items():
        assert "--delimiter" in words, command
        assert words[words.index("--decimal") + 1] == ",", command
        assert run(words) == 0, (command, capsys.readouterr())


def test_calls_to_copy_name_the_candidates_that_were_chosen(tmp_path, rng, capsys):
    """The price of a choice is one of those that are looked at, and not of all columns."""
    path = tmp_path / "wide.csv"
    cells = [",".join([str(i), *(f"{v:.3f}" for v in rng.random(4))]) for i in range(30)]
    path.write_text("\n".join(["id,a,b,c,d", *cells]))
    how = {"better": "higher", "bounds": (0, 1), "columns": {"candidate": ["b", "d"]}}

    answer = check(str(path), **how)

    assert answer.K == 2
    certify = shlex.split(answer.supports[0]["call"])
    assert certify[certify.index("--columns") + 1] == "candidate=b,candidate=d"
    assert run([*certify[1:], "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["K"] == 2
