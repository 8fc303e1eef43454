"""Before anything else: whether two runs with equal seeds agree, and what is uncontrolled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke import workers
from nofluke.errors import InputError, some
from nofluke.selection.repeats import generators
from nofluke.selection.repeats.single import Outcome, run

if TYPE_CHECKING:
    from nofluke.selection.repeats.single import Setup
    from nofluke.selection.repeats.sources import Seeds


class Agreed(NamedTuple):
    """The outcome that two runs agree on."""

    outcome: Outcome
    deterministic_cost: float | None  # time with deterministic torch algorithms / without


def agree(setup: Setup, seeds: Seeds, *, n_jobs: int | None) -> Agreed:
    """Run one configuration twice with the same seeds; score and predictions must be the same.

    Two runs may agree by chance, so neither may draw from a global generator that no source owns:
    one that both moved, and that they left in different states. (A fit that seeds it by itself
    leaves it in the same.)

    The second run is in another process where later runs will be, so that what differs between
    processes (the order of texts in sets) is found too.

    Raises:
        InputError: The configuration fails, or the two differ; the message names what was found.
    """
    first = run(setup, seeds, predictions=True)
    if first.score is None:
        raise InputError(
            f"the first run already fails ({first.error}); nothing can be repeated until one "
            "configuration works.",
            code="NF049",
        )
    (second,) = workers.each(_with_predictions, [(setup, seeds)], n_jobs=n_jobs)
    if not same(first, second) or _drawn(setup, first, second):
        raise InputError(_refusal(setup, seeds, first, second, n_jobs), code="NF046")
    return Agreed(first, _cost(setup, seeds))


def same(first: Outcome, second: Outcome) -> bool:
    """Whether score and predictions are equal bit for bit."""
    scores = first.score == second.score and first.error == second.error
    digests = first.predictions, second.predictions
    return scores and ("" in digests or digests[0] == digests[1])


def _with_predictions(setup: Setup, seeds: Seeds) -> Outcome:
    return run(setup, seeds, predictions=True)


def _refusal(
    setup: Setup, seeds: Seeds, first: Outcome, second: Outcome, n_jobs: int | None
) -> str:
    what = "two runs with all seeds equal "
    if same(first, second):
        drawn = "; ".join(_named(name) for name in _drawn(setup, first, second))
        return f"{what}agree, which may be chance; uncontrolled: {drawn}."
    if first.score == second.score:
        what += "have the same score and different predictions"
    else:
        what += f"scored {first.score!r} and {second.score!r}"
    found = _suspects(setup, first, second)
    if not workers.here(n_jobs) and same(first, run(setup, seeds, predictions=True)):
        found = [_between_processes(), *found]
    if not found:
        found = [
            "no generator that is watched has moved, so it is the system's entropy (os.urandom, "
            "secrets, np.random.default_rng() without a seed), the clock, or threads that finish "
            "in another order"
        ]
    return f"{what}; uncontrolled: {'; '.join(found)}. Give it a seed, or a random_state."


def _suspects(setup: Setup, first: Outcome, second: Outcome) -> list[str]:
    moved = dict.fromkeys([*first.moved, *second.moved])
    found = [_named(name) for name in moved if name not in _owned(setup)]
    params = setup.estimator.get_params(deep=True)
    if setup.places.unset:
        found.append(f"{some(setup.places.unset)} left at None")
    busy = [f"{n}={v}" for n, v in params.items() if _jobs(n) and v not in (None, 1)]
    if busy:
        found.append(f"threads or processes of the estimator ({', '.join(sorted(busy))})")
    return found


def _owned(setup: Setup) -> list[str]:
    """Global generators that a source owns; who owns torch's owns those of the GPUs."""
    owned = [hook for hook in setup.places.hooks.values() if isinstance(hook, str)]
    return [*owned, "cuda"] if "torch" in owned else owned


def _drawn(setup: Setup, first: Outcome, second: Outcome) -> list[str]:
    """Generators that nobody owns and that both runs left in states of their own."""
    both = [name for name in first.moved if name in second.moved]
    return [n for n in both if n not in _owned(setup) and first.moved[n] != second.moved[n]]


def _named(name: str) -> str:
    owner = "torch" if name == "cuda" else name
    return (
        f"{generators.WORDS[name]} moved during fit and no source owns it; say which it is, as in "
        f"seeds={{'init': {owner!r}}}"
    )


def _between_processes() -> str:
    if generators.hash_seed() == "random":
        return (
            "two runs in this process agree and one in another differs, and PYTHONHASHSEED is not "
            "set, so that every process orders texts in sets in its own way; set it before Python "
            "starts, as in PYTHONHASHSEED=0"
        )
    return "two runs in this process agree and one in another differs"


def _jobs(name: str) -> bool:
    return name.rpartition("__")[2] == "n_jobs"


def _cost(setup: Setup, seeds: Seeds) -> float | None:
    """How much longer a fit takes with deterministic torch algorithms; None without torch."""
    if generators.torch() is None or not setup.deterministic:
        return None
    from dataclasses import replace

    with_them = run(setup, seeds)
    without = run(replace(setup, deterministic=False), seeds)
    return with_them.seconds / without.seconds


def differs_from_before(now: Outcome, before: Outcome, path: Any) -> InputError:
    """The refusal where an earlier session got something else for the same seeds."""
    return InputError(
        f"with all seeds equal the first run scores {now.score!r} now and scored {before.score!r} "
        f"in the session that {path} is from; uncontrolled: something that differs between the "
        f"two (PYTHONHASHSEED is {generators.hash_seed()} now; processor, threads, environment "
        "variables). Runs of both must not be mixed: start in a new path.",
        code="NF046",
    )
