"""The study: shortlists of synthetic and public score tables, by twelve methods."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from nofluke.studies import claims, engine
from nofluke.studies.engine import Part, Study
from nofluke.studies.papers.psdme import cells, page, pools
from nofluke.studies.papers.psdme.cells import Choice, Series, Size, Tail, Winner
from nofluke.studies.papers.psdme.figures import FIGURES

if TYPE_CHECKING:
    from pathlib import Path

SHORTLISTS = (2, 5, 10, 20, 30)
TAILS = (0.25, 0.1, 0.05, 0.02, 0.01)
# The settings of the source, as far as it names them: K, M, n.
SETTINGS = (
    *(Size(31, M, 200) for M in (*SHORTLISTS, 31)),
    Size(2000, 1000, 20),
    Size(2000, 1000, 100),
    Size(43, 5, 100),
    Size(43, 10, 100),
    Size(18, 6, 200),
    Size(10, 5, 200),
)
# Parts of `samples` that are enough for, or that can be had from, data sets that cost more.
_SHARE, _LARGE, _LOGS = 5, 40, 200


def study(
    *, samples: int, seed: int, workers: int | None, tables: str | Path | None = None
) -> Study:
    """Run all cells, and compare the claims of the source with what comes out.

    Args:
        samples: A fifth of them are data sets in each cell; a fortieth where K is 2000.
        seed: Seed of all cells.
        workers: How many cells at once; None as ``joblib.parallel_config`` says.
        tables: Folder of public tables, or None.
    """
    few, fewer = samples // _SHARE, samples // _LARGE
    parts = {
        "shortlists": Part(
            cells.false_coverage,
            [Choice(w, 31, M, 200, few) for w, M in product(("regression", "alike"), SHORTLISTS)],
        ),
        "large": Part(
            cells.false_coverage,
            [
                *(Choice("regression", 2000, 1000, n, fewer) for n in (20, 50, 100, 200)),
                *(Choice("alike", 2000, 1000, n, fewer) for n in (20, 100)),
            ],
        ),
        "tasks": Part(
            cells.false_coverage,
            [
                Choice("queries", 43, 5, 100, few),
                Choice("queries", 43, 10, 100, few),
                Choice("judged", 20, 5, 100, few),
                Choice("buffers", 18, 6, 200, few),
            ],
        ),
        "series": Part(cells.false_coverage, [Choice("buffer series", 18, 6, 200, few)]),
        "adversary": Part(
            cells.adversary,
            [
                Choice("alike", 2000, 1000, 20, fewer),
                Choice("alike", 2000, 1000, 100, fewer),
                Choice("alike", 10, 5, 200, few),
                Choice("alike", 18, 6, 200, few),
            ],
        ),
        "held_out": Part(cells.held_out, [Choice("queries", 43, M, 100, few) for M in (5, 10)]),
        "widths": Part(cells.widths, SETTINGS),
        "winner": Part(
            cells.winner,
            [
                Winner(K, M, n, 0.5)
                for K, M, n in ((31, 10, 200), (200, 100, 200), (2000, 1000, 100))
            ],
        ),
        "tails": Part(cells.tails, [Tail(n, gamma) for n, gamma in product((200, 1000), TAILS)]),
        "refused": Part(
            cells.refused,
            [Series(w, 18, 6, 500, samples // _LOGS) for w in ("buffers", "buffer series")],
        ),
    }
    present = [] if tables is None else pools.present(tables)
    if tables is not None:
        of = [cells.Table(str(tables), name, few) for name in present]
        parts["public"] = Part(cells.resampled_tables, of)
    found = engine.run(parts, seed=seed, workers=workers)
    answered = claims.answer(claims.read(__package__), FIGURES, found)
    found["claims"] = [claims.row(one) for one in answered]
    manifest = engine.manifest("psdme", samples=samples, seed=seed)
    if tables is not None:
        manifest["command"] += " --tables FOLDER"
    manifest["tables"] = present
    manifest["size"] = (
        f"Made with {few} data sets in each cell, {fewer} where K is 2000; the full size is "
        f"4000 and 500 (`nofluke reproduce psdme --full`)."
    )
    return Study(
        paper="psdme",
        tables=found,
        claims=answered,
        manifest=manifest,
        page=page.markdown(found, answered, manifest),
        summary=claims.summary(answered),
        pictures=page.pictures(found),
    )
