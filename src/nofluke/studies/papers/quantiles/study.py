"""The study: six distributions, four numbers of runs, seven quantiles, four levels."""

from __future__ import annotations

from nofluke.studies import claims, engine
from nofluke.studies.engine import Part, Study
from nofluke.studies.papers.quantiles import cells, page, resampling
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS
from nofluke.studies.papers.quantiles.figures import FIGURES
from nofluke.studies.papers.quantiles.grid import SIZES, Cell, DiscreteCell

ITEMS = (20, 50, 100, 500, 2000)
_DISCRETE_SIZES = (10, 25, 50)
_RESAMPLED_SIZES = (10, 25)
# A sample with 10,000 resamples costs as much as thousands without.
_RESAMPLED_SHARE = 50


def study(*, samples: int, seed: int, workers: int | None) -> Study:
    """Run all cells, and compare the claims of the source with what comes out.

    Args:
        samples: Samples in each cell; a fiftieth of them where resamples are drawn.
        seed: Seed of all cells.
        workers: How many cells at once; None as ``joblib.parallel_config`` says.
    """
    grid = engine.grid(Cell, DISTRIBUTIONS, SIZES, [samples])
    discrete = engine.grid(DiscreteCell, ITEMS, _DISCRETE_SIZES, [samples])
    few = samples // _RESAMPLED_SHARE
    resampled = engine.grid(Cell, DISTRIBUTIONS, _RESAMPLED_SIZES, [few])
    parts = {
        "intervals": Part(cells.intervals, grid),
        "mean": Part(cells.mean_intervals, grid),
        "estimates": Part(cells.estimates, grid),
        "discrete": Part(cells.discrete, discrete),
        "resampled": Part(resampling.resampled, resampled),
    }
    tables = engine.run(parts, seed=seed, workers=workers)
    answered = claims.answer(claims.read(__package__), FIGURES, tables)
    tables["claims"] = [claims.row(one) for one in answered]
    manifest = engine.manifest("quantiles", samples=samples, seed=seed)
    return Study(
        paper="quantiles",
        tables=tables,
        claims=answered,
        manifest=manifest,
        page=page.markdown(tables, answered, manifest),
        summary=claims.summary(answered),
    )
