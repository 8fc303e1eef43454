"""Which reader knows a file: those of this package, and those that other packages bring."""

from __future__ import annotations

import functools
import importlib
from importlib import metadata
from typing import TYPE_CHECKING, Final

from nofluke.errors import InputError, ReadError, some
from nofluke.scores.readers import files
from nofluke.scores.readers.heads import Head
from nofluke.scores.readers.logs import Reader

if TYPE_CHECKING:
    from pathlib import Path

    from nofluke.scores.readers.files import File

GROUP: Final = "nofluke.readers"
PLAIN: Final = "table"  # the name under which a log is read as a plain table

# One module for each format; each has `READERS`.
_MODULES: Final = (
    "alpaca_eval",
    "arena",
    "automlbenchmark",
    "deepeval",
    "dreamer",
    "evalplus",
    "fev",
    "gift_eval",
    "guidellm",
    "helm",
    "hf_trainer",
    "hyperfine",
    "inspect_ai",
    "k6",
    "lightning",
    "livecodebench",
    "llmperf",
    "lm_eval",
    "lm_eval_results",
    "locust",
    "mlflow",
    "model_vs_human",
    "mteb",
    "optuna",
    "promptfoo",
    "pytest_benchmark",
    "ragas",
    "sacrebleu",
    "sklearn",
    "stable_baselines3",
    "swebench",
    "tabm",
    "tensorboard",
    "trec_eval",
    "vllm",
    "wandb",
    "wmt_mqm",
)


@functools.cache
def readers() -> tuple[Reader, ...]:
    """All readers: those of other packages first; their order decides nothing, see ``of_file``."""
    brought = [_brought(point) for point in metadata.entry_points(group=GROUP)]
    own = [
        reader
        for module in _MODULES
        for reader in importlib.import_module(f"nofluke.scores.readers.formats.{module}").READERS
    ]
    return (*sorted(brought, key=lambda r: r.key), *own)


def named(key: str) -> Reader | None:
    """The reader of this name; None for a plain table.

    Raises:
        InputError: There is none.
    """
    if key == PLAIN:
        return None
    found = {reader.key: reader for reader in readers()}
    if key not in found:
        raise InputError(
            f"reader={key!r} is not known; readers are {', '.join(found)}, or {PLAIN!r} for a "
            "plain table.",
            code="NF008",
        )
    return found[key]


def of_file(file: File, only: Reader | None = None) -> Reader | None:
    """The reader that knows a file; None if it is a plain table, or nothing known.

    Args:
        file: The file.
        only: The only reader to ask, if the caller named one.

    Raises:
        ReadError: Several readers know it.
    """
    head = Head(file.path, files.start(file))
    return _one([r for r in _asked(only) if not r.folders and r.knows(head)], file.label)


def knows(reader: Reader, file: File) -> bool:
    """Whether a file or folder begins as those of a reader do."""
    return reader.knows(
        Head(file.path) if file.path.is_dir() else Head(file.path, files.start(file))
    )


def of_folder(folder: Path, only: Reader | None = None) -> Reader | None:
    """The reader that knows a folder as one log; None if none does.

    Args:
        folder: The folder.
        only: The only reader to ask, if the caller named one.

    Raises:
        ReadError: Several readers know it.
    """
    head = Head(folder)
    return _one([r for r in _asked(only) if r.folders and r.knows(head)], str(folder))


def _asked(only: Reader | None) -> tuple[Reader, ...]:
    return readers() if only is None else (only,)


def _one(found: list[Reader], label: str) -> Reader | None:
    if len(found) > 1:
        raise ReadError(
            f"{label} could be read as {some([r.key for r in found])}; choose: "
            f"reader={found[0].key!r}.",
            code="NF260",
            path=label,
        )
    return found[0] if found else None


def _brought(point: metadata.EntryPoint) -> Reader:
    """The reader that another package brings by an entry point.

    Raises:
        InputError: It cannot be loaded, or is no reader.
    """
    try:
        found = point.load()
        reader = found() if isinstance(found, type) else found
    except Exception as error:
        raise InputError(
            f"the reader {point.name!r} ({point.value}) of another package cannot be loaded: "
            f"{type(error).__name__}: {error}. Update or remove that package.",
            code="NF260",
        ) from error
    if not isinstance(reader, Reader):
        raise InputError(
            f"the reader {point.name!r} ({point.value}) of another package is no reader: it needs "
            "key, title, tool, rows, folders, knows() and read().",
            code="NF260",
        )
    return reader
