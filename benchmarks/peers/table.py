"""The page of a run: tables, and a list of everything where we are not first.

python benchmarks/peers/table.py docs/data/speed.json docs/reference/speed.md
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

OURS = "nofluke"
Contest = Mapping[str, Any]
Entry = Mapping[str, Any]


def page(report: Mapping[str, Any]) -> str:
    """The whole page, in Markdown."""
    return "\n".join([*_head(report), *_gaps(report), *_tables(report), *_rest(report), ""])


def gaps(report: Mapping[str, Any]) -> list[str]:
    """A line for each contest in which somebody is faster than we are, or answers what we do not.

    The smallest median of one run counts, however small the lead.
    """
    found = []
    for contest in report["contests"]:
        ours, others = _sides(contest)
        if ours is None or "wall" not in ours:
            why = "no such answer" if ours is None else ours.get("failed", "")
            found.append(f"{contest['question']}: nofluke was not measured ({why}).")
            continue
        ahead = sorted((e for e in others if e["wall"] < ours["wall"]), key=lambda e: e["wall"])
        found.extend(
            f"{contest['question']}: {entry['who']} takes {seconds(entry['wall'])}, nofluke "
            f"{seconds(ours['wall'])} ({ours['wall'] / entry['wall']:.2g} times as long)"
            f"{_differs(entry)}."
            for entry in ahead
        )
    return found


def distances(report: Mapping[str, Any]) -> list[str]:
    """A line for each contest in which we are further from the floor than we aim at."""
    found = []
    for contest in report["contests"]:
        ours, _ = _sides(contest)
        floor = contest.get("floor")
        if floor is None or ours is None or "wall" not in ours:
            continue
        times = ours["wall"] / floor["wall"]
        if times > floor["within"]:
            found.append(
                f"{contest['question']}: {times:.2g} times the floor ({floor['is']}, "
                f"{seconds(floor['wall'])}); the aim is {floor['within']:g} times."
            )
    return found


def disagreements(report: Mapping[str, Any]) -> list[str]:
    """A line for each answer that is further from ours than the contest allows."""
    found = []
    for contest in report["contests"]:
        ours, others = _sides(contest)
        if ours is None or contest["tolerance"] is None or "answer" not in ours:
            continue
        mine = ours["answer"]
        for entry in others:
            if "answer" not in entry:
                continue
            apart = abs(entry["answer"] - mine) / max(abs(mine), 1e-300)
            if not apart <= contest["tolerance"]:
                found.append(
                    f"{contest['question']}: {entry['who']} says {entry['answer']:.10g}, nofluke "
                    f"{mine:.10g}."
                )
    return found


def seconds(value: float) -> str:
    """Three digits in a unit that fits.

    >>> seconds(0.00001234), seconds(0.4), seconds(12.345)
    ('12.3 µs', '400 ms', '12.3 s')
    """
    for factor, unit in ((1e-6, "µs"), (1e-3, "ms")):
        if value < 999.5 * factor:
            return f"{_digits(value / factor)} {unit}"
    return f"{_digits(value)} s"


def _digits(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _head(report: Mapping[str, Any]) -> Iterator[str]:
    machine, settings = report["machine"], report["settings"]
    first, measured = 0, 0
    for contest in report["contests"]:
        ours, others = _sides(contest)
        if ours is not None and "wall" in ours and others:
            measured += 1
            first += all(ours["wall"] <= entry["wall"] for entry in others)
    yield from (
        "# Speed, measured beside others",
        "",
        "Written by `make peers` from one run; the figures are in "
        "[`docs/data/speed.json`](../data/speed.json).",
        "",
        f"nofluke is first in {first} of {measured} contests. Where it is not, the list below "
        "says who is.",
        "",
        f"* **When and where.** {report['date']}; {machine['processor']}, {machine['cores']} "
        f"cores, {machine['system']}, Python {machine['python']}. Load of the machine "
        f"{machine['load before']:g} before and {machine['load after']:g} after the run: above "
        f"{machine['cores']} it was busy with other work, and times are longer than they need be.",
        "* **How.** Everybody answers in one run, on the same seeded data, in turns, so that a "
        "busy moment falls on all. Medians: of calls repeated for "
        f"{settings['seconds']:g} seconds each, after two calls that compile and fill "
        f"caches; of {settings['runs']} whole processes, after one that fills the cache of files "
        f"and that of compiled code. What takes longer than {settings['long']:g} s is measured "
        f"once; a command is stopped after {settings['limit']:g} s. Peers are called as their "
        "documentation says, with the same level and number of resamples. CPU is the time of all "
        "threads.",
        "* **Times ours** is the median on the clock, divided by that of nofluke: below 1 "
        "the other is faster. Notes say where the question is not quite the same.",
        "",
    )


def _gaps(report: Mapping[str, Any]) -> Iterator[str]:
    yield from ("## Where nofluke is not first", "")
    yield from _listed(gaps(report), "Nowhere in this run.")
    far = distances(report)
    if any(contest.get("floor") for contest in report["contests"]):
        yield from ("", "Further from the floor than aimed at:", "")
        yield from _listed(far, "Nothing in this run.")
    apart = disagreements(report)
    if apart:
        yield from ("", "Answers that differ by more than the contest allows:", "")
        yield from _listed(apart, "")
    yield ""


def _listed(lines: Sequence[str], otherwise: str) -> list[str]:
    return [f"* {line}" for line in lines] or [otherwise]


def _tables(report: Mapping[str, Any]) -> Iterator[str]:
    topics = list(dict.fromkeys(contest["topic"] for contest in report["contests"]))
    for topic in topics:
        yield from (f"## {topic}", "")
        for contest in report["contests"]:
            if contest["topic"] == topic:
                yield from _table(contest)


def _table(contest: Contest) -> Iterator[str]:
    ours, _ = _sides(contest)
    base = None if ours is None else ours.get("wall")
    memory = any("memory" in entry for entry in contest["entries"])
    yield from (f"**{contest['question']}**", "")
    head = ["who", "how", "wall", "CPU", *(["MiB"] if memory else []), "times ours", "note"]
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    done = [entry for entry in contest["entries"] if "wall" in entry]
    for entry in sorted(done, key=lambda entry: entry["wall"]):
        yield _row(
            [
                f"**{entry['who']}**" if entry["who"] == OURS else entry["who"],
                f"`{_cell(entry['how'])}`",
                seconds(entry["wall"]),
                seconds(entry["cpu"]),
                *([f"{entry['memory']:.0f}"] if memory else []),
                "" if base is None else _ratio(entry["wall"] / base),
                _cell(entry["note"]),
            ]
        )
    for entry in contest["entries"]:
        if "failed" in entry:
            empty = [""] * (len(head) - 4)
            why = _cell(entry["failed"])
            yield _row([entry["who"], f"`{_cell(entry['how'])}`", "-", *empty, why])
    floor = contest.get("floor")
    if floor is not None:
        ratio = "" if base is None else _ratio(floor["wall"] / base)
        middle = [seconds(floor["wall"]), "", *([""] if memory else []), ratio, ""]
        yield _row(["*floor*", floor["is"], *middle])
    yield ""
    for note in contest["notes"]:
        yield from (note, "")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _ratio(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:.0f}"


def _rest(report: Mapping[str, Any]) -> Iterator[str]:
    yield from ("## Versions", "")
    yield ", ".join(f"{name} {version}" for name, version in report["versions"].items()) + "."
    if report["absent"]:
        yield from ("", "Could not be installed, and so was not measured:", "")
        yield from (f"* {name}: {why}" for name, why in report["absent"].items())


def _sides(contest: Contest) -> tuple[Entry | None, list[Entry]]:
    """Our entry, and those of others that were measured."""
    entries = contest["entries"]
    ours = next((entry for entry in entries if entry["who"] == OURS), None)
    return ours, [entry for entry in entries if entry["who"] != OURS and "wall" in entry]


def _differs(entry: Entry) -> str:
    return f" [{entry['note']}]" if entry.get("note") else ""


def main() -> None:
    """Write the page of a file."""
    source, target = map(Path, sys.argv[1:3])
    target.write_text(page(json.loads(source.read_text())))


if __name__ == "__main__":
    main()
