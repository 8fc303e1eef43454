"""What several tests share."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and known cases beside the repository."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder {SHARED} with real data and known cases is not there")
    return SHARED
