"""What a champion's card says about reported numbers: what is possible, and how far off one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nofluke.questions.champion_card import ChampionCard
    from nofluke.results import Row

_MOST = 3  # numbers told one by one


def sentences(card: ChampionCard) -> list[str]:
    """How far off one number is by what lies behind it, and whether all are possible."""
    return [*_errors(card.reported), *_possible(card.reported)]


def _errors(found: tuple[Row, ...]) -> list[str]:
    known = [row["se"] for row in found if row["se"] > 0]  # 0 is ignorance, at a number of 0 or 1
    if not known:
        return []
    least, most = (f"{bound(known):.4g}" for bound in (min, max))
    span = least if least == most else f"{least} to {most}"
    behind, word = found[0]["rows"], found[0]["guarantee"]
    if _only_published(found):
        return [
            f"The published {spelled(found[0])}, if it is of the same {behind}, has standard "
            f"error {span} by their number alone ({word})."
        ]
    return [f"By {behind} alone, one such number has standard error {span} ({word})."]


def _possible(found: tuple[Row, ...]) -> list[str]:
    checked = [row for row in found if row["possible"] is not None]
    if not checked:
        return []
    wrong = [row for row in checked if not row["possible"]]
    if not wrong:
        which = f"All {len(checked)} numbers"
        if len(checked) == 1:
            which = "The published number" if _only_published(found) else "The number with decimals"
        return [
            f"{which} can come from {checked[0]['rows']} to the decimals reported; being possible "
            "proves nothing."
        ]
    told = "; ".join(map(_nearest, wrong[:_MOST]))
    more = f"; and {len(wrong) - _MOST} more" if len(wrong) > _MOST else ""
    count = f"{len(wrong)} of {len(checked)} reported numbers"
    return [f"{count} cannot come from {wrong[0]['rows']}: {told}{more}."]


def _only_published(found: tuple[Row, ...]) -> bool:
    return len(found) == 1 and found[0]["candidate"] is None


def _nearest(row: Row) -> str:
    return (
        f"{spelled(row)} ({_whose(row)}), where the nearest that can are {row['below']:.6g} and "
        f"{row['above']:.6g}"
    )


def spelled(row: Row) -> str:
    """The number as it was reported."""
    if row["written"] is not None:
        return str(row["written"])
    return f"{row['value']:g}" if row["decimals"] is None else f"{row['value']:.{row['decimals']}f}"


def _whose(row: Row) -> str:
    return "published" if row["candidate"] is None else f"candidate {row['candidate']}"


def notes(card: ChampionCard) -> list[str]:
    """Cautions about reported numbers, each beginning with its code."""
    said = []
    if any(row["possible"] is None for row in card.reported):
        said.append(
            "NF280: how many decimals were reported is not said, so that nothing tells whether "
            f"the numbers can come from {card.reported[0]['rows']}: 0.8 and 0.80 differ. Give "
            "decimals=, or the numbers as text."
        )
    wrong = [row for row in card.reported if row["possible"] is False]
    if wrong:
        names = ", ".join(spelled(row) for row in wrong[:5]) + (" ..." if len(wrong) > 5 else "")
        said.append(
            f"NF281: {names} cannot be computed from {wrong[0]['rows']} as "
            f"{'areas' if 'positive' in wrong[0]['rows'] else 'shares'} of them. Other rows, a "
            "mean over folds or seeds, a weighting or a slip would explain it; an interval that "
            "goes by these sizes stands or falls with them."
        )
    return said
