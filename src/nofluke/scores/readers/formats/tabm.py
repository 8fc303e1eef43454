"""Experiments in the manner of TabM and its kin: `report.json`, one run with its metrics."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, histories
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

_PARTS: Final = ("train", "val", "test")


class Report:
    """Metrics of one run on the parts train, val and test of one data set."""

    key = "tabm-report"
    title = "report of a TabM experiment"
    tool = "tabm"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By what every report has."""
        return {"function", "config", "prediction_type", "metrics"} <= head.keys

    def read(self, file: File) -> Iterator[Log]:
        """One row for each part, of which one is to be chosen; the tool leads with score."""
        report = contents.document(file)
        metrics = contents.wanted(report, "metrics", dict, file, "the report")
        parts = [part for part in _PARTS if isinstance(metrics.get(part), dict)]
        if not parts:
            raise contents.refusal(file, f"has metrics of none of {', '.join(_PARTS)}.")
        found = [_flat(metrics[part], file) for part in parts]
        names = list(dict.fromkeys(name for one in found for name in one))
        config = histories.flat(report.get("config"))
        seed = contents.at(report, "config", "seed")
        data = PurePath(str(contents.at(report, "config", "data", "path", default=""))).name
        n = len(parts)
        yield Log(
            candidate=_model(report),
            example=[data or "data"] * n,
            scores={name: [one.get(name) for one in found] for name in names},
            settings=histories.without(config, "data"),
            alternatives={"part": parts},
            run=["0" if seed is None else str(seed)] * n,
            better={
                **histories.better(names),
                **({"score": "higher"} if "score" in names else {}),
                **({"cross-entropy": "lower"} if "cross-entropy" in names else {}),
                **({"roc-auc": "higher"} if "roc-auc" in names else {}),
            },
            usual="score" if "score" in names else None,
            notes=(
                "NF313: score is the accuracy, or the RMSE with a minus, so that more is better; "
                "the seed is the run.",
            ),
        )


def _model(report: dict[str, Any]) -> str:
    """The kind of model that the configuration names, or the function that was run."""
    model = contents.at(report, "config", "model")
    kinds = [
        contents.at(model, "arch_type"),
        contents.at(model, "backbone", "type"),
        contents.at(model, "num_embeddings", "type"),
    ]
    return " ".join(str(kind) for kind in kinds if kind) or str(report["function"])


def _flat(metrics: dict[str, Any], file: File, prefix: str = "") -> dict[str, Any]:
    """Metrics by name; those of one class ("0") or of a mean over classes by dotted names."""
    found: dict[str, Any] = {}
    for name, value in metrics.items():
        if isinstance(value, dict):
            found |= _flat(value, file, f"{prefix}{name}.")
        elif name != "support":
            found[prefix + name] = contents.number(value, file, f"metric {prefix + name!r}")
    return found


READERS = (Report(),)
