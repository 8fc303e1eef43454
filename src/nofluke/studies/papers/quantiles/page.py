"""The report: the claims beside what was found, and the tables behind them, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nofluke.studies import pictures as drawn
from nofluke.studies.claims import Answered, summary
from nofluke.studies.engine import Row
from nofluke.studies.page import claims_table, grid
from nofluke.studies.papers.quantiles.distributions import DISTRIBUTIONS
from nofluke.studies.papers.quantiles.figures import chosen, over_distributions
from nofluke.studies.papers.quantiles.grid import LEVELS, SIZES, US

NAMES = {
    "exact_equal": "exact, equal tails",
    "exact_shortest": "exact, shortest",
    "hutson": "Hutson",
    "nyblom": "Nyblom",
    "asymptotic": "asymptotic",
    "asymptotic_centered": "asymptotic + 1/2",
    "semiparametric_bootstrap": "semiparametric bootstrap",
    "bootstrap": "plain bootstrap",
    "hanson_koopmans": "Hanson & Koopmans, Hutson",
    "auto": "auto",
}
_ARROWS = {"both": "", "lower": " ↓", "upper": " ↑", "none": " –"}


def markdown(
    tables: Mapping[str, list[Row]], claims: Sequence[Answered], manifest: Mapping[str, Any]
) -> str:
    """The whole page; the same bytes for the same tables."""
    parts = [
        _opening(claims, manifest),
        claims_table(claims),
        *(_coverage(tables["intervals"], level) for level in LEVELS),
        _default(tables["intervals"]),
        _outside(tables["intervals"]),
        _mean(tables["mean"]),
        _estimates(tables["estimates"]),
        _discrete(tables["discrete"]),
        _resampled(tables["resampled"]),
        _real(tables.get("real", [])),
    ]
    return "\n\n".join(parts) + "\n"


def _opening(claims: Sequence[Answered], manifest: Mapping[str, Any]) -> str:
    samples = manifest["samples"]
    return f"""# Intervals for a quantile over few runs, simulated again

A published summary of Lehmann & Paromau (arXiv 2501.16931) compares intervals for quantiles of a
metric over 10 to 50 runs, on six distributions. This page is written by

```
{manifest["command"]}
```

with {samples} samples in each cell, where a coverage of 0.9 has a Monte-Carlo error of
{(0.09 / samples) ** 0.5:.4f}; every figure in the CSV tables that it writes has its own.
"The source" is the summary; what it does not show (its table of minimal n, its figures, its runs)
cannot be checked; claims R1 to R4 are our own, about runs of ours. Lengths are in decile ranges of
the true distribution.
{summary(claims)}"""


def _coverage(rows: list[Row], level: float) -> str:
    """Mean (least of six) coverage and mean length, for each method."""
    lines = []
    for n in SIZES:
        for u in US:
            cell = chosen(rows, level=level, n=n, u=u)
            entries = [_entry(chosen(cell, method=name)) for name in NAMES]
            lines.append([f"{n}", f"{u:g}", *entries])
    heads = ("n", "u", *NAMES.values())
    return (
        f"## Coverage and length at level {level:.2f}\n\nMean (least) coverage over six "
        "distributions, then the mean length. ↑ and ↓: only an\nupper or a lower limit exists; the "
        "other is infinite and never misses. –: no limit.\n\n" + grid(heads, lines)
    )


def _entry(rows: list[Row]) -> str:
    coverage = [row["coverage"] for row in rows]
    limits = rows[0]["limits"]
    if limits == "none":
        return "–"
    length = f" {_mean_of(rows, 'length'):.2f}" if limits == "both" else _ARROWS[limits]
    return f"{sum(coverage) / len(coverage):.3f} ({min(coverage):.3f}){length}"


def _mean_of(rows: list[Row], column: str) -> float:
    return float(sum(row[column] for row in rows) / len(rows))


def _default(rows: list[Row]) -> str:
    """What the default is in each cell, and how far it falls short at each level."""
    auto = chosen(rows, method="auto")
    lines = [
        [f"{level:g}", f"{n}", *(_kind(chosen(auto, level=level, n=n, u=u)[0]) for u in US)]
        for level in LEVELS
        for n in SIZES
    ]
    margins = [_margin(chosen(auto, level=level)) for level in LEVELS]
    kinds = grid(("level", "n", *(f"u = {u:g}" for u in US)), lines)
    least = grid(("level", "least coverage minus level", "error", "where"), margins)
    return f"""## The default

