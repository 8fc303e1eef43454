"""AlpacaEval: annotations (a judge's preference for each instruction), and its leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.errors import some
from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head


class Annotations:
    """One row for each instruction: how much the judge prefers output 2, the candidate's."""

    key = "alpaca-eval"
    title = "AlpacaEval annotations"
    tool = "alpaca-eval"
    rows = True
    asks = "annotator, where there are several"
    folders = False

    def knows(self, head: Head) -> bool:
        """By the two outputs of an instruction and the preference."""
        return {"instruction", "output_1", "generator_1"} <= head.keys and bool(
            {"preference", "generator_2", "output_2"} & head.keys
        )

    def read(self, file: File) -> Iterator[Log]:
        """Rows; the instruction is the id, as the tool has no other."""
        rows = [row for _, row in contents.records(file)]
        if not rows:
            raise contents.refusal(file, "holds no annotations.")
        for i, row in enumerate(rows, start=1):
            contents.wanted(row, "generator_2", str, file, f"annotation {i}")
        instructions = [str(row.get("instruction")) for row in rows]
        column, notes = _preferences(rows, file)
        judges = [str(row.get("annotator")) for row in rows]
        several = len(set(judges)) > 1
        datasets = [row.get("dataset") for row in rows]
        examples, repeats = _ids(rows, instructions, judges)
        yield Log(
            candidate=[row["generator_2"] for row in rows],
            example=examples,
            scores={"preference": column},
            settings={} if several else {"judge": judges[0]},
            alternatives={"annotator": judges} if several else {},
            cluster=datasets if all(isinstance(d, str) for d in datasets) else None,
            input=instructions,
            output=[contents.as_text(row.get("output_2")) for row in rows],
            more={
                "output_chars": [len(str(row.get("output_2") or "")) for row in rows],
                "reference_output_chars": [len(str(row.get("output_1") or "")) for row in rows],
            },
            better={"preference": "higher"},
            bounds={"preference": (1.0, 2.0)},
            notes=(*notes, *repeats),
        )


def _preferences(rows: list[dict[str, Any]], file: File) -> tuple[list[Any], list[str]]:
    """The preferences, and what they mean; 0 is how older versions write a draw."""
    column = [
        contents.number(row.get("preference"), file, f"preference of annotation {i}")
        for i, row in enumerate(rows, start=1)
    ]
    against = sorted({str(row.get("generator_1")) for row in rows})
    notes = [
        f"NF307: the preference runs from 1 (for {', '.join(against)}, the reference) to 2 "
        "(for the candidate); 1.5 is a tie, and a mean above it says that the judge prefers "
        "the candidate. Nothing is rescaled."
    ]
    drawn = sum(value == 0 for value in column)
    if drawn:
        column = [1.5 if value == 0 else value for value in column]
        notes.append(
            f"NF307: {drawn} of {len(column)} preferences are 0, by which older versions of "
            "AlpacaEval write a draw; they count as 1.5, as AlpacaEval itself counts them."
        )
    for i, value in enumerate(column, start=1):
        if value is not None and not 1 <= value <= 2:
            raise contents.refusal(
                file, f"annotation {i} has the preference {value!r}, not 1 to 2."
            )
    lost = sum(value is None for value in column)
    if lost:
        known = sum(value for value in column if value is not None)
        low, high = ((known + lost * worst) / len(column) for worst in (1, 2))
        notes.append(
            f"NF305: {lost} of {len(rows)} instructions have no preference; the mean over all "
            f"would be between {low:.4g} and {high:.4g}."
        )
    return column, notes


def _ids(
    rows: list[dict[str, Any]], instructions: list[str], judges: list[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Instructions as ids, told apart where one candidate has one twice by the same judge."""
    cells = [
        "\0".join((row["generator_2"], judge, text))
        for row, text, judge in zip(rows, instructions, judges, strict=True)
    ]
    told = contents.told_apart(cells)
    examples = [
        text + one.removeprefix(cell)
        for text, one, cell in zip(instructions, told, cells, strict=True)
    ]
    return examples, contents.repeated(cells, "instruction")


class Leaderboard:
    """One row for each model, in per cent: a summary, from which no interval follows."""

    key = "alpaca-eval-leaderboard"
    title = "AlpacaEval leaderboard"
    tool = "alpaca-eval"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By its columns."""
        names = set(head.header)
        return "win_rate" in names and bool({"avg_length", "length_controlled_winrate"} & names)

    def read(self, file: File) -> Iterator[Log]:
        """One number for each model and metric."""
        rows = contents.table(file)
        name = "name" if "name" in rows[0] else next(iter(rows[0]))
        metrics: list[str] = [
            m
            for m in ("length_controlled_winrate", "win_rate", "discrete_win_rate", "avg_length")
            if m in rows[0]
        ]
        scores = {
            m: [contents.numeral(row[m], file, f"{m} of {row[name]!r}") for row in rows]
            for m in metrics
        }
        rates = [m for m in metrics if m != "avg_length"]
        if not rates:
            raise contents.refusal(file, "has no column of win rates, as leaderboards have.")
        names = contents.told_apart([row[name] for row in rows])
        twice = [n for n, row in zip(names, rows, strict=True) if n != row[name]]
        told = f" Names that stand twice are numbered: {some(twice)}." if twice else ""
        yield Log(
            candidate=names,
            example=["leaderboard"] * len(rows),
            scores=scores,
            better=dict.fromkeys(rates, "higher"),
            bounds=dict.fromkeys(rates, (0.0, 100.0)),
            units=dict.fromkeys(rates, "%"),
            usual=rates[0],
            notes=(
                "NF308: a leaderboard holds one number for each model, in per cent, and no rows: "
                "no interval follows from it. The rows stand in annotations.json of each model."
                + told,
            ),
        )


READERS = (Annotations(), Leaderboard())
