"""Following a growing file: when it stops, what it says, and how it goes on after a restart."""

import json
import os
from dataclasses import replace

import pytest

from nofluke import ComparisonStream
from nofluke.cli.follow import _progress, follow
from nofluke.errors import InputError, ReadError
from nofluke.questions.watched import answer

HEADER = "item,score_a,score_b\n"


def rows(first, last, gain=0.5):
    """B better on a share of items; the same line for the same number."""
    lines = []
    for i in range(first, last + 1):
        u = i * 0.6180339887498949 % 1
        a, b = (0, 1) if u < gain else (round(u, 3), round(u, 3))
        lines.append(f"q{i},{a},{b}\n")
    return "".join(lines)


class Clock:
    """Time that passes only while one waits, and what happens meanwhile."""

    def __init__(self, *events):
        self.now, self.events = 0.0, list(events)

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        if self.events:
            self.events.pop(0)()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_text(HEADER)
    return path


@pytest.fixture
def ask(file, capsys):
    def ask(*events, path=file, **how):
        clock = Clock(*events)
        how = {"bounds": (0, 1), "better": "higher", "idle": 3, **how}
        code = follow(path, clock=clock, sleep=clock.sleep, **how)
        ask.waited = clock.now
        return code, capsys.readouterr().out

    return ask


def appending(path, text):
    def append():
        with path.open("a") as out:
            out.write(text)

    return append


def expected(last, **how):
    stream = ComparisonStream(bounds=(0, 1), **how)
    for line in rows(1, last).splitlines():
        _, a, b = line.split(",")
        stream.update(float(a), float(b))
    return stream


