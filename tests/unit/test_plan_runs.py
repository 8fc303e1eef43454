"""How many runs: which limits exist, what a pilot says, and what is refused."""

import json
import math

import numpy as np
import pytest

from nofluke import Scores, plan, quantiles, read, report
from nofluke.cli.plan_text import headline, tables
from nofluke.errors import InputError
from nofluke.questions.run_sizes import limits_at

US = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("u", [0.05, 0.3, 0.5, 0.77, 0.9])
def test_the_table_changes_where_the_sizes_say(u, level):
    answer = plan.runs(u, level)
    for row in answer.rows():
        n = row["n"]
        assert (row["exists"] in "HA") == (n >= answer.total)
        assert (row["exists"] == "H") == (n >= answer.equal)
        low, high = (n >= first for first in answer.anytime_both)
        assert row["anytime"] == (
            "both" if low and high else "lower" if low else "upper" if high else "none"
        )
        if row["exists"] in "UL":
            assert n >= min(answer.lower, answer.upper)
            assert row["coverage"] >= level - 1e-12
    assert {answer.total, answer.equal, 10, 15, 25, 50, 100} <= {r["n"] for r in answer.rows()}


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("u", US)
def test_what_exists_is_what_intervals_have(u, level):
    for n in range(2, 80, 3):
        found = limits_at(n, u, level)
        got = quantiles.interval(np.arange(1.0, n + 1), u, level=level)
        assert got.ranks == (found.lower, found.upper)
        assert got.status == (
            "none"
            if found.exists == "none"
            else "two_sided"
            if found.exists in "HA"
            else "one_sided"
        )


@pytest.mark.parametrize(("rule", "n"), [("total", 45), ("equal", 59), ("lower", 45), ("upper", 2)])
def test_the_rule_chooses_the_number(rule, n):
    assert plan.runs(0.05, 0.9, rule=rule).n == n


def test_sentences_are_true():
    answer = plan.runs(0.05, 0.9, n=25)
    said = " ".join(answer.sentences())
    assert "a lower limit from 45 runs on, an upper limit from 2 runs on" in said
    assert "both from 45 runs on; with equal tails from 59 runs on" in said
    assert "a lower limit exists from 49 runs on, an upper limit from 2 runs on" in said
    assert "With 25 runs there is an upper limit but not both" in said
    assert answer.notes[0].startswith("NF198: 25 runs are too few")
    assert "both limits, with equal tails" in plan.runs(0.5, 0.9, n=10).sentences()[-1]
    assert "both limits, with unequal tails" in plan.runs(0.95, 0.9, n=50).sentences()[-1]
    assert "a lower limit but not both; the upper one needs 45" in str(plan.runs(0.95, 0.9, n=10))
    assert "there is no interval; both limits need 5 runs" in str(plan.runs(0.5, 0.9, n=4))
    assert "an upper limit but not both; both need 5 runs" in str(plan.runs(0.45, 0.9, n=4))
    assert plan.runs(0.5, 0.9, n=10).notes == ()


def test_a_design_moves_the_numbers_at_any_time_only():
    small, large = plan.runs(0.05, 0.9, design=10), plan.runs(0.05, 0.9, design=1000)
    assert small.anytime[0] < large.anytime[0]
    assert (small.total, small.equal) == (large.total, large.equal)


