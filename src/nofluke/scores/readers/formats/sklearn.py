"""scikit-learn: `cv_results_` of a search, and the scores of `cross_validate`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import some
from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_SPLIT: Final = re.compile(r"split(?P<split>\d+)_(?P<metric>(?:test|train)_.+)$")
_MEAN: Final = re.compile(r"mean_test_.+$")
_SEARCH: Final = re.compile(r"(rank_test_.+|mean_fit_time|std_test_.+|param_.+|params)$")
_VALIDATED: Final = re.compile(r"(test|train)_.+$")
_TIMES: Final = frozenset({"fit_time", "score_time"})
_OVERLAP: Final = (
    "NF312: the examples are splits of one data set. The training sets of splits overlap, so their "
    "scores are not independent, and an error bar from their spread alone tends to be too short."
)


class Search:
    """`cv_results_` of GridSearchCV and others: candidates are settings, examples are splits."""

    key = "sklearn-search"
    title = "scikit-learn search results"
    tool = "sklearn"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns of a search."""
        names = _names(head)
        if any(_SPLIT.match(name) for name in names):
            return True
        return any(map(_MEAN.match, names)) and any(map(_SEARCH.match, names))

    def read(self, file: File) -> Iterator[Log]:
        """One row for each setting and split."""
        columns = _columns(file)
        places = [(name, match) for name in columns if (match := _SPLIT.match(name)) is not None]
        if not places:
            raise contents.refusal(
                file,
                "holds only means over splits (mean_test_score): how much the splits differ "
                "cannot be seen, and the best mean of many was chosen for being best. Save all of "
                "cv_results_, with its columns split0_test_score, split1_test_score and so on: "
                "pandas.DataFrame(search.cv_results_).to_csv('search.csv', index=False).",
            )
        splits = sorted({int(match["split"]) for _, match in places})
        metrics = sorted({match["metric"] for _, match in places}, key=_test_first)
        n = len(next(iter(columns.values())))
        scores: dict[str, list[Any]] = {name: [] for name in metrics}
        for row in range(n):
            for name in metrics:
                scores[name] += [
                    _score(columns, f"split{split}_{name}", row, file) for split in splits
                ]
        each = range(n)
        settings = _settings(columns, n)
        yield Log(
            candidate=[settings[row] for row in each for _ in splits],
            example=[f"split {split}" for _ in each for split in splits],
            scores=scores,
            more={
                name: [_written(column[row]) for row in each for _ in splits]
                for name, column in columns.items()
                if name.startswith("param_")
            },
            better=_higher(metrics),
            usual=_usual(metrics),
            notes=(_OVERLAP, *_chosen(n), *_failed(scores, len(splits))),
        )


class Validation:
    """The scores of `cross_validate`: one candidate, and splits in the order of the rows."""

    key = "sklearn-cross-validate"
    title = "scikit-learn cross_validate scores"
    tool = "sklearn"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the times beside the scores, and nothing else but scores."""
        names = set(_names(head)) - {"", "estimator", "indices", "Unnamed: 0"}
        rest = names - _TIMES
        return names >= _TIMES and bool(rest) and all(map(_VALIDATED.match, rest))

    def read(self, file: File) -> Iterator[Log]:
        """One row for each split."""
        columns = _columns(file)
        metrics = sorted((name for name in columns if _VALIDATED.match(name)), key=_test_first)
        n = len(columns[metrics[0]])
        scores = {name: [_score(columns, name, row, file) for row in range(n)] for name in metrics}
        yield Log(
            candidate=None,
            example=[f"split {i}" for i in range(n)],
            scores=scores,
            more={name: list(columns[name]) for name in sorted(_TIMES) if name in columns},
            better=_higher(metrics),
            usual=_usual(metrics),
            notes=(_OVERLAP, *_failed(scores, n)),
        )


def _names(head: Head) -> list[str]:
    """Columns of a table, or keys of an object of columns or of the first row of a list."""
    return list(head.keys) if head.json is not None else head.header


def _columns(file: File) -> dict[str, list[Any]]:
    """The columns, of a table or of JSON in any of the shapes in which pandas writes it."""
    is_json = contents.begins(file, b"{") or contents.begins(file, b"[")
    found = contents.document(file) if is_json else list(contents.cells(file))
    if isinstance(found, list):
        found = _turned(found, file)
    if not isinstance(found, dict):
        raise contents.refusal(file, "is no table of results.")
    columns = {
        name: list(column.values()) if isinstance(column, dict) else column
        for name, column in found.items()
        if isinstance(column, list | dict)
    }
    if not columns or len({len(column) for column in columns.values()}) != 1:
        raise contents.refusal(file, "has no rows, or columns of different lengths.")
    if not next(iter(columns.values())):
        raise contents.refusal(file, "has a header and no rows.")
    return columns


def _turned(rows: Sequence[Any], file: File) -> dict[str, list[Any]]:
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise contents.refusal(file, "has a header and no rows.")
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _score(columns: Mapping[str, Sequence[Any]], name: str, row: int, file: File) -> Any:
    """A score; None where fit or scoring failed, which scikit-learn writes as NaN."""
    if name not in columns:
        raise contents.refusal(file, f"has no column {name!r}, though others of its split.")
    value, what = columns[name][row], f"{name} in row {row + 1}"
    if isinstance(value, str):
        return contents.numeral(value, file, what)
    return contents.number(value, file, what)


def _settings(columns: Mapping[str, Sequence[Any]], n: int) -> list[str]:
    """A name for each setting: the model, if a column names it, and the parameters that differ."""
    names = [name for name in columns if name.startswith("param_")]
    differ = [c for c in names if len({_written(v) for v in columns[c]}) > 1]
    model = next((columns[c] for c in ("model_name", "model") if c in columns), None)
    found = []
    for row in range(n):
        told = ", ".join(
            f"{c.removeprefix('param_')}={text}" for c in differ if (text := _text(columns[c][row]))
        )
        if not told and "params" in columns and not names:
            told = _text(columns["params"][row])
        found.append(" ".join(filter(None, ["" if model is None else _text(model[row]), told])))
    if len(set(found)) < n:
        return [f"{name} ({row})" if name else f"setting {row}" for row, name in enumerate(found)]
    return [name or "setting" for name in found]


def _text(value: Any) -> str:
    return "" if value is None or value != value else str(value)  # noqa: PLR0124 - NaN


def _written(value: Any) -> str | None:
    return None if value is None else str(value)


def _test_first(name: str) -> tuple[bool, str]:
    return not name.startswith("test_"), name


def _higher(metrics: Sequence[str]) -> dict[str, Better]:
    """Scorers are made so that more is better; losses have a name with neg_ and are negative."""
    return dict.fromkeys(metrics, "higher")


def _usual(metrics: Sequence[str]) -> str | None:
    return "test_score" if "test_score" in metrics else None


def _chosen(n: int) -> list[str]:
    if n == 1:
        return []
    return [
        f"NF312: a search tried {n} settings on the same splits. The best mean of many is mostly "
        "better than its setting will do again; judge it on data that the search has not seen."
    ]


def _failed(scores: Mapping[str, Sequence[Any]], n: int) -> list[str]:
    missing = {name: sum(v is None for v in column) for name, column in scores.items()}
    told = [f"{count} of {name}" for name, count in missing.items() if count]
    if not told:
        return []
    return [
        f"NF311: no score in {some(told)} ({n} splits of each setting): the fit or the scoring "
        "failed, which scikit-learn writes as NaN. Settings seldom fail at random."
    ]


READERS = (Search(), Validation())
