"""Ragas: a result as a table (`to_pandas()`), one row a question and a column for each metric."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import InputError
from nofluke.scores.readers import contents
from nofluke.scores.readers.columns import ALIASES
from nofluke.scores.readers.heads import Head
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File

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
    r"(faithfulness\w*|(answer|response|context)_(relevancy|relevance|precision|recall|correctness|"
    r"similarity|entity_recall|utilization)|.*context_(precision|recall)\w*|semantic_similarity|"
    r"factual_correctness|noise_sensitivity\w*|answer_accuracy|(rouge|bleu|chrf)_score|nv_\w+|"
    r"harmfulness|maliciousness|coherence|conciseness|correctness|aspect_critic|exact_match|"
    r"string_present|summary_score|non_llm_string_similarity|topic_adherence|tool_call_\w+|"
    r"agent_goal_accuracy|llm_sql_equivalence\w*|data_compare_score|(faithful|relevance)_rate)"
    r"(\(.*\))?"
)
_INDEX: Final = re.compile(r"|index|level_\d+|Unnamed: \d+")  # what pandas adds
_MODELS: Final = frozenset(ALIASES["candidate"])
_IDS: Final = frozenset(ALIASES["example"])
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
    asks = "metric"
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns of questions, answers and contexts, and a metric of Ragas.

        A table that names models is a plain one, whatever its other columns are called.
        """
        names, shape = _seen(head)
        if names & _MODELS:
            return False
        if shape == "columns":  # its metrics stand behind all texts, out of sight
            return bool(names & set(_QUESTION)) and names <= _OTHER | {"id"} | set(
                filter(_KNOWN.fullmatch, names)
            )
        asked = any(q in names for q in _QUESTION) and any(a in names for a in _ANSWER)
        return asked and any(_KNOWN.fullmatch(name) for name in names - _OTHER)

    def read(self, file: File) -> Iterator[Log]:
        """Rows, one column for each metric; of JSON each shape that pandas writes."""
        rows = _rows(file)
        if not rows:
            raise contents.refusal(file, "has a header and no rows.")
        question = next((q for q in _QUESTION if q in rows[0]), None)
        if question is None:
            raise contents.refusal(file, f"has no column {_QUESTION[0]!r}, which the format needs.")
        answer = next((a for a in _ANSWER if a in rows[0]), "")
        names = dict.fromkeys(name for row in rows for name in row)
        contents.check_metrics(names, file)
        word = next((name for name in names if name in _IDS), None)
        scores: dict[str, list[Any]] = {}
        for name in names:
            if name in _OTHER or name == word or _INDEX.fullmatch(name):
                continue
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
        texts = [_text(row.get(question)) for row in rows]
        ids = texts if word is None else [str(row.get(word)) for row in rows]
        yield Log(
            candidate=None,
            example=contents.told_apart(ids),
            scores=scores,
            input=texts,
            output=[None if row.get(answer) is None else _text(row[answer]) for row in rows],
            better={
                n: "lower" if _LOWER.fullmatch(n) else "higher"
                for n in scores
                if _KNOWN.fullmatch(n)
            },
            bounds={name: (0.0, 1.0) for name in scores if _SHARES.fullmatch(name)},
            notes=(*failed, *contents.repeated(ids, word or "question")),
        )


def _seen(head: Head) -> tuple[frozenset[str], str]:
    """The columns that can be seen, and the shape of the JSON: pandas knows five."""
    value = head.json
    if isinstance(value, dict) and value:
        first = next(iter(value.values()))
        if isinstance(value.get("columns"), list):
            return frozenset(map(str, value["columns"])), "split"
        if "schema" in value:
            fields = contents.at(value, "schema", "fields")
            listed = fields if isinstance(fields, list) else []
            found = [f.get("name") for f in listed if isinstance(f, dict)]
            return frozenset(map(str, found)), "table"
        if isinstance(first, dict) and next(iter(first), "").isdigit():
            return head.keys, "columns"
        if isinstance(first, dict) and next(iter(value)).isdigit():
            return frozenset(first), "index"
    return frozenset(head.keys or head.header), "records"


def _rows(file: File) -> list[dict[str, Any]]:
    """The rows, however pandas wrote them.

    Raises:
        ReadError: Columns differ in length, or something is no record.
    """
    _, shape = _seen(contents.head(file))
    if shape == "records":
        return [row for _, row in contents.records(file)]
    document = contents.document(file)
    try:
        rows = _SHAPES[shape](document)
    except (AttributeError, KeyError, TypeError, ValueError):
        rows = [None]
    if not all(isinstance(row, dict) for row in rows):
        raise contents.refusal(
            file,
            f"is JSON as pandas writes it with orient={shape!r}, and not whole; write it anew with "
            "to_json(..., orient='records').",
        )
    return rows


def _from_columns(document: dict[str, dict[str, Any]]) -> list[Any]:
    keys = list(next(iter(document.values())))
    if any(list(column) != keys for column in document.values()):
        raise ValueError("columns of other rows")
    return [{name: column[key] for name, column in document.items()} for key in keys]


_SHAPES: Final[dict[str, Callable[[Any], list[Any]]]] = {
    "columns": _from_columns,
    "index": lambda document: list(document.values()),
    "split": lambda document: [
        dict(zip(map(str, document["columns"]), row, strict=True)) for row in document["data"]
    ],
    "table": lambda document: list(document["data"]),
}


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


def _text(value: Any) -> str:
    """A text, or the turns of a conversation as theirs."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


READERS = (Table(),)
