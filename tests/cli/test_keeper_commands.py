"""`nofluke serve` and `nofluke submit`, as processes and by their words."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from nofluke.cli import run
from nofluke.cli.serve import _listening, size
from nofluke.errors import InputError
from nofluke.server.settings import Settings

PROGRAM = "from nofluke.cli import main; main()"
WORDS = "a kettle of small fish"
LABELS = {f"r{i:03d}": str(i % 2) for i in range(40)}


class Process:
    """A server in a process of its own."""

    def __init__(self, folder, *words, **environ):
        self.out, self.err = folder / "out.txt", folder / "err.txt"
        words = ["serve", "--folder", str(folder / "up"), *words]
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *words],
                stdout=out,
                stderr=err,
                env={**os.environ, **environ},
            )

    def said(self, pattern):
        """What it printed, once it did."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            found = re.search(pattern, self.out.read_text())
            if found:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(self.out.read_text() + self.err.read_text())

    def stopped(self, how=signal.SIGTERM):
        """Its exit code, once it was told to stop."""
        self.process.send_signal(how)
        return self.process.wait(timeout=60)


def answered(url, most=60.0):
    """The answer of an address, once there is one."""
    until = time.monotonic() + most
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 (our own)
                return answer.status
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


@pytest.fixture(scope="module")
def keeper(tmp_path_factory):
    """A server with a board ``b`` of three looks, and the token of a member; (url, folder)."""
    from nofluke.database.engine import Database
    from nofluke.server import accounts, boards
    from nofluke.server.boards import membership
    from nofluke.server.records import BoardSpec

    folder = tmp_path_factory.mktemp("keeper")
    server = Process(
        folder, "--store", str(folder / "keeper.db"), "--port", "0", "--log-format", "json"
    )
    secret = server.said(r"/join/(nfi_\S+)\n")[1]
    url = server.said(r"nofluke serves (\S+)\n")[1]
    assert answered(f"{url}/readyz") == 200
    rows = folder / "rows.csv"
    rows.write_text("\n".join(["id,label", *(f"{i},{y}" for i, y in LABELS.items()), ""]))
    with Database(folder / "keeper.db") as db:
        owner = accounts.redeem(db, secret, name="Owner", password=WORDS)
        spec = BoardSpec(slug="b", title="B", rule="ladder", looks=3, per_member=2)
        boards.create(db, owner, spec, rows)
        link = membership.invite(db, owner, "b", role="member")
        member = accounts.redeem(db, link.secret, name="Mel", password=WORDS)
        token = accounts.make_token(db, member, name="t", scopes=["read", "submit"], days=1)
    (folder / "token").write_text(f"{token.secret}\n")
    (folder / "token").chmod(0o600)
    yield url, folder, server
    code = server.stopped()
    log = server.err.read_text()
    assert code == 0, log
    assert "Traceback" not in log
    for line in log.splitlines():
        told = json.loads(line)
        assert told["event"]
        assert token.secret not in line
        assert "r000" not in line


def predictions(folder, wrong, name="p.csv"):
    lines = [
        f"{one},{y if k >= wrong else 1 - int(y)}" for k, (one, y) in enumerate(LABELS.items())
    ]
    path = folder / name
    path.write_text("\n".join(["id,prediction", *lines, ""]))
    return str(path)


