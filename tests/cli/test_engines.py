"""`--engine`, `--memory`, `--spill` and `--stats`: who computes, and that nobody can tell after."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from nofluke.cli import engines, run
from nofluke.sources import room

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def table(tmp_path):
    x = np.random.default_rng(0).normal(size=(3, 80)).round(2)
    path = tmp_path / "t.parquet"
    columns = {
        "model": np.repeat(["a", "b", "c"], 80),
        "item": np.tile(np.arange(80), 3),
        "loss": x.ravel(),
    }
    pq.write_table(pa.table(columns), path)
    return path


def certify(table, capsys, *words):
    code = run(["certify", str(table), "--select", "top:1", "--gamma", "0.3", *words])
    told = capsys.readouterr()
    return code, told.out, told.err


def test_engines_print_the_same_bytes(table, capsys):
    ways = (
        (),
        ("--engine", "memory"),
        ("--engine", "duckdb"),
        ("--engine", "polars"),
        ("--memory", "600MB", "--spill", str(table.parent)),
    )
    for form in ("json", "text"):
        told = {certify(table, capsys, "--format", form, *way) for way in ways}
        assert len(told) == 1
        code, _, err = told.pop()
        assert (code, err) == (0, "")
    assert "t.parquet" in {p.name for p in table.parent.iterdir()}


def test_stats_are_told_beside_the_answer(table, capsys):
    code, out, err = certify(table, capsys, "--format", "json", "--memory", "600MB", "--stats")
    assert (code, json.loads(out)["kind"]) == (0, "certify")
    assert re.fullmatch(
        r"engine duckdb, [\d.]+ s, CPU [\d.]+ s, peak memory [\d.]+ [GM]iB, "
        r"\d+ passes over the rows\n",
        err,
    )
    _, _, err = certify(table, capsys, "--stats", "--quiet")
    assert re.fullmatch(r"engine memory, .* s, CPU .* s, peak memory .*iB\n", err)


def test_what_an_engine_cannot_do_ends_with_advice(table, capsys):
    code, out, err = certify(table, capsys, "--engine", "duckdb", "--split", "0.5", "--seed", "1")
    assert (code, out) == (2, "")
    assert "NF407" in err
    assert "--engine memory" in err
    code, _, err = certify(table, capsys, "--engine", "memory", "--memory", "600MB")
    assert (code, "NF008" in err) == (2, True)


def test_auto_looks_at_how_much_memory_the_rows_would_take(table, monkeypatch):
    def suited(**how):
        return engines._suited(str(table), **{"memory": None, "recorded": False, **how})

    assert suited() == "memory"
    assert suited(memory="600MB") == "duckdb"
    monkeypatch.setattr(engines, "_SMALL", 0)
    assert suited() == "memory"
    needed = engines._needed([table])
    assert needed >= 240 * 64
    monkeypatch.setattr(room, "available", lambda: 4 * needed - 4)
    assert suited() == "duckdb"
    assert suited(recorded=True) == "memory"
    assert engines._suited([str(table), "b.csv"], memory=None, recorded=False) == "memory"
    broken = table.with_name("broken.parquet")
    broken.write_bytes(table.read_bytes()[:-9])
    assert engines._suited(str(broken), memory=None, recorded=False) == "memory"
