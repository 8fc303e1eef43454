"""Whether rows that are counted one by one look like independent draws: the order tells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError
from nofluke.scores import findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from nofluke.scores.table import Scores

DEPENDENCE = ("refuse", "ignore")

# In order of time: n is overstated by two thirds and more, as by the autocorrelation .25 with its
# design effect (1 + .25) / (1 - .25); six standard errors are one false alarm in 10^9 tables of
# independent draws, however many are chosen. Weaker dependence is common and costs little.
_IN_TIME = (0.25, 6.0)
# Ids and rows without a time may have been sorted afterwards, by topic, difficulty or server, and
# then their order says little about how they were drawn: only the overwhelming is refused.
_IN_ORDER = (0.5, 12.0)
# In time, what goes on and off shows little at lag 1, so the first ten lags are looked at too.
_REACHES = (1, 10)
#: Rows of each candidate that are looked at: the first in their order. Six standard errors are
#: reached by an autocorrelation of 0.024 then, so more rows would tell nothing new of this.
MOST = 1 << 16
# A few rare scores that meet by chance are no pattern: this many products are not counted.
_SPARED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Serial:
    """Serial dependence of one candidate's scores.

    Attributes:
        candidate: Its id.
        estimate: Rank autocorrelation at lag 1; or the one that would add up to what ten lags do.
        z: The evidence in standard errors of independent draws.
        effect: Design effect if the autocorrelation decays as r^lag: n rows are worth n / effect.
        n: Number of rows.
        clusters: Number of rows in each cluster, shape (G,).
        in_time: Whether the order is one of time.
    """

    candidate: str
    estimate: float
    z: float
    effect: float
    n: int
    clusters: NDArray[np.int64]
    in_time: bool

    @property
    def strong(self) -> bool:
        """Whether the rows cannot be counted one by one."""
        return self._exceeds(_IN_TIME if self.in_time else _IN_ORDER)

    @property
    def noticeable(self) -> bool:
        """Whether the reader should know of it."""
        return self._exceeds(_IN_TIME)

    def _exceeds(self, limits: tuple[float, float]) -> bool:
        return self.estimate > limits[0] and self.z > limits[1]


def guard(
    table: Scores, chosen: Sequence[int], dependence: str, *, rows: Sequence[int] | None = None
) -> tuple[str, ...]:
    """Refuse rows that follow each other too closely to be counted one by one.

    Of a candidate with more than ``MOST`` rows the first in their order are looked at, and a note
    says so.

    Args:
        table: One row for each draw that is counted, or at least the first ``MOST`` of each.
        chosen: Indices of the candidates that are evaluated.
        dependence: "refuse", or "ignore" to go on with a note.
        rows: How many rows each of the chosen has in all, where the table has the first only.

    Returns:
        Notes; ``lost`` tells whether they take the guarantee away.

    Raises:
        InputError: Some chosen candidate's scores are strongly dependent.
    """
    checks.choice(dependence, DEPENDENCE, name="dependence")
    table = replace(findings.first_of_repeats(table), averaged=1) if table.averaged > 1 else table
    most = max([table.n[k] for k in chosen] if rows is None else rows, default=0)
    found = [s for k in chosen if (s := serial(table, k, most=MOST)) is not None and s.noticeable]
    return _told(found, dependence) + _looked_at(int(most))


def _looked_at(rows: int) -> tuple[str, ...]:
    if rows <= MOST:
        return ()
    return (
        f"NF408: whether rows follow each other was looked at in the first {MOST} of up to {rows} "
        "rows of a candidate, in order of time or else of the examples.",
    )


def _told(found: Sequence[Serial], dependence: str) -> tuple[str, ...]:
    if not found:
        return ()
    worst = max(found, key=lambda s: (s.strong, s.effect))
    worth = f"the evidence is {_worth(worst)} and not {worst.n}"
    if not worst.strong:
        return (f"NF106: {_arrived(worst)}. If that is how they were drawn, {worth}.",)
    if dependence == "refuse":
        raise InputError(_letter(worst), code="NF117")
    return (
        f"NF118: {_arrived(worst)}. dependence='ignore' counts the rows one by one all the same, "
        f"so the guarantee is a heuristic: {worth}.",
    )


def warnings(table: Scores, names: Sequence[str]) -> tuple[str, ...]:
    """A note for each candidate whose rows follow each other in time, where none is refused.

    Rows of repeats are not looked at, as those of one example resemble each other in any case.
    """
    if table.run is not None:
        return ()
    found = (serial(table, table.candidates.index(name)) for name in names)
    return tuple(
        f"NF106: {_arrived(s)}. If that is how they were drawn, the evidence is {_worth(s)} and "
        f"not {s.n}, and the guarantee does not hold: it takes every row for an independent draw."
        for s in found
        if s is not None and s.in_time and s.noticeable
    )


def lost(notes: Sequence[str]) -> bool:
    """Whether the notes of ``guard`` say that there is no guarantee."""
    return any(note.startswith("NF118") for note in notes)


def serial(table: Scores, candidate: int, *, most: int | None = None) -> Serial | None:
    """Serial dependence of a candidate's ranks, in the order of time or else of the examples.

    Ranks do not mind heavy tails, ties and infinities. Pairs are taken within clusters, and the
    deviations are from the candidate's overall mean rank, so that clusters of their own level
    count as the dependence that they are.

    Args:
        table: The table.
        candidate: Index of the candidate.
        most: How many rows are looked at, the first in their order; all by default.

    Returns:
        None where there is nothing to see: few rows, constant scores, or rows sorted by score.

    >>> from nofluke import Scores
    >>> rng = np.random.default_rng(0)
    >>> walk = Scores.from_arrays([np.cumsum(rng.normal(size=500))], better="lower")
    >>> found = serial(walk, 0)
    >>> found.strong, round(found.estimate, 1)
    (True, 1.0)
    """
    part = slice(int(table.starts[candidate]), int(table.starts[candidate + 1]))
    order, group, timed = _order(table, part)
    order, group = order[:most], group[:most]
    x = table.values[part][order]
    same = group[1:] == group[:-1]
    if x.size < 10 or (not timed and _sorted_by_score(x, same)):
        return None
    ranks = _ranks(x)
    variance = float(ranks @ ranks) / x.size
    if variance == 0:
        return None
    reaches = _REACHES if timed else _REACHES[:1]
    sums, pairs = _products(ranks / np.sqrt(variance), group, reaches[-1])
    estimate, z = max((_over(sums, pairs, reach) for reach in reaches), key=lambda found: found[0])
    return Serial(
        candidate=table.candidates[candidate],
        estimate=estimate,
        z=z,
        effect=max(1.0, (1 + estimate) / max(1 - estimate, 1e-3)),
        n=x.size,
        clusters=np.unique(group, return_counts=True)[1],
        in_time=timed,
    )


def _order(table: Scores, part: slice) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """The order of the rows, the cluster of each in that order, and whether time tells it.

    Without a time the rows keep the order of their examples within each cluster.
    """
    size = part.stop - part.start
    group = np.zeros(size, np.int64)
    if table.cluster is not None:
        group = table.cluster.codes[part].astype(np.int64)
    if table.time is None or np.isnan(table.time[part]).any():
        order, timed = np.argsort(group, kind="stable"), False
    else:
        order, timed = np.lexsort((table.time[part], group)), True
    return order, group[order], timed


def _sorted_by_score(x: NDArray[np.float64], same: NDArray[np.bool_]) -> bool:
    """Whether the scores only rise, or only fall, within each cluster: somebody sorted them."""
    before, after = x[:-1][same], x[1:][same]
    return bool((after >= before).all() or (after <= before).all())


def _ranks(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks with ties at their average, less their mean."""
    _, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(middle[inverse] - (x.size + 1) / 2)


