"""The keeper under load, from outside: how long pages take while predictions are handed in.

    python benchmarks/keeper_load.py [--members 50] [--rate 100] [--seconds 60] [--rows 10000]
                                     [--looks 0] [--store postgresql://...] [--nice 0]

A server is started as people start it. Members hand in predictions of all rows at a fixed rate, by
the API, whether the last ones were answered or not; meanwhile each member looks at pages, by a
session: the board, the list, the ledger, their own submissions, a card, the form. What is printed:
how long each takes, and until a submission is accepted, and told; and the load of the machine, as
the generator runs on the same one. With ``--looks`` so many are on record before it begins.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np

from nofluke.database.engine import Database
from nofluke.server import accounts, boards
from nofluke.server.boards import membership, submissions, work
from nofluke.server.client import Client
from nofluke.server.records import BoardSpec
from nofluke.server.settings import Settings

PROGRAM = "from nofluke.cli import main; main()"
WORDS = "a kettle of small fish"
PAGES = {
    "board": "/b/b",
    "boards": "/boards",
    "ledger": "/b/b/ledger",
    "mine": "/b/b/mine",
    "card": "/s/{}",
    "form": "/b/b/submit",
}


class Load:
    """One server, its members, and the seconds that they waited."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self.asked, self.folder = asked, folder
        self.store = asked.store or str(folder / "keeper.db")
        self.labels = np.random.default_rng(1).integers(0, 2, asked.rows)
        self.ids = [f"row-{i:07d}" for i in range(asked.rows)]
        self.seconds: dict[str, list[float]] = {name: [] for name in (*PAGES, "accepted", "told")}
        self.cards: dict[str, str] = {}
        self.over = threading.Event()

    def people(self, secret: str) -> list[tuple[str, str]]:
        """A token and a session of every member."""
        rows = self.folder / "rows.csv"
        pairs = zip(self.ids, self.labels, strict=True)
        rows.write_text("\n".join(["id,label", *(f"{one},{y}" for one, y in pairs), ""]))
        with Database(self.store) as db:
            owner = accounts.redeem(db, secret, name="Owner", password=WORDS)
            spec = BoardSpec(slug="b", title="B", rule="ladder", looks=10_000)
            boards.create(db, owner, spec, rows)
            found = [self._member(db, owner, i) for i in range(self.asked.members)]
            self._record(db, found)
            return found

    def _record(self, db: Database, members: list[tuple[str, str]]) -> None:
        """Looks that are on record before anybody is measured."""
        for number in range(self.asked.looks):
            who = accounts.by_token(db, members[number % len(members)][0])
            assert who is not None
            submissions.submit(db, who, "b", self.upload(10**6 + number), name=f"before {number}")
            (self.folder / f"p{10**6 + number}.csv").unlink()
        while work.waiting(db):
            time.sleep(0.1)

    def _member(self, db: Database, owner: Any, i: int) -> tuple[str, str]:
        link = membership.invite(db, owner, "b", role="member")
        who = accounts.redeem(db, str(link.secret), name=f"Member {i}", password=WORDS)
        made = accounts.make_token(db, who, name="t", scopes=["read", "submit"], days=1)
        return str(made.secret), accounts.session(db, who)

    def upload(self, number: int) -> Path:
        """Predictions of all rows, none twice."""
        draw = np.random.default_rng(number)
        said = np.where(draw.random(self.asked.rows) < 0.8, self.labels, 1 - self.labels)
        path = self.folder / f"p{number}.csv"
        pairs = zip(self.ids, said, strict=True)
        path.write_text("\n".join(["id,prediction", *(f"{one},{y}" for one, y in pairs), ""]))
        return path

    def hand_in(self, url: str, token: str, number: int, path: Path) -> None:
        """Hand one in, and wait until it is told."""
        client, begun = Client(f"{url}/api/v1", token), time.perf_counter()
        made, _ = client.submit("b", path, name=f"number {number}")
        self.cards[token] = made["id"]
        self.seconds["accepted"].append(time.perf_counter() - begun)
        told = client.waited(made, seconds=120)
        assert told["status"] == "released", told
        self.seconds["told"].append(time.perf_counter() - begun)

    def look(self, url: str, token: str, session: str) -> None:
        """Look at one page after another, a page every second or so."""
        cookie = f"{Settings(store=self.store).cookie()}={session}"
        pause = np.random.default_rng(abs(hash(session)) % 2**32)
        while not self.over.wait(pause.uniform(0.5, 1.5)):
            for name, path in PAGES.items():
                card = self.cards.get(token)
                if name == "card" and card is None:
                    continue
                asked = urllib.request.Request(  # noqa: S310
                    url + path.format(card), headers={"Cookie": cookie}
                )
                begun = time.perf_counter()
                with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
                    answer.read()
                self.seconds[name].append(time.perf_counter() - begun)
                if self.over.wait(pause.uniform(0.5, 1.5)):
                    return

    def run(self, url: str, members: list[tuple[str, str]]) -> None:
        """Everything at once, for as many seconds as were asked for."""
        count = round(self.asked.rate * self.asked.seconds / 60)
        paths = [self.upload(number) for number in range(count)]
        threads = [threading.Thread(target=self.look, args=(url, *one)) for one in members]
        for thread in threads:
            thread.start()
        begun, handed = time.perf_counter(), []
        for number, path in enumerate(paths):
            time.sleep(max(0.0, begun + number * 60 / self.asked.rate - time.perf_counter()))
            token = members[number % len(members)][0]
            one = threading.Thread(target=self.hand_in, args=(url, token, number, path))
            one.start()
            handed.append(one)
        for thread in handed:
            thread.join()
        self.over.set()
        for thread in threads:
            thread.join()
        assert len(self.seconds["told"]) == count, f"{len(self.seconds['told'])} of {count} told"

    def shown(self) -> str:
        """A line for each thing that was waited for."""
        names = ("count", "p50", "p95", "p99", "most")
        lines = [f"{'':10} " + " ".join(f"{name:>7}" for name in names) + "  milliseconds"]
        pages = [second for name in PAGES for second in self.seconds[name]]
        for name, seconds in {"all pages": pages, **self.seconds}.items():
            if seconds:
                found = np.quantile(np.array(seconds) * 1000, [0.5, 0.95, 0.99, 1])
                lines.append(f"{name:10} {len(seconds):7} " + " ".join(f"{x:7.0f}" for x in found))
        loads = " ".join(f"{one:.1f}" for one in os.getloadavg())
        return "\n".join([*lines, f"load of the machine {loads}, {os.cpu_count()} cores"])


