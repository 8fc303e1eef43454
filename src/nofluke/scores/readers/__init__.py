"""Reading scores: files of any supported format, folders, standard input and data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import preparing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nofluke.scores.readers.columns import Wanted
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
    asked = preparing.Asked(
        better=better,
        bounds=bounds,
        binary=binary,
        metric=metric,
        where=dict(where or {}),
        columns=dict(columns or {}),
        failed=failed,
        keep=(keep,) if isinstance(keep, str) else tuple(keep),
        contents=contents,
        reader=reader,
        delimiter=delimiter,
        decimal=decimal,
    )
    with preparing.prepared(source, asked) as reading:
        return reading.scores()
