"""Runs the examples of README.md, of docs and of the docstrings, each file as one session."""

from __future__ import annotations

from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).parent


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like the repository to an example, and in which it may write."""
    folder = tmp_path_factory.mktemp("workplace")
    for name in ("docs", "examples"):
        (folder / name).symlink_to(ROOT / name, target_is_directory=True)
    return folder


@pytest.fixture
def at_workplace(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work there."""
    monkeypatch.chdir(workplace)


_pages = Sybil(
    parsers=[PythonCodeBlockParser()],
    patterns=["README.md", "docs/*.md", "docs/*/*.md"],
    fixtures=["at_workplace"],
)
_docstrings = Sybil(parsers=[DocTestParser()], path="src", pattern="*.py")

pytest_collect_file = (_pages + _docstrings).pytest()
