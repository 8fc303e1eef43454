"""The figure that each claim is compared with, read from the tables of the study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeAlias, cast

import numpy as np

from nofluke import selective
from nofluke.studies.engine import Figure, Row, pooled
from nofluke.studies.papers.psdme.methods import DEFAULT, PSDME, SPLIT

Tables: TypeAlias = Mapping[str, list[Row]]

FIGURES: dict[str, Callable[[Tables], Figure]] = {}

HALF = "PS-DME, power 1/2"


def chosen(rows: Iterable[Row], **wanted: object) -> list[Row]:
    """Rows whose columns have the value wanted, or one of several."""
    sets = {k: v if isinstance(v, tuple) else (v,) for k, v in wanted.items()}
    return [row for row in rows if all(row[k] in v for k, v in sets.items())]


def _add(name: str, says: str, measure: Callable[[Tables], Figure]) -> None:
    measure.__doc__ = says
    FIGURES[name] = measure


def _fcr(row: Row) -> Figure:
    return Figure(row["fcr"], row["fcr_error"])


def _worst(figures: Iterable[Figure]) -> Figure:
    """The largest, counting its error for it: a few noisy cells do not hide a bad one."""
    return max(figures, key=lambda f: f.value + 4 * f.error)


def _everywhere(tables: Tables, method: str) -> Figure:
    """The largest rate of shortlists and tasks, and of the mean over n where K is 2000."""
    rows = [*tables["shortlists"], *tables["tasks"]]
    few = [_fcr(row) for row in chosen(rows, method=method)]
    large = chosen(tables["large"], method=method)
    worlds = dict.fromkeys(row["world"] for row in large)
    return _worst([*few, *(pooled(map(_fcr, chosen(large, world=world))) for world in worlds)])


def _only(tables: Tables, part: str, **wanted: object) -> Row:
    (row,) = chosen(tables[part], **wanted)
    return row


def _width(tables: Tables, method: str, **size: object) -> float:
    return float(_only(tables, "widths", method=method, **size)["half_width"])


def _bound(tables: Tables, method: str, K: int, M: int, n: int) -> Figure:
    """The largest false coverage rate there can be: K bands are wrong with chance alpha each."""
    alpha = _only(tables, "widths", method=method, K=K, M=M, n=n)["alpha"]
    return Figure(min(1.0, K * alpha / M), 0.0)


def _exact(value: float) -> Figure:
    return Figure(value, 0.0)


def _savings(tables: Tables, method: str, other: str, sizes: Iterable[int]) -> list[float]:
    """How much narrower than another, as a share, for M of 31 chosen."""
    return [
        1 - _width(tables, method, K=31, M=M, n=200) / _width(tables, other, K=31, M=M, n=200)
        for M in sizes
    ]


def _width_at(tables: Tables, *, method: str, M: int) -> Figure:
    return _exact(_width(tables, method, K=31, M=M, n=200))


def _gain_at(tables: Tables, *, M: int) -> Figure:
    return _exact(_savings(tables, PSDME, HALF, (M,))[0])


def saved_by_default(tables: Tables) -> list[tuple[Row, float]]:
    """At each setting of the source, how much narrower the default is than the paper's rule."""
    found = []
    for row in chosen(tables["widths"], method=DEFAULT):
        size = {name: row[name] for name in ("K", "M", "n")}
        found.append((row, 1 - row["half_width"] / _width(tables, PSDME, **size)))
    return found


