"""What is measured in each cell: thresholds, widths, false alarms, power, four traps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nofluke import means, proportions, sequences
from nofluke.kernels import betting, clusters, stream_tests
from nofluke.questions import plan
from nofluke.studies.engine import average, share
from nofluke.studies.papers.envelope.shapes import BOUNDS, NULLS, SHAPES, STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from nofluke.results import Interval
    from nofluke.studies.engine import Row

ALPHA, PLANNED, STEP = 0.05, 3000, 100
_AT_ONCE = 500  # streams in memory together


def thresholds(_: str, __: np.random.Generator) -> list[Row]:
    """The note's threshold and the one-sided one at the sizes that it names."""
    note, one = (plan.envelope(10_000, alpha=ALPHA, side=side) for side in ("both", "lower"))
    wide = plan.envelope(10_000, alpha=ALPHA, side="both", bounds=(-0.025, 1.025))
    rows: list[Row] = [
        {"n": n, "note": note.eps(n), "one_sided": one.eps(n), "bounds_1.05": wide.eps(n)}
        for n in (100, 500, 1000, 1200, 1500, 5000, 8000)
    ]
    return rows


def sizes(_: str, __: np.random.Generator) -> list[Row]:
    """Examples for a gain of 0.05: where thresholds fall to it, and with power 0.8."""
    found = []
    for name, side in (("note", "both"), ("one-sided", "lower")):
        curve = plan.envelope(10_000, alpha=ALPHA, side=side)
        row = {"envelope": name, "n_star": curve.n_star(0.05)}
        found.append({**row, "n_with_power": curve.n_with_power(0.05, power=0.8)})
    return found


def demonstration(_: str, __: np.random.Generator) -> list[Row]:
    """The note's own example, by its own seed: 500 pairs, B = A + 0.03 and noise."""
    old = np.random.RandomState(42)  # the note's generator
    a = np.clip(old.normal(0.4, 0.08, 500), 0, 1)
    d = np.clip(a + 0.03 + 0.02 * old.randn(500), 0, 1) - a
    interval = means.t(d, alpha=ALPHA, side="lower")
    surer = means.hedged_star(d, alpha=ALPHA, side="lower", bounds=BOUNDS)
    threshold = plan.envelope(500, alpha=ALPHA, side="both").eps(500)
    sd = float(d.std(ddof=1))
    return [
        {
            "mean": float(d.mean()),
            "sd": sd,
            "t": float(d.mean()) / sd * math.sqrt(500),
            "threshold": threshold,
            "t_limit": interval.lower,
            "hedged_star_limit": surer.lower,
        }
    ]


def bernstein(n: int, _: np.random.Generator) -> list[Row]:
    """Half-width of Maurer and Pontil over Hoeffding's, for differences of one spread."""
    rows = []
    for sd in (0.05, 0.1, 0.2, 0.5, 1.0):
        d = sd * np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
        wide = [
            method(d, alpha=ALPHA, bounds=BOUNDS)
            for method in (means.maurer_pontil, means.hoeffding)
        ]
        # One limit and the mean: the other may be cut at the bounds.
        ratio = (wide[0].estimate - wide[0].lower) / (wide[1].estimate - wide[1].lower)
        rows.append({"n": n, "sd": sd, "ratio": ratio})
    return rows


class Sample(NamedTuple):
    """Samples of one shape and size."""

    shape: str
    n: int
    samples: int


FIXED: dict[str, Any] = {
    "hoeffding": means.hoeffding,
    "anderson": means.anderson,
    "maurer_pontil": means.maurer_pontil,
    "betting": means.betting,
    "star": means.star,
    "hedged_star": means.hedged_star,
    "t": means.t,
    "normal_mixture": sequences.normal_mixture,
    "stitched": sequences.stitched,
    "betting (sequence)": sequences.betting,
    "asymptotic (sequence)": sequences.asymptotic,
}


def widths(cell: Sample, rng: np.random.Generator) -> list[Row]:
    """Mean half-width and coverage of two-sided 95 % intervals, all on the same samples."""
    draw, mean = SHAPES[cell.shape]
    half: dict[str, list[float]] = {name: [] for name in FIXED}
    held: dict[str, list[bool]] = {name: [] for name in FIXED}
    for x in draw((cell.samples, cell.n), rng):
        for name, method in FIXED.items():
            found = method(x, alpha=ALPHA, bounds=BOUNDS)
            half[name].append((found.upper - found.lower) / 2)
            held[name].append(found.lower <= mean <= found.upper)
    rows = []
    for name in FIXED:
        width, coverage = average(np.array(half[name])), share(held[name])
        head = {"shape": cell.shape, "n": cell.n, "method": name}
        figures = {"half_width": width.value, "half_width_error": width.error}
        more = {"coverage": coverage.value, "coverage_error": coverage.error}
        rows.append({**head, **figures, **more})
    return rows


