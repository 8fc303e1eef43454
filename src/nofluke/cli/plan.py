"""`nofluke plan`: how many, how small, how often; and a plan to keep to."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from nofluke.cli import options
from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.questions.planned_runs import RunsPlan
    from nofluke.questions.sized import Detectable, SampleSize
    from nofluke.questions.trades import Trade
    from nofluke.scores.table import Scores


def plan(
    *,
    delta: Annotated[float | None, Parameter(help="True gain that is to be shown.")] = None,
    n: Annotated[int | None, Parameter(help="Units: which gain do they show?")] = None,
    power: Annotated[float, Parameter(help="Probability of showing it.")] = 0.8,
    alpha: Annotated[float, Parameter(help="Error level of the test.")] = 0.05,
    method: Annotated[
        str, Parameter(help="auto, hoeffding, t, mcnemar, star, hedged_star, quantile, ...")
    ] = "auto",
    margin: Annotated[
        float,
        Parameter(help="Gain to be exceeded; below 0: loss tolerated.", allow_leading_hyphen=True),
    ] = 0.0,
    side: Annotated[str, Parameter(help="lower (better), both (different) or upper.")] = "lower",
    sd: Annotated[float | None, Parameter(help="Standard deviation of a difference.")] = None,
    p_win: Annotated[float | None, Parameter(help="Share of pairs that only B wins.")] = None,
    p_loss: Annotated[float | None, Parameter(help="Share of pairs that only A wins.")] = None,
    bar: Annotated[float | None, Parameter(help="Rate that is to be exceeded.")] = None,
    gamma: Annotated[float | None, Parameter(help="Failure rate of a certificate.")] = None,
    cluster_size: Annotated[float | None, Parameter(help="With --sd: pairs in a cluster.")] = None,
    icc: Annotated[float | None, Parameter(help="Correlation within a cluster.")] = None,
    pilot: Annotated[Path | None, Parameter(help="Scores seen earlier, of --a and --b.")] = None,
    a: Annotated[str | None, Parameter(help="Baseline.")] = None,
    b: Annotated[str | None, Parameter(help="The candidate compared with it.")] = None,
    better: Annotated[
        Literal["higher", "lower"] | None, Parameter(help="Which score wins.")
    ] = None,
    bounds: options.Bounds = None,
    binary: options.Binary = False,
    clusters: Annotated[bool, Parameter(help="Count clusters, not examples.")] = False,
    max_cluster_size: options.MaxClusterSize = None,
    metric: Annotated[str | None, Parameter(help="Name of the metric.")] = None,
    columns: Annotated[str | None, Parameter(help="Roles of the pilot's columns.")] = None,
    quantile: Annotated[
        float | None, Parameter(help="Instead: runs for limits of this quantile, 0.05.")
    ] = None,
    level: Annotated[float | None, Parameter(help="For --quantile: confidence.")] = None,
    width: Annotated[float | None, Parameter(help="Expected length, by a pilot of runs.")] = None,
    design: Annotated[
        int | None, Parameter(help="Runs at which limits at any time are narrow.")
    ] = None,
    repeats: Annotated[str | None, Parameter(help="Runs of each item, 1,2,5: a trade.")] = None,
    between: Annotated[float | None, Parameter(help="Spread of items, for a trade.")] = None,
    within: Annotated[float | None, Parameter(help="Spread of runs of an item.")] = None,
    cost: Annotated[float, Parameter(help="Cost of an item.")] = 0.0,
    cost_per_run: Annotated[float, Parameter(help="Cost of one run of an item.")] = 1.0,
    streams: Annotated[int, Parameter(help="Streams of a simulation.")] = 2000,
    seed: Annotated[int, Parameter(help="Seed of simulation and of the plan's order.")] = 0,
    workers: options.Workers = None,
    backend: options.Backend = None,
    scheduler: options.Scheduler = None,
    write: Annotated[Path | None, Parameter(help="Write a sealed plan here.")] = None,
    format: options.Format = "text",  # noqa: A002 (the option is called --format)
    quiet: options.Quiet = False,
) -> None:
    """How many examples or runs are needed, before any is run; and a sealed plan to keep to.

    Example: nofluke plan --delta 0.05 --sd 0.2
    """
    given = dict(locals())
    from nofluke.cli import plan_options, show

    plan_options.refuse_ignored(plan, given)
    scores = _read(given)
    seen = {"pilot": scores, "a": a, "b": b} if scores is not None else {}
    test = {"alpha": alpha, "power": power, "margin": margin, "side": side, **seen}
    answer: RunsPlan | SampleSize | Detectable | Trade
    with show.busy("planning"), _computing(given):
        answer = _answer(given, test) if quantile is None else _runs(given, scores)
    if write is not None:
        show.note(str(_written(given, answer, scores)))
    show.answer(answer, form=format, work=False, quiet=quiet)


def _computing(given: Mapping[str, Any]) -> contextlib.AbstractContextManager[None]:
    """Who simulates: this process, unless somebody is named."""
    from nofluke.workers import on

    who = {name: given[name] for name in ("backend", "workers", "scheduler")}
    return contextlib.nullcontext() if set(who.values()) == {None} else on(**who)


def _answer(given: Mapping[str, Any], test: dict[str, Any]) -> SampleSize | Detectable | Trade:
    from nofluke.cli import arguments
    from nofluke.questions import sizes, trades

    if given["repeats"] is not None:
        more = {name: given[name] for name in ("between", "within", "cost", "cost_per_run")}
        counts = arguments.wholes(given["repeats"], name="--repeats")
        return trades.trade(given["delta"], repeats=counts, **more, **test)
    shared = ("method", "sd", "p_loss", "bar", "bounds", "max_cluster_size", "cluster_size", "icc")
    test |= {name: given[name] for name in shared}
    test |= {"binary": given["binary"] or None, "clusters": given["clusters"] or None}
    test |= {"n_streams": given["streams"], "seed": given["seed"]}
    if given["n"] is not None and given["gamma"] is None and given["delta"] is None:
        return sizes.detectable(given["n"], **test)
    return sizes.sample_size(given["delta"], p_win=given["p_win"], gamma=given["gamma"], **test)


def _runs(given: Mapping[str, Any], scores: Scores | None) -> RunsPlan:
    from nofluke import checks
    from nofluke.questions.run_sizes import runs

    if given["level"] is None:
        raise InputError("--quantile needs --level, the confidence, such as 0.9.", code="NF008")
    u = checks.fraction(given["quantile"], name="quantile")
    asked = {name: given[name] for name in ("n", "width")}
    if given["design"] is not None:
        asked["design"] = given["design"]
    return runs(u, given["level"], pilot=scores, candidate=given["a"], **asked)


def _read(given: Mapping[str, Any]) -> Scores | None:
    from nofluke.cli import arguments, show
    from nofluke.scores.readers import read

    if given["pilot"] is None:
        return None
    with show.busy(f"reading {given['pilot']}"):
        return read(
            str(given["pilot"]),
            better=given["better"],
            bounds=given["bounds"],
            binary=given["binary"],
            metric=given["metric"],
            columns=arguments.roles(given["columns"]),
        )


def _written(given: Mapping[str, Any], answer: Any, scores: Scores | None) -> Any:
    """The plan that the answer makes; what it needs and was not said is asked for."""
    from nofluke.questions import plan_file

    # The exact test is planned for what is 0 or 1 by its meaning, whoever said so.
    binary = True if answer.method == "mcnemar" else given["binary"] or None
    return plan_file.write(
        given["write"],
        planned=answer.n,
        a=given["a"],
        b=given["b"],
        better=given["better"] or (None if scores is None else scores.better),
        alternative=_alternative(answer.side, answer.margin),
        margin=abs(answer.margin),
        alpha=answer.alpha,
        method=answer.method,
        metric=given["metric"] or (None if scores is None else scores.metric),
        bounds=given["bounds"] or (None if scores is None else scores.bounds),
        binary=binary,
        pilot=scores,
        clusters=answer.unit == "clusters",
        max_cluster_size=given["max_cluster_size"],
        seed=given["seed"],
        delta=answer.delta,
        power=answer.power,
    )


def _alternative(side: str, margin: float) -> str:
    """The claim of ``compare`` that was planned for."""
    if side == "lower":
        return "better" if margin >= 0 else "not-worse"
    if margin < 0:
        raise InputError(
            f"a loss tolerated (--margin {margin:g}) goes with --side lower only.", code="NF008"
        )
    return "different" if side == "both" else "worse"