def submit(keeper, capsys, *words, held="token"):
    url, folder, _ = keeper
    words = [*words, "--board", f"{url}/b/b", "--token-file", str(folder / held)]
    code = run(["submit", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_submissions_from_the_command_line(keeper, capsys, tmp_path):
    file = predictions(tmp_path, 8)

    code, out, _ = submit(keeper, capsys, file, "--dry-run")
    assert code == 0
    assert "40 rows, as the board asks for; nothing was scored, and nothing charged." in out
    assert "Left at these rows: 3 of 3 looks." in out
    assert "Left for you: 2 of 2." in out

    code, out, err = submit(keeper, capsys, file, "-m", "first\ntry", "--name", "logistic")
    assert code == 0, err
    assert re.match(r"logistic: submission \w+, look 1 at these rows\.\n", out)
    assert "\n* " in out
    assert "Left at these rows: 2 of 3 looks." in out
    assert re.search(r"On record: entries \d+ and \d+ of the board's ledger\.", out)

    code, out, _ = submit(keeper, capsys, file, "--name", "another")
    assert code == 0
    assert out.startswith("logistic: ")
    assert "These predictions were handed in before; nothing more was charged." in out

    code, out, _ = submit(keeper, capsys, file, "--format", "json")
    told = json.loads(out)
    assert code == 0
    assert (told["submission"]["name"], told["submission"]["number"]) == ("logistic", 1)
    assert (told["new"], told["left"]["looks"]) == (False, 2)

    code, out, _ = submit(keeper, capsys, file, "--dry-run")
    assert "You handed the same predictions in before" in out

    code, out, _ = submit(keeper, capsys, predictions(tmp_path, 4, "q.csv"), "--no-wait")
    assert code == 0
    assert "q: submission" in out

    code, out, err = submit(keeper, capsys, predictions(tmp_path, 2))
    assert (code, out) == (4, "")
    assert err.startswith("NF083  ")
    assert err.endswith("More: nofluke explain NF083\n")


def test_a_file_that_cannot_be_used(keeper, capsys, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("id,prediction\nr000,1\n")
    code, out, err = submit(keeper, capsys, str(bad))
    assert (code, out) == (2, "")
    assert re.match(r"NF0\d\d  ", err)
    assert "39" in err


def test_a_board_that_is_not_there(keeper, capsys, tmp_path):
    url, folder, _ = keeper
    words = ["--board", f"{url}/b/other", "--token-file", str(folder / "token")]
    assert run(["submit", predictions(tmp_path, 1), *words]) == 2
    assert capsys.readouterr().err.startswith("NF075  ")


def test_the_token_comes_from_a_file_of_ones_own_or_the_environment(
    keeper, capsys, tmp_path, monkeypatch
):
    _, folder, _ = keeper
    file = predictions(tmp_path, 8)
    (folder / "open").write_text("nfk_x")
    (folder / "open").chmod(0o644)
    code, _, err = submit(keeper, capsys, file, held="open")
    assert code == 2
    assert "others can read" in err
    assert "nfk_x" not in err
    code, _, err = submit(keeper, capsys, file, held="absent")
    assert (code, err[:5]) == (2, "NF096")
    (folder / "wrong").write_text("nfk_wrong")
    (folder / "wrong").chmod(0o600)
    assert submit(keeper, capsys, file, held="wrong")[2].startswith("NF073  ")
    for held in ("two words", "", "\n"):
        (folder / "words").write_text(held)
        (folder / "words").chmod(0o600)
        assert submit(keeper, capsys, file, held="words")[2].startswith("NF096  ")

    words = ["submit", file, "--board", f"{keeper[0]}/b/b", "--dry-run"]
    monkeypatch.delenv("NOFLUKE_TOKEN", raising=False)
    assert run(words) == 2
    assert capsys.readouterr().err.startswith("NF073  there is no token")
    monkeypatch.setenv("NOFLUKE_TOKEN", (folder / "token").read_text())
    assert run(words) == 0


def test_there_is_no_option_for_a_token(capsys):
    assert run(["submit", "p.csv", "--board", "https://host/b/x", "--token", "nfk_x"]) == 2
    run(["submit", "--help"])
    assert "--token " not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--host", "0.0.0.0"], "NF097", "without TLS"),  # noqa: S104 (refused)
        (["--host", "::"], "NF097", "without TLS"),
        (["--public-url", "http://board.example.org"], "NF097", "http://board.example.org"),
        (["--port", "70000"], "NF008", "port"),
        (["--max-upload", "lots"], "NF008", "--max-upload lots"),
        (["--public-url", "board.example.org"], "NF008", "--public-url board.example.org"),
        (["--host", "203.0.113.9", "--allow-http", "--port", "0"], "NF097", "cannot be taken"),
        (["--host", "a..b", "--allow-http"], "NF097", "cannot be taken"),
        (["--store", "mysql://host/db"], "NF071", ""),
    ],
)
def test_what_cannot_be_served(words, code, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        run(["serve", "--port", "0", *words] if "--port" not in words else ["serve", *words]) == 2
    )
    out, err = capsys.readouterr()
    assert err.startswith(f"{code}  "), err
    assert said in err
    assert out == ""


def test_a_port_that_is_taken(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert run(["serve", "--port", str(port)]) == 2
    assert f"port {port} of 127.0.0.1 cannot be taken" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_an_older_store_is_left_alone(capsys, tmp_path, monkeypatch):
    from sqlalchemy import text

    from nofluke.database.engine import Database

    monkeypatch.chdir(tmp_path)
    with Database("keeper.db") as db:
        db.migrate()
        with db.writing() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        assert run(["serve", "--port", "0"]) == 2
        err = capsys.readouterr().err
        assert err.startswith("NF072  ")
        assert "nofluke store migrate" in err
        assert db.revision == "0001"


def test_a_missing_extra_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "uvicorn" else 1)
    assert run(["serve"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("NF099  ")
    assert 'pip install "nofluke[server]"' in err
    assert "uvicorn" in err


def test_the_link_is_shown_until_somebody_runs_the_server(tmp_path):
    from nofluke.database.engine import Database
    from nofluke.server import accounts

    first = Process(tmp_path, "--store", str(tmp_path / "keeper.db"), "--port", "0")
    secret = first.said(r"/join/(nfi_\S+)\n")[1]
    url = first.said(r"nofluke serves (\S+)\n")[1]
    answered(f"{url}/healthz")
    assert first.stopped(signal.SIGINT) == 0
    assert secret not in first.err.read_text()
    with Database(tmp_path / "keeper.db") as db:
        accounts.redeem(db, secret, name="Ann", password=WORDS)
    again = Process(tmp_path, NOFLUKE_STORE=str(tmp_path / "keeper.db"), NOFLUKE_PORT="0")
    answered(again.said(r"nofluke serves (\S+)\n")[1] + "/healthz")
    assert "/join/" not in again.out.read_text()
    assert again.stopped() == 0


@pytest.mark.parametrize(
    "text", ["", "MB", "-1", "1.5GB", "64 TB", "1e6", "6 4MB", "٣MB", "9" * 5000]
)
def test_what_is_no_size(text):
    with pytest.raises(InputError):
        size(text)


def test_a_folder_of_uploads_that_cannot_be_is_told(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "up").write_text("a file")
    assert run(["serve", "--port", "0", "--folder", "up"]) == 2
    out, err = capsys.readouterr()
    assert err.startswith("NF097  the folder of uploads, up, ")
    assert out == ""
    assert not (tmp_path / "keeper.db").exists()


def test_the_end_of_an_answer_does_not_wait_for_the_other_side():
    async def nodelay() -> int:
        found = asyncio.get_running_loop().create_future()

        class Seen(asyncio.Protocol):
            def connection_made(self, transport):
                sock = transport.get_extra_info("socket")
                found.set_result(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                transport.close()

        with _listening(Settings(store="keeper.db", port=0)) as listener:
            at = listener.getsockname()
            server = await asyncio.get_running_loop().create_server(Seen, sock=listener)
            _, writer = await asyncio.open_connection(*at)
            writer.close()
            told = await found
            server.close()
        return told

    assert asyncio.run(nodelay()) != 0


def test_an_interrupted_submission_says_so_and_does_not_pass(capsys, tmp_path, monkeypatch):
    from nofluke.server.client import Client

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Client, "submit", stopped)
    monkeypatch.setenv("NOFLUKE_TOKEN", "nfk_x")
    file = tmp_path / "p.csv"
    file.write_text("id,prediction\na,1\n")
    assert run(["submit", str(file), "--board", "http://127.0.0.1:9/b/x"]) == 130
    assert "The same command again" in capsys.readouterr().err


def test_a_server_whose_answers_lack_something_is_told(capsys, tmp_path, monkeypatch):
    from nofluke.server.client import Client

    made = {"id": "s1", "status": "failed", "name": "p", "number": 1, "code": "NF070"}
    rest = {"sentences": [], "look": None}
    monkeypatch.setattr(Client, "submit", lambda *_, **__: (made | rest, True))
    monkeypatch.setattr(Client, "board", lambda *_: {})
    monkeypatch.setenv("NOFLUKE_TOKEN", "nfk_x")
    file = tmp_path / "p.csv"
    file.write_text("id,prediction\na,1\n")
    assert run(["submit", str(file), "--board", "http://127.0.0.1:9/b/x"]) == 2
    assert "lacks what this version" in capsys.readouterr().err
