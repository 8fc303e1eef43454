"""Folders for what does not fit: gone in the end, and found where a process was killed."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nofluke.errors import InputError
from nofluke.sources import spills

HOLD = """
import sys, time
from pathlib import Path
from nofluke.sources import spills

folder = spills.Folder(Path(sys.argv[1]))
(folder.path / "rows").write_bytes(b"x" * 1000)
print(folder.path, flush=True)
time.sleep(60)
"""

posix = pytest.mark.skipif(os.name != "posix", reason="locks of files as POSIX has them")


@pytest.fixture
def holder(tmp_path):
    """Another process that holds a folder in ``tmp_path``, and that folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    yield process, Path(process.stdout.readline().strip())
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_folder_goes_with_all_that_is_in_it(tmp_path):
    with spills.Folder(tmp_path) as folder:
        (folder / "rows").write_bytes(b"rows")
        assert [p.name for p in tmp_path.iterdir()] == [folder.name]

    assert not list(tmp_path.iterdir())


def test_a_folder_goes_where_the_work_fails(tmp_path):
    with pytest.raises(ZeroDivisionError), spills.Folder(tmp_path):
        raise ZeroDivisionError

    assert not list(tmp_path.iterdir())


@posix
def test_what_a_killed_process_left_is_removed(tmp_path, holder):
    process, left = holder
    assert spills.sweep(tmp_path) == []
    assert (left / "rows").exists(), "its owner lives"

    process.send_signal(signal.SIGKILL)
    process.wait()

    assert spills.sweep(tmp_path) == [left]
    assert not left.exists()


@posix
def test_the_next_folder_at_the_same_place_removes_it_as_well(tmp_path, holder):
    process, left = holder
    process.send_signal(signal.SIGKILL)
    process.wait()

    with spills.Folder(tmp_path) as folder:
        assert list(tmp_path.iterdir()) == [folder]
    assert not left.exists()


def test_folders_of_the_same_process_and_of_others_names_stay(tmp_path):
    (tmp_path / "spill").mkdir()
    with spills.Folder(tmp_path) as one, spills.Folder(tmp_path) as other:
        assert one != other
        assert one.is_dir()

    assert [p.name for p in tmp_path.iterdir()] == ["spill"]


def test_a_link_that_bears_our_name_is_not_followed(tmp_path):
    target = tmp_path / "precious"
    target.mkdir()
    (target / "owner").write_text("")
    where = tmp_path / "spill"
    where.mkdir()
    (where / f"{spills.PREFIX}x").symlink_to(target)

    assert spills.sweep(where) == []
    assert (target / "owner").exists()


def test_a_folder_that_nobody_may_write_to_is_refused(tmp_path):
    with pytest.raises(InputError) as caught:
        spills.Folder(tmp_path / "absent")

    assert caught.value.code == "NF412"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_has_a_code_of_its_own(tmp_path, number):
    error = OSError(number, os.strerror(number))

    assert spills.refusal(error, tmp_path).code == "NF410"
    assert spills.says_full(f"IO Error: Could not write file: {os.strerror(number)}")


ENDED = """
import signal, sys, time
from pathlib import Path
import duckdb
from nofluke.sources import spills

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
spills._PATIENCE = 0.2
how = sys.argv[2]
with spills.removed_on_signals(), spills.Folder(Path(sys.argv[1])) as folder:
    (folder / "rows").write_bytes(b"x" * 1000)
    print(folder, flush=True)
    if how == "computes":
        duckdb.sql("SELECT count(*) FROM range(1000000000000) t(i) WHERE sin(i) > 2").fetchall()
    time.sleep(60)
"""


@posix
@pytest.mark.parametrize("how", ["waits", "computes"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_end_leaves_no_folder(tmp_path, number, how):
    process = subprocess.Popen(
        [sys.executable, "-c", ENDED, str(tmp_path), how],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    process.stdout.readline()
    process.send_signal(number)
    process.wait(timeout=50)
    process.stdout.close()

    assert not list(tmp_path.iterdir())
    assert process.returncode in (128 + number, -number)


@posix
def test_signals_are_as_before_afterwards():
    before = signal.getsignal(signal.SIGTERM)
    with spills.removed_on_signals():
        assert signal.getsignal(signal.SIGTERM) is not before

    assert signal.getsignal(signal.SIGTERM) is before
    assert signal.set_wakeup_fd(-1) == -1
