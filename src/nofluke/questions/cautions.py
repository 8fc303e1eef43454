"""What a certificate holds only if: the notes that belong to the choice, the band and the rates."""

from __future__ import annotations

from nofluke import checks
from nofluke.questions.asked import Asked
from nofluke.questions.certificate import Evaluated
from nofluke.results import Band, Interval, outward
from nofluke.selective import LevelRule


def about_choice(asked: Asked, levels: LevelRule) -> list[str]:
    """Who counts, whether the rule pays, and what must have been fixed before looking."""
    notes = []
    if not asked.told and asked.K > 1 and asked.split is None:
        notes.append(
            f"NF114: K={asked.K} counts the candidates in the file. If others were tried and "
            "dropped before, say how many in all with tried=."
        )
    if not asked.pays(levels):
        notes.append(
            f"NF104: rule {levels.name!r} is invalid after this selection: it does not pay for "
            "the choice, and far more than delta of the regions may be wrong. It is shown for "
            "comparison only."
        )
    if asked.split is not None:
        notes.append(
            f"NF113: chosen on a share of {asked.split:g} of the examples and evaluated on the "
            "rest. Holds if nobody was chosen or dropped by looking at the rest before, and if the "
            "seed was not picked afterwards."
        )
    elif levels.name == "fixed_size" and asked.selection.size is not None and asked.K > 1:
        notes.append(
            f"NF102: holds if {asked.selection.size} was fixed before looking. If several sizes "
            "are tried in turn, use rule='minimax' (any size) or rule='sizes:3,5,10' (those)."
        )
    elif asked.selection.verb == "names":
        notes.append(
            "NF102: names picked after looking are a choice of random size, and that is what is "
            "paid for here."
        )
    return notes


def about_band(asked: Asked, evaluated: tuple[Evaluated, ...]) -> list[str]:
    """Why this band, and what must not be tried in turn with it."""
    if asked.binary or not evaluated:
        return []
    if asked.band == "binomial":
        return [
            f"NF121: holds if gamma={asked.gammas[0]:g} was fixed before looking. If several "
            "failure rates are tried in turn, use band='berk_jones', which holds for all of them."
        ]
    if asked.band != "auto":
        return []
    e = evaluated[0]
    return [
        f"NF119: band {_spelled_band(e.region)!r} was chosen by n, level, failure rates and side, "
        f"not by the scores: {asked.chosen(e.n, e.alpha).why}. Other failure rates may take "
        "another band: ask for all of them at once, or name a band."
    ]


def about_gammas(asked: Asked, evaluated: tuple[Evaluated, ...]) -> list[str]:
    """The failure rates that are not certified, and what would do."""
    if asked.binary:
        return []
    notes = []
    for gamma in asked.gammas:
        short = [e for e in evaluated if not e.certifies(gamma, asked.better)]
        if short:
            worst = min(short, key=lambda e: e.n)
            notes.append(
                f"NF103: gamma={gamma:g} cannot be certified for {len(short)} of "
                f"{len(evaluated)} chosen: {_why_not(worst, gamma, asked.better)}."
            )
    return notes


def _spelled_band(region: Band | Interval) -> str:
    if isinstance(region, Band) and region.gamma_max is not None and region.method != "binomial":
        return f"{region.method}:{region.gamma_max:g}"
    return region.method


def _why_not(e: Evaluated, gamma: float, better: checks.Better) -> str:
    needed = e.row(gamma, better)["n_needed"]
    if needed is not None:
        least = e.gamma_min(better)
        smallest = (
            "" if least is None else f"the smallest failure rate is {outward(least, 'lower')}; "
        )
        return f"with n={e.n} {smallest}this one needs n={needed}"
    if e.alpha > 0:
        return f"too many scores are infinite ({e.candidate!r} is one of them)"
    return "the rule promises nothing for a shortlist of this size"
