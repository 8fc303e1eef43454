"""The figure that each claim is compared with, read from the tables of the study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias

from nofluke.studies.engine import Figure, Row

Tables: TypeAlias = Mapping[str, list[Row]]

FIGURES: dict[str, Callable[[Tables], Figure]] = {}

GAINS = ("sparse2", "sparse10", "acc30", "rouge", "tight", "likert")
NOTE = "Hoeffding, two sides"


def chosen(rows: Iterable[Row], **wanted: object) -> list[Row]:
    """Rows whose columns have the value wanted, or one of several."""
    sets = {k: v if isinstance(v, tuple) else (v,) for k, v in wanted.items()}
    return [row for row in rows if all(row[k] in v for k, v in sets.items())]


def _add(name: str, says: str, measure: Callable[[Tables], Figure]) -> None:
    measure.__doc__ = says
    FIGURES[name] = measure


def _only(tables: Tables, part: str, **wanted: object) -> Row:
    (row,) = chosen(tables[part], **wanted)
    return row


def _at(tables: Tables, *, part: str, column: str, error: str = "", **wanted: object) -> Figure:
    row = _only(tables, part, **wanted)
    return Figure(float(row[column]), float(row[error]) if error else 0.0)


def _most(rows: Iterable[Row], column: str, error: str) -> Figure:
    """The largest, counting its error for it."""
    return max((Figure(r[column], r[error]) for r in rows), key=lambda f: f.value + 4 * f.error)


def _eps(tables: Tables, *, n: int, column: str = "note") -> Figure:
    return _at(tables, part="thresholds", column=column, n=n)


def _over(tables: Tables, above: str, below: str, n: int) -> Figure:
    return Figure(_eps(tables, n=n, column=above).value / _eps(tables, n=n, column=below).value, 0)


def _looked(tables: Tables, test: str, looked: str) -> Figure:
    return _most(chosen(tables["looking"], test=test, looked=looked), "false_alarms", "error")


def _alarms(tables: Tables, test: str) -> Figure:
    return _most(chosen(tables["nulls"], test=test), "false_alarms", "error")


def _wider(tables: Tables, shape: str) -> Figure:
    """STaR's half-width over that of t at n = 1000."""
    one, other = (
        _at(
            tables, part="widths", column="half_width", error="half_width_error",
            shape=shape, n=1000, method=method,
        )
        for method in ("star", "t")
    )  # fmt: skip
    ratio = one.value / other.value
    return Figure(ratio, ratio * (one.error / one.value + other.error / other.value))


for _id, _n in (
    ("D11", 100), ("D11a", 500), ("D11b, D26", 1000), ("D43", 1500), ("D44", 8000),
    ("D38", 5000), ("D38b", 1200),
):  # fmt: skip
    _add(f"eps_{_n}", f"{_id}.", partial(_eps, n=_n))
_add("eps_500_blocks", "D38a.", partial(_eps, n=500))
_add("eps_500_wide", "D32a.", partial(_eps, n=500, column="bounds_1.05"))
_add("wider_bounds", "D32.", lambda t: _over(t, "bounds_1.05", "note", 500))
_add("sides", "D19a.", lambda t: _over(t, "note", "one_sided", 1000))
_add(
    "wilcoxon",
    "D7.",
    partial(
        _at, part="nulls", column="false_alarms", error="error",
        null="skew", n=1000, test="wilcoxon",
    ),
)  # fmt: skip
_add(
    "bootstrap_ratio", "D9.",
    partial(_at, part="bootstrap", column="ratio", error="ratio_error", n=500),
)  # fmt: skip
_add(
    "bootstrap_moves", "D9a.",
    partial(_at, part="bootstrap", column="moved", error="moved_error", n=200),
)  # fmt: skip
_add("hoeffding_once", "D10.", partial(_looked, test=NOTE, looked="at the end"))
_add("demo_mean", "D15.", partial(_at, part="demonstration", column="mean"))
_add("demo_sd", "D15a.", partial(_at, part="demonstration", column="sd"))
_add("demo_limit", "D15b.", partial(_at, part="demonstration", column="hedged_star_limit"))
_add(
    "bernstein", "D18.",
    lambda t: Figure(max(row["ratio"] for row in t["bernstein"]), 0.0),
)  # fmt: skip
_add("n_star", "D20.", partial(_at, part="sizes", column="n_star", envelope="note"))
_add("n_with_power", "D20a.", partial(_at, part="sizes", column="n_with_power", envelope="note"))
_add("thrice_by_t", "D21.", partial(_looked, test="t, one side", looked="three in a row"))
_add("thrice_by_note", "D21a.", partial(_looked, test=NOTE, looked="three in a row"))
_add(
    "thrice_finds", "D21c.",
    lambda t: _most(
        chosen(t["stopping"], test="the note's rule", shape=GAINS), "called", "called_error"
    ),
)  # fmt: skip
_add("all_pass", "D22.", lambda t: _most(t["gates"], "all", "all_error"))
_add("any_passes", "D22a.", partial(_at, part="gates", column="any", error="any_error", rho=0.0))
_add("repeated", "D40.", partial(_at, part="again", column="over", error="over_error"))
_add(
    "sorted_rows", "E1.",
    partial(_at, part="order", column="false_alarms", error="error", order="by A's score"),
)  # fmt: skip
_add(
    "pooled_repeats", "E2.",
    partial(_at, part="repeats", column="false_alarms", error="error", rounds=8),
)  # fmt: skip
_add("best_of_20", "E3.", partial(_at, part="best_of", column="false_alarms", error="error", k=20))
_add(
    "items_in_clusters", "E4.",
    partial(
        _at, part="grouped", column="called", error="error",
        effects="normal", G=500, gain=0.0, test="items, t",
    ),
)  # fmt: skip
_add("hedged_alarms", "E5.", partial(_alarms, test="hedged_star"))
_add("star_over_t", "E6.", partial(_wider, shape="rouge"))
_add(
    "t_in_the_trap", "E7.",
    partial(
        _at, part="widths", column="coverage", error="coverage_error",
        shape="trap", n=50, method="t",
    ),
)  # fmt: skip
_add("t_looked_at", "E8.", partial(_looked, test="t, one side", looked="at any look"))
