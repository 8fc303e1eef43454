"""Seeded tables in the form each tool reads, made once in the system's folder for temporary files.

Sizes are those of real tables: 880 questions of two models, 805 judged answers, boards of 9 and 58
candidates, 3,450 rows of a classifier, 8,886 forecasts.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from benchmarks.peers.areas import rows
from benchmarks.peers.calibrations import forecasts
from benchmarks.peers.ranks import board
from numpy.typing import NDArray

# Raised when a table changes.
VERSION = 3
NAMES = ("old", "new")


def made(name: str, write: Callable[[Path], None]) -> Path:
    """The table of a name, written where it is not there yet."""
    folder = Path(tempfile.gettempdir()) / f"nofluke-peers-{VERSION}"
    folder.mkdir(exist_ok=True)
    path = folder / name
    if not path.exists():
        draft = path.with_name(f"draft-{path.name}")
        write(draft)
        draft.rename(path)
    return path


def pair(kind: str, n: int) -> NDArray[np.float64]:
    """Scores of two candidates on the same questions, shape (2, n)."""
    rng = np.random.default_rng(n)
    if kind == "binary":
        old = (rng.random(n) < 0.6).astype(float)
        new = np.where(rng.random(n) < 0.2, (rng.random(n) < 0.7).astype(float), old)
        return np.stack([old, new])
    old = np.clip(rng.normal(0.6, 0.2, n), 0, 1).round(6)
    return np.stack([old, np.clip(old + rng.normal(0.01, 0.1, n), 0, 1).round(6)])


def long(name: str, x: NDArray[np.float64], header: str, names: Iterable[str]) -> Path:
    """A row for each score: candidate, question, score. NaN is a question not asked."""

    def write(path: Path) -> None:
        with path.open("w") as file:
            file.write(f"{header}\n")
            for candidate, scores in zip(names, x, strict=True):
                file.writelines(
                    f"{candidate},q{i},{score:g}\n"
                    for i, score in enumerate(scores)
                    if not np.isnan(score)
                )

    return made(name, write)


def wide(name: str, x: NDArray[np.float64]) -> Path:
    """A row for each question, a column for each candidate."""

    def write(path: Path) -> None:
        with path.open("w") as file:
            file.write(f"id,{','.join(NAMES)}\n")
            file.writelines(f"q{i},{a:g},{b:g}\n" for i, (a, b) in enumerate(x.T))

    return made(name, write)


def lines(name: str, x: NDArray[np.float64]) -> Path:
    """A file of JSON lines of one candidate."""

    def write(path: Path) -> None:
        with path.open("w") as file:
            file.writelines(
                json.dumps({"id": f"q{i}", "score": float(score)}) + "\n"
                for i, score in enumerate(x)
            )

    return made(name, write)


def log(name: str, x: NDArray[np.float64]) -> Path:
    """The samples of one model as lm-evaluation-harness logs them."""

    def write(path: Path) -> None:
        with path.open("w") as file:
            for i, score in enumerate(x):
                row = {
                    "doc_id": i,
                    "doc": {"id": f"q{i}", "question": f"What is {i} times {i + 1}? " * 4},
                    "target": str(i * (i + 1)),
                    "arguments": {},
                    "resps": [["The answer is unknown."]],
                    "filtered_resps": ["unknown"],
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": f"{i:08x}",
                    "prompt_hash": f"{i:08x}",
                    "target_hash": f"{i:08x}",
                    "acc": float(score),
                }
                file.write(json.dumps(row) + "\n")

    return made(name, write)


def small_board() -> NDArray[np.float64]:
    """9 candidates, right or wrong, not all on all of 970 questions."""
    x = board(9, 970, binary=True)
    x[np.random.default_rng(9).random(x.shape) < 0.2] = np.nan
    return x


def large_board() -> NDArray[np.float64]:
    """58 candidates on 805 questions, between 0 and 1."""
    return board(58, 805).round(6)


def board_json(name: str, x: NDArray[np.float64]) -> Path:
    """A board as honestboard reads it."""

    def write(path: Path) -> None:
        tasks = [f"q{i}" for i in range(x.shape[1])]
        systems = [
            {"name": f"m{k}", "rates": dict(zip(tasks, map(float, row), strict=True))}
            for k, row in enumerate(x)
        ]
        path.write_text(json.dumps({"tasks": tasks, "systems": systems}))

    return made(name, write)


def labelled(name: str, n: int) -> Path:
    """Labels and the scores of two candidates, as numbers only."""
    y, (a, b) = rows(n, 2)
    return made(name, lambda path: _numbers(path, np.column_stack([y, a, b])))


def forecast(name: str, n: int) -> Path:
    """Labels and forecasts, as numbers only."""
    return made(name, lambda path: _numbers(path, np.column_stack(forecasts(n))))


def _numbers(path: Path, x: NDArray[np.float64]) -> None:
    with path.open("wb") as file:
        np.save(file, x)