def bootstrap(cell: Sample, rng: np.random.Generator) -> list[Row]:
    """The bootstrap's width over that of t, and how its limits move between two seeds."""
    draw, _ = SHAPES[cell.shape]
    ratio, moved = [], []
    for k, x in enumerate(draw((cell.samples, cell.n), rng)):
        limits = [
            means.bootstrap(x, alpha=ALPHA, kind="percentile", n_resamples=10_000, seed=2 * k + s)
            for s in (0, 1)
        ]
        t = means.t(x, alpha=ALPHA)
        ratio.append((limits[0].upper - limits[0].lower) / (t.upper - t.lower))
        moved.append(abs(limits[0].lower - limits[1].lower))
    width, jitter = average(np.array(ratio)), average(np.array(moved))
    return [
        {
            "shape": cell.shape,
            "n": cell.n,
            "ratio": width.value,
            "ratio_error": width.error,
            "moved": jitter.value,
            "moved_error": jitter.error,
        }
    ]


def _blocks(samples: int) -> Iterator[int]:
    for done in range(0, samples, _AT_ONCE):
        yield min(_AT_ONCE, samples - done)


def looking(cell: Sample, rng: np.random.Generator) -> list[Row]:
    """False alarms of tests looked at every hundred examples: at the end, ever, thrice in a row."""
    looks = np.arange(STEP, cell.n + 1, STEP)
    note, one = (plan.envelope(cell.n, alpha=ALPHA, side=side) for side in ("both", "lower"))
    curves = {
        name: np.array([curve.eps(int(n)) for n in looks])
        for name, curve in (("Hoeffding, two sides", note), ("Hoeffding, one side", one))
    }
    seen: dict[tuple[str, str], list[NDArray[np.bool_]]] = {}
    for count in _blocks(cell.samples):
        v = STREAMS[cell.shape]((count, cell.n), rng)
        running = np.cumsum(v, axis=1)[:, looks - 1] / looks
        over = {name: running > eps for name, eps in curves.items()}
        over["t, one side"] = stream_tests.t_rejects(v, ALPHA, looks)
        over["t, two sides"] = stream_tests.t_rejects(v, ALPHA / 2, looks)
        for name, rejects in over.items():
            ways = {
                "at the end": rejects[:, -1],
                "at any look": rejects.any(axis=1),
                "three in a row": stream_tests.in_a_row(rejects, 3),
            }
            for way, called in ways.items():
                seen.setdefault((name, way), []).append(np.asarray(called))
    rows = []
    for (name, way), hits in seen.items():
        figure = share(np.concatenate(hits))
        head = {"null": cell.shape, "n": cell.n, "test": name, "looked": way}
        rows.append({**head, "false_alarms": figure.value, "error": figure.error})
    return rows


PLANS = {
    "betting": betting.Plan(ALPHA, PLANNED, "sequence", cap=0.5),
    "star": betting.Plan(ALPHA, PLANNED, "star"),
    "hedged_star, half": betting.Plan(ALPHA, PLANNED, "hedged", weight=0.5),
    "hedged_star": betting.Plan(ALPHA, PLANNED, "hedged"),
}


_PLANNED = [300 * k for k in range(1, 11)]


def _planned_look(x: NDArray[np.float64]) -> Interval:
    return sequences.group_sequential(x, looks=_PLANNED, alpha=ALPHA, side="lower", bounds=BOUNDS)


def _any_look(x: NDArray[np.float64]) -> Interval:
    return sequences.asymptotic(x, alpha=ALPHA, side="lower", bounds=BOUNDS)


def _first(
    x: NDArray[np.float64],
    limit: Callable[[NDArray[np.float64]], Interval],
    looks: list[int],
) -> float:
    """The first look at which the lower limit is above 0; NaN if there is none."""
    return next((float(n) for n in looks if limit(x[:n]).lower > 0), math.nan)


