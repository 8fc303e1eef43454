"""Options that several commands have: said once, so that they say the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

# What is read, and how.
Better: TypeAlias = Annotated[
    Literal["higher", "lower"] | None, Parameter(help="Which score wins; never guessed.")
]
Bounds: TypeAlias = Annotated[
    tuple[float, float] | None,
    Parameter(help="Lowest and highest possible score: 0 1.", allow_leading_hyphen=True),
]
Binary: TypeAlias = Annotated[bool, Parameter(help="Every score is 0 or 1 by its meaning.")]
Metric: TypeAlias = Annotated[str | None, Parameter(help="Which metric, if the file has several.")]
Failed: TypeAlias = Annotated[
    str | None, Parameter(help="Failed rows: a column, or error_code=429,-1.")
]
Where: TypeAlias = Annotated[
    list[str],
    Parameter(help="Which rows of a log: filter=strict-match; repeat.", show_default=False),
]
Reader: TypeAlias = Annotated[
    str | None, Parameter(help="Reader of the log, or table; known by content.")
]
Delimiter: TypeAlias = Annotated[str | None, Parameter(help="What separates the cells of a text.")]
Decimal: TypeAlias = Annotated[str | None, Parameter(help="Decimal mark of a text: . or a comma.")]
Positive: TypeAlias = Annotated[
    str | None, Parameter(help="The label of the positive class; never guessed.")
]

# Who computes, and in which room.
Engine: TypeAlias = Annotated[
    Literal["auto", "memory", "duckdb", "polars", "spark"],
    Parameter(
        help="Who computes: auto, memory, duckdb, polars, spark.",
        show_choices=False,
        show_default=False,
    ),
]
Memory: TypeAlias = Annotated[
    str | None, Parameter(help="Memory it may take, as 400MiB; the rest stays on disk.")
]
Spill: TypeAlias = Annotated[Path | None, Parameter(help="Folder for what does not fit.")]
Stats: TypeAlias = Annotated[
    bool, Parameter(help="Tell time, memory and passes on stderr.", show_default=False)
]

# What is counted, and what it costs.
MaxClusterSize: TypeAlias = Annotated[
    float | None, Parameter(help="Largest possible cluster: count its examples.")
]
ClusterColumn: TypeAlias = Annotated[
    str | None, Parameter(help="Column of clusters, which are counted instead of rows.")
]
GroupColumn: TypeAlias = Annotated[str | None, Parameter(help="Column of groups to tell apart.")]
Costs: TypeAlias = Annotated[
    tuple[float, float] | None, Parameter(help="Cost of a false alarm, and of a miss: 1 20.")
]

# Who computes.
Workers: TypeAlias = Annotated[int | None, Parameter(help="How many compute at once.")]
Backend: TypeAlias = Annotated[
    str | None, Parameter(help="Who computes: loky (processes), threading, dask or ray.")
]
Scheduler: TypeAlias = Annotated[
    str | None, Parameter(help="Address of a running cluster: tcp://host:8786.")
]

# What is done with the answer.
Ledger: TypeAlias = Annotated[
    str | None, Parameter(help="Write this look down in a ledger first, or be refused.")
]
Format: TypeAlias = Annotated[
    Literal["text", "json", "csv", "html"],
    Parameter(help="How to print: text, json, csv or html.", show_choices=False),
]
Report: TypeAlias = Annotated[Path | None, Parameter(help="Also write an HTML report here.")]
Quiet: TypeAlias = Annotated[bool, Parameter(help="Print the sentences only.")]
