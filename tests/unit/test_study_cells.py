"""Studies that are stopped: killed, without room, asked anew."""

import contextlib
import json
import resource
import signal
import subprocess
import sys
import textwrap
import time
import types
from pathlib import Path

import numpy as np
import pytest

from nofluke import studies
from nofluke.cli import run
from nofluke.errors import InputError
from nofluke.studies import cells, engine, files
from nofluke.studies.engine import Part, Study

# Measures cells 0 to 7 and says which; stops for good at the cell that is named.
PROGRAM = textwrap.dedent("""
    import json, sys, time
    from pathlib import Path
    from nofluke.errors import InputError
    from nofluke.studies import cells, engine

    def draw(cell, rng):
        if cell == int(sys.argv[2]):
            time.sleep(600)
        print(cell, file=sys.stderr, flush=True)
        return [{"cell": cell, "x": float(rng.random()), "text": "x" * 400}]

    try:
        with cells.kept(Path(sys.argv[1]), {"seed": 3}):
            print(json.dumps(engine.run({"t": engine.Part(draw, range(8))}, seed=3, workers=1)))
    except InputError as error:
        sys.exit(f"{error.code} {error}")
""")


def started(path, stop=-1, **how):
    command = [sys.executable, "-c", PROGRAM, str(path), str(stop)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, **how)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What is printed by one that nobody stops."""
    out, err = started(tmp_path_factory.mktemp("whole") / "c.jsonl").communicate()
    assert err.split() == list("01234567")
    return out


def test_a_study_that_was_killed_measures_what_is_missing(tmp_path, whole):
    path = tmp_path / "c.jsonl"
    process = started(path, stop=5)
    while not path.exists() or path.read_bytes().count(b"\n") < 6:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with path.open("ab") as file:
        file.write(b'{"cell": "[3, \\"t\\"')  # as if it had been killed while it wrote

    out, err = started(path).communicate()
    assert err.split() == list("567")
    assert out == whole


def test_a_study_without_room_says_so_and_goes_on_when_there_is(tmp_path, whole):
    path = tmp_path / "c.jsonl"

    def little():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    process = started(path, preexec_fn=little)
    out, err = process.communicate()
    assert (process.returncode, out) == (1, "")
    said = err.splitlines()[-1]
    assert said.startswith(f"NF422 finished cells cannot be written to {path} (File too large); ")
    kept = int(said.split(" are kept")[0].rsplit(" ", 1)[1])
    assert 0 < kept < 7
    assert path.read_bytes().endswith(b"}]}\n")  # no half of a line

    out, err = started(path).communicate()
    assert err.split() == list("01234567")[kept:]
    assert out == whole


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_workers_of_a_study_that_was_killed_end_too(tmp_path):
    program = textwrap.dedent("""
        import os, sys
        from nofluke import workers

        def large(number):
            os.write(2, b"one\\n")
            return "x" * 1_000_000  # more than a pipe takes while nobody reads

        if __name__ == "__main__":
            with workers.on("loky", workers=2):
                for _ in workers.each(large, ((i,) for i in range(1000))):
                    sys.stdin.read()
    """)
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", program], **pipes)
    process.stderr.readline()
    while len(children := children_of(process.pid)) < 2:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    until = time.monotonic() + 30
    while any(is_running(child) for child in children):
        assert time.monotonic() < until, "the workers wait for a parent that is gone"
        time.sleep(0.1)
    process.stderr.close()
    process.stdin.close()


def children_of(pid):
    """Processes that compute, not those that only tidy up after them."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parent = (folder / "stat").read_text().rsplit(") ", 1)[1].split()[1]
            if int(parent) == pid and b"popen_loky" in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
    return found


