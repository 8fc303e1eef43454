"""The command line as a newcomer meets it: answers, refusals, exit codes, nothing else."""

import csv
import gzip
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nofluke.cli import arguments, run
from nofluke.errors import InputError

HERE = Path(__file__).parents[2]
DIGITS = HERE / "examples" / "digits" / "log_loss.parquet"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "results.csv"
    rows = [
        f"m{k},e{i:03d},{(i * 37 + k * 11) % 101 / 100 + k / 50}"
        for k in range(8)
        for i in range(60)
    ]
    path.write_text("model,item,score\n" + "\n".join(rows) + "\n")
    return path


def ask(capsys, *tokens):
    code = run([str(token) for token in tokens])
    out, err = capsys.readouterr()
    return code, out, err


def test_an_answer_is_a_table_sentences_a_guarantee_and_notes(capsys, table):
    code, out, err = ask(
        capsys,
        "certify",
        table,
        "--better",
        "lower",
        "--select",
        "top:2",
        "--gamma",
        "0.4,0.3",
        "--gamma",
        "0.01",
    )

    assert (code, err) == (0, "")
    for expected in (
        "m0",
        "guaranteed at gamma 0.4",
        "The winner, a separate claim",
        "minimax",
        "With 90 % confidence, the score of m0 is at most",
        "Guarantee: finite-sample",
        "Smallest failure rate certified at this level: ",
        "NF103: --gamma 0.01 cannot be certified",
        "needs n >= ",
    ):
        assert expected in out


def test_json_is_one_object(capsys, table):
    code, out, _ = ask(
        capsys,
        "certify",
        table,
        "--better",
        "lower",
        "--select",
        "top:2",
        "--format",
        "json",
        "--gamma",
        "0.4",
        "--gamma",
        "0.01",
    )
    answer = json.loads(out, parse_constant=pytest.fail)

    assert code == 0
    assert answer["K"] == 8
    assert answer["selected"] == ["m0", "m1"]
    assert [r["gamma"] for r in answer["rows"]] == [0.4, 0.01, 0.4, 0.01]
    assert answer["rows"][1]["value"] == "inf"
    assert answer["question"]["select"] == "top:2"


