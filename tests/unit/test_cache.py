"""Numbers kept between processes: exact, and never in the way."""

import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nofluke.kernels import cache, levels


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NOFLUKE_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_come_back_bit_for_bit(number):
    cache.keep("any number", number)

    assert cache.recall("any number").hex() == number.hex()


def test_what_was_never_kept_is_unknown(folder):
    assert cache.recall("nothing") is None
    assert not folder.exists()


def test_one_small_file_each_and_no_drafts(folder):
    cache.keep("a key", 0.1)
    cache.keep("a key", 0.2)
    cache.keep("b key", 0.3)

    assert sorted(path.name for path in folder.iterdir()) == ["a_key", "b_key"]
    assert cache.recall("a key") == 0.2


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("0x1.9", "0x1.8"),
        lambda text: text.replace("a key", "b key"),
        lambda text: "\ufffd\ufffd",
        lambda text: text * 100,
    ],
)
def test_a_damaged_file_is_passed_over_and_replaced(folder, damage):
    cache.keep("a key", 0.1)
    path = folder / "a_key"
    path.write_text(damage(path.read_text()), encoding="utf-8")

    assert cache.recall("a key") is None
    cache.keep("a key", 0.1)
    assert cache.recall("a key") == 0.1


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("NOFLUKE_CACHE", str(tmp_path / "file" / "kept"))

    cache.keep("a key", 0.1)
    assert cache.recall("a key") is None


def test_a_file_that_cannot_be_replaced_leaves_no_draft(folder):
    (folder / "a_key").mkdir(parents=True)

    cache.keep("a key", 0.1)
    assert cache.recall("a key") is None
    assert [path.name for path in folder.iterdir()] == ["a_key"]


def test_it_can_be_switched_off(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NOFLUKE_CACHE", "")

    cache.keep("a key", 0.1)
    assert cache.recall("a key") is None
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("xdg", "expected"), [("kept", ("kept", "nofluke")), ("", ("home", ".cache", "nofluke"))]
)
def test_it_lives_in_the_users_cache_folder(tmp_path, monkeypatch, xdg, expected):
    monkeypatch.delenv("NOFLUKE_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / xdg) if xdg else "")

    cache.keep("a key", 0.1)
    assert tmp_path.joinpath(*expected, "a_key").is_file()


def test_many_processes_write_the_same_key(folder):
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        seen = list(pool.map(keep_and_recall, range(40)))

    assert set(seen) <= {float(i) for i in range(40)}
    assert [path.name for path in folder.iterdir()] == ["shared"]


def keep_and_recall(i):
    cache.keep("shared", float(i))
    return cache.recall("shared")


def test_a_critical_level_is_solved_once_and_kept_exactly(folder, monkeypatch):
    levels.critical_level.cache_clear()
    first = levels.critical_level("owen", 17, 0.037)
    levels.critical_level.cache_clear()
    monkeypatch.setattr(levels, "_solve", lambda *_: math.nan)

    assert levels.critical_level("owen", 17, 0.037).hex() == first.hex()
    assert len(list(folder.iterdir())) == 1
