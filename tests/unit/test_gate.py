"""Gates: what a configuration means, how metrics decide together, and what is needed further."""

import html
import itertools
import json
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from nofluke import Scores, compare, gate
from nofluke.errors import InputError
from nofluke.gate import logic
from nofluke.gate.markdown import harmless, summary
from nofluke.gate.projection import further
from nofluke.questions import compare as comparing

SIDES = 'baseline = "old.csv"\ncandidate = "new.csv"\n'


def load(folder, body, head="[[check]]\n" + SIDES):
    (folder / "nofluke.toml").write_text(head + body)
    return gate.load(folder)[1]


def refused(folder, body, head="[[check]]\n" + SIDES):
    with pytest.raises(InputError) as caught:
        load(folder, body, head)
    assert caught.value.code == "NF034"
    return str(caught.value)


class TestAConfiguration:
    def test_one_table_is_one_check(self, tmp_path):
        (check,) = load(tmp_path, "", "[check]\n" + SIDES)
        assert (check.name, check.alpha, check.inconclusive) == ("check 1", 0.05, "report")
        assert check.metrics[0].asking == {"alternative": "better"}

    @pytest.mark.parametrize(
        ("body", "alternative"),
        [("", "better"), ("margin = 0", "better"), ("margin = 0.01", "not-worse"),
         ('margin = 0.01\nalternative = "better"', "better")],
    )  # fmt: skip
    def test_a_margin_is_a_loss_tolerated_unless_said(self, tmp_path, body, alternative):
        (check,) = load(tmp_path, body)
        assert check.metrics[0].asking["alternative"] == alternative

    def test_metrics_take_the_keys_of_the_check_but_for_their_own(self, tmp_path):
        body = "bounds = [0, 1]\n[check.metrics.f1]\n[check.metrics.wer]\n"
        body += 'bounds = [0, 5]\ncolumn = "w"'
        (check,) = load(tmp_path, body)
        f1, wer = check.metrics
        assert (f1.reading, check.require) == ({"bounds": [0, 1]}, "all")
        assert wer.reading == {"bounds": [0, 5], "columns": {"score": "w"}}

    def test_guardrails_tolerate_and_the_primary_gains(self, tmp_path):
        body = 'primary = "acc"\nguardrails = { wer = 0.02 }\nmargin = 0.01\n'
        (check,) = load(tmp_path, body)
        acc, wer = check.metrics
        assert acc.asking == {"margin": 0.01, "alternative": "better"}
        assert wer.asking == {"margin": 0.02, "alternative": "not-worse"}
        assert (acc.role, wer.role, check.require) == ("primary", "guardrail", "primary")

    def test_a_plan_settles_what_is_not_said(self, tmp_path):
        (check,) = load(tmp_path, 'plan = "plan.json"')
        assert check.alpha is None
        assert check.metrics[0].asking == {"plan": str(tmp_path / "plan.json")}

    @pytest.mark.parametrize(
        ("body", "said"),
        [
            ('alternative = "not-worse"', "needs a margin above 0"),
            ('metric = "a"\nmetrics = ["b", "c"]', "metric is for one"),
            ('metrics = ["a", "a"]', "metrics names one twice"),
            ('require = "all"', "require is for several metrics"),
            ('metrics = ["a", "b"]\nrequire = "some"', "not one of all, any"),
            ('primary = "a"', "primary and guardrails go together"),
            ('primary = "a"\nguardrails = { a = 1 }', "'a' is primary and a guardrail"),
            ('primary = "a"\nguardrails = { b = 0 }', "b = 0 must be above 0"),
            ('primary = "a"\nguardrails = { b = 1 }\nmetrics = ["c"]', "unknown key 'c'"),
            ('metrics = ["a", "b"]\nplan = "p"', "a plan settles one question"),
            ('metrics = ["a", "b"]\ncolumn = "p"', "column is for one metric"),
            ("metrics = []", "expected a list of names"),
            ("[check.metrics.a]\nalpha = 0.1", "metric 'a': unknown key 'alpha'"),
            ("[check.metrics.a]\nmargin = true", "margin = true is a truth value; expected a num"),
            ("columns = { score = 1 }", "expected a table of texts"),
            ("margin = inf", "margin = inf must be a finite number"),
            ("bounds = [0, nan]", "expected two numbers"),
            ("planned = 99999999999999999999", "is too large a number; expected at most"),
            (f"seed = -{10**400}", "is too large a number"),
            (f"margin = {10**400}", "expected a number"),
            (f"guardrails = {{ a = {10**400} }}", "expected a table of margins"),
            ("seed = 1.0", "seed = 1.0 is a number; expected a whole number"),
            ("planned = 0", "planned = 0 must be a finite number, at least 1"),
            ("alpha = nan", "alpha=nan is not a number"),
            ('name = " "', "name is an empty text"),
            ("name = 2026-01-01", "is a date or time; expected a text"),
            ('missing = "own"', "missing = \"own\" is not one of raise, common, worst"),
            ('method = "hedged-star"', "Did you mean 'hedged_star'?"),
            ('scores = "x.csv"', "baseline has no part"),
        ],
    )  # fmt: skip
    def test_mistakes_are_named(self, tmp_path, body, said):
        assert said in refused(tmp_path, body)

    @pytest.mark.parametrize(
        ("head", "said"),
        [
            ("", "there is no [[check]]"),
            ("check = 3\n", "check = 3 is a whole number; expected [[check]] tables"),
            ("check = [3]\n", "check 1: 3 is a whole number; expected a table"),
            ('[[check]]\nbaseline = "x"\n', "candidate is missing"),
            ('[[check]]\nscores = "x"\na = "y"\n', "say which: b is missing"),
            (
                f'[[check]]\nname="x"\n{SIDES}[[check]]\nname="x"\n{SIDES}',
                "two checks are called 'x'",
            ),
            ("[[check\n", "is not TOML"),
        ],
    )
    def test_a_file_without_a_check_is_refused(self, tmp_path, head, said):
        assert said in refused(tmp_path, "", head)

    @pytest.mark.parametrize("key", ["margin = 0.5", 'alternative = "better"'])
    def test_a_guardrail_keeps_its_margin_and_claim(self, tmp_path, key):
        body = 'primary = "acc"\nguardrails = { wer = 0.02 }\n[check.metrics.wer]\n'
        said = refused(tmp_path, body + key)
        assert f"{key.split()[0]} has no part in [check.metrics.wer]" in said
        (check,) = load(tmp_path, body + "bounds = [0, 5]\n[check.metrics.acc]\nmargin = 0.01")
        assert [m.asking["margin"] for m in check.metrics] == [0.01, 0.02]

    def test_a_project_whose_tool_is_no_table_is_refused(self, tmp_path):
        (tmp_path / "pyproject.toml").write_text("tool = 3\n")
        for source in (tmp_path, tmp_path / "pyproject.toml"):
            with pytest.raises(InputError, match="tool = 3 is a whole number") as caught:
                gate.load(source)
            assert caught.value.code == "NF034"

    def test_a_pattern_names_one_file(self, tmp_path):
        for name in ("old", "new-1", "new-2"):
            (tmp_path / f"{name}.csv").write_text("id,accuracy\nu1,1\n")
        head = '[check]\nbaseline = "old.csv"\ncandidate = "{}"\n'

        def told(pattern):
            (tmp_path / "nofluke.toml").write_text(head.format(pattern))
            return gate.run(tmp_path).checks[0]

        assert told("new-2*").metrics[0].comparison.b == "new-2"
        assert told("new-*.csv").error[0] == "NF035"
        assert "matches 2 files" in told("new-*.csv").error[1]
        assert "matches nothing" in told("newer-*").error[1]
        assert "both" in told("old.csv").error[1]


