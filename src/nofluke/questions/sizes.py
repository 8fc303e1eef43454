"""`sample_size` and `detectable`: how many units, or how small a gain, for the test to be used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nofluke import bands, checks
from nofluke.errors import InputError
from nofluke.kernels.power import MOST
from nofluke.questions.powers import SIMULATED, Power
from nofluke.questions.size_asked import CERTIFICATES, Asked, needs
from nofluke.questions.sized import Detectable, SampleSize

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from nofluke.scores.table import Scores

_MOST_EXACT = 10**6  # pairs; beyond them the search by exact power takes minutes


def sample_size(
    delta: float | None = None,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: str = "auto",
    margin: float = 0.0,
    side: str = "lower",
    sd: float | None = None,
    pilot: ArrayLike | Scores | None = None,
    a: str | None = None,
    b: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool | None = None,
    p_win: float | None = None,
    p_loss: float | None = None,
    bar: float | None = None,
    gamma: float | None = None,
    clusters: Any = None,
    max_cluster_size: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    n_streams: int = 2000,
    seed: int = 0,
) -> SampleSize:
    """Smallest number of units at which the test that will be used shows a true gain.

    The units are those that ``compare`` counts: pairs, or clusters where there are clusters.

    Args:
        delta: The true mean gain, in units of the score, above ``margin``. With ``bar`` the rate
            minus the bar. Not for certificates.
        alpha: Error level of the test.
        power: Probability with which the gain is to be shown.
        method: "hoeffding" (power at least, for all distributions), "t" (needs ``sd`` or a
            pilot), "mcnemar" (``p_win`` and ``p_loss``, or a binary pilot), "clopper_pearson"
            (``bar``), "star", "hedged_star" or "betting" (a pilot, by simulation); the
            certificates "quantile", "dkw", "kolmogorov", "berk_jones" and "owen" (``gamma``); or
            "auto": what ``compare`` would take for the pilot, and else what fits the arguments.
        margin: Gain that is to be exceeded; negative for a loss that is tolerated.
        side: "lower": the claim "better"; "both": "different", half of alpha on each side and
            only a rejection on the right side counted. "upper" is for ``bar`` and ``gamma``
            (claims from above), and for a pilot of which the loss is to be shown.
        sd: Standard deviation of the difference of one pair.
        pilot: Gains seen earlier (positive is better), shape (k,), or a table with ``a`` and
            ``b``. It is reweighted to a mean of ``delta``, see ``questions.pilots``.
        a: With a table, the baseline.
        b: With a table, the candidate.
        bounds: Lowest and highest possible score; by default those of the table or its metric,
            and (0, 1) for "hoeffding" and the floor.
        binary: Whether a score is 0 or 1 by its meaning.
        p_win: Probability that only B succeeds.
        p_loss: Probability that only A does; one of the two follows from ``delta`` and the other.
        bar: The rate that is to be exceeded.
        gamma: Failure rate of a certificate.
        clusters: With a pilot, what makes its clusters: True for the table's column, a mapping,
            or with gains the label of each. Clusters are resampled whole.
        max_cluster_size: As in ``compare``: clusters count by their size.
        cluster_size: With ``sd``: pairs in a cluster; needs ``icc``.
        icc: Correlation of two pairs of one cluster.
        n_streams: Streams in a simulation.
        seed: Seed of the simulation.

    Raises:
        InputError: Arguments that do not fit the method, a pilot that cannot be reweighted
            (NF032) or an n out of reach (NF032).

    Source: Hoeffding 1963; Johnson & Welch 1940 (noncentral t); Kish 1965 (design effect of
        clusters of equal size); Efron 1981 (exponential tilting).

    >>> sample_size(0.05, method="hoeffding").n
    7198
    >>> print(sample_size(0.05, sd=0.2))
    With 101 pairs a true gain of 0.05 is shown with probability 80 % by t (error level 5 %): \
that B is better.
    No rule that holds for every distribution of scores in [0, 1] can show a constant gain of 0.05 \
