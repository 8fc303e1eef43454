"""Training rows among the test rows: by hash, text or id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError, some
from nofluke.scores.checkup.finding import Finding
from nofluke.scores.readers import preparing
from nofluke.scores.readers.columns import ALIASES
from nofluke.scores.readers.log_names import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.table import Scores


def findings(table: Scores, train: Any) -> Iterator[Finding]:
    """Which examples of the table stand in the training data as well.

    Args:
        table: Scores, with inputs (texts or hashes) where there are any.
        train: A file, folder or frame of training rows with ids, or texts or hashes of inputs.

    Raises:
        InputError: The training data has no column to compare.
    """
    known, how = _known(table, train)
    names = table.input.names if how == "input" and table.input is not None else table.examples
    ours = [text for text in names if text]  # an input may be missing
    both = [text for text in ours if text in known]
    what = "inputs" if how == "input" else "ids"
    if both:
        yield Finding(
            "NF340",
            "misleads",
            f"{len(both)} of {len(ours)} {what} stand in the training data as well "
            f"({some(both, most=3)}): such rows say how well a model remembers.",
            "leave these examples out, of all candidates alike.",
        )
    else:
        yield Finding(
            "NF341",
            "told",
            f"none of the {len(ours)} {what} stands in the training data ({len(known)} there). "
            "Near-duplicates are not found so.",
        )


def _known(table: Scores, train: Any) -> tuple[set[str], str]:
    with preparing.prepared(train, preparing.Asked()) as reading:
        found: dict[str, set[str]] = {"input": set(), "example": set()}
        for rows, _ in reading.plain:
            for role, texts in found.items():
                named = [c for c in rows.kinds if c.strip().lower() in ALIASES[role]]
                if named:
                    rows.prepare(named[:1])
                    texts |= {text for text in rows.labels(named[0]) if text}
        for one in reading.logs:
            found["example"] |= {as_text(e) for e in one.log.example}
            found["input"] |= {t for t in one.log.input or () if t}
    if table.input is not None and found["input"]:
        return found["input"], "input"
    if found["example"]:
        return found["example"], "example"
    raise InputError(
        "the training data has neither a column of ids nor one of inputs (prompt, question, "
        "input_hash, ...) that the table has too; name it so.",
        code="NF003",
    )
