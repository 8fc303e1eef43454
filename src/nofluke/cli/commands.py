"""The commands by name: what each answers, and an example. Read before anything is imported."""

from __future__ import annotations

import os
import textwrap
from typing import NamedTuple

ABOUT = "Tells whether a model's score is real: guarantees that survive the choice."
EXAMPLE = "nofluke certify results.parquet --better lower --select top:5 --gamma 0.1"


class Command(NamedTuple):
    """A command, or a group of them.

    Attributes:
        name: As it is typed.
        answers: One line of the help.
        example: What may follow the name; none where the command says so itself.
    """

    name: str
    answers: str
    example: str = ""

    @property
    def epilogue(self) -> str:
        """The last line of the command's own help."""
        return f"Example: nofluke {self.name} {self.example}" if self.example else ""


COMMANDS = (
    Command(
        "check", "What is in this file, what would mislead, and what can it be asked?", "results/"
    ),
    Command("certify", "Guarantees for the candidates you chose, from the data that chose them."),
    Command(
        "compare",
        "Does B beat A on the same examples, with a guarantee, while you watch?",
        "base.jsonl new.jsonl --metric accuracy",
    ),
    Command(
        "rank",
        "In what order do candidates stand, as far as the evidence goes?",
        "board.parquet --metric accuracy",
    ),
    Command(
        "runs",
        "Where does a quantile of one run's score lie, judged from a few runs (seeds)?",
        "seeds.csv --quantile 0.05 --bounds 0 1",
    ),
    Command(
        "classifier",
        "What are a classifier's predictions worth: order, decisions, probabilities?",
        "scored.csv --threshold 0.5 --positive yes",
    ),
    Command(
        "champion",
        "What is the best of several runs worth, beside what was planned?",
        "0.78 0.80 0.83 --metric auc --gate 0.82",
    ),
    Command(
        "final-report",
        "The chosen classifier with its choice, numbers, scope, and what is missing.",
        "scored.csv --positive yes --tried 30",
    ),
    Command(
        "drift",
        "What has changed: predictors, the share of positives, or what labels mean?",
        "validation.csv november.csv --threshold 0.5",
    ),
    Command(
        "plan",
        "How many examples, before any is run; and a sealed plan to keep to.",
        "--delta 0.05 --sd 0.2",
    ),
    Command(
        "gate",
        "Do all comparisons of nofluke.toml pass? The verdict is the exit code.",
        "--summary summary.md --junit gate.xml",
    ),
    Command(
        "ledger",
        "A test set's register: what was fixed and tried, and every look at it.",
        "init ledger.db --name tumours",
    ),
    Command(
        "store",
        "A database of ledgers and guarded test sets, in SQLite or PostgreSQL.",
        "migrate keeper.db",
    ),
    Command(
        "serve",
        "Run the keeper: boards over test sets whose looks are counted.",
        "--store keeper.db --port 8000",
    ),
    Command(
        "submit",
        "Hand predictions in to a board of a keeper, and read what was told.",
        "predictions.csv --board https://board.example.org/b/tumours",
    ),
    Command(
        "reproduce",
        "The simulation of a source run again: which of its claims hold?",
        "quantiles --quick",
    ),
    Command("explain", "What a code such as NF103 means and what to do."),
)

_OPTIONS = (
    ("--help, -h", "Display this message and exit."),
    ("--version", "Display application version."),
)


def text(width: int) -> str:
    """The help of the whole program, which is asked for by those who do not know it yet.

    >>> print(text(60).splitlines()[0])
    Usage: nofluke COMMAND
    """
    told = [*sorted((one.name, one.answers) for one in COMMANDS), *_OPTIONS]
    lines = ["Usage: nofluke COMMAND", "", *textwrap.wrap(ABOUT, width), "", "Commands:"]
    for name, answers in told:
        lines += textwrap.wrap(
            f"{name}: {answers}",
            width,
            initial_indent="  ",
            subsequent_indent="      ",
            break_long_words=False,
        )
    example = f"Example: {EXAMPLE}"
    lines += ["", *textwrap.wrap(example, width, break_long_words=False, break_on_hyphens=False)]
    return "\n".join(lines) + "\n"


def width() -> int:
    """Columns of the terminal that is written to, 80 where there is none."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(1).columns)
    except (OSError, ValueError):
        return 80
