"""Makes docs/data/drift-*.csv: made-up wards, a risk that was right, and what changes later.

python examples/drift/make_tables.py docs/data
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np

rng = np.random.default_rng(20)


def rows(n: int, share: float, *, other_meaning: float = 0.0) -> list[dict[str, object]]:
    """Patients; the risk is right at a share of 0.2, and labels may come to mean something else."""
    made = []
    for died in rng.random(n) < share:
        lab = round(float(rng.normal(1 + 1.6 * died)), 2)
        age = int(np.clip(rng.normal(60 + 6 * died, 12), 18, 99))
        log_odds = math.log(0.25) + 1.6 * (lab - 1.8) + 6 / 144 * (age - 63)
        label = bool(died) ^ (rng.random() < other_meaning)
        made.append(
            {
                "age": age,
                "lab": "" if rng.random() < 0.03 else lab,
                "ward": str(rng.choice(["north", "south", "west"], p=[0.5, 0.3, 0.2])),
                "risk": f"{1 / (1 + math.exp(-log_odds)):.3f}",
                "died": int(label),
            }
        )
    return made


def write(path: Path, table: list[dict[str, object]], columns: list[str]) -> None:
    """Write these columns as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def main(folder: Path) -> None:
    """Write the three tables."""
    features = ["age", "lab", "ward", "risk"]
    write(folder / "drift-before.csv", rows(700, 0.2), [*features, "died"])
    write(folder / "drift-now.csv", rows(600, 0.4), features)
    log = [rows(40, 0.2) for _ in range(10)] + [rows(40, 0.2, other_meaning=0.3) for _ in range(6)]
    weeks = [{"week": i, **row} for i, week in enumerate(log, start=1) for row in week]
    write(folder / "drift-log.csv", weeks, ["week", "risk", "died"])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
