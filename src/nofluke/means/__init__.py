"""Intervals for the mean of bounded scores.

All but ``t`` and ``bootstrap`` hold at every number of scores, for every distribution between
declared bounds; of ``gaffke`` that is a conjecture. At a thousand differences of two scores
``star`` is 8 to 9 % wider than ``t``, ``hedged_star`` 11 % and ``betting`` 23 %, and more where
the differences hardly vary.

A two-sided interval spends half of its error level on each limit, a one-sided one all of it on its
only limit; the other is then the bound of the scores.

The limits of betting can lie beyond the sample mean, because they are the best of all moments. In
random order two of them cross with a probability below the error level; if they do, the interval
is what lies between them.
"""

# The register lists the methods in the order of import, from the bluntest to the sharpest.
# isort: off
from nofluke.means.items import METHODS
from nofluke.means.concentration import anderson, empirical_bernstein, hoeffding, maurer_pontil
from nofluke.means.betting import betting, hedged_star, star
from nofluke.means.conjectured import gaffke
from nofluke.means.large_samples import bootstrap, t
# isort: on

__all__ = [
    "METHODS",
    "anderson",
    "betting",
    "bootstrap",
    "empirical_bernstein",
    "gaffke",
    "hedged_star",
    "hoeffding",
    "maurer_pontil",
    "star",
    "t",
]
