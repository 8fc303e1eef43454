"""What a study leaves in a folder: its page, tidy tables, and a manifest that vouches for them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from nofluke.errors import InputError
from nofluke.results import as_csv

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nofluke.studies.engine import Study

_MANIFEST = "manifest.json"


def texts(study: Study) -> dict[str, str]:
    """The page, its pictures and the tables, by their names in the folder."""
    tables = {f"{study.paper}/{name}.csv": as_csv(rows) for name, rows in study.tables.items()}
    pictures = {f"{study.paper}/{name}.svg": picture for name, picture in study.pictures.items()}
    return {f"{study.paper}.md": study.page, **pictures, **tables}


def digests(study: Study) -> dict[str, str]:
    """SHA-256 of each of these files."""
    return {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts(study).items()}


def write(study: Study, folder: Path) -> None:
    """Write page, tables and manifest: all of them, or none.

    Everything is written beside first, and takes its place when the last byte is on the disk. The
    manifest goes first and comes last, so that where there is one it speaks of what is there.

    Raises:
        InputError: They cannot be written (NF422); but for a failure to rename, which takes no
            room, what was there before is still there.
    """
    manifest = json.dumps(study.manifest, indent=2) + "\n"
    last, state = f"{study.paper}/{_MANIFEST}", "none was changed"
    try:
        (folder / study.paper).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{study.paper}-", dir=folder) as draft:
            drafts = _drafts(Path(draft), {**texts(study), last: manifest})
            state = "some were changed and some not, so that there is no manifest"
            (folder / last).unlink(missing_ok=True)
            for name, path in drafts.items():
                path.replace(folder / name)
    except OSError as error:
        raise InputError(
            f"the tables cannot be written to {folder} ({error.strerror}), and {state}; "
            "make room, or name another folder, and ask the same again.",
            code="NF422",
        ) from None


def write_claims(folder: Path) -> None:
    """Write the list of all claims, which needs no simulation.

    Raises:
        InputError: It cannot be written (NF422); what was there before is still there.
    """
    from nofluke.studies import catalogue

    try:
        with tempfile.TemporaryDirectory(prefix=".claims-", dir=folder) as draft:
            (path,) = _drafts(Path(draft), {"claims.md": catalogue.markdown()}).values()
            path.replace(folder / "claims.md")
    except OSError as error:
        raise InputError(
            f"the claims cannot be written to {folder} ({error.strerror}); make room, or name "
            "another folder, and ask the same again.",
            code="NF422",
        ) from None


def _drafts(draft: Path, named: Mapping[str, str]) -> dict[str, Path]:
    """Files with these texts, safely on the disk; by the names they will have."""
    found = {}
    for number, (name, text) in enumerate(named.items()):
        found[name] = draft / str(number)
        with found[name].open("wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
    return found
