"""Makes docs/data/keeper-*.csv: made-up calls to a clinic, and two models that predict them.

python examples/keeper/make_tables.py docs/data
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

#: On how many calls each model is right.
RIGHT = {"first": 800, "second": 900}
N = 1000


def write(path: Path, header: list[str], rows: zip[tuple[str, str]]) -> None:
    """Write two columns as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def words(urgent: NDArray[np.bool_]) -> list[str]:
    """The labels by name."""
    return ["urgent" if one else "routine" for one in urgent]


def main(folder: Path) -> None:
    """Write labels and predictions."""
    rng = np.random.default_rng(33)
    ids = [f"call-{number:04d}" for number in range(1, N + 1)]
    urgent = rng.random(N) < 0.3
    write(folder / "keeper-labels.csv", ["id", "label"], zip(ids, words(urgent), strict=True))
    for name, right in RIGHT.items():
        wrong = rng.permutation(N) >= right
        rows = zip(ids, words(urgent ^ wrong), strict=True)
        write(folder / f"keeper-{name}.csv", ["id", "prediction"], rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
