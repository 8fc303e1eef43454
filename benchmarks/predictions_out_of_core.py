"""Areas of ten candidates on five million examples that stay on disk: seconds and peak memory.

    python -m benchmarks.predictions_out_of_core [--runs 3] [--examples 5000000]

Promised: 60 s and 2 GiB on two free cores. The tables are made once, in the system's folder for
temporary files; DeLong's comparison of all candidates is part of the answer.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks import timing
from benchmarks.make_predictions import make

NOFLUKE = str(Path(sys.executable).with_name("nofluke"))
TABLES = {
    "long, whole ids": {"layout": "long", "ids": "integer"},
    "long, text ids": {"layout": "long", "ids": "text"},
    "long, text ids, shuffled": {"layout": "long", "ids": "text", "shuffled": True},
    "wide": {"layout": "wide", "ids": "integer"},
}


def table(name: str, examples: int) -> Path:
    """One of the tables, made once."""
    words = name.replace(",", "").replace(" ", "-")
    path = Path(tempfile.gettempdir()) / f"nofluke-{words}-{examples}.parquet"
    if not path.exists():
        made = path.with_suffix(".part")
        make(made, examples=examples, **TABLES[name])
        made.rename(path)
    return path


def main() -> None:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--examples", type=int, default=5_000_000)
    asked = parser.parse_args()
    how = ["--engine", "duckdb", "--memory", "1900MiB", "--n-resamples", "0", "--format", "json"]
    how += ["--without", "average_precision,decisions,probabilities"]
    print(f"{'table':<30} {'wall s':>8} {'cpu s':>8} {'MiB':>8}")
    for name in TABLES:
        command = [NOFLUKE, "classifier", str(table(name, asked.examples)), *how]
        taken = timing.process(command, asked.runs)
        print(f"{name:<30} {taken.wall:8.1f} {taken.cpu:8.1f} {taken.memory:8.0f}")


if __name__ == "__main__":
    main()
