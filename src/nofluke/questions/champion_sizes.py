"""What lies behind numbers that come without rows: both classes of an area, or rows of a share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import ndtri

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.proportions import wilson_lower
from nofluke.scores import metrics
from nofluke.selection.optimism import gate_check, grim_accuracy, grim_auc, implied_se

if TYPE_CHECKING:
    from nofluke.questions.champion_entries import Entries
    from nofluke.results import Guarantee
    from nofluke.selection.optimism.reported import Possibility

_AREAS = ("auc", "roc_auc", "auroc", "rocauc")
_SHARES = ("error_rate", "recall", "sensitivity", "specificity", "hit_rate", "win_rate")


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaSizes:
    """Rows of both classes behind each area under the ROC curve."""

    positive: int
    negative: int
    guarantee: Guarantee = "heuristic"
    method: str = "newcombe"

    def __str__(self) -> str:
        return f"{self.positive} positive and {self.negative} negative rows"

    def se(self, value: float) -> float:
        """Standard error of one area of this size (Hanley and McNeil)."""
        return implied_se(value, self.positive, self.negative)

    def usual(self, value: float, alpha: float) -> tuple[float, float]:
        """Newcombe's limits for one area of this size."""
        found = gate_check(value, value, self.positive, self.negative, level=1 - alpha)
        return found.lower, found.upper

    def grim(self, value: float | str, decimals: int) -> Possibility:
        """Whether such an area can be written so."""
        return grim_auc(value, self.positive, self.negative, decimals)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSizes:
    """Rows of which each number is the share that is right (or wrong)."""

    rows: int
    guarantee: Guarantee = "asymptotic"
    method: str = "wilson"

    def __str__(self) -> str:
        return f"{self.rows} {'row' if self.rows == 1 else 'rows'}"

    def se(self, value: float) -> float:
        """Standard error of one share of so many independent rows, the share taken for the rate."""
        return math.sqrt(value * (1 - value) / self.rows)

    def usual(self, value: float, alpha: float) -> tuple[float, float]:
        """Wilson's (1927) limits for one share of so many independent rows."""
        z = -float(ndtri(alpha / 2))
        return wilson_lower(value, self.rows, z), 1 - wilson_lower(1 - value, self.rows, z)

    def grim(self, value: float | str, decimals: int) -> Possibility:
        """Whether such a share can be written so."""
        return grim_accuracy(value, self.rows, decimals)


Sizes: TypeAlias = AreaSizes | ShareSizes


def understood(
    n_positive: int | None, n_negative: int | None, n_rows: int | None, *, metric: str | None
) -> Sizes | None:
    """What the caller says lies behind each number, or None.

    Raises:
        InputError: One class without the other (NF254); both kinds, or one that the metric is not
            (NF284).
    """
    if (n_positive is None) != (n_negative is None):
        raise InputError(
            f"n_positive={n_positive!r} and n_negative={n_negative!r}: the sizes of both classes "
            "are needed, or none.",
            code="NF254",
        )
    name = metrics.known(metric).name
    if n_positive is not None and n_negative is not None:
        if n_rows is not None:
            raise InputError(
                f"n_rows={n_rows!r} beside n_positive= and n_negative=: a number is an area of "
                "both classes or a share of rows, not both; give what its metric needs.",
                code="NF284",
            )
        return _areas(n_positive, n_negative, name)
    return None if n_rows is None else _shares(n_rows, name)


def _areas(positive: int, negative: int, name: str | None) -> AreaSizes:
    if metrics.known(name).better is not None and name not in _AREAS:
        share = "give n_rows= instead" if _is_share(name) else "leave them out"
        raise InputError(
            f"n_positive= and n_negative= are for areas under the ROC curve, and the metric is "
            f"{name}; {share}.",
            code="NF284",
        )
    return AreaSizes(
        positive=checks.whole(positive, name="n_positive"),
        negative=checks.whole(negative, name="n_negative"),
    )


def _shares(rows: int, name: str | None) -> ShareSizes:
    if (metrics.known(name).better is not None or name in _AREAS) and not _is_share(name):
        area = "; an area needs n_positive= and n_negative=" if name in _AREAS else ""
        raise InputError(
            f"n_rows= is for shares of rows (accuracy, error_rate, recall), and the metric is "
            f"{name}, which is none{area}.",
            code="NF284",
        )
    return ShareSizes(rows=checks.whole(rows, name="n_rows"))


def _is_share(name: str | None) -> bool:
    return metrics.known(name).binary or name in _SHARES


def refuse(given: Entries, sizes: Sizes | None) -> None:
    """Refuse sizes of numbers that are neither.

    Raises:
        InputError: There are rows, which are counted; numbers outside 0 to 1, or areas of which a
            lower one wins (NF254).
    """
    if sizes is None:
        return
    inside = ((given.values >= 0) & (given.values <= 1)).all()
    areas = isinstance(sizes, AreaSizes)
    if given.rows is not None or not inside or (areas and given.better == "lower"):
        what = (
            "n_positive= and n_negative= are for areas under the ROC curve given as numbers from 0 "
            "to 1, of which a higher one wins"
            if areas
            else "n_rows= is for shares given as numbers from 0 to 1"
        )
        why = "; here a lower one wins"
        if given.rows is not None:
            why = "; here are rows, which are counted"
        elif not inside:
            outside = given.values[(given.values < 0) | (given.values > 1)]
            why = f"; {some(outside.tolist(), most=3)} arrived"
        cent = given.rows is None and given.values.min() >= 0 and 1 < given.values.max() <= 100
        do = "divide by 100 if they are in per cent, or " if cent else ""
        raise InputError(f"{what}{why}; {do}leave the sizes out.", code="NF254")


def behind(given: Entries, sizes: Sizes | None) -> Sizes | None:
    """What a published number of the same rows has behind it: as said, or as the rows tell.

    Nothing where rows come in clusters: their number alone would make a standard error too small.
    """
    if sizes is not None or given.rows is None or given.clusters is not None:
        return sizes
    if given.labels is not None:
        positive = int(given.labels.sum())
        return AreaSizes(positive=positive, negative=given.labels.size - positive)
    if np.isin(given.rows, (0, 1)).all():
        return ShareSizes(rows=given.rows.shape[1])
    return None
