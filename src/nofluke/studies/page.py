"""Parts that the pages of all studies share: tables, the claims, pictures, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nofluke.studies.claims import summary

if TYPE_CHECKING:
    from nofluke.studies.claims import Answered
    from nofluke.studies.engine import Figure

_HEADS = ("claim", "where", "the source says", "measured", "claimed", "found", "reproduces", "why")


def grid(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    rows = [list(heads), ["---"] * len(heads), *map(list, lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def opening(
    title: str, source: str, claims: Sequence[Answered], manifest: Mapping[str, Any]
) -> str:
    """What was run again, by which command and at which size, and how many claims hold."""
    return f"""# {title}

{source} This page is written by

```
{manifest["command"]}
```

{manifest["size"]} Figures stand with their Monte-Carlo error in brackets; one without was computed.
{summary(claims)}"""


def claims_table(claims: Sequence[Answered], *, title: str = "The claims") -> str:
    """Every claim with what was measured for it, the verdict, and why."""
    return f"## {title}\n\n" + grid(_HEADS, [_claim(answered) for answered in claims])


def _claim(answered: Answered) -> list[str]:
    claim, found = answered.claim, answered.found
    figures = (claim.claimed, found.text) if found else ("", "")
    said = (claim.id, claim.where, claim.text, claim.reads)
    return [*said, *figures, answered.verdict, claim.reason]


def told(figure: Figure, digits: int = 3) -> str:
    """A figure in a cell: value and error in brackets, the error to one digit more."""
    if not figure.error:
        return f"{figure.value:.{digits}f}"
    return f"{figure.value:.{digits}f} ({figure.error:.{digits + 1}f})"
