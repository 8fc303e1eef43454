"""The report: what was found, the claims beside it, and the tables behind them, as Markdown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nofluke.studies import pictures as drawn
from nofluke.studies.engine import Figure, Row
from nofluke.studies.page import claims_table, grid, opening, told
from nofluke.studies.papers.psdme import pools
from nofluke.studies.papers.psdme.figures import chosen, saved_by_default
from nofluke.studies.papers.psdme.methods import DEFAULT, METHODS, PSDME, SPLIT

if TYPE_CHECKING:
    from nofluke.studies.claims import Answered

_TITLE = "Guarantees after choosing among many, simulated again"
_SOURCE = """A published summary of Farzaneh & Simeone (PS-DME, arXiv 2603.23055) chooses M of K
candidates on the same examples that then guarantee each one's whole distribution function.
"The source" is the summary; its scores are not public, so its settings are run on scores whose
distribution functions are known exactly. Throughout delta = 0.1."""


def markdown(
    tables: Mapping[str, list[Row]], claims: Sequence[Answered], manifest: Mapping[str, Any]
) -> str:
    """The whole page; the same bytes for the same tables."""
    parts = [
        opening(_TITLE, _SOURCE, claims, manifest),
        _narrower(tables),
        claims_table(claims),
        _impossible(tables),
        _rates("shortlists", tables["shortlists"], ("world", "M"), _SHORTLISTS),
        _rates("large", tables["large"], ("world", "n"), _LARGE),
        _rates("tasks", tables["tasks"], ("world", "M", "n"), _TASKS),
        _series(tables),
        _held_out(tables["held_out"]),
        _widths(tables["widths"]),
        _winner(tables["winner"]),
        _tails(tables["tails"]),
        _public(tables.get("public", []), manifest["tables"]),
    ]
    return "\n\n".join(parts) + "\n"


def pictures(tables: Mapping[str, list[Row]]) -> dict[str, str]:
    """False coverage of the methods, on shortlists and on large ones."""
    named = {
        "rates": (chosen(tables["shortlists"], world="alike", M=10), "10 best of 31, n = 200"),
        "series": (tables["series"], "6 best of 18, a series in time"),
    }
    return {
        name: drawn.dots(
            {row["method"]: Figure(row["fcr"], row["fcr_error"]) for row in rows},
            title=f"False coverage rate of each method: {words}",
            axis=f"false coverage rate, {words}; dashed: delta",
            mark=0.1,
        )
        for name, (rows, words) in named.items()
    }


def _narrower(tables: Mapping[str, list[Row]]) -> str:
    found = saved_by_default(tables)
    least = math.floor(100 * min(saving for _, saving in found))  # a promise, rounded down
    lines = [
        [
            *(f"{row[k]}" for k in ("K", "M", "n")),
            f"{row['half_width'] / (1 - saving):.4f}",
            f"{row['half_width']:.4f} ({row['band'].replace('_', '-')})",
            f"{100 * saving:.1f} %",
            f"{1 / (1 - saving) ** 2:.1f}",
        ]
        for row, saving in found
    ]
    heads = ("K", "M", "n", "paper's rule", "default", "narrower by", "examples saved, times")
    rates = [row for part in _PARTS for row in chosen(tables[part], method=DEFAULT)]
    worst = max(rates, key=lambda row: row["fcr"])
    return f"""## What the default certificate saves

At every setting that the source names, what `certify` gives by default is at least
{least} % narrower than the paper's band. Its false coverage rate is proved to be at most
delta = 0.1; the largest measured in the tables below is
{told(Figure(worst["fcr"], worst["fcr_error"]))}.

{grid(heads, lines)}

Half-widths are the largest distance from the empirical distribution function on the side that the
guarantee reads; the default is asked for a failure rate of 1/4. "Examples saved" is the square of
the ratio; the n of 18 schedulers is not given, and 200 is ours. The same for one setting:

