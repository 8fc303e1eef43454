"""Servers or PostgreSQL killed with -9 while 200 are handed in: none is lost or counted twice."""

import json
import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pytest

from nofluke.errors import NoflukeError
from nofluke.server.client import Client

pytestmark = pytest.mark.slow

PROGRAM = "from nofluke.cli import main; main()"
WORDS = "a kettle of small fish"
LABELS = {f"r{i:04d}": str(i % 2) for i in range(300)}
MEMBERS, EACH = 10, 20


class Killed:
    """A server on one port, that may be killed and begun again."""

    def __init__(self, folder, store, port):
        self.folder, self.port = folder, port
        words = ["serve", "--store", store, "--port", str(port), "--folder", str(folder / "up")]
        with (folder / "log.txt").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, *words],
                stdout=log,
                stderr=log,
                env={**os.environ, "NOFLUKE_RATE_FACTOR": "0"},
            )

    def ready(self):
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                url = f"http://127.0.0.1:{self.port}/readyz"
                with urllib.request.urlopen(url, timeout=5):
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError((self.folder / "log.txt").read_text())

    def kill(self):
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def filled(db, rows, settings):
    """A board, and a token of each member."""
    from nofluke.server import accounts, boards
    from nofluke.server.boards import membership
    from nofluke.server.records import BoardSpec

    secret = accounts.first_link(db, settings).rpartition("/")[2]
    owner = accounts.redeem(db, secret, name="Owner", password=WORDS)
    boards.create(db, owner, BoardSpec(slug="b", title="B", rule="ladder", looks=250), rows)
    tokens = []
    for i in range(MEMBERS):
        link = membership.invite(db, owner, "b", role="member")
        member = accounts.redeem(db, link.secret, name=f"Member {i}", password=WORDS)
        made = accounts.make_token(db, member, name="t", scopes=["read", "submit"], days=1)
        tokens.append(made.secret)
    return tokens


def uploads(folder, member):
    draw = np.random.default_rng(member)
    for i in range(EACH):
        wrong = set(draw.choice(len(LABELS), 30 + i, replace=False))
        lines = [
            f"{o},{1 - int(y) if k in wrong else y}" for k, (o, y) in enumerate(LABELS.items())
        ]
        path = folder / f"p-{member}-{i}.csv"
        path.write_text("\n".join(["id,prediction", *lines, ""]))
        yield path


def hand_in(api, token, paths, done, wrong):
    """Hand in every file, again and again until the server has said that it has it."""
    client = Client(api, token, lambda _seconds: time.sleep(0.05))
    for path in paths:
        while True:
            try:
                done.append(client.submit("b", path, name=path.stem)[0]["id"])
                break
            except NoflukeError as error:
                if error.code not in ("NF096", "NF071", "NF076"):
                    wrong.append(error)
                    return
                time.sleep(0.2)


def test_killed_servers_lose_nothing_and_count_nothing_twice(tmp_path, store):
    def killed(server):
        server.kill()
        return Killed(tmp_path, store, server.port)

    handed_in_while(killed, tmp_path, store)


def test_a_killed_postgresql_loses_nothing_and_counts_nothing_twice(tmp_path, postgres):
    def killed(server):
        postgres.kill()
        postgres.start()
        return server  # which goes on by itself

    handed_in_while(killed, tmp_path, postgres.new())


def handed_in_while(killed, tmp_path, store):
    """Two hundred are handed in, something is killed three times, and all of them are there."""
    from nofluke.database.engine import Database
    from nofluke.server import boards
    from nofluke.server.accounts.api_tokens import by_token
    from nofluke.server.boards import invariants, ledgers
    from nofluke.server.settings import Settings

    rows = tmp_path / "rows.csv"
    rows.write_text("\n".join(["id,label", *(f"{i},{y}" for i, y in LABELS.items()), ""]))
    port = free_port()
    with Database(store) as db:
        db.migrate()
        tokens = filled(db, rows, Settings(store=store))
        server, done, wrong = Killed(tmp_path, store, port), [], []
        server.ready()
        api = f"http://127.0.0.1:{port}/api/v1"
        threads = [
            threading.Thread(
                target=hand_in, args=(api, token, list(uploads(tmp_path, i)), done, wrong)
            )
            for i, token in enumerate(tokens)
        ]
        for thread in threads:
            thread.start()
        kills = 0
        for share in (0.15, 0.4, 0.7):
            while len(done) < share * MEMBERS * EACH:
                assert wrong == []
                time.sleep(0.01)
            server = killed(server)
            kills += 1
            server.ready()
        for thread in threads:
            thread.join()
        assert wrong == []
        actor = by_token(db, tokens[0])
        until = time.monotonic() + 120
        while '"queued"' in json.dumps(statuses(api, tokens)) and time.monotonic() < until:
            time.sleep(0.2)
        server.kill()

        told = statuses(api, tokens, db=db)
        assert kills == 3
        assert len(done) == len(set(done)) == len(told) == MEMBERS * EACH
        assert set(told) == set(done)
        assert set(told.values()) == {"released"}
        assert boards.board(db, actor, "b").left.looks == 250 - MEMBERS * EACH
        assert invariants.check(db) == []
        assert ledgers.page(db, actor, "b").intact
        assert "Traceback" not in (tmp_path / "log.txt").read_text()


def statuses(api, tokens, db=None):
    """Every submission and how it stands, by the API or from the store."""
    if db is not None:
        from sqlalchemy import select

        from nofluke.database.tables import submissions

        with db.reading() as connection:
            return dict(connection.execute(select(submissions.c.id, submissions.c.status)).all())
    found = {}
    for token in tokens:
        asked = urllib.request.Request(  # noqa: S310 (our own)
            f"{api}/boards/b/submissions", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:  # noqa: S310 (our own)
            found |= {one["id"]: one["status"] for one in json.load(answer)}
    return found