H: two limits by Hutson; A: two with unequal tails; U, L: only an upper, a lower limit; –: none.

{kinds}

Least coverage of all cells minus the level, each with the Monte-Carlo error of its cell. A limit
that stands alone is a run itself where Hutson's rank lies between the two outermost runs, or where
a line between two runs would miss an exponential tail by 0.003 more than asked; so it covers at
least the level minus 0.003 wherever tails are log-concave, for every n, u and level. What remains,
by exact integration over n = 2 to 60, u = 0.01 to 0.99 and levels from 0.80 on: heavy tails at
few runs (Pareto with index 1: one limit -0.036 at 0.80 and -0.030 at 0.90, two limits -0.009 at
0.80; lognormal: one limit -0.012 at 0.80 and -0.009 at 0.90), densities that rise at their ends
(two limits, Beta(0.3, 0.3): -0.024 at 0.80, -0.006 at 0.90), two limits in the gap of a mixture
(-0.005 at 0.80). Exact ranks (`guaranteed=True`) are the remedy.

{least}"""


def _margin(rows: list[Row]) -> list[str]:
    worst = min(rows, key=lambda row: row["coverage"] - row["level"])
    margin = worst["coverage"] - worst["level"]
    where = f"{worst['distribution']}, n = {worst['n']}, u = {worst['u']:g}"
    return [f"{worst['level']:g}", f"{margin:+.4f}", f"{worst['coverage_error']:.4f}", where]


def _kind(row: Row) -> str:
    if row["limits"] == "both":
        return "H" if row["equal_tails"] else "A"
    return {"upper": "U", "lower": "L", "none": "–"}[row["limits"]]


def _outside(rows: list[Row]) -> str:
    """Largest share of bootstrap intervals with a limit outside [0, 1]."""
    bootstrap = chosen(rows, method="semiparametric_bootstrap")
    lines = [
        [name, *(_largest(bootstrap, name, level) for level in LEVELS)] for name in DISTRIBUTIONS
    ]
    return (
        "## Limits outside [0, 1]\n\nLargest share, over n and u, of semiparametric bootstrap "
        "intervals with a limit outside [0, 1].\n\n" + grid(("distribution", *_levels()), lines)
    )


def _largest(rows: list[Row], distribution: str, level: float) -> str:
    return f"{max(r['outside'] for r in chosen(rows, distribution=distribution, level=level)):.3f}"


def _levels() -> list[str]:
    return [f"level {level:g}" for level in LEVELS]


def _mean(rows: list[Row]) -> str:
    lines = [
        [name, f"{n}", *(_covers(chosen(rows, distribution=name, n=n, level=v)[0]) for v in LEVELS)]
        for name in DISTRIBUTIONS
        for n in SIZES
    ]
    return "## The t interval of the mean\n\nCoverage, then mean length.\n\n" + grid(
        ("distribution", "n", *_levels()), lines
    )


def _covers(row: Row) -> str:
    return f"{row['coverage']:.3f} {row['length']:.2f}"


def _estimates(rows: list[Row]) -> str:
    """Relative bias and root mean squared error at the fewest runs."""
    fewest = chosen(rows, n=SIZES[0])
    names = list(dict.fromkeys(row["estimator"] for row in rows))
    lines = []
    for distribution in DISTRIBUTIONS:
        for u in US:
            cell = chosen(fewest, distribution=distribution, u=u)
            entries = [chosen(cell, estimator=name)[0] for name in names]
            lines.append(
                [distribution, f"{u:g}", *(f"{e['bias']:+.3f} {e['rmse']:.3f}" for e in entries)]
            )
    heads = ("distribution", "u", *(name.replace("_", " ") for name in names))
    return (
        f"## Point estimates from {SIZES[0]} runs\n\nRelative bias, then relative root mean "
        "squared error.\n\n" + grid(heads, lines)
    )


def _discrete(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row["method"] for row in rows))
    lines = []
    for items in dict.fromkeys(row["items"] for row in rows):
        for level in LEVELS:
            cell = chosen(rows, items=items, level=level)
            least = [min(r["coverage"] for r in chosen(cell, method=name)) for name in names]
            lines.append([f"{items}", f"{level:g}", *(f"{value:.3f}" for value in least)])
    heads = ("items", "level", *(name.replace("_", " ") for name in names))
    return (
        "## Accuracy on few items\n\nRuns whose rates are N(0.9, 0.02) are measured on a number of "
        "test items, so that many are equal.\nLeast coverage over n = 10, 25, 50 and all u; exact "
        "ranks are the shortest. A limit between two unequal runs\nmisses a value that many runs "
        "share, which costs most where the whole error is spent on one limit:\nhutson shows it "
        "where it has two limits or one at half of the error. auto moves its limits outward to\n"
        "runs where more than one in 200 pairs of runs is tied.\n\n" + grid(heads, lines)
    )


def _resampled(rows: list[Row]) -> str:
    lines = [
        [f"{count}", *_beside(chosen(rows, resamples=count))]
        for count in dict.fromkeys(row["resamples"] for row in rows)
    ]
    heads = ("resamples", "mean difference of coverage", "largest, of 28", "length ratio")
    return (
        "## Drawn resamples against the closed form\n\nThe semiparametric bootstrap with n "
        f"uniforms drawn for each resample, on {rows[0]['samples']} samples in each\ncell, minus "
        "its limit for infinitely many; the largest is that of 28 pairs of u and level, each "
        "the\nmean of six distributions and n = 10, 25.\n\n" + grid(heads, lines)
    )


def _beside(rows: list[Row]) -> list[str]:
    cells: dict[tuple[float, float], list[Row]] = {}
    for row in rows:
        cells.setdefault((row["u"], row["level"]), []).append(row)
    farthest = max((_mean_of(cell, "difference") for cell in cells.values()), key=abs)
    ratio = _mean_of(rows, "length_ratio")
    return [f"{_mean_of(rows, 'difference'):+.4f}", f"{farthest:+.4f}", f"{ratio:.4f}"]


def pictures(tables: Mapping[str, list[Row]]) -> dict[str, str]:
    """Coverage on real runs in a tail of few; nothing where none were trained."""
    rows = chosen(tables.get("real", []), n=10, u=0.1, level=0.9)
    named = {NAMES[row["method"]]: figure for row, figure in over_distributions(rows, "coverage")}
    if not named:
        return {}
    axis = "coverage of the 10 % quantile, 10 runs, mean of three tasks; dashed: level"
    title = "Coverage on real runs by method"
    return {"runs": drawn.dots(named, title=title, axis=axis, mark=0.9, span=(0.6, 1.0))}


def _real(rows: list[Row]) -> str:
    """Mean (least of the tasks) coverage and mean length on real runs, at level 0.90."""
    head = "## Real runs\n\n"
    if not rows:
        return (
            head + "Left out: scikit-learn is not installed here (`pip install nofluke[sklearn]`)."
        )
    lines = []
    for n in SIZES:
        for u in US:
            cell = chosen(rows, level=0.9, n=n, u=u)
            lines.append([f"{n}", f"{u:g}", *(_covered(chosen(cell, method=m)) for m in NAMES)])
    biases = [
        [task, f"{u:g}", *(_bias(chosen(rows, task=task, u=u, n=n)[0]) for n in SIZES)]
        for task in dict.fromkeys(row["task"] for row in rows)
        for u in US
    ]
    told = grid(("n", "u", *NAMES.values()), lines)
    bias = grid(("task", "u", *(f"n = {n}" for n in SIZES)), biases)
    runs = rows[0]["runs"]
    shown = drawn.shown("quantiles/runs", "Coverage on real runs by method, n = 10, u = 0.1")
    return f"""{head}Three tasks of scikit-learn's own data, trained {runs} times each: digits (a
fourth of the rows) and breast cancer by linear models, accuracy; diabetes by a few randomised
trees, negative root mean squared error. Split, seeds of the model, order of the rows, a subsample
of nine tenths and a search over settings have a seed of their own in every run. Those runs are the
population; samples of n are drawn from it with replacement. Mean (least) coverage of the three at
level 0.90, then the mean length in decile ranges where it has one:

{told}

{shown}

Relative bias of the sample quantile:

{bias}"""


def _covered(rows: list[Row]) -> str:
    coverage = [row["coverage"] for row in rows]
    lengths = [row["length"] for row in rows if row["length"] is not None]
    length = f" {sum(lengths) / len(lengths):.2f}" if lengths else ""
    return f"{sum(coverage) / len(coverage):.3f} ({min(coverage):.3f}){length}"


def _bias(row: Row) -> str:
    return f"{row['bias']:+.4f} ({row['bias_error']:.4f})"
