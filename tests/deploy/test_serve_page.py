"""docs/how-to/serve.md is played from its first command to its last, against a real server.

What a person does in a browser stands in the page as a comment (``<!-- browser: ... -->``) and is
done here by the forms that the browser would show.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urljoin

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/how-to/serve.md"
PORT = 8000  # the page's; played on a free one
_BLOCK = re.compile(r"^```console\n(.*?)^```$|^<!-- browser: (.+?) -->$", re.MULTILINE | re.DOTALL)
_MARK = "<<done "
_CODE = re.compile(r"^(NF\d{3})  ")
_REFUSED = {"NF081": 4, "NF082": 4, "NF083": 4}


class Step(NamedTuple):
    """A command with the lines that the page shows of its output, or what a person does."""

    command: str
    shown: list[str]
    person: str


def steps(page):
    found = []
    for block, person in _BLOCK.findall(page.read_text("utf-8")):
        if person:
            found.append(Step("", [], person))
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.rstrip("\n").split("\n")
            last = next(i for i in range(len(lines)) if _whole("\n".join(lines[: i + 1])))
            found.append(Step("\n".join(lines[: last + 1]), lines[last + 1 :], ""))
    return found


def _whole(command):
    """Whether bash would wait for more."""
    return not command.endswith("\\") and command.count("'") % 2 == 0


def words(text):
    return " ".join(text.split())


def unseen(shown, said):
    """Lines of the page that the output lacks; three dots stand for whatever was left out."""
    heard = words(said)
    lines = [words(line) for line in shown if line.strip(" .")]
    patterns = [".*?".join(map(re.escape, line.split("..."))) for line in lines]
    return [a for a, b in zip(lines, patterns, strict=True) if not re.search(b, heard)]


class Shell:
    """One session of bash in a folder, with this very nofluke as its command."""

    def __init__(self, folder):
        own = folder / ".bin"
        own.mkdir()
        run = f'exec {sys.executable} -c "from nofluke.cli import main; main()" "$@"'
        (own / "nofluke").write_text(f"#!/bin/sh\n{run}\n")
        (own / "nofluke").chmod(0o755)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("NOFLUKE_")}
        self.env = kept | {
            "PYTHONPATH": str(ROOT / "src"),
            "PATH": f"{own}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "COLUMNS": "200",
        }
        self.folder = folder
        self._bash = subprocess.Popen(
            ["bash", "--noprofile", "--norc"],
            cwd=folder,
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command):
        """The exit code of a command, and all that it said."""
        self._bash.stdin.write(f"{command}\nprintf '\\n{_MARK}%s\\n' $?\n")
        self._bash.stdin.flush()
        said = []
        for line in self._bash.stdout:
            if line.startswith(_MARK):
                return int(line.removeprefix(_MARK)), "".join(said)
            said.append(line)
        raise AssertionError(f"the shell has ended: {''.join(said)}")

    def close(self):
        self._bash.stdin.close()
        self._bash.wait(10)
        self._bash.stdout.close()


class Server:
    """`nofluke serve` in the background."""

    def __init__(self, shell, command, port):
        self._log = (shell.folder / "server.log").open("wb")
        self._process = subprocess.Popen(
            ["bash", "-c", f"exec {command}"],
            cwd=shell.folder,
            env=shell.env | {"NOFLUKE_PORT": str(port), "NOFLUKE_FOLDER": str(shell.folder / "up")},
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def said(self, lines):
        """The first lines that it says."""
        return "".join(self._process.stdout.readline() for _ in range(lines))

    def stop(self):
        """End it as a supervisor does; its exit code."""
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(40)
        finally:
            self._process.stdout.close()
            self._log.close()


class Browser:
    """What people do on the pages, each in a browser of their own."""

    def __init__(self, folder):
        self.folder, self.link = folder, ""
        self._people = {}

    def does(self, what):
        name, _, deed = what.partition(" ")
        if deed.startswith("opens"):
            self._joins(name)
        else:
            self._makes_token(name, deed.rpartition(" ")[2])

    def _joins(self, name):
        if (self.folder / "invitation.json").exists():
            secret = json.loads((self.folder / "invitation.json").read_text())["secret"]
            self.link = self.link.rpartition("/")[0] + "/" + secret
        cookies = urllib.request.HTTPCookieProcessor()
        self._people[name] = urllib.request.build_opener(cookies).open
        password = f"{name} keeps seven small green boats"
        secret = self.link.rpartition("/")[2]
        chosen = {"as": "new", "name": name, "password": password, "again": password}
        self._send(name, self.link, "/join", {"secret": secret, **chosen})

    def _makes_token(self, name, file):
        there = urljoin(self.link, "/account")
        may = {f"scope-{scope}": "yes" for scope in ("read", "submit", "admin")}
        chosen = {"token-name": "page", "days": "7"}
        said = self._send(name, there, "/account/tokens", {**chosen, **may})
        path = self.folder / file
        path.touch(0o600)
        path.write_text(re.search(r"nfk_[\w-]{43}", said)[0])

    def _send(self, name, page, target, fields):
        """Open a page, fill its form in, and send it; what comes back."""
        go = self._people[name]
        with go(page, timeout=20) as shown:
            csrf = re.search(r'name="csrf" value="([^"]+)"', shown.read().decode())[1]
        body = urlencode({"csrf": csrf, **fields}).encode()
        with go(urljoin(page, target), body, timeout=20) as answer:
            return answer.read().decode()


@pytest.fixture
def free():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def shell(tmp_path):
    (tmp_path / "docs").symlink_to(ROOT / "docs", target_is_directory=True)
    made = Shell(tmp_path)
    yield made
    made.close()


def test_the_page_is_what_a_newcomer_sees(shell, free):
    browser, server = Browser(shell.folder), None
    here, there = f"127.0.0.1:{PORT}", f"127.0.0.1:{free}"
    try:
        for step in steps(PAGE):
            if step.person:
                browser.does(step.person)
                continue
            command = step.command.replace(here, there)
            if command.startswith("nofluke serve "):
                server = Server(shell, command, free)
                said, code = server.said(len(step.shown)), 0
                browser.link = said.split()[-1]
            else:
                code, said = shell.run(command)
            said = said.replace(there, here).replace(f"port {free}", f"port {PORT}")
            refused = _CODE.match(step.shown[0]) if step.shown else None
            expected = _REFUSED.get(refused[1], 2) if refused else 0
            assert (code, unseen(step.shown, said)) == (expected, []), f"{step.command}\n{said}"
    finally:
        stopped = None if server is None else server.stop()
    assert stopped == 0
    log = (shell.folder / "server.log").read_text()
    assert [w for w in ("urgent", "nfk_", "nfi_", "seven small", "call-0001") if w in log] == []


def test_lines_that_are_shown_must_be_said():
    assert unseen(["a ... c", "...", "d"], "a b c\nd") == []
    assert unseen(["a ... c", "e"], "a b\nd") == ["a ... c", "e"]


def test_what_bash_would_wait_for_is_one_command(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ a 'b\n  c' \\\n    d\nsaid\n$ e\n```\n<!-- browser: Ann waits -->\n"
    )
    assert steps(page) == [
        Step("a 'b\n  c' \\\n    d", ["said"], ""),
        Step("e", [], ""),
        Step("", [], "Ann waits"),
    ]
