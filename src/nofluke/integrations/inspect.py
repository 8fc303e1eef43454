"""Stop an Inspect AI evaluation as soon as the comparison with a baseline is decided.

``Task(..., early_stopping=stop_when(baseline="logs/old.eval"))``. Needs ``nofluke[inspect]``.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, MissingExtra, some
from nofluke.questions.stream import CONTINUE, BarStream, ComparisonStream
from nofluke.questions.watched import answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalLog, EvalSpec
    from inspect_ai.scorer import SampleScore
    from inspect_ai.util import EarlyStop

MANAGER = "nofluke.stop_when"
# As Inspect converts values of its own scorers; any other text is refused, where Inspect takes 0.
_WORDS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MOST_IDS = 20


def stop_when(
    *,
    baseline: Mapping[Any, float] | str | Path | EvalLog | float,
    scorer: str | None = None,
    value: str | None = None,
    bounds: Sequence[float] = (0, 1),
    alpha: float = 0.05,
    margin: float = 0.0,
    planned: int | None = None,
    alternative: str = "better",
    weight: float = 0.8,
    better: str = "higher",
    missing: str = "raise",
    shuffled: bool = False,
) -> StopWhen:
    """Early stopping for an Inspect task: no more samples once the verdict is reached.

    Samples are paired with the baseline by id and counted in their shuffled order, whichever
    finishes first: quick samples may be easier ones, and counting them first would break the
    promise. With several epochs an id counts once, by its mean, when all its epochs are there.
    The evidence is written into the log: ``log.results.early_stopping.metadata``.

    Args:
        baseline: Score of the other model by sample id; or an Inspect log (or its path), paired
            likewise; or a fixed number to be compared with, a bar that was not measured.
        scorer: Which scorer, where the task has several.
        value: Which value of it, where its scores are dictionaries.
        bounds: Lowest and highest possible score.
        alpha: Probability of ever reaching a wrong verdict.
        margin: The gain that matters, in score units.
        planned: Number of samples after which one would like to be done; all by default.
        alternative: As for `ComparisonStream`, with the evaluated model as B.
        weight: As for `ComparisonStream`.
        better: Whether a "higher" or a "lower" score wins.
        missing: What samples without a baseline do: "raise" refuses the task, "common" leaves
            them out.
        shuffled: True says that you put the samples in random order yourself.

    Returns:
        For ``Task(early_stopping=...)``; one for each task and model.

    Raises:
        MissingExtra: inspect-ai is not installed (NF099).
        InputError: An argument cannot be used (NF008), or the log has no scores to compare with
            (NF024). When the task starts: samples that are not shuffled (NF023) or have no
            baseline (NF024).
    """
    _require_inspect()
    make: Any
    given: Any = baseline
    if isinstance(given, int | float | np.number) and not isinstance(given, bool):
        known, make = None, functools.partial(BarStream, float(given))
    else:
        known, make = _baseline(given, scorer, value), ComparisonStream
    make = functools.partial(
        make,
        bounds=bounds,
        alpha=alpha,
        margin=margin,
        alternative=alternative,
        weight=weight,
        better=better,
    )
    make(planned=planned)  # so that what cannot be used is refused here
    skip = checks.choice(missing, ["raise", "common"], name="missing") == "common"
    return StopWhen(
        make, known, planned=planned, scorer=scorer, value=value, skip=skip, shuffled=shuffled
    )


class StopWhen:
    """Inspect's EarlyStopping protocol over a stream; made by `stop_when`."""

    def __init__(
        self,
        make: Any,
        baseline: Mapping[str, float] | None,
        *,
        planned: int | None,
        scorer: str | None,
        value: str | None,
        skip: bool,
        shuffled: bool,
    ) -> None:
        self._make, self._baseline, self._planned = make, baseline, planned
        self._scorer, self._value, self._skip, self._shuffled = scorer, value, skip, shuffled
        self._stream: ComparisonStream | BarStream = make(planned=planned)
        self._eval_id, self._watched = "", ("", "")
        self._begin([], 1)

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        """Check that the samples can be compared, and begin."""
        # The same task once more is Inspect's retry after a failure.
        if self._eval_id and self._watched != (task.task, task.model):
            raise InputError(
                f"this stop_when(...) is watching {' of '.join(self._watched)} already; give each "
                "task and model one of its own.",
                code="NF008",
            )
        if not (self._shuffled or task.dataset.shuffled):
            raise InputError(
                "the samples are not shuffled, and the first ones may be easier than the last. "
                "Run with eval(..., sample_shuffle=SEED) or --sample-shuffle SEED, or load the "
                "dataset with shuffle=True. If you put them in random order yourself, say "
                "stop_when(..., shuffled=True).",
                code="NF023",
            )
        self._check_scorer(task)
        ids = [str(sample.id) for sample in samples]
        self._check_baseline(ids)
        self._begin(ids, epochs)
        self._stream = self._make(planned=self._planned or len(ids))
        _stop_listening(self._eval_id)
        self._eval_id, self._watched = task.eval_id, (task.task, task.model)
        _listen(task.eval_id, self)
        return MANAGER

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:  # noqa: A002
        """Stop a sample that is not needed any more."""
        if self._stream.verdict == CONTINUE:
            self._started.add((str(id), epoch))
            return None
        from inspect_ai.util import EarlyStop

        self._not_run += 1
        return EarlyStop(id=id, epoch=epoch, reason=f"decided: {self._stream.verdict}")

    async def complete_sample(
        self,
        id: str | int,  # noqa: A002
        epoch: int,
        scores: dict[str, SampleScore],
    ) -> None:
        """Count a finished sample once all before it are settled."""
        if self._scorer is not None and self._scorer not in scores:
            self._settle(str(id), epoch, None)  # it failed before this scorer's turn
            return
        try:
            number = _number(
                _chosen({k: s.score.value for k, s in scores.items()}, self._scorer, self._value)
            )
        except InputError as error:
            self._stand_still(f"sample {id!r}: {error}")
            return
        self._settle(str(id), epoch, number)

    async def complete_task(self) -> dict[str, Any]:
        """The evidence, for the log."""
        for sample, epoch in sorted(self._started):
            self._settle(sample, epoch, None)  # nothing was heard of it and nothing will be
        _stop_listening(self._eval_id)
        self._eval_id = ""
        return self.evidence()

    def failed(self, id: str | int, epoch: int) -> None:  # noqa: A002
        """A sample that ended in an error, without a score."""
        self._settle(str(id), epoch, None)

    def evidence(self) -> dict[str, Any]:
        """Verdict, evidence, plan and cautions, as they stand, ready for JSON."""
        names = ("the bar" if self._baseline is None else "the baseline", "this model")
        told = answer(
            self._stream,
            notes=self._notes(),
            names=names,
            asked={"scorer": self._scorer, "value": self._value, "epochs": self._epochs},
        ).to_dict()
        return {
            **told,
            "samples": len(self._order),
            "samples_completed": self._completed,
            "runs_not_scheduled": self._not_run,
            "samples_without_score": len(self._lost),
            "ids_without_score": self._lost[:_MOST_IDS],
            "samples_without_baseline": len(self._unpaired),
        }

    def _begin(self, ids: list[str], epochs: int) -> None:
        self._epochs, self._refused = epochs, ""
        self._completed = self._not_run = self._next = 0
        self._lost: list[str] = []
        self._started: set[tuple[str, int]] = set()
        self._heard: dict[str, dict[int, float | None]] = {}
        known = self._baseline
        self._unpaired = [i for i in ids if known is not None and i not in known]
        left_out = set(self._unpaired)
        self._order = [i for i in ids if i not in left_out]

    def _settle(self, sample: str, epoch: int, number: float | None) -> None:
        """What became of one run of a sample; the first word holds."""
        self._started.discard((sample, epoch))
        runs = self._heard.setdefault(sample, {})
        if epoch in runs:
            return
        runs[epoch] = number
        if len(runs) == self._epochs:
            self._completed += 1
            self._advance()

    def _advance(self) -> None:
        """Count, in the order of the samples, all up to the first that is not settled."""
        while self._next < len(self._order) and self._stream.verdict == CONTINUE:
            sample = self._order[self._next]
            runs = list(self._heard.get(sample, {}).values())
            if self._refused or len(runs) < self._epochs:
                return
            self._next += 1
            numbers = [number for number in runs if number is not None]
            if len(numbers) < self._epochs:
                self._lost.append(sample)
                continue
            self._count(sample, math.fsum(numbers) / self._epochs)

    def _count(self, sample: str, score: float) -> None:
        try:
            if isinstance(self._stream, BarStream):
                self._stream.update(score)
            elif self._baseline is not None:
                self._stream.update(self._baseline[sample], score)
        except InputError as error:
            self._stand_still(f"sample {sample!r}: {error}")

    def _stand_still(self, why: str) -> None:
        """Decide nothing from here on: an evaluation that was paid for is not torn down."""
        self._refused = self._refused or why

    def _notes(self) -> tuple[str, ...]:
        notes = []
        if self._lost:
            notes.append(
                f"NF157: {len(self._lost)} samples have no score, such as "
                f"{some(self._lost, most=3)}, and are left out. Errors are seldom random: the "
                "verdict speaks of samples that end without one."
            )
        if self._unpaired:
            notes.append(
                f"NF158: {len(self._unpaired)} samples have no baseline, such as "
                f"{some(self._unpaired, most=3)}, and are left out."
            )
        if self._refused:
            notes.append(f"NF159: nothing was counted any more after {self._refused}")
        return tuple(notes)

    def _check_scorer(self, task: EvalSpec) -> None:
        names = [scorer.name for scorer in task.scorers or []]
        if self._scorer is None and len(names) > 1:
            raise InputError(
                f"the task has the scorers {some(names)}; say which: stop_when(scorer=...).",
                code="NF008",
            )
        if self._scorer and names and not any(map(self._scorer.startswith, names)):
            raise InputError(
                f"scorer={self._scorer!r} is none of the task's: {some(names)}.", code="NF008"
            )
        if not task.config.log_samples and task.config.log_samples is not None:
            raise InputError(
                "Inspect asks for early stopping only where samples are logged; run without "
                "log_samples=False.",
                code="NF008",
            )

    def _check_baseline(self, ids: list[str]) -> None:
        if self._baseline is None:
            return
        absent = [i for i in ids if i not in self._baseline]
        if absent and (not self._skip or len(absent) == len(ids)):
            raise InputError(
                f"{len(absent)} of {len(ids)} samples have no baseline score, such as "
                f"{some(absent, most=3)}; the baseline has ids such as "
                f"{some(self._baseline, most=3)}. Run the baseline on these samples, or leave "
                "them out: stop_when(..., missing='common').",
                code="NF024",
            )


