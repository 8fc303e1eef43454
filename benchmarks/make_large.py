"""Make a table of scores larger than memory, as Parquet, the same for the same size.

    python benchmarks/make_large.py large.parquet                       # 50 candidates, 50 M rows
    python benchmarks/make_large.py huge.parquet --examples 10000000    # 500 M rows

Losses with a heavy right tail; candidates lie close together. Rows come in blocks of examples and
are shuffled within each block, as a fleet of workers would write them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_BLOCK = 1 << 20  # rows written at a time


def make(path: Path, *, candidates: int = 50, examples: int = 1_000_000, seed: int = 0) -> None:
    """Write every candidate's score on every example."""
    names = pa.array([f"model-{k:04d}" for k in range(candidates)])
    schema = pa.schema(
        [
            ("candidate", pa.dictionary(pa.int32(), pa.string())),
            ("example", pa.int64()),
            ("score", pa.float64()),
        ]
    )
    block = max(1, _BLOCK // candidates)
    part = path.with_suffix(".part")
    with pq.ParquetWriter(part, schema, compression="zstd") as writer:
        for start in range(0, examples, block):
            rng = np.random.default_rng([seed, start])
            count = min(block, examples - start)
            cell = rng.permutation(count * candidates)
            who = (cell % candidates).astype(np.int32)
            hard = rng.normal(size=count)[cell // candidates]
            score = np.exp(0.5 * hard + 0.8 * rng.normal(size=cell.size) + 1e-3 * who)
            writer.write_table(
                pa.table(
                    [
                        pa.DictionaryArray.from_arrays(pa.array(who), names),
                        pa.array(start + cell // candidates),
                        pa.array(score),
                    ],
                    schema=schema,
                )
            )
    part.rename(path)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--candidates", type=int, default=50)
    parser.add_argument("--examples", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    make(asked.path, candidates=asked.candidates, examples=asked.examples, seed=asked.seed)


if __name__ == "__main__":
    main()
