"""One command for the whole comparison: an environment, the peers, a run, the page.

    python -m benchmarks.peers.run [--environment .peers] [--seconds 2] [--runs 7] [--only TEXT]

Each peer is installed by itself; one that cannot be is named on the page with the reason. nofluke
is installed from this folder as users get it, with its bytecode compiled.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
PAGE, FIGURES = ROOT / "docs/reference/speed.md", ROOT / "docs/data/speed.json"


def main() -> None:
    """Make what is missing, measure, and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--environment", type=Path, default=ROOT / ".peers")
    parser.add_argument("--seconds", default="2", help="for each call")
    parser.add_argument("--runs", default="7", help="of each command")
    parser.add_argument("--only", default="", help="contests whose words hold this text")
    parser.add_argument("--figures", type=Path, default=FIGURES)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    python = options.environment / "bin" / "python"
    if not python.exists():
        venv.create(options.environment, with_pip=True)
    absent = installed(python)
    # Bytecode is kept, as it is on a user's machine.
    where = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    measure = ["-W", "ignore", "-m", "benchmarks.peers.measure", str(options.figures.resolve())]
    how = ["--seconds", options.seconds, "--runs", options.runs, "--only", options.only]
    told = ["--absent", json.dumps(absent)]
    subprocess.run([python, *measure, *how, *told], check=True, cwd=ROOT, env=where)
    table = [str(HERE / "table.py"), str(options.figures), str(options.page)]
    subprocess.run([python, *table], check=True)


def installed(python: Path) -> dict[str, str]:
    """Install what is asked for; the peers that could not be, each with the reason."""
    for how in (("--force-reinstall", "--no-deps", "--no-cache-dir"), ()):
        complaint = _pip(python, *how, str(ROOT))
        if complaint:
            sys.exit(f"nofluke could not be installed: {complaint}")
    absent = {}
    for line in (HERE / "requirements.txt").read_text().splitlines():
        wanted = line.partition("#")[0].strip()
        if not wanted:
            continue
        complaint = _pip(python, wanted)
        if complaint:
            absent[wanted] = complaint
            print(f"{wanted} could not be installed: {complaint}", file=sys.stderr)
    return absent


def _pip(python: Path, *what: str) -> str:
    """Install; nothing, or the last line that says what went wrong."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, *what], capture_output=True, check=False, text=True)
    if done.returncode == 0:
        return ""
    said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
    return (said or [f"pip ended with {done.returncode}"])[-1][:200]


if __name__ == "__main__":
    main()
