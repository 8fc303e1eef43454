"""docs/reference/formats.md is what the readers themselves say."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("formats_table", ROOT / "tools/formats_table.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_readers_is_fresh(tool):
    assert tool.readers_table() in tool.PAGE.read_text("utf-8"), "run `make formats`"


def test_the_table_of_real_files_is_fresh(tool):
    if not tool.REAL.is_dir():
        pytest.skip("no folder of real files beside")
    assert tool.page() == tool.PAGE.read_text("utf-8"), "run `make formats`"


def test_without_real_files_the_page_stays(tool, tmp_path):
    assert tool.page(tmp_path / "absent") == tool.PAGE.read_text("utf-8")


def test_each_reader_says_what_it_reads(tool):
    for line in tool.readers_table().splitlines():
        assert len(line.split("|")[4].strip()) > 20, line
