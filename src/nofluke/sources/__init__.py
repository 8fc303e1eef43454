"""Where rows live: questions are answered there, and only what they need comes out.

A question needs a few numbers of a table: counts, exact order statistics at known ranks, sums that
do not depend on the order of what is summed. They are the verbs of this storey, written once in
narwhals' lazy expressions and computed by DuckDB, Polars, Spark or whatever Ibis speaks to, in
bounded memory and with the same bits from each.
"""
