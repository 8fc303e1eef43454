"""How the units of a comparison are counted: by pair, cluster, weight, or in a mix of groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import sums
from nofluke.questions import designs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nofluke.questions.designs import Units
    from nofluke.questions.sides import Sides
    from nofluke.results import Row
    from nofluke.scores.table import Labels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counting:
    """What the caller said about units, aligned with the pairs in hash order.

    Attributes:
        clusters: Cluster of each pair.
        groups: Group of each pair.
        max_cluster_size: Largest size of a cluster, known in advance.
        mix: Share of each group where B will be used.
        weights: Weight of each example by id.
        max_weight: Largest weight, known in advance.
        population: Size of the fixed benchmark that the pairs are a random part of.
        planned: Units planned.
        seed: Seed of the order.
    """

    clusters: Labels | None
    groups: Labels | None
    max_cluster_size: float | None
    mix: Mapping[str, float] | None
    weights: Mapping[str, float] | None
    max_weight: float | None
    population: int | None
    planned: int | None
    seed: int

    def check(self, *, paired: bool) -> None:
        """Refuse what cannot be asked for together."""
        asked = {
            "clusters": self.clusters is not None,
            "weights": self.weights is not None,
            "mix": self.mix is not None,
            "groups": self.groups is not None and self.mix is None,
            "population": self.population is not None,
            "planned": self.planned is not None,
            "paired=False": not paired,
        }
        for one, other in (
            ("clusters", "mix"), ("weights", "mix"), ("clusters", "population"),
            ("weights", "population"), ("mix", "population"), ("mix", "planned"),
            ("paired=False", "clusters"), ("paired=False", "weights"), ("paired=False", "mix"),
            ("paired=False", "population"), ("paired=False", "planned"),
            ("groups", "population"), ("paired=False", "groups"),
        ):  # fmt: skip
            if asked[one] and asked[other]:
                raise InputError(
                    f"{one} and {other} cannot be combined: no guarantee is known for both.",
                    code="NF008",
                )
        if self.weights is not None and self.groups is not None and self.planned is not None:
            raise InputError(
                "weights, groups and planned cannot be combined: groups that are watched are "
                "counted alike.",
                code="NF008",
            )
        if self.max_cluster_size is not None and self.groups is not None and self.planned:
            raise InputError(
                "max_cluster_size, groups and planned cannot be combined: groups that are watched "
                "count each cluster once.",
                code="NF008",
            )
        if self.max_cluster_size is not None and self.clusters is None:
            raise InputError("max_cluster_size= needs clusters=.", code="NF008")
        if self.max_weight is not None and (self.weights is None or self.clusters is not None):
            raise InputError(
                "max_weight= belongs to weights= without clusters=; with clusters, "
                "max_cluster_size= is the largest sum of weights of one.",
                code="NF008",
            )

    def units(self, found: Sides) -> Units:
        """The independent units of this comparison."""
        bounds = found.difference_bounds
        if not found.paired:
            return designs.of_two_samples(found.a, found.b, bounds)
        if self.mix is not None and self.groups is not None:
            shares = designs.shares_of(self.mix, self.groups.names, self._group_sizes())
            return designs.of_mix(found.d, self.groups.codes.astype(np.int64), shares, bounds)
        return self._counted(found, np.ones(found.n, np.bool_))

    def by_group(self, found: Sides) -> list[tuple[str, Units]]:
        """The units of each group that has any, counted as those of the whole are."""
        if self.groups is None:
            return []
        codes = self.groups.codes
        return [
            (name, self._counted(found, codes == g))
            for g, name in enumerate(self.groups.names)
            if (codes == g).any()
        ]

    def _counted(self, found: Sides, where: NDArray[np.bool_]) -> Units:
        bounds, weights = found.difference_bounds, self._weights(found)
        d = found.d[where]
        w = None if weights is None else weights[where]
        if self.clusters is not None:
            return designs.of_clusters(
                d,
                self.clusters.codes[where].astype(np.int64),
                self.clusters.names,
                bounds,
                seed=self.seed,
                weights=w,
                max_size=self.max_cluster_size,
            )
        if w is not None:
            return designs.of_weighted(d, w, bounds, max_weight=self.max_weight)
        return designs.of_pairs(d, bounds, self.population)

    def shares(self, found: Sides) -> list[Row]:
        """Each group: its share of the test set, its share of the mix, and its mean difference."""
        if self.mix is None or self.groups is None:
            return []
        d, codes, counts = found.d, self.groups.codes, self._group_sizes()
        wanted = designs.shares_of(self.mix, self.groups.names, counts)
        return [
            {
                "group": name,
                "n": int(counts[g]),
                "share": float(counts[g] / d.size),
                "mix": wanted[g],
                "estimate": sums.mean(d[codes == g]) if counts[g] else None,
            }
            for g, name in enumerate(self.groups.names)
        ]

    def _group_sizes(self) -> NDArray[np.int64]:
        """Examples of each group; shape (groups,)."""
        if self.groups is None:
            return np.empty(0, np.int64)
        return np.bincount(self.groups.codes, minlength=len(self.groups.names))

    def _weights(self, found: Sides) -> NDArray[np.float64] | None:
        if self.weights is None:
            return None
        if not isinstance(self.weights, Mapping):
            raise InputError("weights= must be a mapping of example id to weight.", code="NF008")
        lacking = [i for i in found.ids if i not in self.weights]
        if lacking:
            raise InputError(
                f"weights= has no weight for {len(lacking)} of {found.n} examples: "
                f"{some(lacking, most=3)}.",
                code="NF011",
            )
        values = np.array([checks.real(self.weights[i], name=f"weights[{i!r}]") for i in found.ids])
        wrong = [i for i, w in zip(found.ids, values, strict=True) if not 0 < w < np.inf]
        if wrong:
            raise InputError(
                f"weights must be positive and finite; they are not for {some(wrong, most=3)}. "
                "Leave an example of weight 0 out of the table.",
                code="NF008",
            )
        return values
