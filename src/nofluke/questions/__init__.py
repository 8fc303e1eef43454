"""The questions a user asks: table in, answer out; pure."""

from nofluke.questions.certify import certify

__all__ = ["certify"]
