"""lm-evaluation-harness: `samples_<task>_<time>.jsonl`, one row a document and filter."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nofluke.errors import some
from nofluke.scores import metrics
from nofluke.scores.readers import contents
from nofluke.scores.readers.formats import lm_eval_results
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

# What a row holds beside its metrics, in the order in which the tool writes it.
_FIELDS: Final = (
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
)
_SURE: Final = frozenset({"doc_id", "doc", "arguments", "resps"})
_LONG: Final = 1 << 16  # a first document that is as long as what is looked at hides the rest
_NAME: Final = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+)$")
_ROW: Final = dict[str, msgspec.Raw]
_decode: Final = msgspec.json.Decoder().decode


class Samples:
    """One row for each document and filter; the metrics are named by the row itself."""

    key = "lm-eval-samples"
    title = "lm-evaluation-harness samples"
    tool = "lm-eval"
    rows = True
    asks = "metric, filter"
    folders = False

    def knows(self, head: Head) -> bool:
        """By the fields that every row has."""
        if head.keys >= _SURE:
            return True
        begun = {"doc_id", "doc"} <= head.keys <= set(_FIELDS[:5])
        return begun and len(head.start) >= _LONG

    def read(self, file: File) -> Iterator[Log]:
        """Rows, one column for each metric; the model stands in the results file beside."""
        rows = _Rows(file)
        for what, row in _written(file):
            rows.add(row, what)
        yield rows.log()


class _Rows:
    """The columns, as they grow row by row."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._scores: dict[str, list[Any]] = {}
        self._odd: dict[str, str] = {}
        self._columns: dict[str, list[Any]] = defaultdict(list)
        self._texts: dict[bytes, Any] = {}
        self._answers = 1

    def add(self, row: Mapping[str, Any], what: str) -> None:
        """Take a row; texts only where somebody will look at them."""
        columns = self._columns
        example = _value(row.get("doc_id"))
        if not isinstance(example, int | str) or isinstance(example, bool):
            raise contents.refusal(
                self._file, f"{what} has no doc_id that is a number or a text, which rows need."
            )
        if not columns["example"]:
            # Multiple choice has one request for each choice, and one answer to each.
            self._answers = len(_first_list(_value(row.get("resps"))))
        names = self._metrics(row)
        count = len(columns["example"])
        columns["example"].append(example)
        columns["filter"].append(self._often(row.get("filter")))
        columns["doc_hash"].append(_text(row.get("doc_hash")))
        if self._file.contents:
            columns["input"].append(_asked(row))
            columns["output"].append(_answer(_value(row.get("filtered_resps"))))
        for name in names:
            if name not in self._scores:
                self._scores[name] = [None] * count
        contents.check_metrics(self._scores, self._file)
        for name, column in self._scores.items():
            column.append(self._number(name, row.get(name)))

    def _metrics(self, row: Mapping[str, Any]) -> list[str]:
        """The metrics that a row names; older versions do not name them."""
        named = self._often(row.get("metrics"))
        if isinstance(named, list):
            return [str(name) for name in named]
        return [name for name in row if name not in _FIELDS]

    def _often(self, raw: Any) -> Any:
        """A value that stands in many rows, decoded once."""
        if not isinstance(raw, msgspec.Raw):
            return raw
        written = bytes(raw)
        if written not in self._texts:
            self._texts[written] = _decode(written)
        return self._texts[written]

    def _number(self, name: str, raw: Any) -> Any:
        """A score; what is no number makes its metric one that is left out."""
        value = _value(raw)
        if value is None or isinstance(value, int | float):
            return contents.number(value, self._file, name)
        self._odd.setdefault(name, _kind(value))
        return None

    def log(self) -> Log:
        """The log, with what the results file beside says of it."""
        columns, file = self._columns, self._file
        if "bypass" in self._scores:
            self._odd["bypass"] = "the mark of --predict_only"
        scores = {name: c for name, c in self._scores.items() if name not in self._odd}
        if not scores:
            told = "; ".join(f"{name} holds {kind}" for name, kind in self._odd.items())
            raise contents.refusal(
                file,
                "has no metric that is one number for each document"
                f"{f' ({told})' if told else ''}. Metrics of the whole corpus, such as perplexity "
                "and BLEU, stand in the results file; a run with --predict_only was not scored.",
                code="NF301",
            )
        match = _NAME.match(file.stem)
        task = None if match is None else match["task"]
        known = lm_eval_results.beside(file, None if match is None else match["time"])
        filters, unnamed = _filters(columns["filter"], columns["example"])
        whole = known.counts(task or "")
        return Log(
            candidate=known.model,
            example=columns["example"],
            scores=scores,
            settings=known.settings(task or ""),
            alternatives={"filter": filters},
            part=None if task is None else [task] * len(columns["example"]),
            digest=columns["doc_hash"],
            input=columns["input"] if file.contents else None,
            output=columns["output"] if file.contents else None,
            more={"doc_hash": columns["doc_hash"]},
            better=_better(scores, known.better(task or "")),
            bounds={n: limits for n in scores if (limits := lm_eval_results.bounds(n))},
            notes=(
                *_left_out(self._odd),
                *unnamed,
                *_repeats(self._answers),
                *_short(len(set(columns["example"])), whole),
                *_unsorted(columns["example"], filters),
                *_twins(columns),
            ),
            also=known.paths,
        )


