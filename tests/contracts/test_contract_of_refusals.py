"""What the contract asks of files that a reader knows and refuses."""

from pathlib import Path

import pytest

from nofluke.scores.readers import recognition
from nofluke.testing import check_reader

HERE = Path(__file__).parent


def test_a_file_that_is_read_must_not_stand_among_the_refused():
    reader = recognition.named("hyperfine")

    with pytest.raises(AssertionError, match="was to refuse it"):
        check_reader(reader, [], refused=[HERE / "logs" / "hyperfine" / "export.json"])


def test_a_file_that_is_not_known_is_not_refused_either(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"a": 1}')

    with pytest.raises(AssertionError, match="does not know"):
        check_reader(recognition.named("hyperfine"), [], refused=[path])


def test_a_refusal_without_advice_does_not_do(tmp_path):
    class Curt:
        key, title, tool, rows, folders = "curt", "curt", "curt", False, False

        def knows(self, head):
            return "curt" in head.keys

        def read(self, file):
            from nofluke.scores.readers import contents

            raise contents.refusal(file, "no.")

    path = tmp_path / "curt.json"
    path.write_text('{"curt": 1}')

    with pytest.raises(AssertionError, match="without advice"):
        check_reader(Curt(), [], refused=[path])
