"""Which column plays which role: by alias or by the caller's word, and a note on guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from nofluke.errors import InputError, some
from nofluke.scores import metrics

if TYPE_CHECKING:
    from nofluke.scores.readers.tables import Table

Wanted: TypeAlias = Mapping[str, str | Sequence[str] | None]

# Earlier aliases win: in a table with "item" and "doc_id" the example is "item".
ALIASES: Final[dict[str, tuple[str, ...]]] = {
    role: tuple(names.split())
    for role, names in {
        "candidate": "candidate model model_name system config configuration method strategy "
        "algorithm engine",
        "example": "example item id example_id item_id sample sample_id doc_id question_id "
        "instance_id task_id prompt_id request_id qid uid",
        "score": "score value kpi",
        "run": "run seed repeat trial epoch replicate",
        "cluster": "cluster",
        "group": "group subgroup slice stratum",
        "input": "input input_text prompt question query instruction messages input_ids prompt_ids "
        "prompt_token_ids token_ids input_hash prompt_hash doc_hash",
        "output": "output output_text model_output response completion generation generated_text "
        "prediction filtered_resps resps",
        "time": "time timestamp t step",
        "metric": "metric",
    }.items()
}

# What was asked and answered: found by name only where contents are read.
CONTENTS: Final = ("input", "output")
# Found by name only where they are asked for as well.
BESIDE: Final = ("group", *CONTENTS)

# What may tell runs apart where there is no example column. Epochs are moments of one training.
_NO_RUNS: Final = frozenset({"epoch"})
_FOLDS: Final = ("fold",)

# Columns that harnesses use to tell failed rows. They are pointed out, never interpreted.
FAILURES: Final = frozenset(
    [
        "error_code",
        "error_msg",
        "error_message",
        "exception",
        "failed",
        "failure",
        "failure_info",
        "failure_reason",
        "status",
        "status_code",
        "timed_out",
        "timeout",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the caller said about columns.

    Attributes:
        wanted: Columns by role.
        failed: The column that tells which rows failed.
        flag: The same, unless it is compared by size: the score itself may be, a flag is no score.
        keep: Columns to keep beside the scores.
        metric: The metric asked for: a column of its name holds the scores.
        contents: Whether what was asked and answered is looked for.
    """

    wanted: Wanted
    failed: str | None = None
    flag: str | None = None
    keep: tuple[str, ...] = ()
    metric: str | None = None
    contents: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of one table by role.

    Attributes:
        candidate: Column of candidate ids; None when ``name`` or the score columns name them.
        name: The one candidate of a table without a candidate column.
        example: Column of example ids.
        scores: The score column, or the candidates' columns of a wide table.
        wide: Whether each score column is a candidate.
        generic: Whether the score column's name says nothing about the metric.
        note: What was guessed, or None.
        by_run: Whether there is no example column and the column of runs stands in for it.
    """

    candidate: str | None
    name: str | None
    example: str
    scores: tuple[str, ...]
    wide: bool
    generic: bool
    run: str | None
    cluster: str | None
    group: str | None
    input: str | None
    output: str | None
    time: str | None
    metric: str | None
    note: str | None
    by_run: bool = False

    @property
    def candidates(self) -> list[str] | None:
        """Candidate ids that the layout knows without reading rows."""
        if self.wide:
            return list(self.scores)
        return None if self.name is None else [self.name]

    @property
    def ids(self) -> dict[str, str]:
        """Columns of ids, which are read as text, each with its role."""
        roles = ("cluster", "run", "example", "candidate")
        named = {getattr(self, role): role for role in roles}
        return {column: role for column, role in reversed(named.items()) if column is not None}


class Name(NamedTuple):
    """Candidate of a table without a candidate column; ``given`` if the caller named it."""

    text: str | None = None
    given: bool = False


class _Roles(NamedTuple):
    candidate: str | None
    example: str
    run: str | None
    cluster: str | None
    group: str | None
    input: str | None
    output: str | None
    time: str | None
    metric: str | None


def resolve(table: Table, asked: Asked, name: Name) -> Layout:
    """The layout of a table.

    Args:
        table: Its columns are looked at; rows only where numbers must be told from text.
        asked: What the caller said.
        name: The candidate, if no column says.

    Raises:
        InputError: A role cannot be filled, or two columns could fill it.
    """
    if name.given and asked.wanted.get("candidate") is not None:
        raise InputError(
            f"columns= names a candidate column, but the mapping says that {table.source.label} "
            f"is the candidate {name.text!r}; give a list of files instead.",
            code="NF008",
        )
    if name.given:
        asked = replace(asked, wanted={**asked.wanted, "candidate": None})
    _check_wanted(table, asked)
    example = _pick(table, "example", asked)
    if example is None:
        return replace(resolve(table, _run_as_example(table, asked), name), by_run=True)
    candidate, run, cluster, metric = (
        _pick(table, role, asked) for role in ("candidate", "run", "cluster", "metric")
    )
    # Guessed later: a column called time or prediction may be the score, or a candidate.
    late = {role: _told(role, asked) for role in (*BESIDE, "time")}
    roles = _Roles(
        candidate=candidate, example=example, run=run, cluster=cluster, metric=metric, **late
    )
    listed = asked.wanted.get("candidate")
    if listed is not None and not isinstance(listed, str):
        return _wide(roles, tuple(listed), asked, "")
    score = _pick(table, "score", asked) or _metric_named(table, roles, asked)
    layout = (
        _by_numbers(table, roles, asked, name)
        if score is None
        else _long(table, roles, score, asked, name)
    )
    _refuse_other_metric(table, layout, asked)
    return layout


def _run_as_example(table: Table, asked: Asked) -> Asked:
    """The same question where a run is the example: a table of one number for each run."""
    run = None if "example" in asked.wanted else _pick(table, "run", asked)
    if run is None or (run.strip().lower() in _NO_RUNS and "run" not in asked.wanted):
        folds = [c for c in table.kinds if c.strip().lower() in _FOLDS]
        if "example" in asked.wanted or "run" in asked.wanted or len(folds) != 1:
            raise _no_example(table)
        run = folds[0]
    return replace(asked, wanted={**asked.wanted, "example": run, "run": None})


def _refuse_other_metric(table: Table, layout: Layout, asked: Asked) -> None:
    """A metric that is asked for must not be read from a column of another name."""
    if asked.metric is None or layout.metric is not None or "score" in asked.wanted:
        return
    if layout.wide or layout.generic or _same(layout.scores[0], asked.metric):
        return
    raise table.refuse(
        f"metric={asked.metric!r} is asked for, and the scores are in column "
        f"{layout.scores[0]!r}; if that is the metric by another name, say so: "
        f'columns={{"score": "{layout.scores[0]}"}}. The columns are {_listed(table)}.',
        code="NF003",
    )


def _same(column: str, metric: str) -> bool:
    """Whether a column is called like a metric, in any case of letters and with - or blanks."""
    one, other = (
        text.strip().lower().replace("-", "_").replace(" ", "_") for text in (column, metric)
    )
    return one == other


def _by_numbers(table: Table, roles: _Roles, asked: Asked, name: Name) -> Layout:
    """Without a score column, columns of numbers are candidates; a lone one may be the score."""
    used = {*roles, *asked.keep, asked.failed}
    rest = [c for c in table.kinds if c not in used and c.strip()]
    numeric = table.numeric(rest) if roles.candidate is None else []
    if name.given and len(numeric) == 1:
        return _long(table, roles, numeric[0], asked, name)
    if not numeric or name.given:
        raise table.refuse(
            f"there is no score column among {_listed(table)}; name the columns: "
            'columns={"candidate": "...", "example": "...", "score": "..."}.',
            code="NF003",
        )
    unread = [c for c in rest if c not in numeric]
    extra = f"; not read: {some(unread)}" if unread else ""
    told = f"; every column of numbers is a candidate: {some(numeric)}{extra}"
    return _wide(roles, tuple(numeric), asked, told)


def _long(table: Table, roles: _Roles, score: str, asked: Asked, name: Name) -> Layout:
    if roles.candidate is None and name.text is None:
        raise table.refuse(
            f"there is no candidate column among {_listed(table)}, and no name of a file that "
            'tells candidates apart; name it: columns={"candidate": "..."}, or give a mapping '
            "{candidate: table}.",
            code="NF003",
        )
    own = name.text if roles.candidate is None else None
    known = replace(asked, wanted={**asked.wanted, "score": score})
    late = ("time", *(BESIDE if asked.contents else ()))
    guessed: dict[str, Any] = {
        role: _pick(table, role, known) for role in late if role not in asked.wanted
    }
    roles = roles._replace(**guessed)
    extra = "" if own is None or name.given else "; the candidate is named by the file"
    return Layout(
        **roles._asdict(),
        name=own,
        scores=(score,),
        wide=False,
        generic=score.strip().lower() in ALIASES["score"],
        note=_note({**roles._asdict(), "score": score}, asked, extra),
    )


def _wide(roles: _Roles, scores: tuple[str, ...], asked: Asked, told: str) -> Layout:
    return Layout(
        **roles._replace(candidate=None)._asdict(),
        name=None,
        scores=scores,
        wide=True,
        generic=True,
        note=_note(roles._asdict(), asked, told),
    )


def _check_wanted(table: Table, asked: Asked) -> None:
    unknown = [role for role in asked.wanted if role not in ALIASES]
    if unknown:
        raise InputError(
            f"columns= names the roles {some(unknown)}; roles are {', '.join(ALIASES)}.",
            code="NF008",
        )
    for role, given in asked.wanted.items():
        names = [given] if isinstance(given, str) else list(given or ())
        if given is not None and not isinstance(given, str) and role != "candidate":
            raise InputError(f"columns={{{role!r}: {given!r}}} must name one column.", code="NF008")
        require(table, names, f"columns={{{role!r}: {given!r}}}")
    require(table, asked.keep, f"keep={list(asked.keep)!r}")
    require(table, [asked.failed] if asked.failed is not None else [], f"failed={asked.failed!r}")


def _told(role: str, asked: Asked) -> str | None:
    given = asked.wanted.get(role)
    return given if isinstance(given, str) else None


def require(table: Table, names: Sequence[str], asked: str) -> None:
    """Refuse columns that the table does not have."""
    absent = [name for name in names if name not in table.kinds]
    if absent:
        raise table.refuse(
            f"{asked}: there is no column {some(absent)}; the columns are {_listed(table)}.",
            code="NF003",
        )


def _pick(table: Table, role: str, asked: Asked) -> str | None:
    """The column the caller named, else the column with the best alias."""
    if role in asked.wanted:
        given = asked.wanted[role]
        return given if isinstance(given, str) else None
    taken = {c for c in asked.wanted.values() if isinstance(c, str)}
    taken |= {c for c in asked.wanted.values() if not isinstance(c, str) for c in c or ()}
    if role in {"score", "time", *CONTENTS}:
        taken |= {*asked.keep, *([asked.flag] if asked.flag else [])}
    free = [c for c in table.kinds if c not in taken]
    for alias in ALIASES[role]:
        found = [c for c in free if c.strip().lower() == alias]
        if len(found) == 1:
            return found[0]
        if found:
            exact = [c for c in found if c == alias]
            return exact[0] if exact else _ask(table, role, found)
    return None


def _metric_named(table: Table, roles: _Roles, asked: Asked) -> str | None:
    """A score column known by its metric's name, such as "accuracy"."""
    if "score" in asked.wanted:
        return None
    others = {*roles, *asked.keep, asked.flag}
    if asked.metric is not None:
        named = [c for c in table.kinds if c not in others and _same(c, asked.metric)]
        if named:
            return named[0]
    found = [c for c in table.kinds if c not in others and metrics.orientation(c) is not None]
    if len(found) > 1:
        return _ask(table, "score", found)
    return found[0] if found else None


