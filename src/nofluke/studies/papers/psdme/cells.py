"""What is measured in each cell: false coverage, ranks, widths, winners, refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import bdtrc

from nofluke import bands, proportions, read, selective
from nofluke.errors import InputError
from nofluke.questions.certify import certify
from nofluke.studies.engine import Figure, share
from nofluke.studies.papers.psdme import methods
from nofluke.studies.papers.psdme.worlds import WORLDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.studies.engine import Row
    from nofluke.studies.papers.psdme.worlds import Pool, World

DELTA, GAMMA = 0.1, 0.25


class Choice(NamedTuple):
    """M of K candidates of a world by their means on n examples, again and again."""

    world: str
    K: int
    M: int
    n: int
    samples: int
    methods: tuple[str, ...] = tuple(methods.METHODS)


def false_coverage(cell: Choice, rng: np.random.Generator) -> list[Row]:
    """Mean share of wrong bands among the M best means, for every method on the same data."""
    return _of_world(cell, WORLDS[cell.world](cell.K, rng), rng)


def _of_world(cell: Choice, world: World, rng: np.random.Generator) -> list[Row]:
    judged = {
        name: methods.judge(name, K=world.K, n=cell.n, M=cell.M, delta=DELTA, gamma=GAMMA)
        for name in cell.methods
    }
    shares: dict[str, list[float]] = {name: [] for name in judged}
    for _ in range(cell.samples):
        scores = world.draw(cell.n, rng)
        chosen = best(scores, cell.M)
        truth = world.truth(scores[chosen], chosen)
        for name, method in judged.items():
            of = truth
            if method.n < cell.n:
                picked = best(scores[:, method.n :], cell.M)
                of = world.truth(scores[picked, : method.n], picked)
            shares[name].append(float(methods.wrong(of, method.limits).mean()))
    rows = []
    for name, method in judged.items():
        fcr = rate(np.array(shares[name]), cell.M)
        head = {"world": cell.world, "K": world.K, "M": cell.M, "n": cell.n, "method": name}
        rows.append(
            {
                **head,
                "alpha": method.alpha,
                "half_width": method.half_width,
                "rank": method.rank,
                "band": method.method,
                "samples": cell.samples,
                "fcr": fcr.value,
                "fcr_error": fcr.error,
                "bound": min(1.0, world.K * method.alpha / cell.M) if method.n == cell.n else DELTA,
            }
        )
    return rows


def best(scores: NDArray[np.float64], M: int) -> NDArray[np.intp]:
    """The M candidates of least mean; the first of equal ones."""
    return np.argsort(scores.mean(axis=1), kind="stable")[:M]


def rate(shares: NDArray[np.float64], M: int) -> Figure:
    """Mean share of wrong bands; the error is that with one more wrong band, so never 0."""
    seen = np.append(shares, 1 / M)
    return Figure(float(shares.mean()), float(seen.std(ddof=1) / math.sqrt(shares.size)))


class Size(NamedTuple):
    """A choice of M among K on n examples, by arithmetic alone."""

    K: int
    M: int
    n: int


def widths(cell: Size, _: np.random.Generator) -> list[Row]:
    """Half-width, rank and level of every method."""
    rows = []
    for name in methods.METHODS:
        found = methods.judge(name, **cell._asdict(), delta=DELTA, gamma=GAMMA)
        rows.append(
            {
                **cell._asdict(),
                "method": name,
                "alpha": found.alpha,
                "half_width": found.half_width,
                "rank": found.rank,
                "band": found.method,
            }
        )
    return rows


def adversary(cell: Choice, rng: np.random.Generator) -> list[Row]:
    """The M bands farthest from the truth are chosen: what naive reuse can come to."""
    world = WORLDS[cell.world](cell.K, rng)
    naive = methods.judge("naive", K=cell.K, n=cell.n, M=cell.M, delta=DELTA, gamma=GAMMA)
    shares = []
    for _ in range(cell.samples):
        scores = world.draw(cell.n, rng)
        misses = methods.wrong(world.truth(scores, np.arange(cell.K)), naive.limits).sum()
        shares.append(min(int(misses), cell.M) / cell.M)
    fcr = rate(np.array(shares), cell.M)
    head = {"world": cell.world, "K": cell.K, "M": cell.M, "n": cell.n, "method": "naive"}
    bound = min(1.0, cell.K * DELTA / cell.M)
    return [{**head, "fcr": fcr.value, "fcr_error": fcr.error, "bound": bound}]


def held_out(cell: Choice, rng: np.random.Generator) -> list[Row]:
    """False coverage as it looks when held-out scores stand for the truth.

    A fixed pool of 2n prompts is split again and again: one half chooses and makes bands, the
    other half's empirical distribution function is taken for the truth. "steps counted" compares
    them at each score, i/n at the i-th, ties or not; "ties counted right" at the last of equal
    scores; "true" is what happens.
    """
    world = WORLDS[cell.world](cell.K, rng)
    names = ("naive", methods.PSDME)
    judged = {
        m: methods.judge(m, K=world.K, n=cell.n, M=cell.M, delta=DELTA, gamma=GAMMA) for m in names
    }
    ways = ("steps counted", "ties counted right", "true")
    shares: dict[tuple[str, str], list[float]] = {(m, way): [] for m in names for way in ways}
    for _ in range(cell.samples):
        pool = world.draw(2 * cell.n, rng)
        chosen = best(pool[:, : cell.n], cell.M)
        x, other = pool[chosen, : cell.n], pool[chosen, cell.n :]
        truth = world.truth(x, chosen)
        steps, right = _against(x, other)
        for name, method in judged.items():
            found = (steps > method.half_width, right > method.half_width)
            misses = (*found, methods.wrong(truth, method.limits))
            for way, missed in zip(ways, misses, strict=True):
                shares[name, way].append(float(missed.mean()))
    rows = []
    for (name, way), seen in shares.items():
        fcr = rate(np.array(seen), cell.M)
        head = {"world": cell.world, "K": world.K, "M": cell.M, "n": cell.n, "method": name}
        rows.append({**head, "truth": way, "fcr": fcr.value, "fcr_error": fcr.error})
    return rows


def _against(
    x: NDArray[np.float64], other: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Largest distance at the scores from another sample's steps, ties counted wrong and right."""
    ordered, n = np.sort(x, axis=1), x.shape[1]
    rest = np.sort(other, axis=1)
    steps, right = [], []
    for one, two in zip(ordered, rest, strict=True):
        taken = np.searchsorted(two, one, side="right") / n
        steps.append(np.abs(np.arange(1, n + 1) / n - taken).max())
        right.append(np.abs(np.searchsorted(one, one, side="right") / n - taken).max())
    return np.array(steps), np.array(right)


