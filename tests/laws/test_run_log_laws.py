"""One history, written as several tools write it, is read as one and the same."""

import csv
import json
import math
import struct
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from read_cells import cells

from nofluke.errors import InputError
from nofluke.scores.readers import read

STEPS = st.integers(0, 1 << 40)
HISTORIES = st.dictionaries(STEPS, st.floats(width=32), min_size=2, max_size=6)
WITHOUT_NAN = st.dictionaries(STEPS, st.floats(width=32, allow_nan=False), min_size=2, max_size=6)


def crc32c(data):
    """CRC-32C bit by bit, as its polynomial says."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def record(data):
    def masked(part):
        crc = crc32c(part)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes([*out, n])


def events(history):
    yield record(b"\x1a\x0dbrain.Event:2")
    for step, value in history.items():
        one = b"\x0a\x04loss\x15" + struct.pack("<f", value)
        summary = b"\x0a" + varint(len(one)) + one
        yield record(b"\x10" + varint(step) + b"\x2a" + varint(len(summary)) + summary)


def written(folder, history):
    """The history as each tool writes it."""
    (folder / "events").write_bytes(b"".join(events(history)))
    with (folder / "metrics.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(
            [["epoch", "step", "loss"], *((0, *i) for i in history.items())]
        )
    rows = [{"step": step, "loss": value} for step, value in history.items()]
    state = {"best_metric": None, "epoch": 1, "global_step": 1, "log_history": rows}
    (folder / "trainer_state.json").write_text(json.dumps(state))
    run = folder / "run"
    (run / "metrics").mkdir(parents=True)
    (run / "meta.yaml").write_text("run_id: run\nstatus: 3\nlifecycle_stage: active\n")
    lines = [f"{i} {value!r} {step}\n" for i, (step, value) in enumerate(history.items())]
    (run / "metrics" / "loss").write_text("".join(lines))
    return [folder / name for name in ("events", "metrics.csv", "trainer_state.json", "run")]


def values(path, where=None):
    """What is read; nothing where there is no score."""
    try:
        return list(cells(read(path, where=where)).values())
    except InputError as error:
        if "no row that is read has a score" in str(error):
            return []
        raise


@settings(max_examples=25, deadline=None)
@given(history=HISTORIES, data=st.data())
def test_one_history_is_read_alike_from_every_tool(history, data):
    history = dict(sorted(history.items()))
    step = data.draw(st.sampled_from(list(history)))
    with tempfile.TemporaryDirectory() as folder:
        for path in written(Path(folder), history):
            last, there = list(history.values())[-1], history[step]
            assert values(path) == [v for v in [last] if not math.isnan(v)]
            assert values(path, {"step": str(step)}) == [v for v in [there] if not math.isnan(v)]


@settings(max_examples=60, deadline=None)
@given(history=WITHOUT_NAN, at=st.integers(0, 1 << 20), flip=st.integers(1, 255))
def test_a_changed_byte_of_events_is_always_found(history, at, flip):
    data = bytearray(b"".join(events(history)))
    data[at % len(data)] ^= flip
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events"
        path.write_bytes(data)
        try:
            read(path, reader="tensorboard-events", where={"step": "last"})
        except InputError:
            return
    raise AssertionError(at % len(data))
