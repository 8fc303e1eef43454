"""The study: numbers of the chapter, maxima, winners, two layers of variance."""

from __future__ import annotations

from itertools import product

from nofluke.studies import claims, engine
from nofluke.studies.engine import Part, Study
from nofluke.studies.papers.champion import cells, page
from nofluke.studies.papers.champion.cells import Layers, Maximum, Seeds
from nofluke.studies.papers.champion.figures import FIGURES

RHOS = (0.0, 0.5, 0.9)
# Parts of `samples` that can be had where a data set has a thousand rows of ten seeds.
_SHARE = 20


def study(*, samples: int, seed: int, workers: int | None) -> Study:
    """Run all cells, and compare the claims of the chapter with what comes out.

    Args:
        samples: Maxima in each cell; a twentieth of them are data sets of ten seeds.
        seed: Seed of all cells.
        workers: How many cells at once; None as ``joblib.parallel_config`` says.
    """
    few = samples // _SHARE
    parts = {
        "numbers": Part(cells.numbers, ["chapter"]),
        "maxima": Part(
            cells.maxima,
            [
                *(Maximum(m, rho, samples) for m, rho in product((10, 100), RHOS)),
                Maximum(10, 1.0, samples),
            ],
        ),
        "opposed": Part(cells.opposed, [Maximum(2, -1.0, samples)]),
        "winners": Part(
            cells.winners,
            [Seeds(rho, truth, few) for rho, truth in product(RHOS, ("equal", "spread"))],
        ),
        "layers": Part(cells.layers, [Layers(0.8, sd, few) for sd in (0.0, 0.1, 0.3)]),
    }
    tables = engine.run(parts, seed=seed, workers=workers)
    answered = claims.answer(claims.read(__package__), FIGURES, tables)
    tables["claims"] = [claims.row(one) for one in answered]
    manifest = engine.manifest("champion", samples=samples, seed=seed)
    manifest["size"] = (
        f"Made with {samples} maxima, {few} data sets of ten seeds in each cell; the "
        "full size is 20000 and 1000 (`nofluke reproduce champion --full`)."
    )
    return Study(
        paper="champion",
        tables=tables,
        claims=answered,
        manifest=manifest,
        page=page.markdown(tables, answered, manifest),
        summary=claims.summary(answered),
        pictures=page.pictures(tables),
    )
