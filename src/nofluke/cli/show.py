"""Show an answer: text for people, JSON and CSV for programs, HTML for both."""

from __future__ import annotations

import importlib
import io
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from nofluke.cli.spelling import of_command
from nofluke.cli.tables import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.results import Result

# The words of each kind of answer, imported when they are needed.
_TEXTS = {
    "certify": "nofluke.cli.certificate_text",
    "champion": "nofluke.cli.champion_text",
    "check": "nofluke.cli.check_text",
    "classifier": "nofluke.cli.classifier_text",
    "final_report": "nofluke.cli.final_report_text",
    "compare": "nofluke.cli.comparison_text",
    "compare_pooled": "nofluke.cli.pooled_text",
    "audit_methods": "nofluke.cli.audit_text",
    "drift": "nofluke.cli.drift_text",
    "drift_watched": "nofluke.cli.drift_text",
    "ledger": "nofluke.cli.ledger_text",
    "ledger_verified": "nofluke.cli.ledger_text",
    "rank": "nofluke.cli.ranking_text",
    "runs": "nofluke.cli.runs_text",
    "sample_size": "nofluke.cli.plan_text",
    "detectable": "nofluke.cli.plan_text",
    "trade": "nofluke.cli.plan_text",
    "runs_plan": "nofluke.cli.plan_text",
}

_COMMANDS = dict.fromkeys(_TEXTS, "compare") | {
    "certify": "certify",
    "champion": "champion",
    "check": "check",
    "classifier": "classifier",
    "final_report": "final-report",
    "drift": "drift",
    "drift_watched": "drift",
    "ledger": "ledger",
    "ledger_verified": "ledger",
    "rank": "rank",
    "runs": "runs",
    **dict.fromkeys(("sample_size", "detectable", "trade", "runs_plan"), "plan"),
}

# Wide enough for long ids where nobody is looking at a terminal; nothing is ever cut off.
_PIPE_WIDTH = 160


@contextmanager
def busy(what: str) -> Iterator[None]:
    """A spinner on stderr while something takes time, if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def answer(result: Result, *, form: str, work: bool, quiet: bool) -> None:
    """Print the answer in the form asked for."""
    if form != "text" and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    if form == "json":
        sys.stdout.write(result.to_json())
    elif form == "csv":
        from nofluke.results import as_csv

        sys.stdout.write(as_csv(result.rows()))
    elif form == "html":
        from nofluke.report import page

        sys.stdout.write(page(result))
    elif quiet:
        lines = [*result.sentences(), *(_work(result) if work else [])]
        sys.stdout.write("\n".join(lines) + "\n")
    else:
        _text(result, work=work)


def note(text: str) -> None:
    """Say something beside the answer, where it does not get into it."""
    sys.stderr.write(f"{visible(text.replace(chr(10), ' '))}\n")


def _text(result: Result, *, work: bool) -> None:
    from rich.console import Console

    words = importlib.import_module(_TEXTS[result.kind])
    console = Console(
        highlight=False,
        emoji=False,
        markup=False,
        width=None if sys.stdout.isatty() else _PIPE_WIDTH,
    )
    for line in words.headline(result):
        console.print(visible(line))
    console.print()
    for title, table in words.tables(result):
        console.print(visible(title))
        console.print(table)
    for line in words.remarks(result):
        console.print(visible(line))
    for sentence in result.sentences():
        console.print(f"* {visible(of_command(sentence, _COMMANDS[result.kind]))}")
    assumes = " It assumes:" if result.assumes else ""
    console.print(f"\nGuarantee: {result.guarantee}.{assumes}")
    for assumption in result.assumes:
        console.print(f"  - {assumption}")
    for note in result.notes:
        # What was read is told by roles (metric='loss'), which are no options.
        read = note.startswith("NF112")
        console.print(visible(note if read else of_command(note, _COMMANDS[result.kind])))
    if work:
        console.print("\nTerms of the bound:")
        for line in _work(result):
            console.print(f"  {line}")


def _work(result: Result) -> list[str]:
    """The terms of the answer, where its kind has any."""
    terms = getattr(result, "work", None)
    return [] if terms is None else list(terms())
