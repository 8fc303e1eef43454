"""`nofluke certify`: read a table, ask, show the answer."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from nofluke.cli import options


def certify(
    sources: Annotated[
        list[str], Parameter(help="Files, a folder, or - (stdin).", allow_leading_hyphen=True)
    ],
    /,
    *,
    better: options.Better = None,
    select: Annotated[
        str,
        Parameter(help="top:M, threshold:V, within:D, names:a,b; @median, @q0.9, @column:NAME."),
    ] = "top:5",
    delta: Annotated[float, Parameter(help="Error budget for the shortlist.")] = 0.1,
    gamma: Annotated[
        list[str],
        Parameter(help="Failure rates: repeat, or 0.1,0.05. [default: 0.1]", show_default=False),
    ] = ["0.1"],  # noqa: B006 (never changed)
    claim: Annotated[str, Parameter(help="fcr, fcx:SHARE, simultaneous or winner.")] = "fcr",
    rule: Annotated[
        str, Parameter(help="auto, minimax, bonferroni, sizes:3,5, psdme, ...")
    ] = "auto",
    band: Annotated[str, Parameter(help="auto, kolmogorov, dkw, clopper_pearson.")] = "auto",
    side: Annotated[str, Parameter(help="auto, lower, upper or both.")] = "auto",
    tried: Annotated[
        int | None, Parameter(help="Candidates tried in all, dropped ones included.")
    ] = None,
    missing: Annotated[str, Parameter(help="raise, common, own or worst.")] = "raise",
    failed: options.Failed = None,
    bounds: options.Bounds = None,
    binary: options.Binary = False,
    metric: options.Metric = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: candidate=model,score=latency.")
    ] = None,
    where: options.Where = [],  # noqa: B006 (never changed)
    reader: options.Reader = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    functional: Annotated[
        list[str],
        Parameter(help="Also mean, median, q0.9, cvar0.1, iqr of each.", show_default=False),
    ] = [],  # noqa: B006 (never changed)
    split: Annotated[
        float | None, Parameter(help="Choose on this share, evaluate on the rest.")
    ] = None,
    unit: Annotated[str, Parameter(help="What is one draw: example or cluster.")] = "example",
    repeats: Annotated[str, Parameter(help="Of several runs: first or average.")] = "first",
    dependence: Annotated[
        str, Parameter(help="Rows that follow each other: refuse, ignore.")
    ] = "refuse",
    seed: Annotated[
        int | None, Parameter(help="Seed of the split and of the draw from clusters.")
    ] = None,
    engine: options.Engine = "auto",
    memory: options.Memory = None,
    spill: options.Spill = None,
    stats: options.Stats = False,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    show_work: Annotated[bool, Parameter(help="Print the terms of the bound.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Guarantees for the candidates you chose, from the data that chose them.

    Example: nofluke certify results.parquet --better lower --select top:5 --gamma 0.1
    """
    from nofluke.cli import arguments, engines, ledgers, show
    from nofluke.questions.certify import certify as ask

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
        keep=arguments.kept_columns(select),
        where=arguments.narrowing(where),
        reader=reader,
        delimiter=delimiter,
        decimal=decimal,
    ) as scores:
        answer = ledgers.on_record(ask, ledger)(
            scores,
            select,
            delta=delta,
            gamma=arguments.numbers(gamma, name="--gamma"),
            rule=rule,
            band=band,
            side=side,
            claim=claim,
            tried=tried,
            missing=missing,
            functionals=functional,
            split=split,
            unit=unit,
            repeats=repeats,
            dependence=dependence,
            seed=seed,
        )
        if report is not None:
            answer.report(arguments.report(report, sources))
        show.answer(answer, form=format, work=show_work, quiet=quiet)