def asked(verdicts, pvalues=None):
    """Questions with a verdict by level: {0.05: "yes"}; other levels show nothing."""

    def one(by_level, p):
        def ask(alpha):
            found = by_level.get(round(alpha, 6), "not enough evidence")
            return SimpleNamespace(verdict=found, test=p and SimpleNamespace(pvalue=p))

        return ask

    pvalues = pvalues or [None] * len(verdicts)
    return [one(v, p) for v, p in zip(verdicts, pvalues, strict=True)]


YES, NO, OPEN = "yes", "no", "not enough evidence"
AT = {YES: {0.05: YES, 0.025: YES}, "weak yes": {0.05: YES}, NO: {0.05: NO, 0.025: NO},
      "weak no": {0.05: NO}, OPEN: {}}  # fmt: skip


class TestSeveralMetrics:
    @pytest.mark.parametrize(("x", "y"), list(itertools.product(AT, AT)))
    def test_all_is_the_mirror_of_any(self, x, y):
        """That all hold is refuted as it is shown that any of the opposites holds."""
        mirror = {YES: NO, NO: YES, "weak yes": "weak no", "weak no": "weak yes", OPEN: OPEN}
        both = logic.decide("all", "xy", asked([AT[x], AT[y]]), 0.05)
        any_ = logic.decide("any", "xy", asked([AT[mirror[x]], AT[mirror[y]]]), 0.05)
        assert both.verdict == mirror[any_.verdict]

    @pytest.mark.parametrize(
        ("require", "words", "verdict"),
        [
            ("all", ("weak yes", "weak yes"), YES),
            ("all", ("weak yes", OPEN), OPEN),
            ("all", (YES, "weak no"), OPEN),
            ("all", (YES, NO), NO),
            ("primary", ("weak yes", "weak yes"), YES),
            ("primary", (YES, NO), NO),
            ("any", ("weak yes", OPEN), OPEN),
            ("any", (YES, NO), YES),
            ("any", ("weak no", "weak no"), NO),
            ("any", ("weak no", OPEN), OPEN),
        ],
    )
    def test_each_verdict_is_earned_at_its_level(self, require, words, verdict):
        decided = logic.decide(require, "xy", asked([AT[w] for w in words]), 0.05)
        assert decided.verdict == verdict

    def test_holm_serves_where_there_are_pvalues(self):
        # Second: 0.04 is not below 0.05 / 2, and passes in Holm's second step.
        decided = logic.decide("any", "xy", asked([AT[YES], AT["weak yes"]], [0.01, 0.04]), 0.05)
        assert (decided.each, decided.adjusted) == ((YES, YES), (0.02, 0.04))
        decided = logic.decide("any", "xy", asked([AT["weak yes"], AT[OPEN]], [0.03, 0.2]), 0.05)
        assert (decided.verdict, decided.adjusted) == (OPEN, (0.06, 0.2))
        assert "Holm" in decided.sentence

    def test_bonferroni_where_one_lacks_a_pvalue(self):
        decided = logic.decide("any", "xy", asked([AT[YES], AT["weak yes"]], [0.01, None]), 0.05)
        assert (decided.each, decided.adjusted) == ((YES, OPEN), None)
        assert "Bonferroni" in decided.sentence

    def test_the_levels_are_those_that_compare_is_asked_at(self, tmp_path, monkeypatch):
        for name, wrong in (("old", 80), ("new", 20)):
            rows = "".join(f"u{i},{int(i >= wrong)},{i / 100}\n" for i in range(100))
            (tmp_path / f"{name}.csv").write_text("id,accuracy,wer\n" + rows)
        levels = []

        def spy(*args, **how):
            levels.append(how["alpha"])
            return compare(*args, **how)

        monkeypatch.setattr(comparing, "compare", spy)
        body = (
            'require = "any"\n[check.metrics.accuracy]\ncolumn = "accuracy"\n'
            '[check.metrics.wer]\ncolumn = "wer"\nbounds = [0, 2]\n'
        )
        load(tmp_path, body)
        answer = gate.run(tmp_path)
        assert answer.outcome == "pass"
        assert levels == [0.025, 0.025]
        (check,) = answer.checks
        assert [m.verdict for m in check.metrics] == [YES, OPEN]
        assert "Any one of accuracy, wer suffices" in summary(answer)


