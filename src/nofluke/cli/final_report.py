"""`nofluke final-report`: read labelled predictions, ask, show the report."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from nofluke.cli import options


def final_report(
    sources: Annotated[
        list[str],
        Parameter(
            help="One table of labels and predictions of all candidates, or one file for each.",
            allow_leading_hyphen=True,
        ),
    ],
    /,
    *,
    planned: Annotated[
        str, Parameter(help="What was to be reported: mean, median or name:ID.")
    ] = "mean",
    chosen: Annotated[
        str | None, Parameter(help="The candidate that was chosen; that of the largest area.")
    ] = None,
    threshold: Annotated[
        float | None,
        Parameter(help="The chosen flags from this score on.", allow_leading_hyphen=True),
    ] = None,
    costs: options.Costs = None,
    rule: Annotated[str | None, Parameter(help="The rule of the choice, in words.")] = None,
    fixed: Annotated[str | None, Parameter(help="When the rule was fixed, in words.")] = None,
    population: Annotated[
        str | None, Parameter(help="Which cases the rows stand for, in words.")
    ] = None,
    collected: Annotated[
        str | None, Parameter(help="When the rows were collected, in words.")
    ] = None,
    deployment: Annotated[
        str | None, Parameter(help="Where and for what it will be used, in words.")
    ] = None,
    origin: Annotated[
        str | None,
        Parameter(help="Where the rows come from, and how they were kept out of training."),
    ] = None,
    tried: Annotated[
        int | None, Parameter(help="How many could have been chosen, those not shown included.")
    ] = None,
    dropped_seeds: Annotated[
        int | None, Parameter(help="Seeds trained and left out of the data.")
    ] = None,
    settings: Annotated[int | None, Parameter(help="Settings tried.")] = None,
    preprocessing: Annotated[int | None, Parameter(help="Versions of preprocessing tried.")] = None,
    thresholds: Annotated[
        int | None, Parameter(help="Thresholds looked at for each candidate.")
    ] = None,
    metrics: Annotated[
        int | None, Parameter(help="Metrics that could have become the headline.")
    ] = None,
    submissions: Annotated[
        int | None, Parameter(help="Times a score on these rows came back before.")
    ] = None,
    positive: options.Positive = None,
    level: Annotated[float, Parameter(help="Confidence of each number after the choice.")] = 0.95,
    groups: options.GroupColumn = None,
    clusters: options.ClusterColumn = None,
    missing: Annotated[str, Parameter(help="raise or common.")] = "raise",
    n_resamples: Annotated[
        int, Parameter(help="Resamples of average precision and calibration; 0 for none.")
    ] = 999,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: label=died,prediction=risk.")
    ] = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    seed: Annotated[int, Parameter(help="Seed of the resamples.")] = 0,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    quiet: options.Quiet = False,
) -> None:
    """The chosen classifier with its choice, its numbers, its scope, and what is missing.

    Example: nofluke final-report scored.csv --positive yes --tried 30 --report final.html
    """
    from nofluke.cli import arguments, ledgers, show
    from nofluke.questions.final_report import final_report as ask
    from nofluke.scores.readers.predictions import read_predictions

    with show.busy(f"reading {', '.join(sources)}"):
        predictions = read_predictions(
            arguments.sources(sources),
            columns=arguments.with_roles(columns, group=groups, cluster=clusters),
            positive=positive,
            missing=missing,
            delimiter=delimiter,
            decimal=decimal,
        )
    scope = {
        "population": population,
        "time": collected,
        "deployment": deployment,
        "rows": origin,
    }
    chances = {
        "dropped_seeds": dropped_seeds,
        "settings": settings,
        "preprocessing": preprocessing,
        "thresholds": thresholds,
        "metrics": metrics,
        "submissions": submissions,
    }
    answer = ledgers.on_record(ask, ledger)(
        predictions,
        planned=planned,
        chosen=chosen,
        threshold=threshold,
        costs=costs,
        rule=rule,
        fixed=fixed,
        scope={name: text for name, text in scope.items() if text is not None},
        tried=tried,
        chances={name: count for name, count in chances.items() if count is not None},
        level=level,
        n_resamples=n_resamples,
        seed=seed,
    )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=False, quiet=quiet)
