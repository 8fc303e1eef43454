"""Hooks into other tools; each is imported only by who uses that tool."""