def stopping(cell: Sample, rng: np.random.Generator) -> list[Row]:
    """Power and examples used, looking after every one, or at looks, or once."""
    draw, mean = SHAPES[cell.shape]
    streams, ones = draw((cell.samples, cell.n), rng), np.ones(cell.n)
    used: dict[str, NDArray[np.float64]] = {}
    for name, design in PLANS.items():
        hits = [betting.first_passage((x + 1) / 2, ones, 0.5, design) for x in streams]
        used[name] = np.array([math.nan if hit is None else hit for hit in hits])
    looks = np.arange(STEP, cell.n + 1, STEP)
    curve = plan.envelope(cell.n, alpha=ALPHA, side="both")
    over = np.cumsum(streams, axis=1)[:, looks - 1] / looks > [curve.eps(int(n)) for n in looks]
    thrice = over[:, 2:] & over[:, 1:-1] & over[:, :-2]
    first = looks[2:][thrice.argmax(axis=1)]
    used["the note's rule"] = np.where(thrice.any(axis=1), first, math.nan)
    used["O'Brien-Fleming, 10 looks"] = np.array(
        [_first(x, _planned_look, _PLANNED) for x in streams]
    )
    used["asymptotic sequence"] = np.array([_first(x, _any_look, looks.tolist()) for x in streams])
    end = stream_tests.t_rejects(streams, ALPHA, np.array([cell.n]))[:, 0]
    used["t at the end"] = np.where(end, float(cell.n), math.nan)
    rows = []
    for name, at in used.items():
        power, taken = share(~np.isnan(at)), average(np.where(np.isnan(at), cell.n, at))
        head: Row = {"shape": cell.shape, "mean": mean, "test": name}
        figures = {"called": power.value, "called_error": power.error}
        rows.append({**head, **figures, "used": taken.value, "used_error": taken.error})
    return rows


def nulls(cell: Sample, rng: np.random.Generator) -> list[Row]:
    """False alarms of one-sided tests at one n, on differences without a gain."""
    resamples = 400
    found: dict[str, list[NDArray[np.bool_]]] = {}
    for count in _blocks(cell.samples):
        v = NULLS[cell.shape]((count, cell.n), rng)
        end, ones = np.array([cell.n]), np.ones(cell.n)
        bets = {
            "star": betting.Plan(ALPHA, cell.n, "star"),
            "hedged_star": betting.Plan(ALPHA, cell.n, "hedged"),
            "betting": betting.Plan(ALPHA, cell.n, "fixed"),
        }
        tests = {
            "t": stream_tests.t_rejects(v, ALPHA, end)[:, 0],
            "wilcoxon": stream_tests.wilcoxon_rejects(v, ALPHA),
            "sign": stream_tests.sign_rejects(v, ALPHA),
            "sign flips": stream_tests.sign_flip_rejects(v, ALPHA, resamples, rng),
            "bootstrap": stream_tests.bootstrap_rejects(v, ALPHA, resamples, rng),
            "hoeffding": v.mean(axis=1) > plan.envelope(cell.n, alpha=ALPHA).eps(cell.n),
            **{
                name: np.array(
                    [betting.first_passage((x + 1) / 2, ones, 0.5, design) is not None for x in v]
                )
                for name, design in bets.items()
            },
        }
        for name, hits in tests.items():
            found.setdefault(name, []).append(hits)
    rows = []
    for name, hits in found.items():
        figure = share(np.concatenate(hits))
        head = {"null": cell.shape, "n": cell.n, "test": name}
        rows.append({**head, "false_alarms": figure.value, "error": figure.error})
    return rows


class Groups(NamedTuple):
    """Ten examples in each of G clusters whose effects differ: normal, or rarely very bad."""

    effects: str
    G: int
    gain: float
    samples: int


def grouped(cell: Groups, rng: np.random.Generator) -> list[Row]:
    """How often a gain is called: items one by one, by clusters' t, by bets on clusters' means."""
    codes = np.repeat(np.arange(cell.G), 10)
    called: dict[str, list[bool]] = {"items, t": [], "clusters, t": [], "clusters, hedged_star": []}
    for _ in range(cell.samples):
        effect = _effects(cell, rng)
        d = np.clip(effect[codes] + rng.uniform(-0.2, 0.2, codes.size), -1, 1)
        means_of = d.reshape(cell.G, 10).mean(axis=1)
        called["items, t"].append(means.t(d, alpha=ALPHA, side="lower").lower > 0)
        low = clusters.t_interval(d, codes, ALPHA, "lower").lower
        called["clusters, t"].append(low > 0)
        design = betting.Plan(ALPHA, cell.G, "hedged")
        passed = betting.first_passage((means_of + 1) / 2, np.ones(cell.G), 0.5, design)
        called["clusters, hedged_star"].append(passed is not None)
    rows = []
    for name, hits in called.items():
        figure = share(hits)
        head = {"effects": cell.effects, "G": cell.G, "gain": cell.gain, "test": name}
        rows.append({**head, "called": figure.value, "error": figure.error})
    return rows


