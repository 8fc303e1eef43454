"""`nofluke drift`, and with `--monitor` the logs that it watches."""

import csv
import io
import json
import sys

import numpy as np
import pandas as pd
import pytest

import nofluke
from nofluke.cli import drift_monitor, run
from nofluke.drift import watch
from nofluke.errors import InputError

ROLES = "label=died,prediction=risk"


def rows(n, share, seed, wrong=0.0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    odds = 0.25 * np.exp(2 * (rng.normal(size=n) + 2 * y) - 2)
    died = y ^ (rng.random(n) < wrong)
    return pd.DataFrame({"risk": (odds / (1 + odds)).round(4), "died": died.astype(int)})


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows(600, 0.2, 0).to_csv("before.csv", index=False)
    rows(400, 0.5, 1).to_csv("now.csv", index=False)
    log = pd.concat([rows(300, 0.2, 2), rows(300, 0.2, 3, wrong=0.3)])
    log.insert(0, "week", np.repeat(np.arange(1, 13), 50))
    log.to_csv("log.csv", index=False)
    return tmp_path


def ask(capsys, *tokens):
    code = run(["drift", *map(str, tokens)])
    out, err = capsys.readouterr()
    return code, out, err


def watched(capsys, *tokens):
    code, out, err = ask(
        capsys, "before.csv", *tokens, "--columns", f"{ROLES},batch=week", "--monitor",
        "--format", "json",
    )  # fmt: skip
    assert (code, err) == (0, "")
    return json.loads(out)


def test_text(capsys, files):
    code, out, err = ask(capsys, "before.csv", "now.csv", "--columns", ROLES, "--costs", 1, 4)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == (
        "600 rows before, 400 now, 400 of them labelled; flagged from 0.2 on; probability of any "
        "finding without a change: at most 5 %"
    )
    said = " ".join(out.split())
    assert "* Changed: predictors, share of positives. Where nothing has changed" in said
    assert "wrong, of all rows" in said
    assert "PSI without drift" in said


def test_the_forms_say_what_python_says(capsys, files):
    roles = {"label": "died", "prediction": "risk"}
    before, now = (nofluke.read_features(f"{n}.csv", columns=roles) for n in ("before", "now"))
    expected = nofluke.drift_report(before, now)
    given = ("before.csv", "now.csv", "--columns", ROLES, "--format")
    assert ask(capsys, *given, "json")[1] == expected.to_json()
    found = list(csv.DictReader(io.StringIO(ask(capsys, *given, "csv")[1])))
    assert [row["name"] for row in found] == [row["name"] for row in expected.rows()]
    assert "<svg" in ask(capsys, *given, "html")[1]
    assert ask(capsys, *given[:-1], "--quiet")[1].splitlines() == expected.sentences()


def test_a_table_of_now_without_labels_and_named_features(capsys, files):
    pd.read_csv("now.csv").drop(columns="died").assign(id=range(400)).to_csv("raw.csv", index=False)
    code, out, _ = ask(capsys, "before.csv", "raw.csv", "--columns", ROLES, "--features", "risk")
    assert code == 0
    assert "No labelled batches: no row of now has a label" in out


@pytest.mark.parametrize(
    ("tokens", "code", "says"),
    [
        (("before.csv",), "NF295", "1 sources arrived"),
        (("before.csv", "none.csv"), "NF001", "does not exist"),
        (("before.csv", "now.csv", "--rate", "0.1"), "NF295", "--rate needs --monitor"),
        (("before.csv", "log.csv", "--monitor", "--costs", "1", "2"), "NF295", "has no use with"),
        (("before.csv", "--monitor"), "NF295", "no log arrived"),
        (("before.csv", "log.csv", "--monitor", "--clusters", "week"), "NF295", "needs --rate"),
        (("before.csv", "log.csv", "--monitor", "--columns", "label=x"), "NF003", "no column 'x'"),
        (("log.csv", "--rate", "0.1", "--monitor"), "NF295", "a label and a prediction"),
        (("before.csv", "now.csv", "--columns", "lable=died"), "NF295", "roles are label"),
        (("before.csv", "gaps.csv", "--columns", ROLES), "NF295", "1 of 3 rows have no predic"),
    ],
)
def test_refusals(capsys, files, tokens, code, says):
    (files / "gaps.csv").write_text("risk,died\n0.1,0\n,1\n0.3,1\n")
    found, out, err = ask(capsys, *tokens)
    assert (found, out) == (2, "")
    assert err.startswith(code)
    assert says in err


def test_a_log_is_watched_week_by_week(capsys, files):
    told = watched(capsys, "log.csv")
    before, log = pd.read_csv("before.csv"), pd.read_csv("log.csv")
    flags, y = before.risk >= 0.5, before.died == 1
    hand = watch(
        errors=(int((flags != y).sum()), 600),
        positives=(int((~flags & y).sum()), int(y.sum())),
        negatives=(int((flags & ~y).sum()), int((~y).sum())),
    )
    for _, part in log.groupby("week"):
        wrong = (part.risk >= 0.5) != (part.died == 1)
        hand = hand.add(wrong.astype(float), positive=(part.died == 1).to_numpy())
    assert told["rows"] == hand.rows()
    assert (told["alarm"], told["batches"]) == (hand.alarm, 12)
    assert 6 < told["alarm"] <= 10


def test_a_log_that_grows_between_runs_is_gone_on_with(capsys, files):
    whole = watched(capsys, "log.csv")
    header, *lines = (files / "log.csv").read_text().splitlines(keepends=True)
    for end in (120, 150, 400, 600):  # within a week and between two
        (files / "part.csv").write_text(header + "".join(lines[:end]))
        told = watched(capsys, "part.csv", "--state", "s.json")
        assert told["n"] == end
    # A week that was cut by a run is two batches: valid, and not the same.
    assert told["batches"] == 13
    assert told["alarm"] == whole["alarm"] + 1
    again = watched(capsys, "part.csv", "--state", "s.json")
    assert again["rows"] == told["rows"]


def test_files_of_one_batch_each(capsys, files):
    log = pd.read_csv("log.csv")
    names = []
    for week, part in log.groupby("week"):
        names.append(f"w{week:02d}.csv")
        part.to_csv(names[-1], index=False)
    whole = watched(capsys, "log.csv")
    assert watched(capsys, *names)["rows"] == whole["rows"]
    watched(capsys, *names[:5], "--state", "s.json")
    assert watched(capsys, *names[5:], "--state", "s.json")["rows"] == whole["rows"]


def test_a_last_line_without_an_end_and_late_labels(capsys, files):
    text = "week,risk,died\n1,0.9,1\n1,0.2,\n1,0.8,0"
    (files / "few.csv").write_text(text)
    told = watched(capsys, "few.csv", "--state", "s.json")
    assert (told["n"], told["unlabelled"]) == (2, 1)
    assert told["notes"][0].startswith("NF299: 1 rows have no label")
    (files / "few.csv").write_text(text + "\n2,0.9,1\n")
    assert watched(capsys, "few.csv", "--state", "s.json")["n"] == 3


def test_a_log_that_was_changed_and_another_plan_are_refused(capsys, files):
    given = ("before.csv", "log.csv", "--columns", f"{ROLES},batch=week", "--monitor")
    state = ("--state", "s.json")
    assert ask(capsys, *given, *state)[0] == 0
    kept = (files / "s.json").read_text()
    for more in (("--alpha", "0.1"), ("--threshold", "0.4"), ("--batch-size", "7")):
        code, _, err = ask(capsys, *given, *state, *more)
        assert code == 2
        assert err.startswith("NF297")
    text = (files / "log.csv").read_text()
    for wrong in (text.replace(",1\n", ",0\n", 1), text[: len(text) // 2]):
        (files / "log.csv").write_text(wrong)
        code, _, err = ask(capsys, *given, *state)
        assert code == 2
        assert err.startswith("NF022")
    assert (files / "s.json").read_text() == kept
    (files / "s.json").write_text("{}")
    assert ask(capsys, *given, *state)[2].startswith("NF297")


def test_a_rate_and_an_error_column_with_clusters(capsys, files):
    lines = ["patient,error,batch"]
    lines += [f"p{i // 4},{int(i // 4 % 2 == 0)},{i // 20}" for i in range(200)]
    (files / "errors.csv").write_text("\n".join(lines) + "\n")
    given = ("errors.csv", "--monitor", "--rate", "0.2", "--format", "json")
    rowwise = json.loads(ask(capsys, *given)[1])
    told = json.loads(ask(capsys, *given, "--clusters", "patient")[1])

    assert told["rows"][0]["n"] == 50
    assert told["n"] == rowwise["n"] == 200
    assert told["rows"][0]["evidence"] < rowwise["rows"][0]["evidence"]
    assert "cluster" in told["assumes"][0]
    assert "upper limit of before" not in " ".join(told["sentences"])


def test_losses_are_not_called_rows_that_are_wrong(capsys, files):
    (files / "losses.csv").write_text("loss\n" + "0.6\n" * 200)
    given = ("losses.csv", "--monitor", "--rate", "0.2")
    told = json.loads(ask(capsys, *given, "--format", "json", "--report", "watch.html")[1])

    assert told["alarm"]
    said = f"The mean error has been above 0.2: alarm at batch {told['alarm']}."
    assert said in told["sentences"]
    assert "of all rows" not in (files / "watch.html").read_text(encoding="utf-8")
    shown = ask(capsys, *given)[1]
    assert "mean error" in shown
    assert "of all rows" not in shown


def test_errors_by_class_need_labels(capsys, files):
    (files / "errors.csv").write_text("error\n1\n0\n")
    code, _, err = ask(
        capsys, "before.csv", "errors.csv", "--monitor", "--columns", "label=,error=error"
    )
    assert code == 2
    assert err.startswith("NF295")


@pytest.mark.parametrize("line", ["0.7,2", "x,1", "1.2"])
def test_lines_that_cannot_be_used(capsys, files, line):
    (files / "bad.csv").write_text(f"risk,died\n0.4,1\n0.3,0\n{line}\n")
    code, _, err = ask(capsys, "bad.csv", "--monitor", "--rate", "0.1", "--threshold", "0.5",
                       "--columns", ROLES)  # fmt: skip
    assert code == 2
    assert err.startswith(("NF060", "NF295", "NF003"))


def grow(path, parts):
    """A clock and a wait that writes the next part of a log."""
    rest, now = list(parts), [0.0]

    def sleep(seconds):
        now[0] += seconds
        if rest:
            with path.open("a") as log:
                log.write(rest.pop(0))

    return lambda: now[0], sleep


def test_a_growing_log_is_followed_until_the_alarm(capsys, files):
    header, *lines = (files / "log.csv").read_text().splitlines(keepends=True)
    path = files / "live.csv"
    path.write_text(header)
    text = "".join(lines)
    clock, sleep = grow(path, [text[i : i + 500] for i in range(0, len(text), 500)])
    roles = {"label": "died", "prediction": "risk", "batch": "week"}
    how = {"roles": roles, "follow": True, "format": "json", "clock": clock, "sleep": sleep}
    assert drift_monitor.watch(["before.csv", "live.csv"], **how, state="live.json") == 0
    told = json.loads(capsys.readouterr().out)
    whole = watched(capsys, "log.csv")

    assert told["alarm"] == whole["alarm"]
    assert told["batches"] <= whole["alarm"] + 1
    assert path.stat().st_size < (files / "log.csv").stat().st_size
    assert json.loads((files / "live.json").read_text())["watch"]["alarms"]


def test_following_ends_when_nothing_comes_and_an_open_line_is_told(capsys, files):
    path = files / "live.csv"
    path.write_text("risk,died\n0.9,1\n0.8,")
    clock, sleep = grow(path, [])
    roles = {"label": "died", "prediction": "risk"}
    how = {"roles": roles, "follow": True, "idle": 5, "clock": clock, "sleep": sleep}
    assert drift_monitor.watch(["before.csv", "live.csv"], **how) == 0
    out = capsys.readouterr().out
    assert "No alarm after 1 batch with 1 labelled row" in out
    assert "NF299: the last line of live.csv has no end yet" in out


def test_only_the_last_log_of_several_is_still_growing(capsys, files):
    for name in ("first.csv", "live.csv"):
        (files / name).write_text("risk,died\n0.9,1\n0.8,1")
    clock, sleep = grow(files / "live.csv", [])
    roles = {"label": "died", "prediction": "risk"}
    how = {"roles": roles, "follow": True, "idle": 5, "clock": clock, "sleep": sleep}
    assert drift_monitor.watch(["before.csv", "first.csv", "live.csv"], **how) == 0
    out = capsys.readouterr().out
    assert "with 3 labelled rows" in out
    assert out.count("has no end yet") == 1
    assert "the last line of live.csv has no end yet" in out


def test_an_interrupt_keeps_whole_batches(capsys, files):
    path = files / "live.csv"
    path.write_text("week,risk,died\n1,0.9,1\n1,0.8,1\n2,0.7,1\n")

    def sleep(seconds):
        raise KeyboardInterrupt

    roles = {"label": "died", "prediction": "risk", "batch": "week"}
    how = {"roles": roles, "follow": True, "state": "s.json", "format": "json"}
    assert drift_monitor.watch(["before.csv", "live.csv"], **how, sleep=sleep) == 130
    assert json.loads(capsys.readouterr().out)["n"] == 2
    told = watched(capsys, "live.csv", "--state", "s.json")
    assert (told["batches"], told["n"]) == (2, 3)


def test_a_page_of_a_watch(capsys, files):
    given = ("before.csv", "log.csv", "--columns", f"{ROLES},batch=week", "--monitor", "--quiet")
    assert ask(capsys, *given, "--report", "watch.html")[0] == 0
    text = (files / "watch.html").read_text("utf-8")
    assert "Alarm at batch" in text
    assert "missed, of positives" in text


def test_a_reference_without_right_decisions():
    with pytest.raises(InputError):
        drift_monitor.watch([], roles={})


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_at_any_line_counts_no_row_twice_and_loses_none(capsys, files):
    errors, counting = [1, 0, 1, 1], {"_row", "_flush", "count", "save"}
    (files / "errors.csv").write_text("error\n" + "".join(f"{e}\n" for e in errors))
    whole = watch(errors=0.3)
    for e in errors:
        whole = whole.add([e])
    how = {"roles": {}, "rate": 0.3, "state": "s.json", "quiet": True}
    before, cut = sys.gettrace(), []
    for stop in range(1, 400):
        (files / "s.json").unlink(missing_ok=True)
        lines = iter(range(stop))

        def at_line(frame, event, _, lines=lines):
            code = frame.f_code
            if code.co_filename != drift_monitor.__file__ or code.co_name not in counting:
                return None
            if event == "line" and next(lines, None) is None:
                sys.settrace(None)
                raise KeyboardInterrupt
            return at_line

        sys.settrace(at_line)
        try:
            drift_monitor.watch(["errors.csv"], **how)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        if next(lines, None) is not None:  # the run ended before the line came
            break
        if (files / "s.json").exists():
            cut.append(json.loads((files / "s.json").read_text())["watch"]["n"])
        drift_monitor.watch(["errors.csv"], **how)
        kept = json.loads((files / "s.json").read_text())
        assert kept["watch"] == json.loads(whole.to_json())
        assert [log["rows"] for log in kept["logs"].values()] == [len(errors)]
    else:
        raise AssertionError("the run has more lines than were tried")
    assert set(cut) >= set(range(1, len(errors)))


def test_the_positive_class_is_part_of_the_plan(capsys, files):
    (files / "words.csv").write_text("risk,died\n0.9,yes\n0.1,no\n")
    given = ("words.csv", "--monitor", "--rate", "0.2", "--threshold", "0.5", "--columns", ROLES,
             "--state", "s.json")  # fmt: skip
    assert ask(capsys, *given, "--positive", "yes")[0] == 0
    code, _, err = ask(capsys, *given, "--positive", "no")
    assert code == 2
    assert err.startswith("NF297")
    assert "--positive yes" in err


def test_a_column_of_losses_is_not_taken_for_wrong_decisions(capsys, files):
    log = pd.read_csv("log.csv")
    log.assign(loss=0.9).to_csv("losses.csv", index=False)
    assert watched(capsys, "losses.csv")["rows"] == watched(capsys, "log.csv")["rows"]
    code, out, _ = ask(capsys, "losses.csv", "--monitor", "--rate", "0.1", "--columns",
                       "error=loss", "--format", "json")  # fmt: skip
    assert code == 0
    assert json.loads(out)["rows"][0]["errors"] == pytest.approx(0.9 * len(log))