def test_a_plan_is_passed_on_only_when_it_is_set(tmp_path, monkeypatch):
    for name in ("old", "new"):
        (tmp_path / f"{name}.csv").write_text("id,accuracy\nu1,1\nu2,0\n")
    seen = []

    def spy(scores, a, b, *, plan=None, **how):
        seen.append((plan, sorted(how)))
        return compare(scores, a, b, **how)

    monkeypatch.setattr(comparing, "compare", spy)
    load(tmp_path, 'plan = "plan.json"')
    gate.run(tmp_path)
    load(tmp_path, "")
    gate.run(tmp_path)
    assert seen == [
        (str(tmp_path / "plan.json"), ["binary"]),
        (None, ["alpha", "alternative", "binary"]),
    ]


def test_an_error_level_is_promised_only_where_it_is_proved(tmp_path):
    for name, wrong in (("old", 80), ("new", 79)):
        rows = "".join(f"u{i},{int(i >= wrong)}\n" for i in range(100))
        (tmp_path / f"{name}.csv").write_text("id,accuracy\n" + rows)
    load(tmp_path, 'inconclusive = "pass"')
    one = gate.run(tmp_path)
    assert one.outcome == "pass"
    assert one.checks[0].logic.endswith(
        "the verdict, yes or no, is wrong with probability at most 5 %."
    )
    assert one.logic.startswith("A pass by decision, not by evidence: check 1;")
    load(tmp_path, 'method = "t"')
    bare = gate.run(tmp_path)
    assert "asymptotic: how often the verdict is wrong is not bounded" in bare.checks[0].logic
    assert bare.logic == ""
    load(
        tmp_path,
        f'method = "t"\nname = "loose"\n[[check]]\nname = "let"\n{SIDES}',
        "[[check]]\n" + SIDES,
    )
    two = gate.run(tmp_path, inconclusive="pass")
    assert "no method with a guarantee stands behind loose" in two.logic
    assert "the largest alpha" not in two.logic
    assert "by evidence: loose, let;" in two.logic