def _ask(table: Table, role: str, found: list[str]) -> str:
    raise table.refuse(
        f"the columns {some(found)} could each be the {role}; choose one: "
        f'columns={{"{role}": "{found[0]}"}} or columns={{"{role}": "{found[1]}"}}.',
        code="NF003",
    )


def _no_example(table: Table) -> InputError:
    return table.refuse(
        "there is no example column: rows need an id, so that scores of the same example can be "
        f'paired; name it: columns={{"example": "..."}}. The columns are {_listed(table)}.',
        code="NF003",
    )


def _note(used: Mapping[str, str | None], asked: Asked, extra: str) -> str | None:
    guessed = [
        f"{role}={used[role]!r}"
        for role in ALIASES
        if used.get(role) not in {None, role} and role not in asked.wanted
    ]
    if not guessed and not extra:
        return None
    told = f"read columns {', '.join(guessed)}" if guessed else "read columns by their names"
    return f"NF112: {told}{extra}."


def failure_columns(table: Table, layout: Layout) -> list[str]:
    """Columns whose name says that they tell failed rows, if no role uses them."""
    used = {*layout.ids, *layout.scores}
    return [c for c in table.kinds if c.lower() in FAILURES and c not in used]


def _listed(table: Table) -> str:
    return some(table.kinds, most=12)