def _require_inspect() -> None:
    if importlib.util.find_spec("inspect_ai") is None:
        raise MissingExtra(
            "stop_when needs inspect-ai, which is not installed: pip install nofluke[inspect].",
            code="NF099",
        )


def _baseline(given: Any, scorer: str | None, value: str | None) -> dict[str, float]:
    """Score by sample id, ids as text."""
    if isinstance(given, Mapping):
        found: Iterable[tuple[Any, Any]] = given.items()
    else:
        found = _of_log(given, scorer, value)
    scores = {}
    for sample, score in found:
        number = _number(score)
        if number is None:
            raise InputError(
                f"the baseline has no number for {sample!r}; leave it out.", code="NF024"
            )
        scores[str(sample)] = number
    if not scores:
        raise InputError("the baseline has no scores.", code="NF024")
    return scores


def _of_log(given: Any, scorer: str | None, value: str | None) -> list[tuple[Any, float]]:
    """The mean over epochs of each sample of a log, if all its epochs have a score."""
    if isinstance(given, str | Path):
        from inspect_ai.log import read_eval_log

        given = read_eval_log(str(given))
    runs: dict[Any, list[float | None]] = {}
    for sample in getattr(given, "samples", None) or []:
        values = {name: score.value for name, score in (sample.scores or {}).items()}
        number = _number(_chosen(values, scorer, value)) if values else None
        runs.setdefault(sample.id, []).append(number)
    means = []
    for sample, numbers in runs.items():
        scored = [number for number in numbers if number is not None]
        if len(scored) == len(numbers):
            means.append((sample, math.fsum(scored) / len(scored)))
    return means


