"""What must hold for every configuration, every name and every set of verdicts."""

import json
import math
import tempfile
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nofluke.errors import InputError
from nofluke.gate import config, logic
from nofluke.gate.junit import xml
from nofluke.gate.keys import CHECK
from nofluke.gate.looks import share
from nofluke.gate.markdown import harmless, summary
from nofluke.gate.verdicts import EXIT, CheckAnswer, Gate

# Text that is the same in TOML and in JSON.
WORDS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.sampled_from([0.05, 1.5, math.inf, math.nan]) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
KEYS = st.sampled_from([*CHECK, "alpah", "Margin"])


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float):
        return str(value)
    return json.dumps(value)


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=5), min_size=1, max_size=3))
def test_any_configuration_is_understood_or_refused_in_words(tables):
    sides = {"baseline": "x", "candidate": "y"}
    text = "".join(
        "[[check]]\n" + "".join(f"{k} = {toml(v)}\n" for k, v in {**sides, **table}.items())
        for table in tables
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nofluke.toml"
        path.write_text(text, encoding="utf-8")
        refused = None
        try:
            _, checks = config.load(path)
        except InputError as error:
            refused = error
    if refused is None:
        assert all(k in CHECK for table in tables for k in table)
        assert len(checks) == len(tables)
    else:
        assert refused.code == "NF034"
        assert all(ord(c) > 31 or c == "\n" for c in str(refused))


@given(st.text(), st.text(), st.sampled_from(sorted(EXIT)))
def test_any_name_is_text_in_xml_and_markdown(name, said, outcome):
    error = ("NF001", said) if outcome == "unusable" else None
    check = CheckAnswer(name=name, verdict=None, outcome=outcome, logic=said, error=error)
    gate = Gate(source="x", checks=(check,), version="0")

    case = ET.fromstring(xml(gate)).find("./testsuite/testcase")  # noqa: S314 (we wrote it)
    assert (case.find("failure") is not None) == (gate.exit_code == 1)
    assert (case.find("error") is not None) == (gate.exit_code == 2)
    assert (case.find("skipped") is not None) == (gate.exit_code == 3)
    assert len(summary(gate).split("\n### ")) == 2


@given(st.text())
def test_harmless_text_has_no_markup(text):
    assert not set(harmless(text).replace("&#", "")) & set("<>|*_[]`@#~\\\n")


@given(st.lists(st.sampled_from(sorted(EXIT)), min_size=1, max_size=6))
def test_one_failure_fails_and_only_all_passes_pass(outcomes):
    checks = [CheckAnswer(name=str(i), verdict=None, outcome=o) for i, o in enumerate(outcomes)]
    gate = Gate(source="x", checks=tuple(checks), version="0")
    assert (gate.exit_code == 0) == (set(outcomes) == {"pass"})
    assert (gate.exit_code == 1) == ("fail" in outcomes)


PVALUES = st.lists(st.floats(0.0001, 0.9999), min_size=2, max_size=5)


@pytest.mark.parametrize("require", ["all", "any"])
@given(PVALUES, st.floats(0.001, 0.4))
def test_order_decides_nothing_and_more_evidence_never_hurts(require, pvalues, alpha):
    def decide(values):
        def ask(p):
            word = lambda level: "yes" if p <= level else "no" if 1 - p <= level else "open"  # noqa: E731
            return lambda level: SimpleNamespace(verdict=word(level), test=None)

        names = [str(i) for i in range(len(values))]
        return logic.decide(require, names, [ask(p) for p in values], alpha).verdict

    ranks = {"no": 0, "not enough evidence": 1, "yes": 2}
    verdict = decide(pvalues)
    assert decide(pvalues[::-1]) == verdict
    assert ranks[decide([p / 2 for p in pvalues])] >= ranks[verdict]


def test_the_shares_of_all_looks_add_up_to_alpha():
    """By exact fractions: after k looks alpha / (k + 1) is left."""
    for k in (1, 2, 10, 1000):
        spent = sum(Fraction(1, n * (n + 1)) for n in range(1, k + 1))
        assert 1 - spent == Fraction(1, k + 1)
        assert share(1.0, k) == float(Fraction(1, k * (k + 1)))
