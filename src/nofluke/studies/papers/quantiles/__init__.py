"""Intervals for a quantile of a metric over few runs (Lehmann & Paromau, arXiv 2501.16931).

Studied from a published summary of the paper; "the source" is that summary.
"""
