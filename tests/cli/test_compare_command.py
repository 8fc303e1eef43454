"""`nofluke compare` as a newcomer meets it: real files, answers, refusals, exit codes."""

import csv
import inspect
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nofluke.cli import run
from nofluke.cli.compare import compare

N = 120
RIGHT = {  # B repairs some of what A gets wrong, and breaks nothing
    "old": [int(i * 37 % 101 < 60) for i in range(N)],
    "new": [int(i * 37 % 101 < 60 or i % 5 == 0) for i in range(N)],
}


def ask(capsys, *tokens):
    code = run([str(token) for token in tokens])
    out, err = capsys.readouterr()
    return code, out, err


def answered(capsys, *tokens):
    """The answer as JSON, from a run that must succeed."""
    code, out, err = ask(capsys, "compare", *tokens, "--format", "json")
    assert (code, err) == (0, "")
    return json.loads(out, parse_constant=pytest.fail)


def refused(capsys, *tokens):
    """The one message of a run that must be refused, without the line on where to read more."""
    code, out, err = ask(capsys, "compare", *tokens)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    name = err.split()[0]
    assert err.endswith(f"More: nofluke explain {name}\n")
    return err.removesuffix(f"More: nofluke explain {name}\n")


@pytest.fixture
def pair(tmp_path):
    """Two CSV files, named by their models."""
    paths = []
    for name, scores in RIGHT.items():
        path = tmp_path / f"{name}.csv"
        lines = "".join(f"u{i},{score}\n" for i, score in enumerate(scores))
        path.write_text("item,accuracy\n" + lines)
        paths.append(path)
    return paths


@pytest.fixture
def table(tmp_path):
    """One table of two speech recognisers: errors, words, groups, documents."""
    path = tmp_path / "asr.csv"
    lines = ["model,item,errors,words,score,group,cluster"]
    for i in range(N):
        words = 5 + i * 7 % 30
        for model, share in (("old", 4), ("new", 6)):
            errors = (words + i) // share % (words + 1)
            group, document = "chat" if i % 3 else "news", f"d{i // 2}"
            lines.append(f"{model},u{i},{errors},{words},{errors / words:.6f},{group},{document}")
    path.write_text("\n".join(lines) + "\n")
    return path


SIDES = ("--a", "old", "--b", "new", "--better", "lower")
POOLED = ("--pooled", "errors/words")
AUDIT = ("--audit-methods", "--bounds", "0", "1")


def test_two_files_are_named_by_their_stems(capsys, pair):
    code, out, err = ask(capsys, "compare", *pair)

    assert (code, err) == (0, "")
    assert out.startswith("new against old: 120 pairs, accuracy, higher is better;")
    assert "Verdict: YES" in out
    for expected in (
        "Mean difference, new minus old",
        "Every method side by side",
        "* Yes. With 95 % confidence, new is better than old in mean accuracy.",
        "Guarantee: finite-sample. It assumes:",
    ):
        assert expected in out
    gained = sum(b - a for a, b in zip(*RIGHT.values(), strict=True))
    assert answered(capsys, *pair)["estimate"] == pytest.approx(gained / N)


def test_a_csv_and_a_jsonl_file_say_the_same(capsys, pair, tmp_path):
    lines = [json.dumps({"item": f"u{i}", "accuracy": s}) for i, s in enumerate(RIGHT["new"])]
    other = tmp_path / "new.jsonl"
    other.write_text("\n".join(lines) + "\n")

    found, mixed = answered(capsys, *pair), answered(capsys, pair[0], other)

    for key in ("verdict", "estimate", "rows", "a", "b"):
        assert found[key] == mixed[key]


def test_names_may_be_given_and_the_order_is_baseline_first(capsys, pair):
    back = answered(capsys, pair[1], pair[0], "--a", "ours", "--b", "theirs")

    assert (back["a"], back["b"]) == ("ours", "theirs")
    assert back["estimate"] < 0
    assert back["verdict"] != "yes"


