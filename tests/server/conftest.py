"""A whole server in one process, with people of every role and labels that cannot be mistaken."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

N = 60
ROLES = ("admin", "owner", "ann", "bob", "auditor", "stranger")


@dataclass
class Served:
    """An app that runs, a token of every role, and what no answer may hold."""

    app: Any
    client: Any
    database: Any
    tokens: dict[str, str]
    users: dict[str, str]
    labels: dict[str, str]
    folder: Path
    secrets: list[str] = field(default_factory=list)

    def ask(self, role: str | None, method: str, path: str, **how: Any) -> Any:
        """One request by somebody; None has no token."""
        headers = dict(how.pop("headers", {}))
        if role is not None:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"
        return self.client.request(method, f"/api/v1{path}", headers=headers, **how)

    def predictions(self, seed: int, *, noise: float = 0.1) -> bytes:
        """Predictions near the labels, with digits of their own."""
        draw = np.random.default_rng(seed)
        lines = [
            f"{one},{np.clip(float(label) + draw.uniform(-noise, noise), 0, 1):.12f}"
            for one, label in self.labels.items()
        ]
        return "\n".join(["id,prediction", *lines, ""]).encode()

    def submit(self, role: str, seed: int, *, slug: str = "numbers", **how: Any) -> Any:
        """Predictions handed in by a member."""
        return self.ask(
            role,
            "POST",
            f"/boards/{slug}/submissions",
            content=self.predictions(seed, **how),
            headers={"content-type": "text/csv"},
            params={"name": f"try {seed}"},
        )

    def scored(self, role: str, submission: str) -> dict[str, Any]:
        """A submission once it is answered."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            told: dict[str, Any] = self.ask(role, "GET", f"/submissions/{submission}").json()
            if told["status"] != "queued":
                return told
            time.sleep(0.01)
        raise AssertionError("it was not scored in 20 seconds")

    def form(self, slug: str, labels: dict[str, str] | None = None, **asked: Any) -> dict[str, Any]:
        """A form that opens a board over numbers."""
        rows = self.labels if labels is None else labels
        content = "\n".join(["id,label", *(f"{one},{y}" for one, y in rows.items()), ""])
        spec = {
            "slug": slug,
            "title": slug.title(),
            "metric": "squared_error",
            "bounds": [0, 1],
            "rule": "rounded",
            "looks": 12,
            "confirm": 0.3,
            **asked,
        }
        return {
            "data": {"spec": json.dumps(spec)},
            "files": {"file": ("rows.csv", content.encode(), "text/csv")},
        }


def labels_of(seed: int, n: int = N) -> dict[str, str]:
    """Numbers between 0 and 1 with twelve digits each, by id."""
    draw = np.random.default_rng(seed).integers(10**11, 10**12, n)
    return {f"row-{i:04d}": f"0.{digits}" for i, digits in enumerate(draw)}


@dataclass
class _People:
    """Who holds what, in a store that was filled once."""

    tokens: dict[str, str]
    users: dict[str, str]
    secrets: list[str]


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, _People]:
    """A store of SQLite with people and the board ``numbers``, to be copied."""
    folder = tmp_path_factory.mktemp("filled")
    with _living(folder, str(folder / "keeper.db"), None) as one:
        people = _People(one.tokens, one.users, one.secrets)
    return folder / "keeper.db", people


@pytest.fixture
def serving(tmp_path: Path, filled: tuple[Path, _People]) -> Iterator[Callable[..., Served]]:
    """Makes servers that live as long as the test."""
    with ExitStack() as stack:

        def make(url: str | None = None, **settings: Any) -> Served:
            if url is not None:
                return stack.enter_context(_living(tmp_path, url, None, **settings))
            return stack.enter_context(_copied(tmp_path, filled, **settings))

        yield make


@pytest.fixture
def served(serving: Callable[..., Served]) -> Served:
    """A server with a board ``numbers`` of which everybody but the stranger is a part."""
    return serving()


@pytest.fixture(scope="module")
def still(
    tmp_path_factory: pytest.TempPathFactory, filled: tuple[Path, _People]
) -> Iterator[Served]:
    """The same for all tests of a module that leave it as it was."""
    with _copied(tmp_path_factory.mktemp("still"), filled) as one:
        yield one


def _copied(folder: Path, filled: tuple[Path, _People], **settings: Any) -> Any:
    from nofluke.server.boards import holdings, ledgers, scoreboard

    # What a process remembers by id would be that of another copy.
    for module in (holdings, ledgers, scoreboard):
        for value in vars(module).values():
            if isinstance(value, holdings.Memory):
                value._held.clear()
    shutil.copy(filled[0], folder / "keeper.db")
    return _living(folder, str(folder / "keeper.db"), filled[1], **settings)


@contextmanager
def _living(folder: Path, store: str, people: _People | None, **chosen: Any) -> Iterator[Served]:
    from fastapi.testclient import TestClient

    from nofluke.database.engine import Database
    from nofluke.server.app import create_app
    from nofluke.server.settings import Settings

    settings = Settings(
        store=store,
        folder=folder / "spool",
        trusted_hosts=("testserver",),
        **{"rate_factor": 0.0, **chosen},
    )
    with Database(store) as database:
        database.migrate()
        new = people is None
        who = _People(*_people(database, settings)) if people is None else people
        app = create_app(settings, database=database)
        with TestClient(app) as client:
            one = Served(
                app,
                client,
                database,
                dict(who.tokens),
                dict(who.users),
                labels_of(7),
                folder / "spool",
                list(who.secrets),
            )
            if new:
                _board(one)
            yield one


def _people(database: Any, settings: Any) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """An account and a token for every role; the first runs the server."""
    from nofluke.server import accounts

    link = accounts.first_link(database, settings)
    assert link is not None
    secret, secrets = link.rpartition("/")[2], []
    tokens, users = {}, {}
    admin = None
    for role in ROLES:
        if admin is not None:
            secret = str(accounts.invite_admin(database, admin, days=1).secret)
        actor = accounts.redeem(
            database, secret, name=role.title(), password=f"correct horse {role} battery"
        )
        secrets.append(secret)
        made = accounts.make_token(
            database, actor, name="test", scopes=["read", "submit", "admin"], days=1
        )
        tokens[role], users[role] = str(made.secret), actor.id
        admin = admin or actor
    _only_one_admin(database, users)
    return tokens, users, [*secrets, *tokens.values()]


def _only_one_admin(database: Any, users: dict[str, str]) -> None:
    from sqlalchemy import update

    from nofluke.database import tables

    others = [user for role, user in users.items() if role not in ("admin", "owner")]
    with database.writing() as connection:
        connection.execute(
            update(tables.users).where(tables.users.c.id.in_(others)).values(admin=False)
        )


def _board(one: Served) -> None:
    """A board of the owner's, with two members of teams of their own, and an auditor."""
    opened = one.ask("owner", "POST", "/boards", **one.form("numbers"))
    assert opened.status_code == 201, opened.text
    for role, place in (("ann", "member"), ("bob", "member"), ("auditor", "auditor")):
        made = one.ask("owner", "POST", "/boards/numbers/invitations", json={"role": place})
        assert made.status_code == 201, made.text
        secret = made.json()["secret"]
        one.secrets.append(secret)
        taken = one.ask(role, "POST", "/invitations/accept", json={"secret": secret})
        assert taken.status_code == 204, taken.text
