"""Readers of the logs of tools, one module for each format; `recognition` asks them in order."""
