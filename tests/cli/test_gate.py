"""`nofluke gate` as a pipeline meets it: a repository, exit codes, files for machines."""

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml

from nofluke.cli import run

ROOT = Path(__file__).parents[2]
N = 200


def write(folder, name, scores, head="id,accuracy"):
    rows = "".join(f"u{i},{score}\n" for i, score in enumerate(scores))
    (folder / name).write_text(f"{head}\n{rows}")


@pytest.fixture
def repository(tmp_path):
    """A baseline, and answers that are clearly better, clearly worse, and much the same."""
    (tmp_path / "runs").mkdir()
    for name, wrong in {"old": 80, "good": 20, "bad": 140, "same": 78}.items():
        write(tmp_path / "runs", f"{name}.csv", [int(i >= wrong) for i in range(N)])
    return tmp_path


def parsed(path):
    return ET.fromstring(path.read_text("utf-8"))  # noqa: S314 (we wrote it)


def check(candidate, **keys):
    told = {"name": candidate, "baseline": "runs/old.csv", "candidate": f"runs/{candidate}.csv"}
    lines = [f"{k} = {json.dumps(v)}" for k, v in {**told, **keys}.items()]
    return "[[check]]\n" + "\n".join(lines) + "\n"


def gate(folder, *tokens, config=None):
    """A run in this process."""
    if config is not None:
        (folder / "nofluke.toml").write_text(config)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["gate", *map(str, tokens)])
    return subprocess.CompletedProcess(tokens, code, out.getvalue(), err.getvalue())


def started(folder, *tokens, config):
    """A run in a process of its own, as a pipeline starts it."""
    (folder / "nofluke.toml").write_text(config)
    return subprocess.run(
        [sys.executable, "-c", "from nofluke.cli import main; main()", "gate", *map(str, tokens)],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("candidate", "code", "word"),
    [("good", 0, "PASS"), ("bad", 1, "FAIL"), ("same", 3, "NOT ENOUGH EVIDENCE")],
)
def test_the_exit_code_is_the_verdict(repository, candidate, code, word):
    done = started(repository, config=check(candidate))
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(f"{word}: 1 check")
    assert "pairs 200" in done.stdout


def test_what_cannot_be_read_is_unusable_and_the_others_are_asked(repository):
    done = started(repository, "--junit", "j.xml", config=check("good") + check("lost"))
    assert done.returncode == 2
    assert "lost: UNUSABLE" in done.stdout
    assert "NF001" in done.stdout
    assert "good: PASS" in done.stdout
    suites = parsed(repository / "j.xml")
    assert (suites.get("tests"), suites.get("errors")) == ("2", "1")
    assert suites.find("./testsuite[@name='lost']/testcase/error") is not None


def test_a_failure_that_was_shown_outranks_what_is_unusable(repository):
    assert gate(repository, config=check("bad") + check("lost")).returncode == 1


