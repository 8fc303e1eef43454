"""Make a large table of labels and probabilities as Parquet, the same for the same choices.

    python benchmarks/make_predictions.py long.parquet --examples 500000
    python benchmarks/make_predictions.py texts.parquet --ids text --shuffled
    python benchmarks/make_predictions.py wide.parquet --layout wide

Candidates see the same hard and easy examples, so their errors go together, and one is a little
better than the next. Every other one rounds its probabilities to three digits, so that many tie;
those of the others are single precision and hardly ever do.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

_PART = 1 << 20  # rows written at a time
_RATE = 0.2  # of positives
_STRIDE = 2_654_435_761  # ids are far apart and in no order


def make(
    path: Path,
    *,
    candidates: int = 10,
    examples: int = 5_000_000,
    layout: str = "long",
    ids: str = "integer",
    shuffled: bool = False,
    seed: int = 0,
) -> None:
    """Write the prediction of every candidate for every example.

    Args:
        path: Where to.
        candidates: How many.
        examples: How many.
        layout: "long", a row for each candidate and example, or "wide", a column for each
            candidate.
        ids: "integer" or "text": what the ids of examples are.
        shuffled: Whether the rows of a long table come in random order, not one candidate after
            the other.
        seed: Of everything.
    """
    rng = np.random.default_rng(seed)
    y = rng.random(examples) < _RATE
    p = _probabilities(rng, y, candidates)
    numbers = np.arange(examples) * _STRIDE % 2**40
    order = rng.permutation(p.size) if shuffled else None
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        con = duckdb.connect(str(Path(folder) / "rows.duckdb"))
        parts = _wide(p, y, numbers) if layout == "wide" else _long(p, y, numbers, order)
        for number, part in enumerate(parts):
            how = "INSERT INTO rows" if number else "CREATE TABLE rows AS"
            con.execute(f"{how} SELECT * FROM part")
            del part
        example = "printf('case-%013d', example)" if ids == "text" else "example"
        candidate = "" if layout == "wide" else ", printf('model-%02d', candidate) AS candidate"
        target = str(path).replace("'", "''")
        con.execute(
            f"COPY (SELECT * REPLACE ({example} AS example{candidate}) FROM rows) "
            f"TO '{target}' (FORMAT parquet, COMPRESSION zstd)"
        )
        con.close()


def _probabilities(
    rng: np.random.Generator, y: NDArray[np.bool_], candidates: int
) -> NDArray[np.float32]:
    shared = rng.normal(size=y.size).astype(np.float32) + 1.2 * y
    p = np.empty((candidates, y.size), np.float32)
    for k, row in enumerate(p):
        noise = rng.standard_normal(y.size, dtype=np.float32)
        row[:] = 1 / (1 + np.exp(2 - shared - noise * (0.8 + 0.002 * k)))
        if k % 2:
            row[:] = row.round(3)
    return p


def _long(
    p: NDArray[np.float32],
    y: NDArray[np.bool_],
    numbers: NDArray[np.int64],
    order: NDArray[np.int64] | None,
) -> Iterator[dict[str, Any]]:
    for start in range(0, p.size, _PART):
        stop = min(start + _PART, p.size)
        cell = np.arange(start, stop) if order is None else order[start:stop]
        example = cell % y.size
        yield {
            "candidate": cell // y.size,
            "example": numbers[example],
            "label": y[example].astype(np.int8),
            "prediction": p.ravel()[cell].astype(np.float64),
        }


def _wide(
    p: NDArray[np.float32], y: NDArray[np.bool_], numbers: NDArray[np.int64]
) -> Iterator[dict[str, Any]]:
    for start in range(0, y.size, _PART):
        part = slice(start, start + _PART)
        columns = {f"model-{k:02d}": row[part].astype(np.float64) for k, row in enumerate(p)}
        yield {"example": numbers[part], "label": y[part].astype(np.int8), **columns}


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--candidates", type=int, default=10)
    parser.add_argument("--examples", type=int, default=5_000_000)
    parser.add_argument("--layout", choices=("long", "wide"), default="long")
    parser.add_argument("--ids", choices=("integer", "text"), default="integer")
    parser.add_argument("--shuffled", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    make(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
