"""DeepEval: `.latest_test_run.json`, test cases with a score for each metric."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head


class TestRun:
    """One row for each test case; a case succeeds where all of its metrics do."""

    key = "deepeval"
    title = "DeepEval test run"
    tool = "deepeval"
    rows = True
    folders = False
    __test__ = False  # for pytest, which collects what is called Test

    def knows(self, head: Head) -> bool:
        """By the test cases with their metrics; or by its cache, which is refused."""
        run = contents.at(head.json, "testRunData", default=head.json)
        cases = isinstance(run, dict) and ("testCases" in run or "test_cases" in run)
        return cases or "test_cases_lookup_map" in head.keys

    def read(self, file: File) -> Iterator[Log]:
        """Rows of single-turn and of conversational cases."""
        document = contents.document(file)
        if "test_cases_lookup_map" in document:
            raise contents.refusal(
                file,
                "is DeepEval's cache, which holds results of several runs; read "
                ".deepeval/.latest_test_run.json instead.",
            )
        run = contents.at(document, "testRunData", default=document)
        cases = [
            *(run.get("testCases") or run.get("test_cases") or ()),
            *(run.get("conversationalTestCases") or ()),
        ]
        if not cases:
            raise contents.refusal(file, "has no test cases, as if the run had not finished.")
        scores: dict[str, list[Any]] = defaultdict(lambda: [None] * len(cases))
        errors = 0
        for i, case in enumerate(cases):
            for metric in case.get("metricsData") or case.get("metrics_data") or ():
                name = str(metric.get("name"))
                what = f"test case {case.get('name', i)!r}, metric {name!r}"
                errors += bool(metric.get("error"))
                scores[name][i] = contents.number(metric.get("score"), file, what)
            scores["success"][i] = case.get("success")
        if len(scores) == 1:
            raise contents.refusal(file, "has test cases without any metric.")
        names = [str(case.get("name") or f"test_case_{i}") for i, case in enumerate(cases)]
        notes = []
        if errors:
            notes.append(
                f"NF305: {errors} metrics ended in an error and have no score; success counts such "
                "a case as DeepEval does."
            )
        yield Log(
            candidate=_candidate(document, run),
            example=contents.told_apart(names),
            scores=dict(scores),
            input=[_text(case.get("input")) for case in cases],
            output=[_text(case.get("actualOutput")) for case in cases],
            better=dict.fromkeys(["success"], "higher"),
            bounds={"success": (0.0, 1.0)},
            usual=next(iter(scores)) if len(scores) == 2 else None,
            notes=tuple(notes),
        )


def _candidate(document: dict[str, Any], run: dict[str, Any]) -> str | None:
    told = run.get("hyperparameters") or document.get("hyperparameters") or {}
    name = told.get("model") if isinstance(told, dict) else None
    return str(name or run.get("identifier") or "") or None


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


READERS = (TestRun(),)