def _written(file: File) -> Iterator[tuple[str, Any]]:
    """Rows on lines; early versions wrote them as one list, in files of the same name."""
    if contents.begins(file, b"["):
        for i, row in enumerate(contents.document(file)):
            if not isinstance(row, dict):
                raise contents.refusal(file, f"row {i} is no row of lm-eval samples.")
            yield f"row {i}", row
        return
    for line, row in contents.lines(file, msgspec.json.Decoder(_ROW).decode):
        if not isinstance(row, dict):
            raise contents.refusal(file, f"line {line} is no row of lm-eval samples.", line=line)
        yield f"line {line}", row


def _value(raw: Any) -> Any:
    return _decode(raw) if isinstance(raw, msgspec.Raw) else raw


def _first_list(value: Any) -> list[Any]:
    """The list that a list begins with; an empty one where it does not."""
    first = value[0] if isinstance(value, list) and value else None
    return first if isinstance(first, list) else []


def _text(raw: Any) -> str | None:
    return contents.as_text(_value(raw))


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return f"lists of {len(value)}"
    return "dicts" if isinstance(value, dict) else "texts"


def _asked(row: Mapping[str, Any]) -> str | None:
    """The hash of what was asked; older versions wrote the text alone."""
    if "prompt_hash" in row:
        return _text(row["prompt_hash"])
    first = _first_list(_value(row.get("arguments")))
    return str(first[0]) if first else None


def _answer(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return contents.as_text(value)


def _filters(named: list[Any], examples: list[Any]) -> tuple[list[str], tuple[str, ...]]:
    """The filter of each row; older versions did not write which it is."""
    if any(name is not None for name in named) or len(set(examples)) == len(examples):
        return ["none" if name is None else str(name) for name in named], ()
    seen: Counter[Any] = Counter()
    found = []
    for example in examples:
        seen[example] += 1
        found.append(f"number {seen[example]}")
    return found, (
        f"NF302: each document stands in up to {max(seen.values())} rows that do not name their "
        "filter, as versions up to November 2024 wrote them; the filters are numbered in the "
        "order of the rows.",
    )


def _better(scores: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: said.get(name) or metrics.orientation(name) for name in scores}
    return {name: way for name, way in found.items() if way is not None}


def _left_out(odd: Mapping[str, str]) -> tuple[str, ...]:
    if not odd:
        return ()
    told = ", ".join(f"{name} ({kind})" for name, kind in odd.items())
    return (
        f"NF301: left out, as they are not one number for each document: {told}. The tool makes "
        "one number of the whole corpus of them.",
    )


def _repeats(answers: int) -> tuple[str, ...]:
    if answers < 2:
        return ()
    return (
        f"NF302: {answers} answers were drawn to the first question, and so probably to each; a "
        "row is the score of what the filter made of them (often of the first one): it is one "
        f"example and not {answers}.",
    )


def _short(documents: int, whole: int | None) -> tuple[str, ...]:
    if whole is None or documents >= whole:
        return ()
    return (
        f"NF303: the file holds {documents} documents, and the results beside it count {whole}: "
        "it was cut or filtered, and what is said here is said of these rows alone.",
    )


def _unsorted(examples: list[Any], filters: list[str]) -> tuple[str, ...]:
    """A caution where ids were picked in no order: the tool then writes them to other documents."""
    first = [e for e, f in zip(examples, filters, strict=True) if f == filters[0]]
    if not all(isinstance(e, int) for e in first) or first == sorted(first):
        return ()
    if sorted(first) == list(range(len(first))):
        return ()
    return (
        "NF304: the doc_ids have gaps and are in no order, as with --samples and an unsorted list. "
        "lm-evaluation-harness (0.4.13, for one) then gives ids to other documents than they "
        "belong to: do not pair by doc_id; doc_hash tells the documents apart "
        "(columns={'example': 'doc_hash'}).",
    )


def _twins(columns: Mapping[str, list[Any]]) -> tuple[str, ...]:
    """A caution where one document stands under several ids: then it is counted twice."""
    ids: dict[str, Any] = {}
    twice: dict[str, set[Any]] = {}
    for hashed, example in zip(columns["doc_hash"], columns["example"], strict=True):
        if hashed is not None and ids.setdefault(hashed, example) != example:
            twice.setdefault(hashed, {ids[hashed]}).add(example)
    if not twice:
        return ()
    told = [sorted(map(str, found)) for found in twice.values()]
    return (
        f"NF264: {len(told)} documents stand under several doc_ids ({some(told, most=2)}), by "
        "their doc_hash; they are counted as different examples.",
    )


READERS = (Samples(),)
