"""Public score tables, drawn again with replacement: the table itself is then the truth.

The tables are not part of the project; `docs/explanation/real-tables.md` says where they come from.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nofluke import read
from nofluke.errors import InputError
from nofluke.scores import units
from nofluke.studies.papers.psdme.worlds import Pool


class Table(NamedTuple):
    """A public table, and how it is asked.

    Attributes:
        file: Its file.
        told: What it holds, in words.
        reading: Arguments of ``read``.
        paired: Whether all candidates were scored on the same examples.
        M: How many are chosen.
        n: How many examples are drawn.
        binary: Whether every score is 0 or 1 by its meaning.
    """

    file: str
    told: str
    reading: dict[str, Any]
    paired: bool
    M: int
    n: int
    binary: bool = False


TABLES = {
    "judged instructions": Table(
        "alpaca_eval2_weighted.parquet",
        "58 models, a judge's preference on instructions that all of them answered",
        {"better": "higher"},
        paired=True,
        M=10,
        n=200,
    ),
    "software tasks": Table(
        "swebench_pro.parquet",
        "9 agents, resolved or not, on the tasks that all of them were given",
        {"better": "higher"},
        paired=True,
        M=3,
        n=200,
        binary=True,
    ),
    "latencies": Table(
        "llmperf_latency.parquet",
        "19 services, seconds end to end, each on requests of its own; failures count as the worst",
        {"better": "lower", "failed": "error_code=429,-1"},
        paired=False,
        M=5,
        n=100,
    ),
}


def present(folder: str | Path) -> list[str]:
    """The tables whose file is in the folder.

    Raises:
        InputError: There is no such folder, or none of the tables is in it (NF425).
    """
    if not Path(folder).is_dir():
        raise InputError(
            f"there is no folder {str(folder)!r}; leave --tables out, or name the folder that "
            "holds the public tables.",
            code="NF425",
        )
    found = [name for name, table in TABLES.items() if (Path(folder) / table.file).is_file()]
    if not found:
        files = ", ".join(table.file for table in TABLES.values())
        raise InputError(
            f"{str(folder)!r} holds none of the public tables {files}; leave --tables out, or "
            "name the folder they are in.",
            code="NF425",
        )
    return found


@lru_cache(maxsize=4)
def pool(folder: str, name: str) -> Pool:
    """A table as a population, lower scores better."""
    asked = TABLES[name]
    scores = read(Path(folder) / asked.file, **asked.reading)
    sign = 1.0 if scores.better == "lower" else -1.0
    if asked.paired:
        common = units.counted(scores, missing="common", unit="example", repeats="first", seed=None)
        return Pool(tuple(sign * common.matrix()), paired=True)
    samples = tuple(sign * np.asarray(scores.sample(k)) for k in range(scores.K))
    return Pool(samples, paired=False)
