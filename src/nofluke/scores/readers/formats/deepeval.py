"""DeepEval: `.latest_test_run.json` or `test_run_<time>.json`: cases with a score a metric."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_CASES: Final = ("testCases", "test_cases", "conversationalTestCases", "conversational_test_cases")
_METRICS: Final = ("metricsData", "metrics_data", "metricsMetadata")  # the last before 2024
_CASE: Final = {*_METRICS, "actualOutput", "actual_output", "turns"}
_CACHE: Final = "test_cases_lookup_map"


class TestRun:
    """One row for each test case; a case succeeds where all of its metrics do."""

    key = "deepeval"
    title = "DeepEval test run"
    tool = "deepeval"
    rows = True
    asks = "metric"
    folders = False
    __test__ = False  # for pytest, which collects what is called Test

    def knows(self, head: Head) -> bool:
        """By the test cases with their metrics; or by its cache, which is refused."""
        run = contents.at(head.json, "testRunData", default=head.json)
        if not isinstance(run, dict):
            return False
        return _CACHE in head.keys or any(_is_cases(run.get(name)) for name in _CASES)

    def read(self, file: File) -> Iterator[Log]:
        """Rows of single-turn and of conversational cases; its cache is refused."""
        document = contents.document(file)
        run = contents.at(document, "testRunData", default=document)
        if not isinstance(run, dict) or _CACHE in document:
            raise contents.refusal(
                file,
                "is DeepEval's cache, which holds results of several runs; read "
                ".deepeval/.latest_test_run.json instead.",
            )
        cases = [case for name in _CASES for case in _listed(run, name, file, "the test run")]
        if not cases:
            raise contents.refusal(file, "has no test cases, as if the run had not finished.")
        scores, notes = _scores(cases, file)
        names = [str(case.get("name") or f"test_case_{i}") for i, case in enumerate(cases)]
        metrics = [name for name in scores if name != "success"]
        yield Log(
            candidate=_candidate(document, run),
            example=contents.told_apart(names),
            scores=scores,
            input=[_asked(case) for case in cases],
            output=[_answered(case) for case in cases],
            better=dict.fromkeys(["success"], "higher"),
            bounds={"success": (0.0, 1.0)},
            usual=metrics[0] if len(metrics) == 1 else None,
            notes=notes,
        )


def _is_cases(found: Any) -> bool:
    """Whether these are test cases; a list that is empty is one of a run that did not finish."""
    if not isinstance(found, list):
        return False
    return all(isinstance(case, dict) and bool(_CASE & case.keys()) for case in found[:1])


def _listed(holder: dict[str, Any], name: str, file: File, what: str) -> list[dict[str, Any]]:
    """The records in a field, if it is there."""
    found = holder.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise contents.refusal(file, f"{what}: {name} is no list of records.")
    return found


def _scores(
    cases: list[dict[str, Any]], file: File
) -> tuple[dict[str, list[Any]], tuple[str, ...]]:
    """A column for each metric and one for success, and notes on what has no score."""
    scores: dict[str, list[Any]] = defaultdict(lambda: [None] * len(cases))
    failed: Counter[str] = Counter()
    run: Counter[str] = Counter()
    for i, case in enumerate(cases):
        what = f"test case {case.get('name', i)!r}"
        found = [m for name in _METRICS for m in _listed(case, name, file, what)]
        # Two metrics of one class have one name: they are told apart by their order.
        names = contents.told_apart([str(m.get("name") or m.get("metric")) for m in found])
        for name, metric in zip(names, found, strict=True):
            column = f"{name} (metric)" if name == "success" else name
            failed[column] += bool(metric.get("error"))
            run[column] += 1
            contents.check_metrics(run, file)
            scores[column][i] = contents.number(
                metric.get("score"), file, f"{what}, metric {name!r}"
            )
    if not scores:
        raise contents.refusal(file, "has test cases without any metric.")
    notes: list[str] = []
    for column, values in scores.items():
        reasons = ["ended in an error"] if failed[column] else []
        reasons += ["did not get this metric"] if run[column] < len(cases) else []
        why = " or ".join(reasons) or "were given none"
        notes += contents.unscored(values, "NF305", why, metric=column)
    success = [case.get("success") for case in cases]
    for i, value in enumerate(success):
        if not isinstance(value, bool | None):
            raise contents.refusal(file, f"test case {i}: success is {value!r}, not true or false.")
    if any(failed.values()):
        lost = sum(failed.values())
        notes.append(
            f"NF347: {lost} {'metric' if lost == 1 else 'metrics'} ended in an error; DeepEval's "
            "success counts such a case as failed, although nothing was found wrong with it."
        )
    return {**scores, "success": success}, tuple(notes)


def _candidate(document: dict[str, Any], run: dict[str, Any]) -> str | None:
    """The model among the hyperparameters that were logged, or the name of the run."""
    told = (
        run.get("hyperparameters") or document.get("hyperparameters") or run.get("configurations")
    )
    name = told.get("model") if isinstance(told, dict) else None
    return str(name or run.get("identifier") or "") or None


def _asked(case: dict[str, Any]) -> str | None:
    turns = case.get("turns")
    if case.get("input") is None and isinstance(turns, list):
        return _said(turns, "user")
    return contents.as_text(case.get("input"))


def _answered(case: dict[str, Any]) -> str | None:
    turns = case.get("turns")
    output = case.get("actualOutput", case.get("actual_output"))
    return (
        _said(turns, "assistant")
        if output is None and isinstance(turns, list)
        else contents.as_text(output)
    )


def _said(turns: list[Any], role: str) -> str:
    said = (t.get("content") for t in turns if isinstance(t, dict) and t.get("role") == role)
    return "\n".join(map(str, said))


READERS = (TestRun(),)
