"""The check-up of a table of scores: what in it would mislead, found and named; nothing mended."""

from nofluke.scores.checkup.finding import Finding, Weight

__all__ = ["Finding", "Weight"]
