"""The table of scores: what everyone hands in, checked once and kept as plain arrays."""
