"""Make a large table of scores in shuffled rows, as Parquet, the same for the same size.

    python benchmarks/make_big.py big.parquet
    python benchmarks/make_big.py small.parquet --candidates 20 --examples 100

Scores are gamma distributed, like latencies; lower is better, and early candidates are better.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import duckdb
import numpy as np

_PART = 1 << 20  # rows made at a time


def make(path: Path, *, candidates: int = 2000, examples: int = 10_000, seed: int = 0) -> None:
    """Write every candidate's score on every example, in random order."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(candidates * examples)
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        con = duckdb.connect(str(Path(folder) / "rows.duckdb"))
        con.execute("CREATE TABLE rows (cell BIGINT, score DOUBLE)")
        for start in range(0, cells.size, _PART):
            cell = cells[start : start + _PART]
            part = {"cell": cell, "score": rng.gamma(2.0, size=cell.size) + cell // examples * 1e-4}
            con.execute("INSERT INTO rows SELECT * FROM part")
            del part
        target = str(path).replace("'", "''")
        con.execute(
            f"""
            COPY (
                SELECT printf('model-%04d', cell // {examples}) AS candidate,
                       printf('example-%05d', cell % {examples}) AS example,
                       score
                FROM rows
            ) TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_PART})
            """
        )
        con.close()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--candidates", type=int, default=2000)
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    make(asked.path, candidates=asked.candidates, examples=asked.examples, seed=asked.seed)


if __name__ == "__main__":
    main()
