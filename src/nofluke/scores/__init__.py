"""The table of scores: what everyone hands in, checked once and kept as plain arrays."""

from nofluke.scores.readers import read
from nofluke.scores.table import Scores

__all__ = ["Scores", "read"]
