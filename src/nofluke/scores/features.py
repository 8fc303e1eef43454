"""Features: rows of numbers and categories at one time, with predictions and labels beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from nofluke.scores.table import Labels


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Features:
    """The rows of one time, in the order in which they were written.

    Made by ``nofluke.read_features``.

    Attributes:
        n: Number of rows.
        numbers: Columns of numbers by name, shape (n,); NaN is a missing value.
        texts: Columns of texts by name, as codes and names; "" is a missing value.
        label: 1 for positive rows, 0 for negative ones, NaN where there is no label; None where
            there is no label column.
        prediction: Name of the column among ``numbers`` that holds the predictions, or None.
        batch: Batches of rows, or None.
        digest: SHA-256 of the files, or of the values.
        notes: What was guessed and found, each beginning with its code.
    """

    n: int
    numbers: Mapping[str, NDArray[np.float64]]
    texts: Mapping[str, Labels]
    label: NDArray[np.float64] | None
    prediction: str | None
    batch: Labels | None
    digest: str
    notes: tuple[str, ...] = ()

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Which rows have a label, shape (n,)."""
        if self.label is None:
            return np.zeros(self.n, np.bool_)
        return ~np.isnan(self.label)

    def __repr__(self) -> str:
        columns = len(self.numbers) + len(self.texts)
        return f"Features({self.n} rows x {columns} columns, {int(self.labelled.sum())} labelled)"
