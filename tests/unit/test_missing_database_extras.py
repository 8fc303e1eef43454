"""Without the libraries of a database, files still work and the rest says what to install."""

import subprocess
import sys
from pathlib import Path

import pytest

import nofluke

SRC = str(Path(nofluke.__file__).parents[1])
SCRIPT = """
import importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name == sys.argv[1] else real(name, *more)
from nofluke.ledger import Ledger
Ledger.begin(sys.argv[2] + "/ledger.db").close()
try:
    Ledger.begin(sys.argv[3])
except ImportError as error:
    print(error.code, error)
"""


@pytest.mark.parametrize(
    ("library", "place", "extra"),
    [
        ("sqlalchemy", "sqlite:///keeper.db#a", '"nofluke[server]"'),
        ("psycopg", "postgresql://u:secret@h/x", '"nofluke[server,postgres]"'),
    ],
)
def test_it_says_what_to_install(tmp_path, library, place, extra):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, library, tmp_path, place],
        env={"PYTHONPATH": SRC, "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("NF099 ")
    assert done.stdout.endswith(f"pip install {extra}.\n")
    assert "secret" not in done.stdout
