"""Every level rule for one question, side by side: level, half-width, valid or not, and why."""

from __future__ import annotations

from nofluke import bands, selective
from nofluke.questions.asked import Asked
from nofluke.results import Row
from nofluke.selective import LevelRule

_NOTES = {
    "naive": "as if nothing had been chosen",
    "bonferroni": "all K regions hold at once",
    "fixed_size": "for a number of chosen fixed in advance",
    "minimax": "any number of chosen, at one ratio to the fixed size",
    "benjamini_yekutieli": "any number of chosen",
    "psdme": "the source paper's",
    "psdme:0.5": "any number of chosen; delta may be chosen after the fact",
    "mixture": "any number of chosen; delta may be chosen after the fact",
}


def side_by_side(
    asked: Asked, m: int, n: int, *, n_used: int, used: str, levels: LevelRule
) -> tuple[Row, ...]:
    """A row for every rule at m chosen and n scores, the one that was used among them.

    Args:
        asked: The question.
        m: Number of chosen.
        n: Scores of the chosen with the fewest.
        n_used: The same after a split, if there was one.
        used: The used rule, as the answer calls it.
        levels: The levels that were used.
    """
    if m == 0:
        return ()
    rows = {name: _row(name, asked, m, n) for name in _NOTES}
    rows["split:0.5"] = _split_row(0.5, asked, m, n)
    if asked.split is not None:
        row = _split_row(asked.split, asked, m, n)
        rows[used] = _filled(used, row["alpha"], n_used, asked, valid=True, note=row["note"])
    else:
        note = rows[used]["note"] if used in rows else "as asked for"
        alpha = levels.alpha_without_weights(m)
        rows[used] = _filled(used, alpha, n, asked, valid=asked.pays(levels), note=note)
    return tuple(rows.values())


def _row(name: str, asked: Asked, m: int, n: int) -> Row:
    size = asked.selection.size
    rule = selective.named(
        name,
        K=asked.K,
        delta=asked.delta,
        size=m if name == "fixed_size" else size,
        side=asked.level_side,
    )
    valid, note = _serves(rule, asked, m), _NOTES[name]
    if name == "fixed_size" and size is None:
        valid, note = False, "needs a number of chosen that is fixed in advance"
    elif name == "psdme" and size is None:
        note += ", rescaled for a random number of chosen"
    if valid:
        rule = asked.for_claim(rule)
    return _filled(name, rule.alpha(m), n, asked, valid=valid, note=note)


def _serves(rule: LevelRule, asked: Asked, m: int) -> bool:
    """Whether the rule, or what it becomes for the claim, is proved for this question."""
    if asked.all_at_once:
        most = rule.alpha(m) if asked.selection.size is not None else float(rule.levels[-1])
        return most <= asked.delta / asked.K * (1 + 1e-12)
    return rule.covers(asked.selection.size if asked.share is None else None)


def _split_row(share: float, asked: Asked, m: int, n: int) -> Row:
    rest = n - max(1, round(share * n))
    note = f"chooses on {100 * share:g} % of the examples, evaluates on the rest"
    alpha = asked.split_levels(m).alpha(m)
    return _filled(f"split:{share:g}", alpha, max(1, rest), asked, valid=rest > 0, note=note)


def _filled(name: str, alpha: float, n: int, asked: Asked, *, valid: bool, note: str) -> Row:
    width = None
    if not asked.binary:
        width = bands.half_width(asked.plain_method(n), n, alpha, side=asked.side)
    return {"rule": name, "alpha": alpha, "half_width": width, "valid": valid, "note": note}