def is_running(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    return False


def study_of(samples, *, page="page\n", rows=3):
    return Study(
        paper="tiny",
        tables={"a": [{"x": i / 7} for i in range(rows)], "b": [{"y": samples}]},
        claims=(),
        manifest={"samples": samples, "command": "nofluke reproduce tiny"},
        page=page,
        summary="Of 0 claims.",
    )


def contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")}


def test_without_room_for_all_tables_none_is_changed(tmp_path):
    files.write(study_of(1), tmp_path)
    before = contents(tmp_path)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
    try:
        with pytest.raises(InputError, match=r"\(File too large\), and none was changed") as caught:
            files.write(study_of(2, rows=1000), tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert caught.value.code == "NF422"
    assert contents(tmp_path) == before
    assert {"tiny.md", "tiny/a.csv", "tiny/b.csv", "tiny/manifest.json"} == set(before)


def test_a_manifest_never_stands_beside_tables_of_another_run(tmp_path):
    files.write(study_of(1), tmp_path)
    (tmp_path / "tiny" / "b.csv").unlink()
    (tmp_path / "tiny" / "b.csv").mkdir()  # nothing can take its place
    with pytest.raises(InputError, match="so that there is no manifest"):
        files.write(study_of(2), tmp_path)
    assert not (tmp_path / "tiny" / "manifest.json").exists()


@pytest.fixture
def tiny(monkeypatch):
    """A study of four cells; its list tells which were measured."""
    measured = []

    def draw(cell, rng):
        measured.append(cell)
        if cell == tiny.stop:
            raise KeyboardInterrupt
        return [{"cell": cell, "x": rng.random()}]

    def study(*, samples, seed, workers):
        tables = engine.run({"t": Part(draw, range(4))}, seed=seed, workers=workers)
        return Study(
            paper="tiny",
            tables=tables,
            claims=(),
            manifest=engine.manifest("tiny", samples=samples, seed=seed),
            page="page\n",
            summary="Of 0 claims.",
        )

    module = types.ModuleType("tiny.study")
    module.study = study
    monkeypatch.setitem(sys.modules, "tiny", types.ModuleType("tiny"))
    monkeypatch.setitem(sys.modules, "tiny.study", module)
    monkeypatch.setitem(studies.STUDIES, "tiny", studies.Paper("tiny", "four cells", "no time"))
    # It makes no claims, so the list of all claims cannot be made while it is there.
    monkeypatch.setattr("nofluke.studies.catalogue.markdown", lambda: "all claims\n")
    tiny = types.SimpleNamespace(measured=measured, stop=None)
    return tiny


def test_the_command_goes_on_where_it_was_and_leaves_no_cells_behind(tiny, tmp_path, capsys):
    asked = ["reproduce", "tiny", "--workers", "1", "--out"]
    assert run([*asked, str(tmp_path / "whole")]) == 0
    tiny.stop, tiny.measured[:] = 2, []
    assert run([*asked, str(tmp_path / "again")]) == 130
    assert list(contents(tmp_path / "again")) == ["tiny.cells.jsonl"]
    tiny.stop, tiny.measured[:] = None, []
    capsys.readouterr()

    assert run([*asked, str(tmp_path / "again")]) == 0
    assert tiny.measured == [2, 3]
    assert "tiny.cells.jsonl holds is not simulated again" in capsys.readouterr().err
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")


@pytest.mark.parametrize(
    ("how", "changed"),
    [
        ({"seed": 2}, "'seed' is not as before"),
        ({"samples": 300}, "'samples' is not as before"),
        ({"paper": "quantiles"}, "'paper' is not as before"),
    ],
)
def test_cells_of_another_study_are_refused_before_anything_is_measured(
    tiny, tmp_path, how, changed
):
    path = tmp_path / "c.jsonl"
    studies.reproduce("tiny", samples=200, seed=1, path=path)
    tiny.measured[:] = []
    asked = {"paper": "tiny", "samples": 200, "seed": 1, **how}
    with pytest.raises(InputError, match=changed) as caught:
        studies.reproduce(asked.pop("paper"), path=path, **asked)
    assert caught.value.code == "NF048"
    assert tiny.measured == []


@pytest.mark.parametrize("what", ["numpy", "code"])
def test_cells_of_another_version_are_refused(tiny, tmp_path, monkeypatch, what):
    path = tmp_path / "c.jsonl"
    studies.reproduce("tiny", samples=200, path=path)
    before = engine.manifest
    monkeypatch.setattr(engine, "manifest", lambda *a, **k: {**before(*a, **k), what: "0.1"})
    with pytest.raises(InputError, match=f"'{what}' is not as before") as caught:
        studies.reproduce("tiny", samples=200, path=path)
    assert caught.value.code == "NF048"


def test_another_file_is_not_written_over(tiny, tmp_path):
    path = tmp_path / "c.jsonl"
    path.write_text("mine\n")
    with pytest.raises(InputError, match="is not a file of finished cells") as caught:
        studies.reproduce("tiny", samples=200, path=path)
    assert caught.value.code == "NF048"
    assert path.read_text() == "mine\n"


def test_kept_cells_and_fresh_ones_read_alike(tiny, tmp_path):
    path = tmp_path / "c.jsonl"
    fresh = studies.reproduce("tiny", samples=200)
    kept = studies.reproduce("tiny", samples=200, path=path)
    tiny.measured[:] = []
    again = studies.reproduce("tiny", samples=200, path=path)

    assert tiny.measured == []
    assert fresh == kept == again
    rows = [{"n": np.int64(3), "x": np.float64(0.1), "yes": np.bool_(1), "no": None, "to": np.inf}]
    plain = cells.plain(rows)
    assert plain == [{"n": 3, "x": 0.1, "yes": True, "no": None, "to": float("inf")}]
    assert [type(v) for v in plain[0].values()] == [int, float, bool, type(None), float]
    with pytest.raises(TypeError, match="holds numbers, texts"):
        cells.plain([{"x": np.zeros(2)}])


def test_a_cell_is_known_by_seed_table_measure_and_text():
    def other(cell, rng):
        return []

    draw = test_a_cell_is_known_by_seed_table_measure_and_text
    keys = [cells.key(*k) for k in [(1, "t", draw, 2), (2, "t", draw, 2), (1, "s", draw, 2)]]
    keys += [cells.key(1, "t", other, 2), cells.key(1, "t", draw, 3)]
    assert len(set(keys)) == 5
    assert json.loads(keys[0])[:2] == [1, "t"]


def test_the_digest_of_the_code_is_of_all_of_it():
    assert len(engine.code()) == 64
    assert engine.manifest("x", samples=1, seed=0)["code"] == engine.code()
