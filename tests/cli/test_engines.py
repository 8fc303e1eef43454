"""`--engine`, `--memory`, `--spill` and `--stats`: who computes, and that nobody can tell after."""

from __future__ import annotations

import json
import os
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


@pytest.fixture
def told(capsys):
    """Exit code and what is said on stderr of a command."""

    def ask(*words):
        code = run([str(word) for word in words])
        return code, capsys.readouterr().err

    return ask


@pytest.mark.parametrize("command", ["certify", "classifier", "runs", "rank", "compare"])
@pytest.mark.parametrize(
    ("way", "out"),
    [
        (["--engine", "duckdb"], "--engine duckdb"),
        (["--engine", "polars", "--memory", "1GB"], "--engine polars and --memory"),
        (["--spill", "."], "--spill"),
    ],
)
def test_standard_input_is_read_in_memory(told, command, way, out):
    words = ["-", "--a", "a", "--b", "b"] if command == "compare" else ["-"]
    code, err = told(command, *words, *way)
    assert (code, err.split("\n")[0]) == (
        2,
        f"NF407  standard input is read in memory; save it to a file first, or leave {out} out.",
    )


def test_so_is_a_pipe(told, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    code, err = told("certify", f"a={tmp_path / 'pipe.csv'}", "--memory", "1GB")
    assert (code, "NF407" in err, "pipe.csv is a stream, which is read in memory" in err) == (
        2,
        True,
        True,
    )


@pytest.mark.parametrize("way", [["--memory", "1GB"], ["--engine", "duckdb"], ["--spill", "."]])
def test_a_ledger_reads_scores_in_memory(told, table, tmp_path, way):
    book = tmp_path / "l.db"
    assert told("ledger", "init", book, "--who", "ann")[0] == 0
    code, err = told("certify", table, "--better", "lower", "--ledger", book, *way)
    assert (code, err.startswith("NF407  --ledger: a ledger knows rows by their content")) == (
        2,
        True,
    )
    assert f"leave {way[0]}" in err


def test_where_to_spill_chooses_who_computes(told, table):
    words = ["certify", table, "--select", "top:1", "--gamma", "0.3"]
    code, err = told(*words, "--spill", table.parent, "--stats")
    assert (code, err.startswith("engine duckdb")) == (0, True)


@pytest.mark.parametrize("command", ["certify", "classifier"])
@pytest.mark.parametrize(("option", "value"), [("--memory", "1GB"), ("--spill", ".")])
def test_only_the_option_that_arrived_is_refused(told, table, command, option, value):
    code, err = told(command, table, "--engine", "memory", option, value)
    assert (code, err.split("\n")[0]) == (
        2,
        f"NF008  {option} is for rows that are not read into memory; choose --engine duckdb, or "
        "leave it out.",
    )


def test_advice_to_read_in_memory_can_be_followed(told, table, tmp_path):
    text = tmp_path / "p.csv"
    text.write_text("example,label,m\n1,ill,0.5\n2,well,0.2\n")
    code, err = told("classifier", text, "--positive", "ill", "--memory", "400MiB")
    assert (code, "With --engine memory, leave --memory out." in err) == (2, True)
    code, err = told("classifier", text, "--positive", "ill", "--engine", "duckdb")
    assert (code, "--engine memory" in err, "leave --memory" in err) == (2, True, False)
    ways = ("--memory", "1GB", "--spill", tmp_path)
    code, err = told("certify", table, "--split", "0.5", "--seed", "1", *ways)
    assert (code, "With --engine memory, leave --memory and --spill out." in err) == (2, True)


@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb", "polars", "spark"])
@pytest.mark.parametrize("command", ["certify", "classifier"])
def test_what_is_only_named_like_parquet(told, table, tmp_path, command, engine):
    text, part = tmp_path / "text.parquet", tmp_path / "part.parquet"
    text.write_text("model,item,loss\na,1,2\n")
    part.write_bytes(table.read_bytes()[:-9])
    for path, which in ((text, "first bytes are b'mode'"), (part, "last bytes are b'")):
        code, err = told(command, path, "--engine", engine)
        assert (code, f"{path} is named like Parquet and is not: its {which}" in err) == (2, True)
        assert err.startswith("NF001")


def test_auto_looks_at_how_much_memory_the_rows_would_take(table, monkeypatch):
    def suited(**how):
        return engines._suited(str(table), **{"recorded": False, **how})

    assert suited() == "memory"
    monkeypatch.setattr(engines, "_SMALL", 0)
    assert suited() == "memory"
    needed = engines._needed([table])
    assert needed >= 240 * 64
    monkeypatch.setattr(room, "available", lambda: 4 * needed - 4)
    assert suited() == "duckdb"
    assert suited(recorded=True) == "memory"
    assert engines._suited([str(table), "b.csv"], recorded=False) == "memory"
    broken = table.with_name("broken.parquet")
    broken.write_bytes(table.read_bytes()[:-9])
    assert engines._suited(str(broken), recorded=False) == "memory"
