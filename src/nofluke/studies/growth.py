"""How the time of a computation grows with its data: measured, drawn, and held to an exponent.

Seconds say something about a machine. The exponent p of a time that grows like size^p says
something about the program, and a slow machine has the same.
"""

from __future__ import annotations

import csv
import math
import time
from typing import TYPE_CHECKING, NamedTuple

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

_LONG = 0.01  # processor seconds that a clock with steps of a microsecond knows to a ten-thousandth
_PATIENCE = 20.0  # processor seconds after which nothing is called twice
_SLACK = 0.4  # exponents this much above what is known are worse, and not noise
_WIDTH, _HEIGHT, _LEFT, _TOP = 190, 130, 42, 26  # of one picture


class Subject(NamedTuple):
    """Something whose time is followed.

    Attributes:
        name: What is computed.
        axis: What of it grows: "rows", "candidates", "clusters" and the like.
        order: The exponent between the two checked sizes, as it is known; constant work hides a
            part of it where the data are small.
        make: From a size to a call without arguments; what it does itself is not timed.
        sizes: Sizes of the curve, over three decades where that can be waited for.
        checked: Two sizes, far apart, at which the exponent is checked; together a moment.
    """

    name: str
    axis: str
    order: float
    make: Callable[[int], Callable[[], object]]
    sizes: Sequence[int]
    checked: tuple[int, int]


class Point(NamedTuple):
    """One measured time.

    Attributes:
        name: What was computed.
        axis: What of it grows.
        size: How much there was of it.
        seconds: Least processor time of one call.
    """

    name: str
    axis: str
    size: int
    seconds: float


def seconds(call: Callable[[], object], *, repeats: int = 4, longest: float = 0.3) -> float:
    """Least processor seconds of one call, of two at least: the first may compile or import.

    A call of twenty seconds is made once: what it imports is no part of it that could be seen.

    The least, as everything that disturbs makes a call longer and nothing makes it shorter; and
    processor time, as others take turns on the processor. Short calls are counted many at a time.

    Args:
        call: What is timed.
        repeats: How often, at most.
        longest: Seconds after which no third begins.

    >>> seconds(lambda: None) < 1e-3
    True
    """
    found = [_spent(call, 1)]
    if found[0] > _PATIENCE:
        return found[0]
    times = math.ceil(_LONG / min(_LONG, max(found[0], 1e-7)))
    while len(found) < 2 or (len(found) < repeats and times * math.fsum(found) < longest):
        found.append(_spent(call, times) / times)
    return min(found)


def curve(subject: Subject) -> list[Point]:
    """Times at all sizes of a subject."""
    return [
        Point(subject.name, subject.axis, size, seconds(subject.make(size), longest=2.0))
        for size in subject.sizes
    ]


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """Slope of log time on log size by least squares.

    Args:
        points: Sizes and times.

    >>> exponent([(10, 0.3), (100, 30.0), (1000, 3000.0)])
    2.0
    """
    if len(points) < 2 or min(min(point) for point in points) <= 0:
        raise InputError(
            f"an exponent needs two sizes and times above 0, not {list(points)}.", code="NF008"
        )
    x, y = ([math.log(value) for value in column] for column in zip(*points, strict=True))
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    slope = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return round(slope / math.fsum((a - mx) ** 2 for a in x), 12)


class Verdict(NamedTuple):
    """What a check found.

    Attributes:
        subject: What was checked.
        exponent: What it has between the two sizes.
        times: Seconds at the two sizes.
    """

    subject: Subject
    exponent: float
    times: tuple[float, float]

    @property
    def worse(self) -> bool:
        """Whether it grows faster than is known, by more than noise explains."""
        return self.exponent > self.subject.order + _SLACK

    def __str__(self) -> str:
        small, large = self.subject.checked
        return (
            f"{self.subject.name} grows with {self.subject.axis} like size^{self.exponent:.2f}, "
            f"and not like size^{self.subject.order:g} as before: {_spelled(self.times[0])} at "
            f"{small:,}, {_spelled(self.times[1])} at {large:,}"
        )


def check(subject: Subject, *, clock: Callable[[Callable[[], object]], float] = seconds) -> Verdict:
    """The exponent between the two checked sizes; one that looks worse is measured once more.

    Of two measurements the lesser times count, so that a moment in which the machine had other
    things to do is no verdict about the program.

    Args:
        subject: What is checked.
        clock: From a call to its seconds.
    """
    calls = [subject.make(size) for size in subject.checked]
    first = _verdict(subject, [clock(call) for call in calls])
    if not first.worse:
        return first
    again = [min(clock(call), before) for call, before in zip(calls, first.times, strict=True)]
    return _verdict(subject, again)


