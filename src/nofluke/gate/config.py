"""A gate's configuration: found, read, and every mistake in it told at once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nofluke.errors import InputError, ReadError
from nofluke.gate.keys import CHECK, METRIC, faults, spelled, unknown
from nofluke.questions.claims import Claim

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

Require: TypeAlias = Literal["one", "all", "any", "primary"]

_READING = ("better", "bounds", "binary", "failed")
_ASKING = ("margin", "alternative", "method", "planned")
_ASKING_OF_CHECK = ("plan", "clusters", "missing", "seed")
_ALPHA = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One question of a check.

    Attributes:
        name: The metric; None where the file has one and does not name it.
        role: "primary", "guardrail" or "".
        reading: What ``nofluke.read`` is told beside the source.
        asking: What ``nofluke.compare`` is told beside the sides and alpha.
    """

    name: str | None
    role: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    asking: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One `[[check]]`: two sides, one or several metrics, and how these decide together.

    Attributes:
        name: What it is called.
        folder: Where relative paths begin.
        baseline: Path or pattern of the baseline; None where one table holds both.
        candidate: Path or pattern of the candidate.
        scores: The table that holds both; None where there are two sources.
        a: Name of the baseline; None to name it by its file.
        b: Name of the candidate.
        metrics: The questions.
        require: "one", "all", "any", or "primary" (with guardrails).
        alpha: Error level of the check's verdict; None where a plan file settles it.
        inconclusive: What too little evidence means: "fail", "pass" or "report".
    """

    name: str
    folder: Path
    baseline: str | None
    candidate: str | None
    scores: str | None
    a: str | None
    b: str | None
    metrics: tuple[Metric, ...]
    require: Require
    alpha: float | None
    inconclusive: str


def load(source: str | PathLike[str] = ".") -> tuple[Path, tuple[Check, ...]]:
    """The checks of a configuration, and the file they are in.

    Args:
        source: A TOML file, or a folder with ``nofluke.toml`` or with ``[tool.nofluke]`` in
            ``pyproject.toml``.

    Raises:
        InputError: No configuration there (NF035), or mistakes in it, all at once (NF034).
    """
    path = _found(Path(source))
    given = _table(path)
    wrong = [f"unknown key {k!r} beside check." for k in given if k != "check"]
    listed = given.get("check")
    tables = [listed] if isinstance(listed, dict) else listed
    if not isinstance(tables, list) or not tables:
        said = "there is no [[check]]" if listed is None else f"check = {spelled(listed)}"
        wrong.append(f"{said}; expected [[check]] tables, each a comparison.")
        tables = []
    found = []
    for i, table in enumerate(tables, start=1):
        mistakes, check = _check(table, i, path.parent)
        wrong += mistakes
        found += [check] if check else []
    names = [check.name for check in found]
    wrong += [f"two checks are called {n!r}." for n in sorted({*names}) if names.count(n) > 1]
    if wrong:
        listed_wrong = "\n".join(f"  - {fault}" for fault in wrong)
        count = f"{len(wrong)} mistake{'s' if len(wrong) > 1 else ''}"
        raise InputError(f"{path} holds {count}:\n{listed_wrong}", code="NF034")
    return path, tuple(found)


def _found(path: Path) -> Path:
    if path.is_file():
        return path
    if path.is_dir():
        own, project = path / "nofluke.toml", path / "pyproject.toml"
        if own.is_file():
            return own
        if project.is_file() and "nofluke" in _tool(project):
            return project
    raise InputError(
        f"there is no gate in {path}: expected nofluke.toml, or [tool.nofluke] in "
        "pyproject.toml, with [[check]] tables; or give the file: nofluke gate FILE.",
        code="NF035",
    )


def _table(path: Path) -> dict[str, Any]:
    """The part of the file that is ours."""
    if path.name != "pyproject.toml":
        return _read(path)
    found = _tool(path).get("nofluke", {})
    return found if isinstance(found, dict) else {"check": found}


def _tool(project: Path) -> dict[str, Any]:
    """The tables of all tools."""
    found = _read(project).get("tool", {})
    if not isinstance(found, dict):
        raise InputError(
            f"{project} holds 1 mistake:\n  - tool = {spelled(found)}; expected a table.",
            code="NF034",
        )
    return found


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ReadError(f"{path} is not TOML: {error}.", code="NF034", path=str(path)) from None


def _check(table: Any, number: int, folder: Path) -> tuple[list[str], Check | None]:
    """The mistakes in one check, or the check."""
    if not isinstance(table, dict):
        return [f"check {number}: {spelled(table)}; expected a table."], None
    name = table.get("name")
    name = name if isinstance(name, str) and name.strip() else f"check {number}"
    wrong = faults(table, CHECK, name)
    own = table.get("metrics")
    if isinstance(own, dict):
        for metric, keys in own.items():
            if isinstance(keys, dict):
                wrong += faults(keys, METRIC, f"{name}, metric {metric!r}")
    if not wrong:
        wrong = [f"{name}: {fault}" for fault in (*_source(table), *_logic(table))]
    if wrong:
        return wrong, None
    metrics = tuple(_metric(table, m, folder) for m in _names(table))
    wrong = [f"{name}: {f}" for m in metrics if (f := _no_claim(m))]
    if wrong:
        return wrong, None
    return [], Check(
        name=name,
        folder=folder,
        **{key: table.get(key) for key in ("baseline", "candidate", "scores", "a", "b")},
        metrics=metrics,
        require=_require(table),
        alpha=table.get("alpha", None if "plan" in table else _ALPHA),
        inconclusive=table.get("inconclusive", "report"),
    )


def _source(table: Mapping[str, Any]) -> list[str]:
    """Whether there are two sides, said in one way."""
    two = [key for key in ("baseline", "candidate") if key in table]
    if "scores" in table:
        wrong = [f"scores holds both sides, so {key} has no part." for key in two]
        lacking = [key for key in ("a", "b") if key not in table]
        if lacking:
            wrong.append(f"scores holds both sides; say which: {' and '.join(lacking)} is missing.")
        return wrong
    if len(two) < 2:
        lacking = [key for key in ("baseline", "candidate") if key not in table]
        return [f"{' and '.join(lacking)} is missing; or one table scores with a and b."]
    return []


def _logic(table: Mapping[str, Any]) -> list[str]:
    """Whether the metrics and the way they decide together make one question."""
    names, wrong = _names(table), []
    if "metric" in table and ("metrics" in table or "primary" in table):
        wrong.append("metric is for one; with metrics or primary leave it out.")
    if ("primary" in table) != ("guardrails" in table):
        wrong.append("primary and guardrails go together: give both, or metrics with require.")
    if "primary" in table and "require" in table:
        wrong.append("require has no part beside primary: it and all guardrails must hold.")
    if table.get("primary") in table.get("guardrails", {}):
        wrong.append(f"{table['primary']!r} is primary and a guardrail; choose one.")
    for metric, margin in table.get("guardrails", {}).items():
        if not 0 < margin < float("inf"):
            wrong.append(
                f"guardrails: {metric} = {margin:g} must be above 0, the loss that is tolerated: "
                "no finite number of examples shows that nothing is lost."
            )
    listed = table.get("metrics")
    own: Mapping[str, Any] = listed if isinstance(listed, dict) else {}
    for metric in table.get("guardrails", {}):
        wrong += [
            f"metrics: {metric} is a guardrail, so it must not be worse by the margin that "
            f"guardrails gives; {key} has no part in [check.metrics.{metric}]."
            for key in ("margin", "alternative")
            if key in own.get(metric, {})
        ]
    if "primary" in table:
        wrong += [
            unknown(m, tuple(map(str, names))) for m in table.get("metrics", ()) if m not in names
        ]
    if "require" in table and len(names) < 2:
        wrong.append("require is for several metrics.")
    if len(set(names)) < len(names):
        wrong.append("metrics names one twice.")
    if len(names) > 1 and "column" in table:
        wrong.append("column is for one metric; give each its own under [check.metrics.NAME].")
    if len(names) > 1 and "plan" in table:
        wrong.append("a plan settles one question; give each metric a check of its own.")
    return wrong


def _names(table: Mapping[str, Any]) -> list[str | None]:
    if "primary" in table:
        return [table["primary"], *table.get("guardrails", {})]
    return list(table["metrics"]) if "metrics" in table else [table.get("metric")]


def _require(table: Mapping[str, Any]) -> Require:
    if "primary" in table:
        return "primary"
    if len(_names(table)) == 1:
        return "one"
    return "any" if table.get("require") == "any" else "all"


def _metric(table: Mapping[str, Any], name: str | None, folder: Path) -> Metric:
    """One question: the keys of its own, else those of the check."""
    listed = table.get("metrics")
    own = listed.get(name, {}) if isinstance(listed, dict) else {}
    role = ""
    if "primary" in table:
        role = "primary" if name == table["primary"] else "guardrail"
    shared = {k: v for k, v in table.items() if k in METRIC}
    if role == "guardrail":
        # The margin and the claim of the check are those of its primary metric.
        shared = {k: v for k, v in shared.items() if k not in ("margin", "alternative")}
        shared |= {"margin": table["guardrails"][name], "alternative": "not-worse"}
    keys = {**shared, **own}
    asking = {k: keys[k] for k in _ASKING if k in keys}
    asking |= {k: table[k] for k in _ASKING_OF_CHECK if k in table}
    if "plan" in table:
        asking["plan"] = str(folder / table["plan"])
    else:
        tolerated = keys.get("margin", 0) > 0 and role != "primary"
        asking.setdefault("alternative", "not-worse" if tolerated else "better")
    reading = {k: keys[k] for k in _READING if k in keys}
    columns = dict(table.get("columns", {}))
    if "column" in keys:
        columns["score"] = keys["column"]
    if columns:
        reading["columns"] = columns
    return Metric(name=name, role=role, reading=reading, asking=asking)


def _no_claim(metric: Metric) -> str | None:
    """Why margin and alternative make no claim; None where they do."""
    if "plan" in metric.asking:
        return None
    try:
        Claim.understood(metric.asking["alternative"], metric.asking.get("margin", 0.0), _ALPHA)
    except InputError as error:
        return str(error)
    return None