def test_one_table_with_two_names_and_standard_input(capsys, table):
    how = (*SIDES, "--bounds", "0", "1")
    found = answered(capsys, table, *how)

    program = Path(sys.executable).with_name("nofluke")
    done = subprocess.run(
        [str(program), "compare", "-", *how, "--format", "json"],
        input=table.read_bytes(),
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    piped = json.loads(done.stdout)
    assert found["estimate"] == piped["estimate"]
    assert found["rows"] == piped["rows"]


def test_csv_is_the_rows_quiet_the_sentences_and_work_its_terms(capsys, pair):
    answer = answered(capsys, *pair)

    _, out, _ = ask(capsys, "compare", *pair, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["method"] for row in rows] == [row["method"] for row in answer["rows"]]
    _, out, _ = ask(capsys, "compare", *pair, "--quiet")
    assert out.splitlines() == answer["sentences"]
    code, out, _ = ask(capsys, "compare", *pair, "--show-work", "--quiet")
    assert code == 0
    assert len(out.splitlines()) > len(answer["sentences"])
    assert "Terms of the bound:" in ask(capsys, "compare", *pair, "--show-work")[1]


def test_no_name_steers_the_terminal(capsys, pair):
    names = ("--a", "größe", "--b", "m\x1b[31mred")
    for form in ("text", "json", "csv", "html"):
        code, out, _ = ask(capsys, "compare", *pair, *names, "--format", form)
        assert code == 0
        assert "\x1b" not in out
        assert form == "csv" or "größe" in out


def test_a_report_is_the_page_and_spares_its_input(capsys, pair, tmp_path):
    report = tmp_path / "report.html"

    assert ask(capsys, "compare", *pair, "--report", report, "--quiet")[0] == 0

    assert (
        report.read_text(encoding="utf-8") == ask(capsys, "compare", *pair, "--format", "html")[1]
    )
    before = pair[1].read_bytes()
    assert "would overwrite the input" in refused(capsys, *pair, "--report", pair[1])
    assert pair[1].read_bytes() == before
    assert "there is no folder" in refused(capsys, *pair, "--report", tmp_path / "no" / "r.html")


def test_groups_a_mix_clusters_and_a_plan(capsys, table):
    how = (*SIDES, "--bounds", "0", "1")

    groups = answered(capsys, table, *how, "--groups")
    mix = answered(capsys, table, *how, "--groups", "--mix", "news=0.9,chat=0.1")
    clusters = answered(capsys, table, *how, "--clusters")
    planned = answered(capsys, table, *how, "--planned", 100)

    assert {row["group"]: row["n"] for row in groups["subgroups"]} == {"chat": 80, "news": 40}
    assert {row["group"]: row["mix"] for row in mix["shares"]} == {"chat": 0.1, "news": 0.9}
    assert (clusters["unit"], clusters["n_units"]) == ("clusters", 60)
    assert planned["guarantee"] == "anytime"
    assert planned["question"]["planned"] == 100


def test_two_samples_that_share_no_example(capsys, pair):
    pair[1].write_text(pair[1].read_text().replace("\nu", "\nv"))

    assert "own, --unpaired uses" in refused(capsys, *pair)
    apart = answered(capsys, *pair, "--unpaired")

    assert (apart["unit"], apart["pairing"]["shared"]) == ("blocks", 0)
    assert apart["guarantee"] == "finite-sample"


def test_two_samples_have_no_clusters_even_where_the_table_has(capsys, tmp_path):
    path = tmp_path / "apart.csv"
    rows = "".join(f"{m},{m}{i},{i % 2},c{i % 3}\n" for m in "ab" for i in range(9))
    path.write_text("model,item,score,cluster\n" + rows)
    asked = (path, "--a", "a", "--b", "b", "--better", "higher", "--bounds", "0", "1", "--unpaired")

    assert "--unpaired and --clusters cannot be combined" in refused(capsys, *asked, "--clusters")


def test_a_corpus_statistic(capsys, table):
    found = answered(capsys, table, *SIDES, "--pooled", "errors/words")

    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    rates = {
        name: sum(int(r["errors"]) for r in rows if r["model"] == name)
        / sum(int(r["words"]) for r in rows if r["model"] == name)
        for name in ("old", "new")
    }
    assert found["kind"] == "compare_pooled"
    assert found["a"] == {"name": "old", "value": pytest.approx(rates["old"])}
    assert found["b"] == {"name": "new", "value": pytest.approx(rates["new"])}
    assert (found["alternative"], found["better"]) == ("better", "lower")
    assert (found["unit"], found["n_units"]) == ("cluster", 60)
    assert found["guarantee"] == "asymptotic"


def test_a_corpus_statistic_as_text(capsys, table):
    code, out, err = ask(capsys, "compare", table, *SIDES, "--pooled", "errors/words")

    assert (code, err) == (0, "")
    head = "new against old: errors/words over the whole corpus, lower is better; 120 items in 60"
    assert out.startswith(head + " clusters, alternative better, alpha 0.05\nVerdict: ")
    for expected in (
        "Difference, new minus old: each interval at error level 0.05",
        "<- decides",
        "so the other side has no limit",
        "which answers another question",
        "Guarantee: asymptotic. It assumes:",
    ):
        assert expected in out
    both = ask(
        capsys, "compare", table, *SIDES, "--pooled", "errors/words", "--alternative", "different"
    )
    assert both[0] == 0
    assert "has no limit" not in both[1]


def test_a_corpus_statistic_has_an_orientation_of_its_own(capsys, table):
    how = ("--a", "old", "--b", "new", "--pooled", "errors/words")

    assert refused(capsys, table, *how).startswith("NF009")
    assert answered(capsys, table, *how, "--alternative", "different")["better"] is None
    assert "not-worse" in refused(capsys, table, *SIDES, *how[4:], "--alternative", "not-worse")
    assert refused(capsys, table, *SIDES, "--pooled", "errors/nothing").startswith("NF003")


def test_a_corpus_statistic_needs_its_columns_and_no_others(capsys, table, tmp_path):
    bare = tmp_path / "bare.csv"
    cut = (line.split(",")[:4] for line in table.read_text().splitlines())
    bare.write_text("\n".join(map(",".join, cut)) + "\n")

    found = answered(capsys, bare, *SIDES, *POOLED)
    correlated = answered(capsys, table, *SIDES[:4], "--pooled", "spearman:score,words")

    assert found["rows"][0]["a"] == answered(capsys, table, *SIDES, *POOLED)["rows"][0]["a"]
    assert correlated["better"] == "higher"
    for statistic in ("", "nonsense", "kendall:score,words"):
        message = refused(capsys, table, *SIDES, "--pooled", statistic)
        named = statistic or "''"
        assert message.startswith(f"NF025  --pooled {named} is not understood")


def test_an_audit_knows_the_bounds_of_a_metric(capsys, pair, table):
    assert answered(capsys, *pair, "--audit-methods")["bounds"] == [-1, 1]
    assert refused(capsys, table, *SIDES, "--audit-methods").startswith("NF016")


def test_an_audit_of_methods(capsys, table):
    how = (table, *SIDES, *AUDIT)
    found = answered(capsys, *how)

    code, out, err = ask(capsys, "compare", *how)

    assert (code, err) == (0, "")
    above = [row["method"] for row in found["rows"] if row["above_alpha"]]
    assert "t, 10 looks" in above  # looking ten times at level alpha is the textbook false alarm
    assert out.count("<- too many") == len(above)
    assert f"Clearly more than 5 % false alarms: {len(above)} of {len(found['rows'])} tests" in out
    assert "Guarantee: descriptive. It assumes:" in out
    rate = next(row["false_alarm"] for row in found["rows"] if row["method"] == "t, 10 looks")
    assert f"{100 * rate:.3g} %" in out


@pytest.mark.parametrize("form", ["csv", "html"])
@pytest.mark.parametrize("way", [POOLED, AUDIT], ids=["pooled", "audit"])
def test_further_answers_in_further_forms(capsys, table, way, form, tmp_path):
    how = (table, *SIDES, *way)
    report = tmp_path / "report.html"

    code, out, _ = ask(capsys, "compare", *how, "--format", form, "--report", report)

    assert code == 0
    if form == "html":
        assert report.read_text(encoding="utf-8") == out
    else:
        rows = list(csv.DictReader(io.StringIO(out)))
        assert len(rows) == len(answered(capsys, *how)["rows"])


def test_sources_that_do_not_make_a_pair(capsys, pair, table, tmp_path):
    assert "--a BASELINE --b CANDIDATE" in refused(capsys, table)
    assert "'new', 'old'" in refused(capsys, table, "--a", "old")
    assert "3 sources" in refused(capsys, *pair, table)
    assert "no source" in refused(capsys)
    assert "one candidate" in refused(capsys, pair[0])
    assert "both sources are" in refused(capsys, pair[0], pair[0])
    assert refused(capsys, pair[0], tmp_path / "absent.csv").startswith("NF001")
    assert refused(capsys, table, "--a", "old", "--b", "zzz").startswith("NF011")
    assert "name two candidates" in refused(
        capsys, table, "--a", "old", "--b", "old", "--better", "lower", "--bounds", "0", "1"
    )


FILES = {
    "empty": ("", "NF002", "empty (0 bytes)"),
    "header": ("item,accuracy\n", "NF002", "header.csv"),
    "words": ("item,accuracy\nu1,good\nu2,bad\n", "NF004", "u1/accuracy is 'good' (line 2)"),
    "disjoint": ("item,accuracy\nv1,1\nv2,0\n", "NF018", "not a paired comparison"),
    "alike": ("item,accuracy\nU1,1\nU2,0\n", "NF018", "'u1' and 'U1'"),
    "some": ("item,accuracy\nu1,1\nu2,0\n", "NF017", "'old' alone has 118 examples"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_compared(capsys, pair, tmp_path, name):
    content, code, why = FILES[name]
    path = tmp_path / f"{name}.csv"
    path.write_text(content)

    message = refused(capsys, pair[0], path, "--metric", "accuracy")

    assert message.startswith(code + "  ")
    assert why in message


def test_scores_outside_their_bounds_are_named(capsys, pair):
    pair[1].write_text(pair[1].read_text().replace("\nu2,0\n", "\nu2,7\n"))

    message = refused(capsys, *pair)

    assert message.startswith("NF010")
    assert "'new/u2: 7'" in message


def test_wer_has_no_bounds_until_they_are_declared(capsys, tmp_path):
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for shift, path in enumerate(paths):
        rates = (f"u{i},{(i * 7 % 11 + shift) / 10}" for i in range(40))
        path.write_text("item,wer\n" + "\n".join(rates) + "\n")

    message = refused(capsys, *paths)
    assert message.startswith("NF019")
    assert "insertions" in message
    assert answered(capsys, *paths, "--bounds", "0", "3")["question"]["bounds"] == [0, 3]
    assert answered(capsys, *paths, "--method", "t")["guarantee"] == "asymptotic"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--method", "magic"], "--method magic is not one of auto, mcnemar"),
        (["--alternative", "nicer"], "--alternative nicer is not one of better"),
        (["--alternative", "not-worse"], "needs a margin above 0"),
        (["--alternative", "equivalent"], "margin"),
        (["--alpha", "5"], "--alpha 5.0 must lie"),
        (["--bounds", "1", "0"], "--bounds 1.0 0.0"),
        (["--bounds", "1"], "See nofluke compare --help"),
        (["--missing", "own"], "--missing own"),
        (["--groups"], "--groups or --mix asks for the group column"),
        (["--mix", "news=1"], "name it with --columns group=...;"),
        (["--clusters"], "name it with --columns cluster=...;"),
        (["--unpaired"], "--unpaired is for examples of their own"),
        (["--mix", "news=much", "--groups"], "--mix much is not a number"),
        (["--mix", "news"], "not ROLE=COLUMN"),
        (["--columns", "accuracy"], "not ROLE=COLUMN"),
        (["--frobnicate"], "frobnicate"),
        (["--format", "poem"], "poem"),
    ],
)
def test_a_bad_question_gets_one_clear_message(capsys, pair, options, why):
    message = refused(capsys, *pair, *options)

    assert why in message
    assert len(message.splitlines()) == 1


IGNORED = {
    "--margin": ["0.1"],
    "--method": ["t"],
    "--planned": ["10"],
    "--clusters": [],
    "--max-cluster-size": ["3"],
    "--groups": [],
    "--mix": ["news=1"],
    "--population": ["999"],
    "--unpaired": [],
    "--show-work": [],
    "--poll": ["2"],
    "--idle": ["2"],
    "--state": ["s.json"],
}


@pytest.mark.parametrize("option", IGNORED)
@pytest.mark.parametrize("way", [POOLED, AUDIT], ids=["pooled", "audit"])
def test_an_option_that_would_be_ignored_is_refused(capsys, table, way, option):
    message = refused(capsys, table, *SIDES, *way, option, *IGNORED[option])

    assert message == f"NF008  {option} would be ignored with {way[0]}; leave it out.\n"


def test_what_an_audit_cannot_be_asked(capsys, table):
    how = (table, *SIDES, *AUDIT)

    assert "every test there is for a gain" in refused(capsys, *how, "--alternative", "worse")
    assert "--missing would be ignored" in refused(capsys, *how, "--missing", "common")
    both = refused(capsys, *how, *POOLED)
    assert "--bounds and --audit-methods would be ignored with --pooled" in both
    assert "--binary would be ignored" in refused(capsys, table, *SIDES, *POOLED, "--binary")


@pytest.mark.parametrize(
    "option",
    [
        *[name for name in IGNORED if name not in ("--margin", "--planned", "--poll", "--idle",
                                                    "--state")],
        "--failed", "--delimiter", "--decimal", "--missing", "--report", "--quiet", "--seed",
        "--pooled", "--audit-methods",
    ],
)  # fmt: skip
def test_a_watch_refuses_what_it_does_not_take(capsys, pair, option):
    values = {"--seed": ["7"], "--quiet": [], "--audit-methods": []} | IGNORED
    given = values.get(option, ["common"])

    message = refused(capsys, "--follow", pair[0], option, *given)

    assert message == f"NF008  {option} would be ignored with --follow; leave it out.\n"


def test_sources_beside_a_watch_and_a_watch_without_one(capsys, pair):
    message = refused(capsys, pair[1], "--follow", pair[0])
    assert f"{pair[1]} would be ignored with --follow (it reads the file it names)" in message

    message = refused(capsys, *pair, "--poll", "2", "--idle", "3", "--state", "s.json")
    assert message.startswith("NF008  --poll, --idle and --state would be ignored without --follow")


def test_a_watch_from_the_command_line(capsys, tmp_path):
    path = tmp_path / "growing.csv"
    lines = "".join(f"u{i},{i % 2 * 0.5},{0.5 + i % 2 * 0.5}\n" for i in range(60))
    path.write_text("item,score_a,score_b\n" + lines)

    watch = ("--follow", path, "--idle", "0", "--better", "higher", "--bounds", "0", "1")
    found = answered(capsys, *watch)
    code, out, _ = ask(capsys, "compare", *watch, "--margin", "0.4")

    assert (found["kind"], found["verdict"]) == ("watched", "better")
    assert found["decided_at"] < 60
    assert code == 0
    assert "there is no verdict yet" in out
    assert "--format csv is not one of" in refused(capsys, *watch, "--format", "csv")


def test_every_option_has_a_line_of_help_and_help_stays_light():
    program = Path(sys.executable).with_name("nofluke")
    env = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(
        [str(program), "compare", "--help"], capture_output=True, check=False, text=True, env=env
    )
    assert done.returncode == 0
    told = [line for line in done.stdout.splitlines() if line.startswith("  --")]
    options = [name for name in inspect.signature(compare).parameters if name != "sources"]
    for name in options:
        option = "--" + name.replace("_", "-")
        line = next(line for line in told if line.split()[0].rstrip(":") == option)
        text = line.partition(": ")[2].partition(" [")[0]
        assert text.endswith((".", ":x,y.", "0 1.")), line
        assert len(line) <= 110
    assert len(told) == len(options)


def test_help_loads_no_heavy_module():
    code = (
        "import sys; from nofluke.cli import run; run(['compare', '--help']); "
        "heavy = {'numpy', 'scipy', 'duckdb', 'matplotlib', 'narwhals'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
