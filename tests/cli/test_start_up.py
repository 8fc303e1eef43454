"""What a command imports is most of the time that a small question takes: it must not grow."""

import io
import subprocess
import sys
from contextlib import redirect_stdout

import pytest

from nofluke.cli import app, commands, run

HEAVY = {"numpy", "scipy", "duckdb", "matplotlib", "narwhals", "numba", "jinja2", "pandas"}


def loaded(*lines):
    """Modules in a new process after these lines, which print nothing that matters."""
    code = "\n".join(
        [
            "import io, sys, contextlib",
            "with contextlib.redirect_stdout(io.StringIO()):",
            *(f"    {line}" for line in lines),
            "print(*sys.modules)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("tokens", [["--help"], ["-h"], []])
def test_help_loads_not_even_what_reads_its_options(tokens):
    found = loaded("from nofluke.cli import run", f"assert run({tokens}) == 0")

    assert not found & {*HEAVY, "cyclopts", "rich"}


def test_help_of_no_command_loads_what_only_answers_need():
    names = [one.name for one in commands.COMMANDS]
    found = loaded(
        "from nofluke.cli import run", f"for name in {names}: assert run([name, '--help']) == 0"
    )

    assert not found & HEAVY


def test_a_small_comparison_loads_no_compiler_no_pictures_and_no_distributions(tmp_path):
    rows = [
        f"{name},q{i},{(i * step) % 7 > 2:d}"
        for name, step in (("old", 3), ("new", 5))
        for i in range(300)
    ]
    path = tmp_path / "pair.csv"
    path.write_text("\n".join(["candidate,example,score", *rows]))
    how = ["--a", "old", "--b", "new", "--binary", "--better", "higher"]
    found = loaded(
        "from nofluke.cli import run", f"assert run({['compare', str(path), *how]}) == 0"
    )

    assert "numpy" in found
    assert not found & {
        "numba",
        "matplotlib",
        "jinja2",
        "pandas",
        "sqlite3",
        "scipy.stats",
        "scipy.optimize",
    }


def test_the_quick_help_names_every_command():
    found = app()

    assert {one.name for one in commands.COMMANDS} == {
        name for name in found if not name.startswith("-")
    }
    assert commands.ABOUT in commands.text(200)
    for one in commands.COMMANDS:
        assert f"  {one.name}: {one.answers}\n" in commands.text(200)
        assert found[one.name].help == one.answers


@pytest.mark.parametrize("columns", [30, 40, 80, 200])
def test_the_quick_help_fits_its_width(columns):
    for line in commands.text(columns).splitlines():
        assert len(line) <= columns or " " not in line.strip()


def test_the_width_is_that_of_the_terminal_or_80(monkeypatch):
    monkeypatch.setenv("COLUMNS", "47")
    assert commands.width() == 47
    monkeypatch.setenv("COLUMNS", "wide")
    assert commands.width() == 80


def test_help_says_what_there_is():
    out = io.StringIO()
    with redirect_stdout(out):
        assert run(["--help"]) == 0
    assert out.getvalue().startswith("Usage: nofluke COMMAND\n")
    assert "--version" in out.getvalue()
