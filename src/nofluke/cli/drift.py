"""`nofluke drift`: read two tables, or watch a log of labelled rows, and show what has changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from nofluke.cli import options
from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.scores.features import Features


def drift(
    sources: Annotated[
        list[str],
        Parameter(
            help="The rows before and the rows now; with --monitor then logs of labelled rows.",
            allow_leading_hyphen=True,
        ),
    ],
    /,
    *,
    threshold: Annotated[
        float | None,
        Parameter(help="Flag from this prediction on.", allow_leading_hyphen=True),
    ] = None,
    costs: options.Costs = None,
    prevalence: Annotated[
        float | None, Parameter(help="Share of positives before, where it is known.")
    ] = None,
    positive: options.Positive = None,
    alpha: Annotated[
        float, Parameter(help="Probability of any finding where nothing has changed.")
    ] = 0.05,
    features: Annotated[
        str | None, Parameter(help="Columns to compare: age,site; all others by default.")
    ] = None,
    monitor: Annotated[
        bool, Parameter(help="Watch the errors of logs, at one error level for ever.")
    ] = False,
    follow: Annotated[
        bool, Parameter(help="Watch the last log while it grows, until the first alarm.")
    ] = False,
    rate: Annotated[
        float | None, Parameter(help="With --monitor: the error rate that is no drift.")
    ] = None,
    batch_size: Annotated[
        int, Parameter(help="With --monitor: rows of a batch, without a batch column.")
    ] = 1,
    clusters: Annotated[
        str | None, Parameter(help="With --rate: column of clusters, counted instead of rows.")
    ] = None,
    state: Annotated[
        Path | None, Parameter(help="With --monitor: keep the watch here, to go on later.")
    ] = None,
    poll: Annotated[float, Parameter(help="With --follow: seconds between looks.")] = 1.0,
    idle: Annotated[
        float | None, Parameter(help="With --follow: stop after so many seconds without a line.")
    ] = None,
    columns: Annotated[
        str | None, Parameter(help="Roles of columns: label=died,prediction=risk,batch=week.")
    ] = None,
    delimiter: options.Delimiter = None,
    decimal: options.Decimal = None,
    n_resamples: Annotated[
        int, Parameter(help="Permutations of the test of all predictors.")
    ] = 199,
    seed: Annotated[int, Parameter(help="Seed of the permutations.")] = 0,
    ledger: options.Ledger = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    report: options.Report = None,
    quiet: options.Quiet = False,
) -> int | None:
    """What has changed: predictors, the share of positives, or what labels mean?

    Example: nofluke drift validation.csv november.csv --threshold 0.5
    """
    from nofluke.cli import arguments, ledgers, show

    given = dict(locals())
    roles = arguments.with_roles(columns, cluster=clusters) or {}
    if monitor or follow:
        unused = ("costs", "prevalence", "features", "decimal", "ledger")
        _refuse(given, unused, "has no use with --monitor")
        return _watch(sources, roles=roles, **{k: given[k] for k in _WATCHED})
    _refuse(given, ("rate", "state", "clusters", "idle"), "needs --monitor")
    if len(sources) != 2:
        raise InputError(
            f"{len(sources)} sources arrived; give the rows before and the rows now: nofluke drift "
            "before.csv now.csv.",
            code="NF295",
        )
    from nofluke.questions.drift_report import drift_report

    how = {"positive": positive, "delimiter": delimiter, "decimal": decimal, "features": features}
    with show.busy(f"reading {', '.join(sources)}"):
        before, now = (_read(source, roles, now=i == 1, **how) for i, source in enumerate(sources))
    with show.busy("comparing"):
        answer = ledgers.on_record(drift_report, ledger)(
            before,
            now,
            threshold=threshold,
            costs=costs,
            prevalence=prevalence,
            alpha=alpha,
            n_resamples=n_resamples,
            seed=seed,
        )
    if report is not None:
        answer.report(arguments.report(report, sources))
    show.answer(answer, form=format, work=False, quiet=quiet)
    return None


_WATCHED = (
    "threshold",
    "positive",
    "alpha",
    "follow",
    "rate",
    "batch_size",
    "clusters",
    "state",
    "poll",
    "idle",
    "delimiter",
    "format",
    "report",
    "quiet",
)


def _refuse(given: dict[str, Any], names: tuple[str, ...], why: str) -> None:
    wrong = [name for name in names if given[name] is not None]
    if wrong:
        raise InputError(f"--{wrong[0].replace('_', '-')} {why}.", code="NF295")


def _read(
    source: str, roles: dict[str, Any], *, now: bool, features: str | None, **how: Any
) -> Features:
    """One table; labels of now may be absent, and so may batches of before."""
    from nofluke.cli import arguments
    from nofluke.scores.readers.features import read_features

    listed = None if features is None else [c.strip() for c in features.split(",") if c.strip()]
    return read_features(
        arguments.sources([source]),
        columns=roles,
        features=listed,
        optional=("label",) if now else ("batch",),
        **how,
    )


def _watch(sources: list[str], **how: Any) -> int:
    from nofluke.cli.drift_monitor import watch

    return watch(sources, **how)
