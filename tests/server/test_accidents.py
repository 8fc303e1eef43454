"""Two hundred submissions at once while the server, or the database, is killed again and again."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import submitting
from keepers import Keeper
from sqlalchemy import select

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.ledger import events
from nofluke.server import boards
from nofluke.server.boards import invariants, ledgers, work

if TYPE_CHECKING:
    from postgres import Cluster

pytestmark = pytest.mark.slow

COUNT, MEMBERS = 200, 10


class Scene:
    """A board of 250 looks, ten members, and two hundred files to hand in."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.files, self.log = url, folder / "files", folder / "log"
        self.files.mkdir()
        self.log.touch()
        self.db = Database(url)
        self.db.migrate()
        self.keeper = Keeper(self.db, self.files, n=100)
        path = self.keeper.rows()
        self.keeper.open(looks=250, per_member=25, path=path)
        path.unlink()
        for i in range(MEMBERS):
            self.keeper.join("tumours", f"m{i}")
        for i in range(COUNT):
            self.keeper.upload(0.7, seed=i, name=f"{i:03d}.csv")

    def begin(self) -> subprocess.Popen[bytes]:
        script = [sys.executable, submitting.__file__, self.url, str(self.files), str(self.log)]
        self.server = subprocess.Popen(script)
        return self.server

    def accepted(self) -> list[list[str]]:
        return [line.split() for line in self.log.read_text().splitlines()]

    def wait_for(self, count: int, server: subprocess.Popen[bytes]) -> None:
        patience = time.monotonic() + 120
        while len(self.accepted()) < min(count, COUNT) and server.poll() is None:
            assert time.monotonic() < patience
            time.sleep(0.005)

    def check(self) -> None:
        """None lost, none counted twice, the chain whole, the budget exact."""
        assert invariants.check(self.db) == []
        accepted = self.accepted()
        with self.db.reading() as connection:
            rows = connection.execute(select(tables.submissions)).mappings().all()
        found = {row["id"]: row["digest"] for row in rows}
        assert len(found) == len({row["digest"] for row in rows})
        for _, identity, digest in accepted:
            assert found[identity] == digest

    def close(self) -> None:
        self.server.kill()
        self.server.wait()
        self.db.close()

    def check_end(self) -> None:
        self.check()
        assert len({name for name, *_ in self.accepted()}) == COUNT
        assert work.waiting(self.db) == 0
        board = boards.board(self.db, self.keeper.ann, "tumours")
        assert board.left.looks == 250 - COUNT
        assert len(board.standings) == COUNT
        found = ledgers.export(self.db, self.keeper.ann, "tumours")
        entries = [events.read(line.rstrip(b"\n")) for line in found]
        asked = [e.seq for e in entries if e.kind == "attempt"]
        told = [e.body["attempt"] for e in entries if e.kind == "look"]
        assert asked == told
        assert len(told) == COUNT


def test_the_server_is_killed_while_two_hundred_submit(store: str, tmp_path: Path) -> None:
    with closing(Scene(store, tmp_path)) as scene:
        _kill_server(scene)


def _kill_server(scene: Scene) -> None:
    draw, kills = random.Random(1), 0  # noqa: S311
    server = scene.begin()
    while len(scene.accepted()) < COUNT and kills < 8:
        scene.wait_for(len(scene.accepted()) + draw.randrange(5, 30), server)
        time.sleep(draw.random() / 50)
        server.kill()
        server.wait()
        kills += 1
        scene.check()
        server = scene.begin()
    assert server.wait(timeout=120) == 0
    assert kills >= 4
    scene.check_end()
    print(f"{kills} servers killed")  # noqa: T201


def test_postgresql_is_killed_while_two_hundred_submit(postgres: Cluster, tmp_path: Path) -> None:
    with closing(Scene(postgres.new(), tmp_path)) as scene:
        _kill_cluster(scene, postgres)


def _kill_cluster(scene: Scene, postgres: Cluster) -> None:
    draw, kills = random.Random(2), 0  # noqa: S311
    server = scene.begin()
    while len(scene.accepted()) < COUNT and kills < 5:
        scene.wait_for(len(scene.accepted()) + draw.randrange(10, 40), server)
        postgres.kill()
        kills += 1
        time.sleep(draw.random())
        postgres.start()
        scene.check()
    assert server.wait(timeout=120) == 0
    assert kills >= 3
    scene.check_end()
    print(f"{kills} clusters killed")  # noqa: T201
