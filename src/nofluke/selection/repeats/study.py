"""Run one configuration again and again, with every source of randomness in hand."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from nofluke import checks, workers
from nofluke.errors import InputError, some
from nofluke.selection.repeats import agreement, generators, journal
from nofluke.selection.repeats import sources as known
from nofluke.selection.repeats.answers import Repeats
from nofluke.selection.repeats.asked import Asked, ask
from nofluke.selection.repeats.record import Done, Way, answer
from nofluke.selection.repeats.single import Metric, run
from nofluke.selection.repeats.sources import Hook

Path: TypeAlias = str | os.PathLike[str] | None
Size: TypeAlias = float | Literal["bootstrap"] | None


def repeat(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    metric: Metric,
    seed: int = 0,
    n: int = 25,
    vary: Sequence[str] | None = None,
    groups: Any = None,
    test: tuple[Any, Any] | None = None,
    test_size: float = 0.25,
    subsample: Size = None,
    seeds: Mapping[str, Hook] | None = None,
    per_split: int = 1,
    better: str | None = None,
    bounds: Sequence[float] | None = None,
    name: str | None = None,
    n_jobs: int | None = None,
    threads: int = 1,
    deterministic: bool = True,
    path: Path = None,
    progress: bool | None = None,
) -> Repeats:
    """Scores of n runs of one configuration that differ in the seeds of the varied sources only.

    First the configuration runs twice with all seeds equal; unless score and predictions agree
    bit for bit nothing is answered, and what is uncontrolled is named. The same seed gives the
    same scores whatever ``n_jobs``, and further runs change no earlier one.

    Sources: "split" (training and test set), "init" (every ``random_state`` of the estimator and
    its parts), "order" (of the training rows), "subsample" (of the training rows), "hpo" (the
    ``random_state`` of a search over settings and of the splitter inside), and "augment",
    "dropout", "optimizer" where the estimator has a parameter such as ``dropout_random_state``.

    Args:
        estimator: Estimator, pipeline or search in the manner of scikit-learn; not changed.
        X: Features, one row for each example: array, sparse matrix, data frame or list.
        y: Targets, one for each row.
        metric: Name of a scorer of scikit-learn (always higher where better, so a loss is
            negative), or a function (estimator, X, y) -> score; then say ``better``.
        seed: The seed that all others are derived from.
        n: Number of runs; fix it before looking at scores.
        vary: Sources that have a seed of their own in every run; the others keep that of run 0.
            By default those of split, init, order, subsample (with a size) and hpo that there
            are, and those that ``seeds`` adds; a note says which are not there.
        groups: One label for each row; rows of one group stay on one side of the split.
        test: A fixed test set (X_test, y_test); then nothing is split.
        test_size: Share of the rows, or of the groups, that are tested on. Splits of a classifier
            without groups are stratified.
        subsample: Share of the training rows that is drawn without replacement, or "bootstrap";
            None uses them all, or 0.9 of them where ``vary`` names "subsample" (a note says so).
        seeds: What else takes the seed of a source: a function (estimator, seed) that is called
            on the copy before it is fitted, or a global generator that fits draw from: "numpy",
            "random" or "torch" (which includes CUDA).
        per_split: Runs for each split. More than 1 makes runs of one split a cluster.
        better: "higher" or "lower" wins; needed for a metric that is a function.
        bounds: Lowest and highest possible score; known for well-known metrics.
        name: Id of the candidate; by default the class of the estimator.
        n_jobs: How many runs at once, each in a process of its own; -1 for one on each core. None
            does as ``joblib.parallel_config`` says, and without it runs one after the other.
        threads: Threads of BLAS and OpenMP within each run; sums may depend on their number.
        deterministic: Where torch is imported, ask it for deterministic algorithms; their cost in
            time is measured.
        path: Where finished runs are kept, a folder or a file ending in .jsonl; a study that was
            stopped goes on there.
        progress: Whether to show a progress bar on standard error; by default on a terminal.

    Raises:
        MissingExtra: scikit-learn is not installed.
        InputError: Randomness that is not controlled (NF046), a source that is not there (NF047),
            a file of another question (NF048), a configuration that fails at once (NF049), or an
            argument that cannot be used.

    >>> import numpy as np
    >>> from sklearn.linear_model import SGDClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 3))
    >>> y = X[:, 0] + rng.normal(size=80) > 0
    >>> runs = repeat(SGDClassifier(), X, y, metric="accuracy", seed=1, n=4)
    >>> runs
    Repeats(SGDClassifier: 4 runs, varied: split, init, order)
    >>> runs.examples
    ('run-00', 'run-01', 'run-02', 'run-03')
    """
    asked = ask(
        estimator,
        X,
        y,
        metric=metric,
        seed=seed,
        vary=vary,
        groups=groups,
        test=test,
        test_size=test_size,
        subsample=subsample,
        seeds=seeds,
        better=better,
        bounds=bounds,
        name=name,
        n_jobs=n_jobs,
        threads=threads,
        deterministic=deterministic,
    )
    size = checks.whole(n, name="n")
    chosen, absent = known.varied(vary, asked.there, asked.setup.places)
    each = _per_split(per_split, chosen, size)
    way = Way(chosen, absent, each, planned(asked, chosen, size, each))
    return answer(asked, way, carried_out(asked, [way], path=path, progress=progress))


def planned(asked: Asked, chosen: Sequence[str], n: int, per_split: int) -> list[dict[str, int]]:
    """The seeds of every run: of its own number where a source varies, else of run 0."""

    def number(source: str, i: int) -> int:
        if source not in chosen:
            return 0
        return i // per_split if source == "split" else i

    return [{s: known.seed_of(asked.root, s, number(s, i)) for s in asked.there} for i in range(n)]


def carried_out(asked: Asked, ways: Sequence[Way], *, path: Path, progress: bool | None) -> Done:
    """Run what is planned and not yet done; the first run twice, before all others.

    Args:
        asked: What is run.
        ways: Which runs; what they share is run once.
        path: Where finished runs are kept.
        progress: Whether to show a progress bar.

    Raises:
        InputError: The two first runs differ, or the file holds something else.
    """
    plan = {journal.key(seeds): seeds for way in ways for seeds in way.plan}
    first = ways[0].plan[0]
    place = journal.place(path, asked.name)
    question = _question(asked)
    workers.refuse_threads(asked.n_jobs, what="a run seeds the global generators of its process")
    with generators.put_back(), journal.Journal(place, question) as kept:
        agreed = agreement.agree(asked.setup, first, n_jobs=asked.n_jobs)
        before = kept.found.get(journal.key(first))
        if before is not None and not agreement.same(agreed.outcome, before):
            raise agreement.differs_from_before(agreed.outcome, before, place)
        earlier, resumed = list(kept.asked), len(kept.found)
        for way in ways:
            kept.ask({"vary": way.varied, "n": len(way.plan), "per_split": way.per_split})
        if before is None:
            kept.add(agreed.outcome)
        todo = [seeds for k, seeds in plan.items() if k not in kept.found]
        with bar(len(todo), asked.name, wanted=progress) as advance:
            pieces = ((asked.setup, seeds) for seeds in todo)
            for outcome in workers.each(run, pieces, n_jobs=asked.n_jobs, ordered=False):
                kept.add(outcome)
                advance()
    return Done(kept.found, agreed, resumed, earlier)


def _per_split(value: int, chosen: Sequence[str], n: int) -> int:
    each = checks.whole(value, name="per_split")
    if each > 1 and ("split" not in chosen or len(chosen) == 1):
        raise InputError(
            f"per_split={each} needs a split that varies and something else that varies within "
            f"it; {some(chosen)} varies.",
            code="NF008",
        )
    if n % each:
        raise InputError(
            f"n={n} runs do not come in splits of {each} each; make n a multiple.", code="NF008"
        )
    return each


def _question(asked: Asked) -> dict[str, Any]:
    """What runs must share to stand in one file; not how many, and not which source varies."""
    setup = asked.setup
    return {
        "estimator": journal.spelled(setup.estimator),
        "data": [journal.digest(part) for part in (setup.X, setup.y, setup.groups, setup.test)],
        "metric": journal.spelled(setup.metric),
        "seed": asked.root,
        "sources": list(asked.there),
        "hooks": journal.spelled(dict(setup.places.hooks)),
        "test_size": setup.test_size,
        "subsample": setup.subsample,
        "threads": setup.threads,
        "deterministic": setup.deterministic,
        "versions": generators.versions(),
    }


@contextlib.contextmanager
def bar(total: int, name: str, *, wanted: bool | None) -> Iterator[Callable[[], object]]:
    """What to call after each run; a bar on standard error where somebody looks."""
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as shown:
        task = shown.add_task(name, total=total)
        yield lambda: shown.advance(task)
