"""LiveCodeBench: `*_eval_all.json`, every problem with whether each sample passed its tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import msgspec

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_METRIC: Final = "pass@1"
_BESIDE: Final = ("platform", "difficulty", "contest_date")
_RUNNER: Final = -5  # the code of an error in the test runner, and not in the answer
_FOLDER_NAMES: Final = "Scenario."


class Problems:
    """One row for each problem and sample; samples are runs, contests are clusters."""

    key = "livecodebench"
    title = "LiveCodeBench evaluation"
    tool = "livecodebench"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the first problem; its grades may stand behind more text than is looked at."""
        contest = {"question_id", "contest_id", "contest_date"}
        return isinstance(head.json, list) and (
            contest <= head.keys or {"question_id", "graded_list"} <= head.keys
        )

    def read(self, file: File) -> Iterator[Log]:
        """Rows; the mean over samples of a problem is its pass@1."""
        problems = contents.document(file)
        if not isinstance(problems, list) or not problems:
            raise contents.refusal(file, "holds no list of problems.")
        example: list[str] = []
        grades: list[bool] = []
        run: list[int] = []
        cluster: list[str | None] = []
        codes: list[str] = []
        beside: dict[str, list[str]] = {name: [] for name in _BESIDE}
        for i, problem in enumerate(problems):
            graded = _graded(problem, file, f"problem {i}")
            n = len(graded)
            example += [_id(problem, file, f"problem {i}")] * n
            grades += graded
            run += range(n)
            cluster += [contents.as_text(problem.get("contest_id"))] * n
            codes += _codes(problem, n)
            for name in _BESIDE:
                beside[name] += [contents.as_text(problem.get(name)) or ""] * n
        yield Log(
            candidate=_model(file),
            example=example,
            scores={_METRIC: grades},
            run=run if any(run) else None,
            cluster=cluster if all(c is not None for c in cluster) else None,
            more={**beside, "result_code": codes},
            better={_METRIC: "higher"},
            bounds={_METRIC: (0.0, 1.0)},
            notes=_broken(codes, file),
        )


def _graded(problem: Any, file: File, what: str) -> list[bool]:
    """Whether each sample passed; the file's own pass@1 must be their mean."""
    if not isinstance(problem, dict):
        raise contents.refusal(file, f"{what} is no object with fields.")
    if "graded_list" not in problem:
        raise contents.refusal(
            file,
            "holds answers without grades. Let LiveCodeBench run the tests (--evaluate), and read "
            "the file that it writes then: *_eval_all.json.",
        )
    graded = problem["graded_list"]
    if not isinstance(graded, list) or not all(isinstance(g, bool) for g in graded):
        raise contents.refusal(file, f"{what}: graded_list is no list of true and false.")
    if not graded:
        raise contents.refusal(file, f"{what} has no graded sample; was the evaluation finished?")
    said = problem.get(_METRIC)
    said = contents.number(said, file, f"{_METRIC} of {what}") if contents.is_number(said) else None
    if said is not None and not math.isclose(said, sum(graded) / len(graded), abs_tol=1e-9):
        raise contents.refusal(
            file, f"{what}: pass@1 is {said}, and {sum(graded)} of {len(graded)} samples passed."
        )
    return graded


def _id(problem: dict[str, Any], file: File, what: str) -> str:
    """The problem, and in scenarios that ask several things of one, which of them."""
    found = contents.wanted(problem, "question_id", (str, int), file, what)
    which = problem.get("test_id", problem.get("id"))
    return str(found) if which is None else f"{found}/{which}"


def _codes(problem: dict[str, Any], n: int) -> list[str]:
    """The error code of each sample, "" where there is none; metadata are JSON within JSON."""
    written = problem.get("metadata")
    listed = written if isinstance(written, list) and len(written) == n else [None] * n
    return [contents.as_text(contents.at(_inside(text), "error_code")) or "" for text in listed]


def _inside(text: Any) -> Any:
    try:
        return msgspec.json.decode(text) if isinstance(text, str) else text
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def _model(file: File) -> str | None:
    """Files are called by the scenario and lie in a folder that is called by the model."""
    if not file.path.name.startswith(_FOLDER_NAMES):
        return None
    return file.path.resolve().parent.name or None


def _broken(codes: list[str], file: File) -> tuple[str, ...]:
    count = codes.count(str(_RUNNER))
    if not count:
        return ()
    return (
        f"NF319: {file.label}: for {count} of {len(codes)} samples the test runner broke (code "
        f"{_RUNNER}), and LiveCodeBench counts them as not passed.",
    )


READERS = (Problems(),)
