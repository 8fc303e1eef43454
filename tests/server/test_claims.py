"""What SECURITY.md claims and no other test shows."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest
from fastapi.testclient import TestClient
from keepers import Keeper
from sqlalchemy.exc import OperationalError

from nofluke.database.engine import Database
from nofluke.errors import NoflukeError, StoreError
from nofluke.guard import parquet
from nofluke.server.app import create_app
from nofluke.server.boards import submissions, work
from nofluke.server.settings import Settings
from nofluke.server.web.spool import Spool


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


def test_a_crowd_of_parquet_files_is_read_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "p.parquet"
    duckdb.sql("SELECT 'a' || i AS id, '1' AS prediction FROM range(5) t(i)").write_parquet(
        str(path)
    )
    running: list[int] = []
    most: list[int] = []
    begin = parquet._child

    def counted(asked: dict[str, object]) -> object:
        running.append(1)
        most.append(len(running))
        time.sleep(0.2)
        return begin(asked)

    monkeypatch.setattr(parquet, "_child", counted)
    monkeypatch.setattr(parquet, "_AT_ONCE", threading.BoundedSemaphore(2))

    def read(_: int) -> int:
        found = parquet.chunks(path, ["id", "prediction"], most_rows=10, strict=True)
        rows = sum(len(chunk[0]) for chunk in found)
        running.pop()
        return rows

    with ThreadPoolExecutor(6) as crowd:
        assert list(crowd.map(read, range(6))) == [5] * 6
    assert max(most) <= 3  # one may be let in while another still counts itself out


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
        patch.setattr("nofluke.server.boards.holdings.state", gone)
        with pytest.raises(StoreError):
            work.score_next(database)
    assert submissions.submission(database, bob, made.id).status == "queued"
    assert keeper.score() == 1
    assert submissions.submission(database, bob, made.id).status == "released"
