"""Real files of latency, text and code benchmarks, against a plain walk through their JSON."""

import json
import math
from pathlib import Path

import pytest

from nofluke import read
from nofluke.errors import InputError
from nofluke.scores.latencies import percentiles

SHARED = Path(__file__).parents[3] / "shared"
FORMATS = SHARED / "formats"

pytestmark = pytest.mark.skipif(not FORMATS.is_dir(), reason="the real files are not here")


def files(tool, pattern="*"):
    return sorted(p for p in (FORMATS / tool).rglob(pattern) if p.is_file())


def in_order(scores):
    """Values of the one candidate by the number of the row; None where there is none."""
    found = {int(example): value for (_, example), value in by_cell(scores).items()}
    return [found.get(i) for i in range(len(scores.examples))]


def by_cell(scores):
    """Values by candidate and example."""
    return {
        (name, scores.examples[i]): value
        for k, name in enumerate(scores.candidates)
        for i, value in zip(scores.places(k), scores.sample(k).tolist(), strict=True)
    }


LOOKED_AT = {
    "vllm_benchmark_serving": 2,
    "llmperf": 4,
    "k6": 1,
    "hyperfine": 1,
    "pytest_benchmark": 3,
    "sacrebleu": 2,
    "trec_eval": 4,
    "wmt_mqm": 1,
    "swebench_pro": 1,
    "livecodebench": 1,
}


def test_no_file_of_these_formats_is_passed_over():
    assert {tool: len(files(tool)) for tool in LOOKED_AT} == LOOKED_AT


@pytest.mark.parametrize("path", files("vllm_benchmark_serving"), ids=lambda p: p.stem)
def test_vllm(path):
    log = json.loads(path.read_text())

    scores = read(path, metric="ttft")
    assert in_order(scores) == log["ttfts"]
    assert scores.candidates == (log["model_id"],)
    whole = [t + math.fsum(gaps) for t, gaps in zip(log["ttfts"], log["itls"], strict=True)]
    assert in_order(read(path, metric="e2el")) == pytest.approx(whole, rel=1e-12)
    per_token = [
        math.fsum(gaps) / (n - 1) if n > 1 else math.nan
        for gaps, n in zip(log["itls"], log["output_lens"], strict=True)
    ]
    found = [math.nan if v is None else v for v in in_order(read(path, metric="tpot"))]
    assert found == pytest.approx(per_token, rel=1e-9, nan_ok=True)
    # The lists were cut to 40 of 200 requests, and the totals were not.
    assert any(note.startswith("NF318") and "200" in note for note in scores.notes)


@pytest.mark.parametrize("path", files("llmperf", "individual/*"), ids=lambda p: p.stem)
@pytest.mark.parametrize("metric", ["ttft_s", "end_to_end_latency_s", "inter_token_latency_s"])
def test_llmperf(path, metric):
    rows = json.loads(path.read_text())

    scores = read(path, metric=metric)

    expected = [math.inf if row["error_code"] is not None else row[metric] for row in rows]
    assert in_order(scores) == expected
    # 130 of 150 requests of the one were refused, and no percentile of it exists.
    failed = expected.count(math.inf)
    assert scores.n_failed.tolist() == [failed] == [{"lepton_7b": 130}.get(path.stem, 0)]
    assert [p.value is None for p in percentiles(scores)] == [failed > 0] * 4


@pytest.mark.parametrize("path", files("llmperf", "summary/*"), ids=lambda p: p.stem)
def test_llmperf_summaries(path):
    errors = json.loads(path.read_text())["results_number_errors"]

    with pytest.raises(InputError, match=f"{errors} of 150 here.*individual_responses"):
        read(path)


def test_k6():
    with pytest.raises(InputError, match="--out json=points.json"):
        read(files("k6")[0])


def test_hyperfine():
    [path] = files("hyperfine")
    results = json.loads(path.read_text())["results"]

    found = by_cell(read(path))

    expected = {(r["command"], str(i)): t for r in results for i, t in enumerate(r["times"])}
    assert found == expected
    assert len(found) == 60


@pytest.mark.parametrize("path", files("pytest_benchmark"), ids=lambda p: p.stem[:4])
def test_pytest_benchmark(path):
    [benchmark] = json.loads(path.read_text())["benchmarks"]

    with pytest.raises(InputError, match=f"{benchmark['stats']['rounds']} of them.*save-data"):
        read(path)


