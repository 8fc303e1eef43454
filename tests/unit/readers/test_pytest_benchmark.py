"""pytest-benchmark: rounds where they were kept, and a refusal where they were not."""

import json
import os
import subprocess
import sys

import pytest

from nofluke import read
from nofluke.errors import InputError


def benchmark(name="test_add", data=(0.5, 0.25), **stats):
    found = {"mean": 0.375, "outliers": "1;0", "rounds": 2, "iterations": 2, **stats}
    if data is not None:
        found["data"] = list(data)
    return {"group": None, "fullname": f"b.py::{name}", "options": {}, "stats": found}


@pytest.fixture
def written(tmp_path):
    def write(*benchmarks, name="b.json", commit="abc"):
        path = tmp_path / name
        commit = {"id": commit, "dirty": False}
        path.write_text(json.dumps({"benchmarks": list(benchmarks), "commit_info": commit}))
        return path

    return write


def test_each_round_is_a_row_in_seconds(written):
    scores = read(written(benchmark()))

    assert scores.values.tolist() == [0.5, 0.25]
    assert scores.better == "lower"
    assert any("is in s" in note for note in scores.notes)


def test_benchmarks_are_parts(written):
    path = written(benchmark(), benchmark("test_mul", (1.0, 2.0)))

    assert read(path, where={"benchmark": "b.py::test_mul"}).values.tolist() == [1.0, 2.0]
    assert len(read(path).examples) == 4


def test_two_files_are_two_candidates(written):
    one, two = written(benchmark()), written(benchmark(), name="c.json", commit="def")

    assert read([one, two]).candidates == ("b", "c")


def test_statistics_without_rounds_are_refused_with_the_option_that_keeps_them(written):
    with pytest.raises(InputError, match="--benchmark-save-data"):
        read(written(benchmark(data=None)))


def test_rounds_that_were_cut_are_refused(written):
    with pytest.raises(InputError, match="has 9 rounds and 2 times"):
        read(written(benchmark(rounds=9)))


def test_what_the_tool_writes_today_is_read(tmp_path):
    pytest.importorskip("pytest_benchmark")
    (tmp_path / "test_it.py").write_text(
        "def test_it(benchmark):\n"
        "    benchmark.pedantic(lambda: sum(range(50)), rounds=4, iterations=2)\n"
    )
    out = tmp_path / "out.json"
    subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "pytest_benchmark.plugin"),
            *("test_it.py", f"--benchmark-json={out}"),
        ],
        # Nothing of the run that this is part of: in a process of xdist benchmarks are disabled.
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
        | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )

    assert read(out).values.size == 4