```python
import numpy as np
from nofluke import Scores, certify

losses = np.random.default_rng(0).random((31, 200))  # any scores: widths do not depend on them
scores = Scores.from_arrays(losses, better="lower")
default = certify(scores, "top:10", gamma=0.25)
paper = certify(scores, "top:10", gamma=0.25, rule="psdme", band="dkw", side="both")
ours, theirs = (answer.rows()[0]["half_width"] for answer in (default, paper))
print(f"{{1 - ours / theirs:.0%}} narrower")  # 32% narrower
```

{drawn.shown("psdme/rates", "False coverage rate of each method, 10 best of 31 alike")}"""


_PARTS = ("shortlists", "large", "tasks")


def _impossible(tables: Mapping[str, list[Row]]) -> str:
    lines = [
        [
            f"{row['K']}",
            f"{row['M']}",
            f"{row['n']}",
            f"{row['bound']:.3f}",
            told(Figure(row["fcr"], row["fcr_error"])),
        ]
        for row in tables["adversary"]
    ]
    heads = ("K", "M", "n", "K delta / M", "adversary")
    return f"""## Why some quoted rates cannot be

Each of K bands at level a is wrong with probability at most a, so at most K a of them are wrong on
average, whoever is chosen and however candidates depend on each other. If M are always chosen, the
false coverage rate is at most **K a / M**. Eight of the rates quoted for the paper's rule and for
naive reuse lie above it. Two of them do so by less than two of their standard errors (A44, A44a).
The other six (A38, A38b, A41, A42, A45, A45a) lie above it by more than that where a standard error
is quoted, and by 0.005 and 0.085 where none is (A38, A38b): no choice and no data have such a rate.
What gives one is a wrong truth: where held-out scores stand for the distribution function, their
noise counts as misses, and ties are counted one by one (A41b).

The bound is nearly attained by an adversary who chooses the M naive bands that are farthest off:

{grid(heads, lines)}"""


_SHORTLISTS = """## Shortlists of 31

n = 200. "regression": absolute errors of linear predictors on the same examples; "alike":
independent candidates of which none is better. The truth is the exact distribution function."""
_LARGE = """## A thousand of two thousand

The source's synthetic setting: linear-Gaussian regression with K = 2000, M = 1000. Its dimensions
are not given; ours are ten, and predictors off by 0.3 in each."""
_TASKS = """## Scores as in the source's tasks

"queries": losses with five values of 43 strategies of decoding in four families, correlated over
prompts. "judged": scores from 1 to 10 of 20 candidates. "buffers": 18 configurations whose buffer
is empty in 75 to 90 % of the runs, one value for each run. With ties all bands are conservative."""


def _rates(part: str, rows: list[Row], cells: tuple[str, ...], words: str) -> str:
    """False coverage of all methods, one column for each cell."""
    del part
    keys = list(dict.fromkeys(tuple(row[k] for k in cells) for row in rows))
    lines = []
    for name in METHODS:
        of = {tuple(row[k] for k in cells): row for row in chosen(rows, method=name)}
        lines.append([name, *(told(Figure(of[k]["fcr"], of[k]["fcr_error"])) for k in keys)])
    heads = ["method", *(_cell(cells, key) for key in keys)]
    return f"{words}\n\nFalse coverage rate:\n\n{grid(heads, lines)}"


def _cell(names: tuple[str, ...], key: tuple[object, ...]) -> str:
    return ", ".join(
        f"{value}" if name == "world" else f"{name} = {value}"
        for name, value in zip(names, key, strict=True)
    )


def _series(tables: Mapping[str, list[Row]]) -> str:
    lines = [
        [row["method"], told(Figure(row["fcr"], row["fcr_error"]))] for row in tables["series"]
    ]
    refused = {row["world"]: row for row in tables["refused"]}
    said = {
        name: told(Figure(row["refused"], row["refused_error"])) for name, row in refused.items()
    }
    return f"""## A series in time breaks every one of them

The same buffers, one value every quarter of a second in a single run, with a correlation of 0.95
from one to the next:

