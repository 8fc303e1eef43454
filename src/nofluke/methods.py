"""The register: interchangeable methods by name, with what each promises and needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from nofluke.errors import InputError

if TYPE_CHECKING:
    from nofluke.results import Guarantee

F = TypeVar("F", bound=Callable[..., object])

_WEAKEST_FIRST: tuple[Guarantee, ...] = (
    "descriptive", "heuristic", "conjectured", "asymptotic", "finite-sample", "anytime",
)  # fmt: skip


def weakest(words: Iterable[Guarantee]) -> Guarantee:
    """The weakest word, which says what several answers rest on together.

    >>> weakest(["anytime", "asymptotic"]), weakest([])
    ('asymptotic', 'descriptive')
    """
    return min(words, key=_WEAKEST_FIRST.index, default="descriptive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(Generic[F]):
    """One method of a topic: the function and what a reader must know before choosing it."""

    name: str
    call: F
    guarantee: Guarantee
    needs: frozenset[str]
    cite: str


class Register(Mapping[str, Method[F]], Generic[F]):
    """The methods of one topic, by name; a method joins with the decorator ``add``.

    Args:
        topic: What the methods are for, in the words of an error message ("band").
    """

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._methods: dict[str, Method[F]] = {}

    def add(
        self, *, guarantee: Guarantee, cite: str, needs: frozenset[str] = frozenset()
    ) -> Callable[[F], F]:
        """Record a function under its own name and return it unchanged."""

        def record(function: F) -> F:
            name = function.__name__
            self._methods[name] = Method(
                name=name, call=function, guarantee=guarantee, needs=needs, cite=cite
            )
            return function

        return record

    def __getitem__(self, name: str) -> Method[F]:
        try:
            return self._methods[name]
        except KeyError:
            raise InputError(
                f"{self._topic}={name!r} is unknown; there are {', '.join(self._methods)}.",
                code="NF008",
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._methods

    def __iter__(self) -> Iterator[str]:
        return iter(self._methods)

    def __len__(self) -> int:
        return len(self._methods)