def served(store: str, folder: Path, nice: int) -> tuple[subprocess.Popen[bytes], str, str]:
    """A server, its address, and the secret of its first link."""
    out = folder / "out.txt"
    with out.open("wb") as said, (folder / "log.txt").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "serve", "--store", store, "--port", "0"],
            stdout=said,
            stderr=log,
            env={**os.environ, "NOFLUKE_RATE_FACTOR": "0", "NOFLUKE_FOLDER": str(folder / "up")},
        )
        if nice:
            os.setpriority(os.PRIO_PROCESS, server.pid, nice)
    for _ in range(1200):
        found = re.search(r"serves (\S+)\n.*/join/(\S+)\n", out.read_text(), re.DOTALL)
        if found:
            return server, found[1], found[2]
        time.sleep(0.1)
    raise AssertionError((folder / "log.txt").read_text())


def main() -> None:
    """Put a server under load, and print how long everybody waited."""
    asked = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("--members", type=int, default=50)
    asked.add_argument("--rate", type=float, default=100, help="submissions a minute")
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--rows", type=int, default=10_000)
    asked.add_argument("--looks", type=int, default=0, help="looks on record before it begins")
    asked.add_argument("--store", help="a database of PostgreSQL; a new file of SQLite by default")
    asked.add_argument("--nice", type=int, default=0, help="priority of the server, -20 to 19")
    with tempfile.TemporaryDirectory() as name:
        load = Load(asked.parse_args(), Path(name))
        server, url, secret = served(load.store, load.folder, load.asked.nice)
        try:
            load.run(url, load.people(secret))
        finally:
            server.terminate()
            server.wait()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(load.shown())
        print(f"the server took {used.ru_utime + used.ru_stime:.0f} s of one core in all")


if __name__ == "__main__":
    main()
