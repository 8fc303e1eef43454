"""The engine of a study: cells with generators of their own, figures with Monte-Carlo errors."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.studies.claims import Answered

Row: TypeAlias = dict[str, Any]
Measure: TypeAlias = Callable[[Any, np.random.Generator], list[Row]]


class Figure(NamedTuple):
    """A number and its Monte-Carlo standard error, 0 where it is computed and not drawn."""

    value: float
    error: float

    @property
    def text(self) -> str:
        """The value with its error in brackets; what is counted has none."""
        if self.error:
            return f"{self.value:.4f} ({self.error:.4f})"
        return f"{self.value:.0f}" if self.value == int(self.value) else f"{self.value:.4f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What a study found.

    Attributes:
        paper: Name of the study.
        tables: Tidy rows by name of the table.
        claims: The claims of the source, each with the figure found and the verdict.
        manifest: Seed, sizes, versions and the command that gives the same figures again.
        page: The report as Markdown.
        summary: How many claims hold, in a sentence.
        pictures: Pictures of the page as SVG, by name.
    """

    paper: str
    tables: dict[str, list[Row]]
    claims: tuple[Answered, ...]
    manifest: dict[str, Any]
    page: str
    summary: str
    pictures: dict[str, str] = field(default_factory=dict)


def generator(seed: int, *key: object) -> np.random.Generator:
    """The generator of one cell: a function of the seed and the cell's key only.

    Not of the order of cells, nor of which others there are, so a cell can be run alone.
    """
    digest = hashlib.sha256("\x1f".join(map(str, key)).encode()).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=words))


class Part(NamedTuple):
    """One table of a study.

    Attributes:
        measure: (cell, generator) -> rows; a function of a module that draws from that generator
            only.
        cells: What ``measure`` needs to know; the text of a cell is its key.
    """

    measure: Measure
    cells: Sequence[Any]


def run(parts: Mapping[str, Part], *, seed: int, workers: int = 1) -> dict[str, list[Row]]:
    """Tables by name, rows in the order of the cells, whoever finished first.

    Args:
        parts: The tables that are wanted; the name of one is part of each cell's key.
        seed: Seed of all cells.
        workers: Processes. Beyond one, a script that calls this needs the usual
            ``if __name__ == "__main__"``.
    """
    jobs = [(part.measure, cell, seed, name) for name, part in parts.items() for cell in part.cells]
    if workers == 1:
        measured = [_measured(job) for job in jobs]
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            measured = list(pool.map(_measured, jobs))
    done = iter(measured)
    return {name: [row for _ in part.cells for row in next(done)] for name, part in parts.items()}


def _measured(job: tuple[Measure, Any, int, str]) -> list[Row]:
    measure, cell, seed, name = job
    return measure(cell, generator(seed, name, cell))


def share(hits: ArrayLike) -> Figure:
    """Share of hits; the error is that of one hit and one miss more, so that it is never 0."""
    hits = np.asarray(hits)
    n, k = hits.size, int(np.count_nonzero(hits))
    p = (k + 1) / (n + 2)
    return Figure(k / n, math.sqrt(p * (1 - p) / n))


def average(values: NDArray[np.float64]) -> Figure:
    """Mean of independent draws and its standard error."""
    return Figure(float(values.mean()), float(values.std(ddof=1) / math.sqrt(values.size)))


def pooled(figures: Iterable[Figure]) -> Figure:
    """Mean of independent figures."""
    values, errors = zip(*figures, strict=True)
    n = len(values)
    return Figure(math.fsum(values) / n, math.sqrt(math.fsum(e * e for e in errors)) / n)


def manifest(paper: str, *, samples: int, seed: int) -> dict[str, Any]:
    """What is needed to get the same figures again; no time and no name of a machine."""
    versions = {name: metadata.version(name) for name in ("nofluke", "numpy", "scipy")}
    return {
        "paper": paper,
        "samples": samples,
        "seed": seed,
        "command": f"nofluke reproduce {paper} --samples {samples} --seed {seed}",
        "python": platform.python_version(),
        **versions,
    }
