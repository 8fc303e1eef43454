"""Values of other types than a format has are read or refused, and nothing else happens."""

import copy
import json
import random
import zipfile
from pathlib import Path

import pytest

from nofluke.errors import NoflukeError
from nofluke.scores.readers import files, recognition
from nofluke.scores.readers.workspace import Workspace

LOGS = Path(__file__).parents[2] / "contracts" / "logs"
ODD = (None, 7, -1.5, "x", "", True, [], [[1]], {}, {"a": None})
ROUNDS = 150


def places(value, path=()):
    """Paths of everything inside a value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in inside:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


def changed(value, rng):
    """The value with one part replaced or removed."""
    found = copy.deepcopy(value)
    path = rng.choice(list(places(found)))
    at = found
    for key in path[:-1]:
        at = at[key]
    if isinstance(at, dict) and rng.random() < 0.3:
        del at[path[-1]]
    else:
        at[path[-1]] = rng.choice(ODD)
    return found


def attempt(path):
    with Workspace() as space:
        try:
            file = files.told(path, str(path), space)
            reader = recognition.of_file(file)
            for contents in (False, True) if reader is not None else ():
                list(reader.read(file._replace(contents=contents)))
        except NoflukeError:
            return


@pytest.mark.parametrize(
    "name",
    [
        "lm-eval-results/results_0.4.13.json",
        "inspect-json/toy_0.3.285.json",
        "helm-instances/per_instance_stats.json",
        "helm-stats/stats.json",
    ],
)
def test_documents(name, tmp_path):
    value = json.loads((LOGS / name).read_text())
    rng = random.Random(5)  # noqa: S311
    for _ in range(ROUNDS):
        path = tmp_path / Path(name).name
        path.write_text(json.dumps(changed(value, rng)))
        attempt(path)


@pytest.mark.parametrize("listed", [False, True])
def test_rows(listed, tmp_path):
    path = LOGS / "lm-eval-samples" / "samples_toy_sums_0.4.13.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()][:3]
    results = json.loads((LOGS / "lm-eval-results" / "results_0.4.13.json").read_text())
    rng = random.Random(6)  # noqa: S311
    time = "2026-01-05T10-00-00"
    for _ in range(ROUNDS):
        odd = changed(rows, rng)
        lines = "".join(json.dumps(row) + "\n" for row in odd)
        path = tmp_path / f"samples_toy_sums_{time}.jsonl"
        path.write_text(json.dumps(odd) if listed else lines)
        (tmp_path / f"results_{time}.json").write_text(json.dumps(changed(results, rng)))
        attempt(path)


def test_members(tmp_path):
    said = json.loads((LOGS / "inspect-json" / "toy_0.3.285.json").read_text())
    parts = {
        "header.json": {k: v for k, v in said.items() if k not in ("samples", "reductions")},
        "summaries.json": said["samples"],
        "reductions.json": said["reductions"],
        "samples/1_epoch_1.json": said["samples"][0],
    }
    rng = random.Random(7)  # noqa: S311
    for _ in range(ROUNDS):
        odd = rng.choice(list(parts))
        path = tmp_path / "log.eval"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("_journal/start.json", "{}")
            for name, part in parts.items():
                archive.writestr(name, json.dumps(changed(part, rng) if name == odd else part))
        attempt(path)
