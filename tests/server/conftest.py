"""A whole server in one process, with people of every role and labels that cannot be mistaken."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
        draw = random.Random(f"{seed} {noise}")
        lines = [
            f"{one},{min(1.0, max(0.0, float(label) + draw.uniform(-noise, noise))):.12f}"
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
        import json

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
    draw = random.Random(seed)
    return {f"row-{i:04d}": f"0.{draw.randrange(10**11, 10**12)}" for i in range(n)}


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Makes servers that live as long as the test."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def make(url: str | None = None, **settings: Any) -> Served:
            return stack.enter_context(_served(tmp_path, url, **settings))

        yield make


@pytest.fixture
def served(serving: Callable[..., Served]) -> Served:
    """A server with a board ``numbers`` of which everybody but the stranger is a part."""
    return serving()


def _served(folder: Path, url: str | None, **chosen: Any) -> Any:
    from contextlib import contextmanager

    @contextmanager
    def made() -> Iterator[Served]:
        from fastapi.testclient import TestClient

        from nofluke.database.engine import Database
        from nofluke.server.app import create_app
        from nofluke.server.settings import Settings

        store = url or str(folder / "keeper.db")
        settings = Settings(
            store=store,
            folder=folder / "spool",
            trusted_hosts=("testserver",),
            **{"rate_factor": 0.0, **chosen},
        )
        with Database(store) as database:
            database.migrate()
            tokens, users, secrets = _people(database, settings)
            app = create_app(settings, database=database)
            with TestClient(app, raise_server_exceptions=True) as client:
                one = Served(
                    app, client, database, tokens, users, labels_of(7), folder / "spool", secrets
                )
                _board(one)
                yield one

    return made()


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
