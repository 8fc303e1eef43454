"""sacreBLEU: scores of single sentences (`-sl`) are read; those of a corpus are refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from nofluke.scores.readers import contents, timings
from nofluke.scores.readers.logs import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nofluke.checks import Better
    from nofluke.scores.readers.files import File
    from nofluke.scores.readers.heads import Head

# "chrF2|nrefs:1|case:mixed|...|version:2.6.0 = 49.3", and for BLEU its parts behind it.
_LINE: Final = re.compile(
    r"(?P<metric>[A-Za-z][\w+]*)\|(?P<signature>\S*nrefs:\S*version:\S+) = (?P<score>\S+)(?: .*)?"
)


class Sentences:
    """`-sl`: one line for each sentence, with one metric."""

    key = "sacrebleu-sentences"
    title = "sacreBLEU sentence scores"
    tool = "sacrebleu"
    rows = True
    folders = False

    def knows(self, head: Head) -> bool:
        """By the signature that every line begins with."""
        return bool(head.lines) and _LINE.fullmatch(head.lines[0]) is not None

    def read(self, file: File) -> Iterator[Log]:
        """Rows in the order of the sentences, which is all that tells them apart."""
        scores: list[float | None] = []
        metric = signature = ""
        for number, line in enumerate(contents.text(file).splitlines(), start=1):
            if not line.strip():
                continue
            match = _LINE.fullmatch(line)
            if match is None:
                raise contents.refusal(
                    file, f"line {number} is no score of a sentence: {line[:60]!r}.", line=number
                )
            told = match["metric"], match["signature"]
            if scores and told != (metric, signature):
                raise contents.refusal(
                    file,
                    f"line {number} has another metric or signature than the lines before; one "
                    "file for each system and metric, please.",
                    line=number,
                )
            metric, signature = told
            scores.append(contents.numeral(match["score"], file, f"the score in line {number}"))
        yield Log(
            candidate=None,
            example=list(range(1, len(scores) + 1)),
            scores={metric: scores},
            settings=dict(item.split(":", 1) for item in signature.split("|") if ":" in item),
            better={metric: _better(metric)},
            bounds={} if metric == "TER" else {metric: (0.0, 100.0)},
            notes=(*timings.numbered(file, "sentence"), *_signed(metric, signature, file)),
        )


def _better(metric: str) -> Better:
    return "lower" if metric == "TER" else "higher"


def _signed(metric: str, signature: str, file: File) -> tuple[str, ...]:
    """What must be the same wherever two scores are compared."""
    return (
        f"NF319: {file.label}: {metric} of single sentences, {signature}. Their mean is not the "
        f"{metric} of the corpus, and only scores of one signature can be compared.",
    )


class Corpus:
    """One number for a whole corpus, with or without an interval of its own: refused."""

    key = "sacrebleu-corpus"
    title = "sacreBLEU corpus scores"
    tool = "sacrebleu"
    rows = False
    folders = False

    def knows(self, head: Head) -> bool:
        """By the signature beside the score."""
        value = head.json
        first = value[0] if isinstance(value, list) and value else value
        if not isinstance(first, dict):
            return False
        return {"name", "score", "signature"} <= first.keys() and _is_signature(first["signature"])

    def read(self, file: File) -> Iterator[Log]:
        """Refuse it: one number of a corpus is no sample."""
        value = contents.document(file)
        entries = value if isinstance(value, list) else [value]
        told = ", ".join(f"{contents.at(e, 'name')} {contents.at(e, 'score')}" for e in entries[:6])
        raise contents.refusal(
            file,
            f"holds scores of a whole corpus ({told}): one number each, from which nothing follows "
            "about sentences. Write them by sacrebleu -sl -w 4, one file for each metric and "
            "system (of TER a lower one is better, of BLEU and chrF a higher one).",
        )


def _is_signature(value: Any) -> bool:
    return isinstance(value, str) and "nrefs:" in value and "version:" in value


READERS = (Sentences(), Corpus())
