"""What the pages of planned splits and of their check say."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.report.figures import Picture, drawn
from nofluke.report.tables import Table
from nofluke.report.view import common, view
from nofluke.selection.split_checks import SplitCheck
from nofluke.selection.split_plan import Splitter
from nofluke.text import visible

_PLAN_LIMITS = (
    "A split plans which rows are tested; it sees no predictors and finds no duplicates.",
    "Splits that share training rows do not give independent scores.",
    "Looking at the scores of a split and planning another is a choice after looking.",
)

_CHECK_LIMITS = (
    "Nothing found is no proof: what no column says cannot be seen.",
    "Whether a step was fitted on test rows too is not seen from a split; leakage() probes it.",
    "Rows may be alike in ways that numbers and texts do not show.",
)


@view.register(Splitter)
def split_plan(result: Splitter) -> dict[str, Any]:
    """What the page of planned splits says."""
    return common(result) | {
        "banner": ("nothing", _headline(result)),
        "counted": "rows",
        "figures": [
            Picture(
                svg=drawn(plots.split_picture, result),
                caption=(
                    f"Which row is tested and trained on in which split ({result.guarantee}). The "
                    "numbers are the table below."
                ),
            )
        ],
        "tables": [
            Table(
                name="Splits",
                caption="Rows of each split (descriptive)",
                columns=("split", "trained on", "tested", "in neither part"),
                lines=[
                    (f"split {r['split']}", str(r["n_train"]), str(r["n_test"]), str(r["n_unused"]))
                    for r in result.rows()
                ],
                numbers=frozenset({1, 2, 3}),
            )
        ],
        "facts": _facts(result),
        "limits": list(_PLAN_LIMITS),
        "checked": _kept(result),
    }


def _headline(result: Splitter) -> str:
    count = len(result.pairs)
    splits = f"{count} split{'' if count == 1 else 's'} of {result.n} rows"
    if not result.apart:
        return f"{splits} at random: nothing is kept apart ({result.guarantee})"
    listed = ", ".join(result.apart).replace("_", " ")
    return f"{splits} by {listed} ({result.guarantee})"


def _facts(result: Splitter) -> list[tuple[str, str]]:
    """What was asked, in (name, value)."""
    told = [
        ("kept apart", ", ".join(result.apart).replace("_", " ") or "nothing: rows at random"),
        ("independent units", str(result.n_units)),
        ("folds of units", str(result.n_splits)),
        ("later periods", str(result.periods)),
    ]
    if result.columns.gap:
        told.append(("gap between training and test", f"{result.columns.gap:g}"))
    if result.why is not None:
        told.append(("why at random", visible(result.why)))
    return told


def _kept(result: Splitter) -> list[str]:
    units = [name.replace("_", " ") for name in result.apart if name != "time"]
    said = [f"No {name} has rows on both sides of a split." for name in units]
    if "time" in result.apart:
        said.append("Every test row is later than all training rows of its split.")
    return [*said, "No row is tested twice."]


@view.register(SplitCheck)
def split_check(result: SplitCheck) -> dict[str, Any]:
    """What the page of a check of a split says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "rows",
        "figures": [
            Picture(
                svg=drawn(plots.split_faults, result),
                caption=(
                    f"What was checked, and the test rows that a fault touches ({result.guarantee})"
                ),
            )
        ],
        "tables": [
            Table(
                name="Faults",
                caption=f"What was found ({result.guarantee})",
                columns=("kind", "count", "what", "some pairs: training row, test row"),
                lines=[
                    (
                        fault.kind.replace("_", " "),
                        str(fault.count),
                        visible(fault.says),
                        "; ".join(f"{a}, {b}" for a, b in fault.pairs) or "–",
                    )
                    for fault in result.faults
                ],
                numbers=frozenset({1}),
            )
        ]
        if result.faults
        else [],
        "facts": [
            ("rows of training", str(result.n_train)),
            ("rows of test", str(result.n_test)),
            ("checked", ", ".join(result.checked).replace("_", " ")),
            ("not checked", ", ".join(result.unchecked).replace("_", " ") or "–"),
        ],
        "limits": list(_CHECK_LIMITS),
        "checked": [
            f"{kind.replace('_', ' ')}: nothing found."
            for kind in result.checked
            if kind not in {fault.kind for fault in result.faults}
        ],
    }


def _banner(result: SplitCheck) -> tuple[str, str]:
    word = f"({result.guarantee})"
    count = len(result.faults)
    if not count:
        open_ones = f", {len(result.unchecked)} not" if result.unchecked else ""
        return "nothing", f"Nothing found: {len(result.checked)} things checked{open_ones} {word}"
    what = "fault" if count == 1 else "faults"
    return "invalid", f"{count} {what}: the split does not keep apart what it must {word}"
