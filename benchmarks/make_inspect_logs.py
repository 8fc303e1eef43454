"""Logs of Inspect with its mock model, many of one evaluation.

python make_inspect_logs.py FOLDER LOGS SAMPLES
"""

import sys
import tempfile

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver


@scorer(metrics=[accuracy()])
def graded():
    async def score(state, target):  # noqa: ARG001 (Inspect's signature)
        return Score(value=state.metadata["grade"], explanation="because " * 100)

    return score


@solver
def answering():
    async def solve(state, generate):  # noqa: ARG001
        state.output.completion = "an answer " * 200
        return state  # the mock model would count tokens with a table from the network

    return solve


def main(folder, logs, samples):
    dataset = MemoryDataset(
        [
            Sample(input="a question " * 100, target="a", id=i, metadata={"grade": "CIP"[i % 3]})
            for i in range(1, samples + 1)
        ],
        name="toy",
    )
    with tempfile.TemporaryDirectory() as place:
        task = Task(name="toy", dataset=dataset, solver=answering(), scorer=graded())
        made = evaluate(task, model="mockllm/model", log_dir=place, display="none")[0]
        log = read_eval_log(made.location)
    for k in range(logs):
        log.eval.model = f"mockllm/model-{k:03d}"
        write_eval_log(log, f"{folder}/model-{k:03d}.eval")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