def _effects(cell: Groups, rng: np.random.Generator) -> NDArray[np.float64]:
    if cell.effects == "normal":
        return cell.gain + np.clip(rng.normal(0, 0.1, cell.G), -0.3, 0.3)
    return cell.gain + np.where(rng.random(cell.G) < 0.05, -0.57, 0.03)


def sorted_rows(cell: Sample, rng: np.random.Generator) -> list[Row]:
    """False alarms of a bet on rows in random order, and sorted by how hard they are for A.

    A's scores are uniform, B's have the same law, and both are independent: where A scores low, B
    looks better.
    """
    hits: dict[str, list[bool]] = {"random": [], "by A's score": []}
    design = betting.Plan(ALPHA, cell.n, "hedged")
    for _ in range(cell.samples):
        a, b = rng.random(cell.n), rng.random(cell.n)
        for name, order in (("random", slice(None)), ("by A's score", np.argsort(a))):
            y = ((b - a)[order] + 1) / 2
            passed = betting.first_passage(np.ascontiguousarray(y), np.ones(cell.n), 0.5, design)
            hits[name].append(passed is not None)
    return [
        {"order": name, "n": cell.n, "false_alarms": (f := share(seen)).value, "error": f.error}
        for name, seen in hits.items()
    ]


class Rounds(NamedTuple):
    """Forty tasks, each run several times by both, and pooled."""

    rounds: int
    samples: int


def repeats(cell: Rounds, rng: np.random.Generator) -> list[Row]:
    """False alarms of McNemar's exact test where every run of a task counts as an example.

    A task's chances of A and of B are drawn uniformly and independently, so neither is better.
    """
    hits = []
    for _ in range(cell.samples):
        chance = rng.random((2, 40))
        a, b = rng.random((2, cell.rounds, 40)) < chance[:, np.newaxis, :]
        found = proportions.mcnemar(wins=int((b & ~a).sum()), losses=int((a & ~b).sum()))
        hits.append(found.pvalue <= ALPHA)
    figure = share(hits)
    return [{"rounds": cell.rounds, "false_alarms": figure.value, "error": figure.error}]


class Best(NamedTuple):
    """The best of k equal variants is tested against A on the examples that chose it."""

    k: int
    samples: int


def best_of(cell: Best, rng: np.random.Generator) -> list[Row]:
    """False alarms of McNemar's exact test of the winner, and at a level shared among all."""
    n = 200
    plain, paid = [], []
    for _ in range(cell.samples):
        hard = rng.random(n)
        a = rng.random(n) < hard
        b = rng.random((cell.k, n)) < hard
        winner = b[int(b.sum(axis=1).argmax())]
        found = proportions.mcnemar(wins=int((winner & ~a).sum()), losses=int((a & ~winner).sum()))
        plain.append(found.pvalue <= ALPHA)
        paid.append(found.pvalue <= ALPHA / cell.k)
    one, other = share(plain), share(paid)
    return [
        {
            "k": cell.k,
            "false_alarms": one.value,
            "error": one.error,
            "paid": other.value,
            "paid_error": other.error,
        }
    ]


class Gates(NamedTuple):
    """Three metrics without a gain, correlated."""

    rho: float
    samples: int


def gates(cell: Gates, rng: np.random.Generator) -> list[Row]:
    """How often all pass, and how often one does, each tested by t at the whole level."""
    n = 200
    common = rng.standard_normal((cell.samples, n))
    passes = []
    for _ in range(3):
        own = rng.standard_normal((cell.samples, n))
        v = math.sqrt(cell.rho) * common + math.sqrt(1 - cell.rho) * own
        passes.append(stream_tests.t_rejects(v, ALPHA, np.array([n]))[:, 0])
    every, some = share(np.all(passes, axis=0)), share(np.any(passes, axis=0))
    return [
        {
            "rho": cell.rho,
            "all": every.value,
            "all_error": every.error,
            "any": some.value,
            "any_error": some.error,
        }
    ]


def again(cell: Sample, rng: np.random.Generator) -> list[Row]:
    """How often a repeat is over the threshold where the true gain is as large as the threshold."""
    eps = plan.envelope(cell.n, alpha=ALPHA, side="both").eps(cell.n)
    v = np.where(rng.random((cell.samples, cell.n)) < (1 + eps) / 2, 1.0, -1.0)
    figure = share(v.mean(axis=1) > eps)
    return [{"n": cell.n, "over": figure.value, "over_error": figure.error}]
