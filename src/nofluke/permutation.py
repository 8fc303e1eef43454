"""Permutation tests: exact under an exchangeability that must be believed, not checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from nofluke import checks
from nofluke.errors import InputError, some
from nofluke.kernels import sign_flips, sums
from nofluke.results import Evidence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ALTERNATIVES = ("better", "worse", "different")
_SYMMETRY = (
    "differences are independent and symmetric around 0 under the hypothesis; this is no test of "
    "'the mean is at most 0'"
)


def sign_flip(
    x: ArrayLike,
    *,
    alternative: str = "different",
    n_resamples: int = 10_000,
    seed: int | np.random.Generator = 0,
) -> Evidence:
    """Exact test that paired differences are symmetric around 0, by flipping their signs.

    Valid at every n where the two sides of a pair could be exchanged, such as two runs of one
    model. It is *not* a test of "the mean is at most 0": with a rare large loss that the sample
    happens to miss, or gains and losses of different shapes, it calls a loss a gain far more often
    than its level says. ``means`` has tests of the mean.

    Exact where the differences are at most 32 or share few sizes; else from ``n_resamples`` draws
    of all signs, with p = (count + 1) / (n_resamples + 1), which is valid itself and never 0.
    Sums that tie up to rounding are counted as ties. The order of ``x`` does not matter.

    Args:
        x: Differences b - a in the units of the score, shape (n,), one per independent item;
            zeros carry no evidence.
        alternative: "better" if a positive mean is the claim, "worse" for a negative one,
            "different" for either.
        n_resamples: Draws of the signs, where sampling is needed.
        seed: Seed or generator of the signs.

    Returns:
        The p-value, with the mean difference as statistic.

    Raises:
        InputError: NaN or infinite differences, an unknown alternative.

    Source: Fisher 1935, section 21; Pitman 1937. Sampled: Phipson & Smyth 2010.

    >>> print(sign_flip([0.3, -0.1, 0.4, 0.3, 0.4, -0.2, 0.3]))
    p = 0.1094 (different; sign_flip, n=7, finite-sample)
    >>> round(sign_flip([0.3, -0.1, 0.4, 0.3, 0.4, -0.2, 0.3]).pvalue * 128, 9)
    14.0
    """
    d = _finite(checks.sample(x))
    checks.choice(alternative, ALTERNATIVES, name="alternative")
    n_resamples = checks.whole(n_resamples, name="n_resamples")
    found = sign_flips.sign_flip(
        -d if alternative == "worse" else d,
        two_sided=alternative == "different",
        n_resamples=n_resamples,
        rng=checks.generator(seed),
    )
    return Evidence(
        pvalue=found.pvalue,
        statistic=sums.mean(d),
        alternative=alternative,
        method="sign_flip",
        guarantee="finite-sample",
        n=d.size,
        assumes=_SYMMETRY,
    )


def _finite(d: NDArray[np.float64]) -> NDArray[np.float64]:
    infinite = np.flatnonzero(~np.isfinite(d))
    if infinite.size:
        raise InputError(
            f"x is infinite at position {some(infinite.tolist())}, and an infinite difference has "
            "no mean; use the exact sign test, which looks at signs only.",
            code="NF012",
        )
    return d
