"""The two sides of a comparison, in an order that has nothing to do with their scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.scores import metrics, pairing
from nofluke.scores.sides import check_two
from nofluke.scores.table import Labels, Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.claims import Claim

#: True for the table's cluster column, or a mapping of example id to group.
Membership: TypeAlias = bool | Mapping[str, str] | None


class InOrder(Sequence[str]):
    """Ids in another order, without a copy of them: few questions ask for the ids.

    >>> list(InOrder(("x", "y", "z"), np.array([2, 0])))
    ['z', 'x']
    """

    __slots__ = ("_ids", "_order")

    def __init__(self, ids: Sequence[str], order: NDArray[np.int64]) -> None:
        self._ids, self._order = ids, order

    def __len__(self) -> int:
        return int(self._order.size)

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> InOrder: ...

    def __getitem__(self, index: int | slice) -> str | InOrder:
        if isinstance(index, slice):
            return InOrder(self._ids, self._order[index])
        return str(self._ids[int(self._order[index])])


@dataclass(frozen=True, kw_only=True, eq=False)
class Sides:
    """Scores of A and B in hash order.

    Attributes:
        ids: Ids of the pairs, shape (n,); of two samples, those of a and then those of b.
        a: Scores of A, shape (n,) (for two samples of any length).
        b: Scores of B.
        sign: 1 where higher scores win, -1 where lower do; 1 where nobody has said.
        counts: What the audit of pairs counted.
        notes: What the audit found.
        cluster: Cluster of each pair, where the table has one.
        group: Group of each pair, where the table has one.
        time: When each was measured, where the table says so.
        bounds: Lowest and highest possible score; None for asymptotic methods without.
        binary: Whether every score is declared to be 0 or 1, and is.
        paired: Whether the two share their examples.
    """

    ids: Sequence[str]
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    sign: int
    counts: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    cluster: Labels | None = None
    group: Labels | None = None
    time: NDArray[np.float64] | None = None
    bounds: tuple[float, float] | None = None
    binary: bool = False
    paired: bool = True

    @property
    def n(self) -> int:
        """Pairs, or examples of two samples."""
        return int(self.a.size) if self.paired else int(self.a.size + self.b.size)

    @property
    def repeated(self) -> bool:
        """Whether some scores are means over the runs of an example."""
        return bool(self.counts.get("repeats_a") or self.counts.get("repeats_b"))

    @cached_property
    def d(self) -> NDArray[np.float64]:
        """Differences b minus a of the pairs."""
        return np.asarray(self.b - self.a)

    @property
    def difference_bounds(self) -> tuple[float, float]:
        """Lowest and highest possible difference."""
        if self.bounds is None:
            return (-np.inf, np.inf)
        low, high = self.bounds
        return low - high, high - low

    def labels(self, given: Membership, column: str) -> Labels | None:
        """The cluster or group of each pair, by the table's column or by a mapping.

        Groups may be clusters too: where the table has no group column, True takes the clusters.

        Raises:
            InputError: No such column, or examples without a label.
        """
        name = f"{column}s"
        if given is None or given is False:
            return None
        if given is True:
            own = self.cluster if column == "cluster" else self.group or self.cluster
            if own is None and not self.paired:
                raise InputError(
                    f"paired=False and {name}= cannot be combined: no guarantee is known for both.",
                    code="NF008",
                )
            if own is None:
                asks = "groups= or mix=" if column == "group" else f"{name}="
                raise InputError(
                    f"{asks} asks for the {column} column and the table has none; name it with "
                    f'columns={{"{column}": "..."}} (--columns {column}=...); in Python a mapping '
                    f"of example to {column} will do as well.",
                    code="NF008",
                )
            return own
        if not isinstance(given, Mapping):
            raise InputError(
                f"{name}= is a {type(given).__name__}; give True for the {column} column, or a "
                f"mapping of example id to {column}.",
                code="NF008",
            )
        lacking = [i for i in self.ids if i not in given]
        if lacking:
            raise InputError(
                f"{name}= has no {column} for {len(lacking)} of {len(self.ids)} examples: "
                f"{some(lacking, most=3)}.",
                code="NF011",
            )
        texts = [str(given[i]) for i in self.ids]
        # Labels without an example yet count too: what is declared does not change on the way.
        names = tuple(sorted({str(text) for text in given.values()}))
        index = {text: i for i, text in enumerate(names)}
        return Labels(np.array([index[t] for t in texts], np.int32), names)


def sides(
    scores: Scores,
    a: str,
    b: str,
    claim: Claim,
    *,
    bounds: Sequence[float] | None,
    binary: bool | None,
    needs_bounds: bool,
    paired: bool,
    missing: str,
    seed: int,
) -> Sides:
    """The two sides, paired by id or as two samples, with the bounds of the score.

    Args:
        scores: The table.
        a: The baseline.
        b: The candidate compared with it.
        claim: What is claimed.
        bounds: Lowest and highest possible score, if the caller says.
        binary: Whether the score is 0 or 1 by its meaning, if the caller says.
        needs_bounds: Whether the method cannot do without bounds.
        paired: Whether the two share their examples.
        missing: What a missing score means.
        seed: Seed of the order.

    Raises:
        InputError: Unknown candidates, an orientation that the claim needs and nobody declared,
            examples that cannot be paired, scores outside the bounds, no bounds where they are
            needed, or scores other than 0 and 1 that were declared binary.
    """
    check_two(scores, a, b)
    sign = _sign(scores, claim)
    declared = _declared(scores, binary)
    if declared and bounds is None and scores.bounds is None:
        bounds = (0.0, 1.0)
    limits = _limits(scores, bounds, (a, b), needed=needs_bounds)
    gather = _pairs if paired else _two_samples
    found = gather(scores, a, b, sign, missing=missing, seed=seed, bounds=limits)
    zero_one = all(bool(np.isin(x, (0.0, 1.0)).all()) for x in (found.a, found.b))
    if binary and not zero_one and not found.repeated:
        other = [x for side in (found.a, found.b) for x in side.tolist() if x not in (0.0, 1.0)]
        raise InputError(
            f"binary=True, but {len(other)} scores are neither 0 nor 1, such as "
            f"{some(other, most=3)}.",
            code="NF014",
        )
    return replace(found, bounds=limits, binary=declared and zero_one)


def _declared(scores: Scores, binary: bool | None) -> bool:  # noqa: FBT001 (three values)
    if binary is not None:
        return binary
    return scores.binary or metrics.known(scores.metric).binary


def _limits(
    scores: Scores, bounds: Sequence[float] | None, both: tuple[str, str], *, needed: bool
) -> tuple[float, float] | None:
    try:
        return metrics.bounds_of(scores, bounds, candidates=both)
    except InputError as error:
        if needed or error.code == "NF010":
            raise
        return None


def _sign(scores: Scores, claim: Claim) -> int:
    if scores.better is None and claim.alternative in ("different", "equivalent"):
        return 1  # both claims are the same in either direction
    return 1 if checks.better(scores.better) == "higher" else -1


def _pairs(
    scores: Scores,
    a: str,
    b: str,
    sign: int,
    *,
    missing: str,
    seed: int,
    bounds: tuple[float, float] | None,
) -> Sides:
    pairs = pairing.pair(scores, a, b, missing=missing, seed=seed, bounds=bounds)
    order = pairs.order
    return Sides(
        ids=InOrder(pairs.ids, order),
        a=pairs.a[order],
        b=pairs.b[order],
        sign=sign,
        counts=pairs.counts,
        notes=pairs.notes,
        cluster=pairs.cluster and pairs.cluster.at(order),
        group=pairs.group and pairs.group.at(order),
        time=None if pairs.time is None else pairs.time[order],
    )


def _two_samples(
    scores: Scores,
    a: str,
    b: str,
    sign: int,
    *,
    missing: str,
    seed: int,
    bounds: tuple[float, float] | None,
) -> Sides:
    found = pairing.unpaired(scores, a, b, missing=missing, seed=seed, bounds=bounds)
    return Sides(
        ids=(*InOrder(found.ids_a, found.order_a), *InOrder(found.ids_b, found.order_b)),
        a=found.a[found.order_a],
        b=found.b[found.order_b],
        sign=sign,
        counts={"pairs": 0, **found.counts},
        notes=found.notes,
        paired=False,
    )