{grid(("method", "false coverage rate"), lines)}

{drawn.shown("psdme/series", "False coverage rate of each method on a series in time")}

`certify` refuses such a log (NF117) in a share of {said["buffer series"]} of the simulated ones,
and one value for each run in a share of {said["buffers"]}. Ask with one row for each run, or with
`unit="cluster"`."""


def _held_out(rows: list[Row]) -> str:
    lines = [
        [row["method"], f"{row['M']}", row["truth"], told(Figure(row["fcr"], row["fcr_error"]))]
        for row in rows
    ]
    return f"""## A held-out half is not the truth

Losses with five values, 43 strategies, 100 prompts choose and make bands, another 100 stand for the
truth. The last line of each group is what happens.

{grid(("method", "M", "truth taken from", "false coverage rate"), lines)}"""


def _widths(rows: list[Row]) -> str:
    keys = list(dict.fromkeys((row["K"], row["M"], row["n"]) for row in rows))
    lines = []
    for name in METHODS:
        of = {(row["K"], row["M"], row["n"]): row for row in chosen(rows, method=name)}
        lines.append([name, *(f"{of[key]['half_width']:.4f}" for key in keys)])
    heads = ["method", *(f"{K}, {M}, {n}" for K, M, n in keys)]
    return f"""## Half-widths

Columns are K, M, n. "naive" is not valid, and "fixed size" only where M was fixed beforehand;
"Benjamini-Yekutieli" and "minimax" hold for any number chosen.

{grid(heads, lines)}"""


def _winner(rows: list[Row]) -> str:
    lines = [
        [f"{row['K']}", f"{row['M']}", f"{row['n']}", row["method"], f"{row['fails']:.4f}"]
        for row in rows
    ]
    return f"""## The best of the shortlist is not covered by its level

Probability that the guarantee of the winner fails: independent candidates that are alike, chosen by
the guarantee itself, failure rate 1/2, DKW. Exact, from the binomial law.

{grid(("K", "M", "n", "level", "fails with probability"), lines)}"""


def _tails(rows: list[Row]) -> str:
    names = list(dict.fromkeys(row["band"] for row in rows))
    lines = []
    for n, gamma in dict.fromkeys((row["n"], row["gamma"]) for row in rows):
        found = [chosen(rows, n=n, gamma=gamma, band=name)[0]["rank"] for name in names]
        shares = ["none" if rank is None else f"{rank / n:.3f}" for rank in found]
        lines.append([f"{n}", f"{gamma:g}", *shares])
    return f"""## Small failure rates

Which order statistic, as a share of n, is guaranteed to be exceeded in at most a share gamma of
future cases; levels are those of K = 31, M = 10.

{grid(("n", "gamma", *names), lines)}"""


_SHOWN = {"naive", SPLIT, PSDME, "fixed size", DEFAULT, "default, declared 0 or 1"}


def _public(rows: list[Row], present: Sequence[str]) -> str:
    head = "## Public tables\n\n"
    absent = [name for name in pools.TABLES if name not in present]
    left_out = (
        f"Left out, as they were not given with `--tables`: {', '.join(absent)} "
        "([where they come from](../explanation/real-tables.md)).\n\n"
        if absent
        else ""
    )
    if not rows:
        return (head + left_out).rstrip()
    lines = [
        [row["world"], row["method"], told(Figure(row["fcr"], row["fcr_error"])), row["band"]]
        for row in rows
        if row["method"] in _SHOWN
    ]
    words = "\n".join(
        f"* {name}: {pools.TABLES[name].told}; M = {pools.TABLES[name].M}, "
        f"n = {pools.TABLES[name].n}"
        for name in present
    )
    return (
        f"{head}{left_out}Examples are drawn again from a table with replacement, so that the "
        f"table itself is the truth ([where they come from](../explanation/real-tables.md)).\n\n"
        f"{words}\n\n{grid(('table', 'method', 'false coverage rate', 'band'), lines)}"
    )
