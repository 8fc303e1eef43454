"""From the words of a command to what a question takes."""

from __future__ import annotations

import os
from pathlib import Path

from nofluke.errors import InputError


def sources(words: list[str]) -> str | list[str] | dict[str, str]:
    """Files as ``read`` takes them, perhaps with names of their own: old=a.csv new=b.csv.

    A word that looks like an option is one that is unknown.

    >>> sources(["old=a.csv", "new=b.csv"])
    {'old': 'a.csv', 'new': 'b.csv'}
    """
    options = [word for word in words if word.startswith("-") and word != "-"]
    if options:
        raise InputError(f"unknown option {options[0]}.", code="NF008")
    named = [_name_and_path(word) for word in words]
    if not any(name for name, _ in named):
        return words[0] if len(words) == 1 else words
    without = [path for name, path in named if not name]
    names = [name for name, _ in named]
    if without:
        raise InputError(
            f"some sources have a name and {without[0]} has none; name all of them, "
            f"NAME={without[0]}, or none.",
            code="NF008",
        )
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"the name {twice[0]!r} is given to two sources.", code="NF008")
    return dict(named)


def _name_and_path(word: str) -> tuple[str, str]:
    """The name that a word gives to its path, or ""; a path may hold an equals sign itself."""
    name, equals, path = word.partition("=")
    if not equals or not name or not path or Path(word).exists() or "/" in name:
        return "", word
    return name, path


def narrowing(words: list[str]) -> dict[str, str] | None:
    """Which rows of a log to read, "filter=strict-match", each word one condition.

    >>> narrowing(["filter=strict-match", "task=gsm8k"])
    {'filter': 'strict-match', 'task': 'gsm8k'}
    """
    pairs = [word.partition("=") for word in words]
    wrong = ["".join(pair) for pair in pairs if not pair[0] or not pair[1]]
    if wrong:
        raise InputError(
            f"--where {wrong[0]} is not WORD=VALUE, as in filter=strict-match.", code="NF008"
        )
    found = {word: value for word, _, value in pairs}
    if len(found) < len(pairs):
        raise InputError("--where says one word twice; each can have one value.", code="NF008")
    return found or None


def report(path: Path, sources: list[str]) -> Path:
    """Where the report goes: into a folder that can be written to, and over none of the inputs."""
    read = [_name_and_path(s)[1] for s in sources if s != "-"]
    try:
        there = path.parent.is_dir()
        taken = there and path.is_dir()
    except PermissionError:
        there, taken = True, False
    if there and not os.access(path.parent, os.W_OK | os.X_OK):
        raise InputError(
            f"--report {path} cannot be written: its folder may not be written to; name another "
            "place.",
            code="NF008",
        )
    if taken:
        raise InputError(f"--report {path} is a folder; name a file in it.", code="NF008")
    if any(Path(s).exists() and path.exists() and path.samefile(s) for s in read):
        raise InputError(
            f"--report {path} would overwrite the input; name another file.", code="NF008"
        )
    if not there:
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
            f"{name} {' '.join(words)} is not a number or a comma list of numbers, such as "
            "0.05,0.5.",
            code="NF008",
        ) from None


def wholes(text: str, *, name: str) -> list[int]:
    """A comma list of whole numbers.

    >>> wholes("1,2,5", name="--repeats")
    [1, 2, 5]
    """
    found = numbers([text], name=name)
    if not all(number.is_integer() for number in found):
        raise InputError(f"{name} {text} is not a comma list of whole numbers.", code="NF008")
    return [int(number) for number in found]


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


def roles(text: str | None) -> dict[str, str | list[str] | None] | None:
    """Columns by role; a role without a column is left out, and candidates may be several.

    >>> roles("example=id,cluster=,candidate=old,candidate=new")
    {'example': 'id', 'cluster': None, 'candidate': ['old', 'new']}
    """
    found: dict[str, list[str]] = {}
    for part in () if text is None else text.split(","):
        role, equals, column = part.partition("=")
        role = role.strip()
        if not role or not equals or (role in found and role != "candidate"):
            why = "names its role twice" if equals and role else "is not ROLE=COLUMN"
            raise InputError(
                f"--columns {text}: {part!r} {why}; write candidate=model,example=doc_id, ROLE= to "
                "leave a role out, and several candidate= for the columns of a wide table.",
                code="NF008",
            )
        found.setdefault(role, []).append(column)
    if text is None:
        return None
    return {role: c if len(c) > 1 else c[0] or None for role, c in found.items()}