def _verdict(subject: Subject, times: Sequence[float]) -> Verdict:
    small, large = times
    points = list(zip(subject.checked, times, strict=True))
    return Verdict(subject, exponent(points), (small, large))


def _spent(call: Callable[[], object], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        call()
    return time.process_time() - start


def save(path: Path, points: Iterable[Point]) -> None:
    """Write times as CSV, to three digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Point._fields)
        writer.writerows((p.name, p.axis, p.size, f"{p.seconds:.3g}") for p in points)


def load(path: Path) -> list[list[Point]]:
    """The times of such a file, subject by subject."""
    found: dict[tuple[str, str], list[Point]] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for name, axis, size, spent in list(csv.reader(file))[1:]:
            found.setdefault((name, axis), []).append(Point(name, axis, int(size), float(spent)))
    return list(found.values())


def table(measured: Iterable[Sequence[Point]]) -> str:
    """Markdown: least and largest size with their times, and the exponents between."""
    lines = [
        "| what | grows with | least | time | largest | time | exponent | at the end |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for points in measured:
        first, last = points[0], points[-1]
        whole, end = (exponent([(p.size, p.seconds) for p in of]) for of in (points, points[-2:]))
        lines.append(
            f"| {first.name} | {first.axis} | {first.size:,} | {_spelled(first.seconds)} | "
            f"{last.size:,} | {_spelled(last.seconds)} | {whole:.2f} | {end:.2f} |"
        )
    return "\n".join(lines)


def picture(measured: Sequence[Sequence[Point]], *, columns: int = 4) -> str:
    """SVG: a small picture for each subject, both axes logarithmic, the seconds the same in all."""
    times = [p.seconds for points in measured for p in points]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    rows = math.ceil(len(measured) / columns)
    width, height = columns * (_WIDTH + _LEFT) + 10, rows * (_HEIGHT + _TOP + 34) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="10">',
        "<title>Processor seconds by size, both logarithmic</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for number, points in enumerate(measured):
        row, column = divmod(number, columns)
        x, y = column * (_WIDTH + _LEFT) + _LEFT, row * (_HEIGHT + _TOP + 34) + _TOP
        parts += [f'<g transform="translate({x} {y})">', *_panel(points, low, high), "</g>"]
    return "\n".join([*parts, "</svg>\n"])


def _panel(points: Sequence[Point], low: int, high: int) -> list[str]:
    first, last = math.log10(points[0].size), math.log10(points[-1].size)

    def at(size: float, spent: float) -> tuple[float, float]:
        across = 8 + (_WIDTH - 24) * (math.log10(size) - first) / (last - first)
        return across, _HEIGHT * (high - math.log10(spent)) / (high - low)

    places = [at(p.size, p.seconds) for p in points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    ticks = [
        f'<path d="M0 {_HEIGHT * (high - t) / (high - low):.1f}h{_WIDTH - 10}" stroke="#ddd"/>'
        f'<text x="-4" y="{_HEIGHT * (high - t) / (high - low) + 3:.1f}" text-anchor="end">'
        f"{_spelled(10.0**t)}</text>"
        for t in range(low, high + 1, 2)
    ]
    sizes = [
        f'<text x="{x:.1f}" y="{_HEIGHT + 14}" text-anchor="{anchor}">{p.size:,}</text>'
        for p, (x, _), anchor in (
            (points[0], places[0], "start"),
            (points[-1], places[-1], "end"),
        )
    ]
    return [
        f'<text x="0" y="-10" font-weight="bold">{points[0].name}</text>',
        *ticks,
        *sizes,
        f'<text x="{_WIDTH / 2}" y="{_HEIGHT + 14}" text-anchor="middle">{points[0].axis}</text>',
        f'<polyline points="{line}" fill="none" stroke="#24567a" stroke-width="1.5"/>',
        *(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.5" fill="#24567a"/>' for x, y in places),
    ]


def _spelled(spent: float) -> str:
    """Seconds in a unit that suits them."""
    for unit, least in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if spent >= least * (1 - 1e-9):
            digits = ".3g" if spent < 999.5 * least else ",.0f"  # never 1e+03
            return f"{spent / least:{digits}} {unit}"
    return f"{spent / 1e-9:.3g} ns"
