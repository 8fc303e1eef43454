"""Time and memory of reading logs: 1 GB of lm-eval samples, and a folder of 300 Inspect logs.

At most 60 s and 2 GiB, and 20 s. The logs are made once, and kept in the system's folder for
temporary files.
"""

import hashlib
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

FOLDER = Path(tempfile.gettempdir()) / "nofluke-logs"
SIZE = 1 << 30
LOGS, SAMPLES = 300, 100
READ = """
import resource, sys, time
from nofluke import read
start = time.perf_counter()
scores = read(sys.argv[1], metric=sys.argv[2])
took = time.perf_counter() - start
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, scores.values.size)
"""


def measured(path, metric):
    """Seconds, peak MiB, and scores, of one reading in a process of its own."""
    told = subprocess.run(
        [sys.executable, "-c", READ, str(path), metric], check=True, capture_output=True, text=True
    )
    return [float(word) for word in told.stdout.split()]


@pytest.fixture(scope="module")
def samples():
    """Rows of some 3 kB, as a task with long questions has them."""
    path = FOLDER / "toy__big" / "samples_big_2026-01-05T10-00-00.jsonl"
    if path.exists() and path.stat().st_size >= SIZE:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)  # noqa: S311
    words = ["alpha", "beta", "gamma", "delta", "the", "of", "and", "model", "answer"]
    texts = [" ".join(rng.choices(words, k=rng.randint(150, 260))) for _ in range(200)]
    size = i = 0
    with path.open("w") as stream:
        while size < SIZE:
            size += stream.write(json.dumps(row(i, texts[i % 200], texts[i * 7 % 200])) + "\n")
            i += 1
    return path


def row(i, question, answer):
    hashed = hashlib.sha256(f"{question} {i}".encode()).hexdigest()
    return {
        "doc_id": i,
        "doc": {"question": question, "answer": str(i)},
        "target": str(i),
        "arguments": {"gen_args_0": {"arg_0": question, "arg_1": {"until": ["Q:"]}}},
        "resps": [[answer]],
        "filtered_resps": [str(i)],
        "filter": "none",
        "metrics": ["exact_match", "f1"],
        "doc_hash": hashed,
        "prompt_hash": hashed[::-1],
        "target_hash": hashed,
        "exact_match": float(i % 3 == 0),
        "f1": i % 10 / 10,
    }


@pytest.fixture(scope="module")
def evals():
    """Logs as Inspect writes them, packed with zstd, one for each of as many models."""
    pytest.importorskip("inspect_ai")
    folder = FOLDER / "inspect"
    if len(list(folder.glob("*.eval"))) < LOGS:
        folder.mkdir(parents=True, exist_ok=True)
        made = Path(__file__).with_name("make_inspect_logs.py")
        subprocess.run(
            [sys.executable, str(made), str(folder), str(LOGS), str(SAMPLES)], check=True
        )
    return folder


def test_a_gigabyte_of_lm_eval_samples(benchmark, samples):
    seconds, memory, n = benchmark.pedantic(measured, (samples, "exact_match"), rounds=1)
    print(f"{n:.0f} rows: {seconds:.1f} s (<= 60), {memory:.0f} MiB (<= 2048)")
    assert n > SIZE / 4000


def test_a_folder_of_inspect_logs(benchmark, evals):
    seconds, memory, n = benchmark.pedantic(measured, (evals, "graded"), rounds=1)
    print(f"{n:.0f} rows: {seconds:.1f} s (<= 20), {memory:.0f} MiB")
    assert n == LOGS * SAMPLES