def test_without_a_configuration_there_is_no_gate(tmp_path):
    done = gate(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("NF035  there is no gate in")


def test_paths_are_those_of_the_configuration(repository, tmp_path_factory):
    (repository / "nofluke.toml").write_text(check("good"))
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert gate(elsewhere, repository).returncode == 0


def test_pyproject_serves_as_well(repository):
    text = "[project]\nname = 'x'\n" + check("good").replace("[[check]]", "[[tool.nofluke.check]]")
    (repository / "pyproject.toml").write_text(text)
    assert gate(repository).returncode == 0


@pytest.mark.parametrize(("word", "code"), [("fail", 1), ("pass", 0), ("report", 3)])
def test_what_too_little_evidence_means_is_said(repository, word, code):
    by_key = gate(repository, config=check("same", inconclusive=word))
    by_option = gate(repository, "--inconclusive", word, config=check("same"))
    assert by_key.returncode == by_option.returncode == code
    assert ("NF178" in by_key.stdout) == (word != "report")


def test_every_mistake_is_told_at_once_with_the_nearest_key(repository):
    config = (
        check("good", alpah=0.05, marjin=0.1)
        + check("bad", alpha="0.05", better="high", planned=1.5, bounds=[1, 0])
        + check("same", margin=-1)
        + check("lost", alpha=5, binary="yes")
        + "[chekc]\n"
    )
    done = gate(repository, config=config)
    assert (done.returncode, done.stdout) == (2, "")
    told = done.stderr
    assert told.startswith("NF034  ")
    for said in (
        "holds 10 mistakes",
        "good: unknown key 'alpah'. Did you mean 'alpha'?",
        "good: unknown key 'marjin'. Did you mean 'margin'?",
        'bad: alpha = "0.05" is a text; expected a number; write it without quotes.',
        "bad: better = \"high\" is not one of higher, lower. Did you mean 'higher'?",
        "bad: planned = 1.5 is a number; expected a whole number.",
        "bad: bounds = [1, 0]: the first must be below the second.",
        "same: margin = -1 must be a finite number, at least 0.",
        "lost: alpha=5 must lie strictly between 0 and 1. If you mean 5 %, write 0.05.",
        'lost: binary = "yes" is a text; expected true or false',
        "unknown key 'chekc' beside check.",
    ):
        assert said in told


def test_the_summary_has_the_verdict_first_and_the_audit_of_pairs(repository):
    gate(repository, "--summary", "s.md", config=check("good") + check("same"))
    text = (repository / "s.md").read_text()
    assert text.startswith("## nofluke gate: NOT ENOUGH EVIDENCE: 2 checks, 1 pass, 1 inconclusive")
    good, same = re.split("^### ", text, flags=re.MULTILINE)[1:]
    assert good.startswith("good: pass")
    cells = {line.split(" | ")[0]: line for line in good.splitlines() if line.startswith("| ")}
    assert "yes" in cells["| accuracy"]
    # Both intervals, in cells of their own.
    assert len(re.findall(r"&#91;[-\d.]+, [-\d.]+&#93;", cells["| accuracy"])) == 2
    assert cells["| pairs"] == "| pairs | 200 |"
    assert cells["| only a"] == "| only a | 0 |"
    assert "| inputs differ | not known |" in good
    assert re.search(r"SHA-256 of the input `[0-9a-f]{64}`", good)
    assert "NF176" in same
    assert "One question at alpha 0.05" in same


def test_an_id_is_text_wherever_it_goes(repository):
    name = "x|y <b>@me [z](http://e)\x07"
    config = check("good", b=name)
    gate(repository, "--summary", "s.md", "--junit", "j.xml", config=config)
    text = (repository / "s.md").read_text()
    assert not set("@<[\x07") & set(text.replace("<sub>", "").replace("</sub>", ""))
    assert "x&#124;y" in text
    assert "x|y <b>@me" in parsed(repository / "j.xml").findtext(".//system-out")


def test_junit_tells_what_the_exit_code_tells(repository):
    config = check("good") + check("bad") + check("same")
    gate(repository, "--junit", "j.xml", config=config)
    suites = parsed(repository / "j.xml")
    counts = {k: suites.get(k) for k in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "1"}
    failure = suites.find("./testsuite[@name='bad']/testcase[@name='accuracy']/failure")
    assert failure.get("message").startswith("No. With 95 % confidence")
    assert "pairs 200" in failure.text


def test_json_is_whole(repository):
    done = gate(repository, "--format", "json", config=check("bad"))
    told = json.loads(done.stdout, parse_constant=pytest.fail)
    assert (told["kind"], told["outcome"], told["exit_code"]) == ("gate", "fail", 1)
    (metric,) = told["checks"][0]["metrics"]
    assert metric["comparison"]["pairing"]["pairs"] == N


def test_reports_are_pages_of_every_comparison(repository):
    gate(repository, "--report", "pages", config=check("good") + check("bad"))
    names = sorted(path.name for path in (repository / "pages").iterdir())
    assert names == ["01-good-accuracy.html", "02-bad-accuracy.html"]
    done = gate(repository, "--report", "one.html")
    assert (done.returncode, done.stderr[:5]) == (2, "NF008")
    assert not (repository / "one.html").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--summary", "runs/old.csv"), "would overwrite the source"),
        (("--junit", "runs/../runs/good.csv"), "would overwrite the source"),
        (("--report", "linked.html"), "would overwrite the source"),
        (("--summary", "plan.json"), "would overwrite the plan"),
        (("--junit", "nofluke.toml"), "would overwrite the configuration"),
        (("--junit", "x", "--summary", "./x"), "--junit and --summary are both x"),
        (("--report", "x.html", "--summary", "x.html"), "are both x.html"),
        (("--report", "pages", "--summary", "pages/01-good-accuracy.html"), "lies among the pages"),
        (("--summary", "runs"), "--summary runs is a folder; name a file"),
        (("--report", "note.txt"), "is a file; name a folder"),
        (("--junit", "no/x.xml"), "there is no folder no"),
    ],
)
def test_nothing_that_is_read_is_overwritten(repository, options, said):
    (repository / "plan.json").write_text("{}")
    (repository / "note.txt").write_text("note")
    (repository / "linked.html").symlink_to(repository / "runs/good.csv")
    (repository / "pages").mkdir()
    config = check("good") + check("lost", plan="plan.json")
    if "--report" in options and options[1].endswith(".html"):
        config = check("good")
    before = {p: p.read_bytes() for p in repository.rglob("*") if p.is_file()}
    done = gate(repository, *options, config=config)
    assert (done.returncode, done.stderr[:5]) == (2, "NF008")
    assert said in done.stderr.replace("\\", "/")
    (repository / "nofluke.toml").unlink()
    assert {p: p.read_bytes() for p in repository.rglob("*") if p.is_file()} == before


def test_a_file_of_a_source_folder_is_not_overwritten(repository):
    for side in ("old", "good"):
        folder = repository / f"{side}-run"
        folder.mkdir()
        (repository / f"runs/{side}.csv").rename(folder / "part.csv")
    config = '[[check]]\nname = "x"\nbaseline = "old-run"\ncandidate = "good-run"\n'
    done = gate(repository, "--summary", "good-run/part.csv", config=config)
    assert "would overwrite the source" in done.stderr
    assert gate(repository, "--summary", "good-run/s.md").returncode == 0
    assert gate(repository, "--summary", "good-run/s.md").returncode == 0


