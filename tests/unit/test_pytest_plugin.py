"""The pytest plugin, in test suites of its own: passing, failing, undecided, run again."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from nofluke import plan

ROOT = Path(__file__).parents[2]
RERUNS = pytest.mark.skipif(
    importlib.util.find_spec("pytest_rerunfailures") is None, reason="needs pytest-rerunfailures"
)
XDIST = pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="needs pytest-xdist")

DATA = """
import pathlib
import numpy as np
OLD = [int(i >= 80) for i in range(200)]
GOOD = [int(i >= 20) for i in range(200)]
BAD = [int(i >= 140) for i in range(200)]
SAME = [int(i >= 78) for i in range(200)]
HOW = {"metric": "accuracy"}
def tries():
    "How often this was called, in this session and in others."
    path = pathlib.Path("tries.txt")
    path.write_text((path.read_text() if path.exists() else "") + "x")
    return len(path.read_text())
"""

# What pytest-rerunfailures does, as far as the plugin can see it: the same item once more.
AGAIN = """
def pytest_runtest_protocol(item, nextitem):
    from _pytest.runner import runtestprotocol
    for _ in range(2):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        item._initrequest()
        for report in runtestprotocol(item, nextitem=nextitem, log=False):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True
"""


class Ran:
    def __init__(self, done):
        self.code, self.out = done.returncode, done.stdout + done.stderr
        last = re.findall(r"^=+ (.*) in [\d.]+s.*$", self.out, re.MULTILINE)
        self.counts = {w: int(n) for n, w in re.findall(r"(\d+) (\w+)", last[-1])} if last else {}


@pytest.fixture
def suite(tmp_path):
    """Runs a suite in a process of its own, with the plugin and named others."""
    (tmp_path / "data.py").write_text(DATA)

    def run(tests, *options, plugins=(), conftest=""):
        (tmp_path / "test_it.py").write_text("from data import *\nimport pytest\n" + tests)
        (tmp_path / "conftest.py").write_text(conftest)
        loaded = [w for p in ("nofluke.pytest_plugin", *plugins) for w in ("-p", p)]
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "pytest", *loaded, "--strict-markers",
             "--strict-config", "-rN", *map(str, options)],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        )  # fmt: skip
        return Ran(done)

    return run


def test_a_claim_that_is_shown_passes_and_returns_the_comparison(suite):
    ran = suite("""
def test_better(nofluke):
    answer = nofluke.assert_better(OLD, GOOD, **HOW)
    assert (answer.verdict, answer.a, answer.b) == ("yes", "a", "b")
def test_names(nofluke):
    assert nofluke.assert_better(OLD, GOOD, names=("old", "new"), **HOW).b == "new"
def test_not_worse(nofluke):
    nofluke.assert_not_worse(OLD, SAME, margin=0.1, **HOW)
def test_equivalent(nofluke):
    nofluke.assert_equivalent(np.array(OLD), np.array(SAME), margin=0.1, **HOW)
""")
    assert (ran.code, ran.counts) == (0, {"passed": 4})
    assert "= nofluke =" in ran.out
    assert "test_it.py::test_better: PASS (yes), better, difference +0.3, 200 pairs" in ran.out


def test_a_claim_that_is_refuted_fails_with_the_verdict_the_limits_and_the_sentence(suite):
    ran = suite("def test_it(nofluke):\n    nofluke.assert_better(OLD, BAD, **HOW)\n")
    assert (ran.code, ran.counts) == (1, {"failed": 1})
    assert "AssertionError: NO (alpha 0.05, finite-sample)" in ran.out
    assert "No. With 95 % confidence, it is not so that b is better than a in mean acc" in ran.out
    assert re.search(r"difference -0.3; guaranteed \[-0.\d+, -0.\d+\], asymptotic \[-0", ran.out)
    # The traceback ends in the test and shows nothing of the plugin's own.
    assert "pytest_plugin.py" not in ran.out


@pytest.mark.parametrize(("word", "code"), [("fail", 1), ("skip", 0), ("pass", 0)])
def test_too_little_evidence_is_what_was_said(suite, word, code):
    ran = suite(
        "def test_it(nofluke):\n    nofluke.assert_better(OLD, SAME, **HOW)\n",
        f"--nofluke-inconclusive={word}", "-rs",
    )  # fmt: skip
    past = {"fail": "failed", "skip": "skipped", "pass": "passed"}[word]
    assert (ran.code, ran.counts) == (code, {past: 1})
    assert f"test_it: {word.upper()} (not enough evidence)" in ran.out
    if word == "fail":
        assert re.search(r"NF176: About \d+ more pairs are needed", ran.out)


def test_sides_may_be_mappings_files_frames_and_names_in_a_table(suite, tmp_path):
    for name, wrong in (("old", 80), ("new", 20)):
        rows = "".join(f"u{i},{int(i >= wrong)}\n" for i in range(200))
        (tmp_path / f"{name}.csv").write_text("id,accuracy\n" + rows)
    ran = suite("""
