"""`nofluke gate`: ask all checks of a configuration; the verdict is the exit code."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

if TYPE_CHECKING:
    from nofluke.gate import CheckAnswer, Gate
    from nofluke.gate.verdicts import MetricAnswer


def gate(
    config: Annotated[
        Path, Parameter(help="nofluke.toml, pyproject.toml, or the folder of one.")
    ] = Path(),
    /,
    *,
    inconclusive: Annotated[
        Literal["fail", "pass", "report"] | None,
        Parameter(help="Too little evidence: exit 1, 0 or 3; else as each check says."),
    ] = None,
    format: Annotated[  # noqa: A002 (the option is called --format)
        Literal["text", "json"], Parameter(help="What to print.")
    ] = "text",
    junit: Annotated[Path | None, Parameter(help="Write JUnit XML here.")] = None,
    summary: Annotated[Path | None, Parameter(help="Write Markdown for a pull request.")] = None,
    report: Annotated[
        Path | None, Parameter(help="Write an HTML report: a file, or a folder for several.")
    ] = None,
) -> int:
    """Do all comparisons of nofluke.toml pass? Exit 0 yes, 1 no, 2 unusable, 3 too little evidence.

    Example: nofluke gate --summary summary.md --junit gate.xml
    """
    from nofluke.cli import show, targets
    from nofluke.gate import load, run

    path, checks = load(config)
    targets.refuse(path, checks, junit=junit, summary=summary, report=report)
    with show.busy(f"asking {len(checks)} checks"):
        answer = run(path, inconclusive=inconclusive)
    if junit is not None:
        from nofluke.gate.junit import xml

        junit.write_text(xml(answer), encoding="utf-8")
    if summary is not None:
        from nofluke.gate.markdown import summary as markdown

        summary.write_text(markdown(answer), encoding="utf-8")
    if report is not None:
        _report(answer, report)
    code = answer.exit_code
    _print(answer, format)
    return code


def _print(answer: Gate, form: str) -> None:
    """Print the answer; a reader that has gone (`| true`) changes nothing about the verdict."""
    from nofluke.cli import silence
    from nofluke.cli.tables import visible

    if form == "json":
        text = answer.to_json()
    else:
        text = "".join(f"{visible(line)}\n" for line in _text(answer))
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def _report(answer: Gate, target: Path) -> None:
    """One page for each comparison."""
    from nofluke.cli import targets

    found = [(c.name, m.name, m.comparison) for c in answer.checks for m in c.metrics]
    if targets.is_page(target):
        for _, _, comparison in found:
            comparison.report(target)
        return
    target.mkdir(exist_ok=True)
    for i, (check, metric, comparison) in enumerate(found, start=1):
        comparison.report(target / f"{i:02}-{_slug(check)}-{_slug(metric)}.html")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "x"


def _text(answer: Gate) -> list[str]:
    lines = [answer.headline]
    for check in answer.checks:
        lines += ["", f"{check.name}: {_word(check)}", *_check(check)]
    return [*lines, *(["", answer.logic] if answer.logic else [])]


def _word(check: CheckAnswer) -> str:
    return "NOT ENOUGH EVIDENCE" if check.outcome == "inconclusive" else check.outcome.upper()


def _check(check: CheckAnswer) -> list[str]:
    if check.error is not None:
        code, text = check.error
        return [f"  {code}  {text}"]
    lines = [line for m in check.metrics for line in _metric(m)]
    notes = [f"  {note}" for note in check.notes]
    own = [f"  {note}" for m in check.metrics for note in m.comparison.notes]
    return [*lines, f"  {check.logic}", *notes, *dict.fromkeys(own)]


def _metric(m: MetricAnswer) -> list[str]:
    from nofluke.gate.markdown import counted, limits

    result = m.comparison
    role = f" ({m.role})" if m.role else ""
    found = {k.replace("_", " "): v for k, v in result.pairing.items() if v not in (None, 0)}
    return [
        f"  {m.name}{role}: {m.verdict}. {result.sentences()[0]}",
        f"    difference {result.estimate:+.4g}, guaranteed {limits(result.guaranteed)}, "
        f"asymptotic {limits(result.asymptotic)}, method {result.method}, {result.guarantee}",
        f"    {result.counted}; {', '.join(f'{k} {counted(v)}' for k, v in found.items())}",
    ]
