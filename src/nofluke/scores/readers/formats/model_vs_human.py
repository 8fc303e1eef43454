"""model-vs-human: trials of people and models that name objects, one row a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_NEEDED: Final = frozenset(
    {"subj", "session", "trial", "rt", "object_response", "category", "condition", "imagename"}
)
_NO_ANSWER: Final = "na"
_PREFIX: Final = 3  # trial, experiment and subject stand before what names the image


class Trials:
    """Answers of one or several subjects."""

    key = "model-vs-human"
    title = "model-vs-human trials"
    tool = "model-vs-human"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its columns; some experiments write Session."""
        return {name.lower() for name in head.header} >= _NEEDED

    def read(self, file: File) -> Iterator[Log]:
        """Whether the answer names the category, as the tool counts; no answer is wrong."""
        rows = [{name.lower(): cell for name, cell in row.items()} for row in contents.table(file)]
        silent = sum(row["object_response"] == _NO_ANSWER for row in rows)
        yield Log(
            candidate=[row["subj"] for row in rows],
            example=[_image(row["imagename"]) for row in rows],
            scores={
                "correct": [row["object_response"] == row["category"] for row in rows],
                "rt": [
                    contents.numeral(row["rt"], file, f"rt in trial {row['trial']}") for row in rows
                ],
            },
            more={name: [row[name] for row in rows] for name in ("session", "condition", "trial")},
            better={"correct": "higher", "rt": "lower"},
            units={"rt": "s"},
            usual="correct",
            notes=(
                "NF313: correct is whether object_response is the category, as model-vs-human "
                f"counts; trials without an answer ({_NO_ANSWER!r}), {silent} of {len(rows)}, "
                "count as wrong. Trial and subject are left out of the names of images, "
                "so that trials of different subjects meet.",
            ),
        )


def _image(name: str) -> str:
    """What names the image: without the trial's number and the subject.

    >>> _image("0001_ske_s01_0_boat_00_boat-0068.png")
    '0_boat_00_boat-0068.png'
    """
    parts = name.split("_", _PREFIX)
    return parts[-1] if len(parts) > _PREFIX and parts[0].isdigit() else name


READERS = (Trials(),)
