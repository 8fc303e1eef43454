"""What several tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
