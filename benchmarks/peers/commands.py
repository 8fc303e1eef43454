"""Whole processes: from the first byte of the interpreter to the last line of an answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.peers import tables
from benchmarks.peers.contests import OURS, Contender, Contest

TOPIC = "Whole commands, start-up included"
BIN = Path(sys.executable).parent
EVERYTHING = "a guaranteed interval and all methods side by side as well"
OUR_TABLE = ("--columns", "candidate=model,example=question_id")


def contests() -> Iterator[Contest]:
    """Help, pairs, boards, and scripts of two lines."""
    yield _help()
    yield _one(880)
    for kind, n in (("binary", 880), ("continuous", 805), ("continuous", 100_000)):
        yield _pair(kind, n)
    yield _logs(880)
    yield _small_board()
    yield _large_board()
    for n in (3_450, 1_000_000):
        yield _areas(n)
    yield _calibration(8_886)


def _tool(name: str, *arguments: str | Path, note: str = "", finding: int = 0) -> Contender:
    words = tuple(str(argument) for argument in arguments)
    shown = " ".join(Path(word).name if "/" in word else word for word in words)
    return Contender(
        who=name,
        how=f"{name} {shown}",
        command=(str(BIN / name), *words),
        answered=(0, finding),
        note=note,
    )


def _script(who: str, code: str, path: Path, note: str = "") -> Contender:
    return Contender(
        who=who,
        how=code.splitlines()[-1],
        command=(sys.executable, "-c", code.format(path=path)),
        note=note,
    )


def _help() -> Contest:
    names = (
        "nofluke", "abeval", "claimeval", "errorbars", "evalstats", "honestboard",
        "retrieval-eval-gate", "truescore",
    )  # fmt: skip
    return Contest(
        topic=TOPIC,
        question="--help",
        contenders=tuple(_tool(name, "--help") for name in names),
    )


def _one(n: int) -> Contest:
    x = tables.pair("binary", n)[:1]
    rows = tables.long(f"one-{n}.csv", x, "model,question_id,score", tables.NAMES[:1])
    return Contest(
        topic=TOPIC,
        question=f"Limits for the rate of one candidate, {n} examples, at 95 %",
        contenders=(
            _tool(OURS, "certify", rows, "--binary", "--select", "top:1", "--delta", "0.05",
                  "--better", "higher", *OUR_TABLE, note="an exact limit from below"),
            _tool("abeval", "ci", tables.lines(f"one-{n}.jsonl", x[0]), note="Wilson's"),
            _tool("errorbars", "summarize", rows, note="by the normal law"),
        ),
    )  # fmt: skip


def _pair(kind: str, n: int) -> Contest:
    x = tables.pair(kind, n)
    stem = f"{kind}-{n}"
    rows = tables.long(f"{stem}.csv", x, "model,question_id,score", tables.NAMES)
    prompts = tables.long(f"{stem}-prompts.csv", x, "prompt,input,score", tables.NAMES)
    columns = tables.wide(f"{stem}-wide.csv", x)
    sides = [
        tables.lines(f"{stem}-{name}.jsonl", row) for name, row in zip(tables.NAMES, x, strict=True)
    ]
    declared = ("--binary",) if kind == "binary" else ("--bounds", "0", "1")
    ours = ("--a", "old", "--b", "new", "--better", "higher", "--alternative", "different")
    return Contest(
        topic=TOPIC,
        question=f"Paired comparison of two candidates, {n:,} examples, {kind}",
        contenders=(
            _tool(OURS, "compare", rows, *ours, *declared, *OUR_TABLE, note=EVERYTHING),
            _tool("errorbars", "compare", rows),
            _tool("abeval", "compare", *sides, note="10,000 sign flips"),
            _tool("truescore", "compare", columns, "--judge-a", "old", "--judge-b", "new",
                  "--id-column", "id", finding=2),
            _tool("evalstats", "analyze", prompts, "--brief", note="a bootstrap"),
        ),
    )  # fmt: skip


def _logs(n: int) -> Contest:
    old, new = (
        tables.log(f"samples_{name}-{n}.jsonl", row)
        for name, row in zip(tables.NAMES, tables.pair("binary", n), strict=True)
    )
    return Contest(
        topic=TOPIC,
        question=f"Paired comparison of two logs of lm-evaluation-harness, {n:,} samples",
        contenders=(
            _tool(OURS, "compare", old, new, "--metric", "acc", "--alternative", "different",
                  note=EVERYTHING),
            _tool("errorbars", "compare", f"old={old}", f"new={new}"),
        ),
    )  # fmt: skip


def _small_board() -> Contest:
    x = tables.small_board()
    names = [f"m{k}" for k in range(len(x))]
    rows = tables.long("board-9.csv", x, "model,question_id,score", names)
    return Contest(
        topic=TOPIC,
        question="Board of 9 candidates, right or wrong, not all on all of 970 questions",
        contenders=(
            _tool(OURS, "rank", rows, "--better", "higher", "--binary", "--missing", "pairwise",
                  *OUR_TABLE, note="rank intervals for all candidates at once, tiers"),
            _tool("errorbars", "leaderboard", rows, note="intervals of means, pairwise tests"),
        ),
    )  # fmt: skip


def _large_board() -> Contest:
    x = tables.large_board()
    names = [f"m{k}" for k in range(len(x))]
    rows = tables.long("board-58.csv", x, "model,question_id,score", names)
    made = tables.board_json("board-58.json", x)
    ask = (
        "from honestboard import Board\n"
        "board = Board.from_json('{path}')\n"
        "board.rank_summary(); board.confidence_set_best()"
    )
    ours = ("rank", rows, "--better", "higher", "--bounds", "0", "1")
    return Contest(
        topic=TOPIC,
        question="Board of 58 candidates on 805 questions, scores between 0 and 1",
        contenders=(
            _tool(OURS, *ours, "--method", "max_t", *OUR_TABLE,
                  note="rank intervals for all candidates at once, tiers; asymptotic"),
            _tool("errorbars", "leaderboard", rows, note="intervals of means, pairwise tests"),
            _script("honestboard", ask, made,
                    note="percentiles of resampled ranks, one candidate at a time"),
        ),
    )  # fmt: skip


def _areas(n: int) -> Contest:
    path = tables.labelled(f"labelled-{n}.npy", n)
    load = "import numpy as np\ny, a, b = np.load('{path}').T\n"
    return Contest(
        topic=TOPIC,
        question=f"DeLong's paired test in a script, {n:,} rows",
        contenders=(
            _script(
                OURS,
                f"{load}from nofluke.classify import curves\nprint(curves.compare_auc(y, a, b))",
                path,
            ),
            _script(
                "MLstatkit",
                f"{load}from MLstatkit import Delong_test\nprint(Delong_test(y, a, b))",
                path,
            ),
        ),
    )


def _calibration(n: int) -> Contest:
    path = tables.forecast(f"forecasts-{n}.npy", n)
    load = "import numpy as np\ny, p = np.load('{path}').T\n"
    return Contest(
        topic=TOPIC,
        question=f"Brier score in its three parts in a script, {n:,} rows",
        contenders=(
            _script(
                OURS,
                f"{load}from nofluke.classify import calibration\n"
                "print(calibration.corp(y, p, n_resamples=0))",
                path,
            ),
            _script(
                "model-diagnostics",
                f"{load}from model_diagnostics.scoring import SquaredError, decompose\n"
                "print(decompose(y, p, scoring_function=SquaredError()))",
                path,
            ),
        ),
    )
