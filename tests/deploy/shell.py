"""A shell that plays the commands of a page, one after the other, and says what came back."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"^```(console)\n(.*?)^```$|^<!-- (.+?) -->$", re.MULTILINE | re.DOTALL)
_DONE = "<<done %s>>"


class Step(NamedTuple):
    """A command with the lines that the page shows of its output, or what a person does."""

    command: str
    shown: list[str]
    person: str


def steps(page: Path) -> list[Step]:
    """Commands of console blocks, and comments such as ``<!-- browser: sign up -->``."""
    found = []
    for kind, block, comment in _BLOCK.findall(page.read_text("utf-8")):
        if not kind:
            if comment.startswith("browser: "):
                found.append(Step("", [], comment.removeprefix("browser: ")))
            continue
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            last = next(i for i, line in enumerate(lines) if not line.endswith("\\"))
            found.append(Step("\n".join(lines[: last + 1]), lines[last + 1 :], ""))
    return found


def words(text: str) -> str:
    """Without differences of white space."""
    return " ".join(text.split())


def unseen(shown: list[str], said: str) -> list[str]:
    """Lines that the page shows and the output does not have; dots stand for what is left out."""
    parts = [[words(p) for p in line.split("...")] for line in shown if line.strip(" .")]
    heard = words(said)
    lines = [[re.escape(p) for p in line if p] for line in parts]
    return [words("...".join(p)) for p in lines if not re.search(".*".join(p), heard)]


class Shell:
    """One session of bash in a folder, with this very nofluke as its command.

    Args:
        folder: Where it works.
        env: What else stands in its environment.
    """

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        own = folder / ".bin"
        own.mkdir()
        (own / "nofluke").write_text(
            f'#!/bin/sh\nexec {sys.executable} -c "from nofluke.cli import main; main()" "$@"\n'
        )
        (own / "nofluke").chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NOFLUKE_")}
        path = f"{own}:{Path(sys.executable).parent}:{os.environ.get('PATH', os.defpath)}"
        self.env = {**kept, "PYTHONPATH": str(ROOT / "src"), "PATH": path, "COLUMNS": "200", **env}
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: str) -> tuple[int, str]:
        """What a command answered: its exit code, and all that it said."""
        assert self._bash.stdin is not None
        assert self._bash.stdout is not None
        self._bash.stdin.write(f"{command}\nprintf '\\n{_DONE}\\n' $?\n")
        self._bash.stdin.flush()
        said = []
        for line in self._bash.stdout:
            done = re.fullmatch(_DONE.replace("%s", r"(\d+)"), line.strip())
            if done:
                return int(done[1]), "".join(said)
            said.append(line)
        raise AssertionError(f"the shell has ended: {''.join(said)}")

    def close(self) -> None:
        """End the session."""
        self._bash.stdin.close()  # type: ignore[union-attr]
        self._bash.wait(10)
        self._bash.stdout.close()  # type: ignore[union-attr]
