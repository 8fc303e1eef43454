"""SWE-bench: run reports, folders of an evaluation, and the results of SWE-bench Pro.

An instance whose evaluation broke counts as not resolved, as the harness and its leaderboard count
it; one without a prediction has no score. Instances of one repository are no independent draws, so
the repository is the cluster.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, files
from nofluke.scores.readers.logs import Log
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_METRIC: Final = "resolved"
# "django__django-11099", with "instance_" before and a commit behind in SWE-bench Pro.
_ID: Final = re.compile(
    r"(?P<pro>instance_)?(?P<owner>[\w.-]+?)__(?P<name>[\w.-]+?)-(?:\d+|[0-9a-f]{40}(?:-.*)?)"
)
_REPORT: Final = "report.json"
_LEFTOVERS: Final = (_REPORT, "run_instance.log", "patch.diff", "test_output.txt")


class Report:
    """`<model>.<run id>.json`: which instances were resolved, by their ids."""

    key = "swebench-report"
    title = "SWE-bench run report"
    tool = "swebench"
    rows = False  # where the folders of the instances are there as well, those are read
    folders = False

    def knows(self, head: Head) -> bool:
        """By its counts; the lists of ids may come late in the file."""
        counts = {"total_instances", "submitted_instances", "resolved_instances"}
        return counts <= head.keys or {"resolved_ids", "unresolved_ids"} <= head.keys

    def read(self, file: File) -> Iterator[Log]:
        """One row for each instance that the report names."""
        known = contents.document(file)
        if not isinstance(known, dict) or "resolved_ids" not in known:
            raise contents.refusal(
                file,
                "has counts and no lists of ids (resolved_ids and others), which reports of "
                "schema_version 2 hold, so there is no score of an instance. Evaluate with a "
                "newer version of swebench, or read the folder of the evaluation, "
                "logs/run_evaluation/<run>/<model>.",
            )
        ends = {
            end: _ids(known, f"{end}_ids", file)
            for end in ("resolved", "unresolved", "empty_patch", "error", "incomplete")
        }
        yield _log(ends, file, candidate=None, notes=_disagreement(known, ends, file))


class Evaluation:
    """A folder of one model's evaluation, with a folder for each instance."""

    key = "swebench-evaluation"
    title = "SWE-bench evaluation"
    tool = "swebench"
    rows = True
    folders = True

    def knows(self, head: Head) -> bool:
        """By folders that are called like instances and hold what an evaluation leaves."""
        named = [name for name in head.entries if _ID.fullmatch(name)]
        return any((head.path / name / left).is_file() for name in named for left in _LEFTOVERS)

    def read(self, file: File) -> Iterator[Log]:
        """One row for each instance; one without a report broke."""
        ends: dict[str, list[str]] = {"resolved": [], "unresolved": [], "error": []}
        for folder in sorted(p for p in file.path.iterdir() if p.is_dir()):
            if _ID.fullmatch(folder.name):
                ends[_end(folder, file)].append(folder.name)
        yield _log(ends, file, candidate=file.path.name)


class InstanceReport:
    """`report.json` of a single instance."""

    key = "swebench-instance"
    title = "SWE-bench report of an instance"
    tool = "swebench"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the one id, and what is said of its patch."""
        value = head.json
        if not isinstance(value, dict) or len(value) != 1:
            return False
        found = next(iter(value.values()))
        return isinstance(found, dict) and {"patch_exists", "resolved"} <= found.keys()

    def read(self, file: File) -> Iterator[Log]:
        """The one row; the model is the name of the folder above the instance's."""
        known = contents.document(file)
        name = next(iter(known), None) if isinstance(known, dict) else None
        resolved = contents.at(known, str(name), "resolved")
        if name is None or not isinstance(resolved, bool):
            raise contents.refusal(file, "does not say whether its instance was resolved.")
        above = file.path.resolve().parents
        model = above[1].name if above[0].name == name else None
        ends = {"resolved": [name] if resolved else [], "unresolved": [] if resolved else [name]}
        yield _log(ends, file, candidate=model)