import nofluke as library
def test_mappings(nofluke):
    a, b = ({f"u{i}": x for i, x in order} for order in
            (enumerate(OLD), reversed(list(enumerate(GOOD)))))
    assert nofluke.assert_better(a, b, **HOW).test.losses == 0
def test_files(nofluke):
    assert nofluke.assert_better("old.csv", pathlib.Path("new.csv")).b == "new"
def test_frames(nofluke):
    import pandas as pd
    a, b = (pd.read_csv(f"{name}.csv") for name in ("old", "new"))
    nofluke.assert_better(a, b, names=("old", "new"))
def test_table(nofluke):
    table = library.read({"old": "old.csv", "new": "new.csv"})
    nofluke.assert_better("old", "new", scores=table)
@pytest.mark.parametrize("b", [{"u1": 1}, "new.csv"])
def test_mixed(nofluke, b):
    with pytest.raises(ValueError, match="one side is an array"):
        nofluke.assert_better(OLD, b)
def test_unpaired(nofluke):
    with pytest.raises(ValueError):
        nofluke.assert_better(OLD, GOOD[:-1], **HOW)
""")
    assert (ran.code, ran.counts) == (0, {"passed": 7}), ran.out


def test_json_report_and_junit_hold_every_comparison(suite, tmp_path):
    ran = suite(
        "def test_it(nofluke):\n"
        "    nofluke.assert_better(OLD, GOOD, **HOW)\n"
        "    nofluke.assert_not_worse(OLD, BAD, margin=0.01, **HOW)\n",
        "--nofluke-json", "all.json", "--nofluke-report", "pages", "--junitxml", "j.xml",
        "-o", "junit_family=xunit1",
    )  # fmt: skip
    assert ran.code == 1
    told = json.loads((tmp_path / "all.json").read_text())["assertions"]
    assert [(t["assertion"], t["outcome"]) for t in told] == [(1, "pass"), (2, "fail")]
    assert told[0]["pairing"]["pairs"] == 200
    assert sorted(p.name for p in (tmp_path / "pages").iterdir()) == [
        "test-it-py-test-it-1-1.html",
        "test-it-py-test-it-2-1.html",
    ]
    suites = ET.fromstring((tmp_path / "j.xml").read_text("utf-8"))  # noqa: S314 (pytest wrote it)
    assert len(suites.findall(".//property[@name='nofluke']")) == 2


UNDECIDED = "def test_it(nofluke):\n    nofluke.assert_better(OLD, SAME, **HOW)\n"
# Another draw of answers in each execution, none of them decisive.
FRESH = (
    "def test_it(nofluke):\n"
    "    k = tries()\n"
    "    nofluke.assert_better(OLD, [int(i >= 78 - k) for i in range(200)], **HOW)\n"
)
# The same answers and further ones, in the order of the plan.
GROWING = """
import nofluke as library
def test_it(nofluke):
    ids = library.plan.order([f"u{i}" for i in range(400)])[: (50, 400)[tries() - 1]]
    a = {i: int(int(i[1:]) % 10 >= 4) for i in ids}
    b = {i: int(int(i[1:]) % 10 >= 2) for i in ids}
    nofluke.assert_not_worse(a, b, margin=0.01, planned=400, alpha=1e-6, **HOW)
