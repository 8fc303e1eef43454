"""The study: six distributions, four numbers of runs, seven quantiles, four levels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nofluke.studies import claims, engine
from nofluke.studies.engine import Part, Study
from nofluke.studies.papers.quantiles import cells, page, resampling, runs
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS
from nofluke.studies.papers.quantiles.figures import FIGURES
from nofluke.studies.papers.quantiles.grid import SIZES, Cell, DiscreteCell
from nofluke.studies.papers.quantiles.runs import Task

if TYPE_CHECKING:
    from nofluke.studies.claims import Claim

ITEMS = (20, 50, 100, 500, 2000)
_DISCRETE_SIZES = (10, 25, 50)
_RESAMPLED_SIZES = (10, 25)
# A sample with 10,000 resamples costs as much as thousands without.
_RESAMPLED_SHARE = 50
# Runs that stand for a population, at most, and how many samples are a run's worth of chance.
_RUNS, _SAMPLES_FOR_A_RUN, _REAL_SHARE = 1000, 20, 8


def study(*, samples: int, seed: int, workers: int | None) -> Study:
    """Run all cells, and compare the claims of the source with what comes out.

    Args:
        samples: Samples in each cell; a fiftieth of them where resamples are drawn, an eighth from
            real runs. A twentieth of them, at most 1000, are the runs of each real task.
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
    asked = claims.read(__package__)
    if runs.available():
        count = min(_RUNS, samples // _SAMPLES_FOR_A_RUN)
        tasks = [Task(name, count, samples // _REAL_SHARE) for name in runs.TASKS]
        parts["real"] = Part(runs.real, tasks)
    else:
        asked = tuple(map(_without_runs, asked))
    tables = engine.run(parts, seed=seed, workers=workers)
    answered = claims.answer(asked, FIGURES, tables)
    tables["claims"] = [claims.row(one) for one in answered]
    manifest = engine.manifest("quantiles", samples=samples, seed=seed)
    return Study(
        paper="quantiles",
        tables=tables,
        claims=answered,
        manifest=manifest,
        page=page.markdown(tables, answered, manifest),
        summary=claims.summary(answered),
        pictures=page.pictures(tables),
    )


def _without_runs(claim: Claim) -> Claim:
    """What is said of real runs cannot be checked where nothing can be trained."""
    if not claim.id.startswith("R"):
        return claim
    reason = "scikit-learn is not installed here, so that nothing was trained."
    return replace(claim, figure="", reproduces="cannot be checked", reason=reason)
