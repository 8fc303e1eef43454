"""Curves over ranks that are never stored: at ten million draws an array of them is 80 MB."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Curve(Protocol):
    """Numbers by rank, stored or not: arrays are such curves."""

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, at: Any, /) -> Any: ...

    def __array__(self, *args: Any, **kwargs: Any) -> NDArray[Any]: ...


class Rising:
    """``i / n + shift`` for i from ``first`` up to ``last``, held between ``low`` and ``high``.

    The numbers are those of the array ``np.arange(first, last + 1) / n + shift`` to the last bit,
    made where they are looked at: by an index, by an array of them, or by a slice.

    >>> Rising(4, -0.5, low=0.0)[np.array([1, 3])].tolist()
    [0.0, 0.25]
    """

    def __init__(
        self,
        n: int,
        shift: float,
        *,
        first: int = 0,
        last: int | None = None,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> None:
        self._n, self._shift, self._low, self._high = n, shift, low, high
        self._ranks = range(first, (n if last is None else last) + 1)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self._ranks)

    def __len__(self) -> int:
        return len(self._ranks)

    def __getitem__(self, at: Any) -> Any:
        """The numbers at a place, at several, or in a slice."""
        if isinstance(at, slice):
            part = self._ranks[at]
            return self._of(np.arange(part.start, part.stop, part.step))
        if isinstance(at, int | np.integer):
            return float(self._of(np.array([self._ranks[int(at)]]))[0])
        places = np.asarray(at)
        if not np.issubdtype(places.dtype, np.integer):
            return self.__array__()[places]
        if places.size and not (places.min() >= 0 and places.max() < len(self._ranks)):
            raise IndexError(f"places 0 to {len(self._ranks) - 1} are there")
        return self._of(places + self._ranks.start)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: FBT001 (numpy's own)
        return np.asarray(self[:], dtype)

    def _of(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        numbers = np.asarray(ranks / self._n + self._shift)
        return np.asarray(np.minimum(self._high, np.maximum(self._low, numbers)))
