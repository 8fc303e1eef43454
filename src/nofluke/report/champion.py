"""What the page of a champion's card says."""

from __future__ import annotations

from typing import Any

from nofluke import plots
from nofluke.questions.champion_card import ChampionCard
from nofluke.questions.champion_reported_words import spelled
from nofluke.questions.champion_words import best
from nofluke.report.figures import Picture, drawn
from nofluke.report.view import common, view
from nofluke.results import percent
from nofluke.text import visible

_ALWAYS = (
    "The best score is no estimate of what the best candidate is worth: it was chosen for it.",
    "Scores on the same rows go up and down together; their spread is not how sure they are.",
    "Training-set variance is outside these numbers: other training rows are another question.",
    "Nothing is said about cases unlike those the rows come from.",
)


@view.register(ChampionCard)
def champion(result: ChampionCard) -> dict[str, Any]:
    """What the page of a champion's card says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": "scores" if result.source == "numbers" else "rows",
        "figures": [
            Picture(
                svg=drawn(plots.champion, result),
                caption=(
                    f"Every score, what was planned, the best of {result.tried}, and the intervals "
                    f"({result.guarantee}). The numbers are the table below."
                ),
            )
        ],
        "rows": result.rows(),
        "spelled": [spelled(row) for row in result.reported],
        "facts": _facts(result),
        "limits": list(_ALWAYS),
        "checked": [
            f"The winner's interval pays for {result.tried} candidates, or there is none.",
            "Every candidate in the data is in the picture and in the spread.",
        ],
    }


def _banner(result: ChampionCard) -> tuple[str, str]:
    word = f"({result.guarantee})"
    head = f"Planned: {result.planned_value:.4g}; best of {result.tried}: {result.best_value:.4g}"
    kind = "invalid" if result.guarantee == "heuristic" else "asymptotic"
    return kind, f"{head}, which was chosen {word}"


def _facts(result: ChampionCard) -> list[tuple[str, str]]:
    """What was asked, in (name, value)."""
    told = [
        ("planned", visible(result.rule)),
        ("candidates tried", str(result.tried)),
        ("candidates in the data", str(result.m)),
        ("standard deviation", f"{result.sd:.4g}"),
        ("best", f"{visible(best(result))}; {result.gap:.4g} from what was planned"),
        ("confidence of each interval", percent(result.level)),
    ]
    if result.gate is not None:
        told.append(("gate", f"{result.gate['gate']:g}, reached by {result.gate['count']}"))
    return told
