"""Coverage studies as files, tables and pictures: what the documentation shows of them."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

from nofluke.studies.classifier_intervals import Coverage, summaries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_STEP, _LEFT, _WIDTH = 26, 90, 500  # of the picture
_LEAST = 0.4  # coverage at its left edge


def save(path: Path, rows: Sequence[Coverage]) -> None:
    """Write rows as CSV, numbers to five digits."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Coverage._fields)
        for row in rows:
            writer.writerow([f"{v:.5g}" if isinstance(v, float) else v for v in row])


def load(path: Path) -> list[Coverage]:
    """The rows of such a file."""
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))[1:]
    return [
        Coverage(at, method, int(repeats), *map(float, rest))
        for at, method, repeats, *rest in lines
    ]


def of_page(rows: Mapping[str, Sequence[Coverage]]) -> dict[str, str]:
    """The tables of docs/explanation/intervals-for-auc.md by name.

    Args:
        rows: Rows of the studies "areas", "precisions", "elsewhere", "clusters" and "predictive".
    """
    tables = {study: table(of) for study, of in rows.items()}
    tables["precisions-size"] = grouped(rows["precisions"], word=0, name="positives + negatives")
    tables["elsewhere-prevalence"] = grouped(rows["elsewhere"], word=6, name="prevalence")
    for kind in ("pure", "mixed", "random"):
        of_kind = [row for row in rows["clusters"] if row.setting.startswith(kind)]
        tables[f"clusters-{kind}"] = grouped(of_kind, word=1, name="clusters x rows")
    return tables


def table(rows: Sequence[Coverage]) -> str:
    """The summary of a study, in Markdown."""
    return _markdown(
        ["method", "mean", "worst", "where", "settings below 0.93", "mean width"],
        [
            [
                f"`{s.method}`",
                f"{s.mean:.3f}",
                f"{s.worst:.3f}",
                s.where,
                f"{100 * s.short:.0f} %",
                f"{s.width:.3f}",
            ]
            for s in summaries(rows)
        ],
    )


def grouped(rows: Sequence[Coverage], *, word: int, name: str) -> str:
    """Worst coverage of each method by one word of the setting, in Markdown.

    Args:
        rows: Rows of a study.
        word: Which word of the settings' names makes the groups.
        name: Title of the column that holds it.
    """
    methods = list(dict.fromkeys(row.method for row in rows))
    groups = list(dict.fromkeys(row.setting.split()[word] for row in rows))
    worst: dict[tuple[str, str], float] = {}
    for row in rows:
        at = row.setting.split()[word], row.method
        worst[at] = min(worst.get(at, 1.0), row.rate)
    return _markdown(
        [name, *(f"`{method}`" for method in methods)],
        [[group, *(f"{worst[group, m]:.3f}" for m in methods)] for group in groups],
    )


def filled(text: str, tables: Mapping[str, str]) -> str:
    """The text with tables between its lines ``<!-- table: name -->`` and ``<!-- end -->``."""

    def put(found: re.Match[str]) -> str:
        return f"{found[1]}\n\n{tables[found[2]]}\n\n{found[3]}"

    pattern = r"(<!-- table: ([a-z-]+) -->).*?(<!-- end -->)"
    return re.sub(pattern, put, text, flags=re.DOTALL)


def figure(rows: Sequence[Coverage], *, title: str) -> str:
    """A picture as SVG: a line for each method, a dot for each setting at its coverage."""
    by_method: dict[str, list[float]] = {}
    for row in rows:
        by_method.setdefault(row.method, []).append(row.rate)
    height, across = _STEP * len(by_method) + 40, _LEFT + _WIDTH + 20
    ticks = [
        f'<text x="{_at(tick):.1f}" y="{height - 8}" text-anchor="middle">{tick:g}</text>'
        for tick in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
    ]
    lines = [
        _line(20 + _STEP * k, method, rates) for k, (method, rates) in enumerate(by_method.items())
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {height}" '
            'font-family="sans-serif" font-size="12">',
            f"<title>{title}</title>",
            f'<rect width="{across}" height="{height}" fill="white"/>',
            f'<path d="M{_at(0.95):.1f} 8V{height - 26}" stroke="#c33" stroke-dasharray="4 3"/>',
            *ticks,
            *lines,
            "</svg>\n",
        ]
    )


def _line(y: int, method: str, rates: list[float]) -> str:
    dots = "".join(f"M{_at(rate):.1f} {y}h0" for rate in sorted(rates))
    return (
        f'<text x="{_LEFT - 12}" y="{y + 4}" text-anchor="end">{method}</text>\n'
        f'<path d="{dots}" stroke="#24567a" stroke-width="7" stroke-linecap="round" '
        'stroke-opacity="0.35"/>'
    )


def _at(rate: float) -> float:
    return _LEFT + _WIDTH * (max(rate, _LEAST) - _LEAST) / (1 - _LEAST)


def _markdown(head: list[str], body: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
