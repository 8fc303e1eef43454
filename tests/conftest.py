"""What several tests share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from postgres import Cluster

    from nofluke.database.engine import Database

# How long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and known cases beside the repository."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder {SHARED} with real data and known cases is not there")
    return SHARED


@pytest.fixture(autouse=True, scope="session")
def _no_levels_from_earlier_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Critical levels kept on disk start empty, and leave nothing in the user's own cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NOFLUKE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    """A private cluster of PostgreSQL, one for each process of tests that asks for it."""
    from postgres import Cluster, missing

    why = missing()
    if why is not None:
        pytest.skip(why)
    cluster = Cluster()
    try:
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark on this machine, one for each process of tests that asks for it."""
    import shutil

    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    settings_ = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = sql.SparkSession.builder.master("local[2]").appName("nofluke tests")
    for name, value in settings_.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():  # of what Spark imports
        warnings.simplefilter("ignore")
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new store without tables, in each kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'keeper.db'}"
    url: str = request.getfixturevalue("postgres").new()
    return url


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A new store with its tables, in each kind of database."""
    from nofluke.database.engine import Database

    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'keeper.db'}"
    else:
        url = request.getfixturevalue("postgres").migrated()
    with Database(url) as made:
        made.migrate()
        yield made