class Winner(NamedTuple):
    """The best guarantee of a shortlist that was itself chosen by its guarantees."""

    K: int
    M: int
    n: int
    gamma: float


def winner(cell: Winner, _: np.random.Generator) -> list[Row]:
    """P(the winner's guaranteed KPI fails), for K independent candidates that are alike: exact.

    The winner is the least of the K order statistics of the rank that the level of a method
    gives; each fails with the binomial chance that so many scores fall below the true quantile.
    """
    rows = []
    winners = selective.bonferroni(K=cell.K, delta=DELTA).alpha(1)
    levels = {
        "PS-DME, two sides": (selective.psdme(K=cell.K, delta=DELTA, size=cell.M), "both"),
        "PS-DME, one side": (selective.psdme(K=cell.K, delta=DELTA, size=cell.M), "lower"),
        "fixed size, one side": (
            selective.fixed_size(K=cell.K, delta=DELTA, size=cell.M),
            "lower",
        ),
    }
    asked = {name: (rule.alpha(cell.M), side) for name, (rule, side) in levels.items()}
    asked["winner's level, one side"] = (winners, "lower")
    for name, (alpha, side) in asked.items():
        band = bands.dkw(np.arange(cell.n), alpha=alpha, side=side)
        rank = band.rank(cell.gamma, better="lower")
        one = bdtrc(rank - 1, cell.n, 1 - cell.gamma) if rank else 0.0
        fails = -math.expm1(cell.K * math.log1p(-one))
        rows.append({**cell._asdict(), "method": name, "rank": rank, "fails": fails})
    return rows


