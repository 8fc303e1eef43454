"""How Sphinx makes the site of these pages: `make docs`, offline, every warning an error."""

from __future__ import annotations

import os
import re
from importlib import metadata
from pathlib import Path

project = "nofluke"
author = "the nofluke developers"
release = version = metadata.version("nofluke")

extensions = ["myst_parser"]
exclude_patterns = ["notebooks", "_*"]
myst_heading_anchors = 6  # links such as page.md#a-heading, as in a Markdown viewer
# What is shown of an answer is cut with dots, so that a quotation mark may lack its other.
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "pydata_sphinx_theme"
html_title = "nofluke"
html_show_copyright = False
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": [],
    "footer_end": [],
}

DOCS = Path(__file__).parent.resolve()
ROOT = DOCS.parent
# Pages that lie outside of docs/ and are shown by one inside.
SHOWN_BY = {
    ROOT / "README.md": DOCS / "project" / "readme.md",
    ROOT / "CHANGELOG.md": DOCS / "project" / "changelog.md",
    ROOT / "CONTRIBUTING.md": DOCS / "project" / "contributing.md",
    ROOT / "SECURITY.md": DOCS / "project" / "security.md",
    ROOT / "examples" / "digits" / "README.md": DOCS / "data" / "digits.md",
}
CODES, EXPLAINED = ROOT / "src" / "nofluke" / "explain", DOCS / "reference" / "codes.md"
_FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def links_within(text: str, here: Path, shown_at: Path) -> str:
    """Links as they work beside the files, made to work on the site; code stays as it is.

    Args:
        text: Markdown.
        here: Folder of the file that holds it.
        shown_at: Folder of the page that shows it.
    """

    def of_site(link: re.Match[str]) -> str:
        target, anchor = (here / link[1]).resolve(), link[2] or ""
        if target.parent == CODES:
            target, anchor = EXPLAINED, f"#{target.stem.lower()}"
        elif target.is_dir() and (target / "index.md").exists():
            target /= "index.md"
        target = SHOWN_BY.get(target, target)
        return f"]({Path(os.path.relpath(target, shown_at)).as_posix()}{anchor})"

    parts = _FENCE.split(text)
    return "".join(p if p.startswith("```") else _LINK.sub(of_site, p) for p in parts)


def _read(_app: object, docname: str, content: list[str]) -> None:
    folder = (DOCS / docname).parent
    content[0] = links_within(content[0], folder, folder)


def _included(_app: object, path: Path, _docname: str, content: list[str]) -> None:
    file = (DOCS / path).resolve()
    content[0] = links_within(content[0], file.parent, SHOWN_BY[file].parent)


def setup(app) -> dict[str, bool]:
    """Take up links that lead out of docs/."""
    app.connect("source-read", _read)
    app.connect("include-read", _included)
    return {"parallel_read_safe": True}
