"""PyTorch Lightning: `metrics.csv` of the CSV logger, in which most cells are blank."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Final

from nofluke.scores.readers import contents, files, flat_yaml, histories
from nofluke.scores.readers.columns import ALIASES
from nofluke.scores.readers.histories import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head
    from nofluke.scores.readers.logs import Log

_PLACES: Final = frozenset({"step", "epoch"})
_LOOKED_AT: Final = 50
# A table with such a column is somebody's own, and no log of one run.
_FOREIGN: Final = frozenset(
    {name for role in ("candidate", "example", "score", "metric") for name in ALIASES[role]}
    | {"seed", "fold", "run"}
)


class Metrics:
    """Rows of steps, each with the metrics that were logged there."""

    key = "lightning-csv"
    title = "PyTorch Lightning metrics"
    tool = "lightning"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the columns step and epoch, and numbers or blanks in all of the others."""
        header = set(head.header)
        if not header > _PLACES or header & _FOREIGN or "" in header:
            return False
        try:
            rows = list(csv.reader(head.lines[1:_LOOKED_AT]))
        except csv.Error:
            return False
        return all(not cell or contents.is_numeral(cell) for row in rows for cell in row)

    def read(self, file: File) -> Iterator[Log]:
        """The last value of each metric; a blank cell was not logged, and NaN was."""
        name = histories.folder_name(file)
        run = Run(name=name, candidate=name)
        beside = files.beside(file, "hparams.yaml")
        if beside is not None:
            run.settings = flat_yaml.read(contents.text(beside, most=1 << 24))
        for i, row in enumerate(contents.cells(file)):
            for metric, cell in row.items():
                if metric not in _PLACES and cell.strip():
                    value = contents.numeral(cell, file, f"{metric} in row {i + 1}")
                    run.values[metric].append((row["step"].strip() or str(i), value))
        if not run.values:
            raise contents.refusal(file, "has no value of any metric, so there are no scores.")
        yield histories.log([run], also=() if beside is None else (beside.path,))


READERS = (Metrics(),)
