"""The version, looked up only when asked for."""

from __future__ import annotations


def text() -> str:
    """The installed version."""
    from importlib import metadata

    return metadata.version("nofluke")
