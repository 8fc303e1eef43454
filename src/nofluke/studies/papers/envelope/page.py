"""The report: the claims, three sentences, and the tables behind them, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nofluke.studies import pictures as drawn
from nofluke.studies.engine import Figure, Row
from nofluke.studies.page import claims_table, grid, opening, told
from nofluke.studies.papers.envelope.cells import ALPHA, FIXED, PLANNED
from nofluke.studies.papers.envelope.figures import chosen

if TYPE_CHECKING:
    from nofluke.studies.claims import Answered

_TITLE = "Is B better, and looking early, simulated again"
_SOURCE = """A note proposes an upper envelope for the mean of paired differences of two scores
between 0 and 1, and says much beside it. "The source" is that note; its data are not public, so its
claims are tried on differences of the same kinds. Throughout alpha = 0.05; claims E1 to E8 are our
own."""


def markdown(
    tables: Mapping[str, list[Row]], claims: Sequence[Answered], manifest: Mapping[str, Any]
) -> str:
    """The whole page; the same bytes for the same tables."""
    parts = [
        opening(_TITLE, _SOURCE, claims, manifest),
        claims_table(claims),
        _sentences(tables["demonstration"][0], tables["again"][0]),
        _looking(tables["looking"]),
        _stopping(tables["stopping"]),
        _nulls(tables["nulls"]),
        _widths(tables["widths"]),
        _grouped(tables["grouped"]),
        _traps(tables),
    ]
    return "\n\n".join(parts) + "\n"


def pictures(tables: Mapping[str, list[Row]]) -> dict[str, str]:
    """False alarms of looking early."""
    rows = chosen(tables["looking"], null="coin")
    named = {
        f"{row['test']}, {row['looked']}": Figure(row["false_alarms"], row["error"]) for row in rows
    }
    axis = "share of streams without a gain in which one is called; dashed: alpha"
    return {
        "looking": drawn.dots(named, title="False alarms of looking early", axis=axis, mark=ALPHA)
    }


def _sentences(demo: Row, again: Row) -> str:
    repeats = told(Figure(again["over"], again["over_error"]), 2)
    lines = [
        [
            f"Over these 500 examples B scored {demo['mean']:.3f} more than A on average. Where "
            "there is no gain, an evaluation like this calls one at most 5 times in 100.",
            "The envelope is to a model what a confirmed effect is to a drug.",
            "It says nothing false, and nothing of what was promised; an error rate does. And it "
            "confirms little: the envelope would call these examples nothing, with "
            f"{demo['threshold']:.3f} to be exceeded.",
        ],
        [
            f"With 95 % confidence B scores at least {demo['hedged_star_limit']:.3f} more on cases "
            "like these: limits found in this way are wrong at most 5 times in 100.",
            "If we repeat it 100 times, B is seen to be better at least 95 times.",
            f"Where the true gain is as large as the threshold, a share of {repeats} of the "
            "repeats is over it. Confidence is about the limit, not about repeats.",
        ],
        [
            "Where there is not enough evidence, that is no evidence that they are equal: plan so "
            "many examples that a gain worth having is found, say with probability 0.8. Whether "
            "users notice it, no score tells.",
            "Under the line, there is more than a 5 % chance that users notice no gain.",
            "Alpha is how often a gain is called where there is none. It is neither the chance "
            "that there is none nor anything about users.",
        ],
    ]
    return "## Three sentences for a product manager\n\n" + grid(
        ("true", "what the source says instead", "why"), lines
    )


def _looking(rows: list[Row]) -> str:
    nulls = list(dict.fromkeys(row["null"] for row in rows))
    lines = []
    for test, looked in dict.fromkeys((row["test"], row["looked"]) for row in rows):
        found = [chosen(rows, test=test, looked=looked, null=null)[0] for null in nulls]
        cells = [told(Figure(row["false_alarms"], row["error"]), 4) for row in found]
        lines.append([test, looked, *cells])
    return f"""## Looking early

False alarms: differences without a gain, looked at every hundred examples up to {PLANNED}. The
note's rule is the first test, three in a row. No threshold c / sqrt(n) is valid however often one
looks; this one is saved by being far too large, and any sharp test is not.

{grid(("test", "looked", *nulls), lines)}

{drawn.shown("envelope/looking", "False alarms of four tests, looked at once, ever, or thrice")}"""


def _stopping(rows: list[Row]) -> str:
    tests = list(dict.fromkeys(row["test"] for row in rows))
    lines = []
    for shape in dict.fromkeys(row["shape"] for row in rows):
        of = {row["test"]: row for row in chosen(rows, shape=shape)}
        cells = [
            f"{told(Figure(of[t]['called'], of[t]['called_error']))}; {of[t]['used']:.0f}"
            for t in tests
        ]
        lines.append([shape, f"{of[tests[0]]['mean']:.4f}", *cells])
    return f"""## Stopping early

