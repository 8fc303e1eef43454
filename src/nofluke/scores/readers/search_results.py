"""The results of a search for parameters, as scikit-learn keeps them: ``search.cv_results_``."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np

from nofluke.errors import InputError
from nofluke.scores.readers.log_folders import Known
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nofluke.scores.readers.files import File

_SPLIT: Final = re.compile(r"split(\d+)_test_(.+)")
_SPLITS: Final = (
    "NF352: the examples are the splits of a search. Their training rows overlap as a rule, so "
    "that their scores depend on each other, and limits that count splits as independent draws "
    "are too sharp: selection.corrected_t allows for it, and selection.nested_cv for the choice."
)
_ONE_SPLIT: Final = (
    "NF352: the only example is the one split of a search, so that nothing is known of how scores "
    "vary; evaluate on rows one by one, or search with several splits."
)
_TIMES: Final = ("mean_fit_time", "mean_score_time")


class Held(NamedTuple):
    """What messages call results that stand in no file."""

    path: Path
    label: str
    stem: str
    contents: bool = False


class SearchResults:
    """A reader of results that are at hand.

    Args:
        results: ``cv_results_``.
    """

    key = "sklearn-cv-results-at-hand"
    title = "cv_results_ of scikit-learn"
    tool = "scikit-learn"
    rows = True
    folders = False

    def __init__(self, results: Mapping[str, Any]) -> None:
        self._results = results

    def knows(self, head: object) -> bool:  # noqa: ARG002 (the shape of a reader)
        """No file is of this kind."""
        return False

    def read(self, file: File) -> Iterable[Log]:  # noqa: ARG002
        """The one log in it."""
        yield log(self._results)


def known(source: Any) -> Known | None:
    """The results with their reader, if this is a mapping or a frame of such; else None."""
    if not isinstance(source, Mapping):
        if not hasattr(source, "iloc") or not any(map(_is_split, getattr(source, "columns", ()))):
            return None
        source = source.to_dict("list")
    if "params" not in source or not any(map(_is_split, source)):
        return None
    held = Held(Path("cv_results_"), "cv_results_", "cv_results_")
    # Nothing of it is opened: it stands in for a file where messages name one.
    return Known(cast("File", held), SearchResults(source))


def refuse(source: Any) -> None:
    """Refuse results of a search where predictions are expected.

    Raises:
        InputError: This is such a thing.
    """
    if known(source) is not None:
        raise InputError(
            "these are results of a search (cv_results_): scores of splits, and no predictions of "
            "rows. nofluke.read reads them; for predictions see from_cross_val_predict.",
            code="NF008",
        )


def log(results: Mapping[str, Any]) -> Log:
    """One row for each configuration and split; every scorer is higher-is-better by its rule.

    Args:
        results: ``cv_results_``, with ``params`` and the scores of every split.

    >>> found = {"params": [{"C": 1}, {"C": 9}], "split0_test_score": [0.5, float("nan")]}
    >>> rows = log(found)
    >>> rows.candidate, rows.example, rows.scores
    (['C=1', 'C=9'], ['split0', 'split0'], {'score': [0.5, None]})
    """
    columns = {m: name for name in results if (m := _match(name))}
    splits = sorted({int(m[1]) for m in columns})
    metrics = dict.fromkeys(m[2] for m in columns)
    rounds = {"iter": results["iter"]} if "iter" in results else {}
    times = [name for name in _TIMES if name in results]
    _check_lengths(results, [*columns.values(), *rounds, *times])
    params, repeated = _names(results["params"], rounds.get("iter", [0] * len(results["params"])))
    scores: dict[str, list[float | None]] = {
        metric: [
            _score(value)
            for s in splits
            for value in results.get(f"split{s}_test_{metric}", [None] * len(params))
        ]
        for metric in metrics
    }
    return Log(
        candidate=params * len(splits),
        example=[f"split{s}" for s in splits for _ in params],
        scores=scores,
        alternatives={n: [str(int(v)) for v in c] * len(splits) for n, c in rounds.items()},
        more={name: [float(v) for v in results[name]] * len(splits) for name in times},
        better=dict.fromkeys(metrics, "higher"),
        notes=(*_notes(scores, len(params), len(splits)), *repeated),
    )


def _check_lengths(results: Mapping[str, Any], names: Sequence[str]) -> None:
    n = len(results["params"])
    for name in names:
        if len(results[name]) != n:
            raise InputError(
                f"cv_results_ has {n} configurations in 'params' and {len(results[name])} values "
                f"in {name!r}; expected one for each. Give it as the search left it.",
                code="NF008",
            )


def _notes(
    scores: Mapping[str, Sequence[float | None]], n_params: int, n_splits: int
) -> Iterable[str]:
    yield _SPLITS if n_splits > 1 else _ONE_SPLIT
    for metric, column in scores.items():
        lost = sum(v is None for v in column)
        if lost:
            yield (
                f"NF353: {lost} of {n_params * n_splits} scores ({metric}) are NaN: a fit or its "
                "scoring failed. They are missing here; a search that sets error_score to a number "
                "hides such rows."
            )


def _is_split(name: Any) -> bool:
    return _match(name) is not None


def _match(name: Any) -> re.Match[str] | None:
    return _SPLIT.fullmatch(name) if isinstance(name, str) else None


def _score(value: Any) -> float | None:
    if value is None or value is np.ma.masked:
        return None
    return None if math.isnan(value) else float(value)


def _names(
    params: Sequence[Mapping[str, Any]], rounds: Sequence[Any]
) -> tuple[list[str], list[str]]:
    """A name for each configuration, once in each round, and what to tell of those that repeat."""
    texts = [", ".join(f"{k}={_text(v)}" for k, v in p.items()) or "defaults" for p in params]
    keys = list(zip(texts, map(str, rounds), strict=True))
    often, seen = Counter(keys), Counter[tuple[str, str]]()
    names = []
    for text, key in zip(texts, keys, strict=True):
        seen[key] += 1
        names.append(f"{text} #{seen[key]}" if often[key] > 1 else text)
    same = sum(n for n in often.values() if n > 1)
    told = f"NF354: {same} configurations read alike, so their names are numbered."
    return names, [told] if same else []


def _text(value: Any) -> str:
    return " ".join(str(value).split())
