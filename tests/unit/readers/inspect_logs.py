"""Fresh logs by Inspect and its mock model; run by test_inspect_ai.py in a process of its own.

Inspect and what it builds on leave streams to the garbage collector, and warn; here nothing is
made an error of that. Writes one evaluation as .eval and as .json, and what Inspect says of it.
"""

import json
import math
import sys
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score, accuracy, mean, scorer
from inspect_ai.solver import solver

GRADES = "CIPNCCICCI"


@scorer(metrics=[accuracy()])
def graded():
    async def score(state, target):
        return Score(value=state.metadata["grade"] if state.epoch == 1 else "C")

    return score


@scorer(metrics={"*": [mean()]})
def rubric():
    async def score(state, target):
        number = state.metadata["number"]
        return Score(value={"tone": number / 10, "facts": math.nan if number == 3 else 1})

    return score


@solver
def answering():
    async def solve(state, generate):
        if state.sample_id == "s5" and state.epoch == 2:
            raise RuntimeError("too many requests")
        state.output.completion = f"answer {state.sample_id} {state.epoch}"
        return state  # the mock model would count tokens with a table from the network

    return solve


def main(folder):
    samples = [
        Sample(
            input=f"question {i}",
            target="a",
            id=f"s{i}" if i % 2 else i + 1,
            metadata={"grade": grade, "number": i},
        )
        for i, grade in enumerate(GRADES)
    ]
    task = Task(
        name="toy",
        dataset=MemoryDataset(samples, name="toy"),
        solver=answering(),
        scorer=[graded(), rubric()],
        epochs=2,
    )
    how = {"display": "none", "fail_on_error": False, "limit": 8}
    made = evaluate(task, model="mockllm/model", log_dir=folder, **how)[0]
    log = read_eval_log(made.location)
    write_eval_log(log, f"{folder}/same.json")
    Path(made.location.removeprefix("file://")).rename(f"{folder}/same.eval")
    said = {s.name: {n: m.value for n, m in s.metrics.items()} for s in log.results.scores}
    Path(folder, "said").write_text(json.dumps(said))


if __name__ == "__main__":
    main(sys.argv[1])
