"""Reading scores: files of any supported format, folders, standard input and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nofluke.errors import InputError, ReadError
from nofluke.scores.readers import cells, chosen, failures, files, gather, opening
from nofluke.scores.readers.contents import NO_SCORES
from nofluke.scores.readers.log_folders import Known
from nofluke.scores.readers.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from nofluke.scores.readers.columns import Name, Wanted
    from nofluke.scores.table import Scores


def read(
    source: Any,
    *,
    better: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool = False,
    metric: str | None = None,
    where: Mapping[str, str] | None = None,
    columns: Wanted | None = None,
    failed: str | None = None,
    keep: Sequence[str] = (),
    contents: bool = False,
    reader: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> Scores:
    """Scores from files or data frames; nothing is dropped, filled or guessed silently.

    A long table has a candidate, an example and a score column; a wide one an example column and
    a column of numbers for each candidate; a file with only example and score is one candidate,
    named by the file. The log of a tool is known by its content and read by the reader of its
    format; so is a folder of logs. Without an example column a column of runs (seeds) stands in for
    it, and a text with one number on each line is one candidate's runs. Ids are text and stay as
    they are written, byte for byte.

    Args:
        source: A path, a folder, "-" for standard input, a list of paths, a mapping of candidate
            to path or data frame, a data frame (pandas, Polars, Arrow, DuckDB), or a list of rows
            as dicts. CSV, TSV, JSON, JSON lines (also .gz, .zst) and Parquet.
        better: "higher" or "lower" wins; known for well-known metrics.
        bounds: Lowest and highest possible score.
        binary: Whether every score is 0 or 1 by its meaning; truth values always are.
        metric: The metric to choose where a table or log holds several; else the metric's name.
        where: Which rows of logs to read, by the logs' own words: {"filter": "strict-match"}.
        columns: Columns by role: {"candidate": "model", "score": "latency_s"}. Roles are
            candidate, example, score, run, cluster, group, input, output, time, metric; None
            leaves a role out; a list of candidate columns chooses those of a wide table.
        failed: A column that tells which rows failed, or a condition: "error_code!=200",
            "error_code=429,-1", "latency_s>60". Failed rows count as the worst score.
        keep: Further number columns to keep beside the scores.
        contents: Whether to look for groups, and for what was asked and answered (columns such as
            prompt and response, or their hashes), for a comparison to check; without it they are
            read only where ``columns`` names them. Lists become their compact JSON text.
        reader: The reader to use, by name, where a file is not known or known wrongly; "table" for
            a plain table.
        delimiter: What separates the cells of delimited text; seen from its first lines.
        decimal: The decimal mark of delimited text, "." or ","; refused where it is unclear.

    Raises:
        InputError: The source cannot be used as given; ReadError if it is a file.
        MissingExtra: An optional library is needed.
    """
    cells.check_decimal(decimal)
    told = _told(
        columns=columns,
        failed=failed,
        metric=metric,
        where=where,
        reader=reader,
        keep=keep,
        contents=contents,
    )
    with Workspace() as space, ThreadPoolExecutor(1) as pool:
        items, unread = opening.known(source, space, reader)
        logs, without = _logs(items, contents=contents)
        found = _files(items, logs)
        # Hashing releases the interpreter, so it runs while the rows are read.
        digest = None if found is None else pool.submit(files.digest, found)
        tables = [
            (opening.table(item, delimiter, decimal, space), name)
            for item, name in items
            if not isinstance(item, Known)
        ]
        picked = chosen.tables(logs, metric, where or {}) if logs else None
        if picked is None and where:
            raise InputError(
                f"where={dict(where)!r} chooses among the rows of a tool's log, and this is a "
                "plain table; metric= and columns= choose there, or narrow the table yourself.",
                code="NF008",
            )
        if picked is not None:
            tables += picked.tables
        failure = failures.parse(failed, lambda c: any(c in table.kinds for table, _ in tables))
        question = gather.Question(
            better=better,
            bounds=bounds,
            binary=binary,
            metric=metric,
            wanted=dict(columns or {}),
            failed=failure,
            keep=(keep,) if isinstance(keep, str) else tuple(keep),
            contents=contents,
            told=told,
            notes=(*unread, *without),
        )
        return gather.scores(
            tables,
            question if picked is None else _of_logs(question, picked),
            digest=lambda: digest.result() if digest is not None else None,
        )


def _logs(
    items: list[tuple[Any, Name]], *, contents: bool
) -> tuple[list[chosen.Found], tuple[str, ...]]:
    """The logs in the files that a reader knows, and notes on those without scores.

    Raises:
        ReadError: One cannot be read, or none has scores.
    """
    found: list[chosen.Found] = []
    without: list[ReadError] = []
    known = [(item, name) for item, name in items if isinstance(item, Known)]
    for item, name in known:
        try:
            logs = list(item.reader.read(item.file._replace(contents=contents)))
        except ReadError as error:
            if error.code not in NO_SCORES:
                raise
            without.append(error)
            continue
        found += [chosen.Found(log, item.file, item.reader, name) for log in logs]
    if without and not found:
        raise without[0]
    return found, tuple(f"NF269: not read: {error}" for error in without)


def _files(items: list[tuple[Any, Name]], logs: list[chosen.Found]) -> list[Path] | None:
    """All files that were read; None where a data frame is among them."""
    found: dict[Path, None] = {}
    for item, _ in items:
        file = item.file if isinstance(item, Known) else item
        if not isinstance(file, files.File):
            return None
        inside = sorted(p for p in file.path.rglob("*") if p.is_file())
        found |= dict.fromkeys(inside if file.path.is_dir() else [file.path])
    return list(found | dict.fromkeys(path for one in logs for path in one.log.also))


def _of_logs(question: gather.Question, picked: chosen.Chosen) -> gather.Question:
    """The question, with what the logs say of the metric where the caller has not said it."""
    failure = question.failed
    if failure is None and picked.failed:
        failure = failures.Failure(chosen.FAILED)
    return replace(
        question,
        better=question.better or picked.better,
        bounds=picked.bounds if question.bounds is None else question.bounds,
        metric=picked.metric,
        failed=failure,
        notes=(*question.notes, *picked.notes),
    )


def _told(**options: Any) -> dict[str, Any]:
    """The options that change what is read, as an answer repeats them."""
    said = {name: value for name, value in options.items() if value}
    if isinstance(said.get("keep"), tuple):
        said["keep"] = list(said["keep"])
    return said
