"""The best of ten seeds: a chapter on ten evaluations that are shrunk to a champion's score."""
