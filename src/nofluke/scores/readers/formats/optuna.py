"""Optuna: studies in SQLite and in the journal file; one trial, one candidate."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import some
from nofluke.scores.readers import contents, sqlite
from nofluke.scores.readers.histories import LAST, STEP
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_COMPLETE: Final = "COMPLETE"
_STATES: Final = ("RUNNING", _COMPLETE, "PRUNED", "FAIL", "WAITING")
_POINTS: Final[dict[str, Better]] = {"MINIMIZE": "lower", "MAXIMIZE": "higher"}
_DIRECTIONS: Final = ("NOT_SET", "MINIMIZE", "MAXIMIZE")
# What the journal writes as the kind of a line.
_CREATE_STUDY, _DELETE_STUDY, _CREATE_TRIAL, _SET_PARAM = 0, 1, 4, 5
_SET_STATE, _SET_INTERMEDIATE, _STUDY_ATTRIBUTE = 6, 7, 3
_VALUES: Final = re.compile(r"values_.+$")
_NAMES: Final = "study:metric_names"  # where a study keeps the names of its objectives
_SPECIAL: Final = {"INF_POS": math.inf, "INF_NEG": -math.inf, "NAN": None}


@dataclass(slots=True)
class _Trial:
    number: int
    state: str
    values: dict[int, float | None] = field(default_factory=dict)
    between: dict[int, float | None] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Study:
    name: str
    directions: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    trials: list[_Trial] = field(default_factory=list)


class Database:
    """Studies in SQLite (`sqlite:///study.db`)."""

    key = "optuna-sqlite"
    title = "Optuna studies in SQLite"
    tool = "optuna"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its tables."""
        return {"studies", "study_directions", "trials", "trial_values"} <= head.tables

    def read(self, file: File) -> Iterator[Log]:
        """One log for each study."""
        with sqlite.opened(file) as base:
            if "study_id" not in base.columns("study_directions"):
                raise contents.refusal(
                    file,
                    "is a database of an old version of Optuna; run `optuna storage upgrade` on a "
                    "copy.",
                )
            named = base.rows("studies", "study_id", "study_name")
            studies = {key: _Study(str(name)) for key, name in named}
            listed = base.rows("study_directions", "study_id", "direction", order="objective")
            for key, direction in listed:
                studies[key].directions.append(str(direction))
            for key, name, value in base.rows(
                "study_system_attributes", "study_id", "key", "value_json"
            ):
                if name == _NAMES:
                    studies[key].names = _names(value)
            trials = _trials(base, studies)
            _fill(base, trials, file)
        yield from _logs(list(studies.values()), file)


class Journal:
    """The journal file, which is read from its beginning as Optuna itself reads it."""

    key = "optuna-journal"
    title = "Optuna journal"
    tool = "optuna"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By what every line has."""
        return {"op_code", "worker_id"} <= head.keys

    def read(self, file: File) -> Iterator[Log]:
        """One log for each study that was not deleted."""
        studies: dict[int, _Study] = {}
        trials: list[_Trial] = []
        made = 0
        for line, entry in contents.lines(file):
            what = f"line {line}"
            if not isinstance(entry, dict):
                raise contents.refusal(file, f"{what} is no entry of a journal.", line=line)
            kind = contents.wanted(entry, "op_code", int, file, what)
            try:
                if kind == _CREATE_STUDY:
                    studies[made] = _made_study(entry)
                    made += 1
                elif kind == _DELETE_STUDY:
                    studies.pop(entry["study_id"], None)
                elif kind == _CREATE_TRIAL:
                    trials.append(_made_trial(entry, studies))
                elif kind == _STUDY_ATTRIBUTE:
                    named = entry.get("system_attr", {}).get(_NAMES)
                    if named is not None and entry["study_id"] in studies:
                        studies[entry["study_id"]].names = [str(name) for name in named]
                elif kind in (_SET_PARAM, _SET_STATE, _SET_INTERMEDIATE):
                    _change(trials[entry["trial_id"]], kind, entry)
            except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise contents.refusal(
                    file, f"{what} does not fit the lines before it ({error!r}).", line=line
                ) from None
        yield from _logs(list(studies.values()), file)


class Table:
    """The table of trials of one study: `study.trials_dataframe().to_csv()`."""

    key = "optuna-csv"
    title = "Optuna table of trials"
    tool = "optuna"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its columns; which way values point stands in none of them."""
        header = set(head.header)
        return {"number", "state", "datetime_start"} <= header and bool(
            {"value", "values_0"} & header or any(map(_VALUES.match, header))
        )

    def read(self, file: File) -> Iterator[Log]:
        """One log; intermediate values stand in no such table."""
        study = _Study(file.stem)
        for row in contents.cells(file):
            what = f"of trial {row['number']}"
            number = contents.numeral(row["number"], file, f"number {what}")
            columns = [c for c in row if c == "value" or _VALUES.match(c)]
            study.names = [] if columns[:1] == ["value"] else [c[len("values_") :] for c in columns]
            if all(name.isdigit() for name in study.names):
                study.names = []
            trial = _Trial(0 if number is None else int(number), row["state"])
            found = [contents.numeral(row[c], file, f"{c} {what}") for c in columns]
            trial.values = {i: v for i, v in enumerate(found) if v is not None}
            trial.parameters = {
                c.removeprefix("params_"): v
                for c, v in row.items()
                if c.startswith("params_") and v
            }
            study.trials.append(trial)
        yield from _logs([study], file)


