"""The study: thresholds, widths, false alarms of peeking, power, clusters, four traps."""

from __future__ import annotations

from itertools import product

from nofluke.studies import claims, engine
from nofluke.studies.engine import Part, Study
from nofluke.studies.papers.envelope import cells, page
from nofluke.studies.papers.envelope.cells import PLANNED, Best, Gates, Groups, Rounds, Sample
from nofluke.studies.papers.envelope.figures import FIGURES
from nofluke.studies.papers.envelope.shapes import NULLS, SHAPES, STREAMS

SIZES = (50, 200, 1000)
# Parts of `samples` that can be had where a sample is costly.
_INTERVALS, _STREAMS, _TESTS, _TABLES = 100, 10, 5, 2


def study(*, samples: int, seed: int, workers: int | None) -> Study:
    """Run all cells, and compare the claims of the note with what comes out.

    Args:
        samples: Streams of each null; a hundredth of them are samples for intervals, a tenth
            streams for power, a fifth samples for tests, a half tables of repeats and variants.
        seed: Seed of all cells.
        workers: How many cells at once; None as ``joblib.parallel_config`` says.
    """
    few, some = samples // _INTERVALS, samples // _STREAMS
    more, half = samples // _TESTS, samples // _TABLES
    parts = {
        "thresholds": Part(cells.thresholds, ["note"]),
        "sizes": Part(cells.sizes, ["note"]),
        "demonstration": Part(cells.demonstration, ["note"]),
        "bernstein": Part(cells.bernstein, [100, 300]),
        "widths": Part(cells.widths, [Sample(s, n, few) for n, s in product(SIZES, SHAPES)]),
        "bootstrap": Part(cells.bootstrap, [Sample("rouge", n, few) for n in (200, 500)]),
        "looking": Part(cells.looking, [Sample(s, PLANNED, samples) for s in STREAMS]),
        "stopping": Part(cells.stopping, [Sample(s, PLANNED, some) for s in SHAPES]),
        "nulls": Part(cells.nulls, [Sample(s, n, more) for s, n in product(NULLS, SIZES)]),
        "grouped": Part(
            cells.grouped,
            [
                Groups(effects, G, gain, more)
                for effects, G, gain in product(("normal", "rare"), (15, 50, 500), (0.0, 0.03))
            ],
        ),
        "order": Part(cells.sorted_rows, [Sample("uniform", 1000, some)]),
        "repeats": Part(cells.repeats, [Rounds(k, half) for k in (1, 4, 8)]),
        "best_of": Part(cells.best_of, [Best(k, half) for k in (1, 5, 10, 20)]),
        "gates": Part(cells.gates, [Gates(rho, samples) for rho in (0.0, 0.9)]),
        "again": Part(cells.again, [Sample("coin", 500, samples)]),
    }
    tables = engine.run(parts, seed=seed, workers=workers)
    answered = claims.answer(claims.read(__package__), FIGURES, tables)
    tables["claims"] = [claims.row(one) for one in answered]
    manifest = engine.manifest("envelope", samples=samples, seed=seed)
    manifest["size"] = (
        f"Made with {samples} streams of each null, {few} samples in each cell of intervals, "
        f"{some} streams for power, {more} samples for tests and {half} tables of repeats; the "
        "full size is 20000, 200, 2000, 4000 and 10000 (`nofluke reproduce envelope --full`)."
    )
    return Study(
        paper="envelope",
        tables=tables,
        claims=answered,
        manifest=manifest,
        page=page.markdown(tables, answered, manifest),
        summary=claims.summary(answered),
        pictures=page.pictures(tables),
    )