class TestPilot:
    def test_lengths_are_those_of_the_pilot_s_law(self):
        """Of a pilot that is a grid of uniform quantiles: E X_(h) = h / (n + 1)."""
        m = 4000
        pilot = np.arange(1, m + 1) / (m + 1)
        answer = plan.runs(0.5, 0.9, pilot=pilot)
        for row in answer.rows():
            if row["exists"] == "H":
                expected = (row["upper_rank"] - row["lower_rank"]) / (row["n"] + 1)
                assert row["length"] == pytest.approx(expected, abs=2e-3)
            else:
                assert row["length"] is None

    def test_lengths_agree_with_simulated_intervals(self):
        rng = np.random.default_rng(2)
        pilot = rng.normal(size=3000)
        row = plan.runs(0.25, 0.9, pilot=pilot).at(25)
        ordered = np.sort(rng.normal(size=(20000, 25)), axis=1)
        at = [
            np.array([np.interp(h, np.arange(1, 26), r) for r in ordered[:4000]])
            for h in (row["lower_rank"], row["upper_rank"])
        ]
        assert row["length"] == pytest.approx(float((at[1] - at[0]).mean()), rel=0.05)

    def test_a_width_is_reached_at_n_and_not_before(self):
        pilot = np.random.default_rng(3).normal(0.9, 0.02, 40)
        answer = plan.runs(0.5, 0.9, pilot=pilot, width=0.01)
        assert answer.guarantee == "heuristic"
        assert answer.at(answer.n)["length"] <= 0.01
        before = plan.runs(0.5, 0.9, n=answer.n - 1, pilot=pilot)
        assert before.at(answer.n - 1)["length"] > 0.01
        assert f"at most 0.01 long from {answer.n} runs on" in answer.sentences()[-1]
        assert plan.runs(0.5, 0.9, pilot=pilot, width=10).n == answer.total

    def test_what_lies_beyond_the_pilot_is_said(self):
        few = plan.runs(0.05, 0.9, pilot=np.arange(10.0))
        assert few.guarantee == "finite-sample"  # the numbers of runs are; the lengths are no part
        assert few.notes[0].startswith("NF197: expected lengths are guesses from 10 runs")
        assert "may lie beyond all of its runs" in few.notes[0]
        many = plan.runs(0.5, 0.9, pilot=np.arange(1000.0))
        assert "beyond" not in many.notes[0]

    def test_a_table_of_runs(self):
        x = np.random.default_rng(0).normal(size=(2, 12))
        scores = Scores.from_arrays(x, candidates=["old", "new"], better="higher")
        there = plan.runs(0.5, 0.9, pilot=scores, candidate="new")
        plain = plan.runs(0.5, 0.9, pilot=x[1])
        assert there.rows() == plain.rows()
        assert there.digest == scores.digest
        for candidate in (None, "newer"):
            with pytest.raises(InputError) as error:
                plan.runs(0.5, 0.9, pilot=scores, candidate=candidate)
            assert error.value.code == "NF032"

    def test_runs_of_examples_are_no_runs_of_an_evaluation(self, tmp_path):
        rows = [f"m,e{i},{0.1 * i:.1f},r{r}" for i in range(5) for r in range(2)]
        path = tmp_path / "runs.csv"
        path.write_text("candidate,example,score,run\n" + "\n".join(rows) + "\n")
        scores = read(path, better="higher")
        with pytest.raises(InputError, match="several scores of an example") as error:
            plan.runs(0.5, 0.9, pilot=scores)
        assert error.value.code == "NF032"


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"u": 0}, "NF008"),
        ({"u": 5}, "NF008"),
        ({"level": 90}, "NF008"),
        ({"n": 1}, "NF008"),
        ({"n": 2.5}, "NF008"),
        ({"rule": "one_sided"}, "NF008"),
        ({"design": 0}, "NF008"),
        ({"width": 0.1}, "NF008"),
        ({"width": 0, "pilot": [1, 2]}, "NF008"),
        ({"width": 0.1, "pilot": [1, 2], "rule": "lower"}, "NF008"),
        ({"pilot": [1.0]}, "NF032"),
        ({"pilot": [1.0, math.inf]}, "NF032"),
        ({"pilot": [1.0, math.nan]}, "NF007"),
        ({"u": 1e-7}, "NF050"),
        ({"u": 1 - 1e-9}, "NF050"),
        ({"width": 1e-12, "pilot": [1.0, 2.0, 4.0]}, "NF050"),
    ],
)
def test_what_is_refused(how, code):
    asked = {"u": 0.05, "level": 0.9} | how
    with pytest.raises(InputError) as error:
        plan.runs(asked.pop("u"), asked.pop("level"), **asked)
    assert error.value.code == code


def test_a_pilot_without_spread_has_intervals_without_length():
    assert plan.runs(0.5, 0.9, pilot=[0.8] * 9, width=0.1).at(10)["length"] == 0


def test_json_table_text_and_page():
    answer = plan.runs(0.05, 0.9, n=25, pilot=np.linspace(0.8, 0.9, 30))
    said = json.loads(answer.to_json())
    assert (said["kind"], said["n"], said["asked"]) == ("runs_plan", 45, 25)
    assert said["anytime"] == {"lower": 49, "upper": 2}
    assert said["anytime_both"] == {"lower": 53, "upper": 3}
    assert [row["n"] for row in said["rows"]] == [row["n"] for row in answer.rows()]
    assert headline(answer) == [
        "Needed: 45 runs (limits of the 0.05 quantile at level 90 %, finite-sample)"
    ]
    ((_, table),) = tables(answer)
    assert table.row_count == len(answer.rows())
    page = report.page(answer)
    assert "two-sided, unequal tails" in page
    assert "Numbers for one look do not hold" in page


def test_extreme_but_bearable_questions_are_answered():
    answer = plan.runs(1e-5, 0.9)
    assert answer.lower == 230258
    assert answer.at(answer.total)["exists"] == "A"
    assert plan.runs(0.05, 0.9, n=10**6).at(10**6)["exists"] == "H"
