"""From outcomes to the record: the table, the notes, and what the runs were made with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import workers
from nofluke.errors import some
from nofluke.scores.assembly import Rows
from nofluke.scores.table import Scores
from nofluke.selection.repeats import generators, journal
from nofluke.selection.repeats.answers import Repeats

if TYPE_CHECKING:
    from nofluke.selection.repeats.agreement import Agreed
    from nofluke.selection.repeats.asked import Asked
    from nofluke.selection.repeats.single import Outcome
    from nofluke.selection.repeats.sources import Seeds

_ASSUMES = (
    "Runs are independent draws of the varied sources, given these data: how the results of the "
    "same work on other data would vary is not in them.",
)


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a plan.

    Attributes:
        outcomes: By the key of their seeds.
        agreed: What two equal runs agreed on.
        resumed: Runs that an earlier session had finished.
        earlier: What earlier sessions asked for.
    """

    outcomes: Mapping[str, Outcome]
    agreed: Agreed
    resumed: int
    earlier: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Way:
    """Which runs are meant.

    Attributes:
        varied: Sources that vary.
        absent: Usual sources that are not there.
        per_split: Runs for each split.
        plan: The seeds of each run.
    """

    varied: tuple[str, ...]
    absent: tuple[str, ...]
    per_split: int
    plan: Sequence[Seeds]


def answer(asked: Asked, way: Way, done: Done) -> Repeats:
    """The runs as a record."""
    outcomes = [done.outcomes[journal.key(seeds)] for seeds in way.plan]
    notes = (
        *_conditions(asked, way),
        *_share(asked, way),
        *_failures(outcomes),
        *_several(asked, way),
        *_dependent(way, done),
    )
    table = _table(asked, outcomes, way.per_split, notes)
    return Repeats(
        **{f.name: getattr(table, f.name) for f in fields(Scores)},
        varied=way.varied,
        seeds={s: tuple(o.seeds[s] for o in outcomes) for s in asked.there},
        outcomes=tuple(outcomes),
        environment=_environment(asked, done),
        assumes=_ASSUMES,
    )


def _table(
    asked: Asked, outcomes: Sequence[Outcome], per_split: int, notes: tuple[str, ...]
) -> Scores:
    n = len(outcomes)
    width = max(2, len(str(n - 1)))
    names = tuple(f"run-{i:0{width}}" for i in range(n))
    splits = tuple(f"split-{i:0{width}}" for i in range(math.ceil(n / per_split)))
    codes = np.arange(n, dtype=np.int32)
    values = [math.nan if o.score is None else o.score for o in outcomes]
    rows = Rows(
        values=np.array(values, np.float64),
        starts=np.array([0, n], np.int64),
        where=None,
        run=codes,
        cluster=np.asarray(codes // per_split, np.int32) if per_split > 1 else None,
        kept={s: np.array([o.seeds[s] for o in outcomes], np.float64) for s in asked.there},
        failed=np.array([o.score is None for o in outcomes]),
    )
    return Scores.from_rows(
        rows,
        candidates=(asked.name,),
        examples=names,
        better=asked.better,
        bounds=asked.bounds,
        metric=asked.metric,
        label_names={"run": names, **({"cluster": splits} if per_split > 1 else {})},
        notes=notes,
    )


def _conditions(asked: Asked, way: Way) -> list[str]:
    fixed = [s for s in asked.there if s not in way.varied]
    parts = []
    if fixed:
        parts.append(f"{', '.join(fixed)} kept the seed of the first run")
    if way.absent:
        parts.append(f"{', '.join(way.absent)} not there")
    if asked.setup.test is not None:
        parts.append("the test set is fixed")
    places = asked.setup.places
    if places.held and not any(map(callable, places.hooks.values())):
        parts.append(f"{some(places.held)} kept the value they were given")
    if not parts:
        return []
    return [f"NF193: not varied: {'; '.join(parts)}. The runs speak of results with these as is."]


def _share(asked: Asked, way: Way) -> list[str]:
    if asked.assumed is None or "subsample" not in way.varied:
        return []
    return [
        f"NF199: each run trains on {asked.assumed:g} of its training rows, drawn without "
        "replacement, because no size was named; subsample= names another."
    ]


def _failures(outcomes: Sequence[Outcome]) -> list[str]:
    failed = [(i, o.error) for i, o in enumerate(outcomes) if o.score is None]
    if not failed:
        return []
    i, why = failed[0]
    return [
        f"NF194: {len(failed)} of {len(outcomes)} runs failed and count as the worst score there "
        f"is; the first is run {i}: {why}"
    ]


def _several(asked: Asked, way: Way) -> list[str]:
    several = asked.setup.places.several
    if "init" not in way.varied or not several:
        return []
    told = "; ".join(f"of {kind}: {what}" for kind, what in several.items())
    return [f"NF195: one random_state decides several things, all counted as init: {told}."]


def _dependent(way: Way, done: Done) -> list[str]:
    notes = []
    n, each = len(way.plan), way.per_split
    if each > 1:
        notes.append(
            f"NF196: {each} runs share each of {n // each} splits, so there are {n // each} "
            f"independent clusters and not {n} independent runs."
        )
    asked = [e["n"] for e in done.earlier if (e["vary"], e["per_split"]) == ([*way.varied], each)]
    others = sorted({m for m in asked if m != n})
    if others:
        notes.append(
            f"NF196: {some(others)} runs were asked for before and {n} now; an interval for a "
            "number of runs fixed in advance holds only if the scores had no part in the change."
        )
    return notes


def _environment(asked: Asked, done: Done) -> dict[str, Any]:
    places = asked.setup.places
    seeded = {s: list(names) for s, names in places.parameters.items()}
    if places.splitters:
        seeded["hpo"] = [*seeded.get("hpo", []), *(f"{s}.random_state" for s in places.splitters)]
    return {
        "seed": asked.root,
        "versions": generators.versions(),
        "hash_seed": generators.hash_seed(),
        "threads": asked.setup.threads,
        "n_jobs": workers.count(asked.n_jobs),
        "parameters": seeded,
        "hooks": {s: h if isinstance(h, str) else "function" for s, h in places.hooks.items()},
        "moved": list(done.agreed.outcome.moved),
        "deterministic_cost": done.agreed.deterministic_cost,
        "resumed": done.resumed,
    }
