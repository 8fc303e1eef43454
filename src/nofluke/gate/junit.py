"""A gate as JUnit XML: a suite for each check, a test case for each metric."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from nofluke.gate.markdown import counted, limits

if TYPE_CHECKING:
    from nofluke.gate.verdicts import CheckAnswer, Gate, MetricAnswer

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml(gate: Gate) -> str:
    """The gate as JUnit XML, without times: the same answer gives the same bytes.

    What decides is a failure, an error or a skip (not enough evidence). A check of several metrics
    has a case for the whole; its metrics fail only if all of them are required.
    """
    suites = ET.Element("testsuites", name="nofluke gate")
    for check in gate.checks:
        suites.append(_suite(check))
    _count(suites, suites)
    ET.indent(suites)
    text = ET.tostring(suites, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _suite(check: CheckAnswer) -> ET.Element:
    name = _legal(check.name)
    suite = ET.Element("testsuite", name=name)
    if len(check.metrics) != 1:
        whole = ET.SubElement(suite, "testcase", classname=name, name="all metrics")
        _say(whole, check.outcome, _reason(check), check.logic)
    for m in check.metrics:
        case = ET.SubElement(suite, "testcase", classname=name, name=_legal(m.name))
        alone = len(check.metrics) == 1
        outcome = check.outcome if alone else _of_metric(check, m)
        decided = [*check.notes, *m.comparison.notes] if alone else m.comparison.notes
        _say(case, outcome, m.comparison.sentences()[0], _details(m, tuple(decided)))
    _count(suite, suite)
    return suite


def _of_metric(check: CheckAnswer, m: MetricAnswer) -> str:
    """A metric fails by itself only in a check that fails; what is not shown is skipped."""
    if m.verdict == "yes":
        return "pass"
    return "fail" if m.verdict == "no" and check.outcome == "fail" else "inconclusive"


def _say(case: ET.Element, outcome: str, message: str, details: str) -> None:
    tag = {"fail": "failure", "unusable": "error", "inconclusive": "skipped"}.get(outcome)
    if tag is None:
        ET.SubElement(case, "system-out").text = _legal(f"{message}\n{details}")
        return
    said = ET.SubElement(case, tag, message=_legal(message))
    if tag != "skipped":
        said.set("type", "nofluke")
    said.text = _legal(details)


def _reason(check: CheckAnswer) -> str:
    if check.error is not None:
        return " ".join(check.error)
    return f"{check.outcome}: {check.verdict}"


def _details(m: MetricAnswer, notes: tuple[str, ...]) -> str:
    result = m.comparison
    told = ((k, v) for k, v in result.pairing.items() if v is not None)
    pairs = ", ".join(f"{k.replace('_', ' ')} {counted(v)}" for k, v in told)
    lines = [
        *result.sentences()[1:],
        f"guaranteed {limits(result.guaranteed)}, asymptotic {limits(result.asymptotic)}",
        f"pairing: {pairs}",
        *notes,
    ]
    return "\n".join(lines)


def _count(target: ET.Element, inside: ET.Element) -> None:
    for attribute, tag in (
        ("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"),
    ):  # fmt: skip
        target.set(attribute, str(len(inside.findall(f".//{tag}"))))


def _legal(text: str) -> str:
    """Text that XML can hold."""
    return _ILLEGAL.sub("?", text)
