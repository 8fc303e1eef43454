"""From the words of a command to what a question takes."""

from __future__ import annotations

from pathlib import Path

from nofluke.errors import InputError


def sources(words: list[str]) -> str | list[str]:
    """Files as ``read`` takes them; a word that looks like an option is one that is unknown."""
    options = [word for word in words if word.startswith("-") and word != "-"]
    if options:
        raise InputError(f"unknown option {options[0]}.", code="NF008")
    return words[0] if len(words) == 1 else words


def report(path: Path, sources: list[str]) -> Path:
    """Where the report goes: into a folder that exists, and over none of the inputs."""
    if any(Path(s).exists() and path.exists() and path.samefile(s) for s in sources if s != "-"):
        raise InputError(
            f"--report {path} would overwrite the input; name another file.", code="NF008"
        )
    if not path.parent.is_dir():
        raise InputError(
            f"--report {path}: there is no folder {path.parent}; create it first.", code="NF008"
        )
    return path


def numbers(words: list[str], *, name: str) -> list[float]:
    """Numbers, each option a number or a comma list.

    >>> numbers(["0.1,0.05", "0.01"], name="--gamma")
    [0.1, 0.05, 0.01]
    """
    parts = [part.strip() for word in words for part in word.split(",")]
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise InputError(
            f"{name} {' '.join(words)} is not a number or a comma list of numbers.", code="NF008"
        ) from None


def mapping(text: str | None, *, name: str) -> dict[str, str] | None:
    """Roles and columns, "candidate=model,score=latency", as a dictionary.

    >>> mapping("candidate=model", name="--columns")
    {'candidate': 'model'}
    """
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    wrong = ["".join(pair) for pair in pairs if not pair[0] or not pair[1] or not pair[2]]
    if wrong:
        raise InputError(
            f"{name} {text}: {wrong[0]!r} is not ROLE=COLUMN, as in candidate=model.", code="NF008"
        )
    return {role.strip(): column for role, _, column in pairs}


def kept_columns(select: str) -> tuple[str, ...]:
    """The further column that a selection compares, if it names one.

    >>> kept_columns("top:5@column:val_score:lower")
    ('val_score',)
    """
    _, found, rest = select.partition("@column:")
    if not found:
        return ()
    head, _, way = rest.rpartition(":")
    return (head if way in ("lower", "higher") and head else rest,)