@pytest.mark.parametrize("text", ["@me", "#12", "o/r#1", "https://e.org", "WWW.e.org", "ftp://x"])
def test_a_renderer_finds_no_mention_and_no_link(text):
    """GitHub looks for these in the text as rendered, where every entity is a letter again."""
    rendered = html.unescape(harmless(f"a {text} b"))
    assert not re.search(r"@\w|#\w|://|www\.", rendered, re.IGNORECASE)
    assert rendered.replace("\u200b", "") == f"a {text} b"


def test_a_method_without_a_guarantee_is_told(tmp_path):
    for name, wrong in (("old", 80), ("new", 20)):
        rows = "".join(f"u{i},{int(i >= wrong)}\n" for i in range(100))
        (tmp_path / f"{name}.csv").write_text("id,accuracy\n" + rows)
    load(tmp_path, 'method = "t"')
    (check,) = gate.run(tmp_path).checks
    assert check.guarantee == "asymptotic"
    assert [note[:5] for note in check.notes] == ["NF177"]
    json.dumps(gate.run(tmp_path).to_dict(), allow_nan=False)


def test_guardrails_through_the_whole(tmp_path):
    for name, wrong, seconds in (("old", 80, 1.0), ("new", 20, 1.1)):
        rows = "".join(f"u{i},{int(i >= wrong)},{seconds + i % 7 / 100}\n" for i in range(100))
        (tmp_path / f"{name}.csv").write_text("id,accuracy,latency_s\n" + rows)
    body = """primary = "accuracy"
guardrails = {{ latency_s = {margin} }}
[check.metrics.accuracy]
column = "accuracy"
[check.metrics.latency_s]
column = "latency_s"
better = "lower"
bounds = [0, 5]
"""
    outcomes = {}
    for margin in (2.0, 0.12, 0.01):
        load(tmp_path, body.format(margin=margin))
        answer = gate.run(tmp_path)
        outcomes[margin] = answer.outcome
        assert "| latency&#95;s (guardrail) | not-worse, margin" in summary(answer)
    assert outcomes == {2.0: "pass", 0.12: "inconclusive", 0.01: "inconclusive"}


class TestTheProjection:
    def scores(self, d, better="higher"):
        x = 0.5 + np.asarray(d) / 2
        return Scores.from_arrays({"a": 1 - x, "b": x}, bounds=(0, 1), better=better)

    def test_it_is_the_t_formula_for_t(self):
        d = np.tile([0.3, -0.2, 0.1, -0.1, 0.2], 8)  # spread enough for more than the floor
        answer = compare(self.scores(d), "a", "b", method="t")
        n, sd, t = d.size, d.std(ddof=1), 1.684875  # the 95 % point of t with 39 degrees
        expected = ((t + 0.8416212) * sd / d.mean()) ** 2
        assert further(answer).total == math.ceil(expected)
        assert further(answer).more == math.ceil(expected) - n
        assert further(answer).guarantee == "heuristic"

    def test_a_guaranteed_method_needs_at_least_what_t_does(self):
        d = np.tile([0.3, -0.2, 0.1, -0.1, 0.2], 8) / 4
        table = self.scores(d)
        by_star, by_t = (further(compare(table, "a", "b", method=m)) for m in ("star", "t"))
        assert by_star.total > by_t.total

    def test_it_is_never_below_the_floor_and_never_nothing(self):
        constant = compare(self.scores([0.05] * 10), "a", "b", method="star")
        ahead = further(constant)
        assert constant.floor == ahead.floor == math.ceil(-math.log(0.05) / math.log(1.05))
        assert ahead.total >= ahead.floor
        assert ahead.more >= 1

    def test_orientation_is_heeded(self):
        d = np.tile([0.3, -0.2, 0.1, -0.1, 0.2], 8) / 4
        higher = compare(self.scores(d), "a", "b")
        lower = compare(self.scores(-d, better="lower"), "a", "b")
        assert further(lower) == further(higher)

    def test_nothing_is_said_where_the_sample_points_the_other_way(self):
        d = -np.tile([0.3, -0.2, 0.1, -0.1, 0.2], 8) / 4
        assert further(compare(self.scores(d), "a", "b")) is None
        assert further(compare(self.scores([0.1]), "a", "b")) is None
