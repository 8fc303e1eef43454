"""hyperfine: commands as candidates, runs that failed, times without runs."""

import json
import shutil
import subprocess

import pytest

from nofluke import read
from nofluke.errors import InputError


def result(command="sleep", times=(0.5, 0.25), **changed):
    return {
        "command": command,
        "mean": 0.375,
        "user": 0.1,
        "system": 0.1,
        "times": list(times),
        "exit_codes": [0] * len(times),
        **changed,
    }


@pytest.fixture
def written(tmp_path):
    def write(*results):
        path = tmp_path / "export.json"
        path.write_text(json.dumps({"results": list(results)}))
        return path

    return write


def test_each_command_is_a_candidate(written):
    scores = read(written(result("a"), result("b", (1.0, 0.0))))

    assert scores.candidates == ("a", "b")
    # hyperfine takes the start of the shell away and writes 0 where nothing is left.
    assert scores.matrix().tolist() == [[0.5, 0.25], [1.0, 0.0]]


def test_a_command_that_failed_early_is_not_fast(written):
    scores = read(written(result(times=(0.5, 0.001, 0.002), exit_codes=[0, 1, None])))

    assert scores.values.tolist() == [0.5, float("inf"), float("inf")]
    assert any("exit code 1: 1" in n and "by a signal: 1" in n for n in scores.notes)


def test_parameters_tell_equal_commands_apart(written):
    path = written(
        result("run", parameters={"threads": "1"}), result("run", parameters={"threads": "2"})
    )

    assert read(path).candidates == ("run (threads=1)", "run (threads=2)")


def test_the_same_command_twice_is_refused(written):
    with pytest.raises(InputError, match="both hold example"):
        read(written(result("run"), result("run")))


def test_means_without_times_are_refused(written):
    without = result()
    del without["times"]

    with pytest.raises(InputError, match="--export-json"):
        read(written(without))


def test_exit_codes_of_another_length_are_refused(written):
    with pytest.raises(InputError, match=r"times and 1 exit codes, and.*anew"):
        read(written(result(exit_codes=[0])))


def test_old_exports_have_no_exit_codes(written):
    without = result()
    del without["exit_codes"]

    assert read(written(without)).n_failed.tolist() == [0]


def test_what_the_tool_writes_today_is_read(tmp_path):
    tool = shutil.which("hyperfine")
    if tool is None:
        pytest.skip("hyperfine is not installed")
    out = tmp_path / "out.json"
    words = ["--runs", "3", "--shell=none", "--export-json", str(out), "true", "false"]
    subprocess.run([tool, "--ignore-failure", *words], check=True, capture_output=True)

    told = {row["command"]: row["times"] for row in json.loads(out.read_text())["results"]}
    scores = read(out)

    assert scores.candidates == ("false", "true")
    assert scores.n_failed.tolist() == [3, 0]
    assert sorted(scores.values[scores.starts[1] :].tolist()) == sorted(told["true"])
