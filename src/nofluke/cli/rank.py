"""`nofluke rank`: read all candidates, ask, show the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter


def rank(
    sources: Annotated[
        list[str],
        Parameter(help="One table, or one file for each candidate.", allow_leading_hyphen=True),
    ],
    /,
    *,
    alpha: Annotated[float, Parameter(help="Error level of the whole answer.")] = 0.05,
    method: Annotated[str, Parameter(help="holm, bonferroni, max_t, anytime or e_bh.")] = "holm",
    better: Annotated[
        Literal["higher", "lower"] | None, Parameter(help="Which score wins; never guessed.")
    ] = None,
    bounds: Annotated[
        tuple[float, float] | None,
        Parameter(help="Lowest and highest possible score: 0 1.", allow_leading_hyphen=True),
    ] = None,
    binary: Annotated[bool, Parameter(help="Every score is 0 or 1 by its meaning.")] = False,
    clusters: Annotated[bool, Parameter(help="Count clusters, not examples.")] = False,
    max_cluster_size: Annotated[
        float | None, Parameter(help="Largest possible cluster: count its examples.")
    ] = None,
    missing: Annotated[str, Parameter(help="raise, common or pairwise.")] = "raise",
    planned: Annotated[
        int | None, Parameter(help="Units planned in advance, with --method anytime.")
    ] = None,
    n_resamples: Annotated[
        int, Parameter(help="Resamples of max_t and of the model confidence set.")
    ] = 2000,
    metric: Annotated[str | None, Parameter(help="Which metric, if the file has several.")] = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: example=doc_id,score=acc.")
    ] = None,
    failed: Annotated[
        str | None, Parameter(help="Failed rows: a column, or error_code=429,-1.")
    ] = None,
    where: Annotated[
        list[str], Parameter(help="Which rows of a log: filter=strict-match; repeat.")
    ] = [],  # noqa: B006 (never changed)
    reader: Annotated[
        str | None, Parameter(help="Reader of the log, or table; known by content.")
    ] = None,
    delimiter: Annotated[str | None, Parameter(help="What separates the cells of a text.")] = None,
    decimal: Annotated[str | None, Parameter(help="Decimal mark of a text: . or a comma.")] = None,
    seed: Annotated[int, Parameter(help="Seed of the order of units and of resamples.")] = 0,
    ledger: Annotated[
        Path | None, Parameter(help="Write this look down in a ledger first, or be refused.")
    ] = None,
    format: Annotated[  # noqa: A002 (the option is called --format)
        Literal["text", "json", "csv", "html"], Parameter(help="What to print.")
    ] = "text",
    report: Annotated[Path | None, Parameter(help="Write an HTML report here.")] = None,
    show_work: Annotated[bool, Parameter(help="Print the terms of the answer.")] = False,
    quiet: Annotated[bool, Parameter(help="Print the sentences only.")] = False,
) -> None:
    """In what order do these candidates stand, as far as the evidence goes?

    Example: nofluke rank board.parquet --metric accuracy
    """
    from nofluke.cli import arguments, ledgers, show
    from nofluke.questions.rank import rank as ask
    from nofluke.scores.readers import read

    with show.busy(f"reading {', '.join(sources)}"):
        scores = read(
            arguments.sources(sources),
            better=better,
            bounds=bounds,
            binary=binary,
            metric=metric,
            columns=arguments.roles(columns),
            failed=failed,
            where=arguments.narrowing(where),
            reader=reader,
            delimiter=delimiter,
            decimal=decimal,
            contents=True,
        )
    answer = ledgers.on_record(ask, ledger)(
        scores,
        alpha=alpha,
        method=method,
        binary=binary or None,
        clusters=clusters or None,
        max_cluster_size=max_cluster_size,
        missing=missing,
        planned=planned,
        n_resamples=n_resamples,
        seed=seed,
    )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=show_work, quiet=quiet)