def test_sacrebleu():
    corpus, sentences = files("sacrebleu")
    if sentences.suffix == ".json":
        corpus, sentences = sentences, corpus
    expected = [float(line.rpartition(" = ")[2]) for line in sentences.read_text().splitlines()]

    scores = read(sentences)

    assert scores.metric == "chrF2"
    found = {int(example): value for (_, example), value in by_cell(scores).items()}
    assert found == dict(enumerate(expected, start=1))
    with pytest.raises(InputError, match=r"BLEU 30\.2, chrF2 60\.4, TER 59\.0"):
        read(corpus)


def test_trec_eval():
    path = FORMATS / "trec_eval" / "out.test.aq"
    lines = [line.split() for line in path.read_text().splitlines()]
    expected = {}
    for measure, query, value in lines:
        if query != "all":
            expected.setdefault(measure, {})[query] = value
    counts = {"num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"}

    for measure in sorted(set(expected) - counts - {"relstring"}):
        scores = read(path, metric=measure)
        found = {query: value for (_, query), value in by_cell(scores).items()}
        assert found == {query: float(v) for query, v in expected[measure].items()}
        assert scores.candidates == ("STANDARD",)
    # The file's own mean of the three queries.
    said = next(float(v) for m, q, v in lines if (m, q) == ("map", "all"))
    assert read(path).values.mean() == pytest.approx(said, abs=1e-4)
    assert len(expected) > 80


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("out.test", "trec_eval -q"),
        ("results.test_head100.txt", "QRELS RUN"),
        ("qrels.test_head100.txt", "QRELS RUN"),
    ],
)
def test_files_of_trec_eval_without_scores(name, says):
    with pytest.raises(InputError, match=says):
        read(FORMATS / "trec_eval" / name)


def test_wmt_mqm():
    [path] = files("wmt_mqm")
    rows = [line.split() for line in path.read_text().splitlines()[1:]]

    scores = read(path)

    expected = {(s, seg): float(v) for s, v, seg in rows if v != "None"}
    assert by_cell(scores) == expected
    assert scores.better == "higher"
    assert len(scores.candidates) == len({s for s, _, _ in rows})
    assert any("1078 of" in note for note in scores.notes)


def test_swebench_pro():
    [path] = files("swebench_pro")
    known = json.loads(path.read_text())

    scores = read(path)

    assert {example: bool(v) for (_, example), v in by_cell(scores).items()} == known
    clusters = {name.removeprefix("instance_").rpartition("-v")[0] or name for name in known}
    assert scores.binary
    owners = {name.removeprefix("instance_").split("__")[0] for name in known}
    assert {name.split("/")[0] for name in scores.cluster.names} == owners
    assert len(scores.cluster.names) < len(clusters)


def test_livecodebench():
    [path] = files("livecodebench")
    problems = json.loads(path.read_text())

    scores = read(path)

    assert {example: v for (_, example), v in by_cell(scores).items()} == {
        p["question_id"]: p["pass@1"] for p in problems
    }
    assert set(scores.cluster.names) == {p["contest_id"] for p in problems}


def test_the_case_of_a_serving_benchmark_with_failures():
    case = json.loads((SHARED / "cases" / "reader-05.json").read_text())
    expected = case["expected"]["values"]

    scores = read(SHARED / "cases" / case["input_file"], metric="ttft")
    half, late = percentiles(scores, (0.5, 0.95))

    assert len(scores.examples) == expected["requests"]
    assert half.failed == late.failed == expected["failed"]
    assert half.missing == expected["success_without_ttft"]
    assert half.n == expected["requests_ranked_for_the_infinite_version"]
    assert half.value == expected["median_failures_as_infinite"]
    assert late.value is expected["p95_failures_as_infinite"] is None
    measured = sorted(scores.values[~scores.failed].tolist())
    assert len(measured) == expected["measured_ttft"]
    assert measured[3] == expected["median_ttft_measured"]
    assert math.fsum(measured) / 7 == pytest.approx(expected["mean_ttft_measured"], abs=1e-9)


def test_tables_beside_them_are_no_logs_of_these_tools():
    from nofluke.scores.readers import files as reading
    from nofluke.scores.readers import recognition
    from nofluke.scores.readers.workspace import Workspace

    with Workspace() as space:
        for path in files("automlbenchmark") + files("fivethirtyeight") + files("wandb", "*.csv"):
            known = recognition.of_file(reading.told(path, str(path), space))
            assert known is None or known.tool not in {"locust", "trec_eval", "wmt", "sacrebleu"}