def _trials(base: sqlite.Database, studies: dict[Any, _Study]) -> dict[Any, _Trial]:
    found: dict[Any, _Trial] = {}
    for key, study, number, state in base.rows("trials", "trial_id", "study_id", "number", "state"):
        if study in studies:
            found[key] = _Trial(int(number), str(state))
            studies[study].trials.append(found[key])
    return found


def _fill(base: sqlite.Database, trials: dict[Any, _Trial], file: File) -> None:
    """Values, intermediate values and parameters; an infinite value is stored by its kind."""
    for key, objective, value, kind in base.rows(
        "trial_values", "trial_id", "objective", "value", "value_type"
    ):
        if key in trials:
            trials[key].values[objective] = _valued(value, kind, file)
    table, column = "trial_intermediate_values", "intermediate_value"
    for key, step, value, kind in base.rows(table, "trial_id", "step", column, f"{column}_type"):
        if key in trials:
            trials[key].between[step] = _valued(value, kind, file)
    for key, name, value, how in base.rows(
        "trial_params", "trial_id", "param_name", "param_value", "distribution_json"
    ):
        if key in trials:
            trials[key].parameters[str(name)] = _parameter(value, how)


def _valued(value: Any, kind: Any, file: File) -> float | None:
    if kind in _SPECIAL:
        return _SPECIAL[kind]
    return contents.number(value, file, "value of a trial")


def _parameter(value: Any, how: Any) -> str:
    """What was tried: of a choice among several the database holds only its place."""
    try:
        choices = json.loads(how)["attributes"]["choices"]
        return str(choices[int(value)])
    except (ValueError, KeyError, TypeError, IndexError):
        whole = isinstance(value, float) and value.is_integer()
        return str(int(value)) if whole else str(value)


def _names(written: Any) -> list[str]:
    try:
        found = json.loads(written)
    except (ValueError, TypeError):
        return []
    return [str(name) for name in found] if isinstance(found, list) else []


def _made_study(entry: dict[str, Any]) -> _Study:
    return _Study(str(entry["study_name"]), [_DIRECTIONS[d] for d in entry["directions"]])


def _made_trial(entry: dict[str, Any], studies: dict[int, _Study]) -> _Trial:
    """A trial; one that was added whole brings its values along."""
    study = studies.get(entry["study_id"])
    state = _STATES[entry["state"]] if "state" in entry else _STATES[0]
    trial = _Trial(0 if study is None else len(study.trials), state)
    listed = entry.get("values")
    if listed is None and entry.get("value") is not None:
        listed = [entry["value"]]
    trial.values = _listed(listed)
    between = entry.get("intermediate_values") or {}
    trial.between = {int(step): _own(value) for step, value in between.items()}
    for name, value in (entry.get("params") or {}).items():
        trial.parameters[name] = _parameter(value, (entry.get("distributions") or {}).get(name))
    if study is not None:
        study.trials.append(trial)
    return trial