def test_csv_is_the_rows(capsys, table):
    _, out, _ = ask(
        capsys, "certify", table, "--better", "lower", "--format", "csv", "--gamma", "0.01"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 5
    assert rows[0]["value"] == "inf"
    assert rows[0]["rank"] == ""


def test_quiet_prints_the_sentences(capsys, table):
    _, out, _ = ask(capsys, "certify", table, "--better", "lower", "--quiet", "--gamma", "0.4")
    assert len(out.splitlines()) == 2
    assert out.startswith("5 of 8 candidates were chosen (top:5).")


def test_the_work_is_shown_on_request(capsys, table):
    _, out, _ = ask(
        capsys,
        "certify",
        table,
        "--better",
        "lower",
        "--show-work",
        "--side",
        "both",
        "--band",
        "dkw",
    )
    assert "sqrt(log(2/alpha) / (2 n))" in out


def test_a_report_is_written_beside_the_answer(capsys, table, tmp_path):
    report = tmp_path / "report.html"
    code, _, _ = ask(capsys, "certify", table, "--better", "lower", "--report", report, "--quiet")
    assert code == 0
    page = report.read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert "m0" in page
    _, html, _ = ask(capsys, "certify", table, "--better", "lower", "--format", "html")
    assert html == page


def test_a_failed_run_leaves_an_older_report_alone(capsys, table, tmp_path):
    report = tmp_path / "report.html"
    report.write_text("older")
    code, _, _ = ask(
        capsys, "certify", table, "--better", "lower", "--delta", "7", "--report", report
    )
    assert code == 2
    assert report.read_text() == "older"
    code, _, err = ask(
        capsys, "certify", table, "--better", "lower", "--report", tmp_path / "no" / "r.html"
    )
    assert code == 2
    assert "no" in err
    assert "Traceback" not in err


def test_a_report_never_overwrites_its_input(capsys, table):
    before = table.read_bytes()
    code, _, err = ask(capsys, "certify", table, "--better", "lower", "--report", table)
    assert code == 2
    assert "would overwrite the input" in err
    assert table.read_bytes() == before


def test_how_the_input_was_read_is_part_of_the_question(capsys, tmp_path):
    path = tmp_path / "log.csv"
    rows = "".join(f"a,{i},{i},{i % 2}\nb,{i},{i},0\n" for i in range(20))
    path.write_text("model,item,latency,failed\n" + rows)
    _, out, _ = ask(
        capsys,
        "certify",
        path,
        "--select",
        "top:1@median",
        "--failed",
        "failed",
        "--format",
        "json",
    )
    question = json.loads(out)["question"]
    assert question["reading"] == {"failed": "failed"}
    assert question["metric"] == "latency"


def test_ids_of_any_letters_and_controls_reach_a_poor_terminal_escaped(tmp_path):
    path = tmp_path / "ids.csv"
    rows = "".join(f"{name},{i},{i}\n" for name in ("größe", "m\x1b[31mred") for i in range(9))
    path.write_text("candidate,example,score\n" + rows, encoding="utf-8")
    env = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    for form in ("text", "json", "csv", "html"):
        done = command(
            "certify", path, "--better", "lower", "--select", "top:2", "--format", form, env=env
        )
        assert done.returncode == 0, done.stderr
        if form == "text":
            assert b"\x1b" not in done.stdout
            assert b"gr\\xf6\\xdfe" in done.stdout
        else:
            assert "größe" in done.stdout.decode()


def test_a_split_a_margin_a_claim_and_names(capsys, table):
    for options in (
        ["--split", "0.5", "--seed", "3"],
        ["--select", "within:0.05"],
        ["--claim", "fcx:0.2"],
        ["--select", "names:m1,m2", "--rule", "psdme:0.5"],
        ["--select", "threshold:-5"],
        ["--rule", "sizes:3,5"],
        ["--tried", "20", "--claim", "simultaneous"],
        ["--columns", "candidate=model,example=item,score=score"],
        ["--bounds", "0", "2"],
        ["--bounds", "-1", "2"],
    ):
        code, out, err = ask(capsys, "certify", table, "--better", "lower", *options)
        assert (code, err) == (0, ""), options
        assert "Guarantee: finite-sample" in out


@pytest.mark.parametrize(
    ("options", "code", "why"),
    [
        ([], "NF009", "never guessed"),
        (["--better", "lower", "--delta", "10"], "NF008", "If you mean 10 %, write 0.1"),
        (["--better", "lower", "--delta", "0"], "NF008", "--delta 0.0 must lie"),
        (["--better", "lower", "--gamma", "1"], "NF008", "--gamma 1.0 must lie"),
        (["--better", "lower", "--gamma", "x"], "NF008", "--gamma x is not a number"),
        (["--better", "lower", "--select", "top:9"], "NF011", "asks for 9 candidates"),
        (["--better", "lower", "--tried", "3"], "NF008", "--tried 3 is fewer"),
        (["--better", "sideways"], "NF008", "sideways"),
        (["--better", "lower", "--frobnicate"], "NF008", "frobnicate"),
        (["--better", "lower", "--columns", "score"], "NF008", "not ROLE=COLUMN"),
        (["--better", "lower", "--columns", "score=nothing"], "NF003", "nothing"),
        (["--better", "lower", "--bounds", "0", "1"], "NF010", "outside --bounds 0 1"),
        (["--better", "lower", "--binary"], "NF010", "outside --bounds 0 1"),
        (["--better", "lower", "--failed", "nothing"], "NF003", "nothing"),
        (["--better", "lower", "--select", "top:2@column:nothing"], "NF003", "nothing"),
    ],
)
def test_a_bad_question_gets_one_clear_message_and_exit_2(capsys, table, options, code, why):
    exit_code, out, err = ask(capsys, "certify", table, *options)

    assert exit_code == 2
    assert out == ""
    assert err.startswith(code + "  ")
    assert why in err
    assert "Traceback" not in err
    assert err.endswith(f"More: nofluke explain {code}\n")


FILES = {
    "empty.csv": ("", "NF002"),
    "header.csv": ("candidate,example,score\n", "NF002"),
    "text.csv": ("candidate,example,score\na,1,good\n", "NF004"),
    "nan.csv": ("candidate,example,score\na,1,nan\na,2,1\nb,1,2\nb,2,3\n", "NF007"),
    "gap.csv": ("candidate,example,score\na,1,1\nb,1,2\nb,2,3\n", "NF007"),
    "twice.csv": ("candidate,example,score\na,1,1\na,1,2\n", "NF006"),
    "no_candidate.csv": ("x,y\n1,2\n", "NF003"),
    "empty.json": ("", "NF002"),
    "broken.json": ('[{"candidate": "a", ', "NF001"),
    "empty.parquet": ("", "NF001"),
    "broken.parquet": ("PAR1 nothing", "NF001"),
    "strange.xlsx": ("PK\x03\x04", "NF001"),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_files_get_one_clear_message_and_exit_2(capsys, tmp_path, name):
    content, code = FILES[name]
    path = tmp_path / name
    path.write_text(content)
    exit_code, out, err = ask(capsys, "certify", path, "--better", "lower", "--select", "top:1")

    assert exit_code == 2
    assert out == ""
    assert err.split()[0] in (code, "NF001", "NF002")
    assert len(err.splitlines()) <= 8
    assert "Traceback" not in err


def test_a_missing_file_and_a_missing_code(capsys, tmp_path):
    assert ask(capsys, "certify", tmp_path / "absent.csv", "--better", "lower")[0] == 2
    code, _, err = ask(capsys, "explain", "NF999")
    assert code == 2
    assert "there is no page for 'NF999'" in err


def test_every_code_is_explained(capsys):
    code, out, _ = ask(capsys, "explain")
    assert code == 0
    assert "NF103: Too few scores for this failure rate" in out
    assert ask(capsys, "explain", "nf103")[1].startswith("# NF103")


def test_an_error_of_our_own_is_70_and_never_1(capsys, monkeypatch, table):
    def broken(*_, **__):
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("nofluke.questions.certify.certify", broken)
    code, _, err = ask(capsys, "certify", table, "--better", "lower")
    assert code == 70
    assert "ZeroDivisionError: oops" in err
    monkeypatch.setenv("NOFLUKE_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run(["certify", str(table), "--better", "lower"])


def command(*tokens, **kwargs):
    program = Path(sys.executable).with_name("nofluke")
    return subprocess.run(
        [str(program), *map(str, tokens)], capture_output=True, check=False, **kwargs
    )


def test_the_installed_command_reads_standard_input(table):
    done = command(
        "certify", "-", "--better", "lower", "--format", "json", input=table.read_bytes()
    )
    assert done.returncode == 0, done.stderr
    from_file = command("certify", table, "--better", "lower", "--format", "json")
    assert done.stdout == from_file.stdout
    assert command("certify", "-", "--better", "lower", input=b"").returncode == 2


def test_the_same_bytes_whatever_the_format_of_the_input(table, tmp_path):
    with gzip.open(tmp_path / "results.csv.gz", "wb") as out:
        out.write(table.read_bytes())
    answers = []
    for path in (table, tmp_path / "results.csv.gz"):
        answer = json.loads(
            command("certify", path, "--better", "lower", "--format", "json").stdout
        )
        answers.append({k: v for k, v in answer.items() if k != "digest"})
    assert answers[0] == answers[1]


def test_the_bundled_results_certify_themselves():
    done = command("certify", DIGITS, "--select", "top:5@column:val_score", "--format", "json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert answer["K"] >= 40
    assert answer["better"] == "lower"
    assert all(math.isfinite(row["value"]) for row in answer["rows"])
    assert command("certify", DIGITS).returncode == 2  # some means are infinite


def test_a_closed_pipe_is_no_error(table):
    program = Path(sys.executable).with_name("nofluke")
    with subprocess.Popen(
        [str(program), "certify", str(table), "--better", "lower", "--format", "json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    "tokens", [["--help"], ["certify", "--help"], ["--version"], ["explain", "-h"]]
)
def test_help_fits_a_screen(tokens):
    done = command(*tokens)
    assert done.returncode == 0
    assert 1 <= len(done.stdout.splitlines()) <= 50


def test_help_loads_no_heavy_module():
    code = (
        "import sys; from nofluke.cli import run; run(['certify', '--help']); "
        "heavy = {'numpy', 'scipy', 'duckdb', 'matplotlib', 'narwhals'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr


def test_arguments_that_are_not_what_they_should_be():
    assert arguments.kept_columns("top:5@column:higher") == ("higher",)
    assert arguments.kept_columns("top:5@median") == ()
    with pytest.raises(InputError, match="not ROLE=COLUMN"):
        arguments.mapping("a=", name="--mix")
    for text, why in (("score", "not ROLE=COLUMN"), ("run=a,run=b", "names its role twice")):
        with pytest.raises(InputError, match=why):
            arguments.roles(text)


def test_units_and_dependence_are_options(tmp_path, capsys):
    path = tmp_path / "log.csv"
    lines = [
        f"{m},{m}{g}-{i},c{g:02d},{i},{g % 7 + i / 100}"
        for m in "ab"
        for g in range(30)
        for i in range(20)
    ]
    path.write_text("\n".join(["model,item,cluster,t,score", *lines]))
    asked = ["certify", str(path), "--better", "lower", "--missing", "own", "--select", "top:1"]

    assert run(asked) == 2
    assert capsys.readouterr().err.startswith("NF117")
    assert run([*asked, "--unit", "cluster", "--seed", "1"]) == 0
    assert "one draw for each cluster" in " ".join(capsys.readouterr().out.split())
    assert run([*asked, "--dependence", "ignore"]) == 0
    assert "NF118" in capsys.readouterr().out
    assert run([*asked, "--repeats", "average"]) == 2
    assert "needs a run column" in capsys.readouterr().err
