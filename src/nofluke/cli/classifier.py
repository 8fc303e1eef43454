"""`nofluke classifier`: read labelled predictions, ask, show the answer."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from nofluke.cli import options


def classifier(
    sources: Annotated[
        list[str],
        Parameter(
            help="One table of labels and predictions, or one file for each candidate.",
            allow_leading_hyphen=True,
        ),
    ],
    /,
    *,
    threshold: Annotated[
        float | None,
        Parameter(help="Flag from this score on.", allow_leading_hyphen=True),
    ] = None,
    costs: options.Costs = None,
    prevalence: Annotated[
        float | None, Parameter(help="Share of positives where it will be used.")
    ] = None,
    positive: options.Positive = None,
    level: Annotated[float, Parameter(help="Confidence of each interval.")] = 0.95,
    groups: options.GroupColumn = None,
    blocks: Annotated[int | None, Parameter(help="Tell apart so many blocks of time.")] = None,
    clusters: options.ClusterColumn = None,
    method: Annotated[
        str, Parameter(help="Interval of a rate: wilson, clopper_pearson or jeffreys.")
    ] = "wilson",
    missing: Annotated[str, Parameter(help="raise, common or own.")] = "raise",
    n_resamples: Annotated[
        int, Parameter(help="Resamples of average precision and calibration; 0 for none.")
    ] = 999,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: label=died,prediction=risk.")
    ] = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    seed: Annotated[int, Parameter(help="Seed of the resamples.")] = 0,
    without: Annotated[
        str | None,
        Parameter(help="Leave out: average_precision,decisions,probabilities,differences."),
    ] = None,
    engine: options.Engine = "auto",
    memory: options.Memory = None,
    spill: options.Spill = None,
    stats: options.Stats = False,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    show_work: Annotated[bool, Parameter(help="Print counts and terms of the answer.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """What are these predictions worth: order, decisions, probabilities?

    Example: nofluke classifier scored.csv --threshold 0.5 --positive yes
    """
    from nofluke.cli import arguments, engines, ledgers, show
    from nofluke.questions.classifier import classifier as ask

    with engines.predicted(
        sources,
        engine=engine,
        memory=memory,
        spill=spill,
        stats=stats,
        recorded=ledger is not None,
        columns=arguments.with_roles(columns, group=groups, cluster=clusters),
        positive=positive,
        missing=missing,
        delimiter=delimiter,
        decimal=decimal,
    ) as predictions:
        answer = ledgers.on_record(ask, ledger)(
            predictions,
            threshold=threshold,
            costs=costs,
            prevalence=prevalence,
            level=level,
            groups=groups is not None,
            blocks=blocks,
            clusters=clusters is not None,
            method=method,
            n_resamples=n_resamples,
            seed=seed,
            without=() if without is None else [part.strip() for part in without.split(",")],
        )
        if report is not None:
            answer.report(arguments.report(report, sources))
        show.answer(answer, form=format, work=show_work, quiet=quiet)
