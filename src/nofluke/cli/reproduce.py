"""`nofluke reproduce`: run the simulations of sources again, and compare their claims."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from nofluke.cli import options
from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.studies.engine import Study


def reproduce(
    paper: Annotated[
        str | None,
        Parameter(
            help="Name of the study: psdme, champion, quantiles, envelope; else all of them."
        ),
    ] = None,
    /,
    *,
    samples: Annotated[int | None, Parameter(help="Samples in each cell; 20000.")] = None,
    seed: Annotated[int, Parameter(help="Seed of all cells.")] = 0,
    quick: Annotated[bool, Parameter(help="2000 samples: a minute for all studies.")] = False,
    full: Annotated[bool, Parameter(help="20000 samples, as without it: minutes each.")] = False,
    workers: options.Workers = None,
    backend: options.Backend = None,
    scheduler: options.Scheduler = None,
    tables: Annotated[
        Path | None, Parameter(help="Folder of public score tables to resample (psdme).")
    ] = None,
    out: Annotated[
        Path | None, Parameter(help="Write pages, pictures and tables into this folder.")
    ] = None,
) -> None:
    """Run the simulations of sources again, and say which of their claims hold.

    Example: nofluke reproduce quantiles --quick
    """
    from nofluke import studies
    from nofluke import workers as computing
    from nofluke.cli import show
    from nofluke.studies import files

    given = [f"--samples {samples}"] if samples is not None else []
    given = [*(["--quick"] if quick else []), *(["--full"] if full else []), *given]
    if len(given) > 1:
        means = f"--quick means --samples {studies.QUICK}, --full means --samples {studies.FULL}"
        raise InputError(
            f"{means}, and {' and '.join(given)} were given together; leave out all but one.",
            code="NF051",
        )
    if out is not None:
        _refuse_unwritable(out)
    if samples is None:
        samples = studies.QUICK if quick else studies.FULL
    with computing.on(backend, workers=workers, scheduler=scheduler):
        for key in studies.STUDIES if paper is None else (paper,):
            reads = paper is not None or key not in studies.STUDIES or studies.STUDIES[key].tables
            _run(key, samples=samples, seed=seed, tables=tables if reads else None, out=out)
    if out is not None:
        files.write_claims(out)
        show.note(f"The page, the tables and the manifest are in {out}.")


def _run(paper: str, *, samples: int, seed: int, tables: Path | None, out: Path | None) -> None:
    """Run one study, print its claims and write what it leaves."""
    from nofluke import studies
    from nofluke.cli import show
    from nofluke.studies import files

    if samples >= studies.FULL and paper in studies.STUDIES:
        show.note(f"{paper}: about {studies.STUDIES[paper].full} of processor time.")
    cells = None if out is None else out / f"{paper}.cells.jsonl"
    if cells is not None and cells.exists():
        show.note(f"What {cells} holds is not simulated again.")
    with show.busy("simulating"):
        study = studies.reproduce(paper, samples=samples, seed=seed, path=cells, tables=tables)
    _print(study)
    if out is not None and cells is not None:
        files.write(study, out)
        cells.unlink(missing_ok=True)


def _refuse_unwritable(folder: Path) -> None:
    """Before the simulation, which may take long, and not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--out {folder}: no folder can be made there ({error.strerror}); name another.",
            code="NF008",
        ) from None
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(
            f"--out {folder}: nothing can be written there ({error.strerror}); name another.",
            code="NF008",
        ) from None


def _print(study: Study) -> None:
    """One line for each claim, and how many hold."""
    from rich.console import Console

    from nofluke.cli.tables import grid

    heads = ["claim", "the source says", "claimed", "found", "reproduces", "why"]
    lines = []
    for answered in study.claims:
        claim, found = answered.claim, answered.found
        row = [claim.id, claim.text, "", "", answered.verdict, claim.reason]
        if found is not None:
            row[2:4] = claim.claimed, found.text
        lines.append(row)
    console = Console(
        highlight=False, emoji=False, markup=False, width=None if sys.stdout.isatty() else 160
    )
    console.print(grid(heads, lines, texts={heads[0], heads[1], *heads[4:]}))
    console.print(study.summary)
    console.print(f"The same again: {study.manifest['command']}")
