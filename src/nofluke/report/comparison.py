"""What the page of a comparison says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.plots.comparison import HOLDING
from nofluke.plots.labels import short
from nofluke.questions.comparison import Comparison
from nofluke.report import comparison_figures as figures
from nofluke.report.view import DEPENDENT, common, view
from nofluke.report.wording import number, percent, promised, spelled
from nofluke.scores.dependence import lost
from nofluke.text import visible

if TYPE_CHECKING:
    from nofluke.results import Row

_COUNTS = {
    "pairs": "pairs",
    "only_a": "examples that only {a} has",
    "only_b": "examples that only {b} has",
    "missing_a": "empty scores of {a}",
    "missing_b": "empty scores of {b}",
    "repeats_a": "rows of {a} beyond the first of an example",
    "repeats_b": "rows of {b} beyond the first of an example",
    "failed_a": "failed rows of {a}",
    "failed_b": "failed rows of {b}",
    "identical_scores": "share of pairs with equal scores",
    "identical_outputs": "share of pairs with equal outputs",
    "inputs_differ": "share of pairs whose inputs differ",
    "inputs_distance": "mean edit distance of inputs that differ (0 to 1)",
}
_SHARES = ("identical_scores", "identical_outputs", "inputs_differ")

_ALWAYS = (
    (
        "The error level is a property of the procedure, before the data are seen: it is not the "
        "probability that this verdict is wrong now that they have been."
    ),
    (
        "Nothing is said about cases unlike those the examples come from: other inputs, a later "
        "time, another user group."
    ),
    (
        "A and B must not have been picked because of their scores on these examples. If one of "
        "them is the best of k that were tried here, alpha must be divided by the number of "
        "comparisons that could have been made, or new examples be used."
    ),
    (
        "The methods side by side are no menu: taking the one whose verdict pleases is a choice "
        "that no error level here pays for."
    ),
    "A mean difference is no statement about single cases: how many get worse, the picture shows.",
)


@view.register(Comparison)
def comparison(result: Comparison) -> dict[str, Any]:
    """What the page of a comparison says."""
    return common(result) | {
        "banner": _banner(result),
        "counted": result.unit,
        "figures": figures.first(result),
        "methods_figure": figures.methods(result),
        "subgroups_figure": figures.subgroups(result),
        "shares_figure": figures.group_shares(result),
        "facts": _facts(result),
        "intervals": _intervals(result),
        "test": _test(result),
        "methods": result.rows(),
        "pairing": _pairing(result),
        "clusters": _clusters(result),
        "serial": result.dependence.get("serial"),
        "limits": _limits(result),
        "checked": _checked(result),
    }


def _banner(result: Comparison) -> tuple[str, str]:
    """A class and a headline: the verdict with its guarantee, or that there is none."""
    word, verdict = result.guarantee, result.verdict
    if lost(result.notes):
        return DEPENDENT
    if word not in (*HOLDING, "asymptotic"):
        return "invalid", f"No guarantee: the verdict {verdict!r} is {word}"
    if verdict == "not enough evidence":
        return "nothing", f"Not enough evidence ({word})"
    claim = result.claim.words(
        short(result.a, 60), short(result.b, 60), short(result.unit_name, 40)
    )
    head = f"Yes: {claim}" if verdict == "yes" else f"No: it is not so that {claim}"
    held = "promised" if verdict == "yes" else "refuted"
    return held if word in HOLDING else "asymptotic", f"{head} ({word})"


def _facts(result: Comparison) -> list[tuple[str, str]]:
    """What was compared, in (name, value)."""
    unit, alpha = visible(result.unit_name), f"{result.claim.alpha:g}"
    facts = [
        ("claim", visible(result.claim.words(result.a, result.b, result.unit_name))),
        ("error level of the verdict", alpha),
        (f"mean {unit} of {visible(result.a)}", number(result.means[0])),
        (f"mean {unit} of {visible(result.b)}", number(result.means[1])),
        ("mean difference", number(result.estimate)),
        ("what the mean is", result.estimand),
        ("counted", _counted(result)),
    ]
    if result.plain_estimate is not None:
        facts.insert(5, ("mean difference, every pair alike", number(result.plain_estimate)))
    if result.decided_at is not None:
        facts.append(("evidence sufficed after", f"{result.decided_at} of {result.n_units}"))
    if result.floor is not None:
        least = f"fewest {result.unit} that could show a gain of this size"
        facts.append((least, f"{result.floor} (by any rule that holds for every distribution)"))
    return [*facts, *_differing(result)]


def _counted(result: Comparison) -> str:
    units = f"{result.n_units} {result.unit}"
    if result.unit == "pairs":
        return units
    return f"{units} of {result.n_pairs} {'examples' if result.d is None else 'pairs'}"


def _differing(result: Comparison) -> list[tuple[str, str]]:
    differing = result.differing
    if not differing:
        return []
    upper = promised(differing["upper"], "lower", digits=4)
    told = (
        f"{differing['count']} ({percent(differing['share'])}); at most a share {upper} of all "
        f"cases ({differing['guarantee']}, error level {differing['alpha']:g})"
    )
    return [("pairs whose scores differ", told)]


def _intervals(result: Comparison) -> list[Row]:
    ours = result.guaranteed
    # A guarantee that was lost on the way is not called one.
    name = "guaranteed" if ours is None or ours.guarantee in HOLDING else "without its guarantee"
    return [
        {"name": name, "interval": ours, "alpha": result.limit_alpha, "used": ours is not None},
        {
            "name": "asymptotic",
            "interval": result.asymptotic,
            "alpha": result.limit_alpha,
            "used": ours is None,
        },
    ]


def _test(result: Comparison) -> list[tuple[str, str, str]]:
    """The exact test, in (name, value, guarantee)."""
    test = result.test
    if test is None:
        return []
    a, b, share = visible(result.a), visible(result.b), test.share
    low = promised(share.lower, "higher", digits=4)
    high = promised(share.upper, "lower", digits=4)
    limits = f"{number(share.estimate, 4)}, in [{low}, {high}] at error level {share.alpha:g}"
    return [
        (f"examples on which {b} is better", str(test.wins), "descriptive"),
        (f"examples on which {a} is better", str(test.losses), "descriptive"),
        (f"p-value ({test.alternative})", promised(test.pvalue, "lower", digits=4),
         test.guarantee),
        ("mid-p", number(test.mid_p, 4), "heuristic"),
        (f"share of examples that differ on which {b} is better", limits, share.guarantee),
    ]  # fmt: skip


def _pairing(result: Comparison) -> list[tuple[str, str]]:
    told = []
    for key, value in result.pairing.items():
        name = _COUNTS.get(key, key.replace("_", " "))
        name = name.replace("{a}", visible(result.a)).replace("{b}", visible(result.b))
        shown = percent(value) if key in _SHARES and value is not None else _plain(value)
        told.append((name, shown))
    return told


def _plain(value: Any) -> str:
    if value is None:
        return "not known"
    return number(value) if isinstance(value, float) else spelled(value)


def _clusters(result: Comparison) -> list[tuple[str, str]]:
    told = result.dependence.get("clusters")
    if told is None:
        return []
    low = promised(told["lower"], "higher")
    high = promised(told["upper"], "lower")
    return [
        ("clusters", str(told["n_clusters"])),
        ("standard error by clusters", number(told["se"], 4)),
        ("standard error of examples one by one", number(told["naive_se"], 4)),
        ("design effect", number(told["design_effect"], 4)),
        ("intra-cluster correlation", number(told["icc"], 4)),
        ("effective number of examples", number(told["effective_n"], 4)),
        (f"interval ({told['method']})", f"[{low}, {high}]"),
    ]


def _limits(result: Comparison) -> list[str]:
    """What a reader may be tempted to conclude, and must not."""
    said = []
    if result.guarantee not in (*HOLDING, "asymptotic") or lost(result.notes):
        said.append("Nothing is promised: see the notes for what took the guarantee away.")
    if result.verdict == "not enough evidence":
        said.append(
            "Not enough evidence is no evidence of equality: a difference anywhere within the "
            "limits may be there. alternative='equivalent' with a margin asks for equality."
        )
    if result.claim.alternative != "different":
        said.append(
            "The two limits are two claims, each at the error level shown; that one of the two is "
            f"wrong has a probability of up to {percent(2 * result.limit_alpha)}."
        )
    if result.decided_at is not None and result.guarantee != "anytime":
        said.append(
            "When the evidence sufficed is told for one look at the whole; it is no licence to "
            "stop there. A plan (planned=) is."
        )
    if result.subgroups:
        said.append("A group without a 'yes' is not shown to be without a difference.")
    return [*said, *_ALWAYS]


def _checked(result: Comparison) -> list[str]:
    """What was verified on the way to this result, as far as its fields tell."""
    question = result.question
    if result.d is None:
        said = ["The two samples share no example."]
    else:
        gaps = question.get("missing", "raise")
        said = [f"Pairs were made by id; gaps were treated as missing={gaps!r} says."]
    said.append(
        f"The {result.unit} were counted in the order of a hash of ids and seed, which has nothing "
        "to do with their scores."
    )
    if question.get("bounds") is not None:
        low, high = question["bounds"]
        said.append(f"Every score lies within the bounds [{low:g}, {high:g}].")
    if question.get("binary"):
        said.append("Every score is 0 or 1.")
    return said