def _change(trial: _Trial, kind: int, entry: dict[str, Any]) -> None:
    if kind == _SET_PARAM:
        trial.parameters[entry["param_name"]] = _parameter(
            entry["param_value_internal"], entry["distribution"]
        )
    elif kind == _SET_INTERMEDIATE:
        trial.between[int(entry["step"])] = _own(entry["intermediate_value"])
    else:
        trial.state = _STATES[entry["state"]]
        if entry.get("values") is not None:
            trial.values = _listed(entry["values"])


def _listed(values: Sequence[Any] | None) -> dict[int, float | None]:
    return {i: _own(value) for i, value in enumerate(values or ())}


def _own(value: Any) -> float | None:
    number = None if value is None else float(value)
    return None if number is None or math.isnan(number) else number


def _logs(studies: Sequence[_Study], file: File) -> Iterator[Log]:
    tried = [study for study in studies if study.trials]
    if not any(trial.values for study in tried for trial in study.trials):
        raise contents.refusal(
            file,
            f"holds {len(studies)} studies and no trial with a value, so there are no scores.",
        )
    for study in tried:
        if any(trial.values or trial.between for trial in study.trials):
            yield _log(study, several=len(tried) > 1)


def _log(study: _Study, *, several: bool) -> Log:
    """One row for the value of each trial, and one for each intermediate value of it."""
    metrics = _metrics(study)
    scores: dict[str, list[float | None]] = {name: [] for name in metrics}
    owners: list[_Trial] = []
    steps: list[str] = []
    for trial in study.trials:
        final = trial.values if trial.state == _COMPLETE else {}
        readings = [(LAST, final)]
        if len(metrics) == 1:  # only a study of one objective has intermediate values
            readings += [(str(s), {0: v}) for s, v in sorted(trial.between.items())]
        for step, values in readings:
            owners.append(trial)
            steps.append(step)
            for i, name in enumerate(metrics):
                scores[name].append(values.get(i))
    before = f"{study.name}: " if several else ""
    words = dict.fromkeys(name for trial in study.trials for name in trial.parameters)
    return Log(
        candidate=[f"{before}trial {trial.number}" for trial in owners],
        example=[study.name] * len(owners),
        scores=scores,
        alternatives={STEP: steps},
        usual_readings={STEP: LAST},
        more={
            "study": [study.name] * len(owners),
            "state": [trial.state for trial in owners],
            **{f"params_{name}": [t.parameters.get(name) for t in owners] for name in words},
        },
        better={
            name: _POINTS[direction]
            for name, direction in zip(metrics, study.directions, strict=False)
            if direction in _POINTS
        },
        notes=(_told(study), *_unfinished(study), *_twice(study)),
    )


def _metrics(study: _Study) -> list[str]:
    """Names of the objectives: the study's own, or "value", "values_0", as Optuna calls them."""
    most = max((max(t.values, default=0) + 1 for t in study.trials), default=1)
    n = max(len(study.directions), most)
    if len(study.names) == n and len(set(study.names)) == n:
        return study.names
    return ["value"] if n == 1 else [f"values_{i}" for i in range(n)]


def _told(study: _Study) -> str:
    return (
        f"NF312: study {study.name!r} tried {len(study.trials)} settings, each a candidate with "
        "one value. The best of many values is mostly better than its setting will do again; judge "
        "the setting that is chosen on data that the study has not seen."
    )


def _unfinished(study: _Study) -> list[str]:
    states = Counter(t.state for t in study.trials if t.state != _COMPLETE)
    if not states:
        return []
    listed = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
    return [
        f"NF311: no score of {sum(states.values())} of {len(study.trials)} trials of study "
        f"{study.name!r}, which are not complete ({listed}); what a pruned trial had reached "
        "when it was stopped is not its value. They were tried, and count among what was tried."
    ]


def _twice(study: _Study) -> list[str]:
    """Tell of settings that were tried several times: their values differ by chance alone."""
    groups: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for trial in study.trials:
        if trial.parameters and trial.state == _COMPLETE:
            groups[tuple(sorted(trial.parameters.items()))].append(trial.number)
    same = [f"trials {', '.join(map(str, found))}" for found in groups.values() if len(found) > 1]
    if not same:
        return []
    return [
        f"NF312: {some(same)} of study {study.name!r} have the same parameters; how much they "
        "differ is what chance alone does."
    ]


READERS = (Database(), Journal(), Table())
