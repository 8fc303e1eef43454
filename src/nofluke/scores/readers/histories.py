"""Runs that log values while they train: one number of each run, and its steps for who asks.

The steps of one run follow from one another and are no sample of anything, so a run counts with
the last value of each metric. The values of each step stand beside it as further readings.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import some
from nofluke.scores.metrics import orientation
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.logs import Score

LAST: Final = "last"
STEP: Final = "step"
EXAMPLE: Final = "run"  # what a run was measured on stands in no log, and is one and the same
_LONGEST: Final = 40  # characters of a parameter that stand in a name
_SEEDS: Final = frozenset(
    {"seed", "random_seed", "random_state", "rng_seed", "seed_everything", "global_seed"}
    | {"train_seed"}
)


@dataclass(slots=True, kw_only=True)
class Run:
    """What one run logged.

    Attributes:
        name: What the tool calls it, or its seed: the run.
        candidate: What was run, if it is known.
        values: Steps and values of each metric, in the order in which they were written.
        unfinished: Why its last values are not those of its end ("FAILED"); "" if they are.
        settings: Its parameters.
        more: Further words about it, by column.
    """

    name: str
    candidate: str | None = None
    values: dict[str, list[tuple[str, float | None]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    unfinished: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)


def log(runs: Sequence[Run], *, notes: Iterable[str] = (), **said: Any) -> Log:
    """The log of some runs: one example, on which each run of each candidate has one number.

    Args:
        runs: The runs; those of one candidate have different names.
        notes: What the reader has to tell.
        said: Further fields of ``Log``.
    """
    metrics = list(dict.fromkeys(name for run in runs for name in run.values))
    scores: dict[str, list[Score]] = {name: [] for name in metrics}
    steps: list[str] = []
    owners: list[Run] = []
    several = any(_has_steps(run) for run in runs)
    for run in runs:
        for step, values in [(LAST, _last(run)), *(_by_step(run) if several else ())]:
            owners.append(run)
            steps.append(step)
            for name in metrics:
                scores[name].append(values.get(name))
    words = dict.fromkeys(word for run in runs for word in run.more)
    alone = len(runs) == 1
    return Log(
        candidate=runs[0].candidate if alone else [run.candidate or run.name for run in owners],
        example=[EXAMPLE] * len(owners),
        run=[run.name for run in owners],
        scores=scores,
        settings=runs[0].settings if alone and runs[0].candidate is not None else {},
        alternatives={STEP: steps},
        usual_readings={STEP: LAST},
        more={word: [run.more.get(word) for run in owners] for word in words},
        better=better(metrics),
        notes=(*notes, *_missing(runs)),
        **said,
    )


def _last(run: Run) -> dict[str, float | None]:
    """The value of each metric at the end of the run; none where it did not come to its end."""
    if run.unfinished:
        return {}
    return {name: _number(values[-1][1]) for name, values in run.values.items() if values}


def _has_steps(run: Run) -> bool:
    """Whether its steps say anything that its last values do not."""
    steps = {step for values in run.values.values() for step, _ in values}
    return len(steps) > 1 or (bool(run.unfinished) and bool(steps))


def _by_step(run: Run) -> list[tuple[str, dict[str, float | None]]]:
    """The values of each step; of several of one metric in one step, the one written last."""
    found: dict[str, dict[str, float | None]] = {}
    for name, values in run.values.items():
        for step, value in values:
            found.setdefault(step, {})[name] = _number(value)
    return sorted(found.items(), key=lambda item: _place(item[0]))


def _place(step: str) -> tuple[float, str]:
    try:
        return float(step), step
    except ValueError:
        return math.inf, step


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _missing(runs: Sequence[Run]) -> list[str]:
    """What to tell of runs that have no score."""
    notes = []
    unfinished = [run for run in runs if run.unfinished]
    if unfinished:
        states = Counter(run.unfinished for run in unfinished)
        told = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        notes.append(
            f"NF311: no last value of {len(unfinished)} of {len(runs)} runs, which did not "
            f"finish or logged nothing ({told}: {some([_label(r) for r in unfinished])}). What "
            "they logged stands under its step. Runs seldom fail at random: without them the rest "
            "may look better than it is."
        )
    nothing = [
        f"{name} of {_label(run)}"
        for run in runs
        for name, values in run.values.items()
        if values and not run.unfinished and _number(values[-1][1]) is None
    ]
    if nothing:
        notes.append(
            f"NF311: the last value is not a number in {some(nothing)}: there is no score, and "
            "the last number before it is not taken for one. A run that diverged counts as the "
            'worst with missing="worst".'
        )
    return notes


def _label(run: Run) -> str:
    return run.name if run.candidate in (None, run.name) else f"{run.candidate}, {run.name}"


def is_seed(name: str) -> bool:
    """Whether a parameter is the seed of a run, by its name.

    >>> is_seed("trainer.random_state"), is_seed("lr")
    (True, False)
    """
    return name.replace("/", ".").rpartition(".")[2].lower() in _SEEDS


def by_settings(runs: Sequence[Run]) -> list[str]:
    """Name runs by what they have in common: same parameters but for the seed, one candidate.

    ``candidate`` (the experiment) is followed by the parameters that differ within it; a run
    without any parameter keeps a name of its own. Where seeds tell the runs of each candidate
    apart, they name the runs.

    Returns:
        What to tell.
    """
    groups: dict[str | None, list[Run]] = defaultdict(list)
    for run in runs:
        groups[run.candidate].append(run)
    for base, group in groups.items():
        own = [{k: v for k, v in run.settings.items() if not is_seed(k)} for run in group]
        words = dict.fromkeys(word for one in own for word in one)
        differ = [word for word in words if len({one.get(word) for one in own}) > 1]
        for run, one in zip(group, own, strict=True):
            told = ", ".join(f"{word}={_short(one.get(word, '?'))}" for word in differ)
            if not run.settings:
                name = run.more.get("run_name") or run.name
                run.candidate = name if base in (None, name) else f"{base}/{name}"
            elif told:
                run.candidate = f"{base} ({told})"
    return _by_seeds(runs)


def _short(value: str) -> str:
    """A value as part of a name; what stands for its end differs where that differs."""
    if len(value) <= _LONGEST:
        return value
    return f"{value[:_LONGEST]}...{zlib.crc32(value.encode()):08x}"


def _by_seeds(runs: Sequence[Run]) -> list[str]:
    counts = Counter(run.candidate for run in runs)
    seeds = [[v for k, v in run.settings.items() if is_seed(k)] for run in runs]
    clear = all(len(found) == 1 for found in seeds) and len(runs) > 0
    pairs = {(run.candidate, *found) for run, found in zip(runs, seeds, strict=True)}
    if clear and len(pairs) == len(runs):
        for run, found in zip(runs, seeds, strict=True):
            run.name = f"seed {found[0]}"
    repeated = sum(n > 1 for n in counts.values())
    if not repeated:
        return []
    return [
        f"NF312: runs with the same parameters (but for the seed) are runs of one candidate: "
        f"{len(runs)} runs of {len(counts)} candidates. What was changed and not logged as a "
        "parameter cannot be seen."
    ]


_SPLIT: Final = re.compile(r"(train|training|val|valid|validation|dev|eval|test)(/|_|-|\.)")


def better(names: Iterable[str]) -> dict[str, Better]:
    """Which way metrics point, where their names say it: "val/acc" and "eval_loss" do.

    >>> better(["eval_loss", "val/acc", "kl"])
    {'eval_loss': 'lower', 'val/acc': 'higher'}
    """
    found = {name: orientation(_SPLIT.sub("", name, count=1)) for name in names}
    return {name: way for name, way in found.items() if way is not None}


def folder_name(file: File) -> str:
    """The name of the folder that a log with the same name in every run stands in."""
    path = file.path.resolve()
    if str(file.path) != file.label:  # it came through a pipe, and lies where that was kept
        return file.stem
    up = path if path.is_dir() else path.parent
    while up.name in {"files", "logs", "results", "output", ""} and up.parent != up:
        up = up.parent
    return up.name or file.stem


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """Nested settings as dotted names and texts.

    >>> flat({"model": {"depth": 3, "act": None}, "lr": 0.1})
    {'model.depth': '3', 'model.act': 'None', 'lr': '0.1'}
    """
    if not isinstance(value, dict):
        return {prefix.removesuffix("."): str(value)}
    found: dict[str, str] = {}
    for key, inner in value.items():
        found |= flat(inner, f"{prefix}{key}.")
    return found


def without(settings: Mapping[str, str], *words: str) -> dict[str, str]:
    """Settings without those whose first name is one of the words, and without seeds."""
    return {k: v for k, v in settings.items() if k.split(".")[0] not in words and not is_seed(k)}
