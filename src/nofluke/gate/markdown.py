"""A gate as Markdown for a pull request: the verdict first, then what it rests on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from nofluke.results import outward

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nofluke.gate.verdicts import CheckAnswer, Gate, MetricAnswer
    from nofluke.results import Interval

_SPACE = "&#8203;"  # of no width
_WORDS = {
    "pass": "pass",
    "fail": "FAIL",
    "inconclusive": "not enough evidence",
    "unusable": "UNUSABLE",
}


def summary(gate: Gate) -> str:
    """The gate as a Markdown page, with every id made harmless."""
    parts = [f"## nofluke gate: {gate.headline}", gate.logic]
    for check in gate.checks:
        parts += [f"### {harmless(check.name)}: {_WORDS[check.outcome]}", *_check(check)]
    parts.append(
        f"<sub>nofluke {harmless(gate.version)}, configuration {harmless(gate.source)}. "
        "A difference is candidate minus baseline. Codes: `nofluke explain NF176`.</sub>"
    )
    return "\n\n".join(part for part in parts if part) + "\n"


def harmless(text: str) -> str:
    """Text of others, as text: no markup, no mention, no link, no broken table.

    Escaping alone does not undo a mention or a link: these are looked for in the rendered text.
    So an invisible space (U+200B) follows each @ and #, and parts ``://`` and ``www.``.

    >>> harmless("a|b <i> @me")
    'a&#124;b &#60;i&#62; &#64;&#8203;me'
    >>> harmless("https://e.org www.e.org")
    'https:&#8203;//e.org www&#8203;.e.org'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    escaped = re.sub(r"[^\w\s.,:;()+=/%'-]|_", lambda m: f"&#{ord(m[0])};", line)
    return re.sub(r"(&#(?:64|35);|:(?=//)|(?i:www)(?=\.))", rf"\1{_SPACE}", escaped)


def _check(check: CheckAnswer) -> list[str]:
    if check.error is not None:
        code, text = check.error
        return [f"**{code}** {harmless(text)}"]
    told = [harmless(m.comparison.sentences()[0]) for m in check.metrics]
    quoted = "\n".join(f"> {sentence}" for sentence in told) if len(told) == 1 else "\n".join(
        f"* {sentence}" for sentence in told
    )  # fmt: skip
    parts = [quoted, _intervals(check), harmless(check.logic), _audit(check.metrics)]
    notes = [*check.notes, *_cautions(check)]
    if notes:
        parts.append("\n".join(f"* {harmless(note)}" for note in notes))
    parts.append(_provenance(check))
    return parts


def _intervals(check: CheckAnswer) -> str:
    """One row for each metric, both intervals beside each other."""
    heads = ["metric", "claim", "verdict", "baseline", "candidate", "difference",
             "guaranteed", "asymptotic", "p", "method", "guarantee"]  # fmt: skip
    return table(heads, [_row(m) for m in check.metrics])


def _row(m: MetricAnswer) -> list[str]:
    result = m.comparison
    margin = f", margin {result.claim.margin:g}" if result.claim.margin else ""
    p = "" if result.test is None else outward(result.test.pvalue, "lower", digits=4)
    if m.adjusted is not None:
        p = f"{p} (Holm {outward(m.adjusted, 'lower', digits=4)})"
    role = f" ({m.role})" if m.role else ""
    return [
        f"{m.name}{role}",
        f"{result.claim.alternative}{margin}, alpha {result.claim.alpha:g}",
        m.verdict,
        *(f"{mean:.4g}" for mean in result.means),
        f"{result.estimate:+.4g}",
        limits(result.guaranteed),
        limits(result.asymptotic),
        p,
        result.method,
        result.guarantee,
    ]


def limits(interval: Interval | None) -> str:
    """Both limits, rounded outward."""
    if interval is None:
        return "none"
    low = outward(interval.lower, "higher", digits=4)
    return f"[{low}, {outward(interval.upper, 'lower', digits=4)}]"


def _audit(metrics: Sequence[MetricAnswer]) -> str:
    """The pairing and input audit: what the pairs rest on, one column for each metric."""
    names = dict.fromkeys(key for m in metrics for key in m.comparison.pairing)
    rows = [
        [name.replace("_", " "), *(counted(m.comparison.pairing.get(name)) for m in metrics)]
        for name in names
    ]
    rows.insert(0, ["counted", *(m.comparison.counted for m in metrics)])
    return "Pairing and input audit:\n\n" + table(["count", *(m.name for m in metrics)], rows)


def counted(value: Any) -> str:
    """A count or share of the audit; what could not be checked says so."""
    if value is None:
        return "not known"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cautions(check: CheckAnswer) -> list[str]:
    """The notes of the comparisons, each once."""
    several = len(check.metrics) > 1
    told = [
        f"{m.name}: {note}" if several else note
        for m in check.metrics
        for note in m.comparison.notes
    ]
    return list(dict.fromkeys(told))


def _provenance(check: CheckAnswer) -> str:
    told = [
        f"{harmless(m.name)}: {harmless(m.comparison.b)} against {harmless(m.comparison.a)}, seed "
        f"{m.comparison.question['seed']}, SHA-256 of the input `{m.comparison.digest}`"
        for m in check.metrics
    ]
    return "<sub>" + "<br>".join(told) + "</sub>"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table of plain texts."""
    lines = [heads, ["---"] * len(heads), *rows]
    cells = [[cell if i == 1 else harmless(cell) for cell in line] for i, line in enumerate(lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
