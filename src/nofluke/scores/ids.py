"""Ids of examples that stay where the rows are, and come out when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ids(Sequence[str]):
    """A sequence of texts of which only the number is known.

    Five million texts take more memory than ten columns of numbers about them, and most answers
    name none of them.

    Args:
        n: How many there are.
        fetch: Gives the texts at some places, shape (m,), or all of them in order for None.
        places: Which of them these are, where they are not all.
        passes: How often the rows that they come from were gone through.

    >>> ids = Ids(3, lambda at: list("abc") if at is None else ["abc"[i] for i in at.tolist()])
    >>> len(ids), ids[1], ids.at(np.array([0, 2])), list(ids)
    (3, 'b', ['a', 'c'], ['a', 'b', 'c'])
    """

    def __init__(
        self,
        n: int,
        fetch: Callable[[NDArray[np.int64] | None], Sequence[str]],
        places: NDArray[np.int64] | None = None,
        passes: Any = None,
    ) -> None:
        self._n, self._fetch, self._places, self.passes = n, fetch, places, passes

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        at = np.arange(self._n)[index]
        return self.at(at) if isinstance(index, slice) else self.at(np.atleast_1d(at))[0]

    def __iter__(self) -> Iterator[str]:
        if self._places is None:
            return iter(self._fetch(None))
        every = self._fetch(None)
        return (every[i] for i in self._places.tolist())

    def at(self, places: NDArray[Any]) -> list[str]:
        """The texts at these places, shape (m,), by one look."""
        return list(self._fetch(places if self._places is None else self._places[places]))

    def among(self, places: NDArray[Any]) -> Ids:
        """Those at these places, still unread."""
        own = np.asarray(places if self._places is None else self._places[places])
        return Ids(own.size, self._fetch, own, self.passes)


def some_of(ids: Sequence[str], places: NDArray[Any]) -> Sequence[str]:
    """The ids at these places, unread where the ids are; a tuple of others."""
    if isinstance(ids, Ids):
        return ids.among(places)
    return tuple(ids[i] for i in places.tolist())
