"""Inspect AI: the log of one evaluation, as `.eval` (a ZIP archive) or as one JSON document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import archives, contents
from nofluke.scores.readers.formats.inspect_rows import (
    Header,
    Reductions,
    Sample,
    Worded,
    logs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.scores.readers.archives import Archive
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head
    from nofluke.scores.readers.logs import Log

_HEADER: Final = "header.json"
_START: Final = "_journal/start.json"
_FIRST_NAME: Final = 30  # where the name of the first member stands in an archive
_SUMMARIES: Final = "summaries.json"
_JOURNAL: Final = "_journal/summaries/"
_SAMPLES: Final = "samples/"
_REDUCTIONS: Final = "reductions.json"
_VERSIONS: Final = (1, 2)


class EvalFile:
    """An archive with a header, a summary of each sample, and the samples themselves."""

    key = "inspect-eval"
    title = "Inspect AI log"
    tool = "inspect"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the members of the archive; by the first, where its end is missing."""
        first = head.start[_FIRST_NAME:].startswith(_START.encode())
        if _START in head.members or (first and head.start.startswith(b"PK")):
            return True
        return _HEADER in head.members and _SUMMARIES in head.members

    def read(self, file: File) -> Iterator[Log]:
        """Header and summaries, which say all of the scores; samples where texts are looked at."""
        with archives.opened(file, last=True) as archive:
            if _HEADER not in archive.names:
                raise contents.refusal(file, _unfinished(archive), code="NF303")
            header = _member(archive, _HEADER, Header, file)
            _check(header, file)
            samples = _samples(archive, file)
            reductions: list[Reductions] = []
            if _REDUCTIONS in archive.names:
                reductions = _member(archive, _REDUCTIONS, list[Reductions], file)
        yield from logs(header, samples, reductions or header.reduced, file)


class JsonFile:
    """The same log as one JSON document."""

    key = "inspect-json"
    title = "Inspect AI log (JSON)"
    tool = "inspect"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the fields that the document begins with."""
        return {"version", "status", "eval"} <= head.keys and all(
            isinstance(contents.at(head.json, "eval", field), str) for field in ("task", "created")
        )

    def read(self, file: File) -> Iterator[Log]:
        """The whole document; what is not needed of it is passed over."""
        kind = _WithTexts if file.contents else _Whole
        log = contents.typed(contents.text(file), kind, file)
        _check(log, file)
        samples = list({(s.id, s.epoch): s for s in log.samples or ()}.values())
        yield from logs(log, samples, log.reductions or log.reduced, file)


class _Whole(Header):
    """A document: the header, and the samples in it."""

    samples: list[Sample] | None = None
    reductions: list[Reductions] | None = None


class _WithTexts(Header):
    """The same with what was asked and answered."""

    samples: list[Worded] | None = None
    reductions: list[Reductions] | None = None


def _member(archive: Archive, name: str, kind: Any, file: File) -> Any:
    return contents.typed(archive.read(name), kind, file, inside=f"member {name}")


def _samples(archive: Archive, file: File) -> list[Sample]:
    """The samples; one that was logged again replaces the earlier record, as Inspect has it."""
    journal = [name for name in archive.names if name.startswith(_JOURNAL)]
    whole = [n for n in archive.names if n.startswith(_SAMPLES) and n.endswith(".json")]
    if file.contents and whole:
        found = [_member(archive, name, Worded, file) for name in whole]
    elif _SUMMARIES in archive.names:
        found = _member(archive, _SUMMARIES, list[Sample], file)
    elif journal:
        journal.sort(key=lambda name: (len(name), name))  # numbered without leading zeros
        found = [s for name in journal for s in _member(archive, name, list[Sample], file)]
    else:
        found = [_member(archive, name, Sample, file) for name in whole]
    return list({(sample.id, sample.epoch): sample for sample in found}.values())


def _unfinished(archive: Archive) -> str:
    done = sum(name.startswith(_SAMPLES) for name in archive.names)
    return (
        f"has no {_HEADER}, so the evaluation was still running or broke off (status 'started'); "
        f"{done} samples are there. Those that finish first are often the easy ones, so they are "
        "not read in place of all: wait for it, or run `inspect eval-retry` or "
        "`inspect log recover`."
    )


def _check(header: Header, file: File) -> None:
    if header.version not in _VERSIONS:
        raise contents.refusal(
            file,
            f"is an Inspect AI log of version {header.version}, and versions "
            f"{', '.join(map(str, _VERSIONS))} are known; update nofluke.",
        )
    if header.status == "started":
        raise contents.refusal(
            file,
            "has the status 'started': the evaluation was still running or broke off. Wait for "
            "it, or run `inspect eval-retry`.",
            code="NF303",
        )


READERS = (EvalFile(), JsonFile())
