"""Simulations that check what the methods and their sources claim.

A study is a grid of cells. Each cell draws from a generator of its own, so that its figures depend
on the seed and the cell only; each figure carries its Monte-Carlo error; each claim of the source
is a number with a tolerance, and the study says whether it reproduces it.
"""

from __future__ import annotations

import difflib
import importlib
import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from nofluke.studies.engine import Study

__all__ = ["FULL", "QUICK", "STUDIES", "reproduce"]


class Paper(NamedTuple):
    """Where a study is, and what a run of it takes.

    Attributes:
        package: A package with a module ``study`` and its claims in ``claims.toml``.
        source: What is run again, in words.
        full: Processor time at ``FULL`` samples, in words.
        tables: Whether it reads public score tables from a folder, where one is given.
    """

    package: str
    source: str
    full: str
    tables: bool = False


_PAPERS = "nofluke.studies.papers"

# Each has a module ``study`` with a function ``study(samples=, seed=, workers=)``.
STUDIES = {
    "psdme": Paper(
        f"{_PAPERS}.psdme", "guarantees after choosing among many", "2 minutes", tables=True
    ),
    "champion": Paper(f"{_PAPERS}.champion", "the best of ten seeds", "2 minutes"),
    "quantiles": Paper(f"{_PAPERS}.quantiles", "quantiles over few runs", "5 minutes"),
    "envelope": Paper(f"{_PAPERS}.envelope", "is B better, and looking early", "3 minutes"),
}

FULL, QUICK, _LEAST = 20_000, 2_000, 200


def reproduce(
    paper: str,
    *,
    samples: int = FULL,
    seed: int = 0,
    workers: int | None = None,
    path: str | os.PathLike[str] | None = None,
    tables: str | Path | None = None,
) -> Study:
    """Run the simulation of a source again, and compare its claims with what comes out.

    Args:
        paper: Name of the study, one of ``STUDIES``.
        samples: Samples in each cell of the grid, or a fixed share of them where a sample is
            costly; the Monte-Carlo error of a coverage of 0.9 is ``0.3 / sqrt(samples)``.
        seed: Seed of all cells.
        workers: How many cells at once; None does as ``joblib.parallel_config`` says, and without
            it computes here. The figures do not depend on it, nor on the back end.
        path: A file where each finished cell is kept at once; a study that was stopped, or killed,
            goes on there. It is for this study, size, seed and these versions only.
        tables: Folder of public score tables, for a study that resamples them. Without it, and
            for tables that are not there, the page says that they were left out.

    Returns:
        Tables, claims with their verdicts, and the manifest of the run.

    Raises:
        InputError: There is no such study, the samples are too few to tell anything, or tables
            are given to a study that reads none (NF051); the folder of tables is not there (NF425);
            the file is of something else (NF048), or cannot be written (NF422).

    >>> from nofluke import studies
    >>> studies.reproduce("quantiles", samples=1)
    Traceback (most recent call last):
    ...
    nofluke.errors.InputError: samples=1 is too few for a study; 200 are the least, 20000 usual.
    """
    if paper not in STUDIES:
        close = difflib.get_close_matches(paper.lower(), STUDIES, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise InputError(
            f"there is no study {paper!r}; there are {', '.join(STUDIES)}.{hint}", code="NF051"
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

    found = STUDIES[paper]
    if tables is not None and not found.tables:
        reads = [name for name, other in STUDIES.items() if other.tables]
        raise InputError(
            f"the study {paper!r} reads no tables; {some(reads)} does. Leave tables= out.",
            code="NF051",
        )
    run = importlib.import_module(f"{found.package}.study").study
    more = {"tables": tables} if found.tables else {}
    question = engine.manifest(paper, samples=samples, seed=seed)
    del question["command"]  # it says the same once more
    with nullcontext() if path is None else cells.kept(Path(path), question):
        answer: Study = run(samples=samples, seed=seed, workers=workers, **more)
    return replace(answer, manifest={**answer.manifest, "sha256": files.digests(answer)})
