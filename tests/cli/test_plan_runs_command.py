"""`nofluke plan --quantile`: how many runs."""

import csv
import io
import json

import pytest

from nofluke.cli import run


def ask(capsys, *tokens):
    code = run(["plan", *(str(token) for token in tokens)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def pilot(tmp_path):
    path = tmp_path / "runs.csv"
    rows = [f"{name},r{i},{(i * 37) % 41 / 100:.2f}" for name in ("old", "new") for i in range(20)]
    path.write_text("model,item,score\n" + "\n".join(rows) + "\n")
    return path


def test_text_with_a_table_of_what_exists(capsys):
    code, out, err = ask(capsys, "--quantile", 0.05, "--level", 0.9, "--n", 25)
    assert (code, err) == (0, "")
    assert out.startswith("Needed: 45 runs (limits of the 0.05 quantile at level 90 %")
    assert "two-sided, unequal tails" in out
    assert "With 25 runs there is an upper limit but not both" in out
    assert "NF198" in out


def test_json_csv_and_page(capsys):
    asked = ("--quantile", 0.95, "--level", 0.9, "--format")
    _, out, _ = ask(capsys, *asked, "json")
    assert (json.loads(out)["kind"], json.loads(out)["upper"]) == ("runs_plan", 45)
    _, out, _ = ask(capsys, *asked, "csv")
    first, *_ = csv.DictReader(io.StringIO(out))
    assert first["exists"] == "L"
    _, out, _ = ask(capsys, *asked, "html")
    assert "<table>" in out


def test_a_pilot_and_a_width(capsys, pilot):
    code, out, err = ask(
        capsys, "--quantile", 0.5, "--level", 0.9, "--pilot", pilot, "--a", "new",
        "--width", 0.05, "--format", "json",
    )  # fmt: skip
    said = json.loads(out)
    assert (code, err) == (0, "")
    assert (said["guarantee"], said["pilot_runs"], said["width"]) == ("heuristic", 20, 0.05)
    assert said["n"] > said["total"] == 5

    code, _, err = ask(capsys, "--quantile", 0.5, "--level", 0.9, "--pilot", pilot)
    assert code == 2
    assert "say whose" in err
    assert "--a" in err


def test_a_design_is_the_library_s_unless_it_is_said(capsys):
    _, plain, _ = ask(capsys, "--quantile", 0.05, "--level", 0.9, "--format", "json")
    _, said, _ = ask(
        capsys, "--quantile", 0.05, "--level", 0.9, "--design", 500, "--format", "json"
    )
    assert json.loads(plain)["design"] == 25
    assert json.loads(said)["anytime"]["lower"] > json.loads(plain)["anytime"]["lower"]


@pytest.mark.parametrize(
    ("tokens", "said"),
    [
        (("--quantile", 0.05), "--quantile needs --level"),
        (("--quantile", 0.05, "--level", 0.9, "--delta", 0.1), "--delta would be ignored"),
        (("--quantile", 0.05, "--level", 0.9, "--alpha", 0.1), "--alpha would be ignored"),
        (("--quantile", 0.05, "--level", 0.9, "--repeats", "1,2"), "--repeats would be ignored"),
        (("--quantile", 0.05, "--level", 0.9, "--write", "x.json"), "--write would be ignored"),
        (("--quantile", 0.05, "--level", 0.9, "--a", "old"), "--a would be ignored"),
        (("--quantile", 0.05, "--level", 0.9, "--bounds", 0, 1), "--bounds would be ignored"),
        (("--quantile", 0.05, "--level", 0.9, "--width", 0.1), "--width needs a --pilot"),
        (("--quantile", 0.05, "--level", 90), "If you mean 90 %"),
        (("--quantile", 5, "--level", 0.9), "--quantile 5.0 must lie"),
        (("--quantile", 1e-9, "--level", 0.9), "the quantile 1e-09 at --level 0.9 needs more"),
        (("--delta", 0.1, "--sd", 0.2, "--level", 0.9), "--level would be ignored"),
        (("--delta", 0.1, "--sd", 0.2, "--width", 0.9), "it is for --quantile"),
        (("--delta", 0.1, "--sd", 0.2, "--design", 25), "--design would be ignored"),
    ],
)
def test_options_that_do_not_apply_are_refused(capsys, tokens, said):
    code, out, err = ask(capsys, *tokens)
    assert (code, out) == (2, "")
    assert said in err
