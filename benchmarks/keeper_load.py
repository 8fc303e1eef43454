"""The keeper under load, from outside: how long pages take while predictions are handed in.

    python benchmarks/keeper_load.py [--members 50] [--rate 100] [--seconds 60] [--rows 10000]
                                     [--store postgresql://...]

A server is started as people start it. Members hand in predictions of all rows at a fixed rate, by
the API, whether the last ones were answered or not; meanwhile each member looks at pages, by a
session. What is printed: how long a page takes, and until a submission is accepted, and told.
"""

from __future__ import annotations

import argparse
import os
import re
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
from nofluke.server import accounts, boards, people
from nofluke.server.client import Client
from nofluke.server.records import BoardSpec
from nofluke.server.settings import Settings

PROGRAM = "from nofluke.cli import main; main()"
WORDS = "a kettle of small fish"


class Load:
    """One server, its members, and the seconds that they waited."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self.asked, self.folder = asked, folder
        self.store = asked.store or str(folder / "keeper.db")
        self.labels = np.random.default_rng(1).integers(0, 2, asked.rows)
        self.ids = [f"row-{i:07d}" for i in range(asked.rows)]
        self.seconds: dict[str, list[float]] = {"page": [], "accepted": [], "told": []}
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
            return [self._member(db, owner, i) for i in range(self.asked.members)]

    def _member(self, db: Database, owner: Any, i: int) -> tuple[str, str]:
        link = people.invite(db, owner, "b", role="member")
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
        self.seconds["accepted"].append(time.perf_counter() - begun)
        told = client.waited(made, seconds=120)
        assert told["status"] == "released", told
        self.seconds["told"].append(time.perf_counter() - begun)

    def look(self, url: str, session: str) -> None:
        """Look at the board and at one's own submissions, a page every second or so."""
        cookie = f"{Settings(store=self.store).cookie()}={session}"
        pause = np.random.default_rng(abs(hash(session)) % 2**32)
        while not self.over.wait(pause.uniform(0.5, 1.5)):
            for path in ("/b/b", "/b/b/mine", "/b/b/submit", "/boards"):
                asked = urllib.request.Request(url + path, headers={"Cookie": cookie})  # noqa: S310
                begun = time.perf_counter()
                with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
                    answer.read()
                self.seconds["page"].append(time.perf_counter() - begun)
                if self.over.wait(pause.uniform(0.5, 1.5)):
                    return

    def run(self, url: str, members: list[tuple[str, str]]) -> None:
        """Everything at once, for as many seconds as were asked for."""
        count = round(self.asked.rate * self.asked.seconds / 60)
        paths = [self.upload(number) for number in range(count)]
        threads = [threading.Thread(target=self.look, args=(url, s)) for _, s in members]
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
        lines = [f"{'':10} {'count':>6} {'median':>8} {'p95':>8} {'most':>8}  milliseconds"]
        for name, seconds in self.seconds.items():
            median, late, most = np.quantile(np.array(seconds) * 1000, [0.5, 0.95, 1])
            lines.append(f"{name:10} {len(seconds):6} {median:8.0f} {late:8.0f} {most:8.0f}")
        return "\n".join(lines)


def served(store: str, folder: Path) -> tuple[subprocess.Popen[bytes], str, str]:
    """A server, its address, and the secret of its first link."""
    out = folder / "out.txt"
    with out.open("wb") as said, (folder / "log.txt").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "serve", "--store", store, "--port", "0"],
            stdout=said,
            stderr=log,
            env={**os.environ, "NOFLUKE_RATE_FACTOR": "0", "NOFLUKE_FOLDER": str(folder / "up")},
        )
    for _ in range(1200):
        found = re.search(r"serves (\S+)\n.*/join/(\S+)\n", out.read_text(), re.DOTALL)
        if found:
            return server, found[1], found[2]
        time.sleep(0.1)
    raise AssertionError((folder / "log.txt").read_text())


def main() -> None:
    """Put a server under load, and print how long everybody waited."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--members", type=int, default=50)
    asked.add_argument("--rate", type=float, default=100, help="submissions a minute")
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--rows", type=int, default=10_000)
    asked.add_argument("--store")
    with tempfile.TemporaryDirectory() as name:
        load = Load(asked.parse_args(), Path(name))
        server, url, secret = served(load.store, load.folder)
        try:
            load.run(url, load.people(secret))
        finally:
            server.terminate()
            server.wait()
        print(load.shown())


if __name__ == "__main__":
    main()
