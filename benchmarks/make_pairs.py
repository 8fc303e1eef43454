"""Make a large table of candidates on the same examples, as Parquet, the same for the same size.

    python benchmarks/make_pairs.py pairs.parquet --examples 1000000
    python benchmarks/make_pairs.py many.parquet --candidates 40 --examples 100000 --clusters 5000

Scores lie between 0 and 1, higher is better, and each candidate is a little better than the one
before. Rows are shuffled, and the ids are texts whose order says nothing about the scores.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import duckdb
import numpy as np

_PART = 1 << 20  # rows made at a time


def make(
    path: Path,
    *,
    candidates: int = 2,
    examples: int = 100_000,
    clusters: int = 0,
    binary: bool = False,
    gain: float = 0.001,
    seed: int = 0,
) -> None:
    """Write every candidate's score on every example, in random order.

    Args:
        path: The file.
        candidates: Number of candidates.
        examples: Number of examples.
        clusters: Number of clusters of examples; 0 for no such column.
        binary: Whether scores are 0 or 1.
        gain: By how much each candidate is better than the one before, on average.
        seed: Of the scores and of the order of the rows.
    """
    rng = np.random.default_rng(seed)
    level = rng.random(examples)
    cells = rng.permutation(candidates * examples)
    con = duckdb.connect()
    con.execute("CREATE TABLE rows (cell BIGINT, score DOUBLE)")
    for start in range(0, cells.size, _PART):
        cell = cells[start : start + _PART]
        own = level[cell % examples] + gain * (cell // examples)
        if binary:
            score = (rng.random(cell.size) < np.clip(own, 0, 1)).astype(float)
        else:
            score = np.clip(own + rng.normal(0, 0.1, cell.size), 0, 1)
        part = {"cell": cell, "score": score}
        con.execute("INSERT INTO rows SELECT * FROM part")
        del part
    beside = f", printf('doc-%06d', cell % {examples} % {clusters}) AS cluster" if clusters else ""
    target = str(path).replace("'", "''")
    con.execute(
        f"""
        COPY (
            SELECT printf('model-%04d', cell // {examples}) AS candidate,
                   printf('example-%09d', cell % {examples}) AS example
                   {beside}, score
            FROM rows
        ) TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_PART})
        """
    )
    con.close()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--candidates", type=int, default=2)
    parser.add_argument("--examples", type=int, default=100_000)
    parser.add_argument("--clusters", type=int, default=0)
    parser.add_argument("--binary", action="store_true")
    parser.add_argument("--gain", type=float, default=0.001)
    parser.add_argument("--seed", type=int, default=0)
    asked = vars(parser.parse_args())
    make(asked.pop("path"), **asked)


if __name__ == "__main__":
    main()