Share of streams in which a gain is called, and examples used on average (a stream without a call
counts with all {PLANNED}). The first four may be looked at after every example and keep alpha. The
note's rule and the asymptotic sequence look every hundred, O'Brien and Fleming's at ten planned
looks, t once; these four have no guarantee at a finite n. "trap" has no gain: what is called is
false.

{grid(("differences", "gain", *tests), lines)}"""


def _nulls(rows: list[Row]) -> str:
    tests = list(dict.fromkeys(row["test"] for row in rows))
    lines = []
    for null, n in dict.fromkeys((row["null"], row["n"]) for row in rows):
        of = {row["test"]: row for row in chosen(rows, null=null, n=n)}
        cells = [told(Figure(of[t]["false_alarms"], of[t]["error"])) for t in tests]
        lines.append([null, f"{n}", *cells])
    return f"""## Tests of a mean that is not above 0

False alarms at one n; more than {ALPHA} is too many. Wilcoxon's and the sign test ask another
question, and answer it.

{grid(("differences", "n", *tests), lines)}"""


def _widths(rows: list[Row]) -> str:
    parts = []
    shapes = list(dict.fromkeys(row["shape"] for row in rows))
    for n in dict.fromkeys(row["n"] for row in rows):
        lines = []
        for method in FIXED:
            found = [chosen(rows, n=n, shape=shape, method=method)[0] for shape in shapes]
            cells = [
                f"{told(Figure(row['half_width'], row['half_width_error']))}; "
                f"{told(Figure(row['coverage'], row['coverage_error']), 2)}"
                for row in found
            ]
            lines.append([method, *cells])
        parts.append(f"n = {n}:\n\n{grid(('method', *shapes), lines)}")
    tables = "\n\n".join(parts)
    return f"""## Half-widths and coverage

Two-sided 95 % intervals: mean half-width, then coverage. The sequences hold at every moment.

{tables}"""


def _grouped(rows: list[Row]) -> str:
    tests = list(dict.fromkeys(row["test"] for row in rows))
    lines = []
    for effects, G, gain in dict.fromkeys((r["effects"], r["G"], r["gain"]) for r in rows):
        of = {row["test"]: row for row in chosen(rows, effects=effects, G=G, gain=gain)}
        cells = [told(Figure(of[t]["called"], of[t]["error"])) for t in tests]
        lines.append([effects, f"{G}", f"{gain:g}", *cells])
    return f"""## Clusters

Ten examples in each of G clusters, whose effects are normal (standard deviation 0.1) or rarely very
bad (-0.57 in one of twenty, +0.03 else). How often a gain is called; where there is none, more than
{ALPHA} is too many.

{grid(("effects", "G", "gain", *tests), lines)}"""


def _traps(tables: Mapping[str, list[Row]]) -> str:
    order = [
        [row["order"], told(Figure(row["false_alarms"], row["error"]))] for row in tables["order"]
    ]
    repeats = [
        [f"{row['rounds']}", told(Figure(row["false_alarms"], row["error"]))]
        for row in tables["repeats"]
    ]
    best = [
        [
            f"{row['k']}",
            told(Figure(row["false_alarms"], row["error"])),
            told(Figure(row["paid"], row["paid_error"])),
        ]
        for row in tables["best_of"]
    ]
    gates = [
        [
            f"{row['rho']:g}",
            told(Figure(row["all"], row["all_error"])),
            told(Figure(row["any"], row["any_error"])),
        ]
        for row in tables["gates"]
    ]
    return f"""## Four ways to a false alarm

**Sorted rows.** A bet reads rows in order. Sorted by how well A does, B looks better at first:

{grid(("rows in order", "false alarms"), order)}

**Pooled repeats.** 40 tasks, both run several times; the chances of A and of B on a task are drawn
uniformly and independently, so neither is better. McNemar's exact test of all runs, two-sided:

{grid(("runs of each task", "false alarms"), repeats)}

**The best of k.** k variants as good as A on 200 examples; the best of them is tested against A on
the same examples, at alpha and at alpha / k:

{grid(("k", "at alpha", "at alpha / k"), best)}

**Several metrics.** Three metrics without a gain, correlated by rho, each tested at alpha: all must
pass, or any may:

{grid(("rho", "all", "any"), gates)}"""
