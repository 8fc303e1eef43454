"""What `nofluke gate` may write: nothing that it reads, and no two things in one place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.gate import Check


def refuse(
    config: Path,
    checks: Sequence[Check],
    *,
    junit: Path | None,
    summary: Path | None,
    report: Path | None,
) -> None:
    """Refuse before anything is run what could not be written after it, or would destroy its input.

    Raises:
        InputError: A target is an input, another target, a folder, or in a folder that is missing.
    """
    named = {"--junit": junit, "--summary": summary, "--report": report}
    targets = {option: path for option, path in named.items() if path is not None}
    read = _read(config, checks)
    for option, target in targets.items():
        paged = option == "--report" and not is_page(target)
        _refuse_place(option, target, folder=paged)
        for what, path in read:
            if _overwrites(target, path, folder=paged):
                raise _wrong(f"{option} {target} would overwrite {what} {path}; name another file.")
    _refuse_one_place(targets)
    asked = sum(len(check.metrics) for check in checks)
    if report is not None and is_page(report) and asked > 1:
        raise _wrong(
            f"--report {report} is one file and there are {asked} comparisons; name a folder."
        )


def is_page(path: Path) -> bool:
    """Whether a report is one page and no folder of pages."""
    return path.suffix.lower() in (".html", ".htm")


def _read(config: Path, checks: Sequence[Check]) -> list[tuple[str, Path]]:
    """All that the gate reads, and what it is called."""
    from nofluke.gate import sources

    found = [("the configuration", config)]
    for check in checks:
        plans = {m.asking["plan"] for m in check.metrics if "plan" in m.asking}
        found += [("the plan", Path(plan)) for plan in plans]
        try:
            paths = sources.of(check).read
        except (InputError, OSError):
            continue  # such a check is unusable, and says so when it is asked
        listed = [paths] if isinstance(paths, str) else paths.values()
        found += [("the source", Path(path)) for path in listed]
    return found


def _refuse_place(option: str, target: Path, *, folder: bool) -> None:
    if not target.parent.is_dir():
        raise _wrong(f"{option} {target}: there is no folder {target.parent}; create it first.")
    if target.exists() and target.is_dir() != folder:
        expected = "a file" if target.is_dir() else "a folder, or a page that ends in .html"
        raise _wrong(f"{option} {target} is {_kind(target)}; name {expected}.")


def _refuse_one_place(targets: dict[str, Path]) -> None:
    seen: dict[str, str] = {}
    for option, target in targets.items():
        first = seen.setdefault(_place(target), option)
        if first != option:
            raise _wrong(f"{first} and {option} are both {target}; name two files.")
    report = targets.get("--report")
    for option in ("--junit", "--summary"):
        page = targets.get(option)
        if report and page and is_page(page) and _place(page.parent) == _place(report):
            raise _wrong(f"{option} {page} lies among the pages of --report; name another folder.")


def _overwrites(target: Path, path: Path, *, folder: bool) -> bool:
    """Whether a target is an input, or an existing file in a folder that is one."""
    if _place(target) == _place(path) or (
        target.exists() and path.exists() and _same(target, path)
    ):
        return True
    inside = Path(_place(path)) in Path(_place(target)).parents
    return path.is_dir() and inside and not folder and target.exists() and _is_scores(target)


def _is_scores(path: Path) -> bool:
    """Whether a folder's reader would take it for scores."""
    from nofluke.scores.readers import files

    return files.ending(path.name) in files.FORMATS


def _same(target: Path, path: Path) -> bool:
    return target.samefile(path)  # also by another link


def _place(path: Path) -> str:
    return os.path.normcase(os.path.realpath(path))


def _kind(path: Path) -> str:
    return "a folder" if path.is_dir() else "a file"


def _wrong(text: str) -> InputError:
    return InputError(text, code="NF008")