at this error level with fewer than 62 pairs.
    >>> sample_size(p_win=0.06, p_loss=0.04).n, sample_size(gamma=0.1, method="quantile").n
    (1629, 29)
    """
    asked = Asked.understood(**_without(locals(), "delta", "power"))
    if asked.method in CERTIFICATES:
        _refuse_delta(delta)
        return _certificate_size(asked)
    power = checks.fraction(power, name="power")
    delta = asked.gain(delta)
    test = asked.test()
    found = test.size(delta, power)
    if found is None:
        others = " or ".join(repr(m) for m in ("t", "hoeffding") if m != test.name)
        simulated = f", or take method={others}, which has a formula" * (test.name in SIMULATED)
        raise InputError(
            f"no n within reach shows a gain of {delta:g} with probability {power:g} by "
            f"{test.name}; ask for a larger gain or less power{simulated}.",
            code="NF032",
        )
    return SampleSize(
        **asked.answered(test, found, delta, power),
        n_error=test.error_of(found.n, power, found.se),
    )


def detectable(
    n: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: str = "auto",
    margin: float = 0.0,
    side: str = "lower",
    sd: float | None = None,
    pilot: ArrayLike | Scores | None = None,
    a: str | None = None,
    b: str | None = None,
    bounds: Sequence[float] | None = None,
    binary: bool | None = None,
    p_loss: float | None = None,
    bar: float | None = None,
    clusters: Any = None,
    max_cluster_size: float | None = None,
    cluster_size: float | None = None,
    icc: float | None = None,
    n_streams: int = 2000,
    seed: int = 0,
) -> Detectable:
    """Smallest true gain that n units show with a given probability; of a certificate, the gamma.

    Args:
        n: Units: pairs, or clusters where there are clusters.
        alpha: As for ``sample_size``, like all that follow.
        power: Probability with which the gain is to be shown.
        method: The test.
        margin: Gain that is to be exceeded.
        side: "lower", "both" or "upper".
        sd: Standard deviation of the difference of one pair.
        pilot: Gains seen earlier, or a table.
        a: With a table, the baseline.
        b: With a table, the candidate.
        bounds: Lowest and highest possible score.
        binary: Whether a score is 0 or 1 by its meaning.
        p_loss: Probability that only A succeeds.
        bar: The rate that is to be exceeded.
        clusters: What makes clusters.
        max_cluster_size: Clusters count by their size.
        cluster_size: Pairs in a cluster.
        icc: Correlation of two pairs of one cluster.
        n_streams: Streams in a simulation.
        seed: Seed of the simulation.

    Raises:
        InputError: As for ``sample_size``.

    >>> round(detectable(7198, method="hoeffding").delta, 4)
    0.05
    >>> detectable(101, sd=0.2).delta < 0.05 < detectable(100, sd=0.2).delta
    True
    >>> round(detectable(29, method="quantile").gamma, 4)
    0.0981
    """
    n = checks.whole(n, name="n")
    if n > MOST:
        raise InputError(
            f"n={n} is more than the {MOST:g} that are planned for; ask for that many, which show "
            "any gain that n do.",
            code="NF032",
        )
    given = _without(locals(), "n", "power")
    asked = Asked.understood(p_win=None, gamma=None, **given)
    if asked.method == "mcnemar" and n > _MOST_EXACT:
        raise InputError(
            f"n={n} by method='mcnemar': its exact power is searched for up to {_MOST_EXACT:g} "
            "pairs. Ask for that many, or for method='t' with sd=sqrt(p_win + p_loss), which is "
            "close to it there.",
            code="NF032",
        )
    if asked.method in CERTIFICATES:
        return _certificate_rate(asked, n)
    power = checks.fraction(power, name="power")
    test = asked.test()
    delta = test.detectable(n, power)
    found = Power(n, 0.0) if delta is None else test.power(n, delta)
    return Detectable(**asked.answered(test, found, delta, power))


def _certificate_size(asked: Asked) -> SampleSize:
    if asked.gamma is None:
        raise needs(asked.method, "gamma=, the failure rate")
    n = bands.sample_size(CERTIFICATES[asked.method], asked.gamma, asked.alpha, side=asked.side)
    if n is None:
        raise InputError(f"alpha={asked.alpha:g} leaves no n.", code="NF032")
    return SampleSize(**_certificate(asked, n, asked.gamma))


def _certificate_rate(asked: Asked, n: int) -> Detectable:
    method = CERTIFICATES[asked.method]
    if method == "binomial":
        return Detectable(**_certificate(asked, n, -math.expm1(math.log(asked.alpha) / n)))
    found = bands.limits(method, n, asked.alpha, asked.side)
    highest = 1 - found.above[0] if asked.side == "upper" else found.below[n]
    return Detectable(**_certificate(asked, n, min(1.0, 1 - float(highest))))


def _certificate(asked: Asked, n: int, gamma: float) -> dict[str, Any]:
    return {
        "method": asked.method,
        "guarantee": "finite-sample",
        "test_guarantee": "finite-sample",
        "assumes": ("examples are independent draws",),
        "unit": "examples",
        "n": n,
        "items": n,
        "delta": None,
        "margin": 0.0,
        "alpha": asked.alpha,
        "side": asked.side,
        "power": None,
        "reached": None,
        "gamma": gamma,
        "digest": "",
        "question": asked.question(),
    }


def _refuse_delta(delta: float | None) -> None:
    if delta is not None:
        raise InputError(
            "delta= would be ignored: a certificate is about a failure rate, gamma=.", code="NF008"
        )


def _without(given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in names}