"""


class TestTheSameTestAgain:
    def test_the_same_data_cannot_answer_otherwise(self, suite):
        ran = suite(UNDECIDED, conftest=AGAIN)
        assert ran.counts == {"failed": 2}
        assert "a rerun is a new look" in ran.out
        assert "the same verdict only: not enough evidence" in ran.out
        assert "NF036: nofluke explain NF036" in ran.out
        assert "looks.py" not in ran.out

    def test_other_data_find_nothing_left_of_alpha(self, suite):
        ran = suite(FRESH, conftest=AGAIN)
        assert ran.counts == {"failed": 2}
        assert "a rerun is a new look: the data are others, and the first look has spent" in ran.out

    def test_a_pass_is_no_reason_to_refuse_the_same_data(self, suite):
        tests = "def test_it(nofluke):\n    nofluke.assert_better(OLD, GOOD, **HOW)\n"
        assert suite(tests, conftest=AGAIN).counts == {"passed": 2}

    def test_alpha_is_split_where_it_was_said_before(self, suite, tmp_path):
        tests = "@pytest.mark.flaky(reruns=2)\n" + FRESH
        marked = "config.addinivalue_line('markers', 'flaky: run again')"
        conftest = f"{AGAIN}\ndef pytest_configure(config):\n    {marked}\n"
        ran = suite(tests, "--nofluke-json", "all.json", conftest=conftest)
        assert ran.counts == {"failed": 2}
        told = json.loads((tmp_path / "all.json").read_text())["assertions"]
        assert [t["alpha"] for t in told] == pytest.approx([0.05 / 2, 0.05 / 6])
        assert "NF179: alpha 0.05 is split" in ran.out

    def test_a_plan_may_be_read_again_as_it_goes_on(self, suite, tmp_path):
        ran = suite(GROWING, "--nofluke-json", "all.json", conftest=AGAIN)
        assert ran.counts == {"failed": 1, "passed": 1}, ran.out
        told = json.loads((tmp_path / "all.json").read_text())["assertions"]
        assert [(t["n_units"], t["alpha"], t["look"]) for t in told] == [
            (50, 1e-6, 1),
            (400, 1e-6, 1),
        ]

    def test_a_plan_is_no_licence_for_fresh_answers(self, suite):
        ran = suite(FRESH.replace("**HOW", "planned=200, **HOW"), conftest=AGAIN)
        assert ran.counts == {"failed": 2}
        assert "the 200 units seen before are not the first ones of these 200" in ran.out

    def test_a_plan_settles_the_question_before_the_first_look(self, suite):
        tests = GROWING.replace("margin=0.01, planned=400", "margin=0.01 * tries(), planned=400")
        ran = suite(tests.replace("[tries() - 1]", "[1]"), conftest=AGAIN)
        assert "the question is settled before the first" in ran.out

    @RERUNS
    def test_rerunfailures_is_refused_on_the_same_data(self, suite):
        ran = suite(UNDECIDED, "--reruns", 1, plugins=["pytest_rerunfailures"])
        assert ran.counts == {"failed": 1, "rerun": 1}
        assert "the same verdict only" in ran.out

    @RERUNS
    def test_rerunfailures_splits_alpha_on_other_data(self, suite, tmp_path):
        options = ("--reruns", 2, "--nofluke-json", "all.json")
        ran = suite(FRESH, *options, plugins=["pytest_rerunfailures"])
        assert ran.counts == {"failed": 1, "rerun": 2}
        told = json.loads((tmp_path / "all.json").read_text())["assertions"]
        assert [t["alpha"] for t in told] == pytest.approx([0.05 / 2, 0.05 / 6, 0.05 / 12])

    def test_running_the_suite_again_is_no_new_look(self, suite, tmp_path):
        outs = [suite(UNDECIDED, "--lf", "--nofluke-json", f"{k}.json") for k in (1, 2)]
        assert [ran.counts for ran in outs] == [{"failed": 1}] * 2
        assert "a rerun" not in outs[1].out
        one, two = ((tmp_path / f"{k}.json").read_bytes() for k in (1, 2))
        assert one == two


def test_a_plan_settles_alpha_and_is_not_split(suite, tmp_path):
    plan.write(tmp_path / "plan.json", planned=200, a="a", b="b", alpha=0.01, bounds=(0, 1),
               better="higher", metric="accuracy", binary=True)  # fmt: skip
    tests = "def test_it(nofluke):\n    nofluke.assert_better(OLD, GOOD, plan='plan.json', **HOW)\n"
    ran = suite(tests, "--nofluke-ledger", "looks.json", "--nofluke-json", "all.json")
    assert ran.counts == {"passed": 1}, ran.out
    (told,) = json.loads((tmp_path / "all.json").read_text())["assertions"]
    assert (told["alpha"], told["alpha_of_all_looks"], told["guarantee"]) == (0.01, 0.01, "anytime")


@pytest.mark.parametrize(("said", "alpha"), [("2", 0.025), ("0", 0.05)])
def test_reruns_of_the_configuration_are_announced(suite, tmp_path, said, alpha):
    conftest = "def pytest_addoption(parser):\n    parser.addini('reruns', 'run again')\n"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\nreruns = {said}\n")
    suite(UNDECIDED, "--nofluke-json", "all.json", conftest=conftest)
    (told,) = json.loads((tmp_path / "all.json").read_text())["assertions"]
    assert (told["alpha"], told["alpha_of_all_looks"]) == (alpha, 0.05)


@pytest.mark.parametrize(
    "options",
    [("--nofluke-json", "no/x.json"), ("--nofluke-ledger", "no/x"), ("--nofluke-json", "."),
     ("--nofluke-report", "data.py")],
)  # fmt: skip
def test_what_could_not_be_written_is_refused_before_any_test(suite, options):
    ran = suite(UNDECIDED, *options)
    assert (ran.code, ran.counts) == (4, {})
    assert f"{options[0]} {options[1]}" in ran.out


def test_an_assertion_claims_what_its_name_says(suite):
    ran = suite("def test_it(nofluke):\n"
                "    nofluke.assert_better(OLD, GOOD, alternative='worse', **HOW)\n")  # fmt: skip
    assert ran.counts == {"failed": 1}
    assert "it is fixed by the assertion's name: assert_better claims 'better'" in ran.out


class TestTheLedger:
    def test_it_counts_the_looks_of_all_runs_at_other_data_only(self, suite, tmp_path):
        alphas = []
        for tests in (FRESH, UNDECIDED, UNDECIDED):
            suite(tests, "--nofluke-ledger", "looks.json", "--nofluke-json", "all.json")
            told = json.loads((tmp_path / "all.json").read_text())["assertions"]
            alphas.append(told[0]["alpha"])
        assert alphas == pytest.approx([0.05 / k for k in (2, 6, 6)])

    def test_another_file_is_refused(self, suite, tmp_path):
        (tmp_path / "looks.json").write_text("[]")
        ran = suite(UNDECIDED, "--nofluke-ledger", "looks.json")
        assert "--nofluke-ledger looks.json cannot be used" in ran.out
        assert (tmp_path / "looks.json").read_text() == "[]"


@XDIST
def test_several_processes_report_together(suite, tmp_path):
    tests = """
