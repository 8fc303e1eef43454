"""Simulations that check what the methods and their sources claim.

A study is a grid of cells. Each cell draws from a generator of its own, so that its figures depend
on the seed and the cell only; each figure carries its Monte-Carlo error; each claim of the source
is a number with a tolerance, and the study says whether it reproduces it.
"""

from __future__ import annotations

import importlib
import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.studies.engine import Study

__all__ = ["STUDIES", "reproduce"]

# Each is a package with a function ``study(samples=, seed=, workers=)``.
STUDIES = {"quantiles": "nofluke.studies.papers.quantiles.study"}

FULL, QUICK, _LEAST = 20_000, 2_000, 200


def reproduce(
    paper: str,
    *,
    samples: int = FULL,
    seed: int = 0,
    workers: int | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Study:
    """Run the simulation of a source again, and compare its claims with what comes out.

    Args:
        paper: Name of the study, one of ``STUDIES``.
        samples: Samples in each cell of the grid; the Monte-Carlo error of a coverage of 0.9 is
            ``0.3 / sqrt(samples)``.
        seed: Seed of all cells.
        workers: How many cells at once; None does as ``joblib.parallel_config`` says, and without
            it computes here. The figures do not depend on it, nor on the back end.
        path: A file where each finished cell is kept at once; a study that was stopped, or killed,
            goes on there. It is for this study, size, seed and these versions only.

    Returns:
        Tables, claims with their verdicts, and the manifest of the run.

    Raises:
        InputError: There is no such study, or the samples are too few to tell anything (NF051);
            the file is of something else (NF048), or cannot be written (NF422).

    >>> from nofluke import studies
    >>> studies.reproduce("quantiles", samples=1)
    Traceback (most recent call last):
    ...
    nofluke.errors.InputError: samples=1 is too few for a study; 200 are the least, 20000 usual.
    """
    if paper not in STUDIES:
        raise InputError(
            f"there is no study {paper!r}; there are {', '.join(STUDIES)}.", code="NF051"
        )
    for name, value, least in (("seed", seed, 0), ("workers", workers, 1)):
        if value is not None and value < least:
            raise InputError(f"{name}={value!r} must be at least {least}.", code="NF051")
    if samples < _LEAST:
        raise InputError(
            f"samples={samples!r} is too few for a study; {_LEAST} are the least, {FULL} usual.",
            code="NF051",
        )
    from nofluke.studies import cells, engine, files

    question = engine.manifest(paper, samples=samples, seed=seed)
    del question["command"]  # it says the same once more
    with nullcontext() if path is None else cells.kept(Path(path), question):
        answer: Study = importlib.import_module(STUDIES[paper]).study(
            samples=samples, seed=seed, workers=workers
        )
    return replace(answer, manifest={**answer.manifest, "sha256": files.digests(answer)})
