"""The logs that tools write: what a reader of one format is, and what it hands over.

A reader knows its format by content, and turns one file (or one folder) into ``Log`` records: rows
with one column of scores for each metric, and all that tells candidates and rows apart. What is
compared with what is decided afterwards and in one place (``chosen``), so a reader never chooses a
metric, a filter or a name for the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from pathlib import Path

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

Score: TypeAlias = float | int | bool | None
Id: TypeAlias = str | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Rows of one log, each column as long as ``example``; a missing score is None.

    Attributes:
        candidate: The model, system or configuration, or one for each row; None where the log
            does not say: the file's name is used then.
        example: What was scored: ids as the log spells them.
        scores: Columns of scores by the log's own name of the metric. Truth values are kept as
            such; a metric that is right or wrong by its meaning then counts as binary.
        settings: What else tells this candidate from others of the same name, by the log's own
            words ("temperature": "0.5"); it becomes part of the name only where names clash.
        alternatives: Columns that hold several readings of the same example, of which one is to be
            chosen ("filter", "perturbation"): by the log's own word for them.
        part: Column of what the examples belong to (task, subset, data set); ids of examples are
            unique within one part.
        part_word: What a part is called: "task".
        run: Column of repeats (epoch, seed, trial) of the same example.
        cluster: Column of what belongs together and is no sample of its own (document, user).
        time: When each row was measured; numbers, or texts that sort.
        digest: What the example holds, as a hash; examples of one id and other hashes are not the
            same.
        input: What was asked, as text or a hash.
        output: What was answered.
        failed: Rows that have no proper score because the run failed, and that count as the worst
            (a request that was refused). Rows that merely have no score are None in ``scores``.
        more: Further columns by name, for ``keep=``, ``columns=`` and ``failed=``. Those of
            numbers may be asked for by ``metric=`` too: what is measured and is no score.
        better: "higher" or "lower", by metric, where the log or its tool says.
        bounds: Lowest and highest possible score, by metric, where the tool says.
        units: Unit of each metric, where it has one ("s").
        usual_readings: The reading that is taken where none is asked for, by word of an
            alternative: the last of the steps of a run. It is said.
        usual: The metric that the tool itself leads with, if any; it is used where none is asked
            for, and said.
        notes: What the user should know of this log ("NF305: ...").
        told: The same of single metrics, by metric; it is said where that metric is read.
        also: Further files that were read for it.
    """

    candidate: str | Sequence[str] | None
    example: Sequence[Id]
    scores: Mapping[str, Sequence[Score]]
    settings: Mapping[str, str] = field(default_factory=dict)
    alternatives: Mapping[str, Sequence[str]] = field(default_factory=dict)
    part: Sequence[str] | None = None
    part_word: str = "task"
    run: Sequence[Id] | None = None
    cluster: Sequence[Id | None] | None = None
    time: Sequence[float | str | None] | None = None
    digest: Sequence[str | None] | None = None
    input: Sequence[str | None] | None = None
    output: Sequence[str | None] | None = None
    failed: Sequence[bool] | None = None
    more: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    better: Mapping[str, Better] = field(default_factory=dict)
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    usual: str | None = None
    usual_readings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    told: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    also: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        columns = {**self.scores, **self.alternatives, **self.more}
        single = ("part", "run", "cluster", "time", "digest", "input", "output", "failed")
        columns |= {name: getattr(self, name) for name in single if getattr(self, name) is not None}
        if not isinstance(self.candidate, str | None):
            columns["candidate"] = self.candidate
        wrong = {name: len(c) for name, c in columns.items() if len(c) != len(self.example)}
        if wrong:
            raise ValueError(f"columns of other lengths than {len(self.example)} examples: {wrong}")


@runtime_checkable
class Reader(Protocol):
    """A reader of one format.

    Attributes:
        key: Its name, as ``reader=`` takes it: "lm-eval-samples".
        title: The tool and the kind of file, for people: "lm-evaluation-harness samples".
        tool: The tool, "lm-eval": where one folder holds rows and summaries of one tool, the rows
            are read.
        rows: Whether it yields a score for each example; False for summaries.
        folders: Whether what it reads is a folder, rather than a file.

    A reader may also have ``reads`` and ``asks``, texts for the table of formats: what it reads
    (else the first lines of its docstrings say it) and what it asks the user to choose.
    """

    key: str
    title: str
    tool: str
    rows: bool
    folders: bool

    def knows(self, head: Head) -> bool:
        """Whether this is a file (or folder) of the format, judged by its beginning alone."""
        ...

    def read(self, file: File) -> Iterable[Log]:
        """The logs in it.

        Raises:
            ReadError: It is of the format and cannot be read: cut off, not finished, no scores.
        """
        ...
