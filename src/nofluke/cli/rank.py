"""`nofluke rank`: read all candidates, ask, show the answer."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from nofluke.cli import options


def rank(
    sources: Annotated[
        list[str],
        Parameter(help="One table, or one file for each candidate.", allow_leading_hyphen=True),
    ],
    /,
    *,
    alpha: Annotated[float, Parameter(help="Error level of the whole answer.")] = 0.05,
    method: Annotated[str, Parameter(help="holm, bonferroni, max_t, anytime or e_bh.")] = "holm",
    better: options.Better = None,
    bounds: options.Bounds = None,
    binary: options.Binary = False,
    clusters: Annotated[bool, Parameter(help="Count clusters, not examples.")] = False,
    max_cluster_size: options.MaxClusterSize = None,
    missing: Annotated[str, Parameter(help="raise, common or pairwise.")] = "raise",
    planned: Annotated[
        int | None, Parameter(help="Units planned in advance, with --method anytime.")
    ] = None,
    n_resamples: Annotated[
        int, Parameter(help="Resamples of max_t and of the model confidence set.")
    ] = 2000,
    metric: options.Metric = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: example=doc_id,score=acc.")
    ] = None,
    failed: options.Failed = None,
    where: options.Where = [],  # noqa: B006 (never changed)
    reader: options.Reader = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    seed: Annotated[int, Parameter(help="Seed of the order of units and of resamples.")] = 0,
    engine: options.Engine = "auto",
    memory: options.Memory = None,
    spill: options.Spill = None,
    stats: options.Stats = False,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    show_work: Annotated[bool, Parameter(help="Print the terms of the answer.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """In what order do these candidates stand, as far as the evidence goes?

    Example: nofluke rank board.parquet --metric accuracy
    """
    from nofluke.cli import arguments, engines, ledgers, show
    from nofluke.questions.rank import rank as ask

    with engines.opened(
        sources,
        engine=engine,
        memory=memory,
        spill=spill,
        stats=stats,
        recorded=ledger is not None,
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
    ) as scores:
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
