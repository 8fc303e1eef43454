"""Battles of an arena: two models, and who won; JSON, JSON lines or CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_IDS: Final = ("question_id", "battle_id", "conversation_id", "id")
_TIES: Final = frozenset({"tie", "tie (bothbad)", "both_bad", "bothbad", "both bad", "draw"})
_FLAGS: Final = ("winner_model_a", "winner_model_b", "winner_tie")


class Battles:
    """Two rows for each battle, one a model: 1 won, 0 lost, 0.5 tied."""

    key = "arena"
    title = "arena battles"
    tool = "arena"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the two models and the winner."""
        names = set(head.keys or head.header)
        return {"model_a", "model_b"} <= names and ("winner" in names or set(_FLAGS) <= names)

    def read(self, file: File) -> Iterator[Log]:
        """Rows; both kinds of tie count the same; a model against itself is left out and told."""
        rows = [row for _, row in contents.records(file)]
        if not rows:
            raise contents.refusal(file, "holds no battles.")
        word = next((w for w in _IDS if w in rows[0]), None)
        ids = [str(row.get(word, i)) if word else str(i) for i, row in enumerate(rows, start=1)]
        battles = contents.told_apart(ids)
        candidates, examples, wins, judges, times, languages = [], [], [], [], [], []
        mirrored = 0
        for i, row in enumerate(rows, start=1):
            a, b = (
                contents.wanted(row, m, str, file, f"battle {i}") for m in ("model_a", "model_b")
            )
            if a == b:
                mirrored += 1
                continue
            won = _won(row, a, b, file, i)
            example = battles[i - 1]
            for model, score in ((a, won), (b, None if won is None else 1 - won)):
                candidates.append(model)
                examples.append(example)
                wins.append(score)
                judges.append(row.get("judge"))
                times.append(row.get("tstamp"))
                languages.append(str(row.get("language", "")))
        notes = [
            "NF309: a battle is an example that two models share. A share of battles won depends "
            "on whom a model met: compare two of them on the battles between those two."
        ]
        notes += contents.repeated(ids, str(word))
        unknown = wins.count(None) // 2
        if unknown:
            notes.append(
                f"NF305: without a winner, and so without a score: {counted(unknown, 'battle')}."
            )
        if mirrored:
            notes.append(
                f"NF305: left out, as of a model against itself: {counted(mirrored, 'battle')}."
            )
        known = {str(j) for j in judges if j is not None}
        yield Log(
            candidate=candidates,
            example=examples,
            scores={"win": wins},
            cluster=[str(j) for j in judges] if len(known) > 1 and None not in judges else None,
            time=[_time(t) for t in times] if None not in times else None,
            more={"language": languages} if any(languages) else {},
            better={"win": "higher"},
            bounds={"win": (0.0, 1.0)},
            notes=tuple(notes),
        )


def _won(row: dict[str, Any], a: str, b: str, file: File, i: int) -> float | None:
    """What the first model gets."""
    winner = row.get("winner")
    if "winner" not in row:
        flags = [str(row.get(flag)).strip().lower() in {"1", "1.0", "true"} for flag in _FLAGS]
        if sum(flags) != 1:
            raise contents.refusal(file, f"battle {i} has {sum(flags)} outcomes, not one.")
        return (1.0, 0.0, 0.5)[flags.index(True)]
    text = str(winner).strip()
    if winner is None or text == "":
        return None
    if text.lower() in _TIES:
        return 0.5
    if text.lower() in {"model_a", "a"} or text == a:
        return 1.0
    if text.lower() in {"model_b", "b"} or text == b:
        return 0.0
    raise contents.refusal(
        file,
        f"battle {i}: the winner is {text!r}; expected model_a, model_b, the name of one of the "
        "two, or tie.",
    )


def _time(value: Any) -> float | str:
    return value if isinstance(value, int | float) else str(value)


READERS = (Battles(),)
