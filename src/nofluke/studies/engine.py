"""The engine of a study: cells with generators of their own, figures with Monte-Carlo errors."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

import nofluke
from nofluke.studies import cells
from nofluke.workers import each, versions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nofluke.studies.claims import Answered

Row: TypeAlias = dict[str, Any]
Cell = TypeVar("Cell")
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


def run(
    parts: Mapping[str, Part], *, seed: int, workers: int | None = None
) -> dict[str, list[Row]]:
    """Tables by name, rows in the order of the cells, whoever finished first.

    Args:
        parts: The tables that are wanted; the name of one is part of each cell's key.
        seed: Seed of all cells.
        workers: How many cells at once; 1 measures here. None does as ``joblib.parallel_config``
            says, and without it measures here.

    Within ``cells.kept`` each cell is on the disk when it is done, and what was there is not
    measured again.
    """
    kept = cells.current()
    keys = {
        name: [cells.key(seed, name, part.measure, cell) for cell in part.cells]
        for name, part in parts.items()
    }
    pieces = (
        (key, part.measure, cell, seed, name)
        for name, part in parts.items()
        for key, cell in zip(keys[name], part.cells, strict=True)
        if key not in kept.found
    )
    with closing(each(_measured, pieces, n_jobs=workers, ordered=False)) as results:
        for key, rows in results:
            kept.add(key, rows)
    return {name: [dict(row) for key in of for row in kept.found[key]] for name, of in keys.items()}


def _measured(key: str, measure: Measure, cell: Any, seed: int, name: str) -> tuple[str, list[Row]]:
    from threadpoolctl import threadpool_limits

    # How many threads of BLAS share a sum changes its last bits.
    with threadpool_limits(limits=1):
        return key, cells.plain(measure(cell, generator(seed, name, cell)))


def grid(kind: Callable[..., Cell], *axes: Iterable[Any]) -> list[Cell]:
    """A cell for each combination of values, one axis for each of its fields.

    >>> grid(complex, (1, 2), (0, 3))
    [(1+0j), (1+3j), (2+0j), (2+3j)]
    """
    return [kind(*values) for values in product(*axes)]


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
    return {
        "paper": paper,
        "samples": samples,
        "seed": seed,
        "command": f"nofluke reproduce {paper} --samples {samples} --seed {seed}",
        "python": platform.python_version(),
        **versions(),
        "code": code(),
    }


@cache
def code() -> str:
    """Digest of nofluke's own code: a version that is being worked on has many."""
    root, found = Path(nofluke.__file__).parent, hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in {".py", ".toml"}):
        found.update(f"{path.relative_to(root).as_posix()}\n".encode() + path.read_bytes())
    return found.hexdigest()
