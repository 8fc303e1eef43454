"""TensorBoard: records, checksums and scalars, of each kind that writers use."""

import math
import shutil
import struct

import pytest
from read_cells import LOGS, cells

from nofluke.errors import InputError
from nofluke.scores.readers import read

EVENTS = LOGS / "tensorboard-events"
# What TensorBoard 2.21 itself reads in the file (EventAccumulator), by tag.
KNOWN = {
    "f16": [0.5, -1.5, 2.5, -3.5],
    "f32": [0.5, -1.5, 2.5, -3.5],
    "f64": [0.5, -1.5, 2.5, -3.5],
    "i32": [-1, -2, -3, -4],
    "i64": [-1, -2, -3, -4],
    "dv": [0.0, 1.25, 2.5, 3.75],
    "iv": [0, -1, -2, -3],
    "fv": [0.0, 0.25, 0.5, 0.75],
}


@pytest.mark.parametrize("tag", KNOWN)
def test_tensors_of_each_type_are_scalars(tag):
    path = EVENTS / "tensorboard-2.21"

    at_steps = [read(path, metric=tag, where={"step": str(i)}) for i in range(4)]
    found = [v for scores in [*at_steps, read(path, metric=tag)] for v in scores.values]

    assert found == [*KNOWN[tag], KNOWN[tag][-1]]


def test_vectors_and_histograms_are_no_scalars():
    for path in EVENTS.iterdir():
        with pytest.raises(InputError, match="choose one") as caught:
            read(path)
        assert not {"'vec'", "'h'", "'note"} & set(str(caught.value).split())


def test_simple_values_are_the_numbers_that_were_written():
    scores = read(EVENTS / "tensorboardX-2.6", metric="loss")

    assert list(cells(scores).values()) == [struct.unpack("<f", struct.pack("<f", 0.2))[0]]
    assert scores.better == "lower"


def test_a_last_value_that_is_none_is_no_score():
    with pytest.raises(InputError, match="not a number"):
        read(EVENTS / "tensorboard-2.21", metric="old")


def test_a_restarted_run_is_one_run(tmp_path):
    path = EVENTS / "tensorboardX-2.6"
    for time in ("1", "2"):
        shutil.copy(path, tmp_path / f"events.out.tfevents.{time}.host")

    assert len(cells(read(tmp_path, metric="loss"))) == 1


def test_folders_of_runs_are_runs(tmp_path):
    for name in ("a", "b"):
        (tmp_path / "logs" / name).mkdir(parents=True)
        shutil.copy(
            EVENTS / "tensorboardX-2.6", tmp_path / "logs" / name / "events.out.tfevents.1.host"
        )

    assert read(tmp_path / "logs", metric="loss").candidates == ("a", "b")


def test_a_file_that_is_cut_off_is_refused(tmp_path):
    path = tmp_path / "events"
    path.write_bytes((EVENTS / "tensorboardX-2.6").read_bytes()[:-3])

    with pytest.raises(InputError, match="ends within record"):
        read(path)


def test_a_wrong_byte_is_found_by_the_checksum(tmp_path):
    data = bytearray((EVENTS / "tensorboardX-2.6").read_bytes())
    data[200] ^= 1
    path = tmp_path / "events"
    path.write_bytes(data)

    with pytest.raises(InputError, match="wrong checksum"):
        read(path)


def test_events_made_afresh_are_read(tmp_path):
    writer = pytest.importorskip("tensorboardX").SummaryWriter(str(tmp_path / "run"))
    for step in range(300):
        writer.add_scalar("acc", math.sin(step), step)
    writer.close()

    assert list(cells(read(tmp_path)).values()) == [pytest.approx(math.sin(299), rel=1e-6)]
    assert list(cells(read(tmp_path, where={"step": "200"})).values()) == [
        pytest.approx(math.sin(200), rel=1e-6)
    ]
