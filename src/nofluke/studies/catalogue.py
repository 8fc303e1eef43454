"""All claims of the sources: what a study measures, and which function or page shows the rest."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from nofluke.studies import STUDIES, claims
from nofluke.studies.page import grid

if TYPE_CHECKING:
    from nofluke.studies.claims import Verdict

_PAPERS = "nofluke.studies.papers"

SOURCES = {
    "A": "A summary of Farzaneh & Simeone, *Post-Selection Distributional Model Evaluation*",
    "B": "A chapter on ten evaluations that are shrunk to the score of a champion",
    "C": "A summary of Lehmann & Paromau, *quantiles of a metric over few runs*",
    "D": "A note on the paired upper envelope",
}
# Letters of the claims that nofluke adds to a study are others.
HOW_MANY = {"A": 65, "B": 85, "C": 50, "D": 52}


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What a source asks for, and where it is.

    Attributes:
        id: Its number: a letter for the source, and a count.
        text: What is asked for, or said.
        shown: Functions by their full name, and pages by their path with a heading after #.
        reproduces: Whether it is so.
        reason: Why, or how.
    """

    id: str
    text: str
    shown: tuple[str, ...]
    reproduces: Verdict
    reason: str


class Line(NamedTuple):
    """A claim in the list of all.

    Attributes:
        id: Its number.
        text: What is said.
        shown: Where it is measured or shown, as Markdown.
        reproduces: Whether it is so.
        reason: Why.
    """

    id: str
    text: str
    shown: str
    reproduces: str
    reason: str


def features() -> tuple[Feature, ...]:
    """What is shown by a function or a page."""
    text = (resources.files(_PAPERS) / "features.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["feature"]
    return tuple(Feature(**{**entry, "shown": tuple(entry["shown"])}) for entry in entries)


def lines() -> list[Line]:
    """Every claim of the sources, in the order of their numbers; what is measured comes first."""
    found = [
        Line(claim.id, claim.text, f"[measured]({paper}.md)", claim.reproduces, claim.reason)
        for paper, study in STUDIES.items()
        for claim in claims.read(study.package)
        if claim.id[0] in SOURCES
    ]
    found += [
        Line(f.id, f.text, ", ".join(map(_link, f.shown)), f.reproduces, f.reason)
        for f in features()
    ]
    return sorted(found, key=_order)


def number(claim: str) -> str:
    """The number of a claim without the letter that parts of it carry: A38 of A38b."""
    return claim.rstrip("abcdefghijklmnopqrstuvwxyz")


def missing() -> list[str]:
    """Numbers that stand nowhere."""
    there = {number(line.id) for line in lines()}
    wanted = [f"{letter}{k}" for letter, most in HOW_MANY.items() for k in range(1, most + 1)]
    return [one for one in wanted if one not in there]


def markdown() -> str:
    """The page of all claims."""
    found = lines()
    counts = Counter(line.reproduces for line in found)
    told = ", ".join(f"{counts[word]} {word}" for word in ("yes", "no", "cannot be checked"))
    parts = [
        f"""# All claims of the sources

{sum(HOW_MANY.values())} claims of four sources, one by one: what a study measures, which function
or page shows the rest, and whether it is so. Parts of a claim carry small letters, so that there
are {len(found)} lines: {told}. What is measured has a figure with its error on the page of the
study; the rest was judged by reading, and tests hold only that its function and page are there.
"No" to a number means that it is wrong or impossible, to anything else that it is not so, for the
reason given. This page is written by `nofluke reproduce --out FOLDER`."""
    ]
    for letter, source in SOURCES.items():
        rows = [line for line in found if line.id[0] == letter]
        heads = ("claim", "the source says", "where", "reproduces", "why")
        parts.append(f"## {letter}. {source}\n\n{grid(heads, rows)}")
    return "\n\n".join(parts) + "\n"


def _order(line: Line) -> tuple[str, int, str]:
    letter, count, part = re.fullmatch(r"([A-Z])(\d+)([a-z]*)", line.id).groups()  # type: ignore[union-attr]
    return letter, int(count), part


def _link(shown: str) -> str:
    if not shown.startswith("docs/"):
        return f"`{shown}`"
    path, _, heading = shown.removeprefix("docs/").partition("#")
    name = path.rsplit("/", 1)[-1].removesuffix(".md")
    where = path.removeprefix("replications/") if path.startswith("replications/") else f"../{path}"
    return f"[{name}]({where}{'#' + heading if heading else ''})"
