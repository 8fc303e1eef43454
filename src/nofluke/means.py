"""Intervals for the mean of bounded scores."""
