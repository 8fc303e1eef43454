"""A disk that is full, or a limit on the size of files: a clear word, and nothing half-written."""

import os
import subprocess
import sys

import numpy as np
import pytest

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of files as POSIX has them")

RUN = """
import resource, sys
from nofluke.cli import main

resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
main(sys.argv[2:])
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """A table of two candidates, longer than the limit."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, n = np.random.default_rng(0), 20_000
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    columns = {
        "model": ["a"] * n + ["b"] * n,
        "item": [f"q{i}" for i in range(n)] * 2,
        "score": rng.random(2 * n),
    }
    pq.write_table(pa.table(columns), path)
    return path


def run(rows, *more, limit=8192, out=subprocess.PIPE, unbuffered=False):
    command = [sys.executable, "-c", RUN, str(limit), "compare", str(rows), "--a", "a", "--b", "b"]
    variables = {**os.environ, "NOFLUKE_CACHE": "", "NUMBA_DISABLE_JIT": "0"}
    variables.pop("PYTHONUNBUFFERED", None)
    if unbuffered:
        variables["PYTHONUNBUFFERED"] = "1"
    return subprocess.run(
        [*command, "--better", "higher", "--method", "t", *more],
        stdout=out,
        stderr=subprocess.PIPE,
        env=variables,
        check=False,
    )


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_rows_that_find_no_place(rows, tmp_path, engine):
    spill, report = tmp_path / "spill", tmp_path / "report.html"
    spill.mkdir()
    report.write_text("an older report")

    done = run(rows, "--engine", engine, "--spill", str(spill), "--report", str(report))

    assert done.returncode == 2
    assert done.stderr.startswith(b"NF410  the disk is full"), done.stderr
    assert done.stdout == b""
    assert not list(spill.iterdir())
    assert report.read_text() == "an older report"
    assert [p.name for p in tmp_path.iterdir() if p != spill] == ["report.html"]


def test_a_report_that_finds_no_place(rows, tmp_path):
    report = tmp_path / "report.html"

    done = run(rows, "--report", str(report))

    assert done.returncode == 2
    assert done.stderr.startswith(f"NF410  {report} could not be written".encode()), done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("unbuffered", [False, True])
def test_an_answer_that_is_cut_off_is_no_success(rows, tmp_path, unbuffered):
    with (tmp_path / "answer.html").open("wb") as out:
        done = run(rows, "--format", "html", out=out, unbuffered=unbuffered)

    assert done.returncode == 2
    assert b"NF410  the answer could not be written to standard output in full" in done.stderr
