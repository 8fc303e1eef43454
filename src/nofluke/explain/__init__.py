"""Pages for the codes of errors and notes, readable offline."""

from __future__ import annotations

from importlib import resources

from nofluke.errors import InputError


def codes() -> tuple[str, ...]:
    """All codes that have a page, in order."""
    files = resources.files(__package__).iterdir()
    return tuple(sorted(f.name.removesuffix(".md") for f in files if f.name.endswith(".md")))


def page(code: str) -> str:
    """The page of a code such as NF103, as Markdown.

    Raises:
        InputError: There is no such code.
    """
    wanted = code.strip().upper()
    if wanted not in codes():
        raise InputError(
            f"there is no page for {code!r}; there are {', '.join(codes())}.", code="NF008"
        )
    return (resources.files(__package__) / f"{wanted}.md").read_text(encoding="utf-8")
