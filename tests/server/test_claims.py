"""What SECURITY.md claims and no other test shows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from keepers import Keeper
from sqlalchemy.exc import OperationalError

from nofluke.database.engine import Database
from nofluke.errors import NoflukeError, StoreError
from nofluke.server import submissions, work
from nofluke.server.app import create_app
from nofluke.server.settings import Settings
from nofluke.server.spool import Spool


@pytest.mark.parametrize(
    ("url", "told"), [("https://k.example", True), ("http://k.example", False)]
)
def test_who_came_by_https_is_told_to_come_by_nothing_else(
    tmp_path: Path, url: str, told: bool
) -> None:
    settings = Settings(store=str(tmp_path / "k.db"), public_url=url, folder=tmp_path / "up")
    with Database(settings.store) as database:
        database.migrate()
        with TestClient(create_app(settings, database=database), base_url=url) as client:
            answer = client.get("/signin")
    assert answer.status_code == 200
    assert ("strict-transport-security" in answer.headers) is told
    assert ("secure" in answer.headers["set-cookie"].lower()) is told


def test_a_folder_of_uploads_that_others_may_write_to_is_closed_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "up"
    folder.mkdir()
    folder.chmod(0o777)
    Spool(folder, max_bytes=10).sweep()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_of_uploads_that_is_somebody_elses_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder for temporary files anybody may make it first, and read what is put there."""
    Spool(tmp_path / "up", max_bytes=10).sweep()
    (tmp_path / "link").symlink_to(tmp_path / "up")
    with pytest.raises(NoflukeError, match="link"):
        Spool(tmp_path / "link", max_bytes=10).sweep()
    with pytest.raises(NoflukeError, match="cannot be used: not a directory"):
        Spool(Path(__file__) / "up", max_bytes=10).sweep()
    monkeypatch.setattr(os, "getuid", lambda: (tmp_path / "up").stat().st_uid + 1)
    with pytest.raises(NoflukeError, match="belongs to somebody else") as refused:
        Spool(tmp_path / "up", max_bytes=10).sweep()
    assert refused.value.code == "NF097"


def test_a_store_that_goes_away_while_a_look_is_scored_lets_it_wait(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keeper = Keeper(database, tmp_path, n=60)
    keeper.open()
    bob = keeper.join("tumours", "bob")
    made, _ = submissions.submit(database, bob, "tumours", keeper.upload(), name="first")

    def gone(*_: object, **__: object) -> None:
        raise OperationalError("SELECT", {}, Exception("server closed the connection"))

    with monkeypatch.context() as patch:
        patch.setattr("nofluke.server.holdings.state", gone)
        with pytest.raises(StoreError):
            work.score_next(database)
    assert submissions.submission(database, bob, made.id).status == "queued"
    assert keeper.score() == 1
    assert submissions.submission(database, bob, made.id).status == "released"
