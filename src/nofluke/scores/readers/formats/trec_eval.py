"""trec_eval: `-q` writes a value for each query and measure; runs and judgements are refused.

Lines are "measure <tab> query <tab> value". The query "all" is a summary in the same stream, and
counts (`num_ret`) stand among the scores.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

# The measure is padded to 22 characters.
_LINE: Final = re.compile(r"(?P<measure>[A-Za-z0-9]\S* *)\t(?P<query>[^\t]+)\t(?P<value>[^\t]*)")
_COUNTS: Final = frozenset({"num_ret", "num_rel", "num_rel_ret", "num_q", "num_nonrel_judged_ret"})
_TEXTS: Final = ("relstring",)
# Measures of which a query's value lies between 0 and 1; utility and logarithms do not.
_SHARE: Final = re.compile(
    r"(map|gm_map|Rprec|bpref|recip_rank|iprec_at_recall|P|recall|ndcg|infAP|11pt_avg|set_P|"
    r"set_recall|set_map|set_F|success|rbp|Rprec_mult|ndcg_cut|map_cut|relative_P|set_relative_P|"
    r"Rndcg|binG|G)(_[\d.]+)?"
)
_HIGHER: Final = re.compile(r"(num_rel_ret|utility|ndcg_rel)(_.*)?")
_MEAN: Final = "map"
_RUN: Final = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+\s+[-+.\deE]+\s+\S+")
_JUDGED: Final = re.compile(r"\S+\s+\d+\s+\S+\s+-?\d+")


class _Read(NamedTuple):
    """Values by measure and query, those of "all", and the name of the run."""

    queries: dict[str, dict[str, float | str | None]]
    summary: dict[str, float | str | None]


class Queries:
    """One row for each query; every measure is a metric, every count stands beside."""

    key = "trec-eval"
    title = "trec_eval values"
    tool = "trec_eval"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the padded measure, the query and the value of its first lines."""
        lines = [line for line in head.lines[:5] if line.strip()]
        matches = [_LINE.fullmatch(line) for line in lines]
        known = [m for m in matches if m and (len(m["measure"]) >= 22 or _is_measure(m["measure"]))]
        return bool(lines) and len(known) == len(lines)

    def read(self, file: File) -> Iterator[Log]:
        """Rows by query; a file of summaries alone is refused."""
        read = _values(file)
        queries = list(dict.fromkeys(q for column in read.queries.values() for q in column))
        if not queries:
            measures = [m for m in read.summary if m not in _COUNTS and m != "runid"]
            listed = ", ".join(f"{m} {read.summary[m]}" for m in measures[:4])
            raise contents.refusal(
                file,
                f"holds the values of all queries together ({listed}), from which nothing follows "
                "about single ones. Write them by trec_eval -q.",
            )
        columns = {
            measure: [values.get(query) for query in queries]
            for measure, values in read.queries.items()
        }
        scores = {
            measure: [_number(v) for v in column]
            for measure, column in columns.items()
            if measure not in _COUNTS and not measure.startswith(_TEXTS)
        }
        if not scores:
            raise contents.refusal(file, "holds counts and no measure of queries.")
        run = read.summary.get("runid")
        yield Log(
            candidate=run if isinstance(run, str) and run else None,
            example=queries,
            scores=scores,
            more={m: column for m, column in columns.items() if m not in scores},
            better={m: "higher" for m in scores if _SHARE.fullmatch(m) or _HIGHER.fullmatch(m)},
            bounds={m: (0.0, 1.0) for m in scores if _SHARE.fullmatch(m)},
            usual=_MEAN if _MEAN in scores else None,
            notes=(*_uncounted(read, queries, file), *_otherwise(read, scores, file)),
        )


def _values(file: File) -> _Read:
    queries: dict[str, dict[str, float | str | None]] = {}
    summary: dict[str, float | str | None] = {}
    for number, line in enumerate(contents.text(file).splitlines(), start=1):
        if not line.strip():
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise contents.refusal(
                file, f"line {number} is no value of trec_eval: {line[:60]!r}.", line=number
            )
        measure, query, value = (match[name].strip() for name in ("measure", "query", "value"))
        is_text = measure == "runid" or measure.startswith(_TEXTS)
        found = value if is_text else contents.numeral(value, file, f"{measure} of query {query}")
        into = summary if query == "all" else queries.setdefault(measure, {})
        place = measure if query == "all" else query
        if place in into:
            raise contents.refusal(
                file,
                f"line {number}: {measure} of query {query} stands here again; one file for each "
                "run, please.",
                line=number,
            )
        into[place] = found
    return _Read(queries, summary)


def _is_measure(written: str) -> bool:
    name = written.strip()
    return name in _COUNTS or name == "runid" or _SHARE.fullmatch(name) is not None


def _number(value: float | str | None) -> float | None:
    return value if isinstance(value, float) else None


def _uncounted(read: _Read, queries: list[str], file: File) -> tuple[str, ...]:
    """A caution where the summary counts queries of which no value is written."""
    total = read.summary.get("num_q")
    if not isinstance(total, float) or total == len(queries):
        return ()
    return (
        f"NF318: {file.label}: by the summary there are {total:g} queries, and values are written "
        f"for {len(queries)}. With -c trec_eval counts a query of which the run retrieved nothing "
        "as 0 and writes no line for it: such queries are missing here.",
    )


def _otherwise(read: _Read, scores: dict[str, list[float | None]], file: File) -> tuple[str, ...]:
    """A caution where the mean of the queries is not the one that the summary gives."""
    said = read.summary.get(_MEAN)
    values = [v for v in scores.get(_MEAN, ()) if v is not None]
    if not isinstance(said, float) or not values:
        return ()
    mean = math.fsum(values) / len(values)
    # Values are rounded to four digits.
    if abs(mean - said) <= 1.0001e-4:
        return ()
    return (
        f"NF318: {file.label}: the mean of {_MEAN} over the queries here is {mean:.4f}, and the "
        f"summary says {said:.4f}; it speaks of other queries.",
    )


class Inputs:
    """What trec_eval reads: a run, or relevance judgements; there are no scores in them."""

    key = "trec-run"
    title = "TREC run or judgements"
    tool = "trec_eval"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By a run's "query Q0 document rank similarity tag", or by four cells of judgements."""
        lines = [line.strip() for line in head.lines[:50] if line.strip()]
        if len(lines) < 2:
            return False
        run = all(_RUN.fullmatch(line) and line.split()[1] == "Q0" for line in lines)
        # The second cell of judgements is an iteration that nobody uses, the same everywhere.
        judged = all(_JUDGED.fullmatch(line) and "," not in line for line in lines)
        return run or (judged and len({line.split()[1] for line in lines}) == 1)

    def read(self, file: File) -> Iterator[Log]:
        """Refuse it, and say what makes scores of it."""
        raise contents.refusal(
            file,
            "is what trec_eval reads, a run or relevance judgements, and holds no scores. Make "
            "them: trec_eval -q QRELS RUN > values.txt, one file for each run.",
        )


READERS = (Queries(), Inputs())