class Pro:
    """SWE-bench Pro's `eval_results.json`: true or false for each instance."""

    key = "swebench-pro"
    title = "SWE-bench Pro results"
    tool = "swebench-pro"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its ids, and nothing but truth values."""
        value = head.json
        if not isinstance(value, dict) or not value:
            return False
        ids = [_ID.fullmatch(name) for name in value]
        return all(m is not None and m["pro"] for m in ids) and all(
            isinstance(v, bool | None) for v in value.values()
        )

    def read(self, file: File) -> Iterator[Log]:
        """One row for each instance."""
        known = contents.document(file)
        wrong = (
            [name for name, v in known.items() if not isinstance(v, bool | None)]
            if isinstance(known, dict)
            else ["the document"]
        )
        if wrong or not known:
            raise contents.refusal(file, f"{(wrong or ['nothing'])[0]!r} is not true or false.")
        ends: dict[str, list[str]] = {"resolved": [], "unresolved": [], "incomplete": []}
        for name, resolved in known.items():
            end = "incomplete" if resolved is None else "resolved" if resolved else "unresolved"
            ends[end].append(name)
        yield _log(ends, file, candidate=None)


def _log(
    ends: Mapping[str, list[str]],
    file: File,
    *,
    candidate: str | None,
    notes: tuple[str, ...] = (),
) -> Log:
    rows = sorted((name, end) for end, names in ends.items() for name in names)
    names = [name for name, _ in rows]
    if not rows:
        raise contents.refusal(file, "names no instance, so there are no scores.")
    if len(set(names)) < len(names):
        twice = next(a for a, b in itertools.pairwise(names) if a == b)
        raise contents.refusal(file, f"{twice} stands in two lists that exclude each other.")
    failed = [end == "error" for _, end in rows]
    return Log(
        candidate=candidate,
        example=names,
        scores={_METRIC: [_score(end) for _, end in rows]},
        cluster=[_repository(name) for name in names],
        failed=failed,
        more={"end": [end for _, end in rows]},
        better={_METRIC: "higher"},
        bounds={_METRIC: (0.0, 1.0)},
        notes=(*_broken(ends, len(rows), file), *_unpredicted(ends, file), *notes),
    )


def _score(end: str) -> bool | None:
    return None if end in ("incomplete", "error") else end == "resolved"


def _repository(name: str) -> str:
    match = _ID.fullmatch(name)
    return name if match is None else f"{match['owner']}/{match['name']}"


def _broken(ends: Mapping[str, list[str]], n: int, file: File) -> tuple[str, ...]:
    count, right = len(ends.get("error", ())), len(ends["resolved"])
    if not count:
        return ()
    return (
        f"NF315: {file.label}: the evaluation of {count} of {counted(n, 'instance')} broke. They "
        f"count as not resolved, as the harness counts them: {right / n:.3f} of all are resolved, "
        f"and {(right + count) / n:.3f} would be if these were. Was it the patch or the machine?",
    )


def _unpredicted(ends: Mapping[str, list[str]], file: File) -> tuple[str, ...]:
    """How much those without a prediction matter: the mean if all were wrong, or all right."""
    missing = len(ends.get("incomplete", ()))
    if not missing:
        return ()
    right = len(ends["resolved"])
    n = sum(map(len, ends.values()))
    return (
        f"NF316: {file.label}: {missing} of {n} instances have no prediction, or no verdict, and "
        f"so no score. Resolved are {right / n:.3f} of all if none of them counts, and "
        f"{(right + missing) / n:.3f} if all did; SWE-bench counts them as not resolved "
        "(missing='worst').",
    )


def _disagreement(
    known: dict[str, Any], ends: Mapping[str, list[str]], file: File
) -> tuple[str, ...]:
    said, held = known.get("resolved_instances"), len(ends["resolved"])
    if said is None or said == held:
        return ()
    return (
        f"NF318: {file.label}: the report counts {said} resolved instances, and lists {held}. What "
        "is said here is said of the list.",
    )


def _ids(known: dict[str, Any], key: str, file: File) -> list[str]:
    found = known.get(key, [])
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise contents.refusal(file, f"{key} is no list of ids.")
    return found


def _end(folder: Path, file: File) -> str:
    """How an instance ended, by the report in its folder."""
    path = folder / _REPORT
    if not path.is_file() or not path.stat().st_size:
        return "error"
    report = files.told(path, str(path), file.space)
    resolved = contents.at(contents.document(report), folder.name, "resolved")
    if not isinstance(resolved, bool):
        return "error"
    return "resolved" if resolved else "unresolved"


READERS = (Report(), Evaluation(), InstanceReport(), Pro())
