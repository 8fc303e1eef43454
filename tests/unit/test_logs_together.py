"""Several logs in one table: one metric, one unit, and no candidate that is lost unseen."""

import json

import pytest

from nofluke import read
from nofluke.errors import InputError
from nofluke.scores.readers import chosen, log_names
from nofluke.scores.readers.columns import Name
from nofluke.scores.readers.files import told
from nofluke.scores.readers.logs import Log
from nofluke.scores.readers.workspace import Workspace


class Reader:
    key, title, tool, rows, folders = "toy", "toy log", "toy", True, False


@pytest.fixture
def found(tmp_path):
    def make(*logs):
        with Workspace() as space:
            for i, (name, log) in enumerate(logs):
                path = tmp_path / name
                path.write_text("{}")
                yield log_names.Found(log, told(path, name, space), Reader(), Name(f"c{i}"))

    return lambda *logs: list(make(*logs))


def log(metric="time", unit=None, usual=None):
    return Log(
        candidate=None,
        example=[1, 2],
        scores={metric: [0.5, 0.25]},
        units={} if unit is None else {metric: unit},
        usual=usual,
    )


def test_seconds_and_milliseconds_are_never_mixed(found):
    logs = found(("a.json", log(unit="s")), ("b.json", log(unit="ms")))

    with pytest.raises(InputError, match="not in one unit: a.json in s, b.json in ms"):
        chosen.tables(logs, None, {})


def test_the_unit_is_told(found):
    picked = chosen.tables(found(("a.json", log(unit="s"))), None, {})

    assert "NF319: 'time' is in s, as the log has it." in picked.notes


def test_a_file_without_the_metric_is_told(found):
    logs = found(("a.json", log()), ("b.json", log("other")))

    picked = chosen.tables(logs, "time", {})

    assert "NF269: not read, as they have no metric 'time': 'b.json'." in picked.notes


def test_what_a_tool_leads_with_holds_for_the_whole_file(found):
    logs = found(("a.json", log(usual="time")), ("a.json", log("other")))

    picked = chosen.tables(logs, None, {})

    assert picked.metric == "time"
    assert not any(note.startswith("NF269") for note in picked.notes)


def test_appended_documents_are_values_of_one_file(tmp_path):
    # The first as a document on several lines is one value; one on each line are several.
    result = {
        "completed": 1,
        "duration": 1.0,
        "request_throughput": 1.0,
        "total_input_tokens": 1,
        "ttfts": [0.5],
        "itls": [[]],
        "errors": [""],
        "output_lens": [1],
    }
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(result, indent=4))

    assert read(path, metric="ttft").values.tolist() == [0.5]