_add(
    "naive_fcr",
    "A3.",
    lambda t: _fcr(_only(t, "shortlists", world="alike", M=10, method="naive")),
)
_add(
    "split_fcr",
    "A4.",
    lambda t: pooled(_fcr(r) for r in chosen(t["shortlists"], world="alike", method=SPLIT)),
)
_add("psdme_fcr", "A16.", lambda t: _everywhere(t, PSDME))
_add("default_fcr", "P2.", lambda t: _everywhere(t, DEFAULT))
_add("default_saves", "P1.", lambda t: _exact(min(s for _, s in saved_by_default(t))))
_add(
    "breakeven",
    "A23.",
    lambda _: _exact(selective.split_breakeven(31, 5, 0.1, "psdme")),
)
_add(
    "breakeven_half",
    "A21: the least share of candidates at which the paper's rule beats a split in halves.",
    lambda _: _exact(
        min(M for M in range(1, 32) if selective.split_breakeven(31, M, 0.1, "psdme") > 0.5)
    ),
)
_add("power_5", "A24, A57.", lambda _: _exact(_power(5)))
_add("power_10", "A58.", lambda _: _exact(_power(10)))
_add("power_20", "A59.", lambda _: _exact(_power(20)))
_add(
    "gain_least",
    "A25, A61.",
    lambda t: _exact(min(_savings(t, PSDME, HALF, (2, 5, 10, 20, 30, 31)))),
)
_add(
    "gain_most",
    "A25a.",
    lambda t: _exact(max(_savings(t, PSDME, HALF, (2, 5, 10, 20, 30, 31)))),
)
_add("adaptive_cost", "A33.", lambda _: _exact(selective.psdme(K=31, delta=0.1).cost()))
_add("bound_20", "A38.", lambda t: _bound(t, PSDME, 2000, 1000, 20))
_add(
    "split_20",
    "A38a.",
    lambda t: _fcr(_only(t, "large", world="alike", n=20, method=SPLIT)),
)
_add("naive_bound_20", "A38b.", lambda t: _bound(t, "naive", 2000, 1000, 20))
_add(
    "psdme_100",
    "A39.",
    lambda t: _fcr(_only(t, "large", world="alike", n=100, method=PSDME)),
)
_add(
    "split_100",
    "A39a.",
    lambda t: _fcr(_only(t, "large", world="alike", n=100, method=SPLIT)),
)
_add("naive_bound_100", "A39b.", lambda t: _bound(t, "naive", 2000, 1000, 100))
_add("bound_queries_5", "A41.", lambda t: _bound(t, PSDME, 43, 5, 100))
_add("bound_queries_10", "A42.", lambda t: _bound(t, PSDME, 43, 10, 100))
_add("bound_buffers", "A44.", lambda t: _bound(t, PSDME, 18, 6, 200))
_add("naive_bound_buffers", "A44a.", lambda t: _bound(t, "naive", 18, 6, 200))
_add("bound_ten", "A45.", lambda t: _bound(t, PSDME, 10, 5, 200))
_add("naive_bound_ten", "A45a.", lambda t: _bound(t, "naive", 10, 5, 200))
_add("width_ten", "A46.", lambda t: _exact(_width(t, PSDME, K=10, M=5, n=200)))
_add(
    "rank_order",
    "A46a: ranks at the failure rate 1/4, naive minus the paper's rule, K = 10, M = 5.",
    lambda t: _exact(
        _only(t, "widths", method="naive", K=10, M=5, n=200)["rank"]
        - _only(t, "widths", method=PSDME, K=10, M=5, n=200)["rank"]
    ),
)
_add(
    "against_bonferroni",
    "A49.",
    lambda t: _exact(
        _width(t, "Bonferroni", K=31, M=5, n=200) / _width(t, PSDME, K=31, M=5, n=200)
    ),
)
for _id, _M in zip(("A50", "A51", "A52", "A53", "A54"), (2, 5, 10, 20, 30), strict=True):
    _add(f"width_{_M}", f"{_id}.", partial(_width_at, method=PSDME, M=_M))
    _add(f"split_width_{_M}", f"{_id}a.", partial(_width_at, method=SPLIT, M=_M))
for _id, _M in zip(("A57", "A58", "A59"), (5, 10, 20), strict=True):
    _add(f"half_width_{_M}", f"{_id}a.", partial(_width_at, method=HALF, M=_M))
    _add(f"gain_{_M}", f"{_id}b.", partial(_gain_at, M=_M))
_add("split_saving_5", "A56.", lambda t: _exact(_savings(t, PSDME, SPLIT, (5,))[0]))
_add(
    "split_saving_least",
    "A60.",
    lambda t: _exact(min(_savings(t, PSDME, SPLIT, (2, 5, 10, 20, 30)))),
)
_add(
    "winner_fails",
    "A27.",
    lambda t: _exact(_only(t, "winner", K=2000, method="PS-DME, two sides")["fails"]),
)
_add(
    "tails_by_berk_jones",
    "A62: share of the cells where either of two bands at one level certifies anything.",
    lambda t: _exact(_tighter(t["tails"])),
)
_add(
    "series_fcr",
    "A63.",
    lambda t: _fcr(_only(t, "series", method=PSDME)),
)
_add(
    "series_refused",
    "P3.",
    lambda t: Figure(
        *(
            _only(t, "refused", world="buffer series")[column]
            for column in ("refused", "refused_error")
        )
    ),
)
_add(
    "steps_counted",
    "A41b: false coverage of the paper's rule where each of several ties counts as a step.",
    lambda t: _fcr(_only(t, "held_out", M=5, method=PSDME, truth="steps counted")),
)


def _power(M: int) -> float:
    return cast("float", selective.psdme(K=31, delta=0.1, size=M).tau)  # None without a size only


def _tighter(rows: list[Row]) -> float:
    """How often Berk-Jones's rank is the smaller, for failure rates up to a twentieth."""
    held = []
    for row in chosen(rows, band="PS-DME, Berk-Jones"):
        (flat,) = chosen(rows, band="PS-DME, DKW", n=row["n"], gamma=row["gamma"])
        if row["gamma"] <= 0.05 and (row["rank"] or flat["rank"]):
            beyond = row["n"] + 1
            held.append((row["rank"] or beyond) < (flat["rank"] or beyond))
    return float(np.mean(held))
