"""Every reader of a log keeps the contract, on fixtures here and on real files where they are."""

from pathlib import Path

import pytest

from nofluke.scores.readers import recognition
from nofluke.testing import check_reader

FIXTURES = Path(__file__).parent / "logs"
REFUSED = Path(__file__).parent / "refused"
READERS = {reader.key: reader for reader in recognition.readers()}


@pytest.mark.parametrize("key", READERS)
def test_every_reader_keeps_the_contract(key):
    # One folder for each reader, named by its key, with small logs as its tool writes them; what
    # a reader knows in order to say why it cannot be used lies in a folder of its own.
    samples, refused = _inside(FIXTURES / key), _inside(REFUSED / key)
    assert samples or refused, f"no fixture for {key}"
    check_reader(READERS[key], samples, refused=refused)


def test_no_fixture_is_known_by_two_readers():
    for key in READERS:
        for path in [*_inside(FIXTURES / key), *_inside(REFUSED / key)]:
            from nofluke.scores.readers import files
            from nofluke.scores.readers.workspace import Workspace

            with Workspace() as space:
                if path.is_dir():
                    found = recognition.of_folder(path)
                else:
                    found = recognition.of_file(files.told(path, str(path), space))
            assert found is not None, path
            assert found.key == key, path


def _inside(folder):
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if not p.name.startswith("."))
