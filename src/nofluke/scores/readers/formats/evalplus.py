"""EvalPlus (HumanEval+, MBPP+): `*_eval_results.json`, base and plus tests of every sample.

"plus" is counted as the tool counts it: a sample passes that passed both the base tests and the
further ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_PASS: Final = "pass"  # noqa: S105 (the tool's word for a test that passed)


class _Sample(NamedTuple):
    task: str
    run: int
    base: str | None
    plus: str | None


class Results:
    """One row for each task and sample; samples of one task are runs."""

    key = "evalplus"
    title = "EvalPlus results"
    tool = "evalplus"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the results of its first task, in the newer or the older form."""
        tasks = contents.at(head.json, "eval")
        if not isinstance(tasks, dict) or not {"date", "hash"} & head.keys:
            return False
        first = next(iter(tasks.values()), None)
        if isinstance(first, list):
            return bool(first) and isinstance(first[0], dict) and "task_id" in first[0]
        return isinstance(first, dict) and bool({"nfiles", "base"} & first.keys())

    def read(self, file: File) -> Iterator[Log]:
        """Rows; a sample that timed out did not pass."""
        tasks = contents.at(contents.document(file), "eval")
        if not isinstance(tasks, dict) or not tasks:
            raise contents.refusal(file, "holds no results under 'eval'.")
        samples = [s for task, found in tasks.items() for s in _samples(task, found, file)]
        if not samples:
            raise contents.refusal(file, "holds tasks without samples, so there are no scores.")
        several = any(s.run for s in samples)
        has_plus = any(s.plus is not None for s in samples)
        scores = {"base": [_passed(s.base) for s in samples]}
        if has_plus:
            scores["plus"] = [_both(s) for s in samples]
        yield Log(
            candidate=None,
            example=[s.task for s in samples],
            scores=scores,
            run=[s.run for s in samples] if several else None,
            more={
                "base_status": [s.base or "" for s in samples],
                "plus_status": [s.plus or "" for s in samples],
            },
            better=dict.fromkeys(scores, "higher"),
            bounds=dict.fromkeys(scores, (0.0, 1.0)),
            notes=_notes(samples, file, has_plus=has_plus),
        )


def _samples(task: str, found: Any, file: File) -> list[_Sample]:
    """The samples of one task, in either form."""
    if isinstance(found, list):
        if not all(isinstance(row, dict) for row in found):
            raise contents.refusal(file, f"a sample of {task} is no object with fields.")
        return [
            _Sample(
                task,
                i,
                _status(row.get("base_status"), file, task),
                _status(row.get("plus_status"), file, task),
            )
            for i, row in enumerate(found)
        ]
    base, plus = (contents.at(found, word) for word in ("base", "plus"))
    if not isinstance(base, list) or not isinstance(plus or [], list):
        raise contents.refusal(file, f"{task} has no list of results.")
    if plus and len(plus) != len(base):
        raise contents.refusal(file, f"{task} has {len(base)} base and {len(plus)} plus results.")
    return [
        _Sample(task, i, _first(b, file, task), _first(plus[i], file, task) if plus else None)
        for i, b in enumerate(base)
    ]


def _first(pair: Any, file: File, task: str) -> str | None:
    """The status of the older form, which is followed by the single tests."""
    return _status(pair[0] if isinstance(pair, list) and pair else pair, file, task)


def _status(value: Any, file: File, task: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise contents.refusal(file, f"a status of {task} is {value!r}, and text was expected.")


def _passed(status: str | None) -> bool | None:
    return None if status is None else status == _PASS


def _both(sample: _Sample) -> bool | None:
    if sample.plus is None:
        return None
    return sample.base == sample.plus == _PASS


def _notes(samples: list[_Sample], file: File, *, has_plus: bool) -> tuple[str, ...]:
    if not has_plus:
        return (f"NF319: {file.label}: only the base tests were run, not those of 'plus'.",)
    only_plus = sum(s.plus == _PASS and s.base != _PASS for s in samples)
    return (
        f"NF319: {file.label}: 'plus' is passed by a sample that passed the base tests and the "
        f"further ones, as EvalPlus counts it ({only_plus} passed the further ones alone).",
    )


READERS = (Results(),)
