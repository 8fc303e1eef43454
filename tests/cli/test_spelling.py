"""Errors are printed in options, and nothing that is not a keyword changes."""

import pytest

from nofluke.cli import run
from nofluke.cli.spelling import in_options

NAMES = {"a", "b", "alpha", "binary", "bounds", "clusters", "columns", "decimal", "delimiter"} | {
    "failed", "max_cluster_size", "metric", "missing", "mix", "pooled", "state", "unpaired",
}  # fmt: skip


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("such as bounds=(0, 1), or", "such as --bounds 0 1, or"),
        ("declare it: bounds=(low, high);", "declare it: --bounds LOW HIGH;"),
        ("bounds=(-1, 1.5).", "--bounds -1 1.5."),
        ("bounds= is not declared", "--bounds is not declared"),
        ("bounds=None: declare", "--bounds: declare"),
        ("Say missing='common' to", "Say --missing common to"),
        ("paired=False is for", "--unpaired is for"),
        ("paired=False (--unpaired) uses", "--unpaired uses"),
        ("clusters=True (--clusters) counts", "--clusters counts"),
        ("failed='error_code' (--failed) counts", "--failed error_code counts"),
        ('name it: columns={"example": "..."}. The', "name it: --columns example=.... The"),
        ('columns={"run": "...", "cluster": None}.', "--columns run=...,cluster=."),
        ("columns={role: None}.", "--columns role=."),
        ('columns={"cluster": "..."} (--columns cluster=...);', "--columns cluster=...;"),
        ("columns={'cluster': 'my col'}: no", "--columns cluster='my col': no"),
        ("one by metric=, or", "one by --metric, or"),
        ("say delimiter=.", "say --delimiter."),
        (
            'which: decimal="," or decimal=".". Empty',
            'which: --decimal "," or --decimal ".". Empty',
        ),
        ("mark those (failed=) and", "mark those (--failed) and"),
        ("max_cluster_size= needs clusters=.", "--max-cluster-size needs --clusters."),
        ("mix={'easy': 0.5, 'hard': 0.4}: shares", "--mix easy=0.5,hard=0.4: shares"),
        ("state=/no/x.json: there", "--state /no/x.json: there"),
        ("statistic='foo' is", "--pooled foo is"),
        ("binary=True", "--binary"),
    ],
)
def test_a_keyword_is_told_as_the_option(python, options):
    assert in_options(python, NAMES) == options


@pytest.mark.parametrize(
    "message",
    [
        "the metric 'missing='",
        "examples ('alpha=1', \"metric=x\") are",
        "say --columns metric=NAME,b=NEW",
        "tried=3 and x=2 and y.alpha=3",
        "a=2 is not a number",
        "binary=False",
        "the metrics' mean; nofluke's own",
    ],
)
def test_what_is_no_keyword_stays(message):
    assert in_options(message, NAMES) == message


def test_a_role_is_left_out_and_columns_of_a_wide_table_are_chosen(capsys, tmp_path):
    wide = tmp_path / "wide.csv"
    wide.write_text("t,item,old,new\n" + "".join(f"{i * 9},u{i},{i % 2},1\n" for i in range(40)))
    asked = ["compare", str(wide), "--a", "old", "--b", "new", "--better", "higher", "--binary"]

    assert run(asked) == 2
    refused = capsys.readouterr().err
    assert run([*asked, "--columns", "candidate=old,candidate=new", "--quiet"]) == 0
    told = capsys.readouterr().out

    assert "lie outside --bounds 0 1: 't/" in refused
    assert "name the columns if these are no scores." in refused
    assert told.startswith("Yes. ")


def test_a_role_that_gets_in_the_way_is_left_out(capsys, tmp_path):
    rows = "".join(f"u{i},{i % 2},c{i},{m}\n" for i in range(9) for m in "ab")
    path = tmp_path / "mixed.csv"
    path.write_text("item,score,metric,model\n" + rows)
    asked = [
        "compare",
        str(path),
        "--a",
        "a",
        "--b",
        "b",
        "--better",
        "higher",
        "--bounds",
        "0",
        "1",
    ]

    assert run(asked) == 2
    assert "choose one by --metric, or set --columns metric= if all" in capsys.readouterr().err
    assert run([*asked, "--columns", "metric=", "--quiet"]) == 0


def test_no_line_of_a_certificate_ends_in_an_escape(capsys, tmp_path):
    path = tmp_path / "scores.csv"
    cells = "".join(f"u{i},{i % 7 / 7},{i % 5 / 5}\n" for i in range(60))
    path.write_text("item,old,new\n" + cells)

    assert run(["certify", str(path), "--better", "higher", "--select", "top:1"]) == 0
    assert "\\n" not in capsys.readouterr().out