def _products(
    ranks: NDArray[np.float64], group: NDArray[np.int64], reach: int
) -> tuple[list[float], list[int]]:
    """For each lag up to ``reach``: the sum of the products of ranks, and how many there are."""
    sums, pairs = [], []
    for lag in range(1, reach + 1):
        products = (ranks[lag:] * ranks[:-lag])[group[lag:] == group[:-lag]]
        spared = 0.0
        if products.size > _SPARED:
            spared = float(np.partition(products, -_SPARED)[-_SPARED:].sum())
        # Under independence a product of two of n ranks has the mean -1/(n - 1).
        sums.append(float(products.sum()) - spared + products.size / (ranks.size - 1))
        pairs.append(products.size)
    return sums, pairs


def _over(sums: list[float], pairs: list[int], reach: int) -> tuple[float, float]:
    """Estimate and z from the first lags; over several, the lag-1 value with the same sum."""
    count = sum(pairs[:reach])
    if count == 0 or pairs[0] == 0:
        return 0.0, 0.0
    z = sum(sums[:reach]) / np.sqrt(count)
    total = sum(s / p for s, p in zip(sums[:reach], pairs[:reach], strict=True) if p)
    # Autocorrelation r^l adds up to r / (1 - r) over all lags.
    return (total if reach == 1 else total / (1 + total) if total > 0 else 0.0), float(z)


def _worth(found: Serial) -> str:
    """What the rows are worth: the effect of neighbours, and the clusters for what lasts longer."""
    draws = f"at most about {max(1, round(found.n / found.effect))} draws"
    if found.clusters.size == 1:
        return draws
    return f"{draws}, for cases of new clusters closer to {found.clusters.size},"


def _arrived(found: Serial) -> str:
    where = f"in {found.n} rows"
    if found.clusters.size > 1:
        where = f"in {found.clusters.size} clusters of median {int(np.median(found.clusters))} rows"
    order = "time" if found.in_time else "the examples"
    return (
        f"the scores of {found.candidate!r} follow each other: autocorrelation "
        f"{found.estimate:.2f} in order of {order}, {found.z:.0f} standard errors from none, "
        f"{where}"
    )


def _letter(found: Serial) -> str:
    order = "If the rows were sorted after they were drawn, their order says nothing: shuffle them."
    return (
        f"{_arrived(found)}. Rows counted one by one must be independent draws, and a KPI logged "
        f"every 250 ms is not: these {found.n} rows are worth {_worth(found)} and bounds made for "
        f"{found.n} would fail far too often. Count one draw for each independent run: "
        "unit='cluster' with seed= (needs a cluster column); or thin the rows until they no longer "
        "resemble their neighbours; or say dependence='ignore', and the answer is labelled a "
        f"heuristic.{'' if found.in_time else ' ' + order}"
    )