@pytest.mark.parametrize("k", range(6))
def test_it(nofluke, k):
    nofluke.assert_better(OLD, [int(i >= 20 + k) for i in range(200)], **HOW)
"""
    options = ("-n", 2, "--nofluke-json", "all.json", "--nofluke-ledger", "looks.json",
               "--nofluke-report", "pages")  # fmt: skip
    ran = suite(tests, *options, plugins=["xdist"])
    assert (ran.code, ran.counts) == (0, {"passed": 6}), ran.out
    assert ran.out.count(": PASS (yes)") == 6
    assert len(json.loads((tmp_path / "all.json").read_text())["assertions"]) == 6
    assert len(json.loads((tmp_path / "looks.json").read_text())["looks"]) == 6
    assert len(list((tmp_path / "pages").iterdir())) == 6


def test_who_does_not_use_it_does_not_notice(suite):
    ran = suite("def test_it():\n    import sys\n    assert 'nofluke.gate' not in sys.modules\n")
    assert ran.counts == {"passed": 1}
    assert "nofluke" not in ran.out.replace("nofluke-", "")


def test_it_is_light():
    code = "import sys, nofluke.pytest_plugin; print(*{'numpy', 'scipy', 'numba'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_pytest_finds_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"nofluke": "nofluke.pytest_plugin"}
