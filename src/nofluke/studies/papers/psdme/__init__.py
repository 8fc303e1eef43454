"""Guarantees after choosing (Farzaneh & Simeone, PS-DME, arXiv 2603.23055).

Studied from a published summary of the paper; "the source" is that summary.
"""
