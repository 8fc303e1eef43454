"""The figure that each claim is compared with, read from the tables of the study."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from nofluke.studies.engine import Figure, Row, pooled

Tables: TypeAlias = Mapping[str, list[Row]]

FIGURES: dict[str, Callable[[Tables], Figure]] = {}


def chosen(rows: list[Row], **wanted: object) -> list[Row]:
    """Rows whose columns have the values wanted."""
    return [row for row in rows if all(row[k] == v for k, v in wanted.items())]


def _add(name: str, says: str, measure: Callable[[Tables], Figure]) -> None:
    measure.__doc__ = says
    FIGURES[name] = measure


def _number(tables: Tables, *, name: str) -> Figure:
    (row,) = chosen(tables["numbers"], number=name)
    return Figure(row["value"], 0.0)


def _maximum(tables: Tables, *, name: str, m: int = 10, rho: float) -> Figure:
    (row,) = chosen(tables["maxima"], number=name, m=m, rho=rho)
    return Figure(row["value"], row["error"])


def _ratio(above: Figure, below: Figure) -> Figure:
    value = above.value / below.value
    return Figure(value, value * (above.error / above.value + below.error / below.value))


def _of_winners(tables: Tables, *, method: str, column: str) -> Figure:
    """Mean of six cells: three correlations, equal and spread true areas."""
    rows = chosen(tables["winners"], method=method)
    return pooled(Figure(row[column], row[f"{column}_error"]) for row in rows)


def _layer(tables: Tables, *, name: str) -> Figure:
    rows = chosen(tables["layers"], number=name)
    return pooled(Figure(row["value"], row["error"]) for row in rows)


NUMBERS = {
    "mean": "B1.",
    "gate by the mean": "B1a.",
    "gate by the maximum": "B1b.",
    "sum of squares": "B2.",
    "standard deviation": "B2a.",
    "maximum": "B2b.",
    "gap": "B2c.",
    "factor of the bound": "B9.",
    "accuracy": "B12.",
    "recall": "B12a.",
    "specificity": "B12b.",
    "false positive rate": "B12c.",
    "precision": "B12d, B14.",
    "negative predictive value": "B12e.",
    "balanced accuracy": "B12f.",
    "pairs": "B18.",
    "threshold": "B31.",
    "cost": "B32.",
    "cost of nobody": "B32a.",
    "precision at 1 %": "B77.",
    "standard error of one area": "Q1.",
}
for _name, _says in NUMBERS.items():
    _add(_name.replace(" ", "_").replace("%", "percent"), _says, partial(_number, name=_name))

_add("passes_alone", "B7.", partial(_maximum, name="passes", rho=0.0))
_add("lead_alone", "B8.", partial(_maximum, name="lead", rho=0.9))
_add("lead_of_copies", "B8a.", partial(_maximum, name="lead", rho=1.0))
_add(
    "lead_correlated",
    "B10.",
    lambda t: _ratio(_maximum(t, name="lead", rho=0.9), _maximum(t, name="lead", rho=0.0)),
)
_add(
    "lead_opposed",
    "B10a.",
    lambda t: _ratio(
        Figure(t["opposed"][0]["lead"], t["opposed"][0]["lead_error"]),
        Figure(t["opposed"][0]["independent"], 0.0),
    ),
)
_add("both_parts", "B40.", partial(_layer, name="both parts over variance of the mean"))
_add("recipe_covered", "B40a.", partial(_layer, name="coverage"))
_add("seeds_only", "B82.", partial(_layer, name="coverage by s / sqrt(10)"))
_add("plain_winner", "B43.", partial(_of_winners, method="delong", column="coverage"))
for _rho, _says in ((0.0, "Q2."), (0.5, "Q3."), (0.9, "Q4.")):
    _add(f"normal_winner_{_rho:g}", _says, partial(_maximum, name="covers", rho=_rho))
_add("hybrid_winner", "Q5.", partial(_of_winners, method="hybrid", column="coverage"))
_add("hybrid_lead", "Q6.", partial(_of_winners, method="hybrid", column="lead"))
