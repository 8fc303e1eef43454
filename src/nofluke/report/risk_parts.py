"""What the page of a squared loss taken apart says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.report.figures import Picture, drawn
from nofluke.report.tables import Table
from nofluke.report.view import common, view
from nofluke.report.wording import number
from nofluke.selection.risk_answers import RiskParts

_ALWAYS = (
    "The parts are those of training sets of this size; larger ones have other parts.",
    "A small variance is no good score: a model that ignores its data has none.",
    (
        "Seeds that make little of the variance do not make one seed safe to choose by its score: "
        "the best of several is ahead of its own truth."
    ),
    "Areas, log loss and errors counted as 0 or 1 have no such parts.",
)


@view.register(RiskParts)
def risk_parts(result: RiskParts) -> dict[str, Any]:
    """What the page of a squared loss taken apart says."""
    known = result["noise"].estimate is not None
    names = ("noise", "bias^2", "variance") if known else ("noise + bias^2", "variance")
    listed = " + ".join(f"{number(result[n].estimate, 3)} ({n})" for n in names)
    return common(result) | {
        "banner": (result.guarantee, f"{number(result['risk'].estimate, 3)} = {listed}"),
        "counted": "rows",
        "figures": [
            Picture(
                svg=drawn(plots.risk_parts, result),
                caption=(
                    f"What the mean squared loss is made of ({result.guarantee}). The numbers are "
                    "the table below."
                ),
            )
        ],
        "tables": [
            Table(
                name="Parts",
                caption=(
                    "Estimates without bias, their standard errors where there are any, from rows "
                    f"and from training sets ({result.guarantee}); uncorrected: as means and sums "
                    "of squares give it"
                ),
                columns=(
                    "part",
                    "what it is",
                    "estimate",
                    "standard error",
                    "of rows",
                    "of training sets",
                    "uncorrected",
                ),
                lines=[
                    (
                        row["part"],
                        row["what"],
                        number(row["estimate"]),
                        *(number(row[n], 3) for n in ("se", "se_rows", "se_runs")),
                        number(row["naive"]),
                    )
                    for row in result.rows()
                ],
                numbers=frozenset(range(2, 7)),
            )
        ],
        "facts": [
            ("loss", "squared"),
            ("training sets", str(result.n_sets)),
            ("seeds of each", str(result.n_seeds)),
            ("seeds", "the same for all" if result.shared_seeds else "own of each training set"),
            ("targets of each row", str(result.n_targets)),
        ],
        "limits": list(_ALWAYS),
        "checked": ["The parts add up to the risk, the mean loss over runs, targets and rows."],
    }
