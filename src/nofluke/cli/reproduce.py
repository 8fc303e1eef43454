"""`nofluke reproduce`: run the simulation of a source again, and compare its claims."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from nofluke.cli import options
from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.studies.engine import Study


def reproduce(
    paper: Annotated[str, Parameter(help="Name of the study: quantiles.")],
    /,
    *,
    samples: Annotated[int | None, Parameter(help="Samples in each cell; 20000.")] = None,
    seed: Annotated[int, Parameter(help="Seed of all cells.")] = 0,
    quick: Annotated[bool, Parameter(help="2000 samples in each cell.")] = False,
    workers: options.Workers = None,
    backend: options.Backend = None,
    scheduler: options.Scheduler = None,
    out: Annotated[
        Path | None, Parameter(help="Write the page and its tables (CSV) into this folder.")
    ] = None,
) -> None:
    """Run the simulation of a source again, and say which of its claims hold.

    Example: nofluke reproduce quantiles --quick
    """
    from nofluke import studies
    from nofluke import workers as computing
    from nofluke.cli import show
    from nofluke.studies import files

    if quick and samples is not None:
        raise InputError(
            f"--quick means --samples {studies.QUICK}, and --samples {samples} was given too; "
            "leave out one of them.",
            code="NF051",
        )
    if out is not None:
        _refuse_unwritable(out)
    if samples is None:
        samples = studies.QUICK if quick else studies.FULL
    cells = None if out is None else out / f"{paper}.cells.jsonl"
    if cells is not None and cells.exists():
        show.note(f"What {cells} holds is not simulated again.")
    on = computing.on(backend, workers=workers, scheduler=scheduler)
    with show.busy("simulating"), on:
        study = studies.reproduce(paper, samples=samples, seed=seed, path=cells)
    _print(study)
    if out is not None and cells is not None:
        files.write(study, out)
        cells.unlink()
        show.note(f"The page, the tables and the manifest are in {out}.")


def _refuse_unwritable(folder: Path) -> None:
    """Before the simulation, which may take long, and not after it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"--out {folder}: no folder can be made there ({error.strerror}); name another.",
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
