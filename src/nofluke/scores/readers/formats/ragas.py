"""Ragas: a result as a table (`to_pandas()`), one row a question and a column for each metric."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import InputError
from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_QUESTION: Final = ("user_input", "question")
_ANSWER: Final = ("response", "answer")
_OTHER: Final = frozenset(
    {
        "user_input",
        "question",
        "response",
        "answer",
        "retrieved_contexts",
        "contexts",
        "reference_contexts",
        "reference",
        "ground_truth",
        "ground_truths",
        "rubrics",
        "rubric",
        "multi_responses",
        "retrieved_context_ids",
        "reference_context_ids",
        "reference_tool_calls",
        "persona_name",
        "query_style",
        "query_length",
        "synthesizer_name",
    }
)
_KNOWN: Final = re.compile(
    r"(faithfulness|(answer|response|context)_(relevancy|relevance|precision|recall|correctness|"
    r"similarity|entity_recall|utilization)|.*context_(precision|recall).*|semantic_similarity|"
    r"factual_correctness|noise_sensitivity|answer_accuracy|rouge_score|bleu_score|aspect_critic|"
    r"harmfulness|maliciousness|coherence|conciseness|correctness|nv_.*)(\(.*\))?"
)
_LOWER: Final = re.compile(r"(noise_sensitivity.*|harmfulness|maliciousness)")
_SHARES: Final = re.compile(
    r"(faithfulness|.*context_(precision|recall|relevance|utilization).*|context_entity_recall|"
    r"factual_correctness|noise_sensitivity|answer_correctness)(\(.*\))?"
)


class Table:
    """One row for each question; NaN is a metric that failed, not a score of nought."""

    key = "ragas"
    title = "Ragas results"
    tool = "ragas"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns of questions, answers and contexts, and a metric of Ragas."""
        names = set(head.keys or head.header)
        asked = any(q in names for q in _QUESTION) and any(a in names for a in _ANSWER)
        return asked and any(_KNOWN.fullmatch(name) for name in names - _OTHER)

    def read(self, file: File) -> Iterator[Log]:
        """Rows, one column for each metric."""
        rows = [row for _, row in contents.records(file)]
        if not rows:
            raise contents.refusal(file, "has a header and no rows.")
        question = next(q for q in _QUESTION if q in rows[0])
        answer = next(a for a in _ANSWER if a in rows[0])
        names = dict.fromkeys(name for row in rows for name in row if name and name not in _OTHER)
        scores: dict[str, list[Any]] = {}
        for name in names:
            column = _numbers(name, rows, file)
            if column is not None:
                scores[name] = column
        if not scores:
            raise contents.refusal(file, "has no column of numbers, so no metric was computed.")
        failed = [
            note
            for name, column in scores.items()
            for note in contents.unscored(column, "NF305", "came out as NaN", metric=name)
        ]
        texts = [str(row.get(question)) for row in rows]
        yield Log(
            candidate=None,
            example=contents.told_apart(texts),
            scores=scores,
            input=texts,
            output=[None if row.get(answer) is None else str(row[answer]) for row in rows],
            better={
                n: "lower" if _LOWER.fullmatch(n) else "higher"
                for n in scores
                if _KNOWN.fullmatch(n)
            },
            bounds={name: (0.0, 1.0) for name in scores if _SHARES.fullmatch(name)},
            notes=tuple(failed),
        )


def _numbers(name: str, rows: list[dict[str, Any]], file: File) -> list[Any] | None:
    """A column of numbers; None for a further column of text, unless it is a metric of Ragas."""
    try:
        return [_number(row.get(name), file, f"row {i}, {name}") for i, row in enumerate(rows, 1)]
    except InputError:
        if _KNOWN.fullmatch(name):
            raise
        return None


def _number(value: Any, file: File, what: str) -> Any:
    if isinstance(value, str):
        return contents.numeral(value, file, what)
    return contents.number(value, file, what)


READERS = (Table(),)