def _chosen(values: Mapping[str, Any], scorer: str | None, value: str | None) -> Any:
    """The one value asked for among those of all scorers."""
    if scorer is None and len(values) != 1:
        raise InputError(
            f"there are scores of {some(values)}; say which: stop_when(scorer=...).", code="NF008"
        )
    name = next(iter(values)) if scorer is None else scorer
    if name not in values:
        raise InputError(f"there is no score of {name!r}; there is {some(values)}.", code="NF008")
    found = values[name]
    if not isinstance(found, Mapping):
        return found
    if value not in found:
        raise InputError(
            f"the scores of {name!r} are {some(found)}; say which: stop_when(value=...).",
            code="NF008",
        )
    return found[value]


def _number(value: Any) -> float | None:
    """A score as a number; None where there is none (Inspect's unscored is NaN)."""
    if value is None:
        return None
    if isinstance(value, str):
        found = _WORDS.get(value, _WORDS.get(value.lower()) if len(value) > 1 else None)
        if found is not None:
            return found
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"the score {value!r} is not a number.", code="NF004") from None
    return None if math.isnan(number) else number


# Which stop_when watches which evaluation: Inspect tells early stopping of scores, and of samples
# that end in an error only its hooks.
_WATCHING: dict[str, StopWhen] = {}


def _listen(eval_id: str, manager: StopWhen) -> None:
    _WATCHING[eval_id] = manager
    _register_hook()


def _stop_listening(eval_id: str) -> None:
    _WATCHING.pop(eval_id, None)


@functools.cache
def _register_hook() -> None:
    from inspect_ai.hooks import Hooks, SampleEnd, hooks

    @hooks(name="nofluke_stop_when", description="hears of samples that end in an error")
    class Errors(Hooks):
        def enabled(self) -> bool:
            return bool(_WATCHING)

        async def on_sample_end(self, data: SampleEnd) -> None:
            manager = _WATCHING.get(data.eval_id)
            if manager is not None and data.sample.error and not data.sample.scores:
                manager.failed(data.sample.id, data.sample.epoch)
