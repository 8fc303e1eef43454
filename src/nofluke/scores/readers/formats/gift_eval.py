"""GIFT-Eval: `all_results.csv`, one row for each data set, frequency and term."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from nofluke.scores.readers import contents
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_METRIC: Final = "eval_metrics/"
_WIDE: Final = 4  # orders of magnitude beyond which a plain mean is that of a few rows


class Results:
    """Errors of one model on each data set."""

    key = "gift-eval"
    title = "GIFT-Eval results"
    tool = "gift-eval"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By its columns."""
        header = head.header
        return {"dataset", "model"} <= set(header) and any(c.startswith(_METRIC) for c in header)

    def read(self, file: File) -> Iterator[Log]:
        """All metrics are errors; settings of one data set belong together."""
        rows = contents.table(file)
        names = [c for c in rows[0] if c.startswith(_METRIC)]
        scores = {
            name: [contents.numeral(r[name], file, f"{name} of {r['dataset']!r}") for r in rows]
            for name in names
        }
        yield Log(
            candidate=[row["model"] for row in rows],
            example=[row["dataset"] for row in rows],
            scores=scores,
            cluster=[row["dataset"].partition("/")[0] for row in rows],
            more={
                name: [row[name] for row in rows]
                for name in ("domain", "num_variates")
                if name in rows[0]
            },
            better=dict.fromkeys(names, "lower"),
            notes=tuple(_told(scores)),
        )


def _told(scores: Mapping[str, Sequence[float | None]]) -> list[str]:
    """A caution on errors in units of the data, whose mean is that of a few data sets."""
    wide = {}
    for name, column in scores.items():
        held = [abs(v) for v in column if v and math.isfinite(v)]
        orders = math.log10(max(held)) - math.log10(min(held)) if held else 0.0
        if orders > _WIDE:
            wide[name] = math.floor(orders)
    if not wide:
        return []
    told = ", ".join(f"{name} {n}" for name, n in wide.items())
    return [
        f"NF312: values stretch over many orders of magnitude ({told}), so a mean over data sets "
        "is that of the few largest; choose a metric without units (MASE, the weighted quantile "
        "loss), or compare data set by data set by ranks or ratios."
    ]


READERS = (Results(),)
