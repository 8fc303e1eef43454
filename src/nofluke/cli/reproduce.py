"""`nofluke reproduce`: run the simulations of sources again, and compare their claims."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

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
    workers: Annotated[int | None, Parameter(help="Processes; as many as processors.")] = None,
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
    from nofluke.cli import show

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
    if workers is None:
        workers = os.cpu_count() or 1
    for key in studies.STUDIES if paper is None else (paper,):
        if samples >= studies.FULL and key in studies.STUDIES:
            show.note(f"{key}: about {studies.STUDIES[key].full} of processor time.")
        reads = paper is not None or studies.STUDIES[key].tables
        with show.busy("simulating"):
            study = studies.reproduce(
                key, samples=samples, seed=seed, workers=workers, tables=tables if reads else None
            )
        _print(study)
        if out is not None:
            _write(study, out)
    if out is not None:
        _write_all(out)
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


def _write(study: Study, folder: Path) -> None:
    from nofluke.cli.show import table_of

    (folder / f"{study.paper}.md").write_text(study.page, encoding="utf-8")
    tables = folder / study.paper
    tables.mkdir(exist_ok=True)
    for name, picture in study.pictures.items():
        (tables / f"{name}.svg").write_text(picture, encoding="utf-8")
    for name, rows in study.tables.items():
        (tables / f"{name}.csv").write_text(table_of(rows), encoding="utf-8")
    manifest = json.dumps(study.manifest, indent=2) + "\n"
    (tables / "manifest.json").write_text(manifest, encoding="utf-8")


def _write_all(folder: Path) -> None:
    """The list of all claims, which needs no simulation."""
    from nofluke.studies import catalogue

    (folder / "claims.md").write_text(catalogue.markdown(), encoding="utf-8")
