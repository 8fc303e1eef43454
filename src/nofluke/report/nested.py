"""What the page of a nested cross-validation says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.plots.labels import short
from nofluke.report.figures import Picture, drawn
from nofluke.report.tables import Table
from nofluke.report.view import common, view
from nofluke.report.wording import number
from nofluke.selection.nested.answers import NestedCV, params_text
from nofluke.text import visible

_ALWAYS = (
    (
        "The outer score is that of the whole procedure of choosing, not of one configuration; "
        "nothing here says which configuration is the best."
    ),
    (
        "Outer folds share most training rows, so their scores are not independent trials, and "
        "their standard deviation over the root of their number is no standard error."
    ),
    (
        "What was fitted to the features before they arrived (a scaler, a selection, an imputer) "
        "has seen the rows held out; no fold can undo it."
    ),
    "Nothing is said about cases unlike these rows: another site, later times, other labels.",
)


@view.register(NestedCV)
def nested(result: NestedCV) -> dict[str, Any]:
    """What the page of a nested cross-validation says."""
    return common(result) | {
        "banner": ("nothing", _headline(result)),
        "counted": "rows",
        "figures": [
            Picture(
                svg=drawn(plots.index_picture, result),
                caption=(
                    f"Which row does what in which outer fold ({result.guarantee} scores beside "
                    "it). The numbers are the tables below."
                ),
            )
        ],
        "tables": [_outer(result), _layers(result), _inner(result)],
        "facts": _facts(result),
        "limits": list(_ALWAYS),
        "checked": [
            "No row is held out twice, and none is on both sides of a fold.",
            *(
                ["No group is on both sides of a fold, in either layer."]
                if result.question.get("groups")
                else []
            ),
            "A configuration that failed in an inner fold was not chosen there.",
        ],
    }


def _headline(result: NestedCV) -> str:
    metric = short(result.metric, 40)
    if result.estimate is None:
        return f"{metric} is undefined on every outer fold"
    said = f"{metric} {result.estimate:.4g} on rows that had no part in the choice"
    if result.optimism is not None:
        said += f"; the inner winners had {result.inner_best:.4g}"
    return f"{said} ({result.guarantee})"


def _outer(result: NestedCV) -> Table:
    decided = any(fold.threshold is not None for fold in result.folds)
    failed = any(fold.n_failed for fold in result.folds)
    counts = ("n_train", "n_test", *(("n_configurations", "n_failed") if failed else ()))
    return Table(
        name="Outer folds",
        caption=(
            f"Score of each outer fold ({result.guarantee}), inner score of the winner, and by how "
            f"much the latter is higher{'; configurations tried, and failed' if failed else ''}"
        ),
        columns=(
            "fold",
            "chosen",
            *(("threshold",) if decided else ()),
            "score",
            "inner",
            "optimism",
            "trained on",
            "held out",
            *(("tried", "failed") if failed else ()),
        ),
        lines=[
            (
                f"outer {row['fold']}",
                visible(row["chosen"]),
                *((number(row["threshold"]),) if decided else ()),
                number(row["score"], 4),
                number(row["inner_best"], 4),
                number(row["optimism"], 3),
                *(str(row[n]) for n in counts),
            )
            for row in result.rows()
        ],
        numbers=frozenset(range(2, 10)),
    )


def _layers(result: NestedCV) -> Table:
    return Table(
        name="Layers",
        caption="Which step happens in which layer, and on which rows (descriptive)",
        columns=("step", "layer", "rows"),
        lines=[(visible(r["step"]), r["layer"], r["rows"]) for r in result.layers()],
    )


def _inner(result: NestedCV) -> Table:
    return Table(
        name="Every configuration in every inner search",
        caption=(
            "Inner scores (descriptive); a mean is missing where one of them failed, and then the "
            "configuration cannot be chosen"
        ),
        columns=("outer fold", "mean", "chosen", "inner scores", "configuration"),
        lines=[
            (
                f"outer {fold.fold}",
                number(c.mean),
                "chosen" if i == fold.chosen else "",
                ", ".join(number(s, 4) for s in c.scores),
                visible(params_text(c.params)),
            )
            for fold in result.folds
            for i, c in enumerate(fold.configurations)
        ],
        numbers=frozenset({1}),
        folded=True,
    )


def _facts(result: NestedCV) -> list[tuple[str, str]]:
    """What was found and asked, in (name, value)."""
    told = [
        ("estimator", visible(result.estimator)),
        ("steps", ", ".join(map(visible, result.steps))),
        ("mean of the outer scores", number(result.estimate)),
        ("weighted by rows", number(result.weighted)),
        ("all rows held out together", number(result.pooled)),
        ("standard deviation of outer scores", number(result.sd)),
        ("standard error (rule of thumb)", number(result.se)),
        ("mean inner score of the winners", number(result.inner_best)),
        ("optimism of the inner winners", number(result.optimism)),
    ]
    if result.final is not None:
        told.append(("final model, chosen on all rows", visible(params_text(result.final.params))))
        if result.final.threshold is not None:
            told.append(("its threshold", number(result.final.threshold)))
    return told
