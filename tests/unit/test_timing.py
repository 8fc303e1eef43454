"""Timing of benchmarks: failures are told, the slow is stopped, memory is the command's own."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = [sys.executable, "-I", "-S", "-c"]


@pytest.fixture(scope="module")
def timing():
    spec = importlib.util.spec_from_file_location("timing", ROOT / "benchmarks/timing.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_processes_take_turns_and_those_that_fail_say_why(timing):
    found = timing.processes(
        {
            "idle": [*PYTHON, "pass"],
            "finding": [*PYTHON, "raise SystemExit(2)"],
            "broken": [*PYTHON, "raise SystemExit('no such file')"],
            "endless": [*PYTHON, "while True: pass"],
            "missing": ["no-such-command-anywhere"],
        },
        1,
        limit=3,
        answered={"finding": (0, 2)},
    )

    assert found["idle"].rounds == found["finding"].rounds == 1
    assert found["broken"] == "exit code 1: no such file"
    assert found["endless"] == "stopped after 3 s"
    assert "no-such-command-anywhere" in found["missing"]


def test_memory_is_that_of_the_command(timing):
    hoard = [b"x" * 2**20 for _ in range(200)]
    found = timing.process([*PYTHON, "pass"], 1)

    assert len(hoard) == 200
    assert 2 < found.memory < 60
    assert 0 < found.cpu < found.wall + 1


def test_a_command_alone_that_fails_raises(timing):
    with pytest.raises(timing.FailedError, match="exit code 3"):
        timing.process([*PYTHON, "raise SystemExit(3)"], 1)


def test_calls_keep_their_answers_and_their_complaints(timing):
    def wrong():
        raise ValueError("of no use")

    found = timing.calls({"one": lambda: 1, "wrong": wrong}, seconds=0.01)

    assert found["one"].answer == 1
    assert found["one"].rounds >= 1
    assert 0 < found["one"].wall < 1e-3
    assert found["wrong"] == "ValueError: of no use"


def test_what_is_long_is_called_twice_only(timing, monkeypatch):
    monkeypatch.setattr(timing, "LONG", 0)
    asked = []

    found = timing.calls({"slow": lambda: asked.append(1)}, seconds=0.0)

    assert len(asked) == 2
    assert found["slow"].rounds == 1
