"""What the page of a probe for leakage says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke import plots
from nofluke.plots.labels import short
from nofluke.report.figures import Picture, drawn
from nofluke.report.tables import Table
from nofluke.report.view import common, view
from nofluke.report.wording import number
from nofluke.results import percent
from nofluke.selection.leaks import Leakage
from nofluke.selection.leaky_runs import EVERY
from nofluke.selection.recognition import SeenGroups
from nofluke.text import visible

if TYPE_CHECKING:
    from nofluke.selection.leaks import StepLeak

_ALWAYS = (
    (
        "A small leak is no permission: it is measured on these rows and folds, and fitting inside "
        "costs nothing."
    ),
    "Leaks of single steps do not add up to that of all steps at once.",
    (
        "Rows that repeat, share a patient or a device, or come later than the tested ones leak "
        "whatever a step is fitted on; validate() looks for them."
    ),
    "What was done to the features before they arrived is not seen here.",
)


@view.register(Leakage)
def leakage(result: Leakage) -> dict[str, Any]:
    """What the page of a probe for leakage says."""
    return common(result) | {
        "banner": ("nothing", _headline(result)),
        "counted": "rows",
        "figures": [
            Picture(
                svg=drawn(plots.leaks, result),
                caption=(
                    f"Each step fitted inside the folds and on all rows ({result.guarantee}). The "
                    "numbers are the table below."
                ),
            )
        ],
        "tables": [_table(result)],
        "facts": [
            ("metric", visible(result.metric)),
            ("folds", str(len(result.honest))),
            ("scores with everything inside", ", ".join(number(v, 4) for v in result.honest)),
            ("confidence aimed at, one by one", percent(result.level)),
        ],
        "limits": list(_ALWAYS),
        "checked": [
            "Both fits of a pair have the same folds, seeds and rows to score.",
            "No row is on both sides of a fold.",
        ],
    }


@view.register(SeenGroups)
def seen_groups(result: SeenGroups) -> dict[str, Any]:
    """What the page of a probe for recognised groups says."""
    name = visible(result.group_name)
    return common(result) | {
        "banner": (
            "nothing",
            f"Having seen the {short(name, 40)} moves {short(result.metric, 40)} by "
            f"{result.gain:+.3g} ({result.guarantee})",
        ),
        "counted": "rows",
        "figures": [
            Picture(
                svg=drawn(plots.seen_and_new, result),
                caption=f"The same rows scored twice ({result.guarantee}); numbers in the table.",
            )
        ],
        "tables": [
            Table(
                name="Seen and new",
                caption=(
                    f"{visible(result.metric)} on new groups, on the same rows where others of the "
                    f"group were seen, and the difference with limits ({result.guarantee})"
                ),
                columns=("metric", "new", "seen", "gain", "lower", "upper", "groups", "folds"),
                lines=[
                    (
                        visible(result.metric),
                        number(result.new),
                        number(result.seen),
                        f"{result.gain:+.4g}",
                        number(result.lower),
                        number(result.upper),
                        str(result.n_groups),
                        str(len(result.by_fold)),
                    )
                ],
                numbers=frozenset(range(1, 8)),
            )
        ],
        "facts": [
            ("a group is", name),
            ("differences by fold", ", ".join(f"{d:+.4g}" for d in result.by_fold)),
            ("confidence aimed at", percent(result.level)),
        ],
        "limits": [
            "A small gain does not show that features carry nothing of the group; it is that of "
            "this model.",
            "A gain is right to expect in use on the same groups; it is wrong for new ones.",
        ],
        "checked": [
            "Both fits of a fold have as many training rows, the same seeds and rows to score.",
            "No row is both trained on and scored.",
        ],
    }


def _headline(result: Leakage) -> str:
    single = [s for s in result.steps if s.step != EVERY]
    if not single:
        return "No step could be probed for leakage"
    most = max(single, key=lambda s: s.leak)
    metric = short(result.metric, 40)
    if most.leak <= 0:
        return f"No probed step raises {metric} when fitted on all rows ({result.guarantee})"
    return (
        f"Fitted on all rows, {short(most.step, 40)} raises {metric} by {most.leak:.3g} "
        f"({result.guarantee})"
    )


def _table(result: Leakage) -> Table:
    return Table(
        name="Leaks",
        caption=(
            f"{visible(result.metric)} with every step inside the folds, with this step fitted on "
            f"all rows, and the difference with limits at {percent(result.level)} each "
            f"({result.guarantee})"
        ),
        columns=("step", "class", "inside", "on all rows", "leak", "lower", "upper", "folds"),
        lines=[_line(step) for step in result.steps],
        numbers=frozenset(range(2, 8)),
    )


def _line(step: StepLeak) -> tuple[str, ...]:
    return (
        visible(step.step),
        visible(step.of) or "–",
        number(step.honest),
        number(step.leaky),
        f"{step.leak:+.4g}",
        number(step.lower),
        number(step.upper),
        str(len(step.by_fold)),
    )
