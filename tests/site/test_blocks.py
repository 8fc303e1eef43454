"""No block of code on a page escapes the tests under a name that nobody runs."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# python: conftest.py. console: tests/cli and tests/deploy. The others are no programs of Python:
# files for other tools, commands of a shell, what is shown. py: a sketch with names of the
# reader's own, which is read but not run.
KNOWN = {"python", "console", "sh", "text", "", "toml", "yaml", "nginx", "py"}


def blocks():
    """(page, language, text) of every block, directives of the site apart."""
    for page in PAGES:
        for language, text in BLOCK.findall(page.read_text("utf-8")):
            if not language.startswith("{"):
                yield str(page.relative_to(ROOT)), language, text


def test_every_block_has_a_language_that_is_looked_after():
    found = list(blocks())

    assert sum(language == "python" for _, language, _ in found) > 200
    assert [(page, language) for page, language, _ in found if language not in KNOWN] == []


@pytest.mark.parametrize(
    ("page", "text"), [(page, text) for page, language, text in blocks() if language == "py"]
)
def test_a_sketch_is_python_and_names_what_nofluke_has(page, text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module.startswith("nofluke"):
            module = importlib.import_module(node.module)
            assert [a.name for a in node.names if not hasattr(module, a.name)] == []
