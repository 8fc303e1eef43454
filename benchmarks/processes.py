"""Whole commands from outside: wall and processor seconds and peak memory, median of several runs.

    python -m benchmarks.processes [--runs 5] [--rows 20000000]

The large table is made once and kept in the system's folder for temporary files.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import timing

HERE = Path(__file__).parent
NOFLUKE = str(Path(sys.executable).with_name("nofluke"))


def large_table(rows: int) -> Path:
    """A shuffled Parquet table of K = 2000 candidates, made once."""
    path = Path(tempfile.gettempdir()) / f"nofluke-{rows}.parquet"
    if not path.exists():
        examples = str(rows // 2000)
        made = path.with_suffix(".part")
        subprocess.run(
            [
                sys.executable,
                str(HERE / "make_big.py"),
                str(made),
                "--candidates",
                "2000",
                "--examples",
                examples,
            ],
            check=True,
        )
        made.rename(path)
    return path


def main() -> None:
    """Print a line for each command, with what is promised."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--rows", type=int, default=20_000_000)
    options = parser.parse_args()
    digits = str(HERE.parent / "examples" / "digits" / "log_loss.parquet")
    big = [str(large_table(options.rows)), "--better", "lower"]
    commands = {
        "--help (<= 0.3 s)": ["--help"],
        "certify --help (<= 0.4 s)": ["certify", "--help"],
        "certify digits": ["certify", digits, "--select", "top:5@column:val_score"],
        f"certify {options.rows:,} rows (<= 8 s, <= 1024 MiB)": ["certify", *big],
    }
    print(f"{'command':<50} {'wall s':>8} {'cpu s':>8} {'MiB':>8}")
    for name, arguments in commands.items():
        taken = timing.process([NOFLUKE, *arguments], options.runs)
        print(f"{name:<50} {taken.wall:8.2f} {taken.cpu:8.2f} {taken.memory:8.0f}")


if __name__ == "__main__":
    main()
