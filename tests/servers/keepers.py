"""A keeper for tests: people, boards over rows whose labels are known to the test, and uploads."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.server import boards, names, secrets, times
from nofluke.server.boards import membership, work
from nofluke.server.records import Actor, Board, BoardSpec


class Keeper:
    """Everything that a test of boards begins with.

    Args:
        database: Its database, with tables.
        folder: Where files are put.
        n: Rows of the board.
        seed: Of the labels and of who predicts what.
    """

    def __init__(self, database: Database, folder: Path, *, n: int = 200, seed: int = 1) -> None:
        self.db, self.folder, self.n = database, folder, n
        draw = random.Random(seed)  # noqa: S311
        self.labels = {f"r{i:06d}": str(draw.randrange(2)) for i in range(n)}
        self.ann = self.person("ann", admin=True)

    def person(self, name: str, *, admin: bool = False) -> Actor:
        user = secrets.identity()
        with self.db.writing() as connection:
            connection.execute(
                insert(tables.users).values(
                    id=user,
                    name=name,
                    folded=names.folded(name),
                    password="no hash, so that nobody signs in",  # noqa: S106
                    admin=admin,
                    created=times.text(times.now()),
                )
            )
        return Actor(id=user, name=name, admin=admin)

    def open(self, slug: str = "tumours", *, path: Path | None = None, **asked: Any) -> Board:
        spec = BoardSpec(**{"title": slug.title(), "looks": 20, **asked, "slug": slug})
        return boards.create(self.db, self.ann, spec, path or self.rows())

    def join(self, slug: str, name: str, *, role: str = "member", team: str | None = None) -> Actor:
        """A new person on a board."""
        return self.seat(slug, self.person(name), role=role, team=team)

    def seat(
        self, slug: str, actor: Actor, *, role: str = "member", team: str | None = None
    ) -> Actor:
        with self.db.writing() as connection:
            board = (
                connection.execute(tables.boards.select().where(tables.boards.c.slug == slug))
                .mappings()
                .one()
            )
            membership.join(
                self.db,
                connection,
                board=board["id"],
                user=actor.id,
                name=actor.name,
                role=role,
                team=team,
            )
        return actor

    def rows(self, name: str = "rows.csv", **columns: str) -> Path:
        """The file of labelled rows, with columns under other names if asked."""
        names_of = {"id": "id", "label": "label", **columns}
        path = self.folder / name
        lines = [f"{names_of['id']},{names_of['label']}"]
        lines += [f"{one},{label}" for one, label in self.labels.items()]
        path.write_text("\n".join(lines) + "\n")
        return path

    def upload(self, right: float = 0.8, *, seed: int = 0, name: str | None = None) -> Path:
        """Predictions, each of which is right with some probability."""
        draw = random.Random(f"{right} {seed}")  # noqa: S311
        path = self.folder / (name or f"upload-{right}-{seed}.csv")
        lines = [
            f"{one},{label if draw.random() < right else 1 - int(label)}"
            for one, label in self.labels.items()
        ]
        path.write_text("\n".join(["id,prediction", *lines]) + "\n")
        return path

    def score(self) -> int:
        """Score all that waits; returns how many that were."""
        count = 0
        while work.score_next(self.db):
            count += 1
        return count