MAIN = f'{sys.executable} -c "from nofluke.cli import main; main()" gate'


@pytest.mark.parametrize(("candidate", "code"), [("good", 0), ("bad", 1), ("same", 3)])
@pytest.mark.parametrize("options", ["", "--format json"])
def test_a_reader_that_has_gone_does_not_change_the_verdict(repository, candidate, code, options):
    (repository / "nofluke.toml").write_text(check(candidate))
    script = f"( sleep 0.01; PYTHONUNBUFFERED=1 {MAIN} {options}; echo $? > code ) | true"
    done = subprocess.run(["bash", "-c", script], cwd=repository, capture_output=True, check=False)
    assert (int((repository / "code").read_text()), done.stderr) == (code, b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_does_not_change_the_verdict(repository, closed):
    (repository / "nofluke.toml").write_text(check("bad"))
    done = subprocess.run(["bash", "-c", f"{MAIN} {closed}"], cwd=repository, check=False,
                          capture_output=True)  # fmt: skip
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_gate_that_breaks_off_never_passes(repository, monkeypatch):
    from nofluke import cli

    def broken(*args, **how):
        raise SystemExit(0)

    monkeypatch.setattr("nofluke.gate.run", broken)
    monkeypatch.setattr(cli, "silence", lambda: None)
    assert gate(repository, config=check("good")).returncode == 2


def test_the_configuration_is_not_overwritten(repository):
    done = gate(repository, "--summary", "nofluke.toml", config=check("good"))
    assert done.returncode == 2
    assert (repository / "nofluke.toml").read_text() == check("good")


class TestTheAction:
    """action.yml, read as YAML, its steps run by bash as a runner does."""

    ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))

    def run(self, folder, step, **inputs):
        given = {name: told["default"] for name, told in self.ACTION["inputs"].items()} | inputs
        values = {f"inputs.{name}": value for name, value in given.items()}
        env = {k: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda m: values[m[1]], v)
               for k, v in step["env"].items()}  # fmt: skip
        tools = folder / "tools"
        (tools / "nofluke/bin").mkdir(parents=True, exist_ok=True)
        nofluke = tools / "nofluke/bin/nofluke"
        nofluke.write_text(
            f'#!/bin/sh\nexec {sys.executable} -c "from nofluke.cli import main; main()" "$@"\n'
        )
        nofluke.chmod(0o755)
        env |= {"RUNNER_TEMP": str(tools), "GITHUB_PATH": str(folder / "path"),
                "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
                "GITHUB_OUTPUT": str(folder / "output")}  # fmt: skip
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        return subprocess.run(
            shell, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    @pytest.mark.parametrize(
        ("candidate", "code", "word"),
        [("good", 0, "pass"), ("bad", 1, "fail"), ("same", 3, "inconclusive")],
    )
    def test_it_runs_the_gate_and_shows_the_summary(self, repository, candidate, code, word):
        (repository / "nofluke.toml").write_text(check(candidate))
        (repository / "summary.md").write_text("# before\n")
        _, step = self.ACTION["runs"]["steps"]
        done = self.run(repository, step, junit="j x.xml")
        assert done.returncode == code, done.stderr
        text = (repository / "summary.md").read_text()
        assert text.startswith("# before\n## nofluke gate: ")
        assert "| pairs | 200 |" in text
        assert (repository / "output").read_text() == f"outcome={word}\n"
        assert (repository / "j x.xml").exists()

    def test_a_mistake_is_unusable_and_shows_no_old_summary(self, repository):
        (repository / "nofluke.toml").write_text("[[chek]]\n")
        _, step = self.ACTION["runs"]["steps"]
        done = self.run(repository, step)
        assert done.returncode == 2
        assert not (repository / "summary.md").exists()
        assert (repository / "output").read_text() == "outcome=unusable\n"

    def test_it_leaves_the_path_of_later_steps_alone(self):
        assert "GITHUB_PATH" not in (ROOT / "action.yml").read_text("utf-8")

    def test_no_input_is_pasted_into_a_script(self):
        for step in self.ACTION["runs"]["steps"]:
            assert step["shell"] == "bash"
            assert "${{" not in step["run"]
            done = subprocess.run(["bash", "-n", "-c", step["run"]], check=False)
            assert done.returncode == 0


def test_the_schema_is_that_of_the_keys(repository):
    import jsonschema

    from nofluke.gate.keys import schema

    told = json.loads((ROOT / "docs/reference/gate.schema.json").read_text("utf-8"))
    assert told == schema()
    valid = jsonschema.Draft202012Validator(told).is_valid
    assert valid(tomllib.loads(check("good", margin=0.1) + check("bad", metrics=["a", "b"])))
    assert not valid(tomllib.loads(check("good", alpah=0.1)))
    assert not valid(tomllib.loads(check("good", alpha="0.1")))
    assert not valid(tomllib.loads(check("good", alpha=1.5)))
