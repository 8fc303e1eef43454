"""How many runs an interval for a quantile needs."""

from __future__ import annotations

from nofluke import checks
from nofluke.kernels import quantile_sizes
from nofluke.quantiles import plans

RULES = ("total", "equal", "one_sided", "asymptotic")


def minimal_n(u: float, level: float = 0.9, *, rule: str = "total") -> int:
    """The smallest number of runs at which limits for a quantile exist; never below 2.

    Args:
        u: The quantile, in (0, 1).
        level: Coverage of the interval.
        rule: "total": two limits that together miss with at most 1 - level,
            u^n + (1-u)^n <= 1 - level. "equal": with at most half of it on each side,
            max(u, 1-u)^n <= (1 - level) / 2. "one_sided": the limit that is harder to have, on its
            own, max(u, 1-u)^n <= 1 - level. "asymptotic": both ranks n u -+ z sqrt(n u (1-u)) in
            [0, n]; it needs more runs than the exact rules in the tails, and is of no use there.

    Raises:
        InputError: A quantile or level outside (0, 1), an unknown rule.

    >>> minimal_n(0.05, 0.9), minimal_n(0.05, 0.9, rule="equal"), minimal_n(0.95, 0.95)
    (45, 59, 59)
    """
    share, error = checks.exact(checks.fraction(u, name="u")), plans.errors(level, None)
    base = max(share, 1 - share)
    how = checks.choice(rule, RULES, name="rule")
    if how == "total":
        found = quantile_sizes.size_for_both(share, error)
    elif how == "asymptotic":
        found = quantile_sizes.size_for_normal(share, error)
    else:
        found = quantile_sizes.size_for_limit(base, error / 2 if how == "equal" else error)
    return max(2, found)