class Tail(NamedTuple):
    """Which order statistic certifies a failure rate, by Kolmogorov distance and Berk-Jones."""

    n: int
    gamma: float


def tails(cell: Tail, _: np.random.Generator) -> list[Row]:
    """Ranks at the level of K = 31, M = 10; None where nothing is certified."""
    level = {
        "PS-DME": selective.psdme(K=31, delta=DELTA, size=10).alpha(10),
        "fixed size": selective.fixed_size(K=31, delta=DELTA, size=10).alpha(10),
    }
    x = np.arange(cell.n)
    wanted = {
        "PS-DME, DKW": bands.dkw(x, alpha=level["PS-DME"], side="both"),
        "PS-DME, Berk-Jones": bands.berk_jones(x, alpha=level["PS-DME"], side="both"),
        "fixed size, DKW": bands.dkw(x, alpha=level["fixed size"], side="both"),
        "fixed size, Berk-Jones": bands.berk_jones(x, alpha=level["fixed size"], side="lower"),
        "fixed size, Berk-Jones to 0.3": bands.berk_jones(
            x, alpha=level["fixed size"], side="lower", gamma_max=0.3
        ),
    }
    return [
        {**cell._asdict(), "band": name, "rank": band.rank(cell.gamma, better="lower")}
        for name, band in wanted.items()
    ]


class Series(NamedTuple):
    """A run in time, read as a log is read."""

    world: str
    K: int
    M: int
    n: int
    samples: int


def refused(cell: Series, rng: np.random.Generator) -> list[Row]:
    """How often `certify` refuses the rows of such a log, one row for each moment."""
    world = WORLDS[cell.world](cell.K, rng)
    hits = []
    for _ in range(cell.samples):
        scores = world.draw(cell.n, rng)
        log = [
            {"candidate": f"{k}", "example": f"{k}-{t}", "score": float(v), "time": t}
            for k, row in enumerate(scores)
            for t, v in enumerate(row)
        ]
        try:
            certify(read(log, better="lower"), f"top:{cell.M}", missing="own", band="dkw")
        except InputError as error:
            if error.code != "NF117":
                raise
            hits.append(True)
        else:
            hits.append(False)
    found = share(hits)
    return [{**cell._asdict(), "refused": found.value, "refused_error": found.error}]


class Table(NamedTuple):
    """Examples drawn again from a public table in a folder; see ``pools``."""

    folder: str
    name: str
    samples: int


def resampled_tables(cell: Table, rng: np.random.Generator) -> list[Row]:
    """False coverage where a public table is the truth."""
    from nofluke.studies.papers.psdme import pools

    world, asked = pools.pool(cell.folder, cell.name), pools.TABLES[cell.name]
    of = Choice(cell.name, world.K, asked.M, asked.n, cell.samples)
    rows = _of_world(of, world, rng)
    return [*rows, _rates(of, world, rng)] if asked.binary else rows


def _rates(cell: Choice, world: Pool, rng: np.random.Generator) -> Row:
    """The bound that `certify` gives on a rate, for scores declared to be 0 or 1."""
    alpha = selective.fixed_size(K=cell.K, delta=DELTA, size=cell.M).alpha(cell.M)
    ladder = [np.arange(cell.n) < k for k in range(cell.n + 1)]
    least = np.array(
        [proportions.clopper_pearson(x, alpha=alpha, side="lower").lower for x in ladder]
    )
    rates = -world.means
    shares = []
    for _ in range(cell.samples):
        scores = world.draw(cell.n, rng)
        chosen = best(scores, cell.M)
        resolved = np.rint(-scores[chosen].sum(axis=1)).astype(int)
        shares.append(float((least[resolved] > rates[chosen]).mean()))
    fcr = rate(np.array(shares), cell.M)
    return {
        "world": cell.world,
        "K": cell.K,
        "M": cell.M,
        "n": cell.n,
        "method": "default, declared 0 or 1",
        "alpha": alpha,
        "half_width": None,
        "rank": None,
        "band": "clopper_pearson",
        "samples": cell.samples,
        "fcr": fcr.value,
        "fcr_error": fcr.error,
        "bound": DELTA,
    }