def test_it_stops_at_the_first_verdict(file, ask):
    events = [appending(file, rows(5 * k + 1, 5 * k + 5)) for k in range(100)]
    code, out = ask(*events, planned=100)

    stream = expected(500, planned=100)
    assert code == 0
    assert f"n={stream.decided_at}  mean" in out
    assert f"decided at item {stream.decided_at}" in out
    assert "an order that has nothing to do with their scores" in out
    assert ask.waited == -(-stream.decided_at // 5)  # not a moment longer


def test_it_stops_when_nothing_comes(file, ask):
    code, out = ask(appending(file, rows(1, 4)), lambda: None, appending(file, rows(5, 6)))
    assert (code, ask.waited) == (0, 6)
    assert "After 6 items there is no verdict yet" in out


def test_ctrl_c_tells_what_is_known(file, ask, tmp_path):
    def interrupt():
        raise KeyboardInterrupt

    how = {"idle": None, "state": tmp_path / "state"}
    code, out = ask(appending(file, rows(1, 4)), lambda: None, interrupt, **how)
    assert code == 130
    assert "After 4 items" in out
    code, out = ask(appending(file, rows(5, 9)), interrupt, **how)
    assert (code, "After 9 items" in out) == (130, True)


def test_json_is_the_whole_answer(file, ask):
    file.write_text(HEADER + rows(1, 60))
    code, out = ask(planned=100, format="json")
    told, stream = json.loads(out), expected(60, planned=100)

    assert code == 0
    assert (told["verdict"], told["decided_at"]) == (stream.verdict, stream.decided_at)
    assert told["question"]["planned"] == 100
    assert told["guarantee"] == "anytime"


def test_a_terminal_is_told_on_the_way(file, ask, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    events = [appending(file, rows(10 * k + 1, 10 * k + 10, gain=0)) for k in range(6)]
    _, out = ask(*events)
    told = [line.split()[0] for line in out.splitlines() if line.startswith("n=")]
    assert told == ["n=10", "n=20", "n=50", "n=60"]


def test_a_restart_goes_on_to_the_same_end(file, ask, tmp_path):
    state = tmp_path / "state.json"
    seen = []
    for last in (3, 3, 7, 60):
        file.write_text(HEADER + rows(1, last))
        code, out = ask(state=state, planned=100, format="json")
        seen.append((code, json.loads(out)))

    once, _ = expected(60, planned=100), state.unlink()
    _, out = ask(planned=100, format="json")
    assert [code for code, _ in seen] == [0, 0, 0, 0]
    assert [told["n"] for _, told in seen] == [3, 3, 7, once.decided_at]
    assert seen[-1][1] == json.loads(out)
    assert [p.name for p in tmp_path.iterdir()] == ["runs.csv"]


def test_a_state_with_a_verdict_is_final(file, ask, tmp_path):
    file.write_text(HEADER + rows(1, 60))
    first = ask(state=tmp_path / "s", planned=100)
    appending(file, rows(61, 90))()
    assert ask(state=tmp_path / "s", planned=100) == first
    assert ask.waited == 0


def test_a_state_of_something_else(file, ask, tmp_path):
    state = tmp_path / "state.json"
    file.write_text(HEADER + rows(1, 4))
    ask(state=state)

    with pytest.raises(InputError, match=r"begun with margin=0.0; a plan is fixed") as refused:
        ask(state=state, margin=0.1)
    assert refused.value.code == "NF020"

    for text in ("", "[]", '{"kind": "x", "schema": 1, "stream": {}, "digest": ""}'):
        (tmp_path / "bad").write_text(text)
        with pytest.raises(InputError) as refused:
            ask(state=tmp_path / "bad")
        assert refused.value.code == "NF020"

    for text, why in (
        (rows(2, 5), "not those that were counted"),
        (rows(1, 3), "it has 3 of the 4 pairs"),
    ):
        file.write_text(HEADER + text)
        with pytest.raises(ReadError, match=why) as refused:
            ask(state=state)
        assert refused.value.code == "NF022"


@pytest.mark.parametrize("how", ["replaced", "shortened", "edited", "gone"])
def test_a_file_that_does_not_only_grow(file, ask, how):
    def spoil():
        if how == "replaced":
            other = file.with_name("other")
            other.write_text(HEADER + rows(1, 9))
            other.replace(file)
        elif how == "shortened":
            os.truncate(file, len(HEADER) + 3)
        elif how == "edited":
            text = file.read_text().replace("q2", "z2")
            with file.open("r+") as out:
                out.write(text + rows(6, 9))
        else:
            file.unlink()

    file.write_text(HEADER + rows(1, 3))
    with pytest.raises(ReadError, match="may only grow") as refused:
        ask(spoil)
    assert refused.value.code == "NF022"


def test_letters_and_lines_that_come_in_pieces(file, ask):
    def bits(data):
        def append():
            with file.open("ab") as out:
                out.write(data)

        return append

    line = "ß€𝄞,0,1\n".encode()
    code, out = ask(*(bits(line[i : i + 1]) for i in range(len(line))))
    assert (code, "After 1 item there" in out) == (0, True)


def test_what_is_wrong_in_a_line_is_told_with_its_place(file, ask):
    file.write_text(HEADER + "q1,0,1\nq2,0,85\n")
    with pytest.raises(ReadError, match=r"line 3, example 'q2': item 2: b=85.0 is not") as refused:
        ask()
    assert (refused.value.code, refused.value.line) == ("NF010", 3)


def test_cautions_reach_the_answer(file, ask):
    file.write_text(HEADER + "".join(f"q{i},{i / 100},{i / 100}\n" for i in range(60)) + "q61,0")
    _, out = ask()
    assert "NF156: the scores of A rise with the order of arrival (correlation 1.00" in out
    assert "NF158: the last line has no end yet" in out


def test_long_files_with_names(file, ask, tmp_path):
    path = tmp_path / "long.jsonl"
    path.write_text(
        "".join(
            json.dumps({"model": model, "id": i, "score": score}) + "\n"
            for i in range(40)
            for model, score in (("old", 0.2), ("new", 0.9))
        )
    )
    code, out = ask(path=path, a="old", b="new", planned=40)
    assert code == 0
    assert "new is better than old" in out
    code, out = ask(path=path, a="new", b="old", planned=40)
    assert "old is not better than new" in out


def test_a_metric_says_which_way_it_points(file, ask):
    file.write_text(HEADER + rows(1, 60))
    _, out = ask(better=None, metric="error_rate", planned=100, format="json")
    assert json.loads(out)["verdict"] == "not better"
    with pytest.raises(InputError, match="not declared"):
        ask(better=None)


def test_a_metric_says_its_bounds(file, ask):
    file.write_text(HEADER + rows(1, 60))
    _, out = ask(better=None, bounds=None, metric="error_rate", planned=100, format="json")
    assert json.loads(out)["question"]["bounds"] == [0, 1]
    with pytest.raises(InputError) as refused:
        ask(bounds=None, metric="latency")
    assert refused.value.code == "NF016"


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ({"bounds": None}, "NF016"),
        ({"poll": -1}, "NF008"),
        ({"idle": -1}, "NF008"),
        ({"format": "csv"}, "NF008"),
        ({"path": "runs.parquet"}, "NF001"),
        ({"path": "nowhere.csv"}, "NF001"),
    ],
)
def test_what_cannot_be_asked(ask, how, code):
    with pytest.raises(InputError) as refused:
        ask(**how)
    assert refused.value.code == code


def test_the_state_may_not_be_the_input(file, ask, tmp_path):
    with pytest.raises(InputError, match="overwrite the input"):
        ask(state=file)
    with pytest.raises(InputError, match="no folder"):
        ask(state=tmp_path / "no" / "state")
    file.write_bytes(HEADER.encode() + b"\xff\n")
    with pytest.raises(ReadError, match="not UTF-8"):
        ask()


def test_the_case_that_tempts_to_stop(shared, ask):
    path = shared / "cases" / "inputs" / "sequential01_stream.csv"
    code, out = ask(path=path, planned=400, format="json")
    told = json.loads(out)
    assert (code, told["verdict"], told["n"]) == (0, "continue", 400)
    assert max(told["evidence"].values()) < 20


def test_evidence_that_falls_short_never_looks_like_enough():
    stream = ComparisonStream(bounds=(0, 1))
    stream.update(0, 1)
    near = replace(answer(stream), evidence={"gain <= 0": 19.996}, needed={"gain <= 0": 20.0})

    assert "gain <= 0: 19.9 of 20" in _progress(near)
