"""Real evaluations by Inspect with its mock model; run by test_inspect.py in a process of its own.

Inspect and what it builds on leave streams to the garbage collector, and warn; here nothing is
made an error of that. Prints what the logs say, by the name of the evaluation, as JSON.
"""

import json
import math
import random
import sys

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import solver

from nofluke.integrations.inspect import stop_when

N = 50
IDS = [f"s{i}" for i in range(N)]
GOOD = {i: ("C" if k % 4 else "I") for k, i in enumerate(IDS)}
POOR = dict.fromkeys(IDS, 0)


@scorer(metrics=[mean()])
def graded():
    async def score(state, target):
        return Score(value=state.metadata["score"])

    return score


@scorer(metrics=[mean()])
def other():
    async def score(state, target):
        return Score(value=0)

    return score


@solver
def answering(fails=()):
    async def solve(state, generate):
        if state.sample_id in fails:
            raise RuntimeError("no answer")
        return state  # the mock model would count tokens with a table from the network

    return solve


def run(scores, stopping, *, fails=(), shuffle=3, scorers=None, **how):
    samples = [
        Sample(input="q", target="a", id=i, metadata={"score": score})
        for i, score in scores.items()
    ]
    task = Task(
        dataset=MemoryDataset(samples),
        solver=answering(fails),
        scorer=scorers or graded(),
        early_stopping=stopping,
    )
    if shuffle is not None:
        how["sample_shuffle"] = shuffle
    how = {"max_samples": 4, "fail_on_error": False, "display": "none", **how}
    return evaluate(task, model="mockllm/model", log_dir=sys.argv[1], **how)[0]


def told(log):
    """What the log on disk says."""
    log = read_eval_log(log.location)
    results = log.results
    stopping = results.early_stopping if results else None
    return {
        "status": log.status,
        "error": log.error.message if log.error else "",
        "order": log.eval.dataset.sample_ids,
        "completed": results.completed_samples if results else 0,
        "logged": len(log.samples or []),
        "manager": stopping.manager if stopping else None,
        "reasons": [stop.reason for stop in stopping.early_stops] if stopping else [],
        "evidence": stopping.metadata if stopping else None,
    }


def evaluations():
    """Name and log of each."""
    stops = run(GOOD, stop_when(baseline=POOR))
    yield "stops", stops
    order = stops.eval.dataset.sample_ids
    yield "unshuffled", run(GOOD, stop_when(baseline=POOR), shuffle=None)
    rng = random.Random(8)  # noqa: S311
    coins = {i: rng.choice([0, 1]) for i in IDS}, {i: rng.choice("CI") for i in IDS}
    yield "no difference", run(coins[1], stop_when(baseline=coins[0], alternative="different"))
    yield (
        "errors",
        run({**GOOD, "s1": math.nan}, stop_when(baseline={**GOOD, "s1": 1}), fails=set(IDS[::10])),
    )
    yield "errors first", run(GOOD, stop_when(baseline=POOR), fails=order[:2])
    twelve = dict.fromkeys(IDS[:12], "P")
    yield "epochs", run(twelve, stop_when(baseline=POOR, alpha=0.001), epochs=3)
    halves = run(dict.fromkeys(IDS, "P"), None, epochs=2)
    asked = {"alternative": "not-worse", "margin": 0.25}
    yield "a path", run(GOOD, stop_when(baseline=halves.location, **asked))
    yield "a bar", run(GOOD, stop_when(baseline=0.3))
    yield "out of bounds", run({**GOOD, "s7": 7}, stop_when(baseline=GOOD))
    both = [graded(), other()]
    yield "named scorer", run(GOOD, stop_when(baseline=POOR, scorer="graded"), scorers=both)


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps({name: told(log) for name, log in evaluations()}) + "\n")