def with_roles(text: str | None, **named: str | None) -> dict[str, str | list[str] | None] | None:
    """Columns by role, with those that have an option of their own; None where nothing is said.

    >>> with_roles("label=died", group="site", cluster=None)
    {'label': 'died', 'group': 'site'}
    """
    given = {role: column for role, column in named.items() if column is not None}
    return {**(roles(text) or {}), **given} or None


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


def two_sides(
    words: list[str], a: str | None, b: str | None
) -> tuple[str | dict[str, str], str | None, str | None]:
    """What to read for a comparison, and the names of the two sides as far as the words tell.

    Two sources are the baseline and the candidate, each named by its file or folder; one source
    is a table that holds both.

    >>> two_sides(["runs/old.csv", "runs/new.csv"], None, None)
    ({'old': 'runs/old.csv', 'new': 'runs/new.csv'}, 'old', 'new')
    """
    found = sources(words) if words else []
    if isinstance(found, dict) and len(found) == 2:
        first, second = found
        return found, a or first, b or second
    if isinstance(found, str):
        return found, a, b
    if isinstance(found, dict):
        found = list(found.values())
    if len(found) != 2:
        count = f"{len(found)} sources were given" if found else "no source was given"
        raise InputError(
            f"{count}; give the baseline and the candidate (nofluke compare old.csv "
            "new.csv), or one table with --a and --b.",
            code="NF008",
        )
    first, second = (a or _stem(found[0])), (b or _stem(found[1]))
    if first == second:
        first, second = found[0], found[1]
    if first == second:
        raise InputError(f"both sources are {found[0]}; give two.", code="NF008")
    return {first: found[0], second: found[1]}, first, second


def named_sides(candidates: tuple[str, ...], a: str | None, b: str | None) -> tuple[str, str]:
    """Which candidate is the baseline and which is compared with it; never guessed."""
    if a is not None and b is not None:
        return a, b
    listed = ", ".join(map(repr, candidates[:8])) + (" ..." if len(candidates) > 8 else "")
    if len(candidates) == 1:
        raise InputError(
            f"there is one candidate only ({listed}); give the source of the other one as well: "
            "nofluke compare old.csv new.csv.",
            code="NF008",
        )
    raise InputError(
        f"the table holds {len(candidates)} candidates ({listed}); say which is the baseline and "
        "which is compared with it: --a BASELINE --b CANDIDATE.",
        code="NF008",
    )


def binary_bounds(
    bounds: tuple[float, float] | None, *, binary: bool
) -> tuple[float, float] | None:
    """A score that is 0 or 1 lies between them."""
    return (0.0, 1.0) if bounds is None and binary else bounds


def shares(text: str | None) -> dict[str, float] | None:
    """A mix of groups, "news=0.3,social=0.7".

    >>> shares("news=0.3,social=0.7")
    {'news': 0.3, 'social': 0.7}
    """
    told = mapping(text, name="--mix")
    if told is None:
        return None
    return dict(zip(told, numbers(list(told.values()), name="--mix"), strict=True))


def pooled_columns(statistic: str | None) -> tuple[str, ...]:
    """The further columns that a corpus statistic needs; "score" is there in any case.

    Raises:
        InputError: The text of the statistic is not understood.

    >>> pooled_columns("errors/words"), pooled_columns("spearman:score,target")
    (('errors', 'words'), ('target',))
    """
    return tuple(name for name in _pooled_names(statistic) if name != "score")


def pooled_roles(
    statistic: str | None, roles: dict[str, str | list[str] | None] | None
) -> dict[str, str | list[str] | None] | None:
    """The roles of columns; a corpus statistic without the score lets its first column stand in.

    A table of counts has no score for each example, and a table needs one.

    >>> pooled_roles("errors/words", {"example": "id"})
    {'score': 'errors', 'example': 'id'}
    """
    names = _pooled_names(statistic)
    if not names or "score" in names:
        return roles
    return {"score": names[0], **(roles or {})}


def _pooled_names(statistic: str | None) -> tuple[str, ...]:
    if statistic is None:
        return ()
    from nofluke.questions import corpus_statistics

    return corpus_statistics.named(statistic).columns


def _stem(word: str) -> str:
    """A file without its endings, a folder by its name."""
    from nofluke.scores.readers import files

    return files.stem(Path(word).name or Path(word).resolve().name)
