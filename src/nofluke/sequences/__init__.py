"""Bands and intervals for an evaluation that is watched while it runs.

A band of `bands` holds at one sample size that was fixed in advance. These hold at every size from
a start on, or at several looks that were planned. The same for the mean of bounded scores: each
method of ``MEANS`` gives the interval at the current n of a confidence sequence, so that all of
them hold together, and sampling may be stopped for any reason whatever. ``quantile`` is the same
for a quantile of a few repeated runs, which needs no bounds.

Scores must come in order of arrival or in a random order fixed without looking at them: given those
before, each must have the same mean. Sorted scores break every promise made here.
"""

from nofluke.sequences.distributions import planned_peeks, time_uniform, time_uniform_half_width
from nofluke.sequences.limit_theorems import asymptotic, critical_values, group_sequential
from nofluke.sequences.means import (
    DESIGN,
    MEANS,
    bernstein_mixture,
    beta_binomial,
    betting,
    empirical_bernstein,
    hedged_star,
    normal_mixture,
    stitched,
)
from nofluke.sequences.quantiles import (
    RUNS,
    QuantilePath,
    quantile,
    quantile_needs,
    quantile_path,
)

__all__ = [
    "DESIGN",
    "MEANS",
    "RUNS",
    "QuantilePath",
    "asymptotic",
    "bernstein_mixture",
    "beta_binomial",
    "betting",
    "critical_values",
    "empirical_bernstein",
    "group_sequential",
    "hedged_star",
    "normal_mixture",
    "planned_peeks",
    "quantile",
    "quantile_needs",
    "quantile_path",
    "stitched",
    "time_uniform",
    "time_uniform_half_width",
]
