"""The notebooks of the documentation, run in a kernel of their own."""

import json
import os
import sys
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
NAMES = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
#: Which cells show a page or a table of ours (not a data frame's own), and which a picture.
SHOWN = {
    "classifier-card": (
        ["nofluke predictions", "nofluke classifier ·", "nofluke area interval"],
        1,
    ),
    "first-certificate": (["nofluke scores", "nofluke certify"], 2),
    "is-b-better": (["nofluke scores", "nofluke compare", "nofluke sample_size"], 1),
}


def read(name):
    return json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))


def test_there_is_an_expectation_for_every_notebook():
    assert sorted(SHOWN) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_kept_without_outputs(name):
    for cell in read(name)["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None


@pytest.fixture
def kernel_home(tmp_path, monkeypatch):
    """A place for the kernel's files, and our source for its imports."""
    for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    source = str(Path(__file__).parents[2] / "src")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("NOFLUKE_CACHE", str(tmp_path / "cache"))


def html_of(cell):
    for output in cell.get("outputs", []):
        if output["output_type"] in {"execute_result", "display_data"}:
            yield "".join(output["data"].get("text/html", ""))


@pytest.mark.skipif(sys.platform == "win32", reason="kernels need another event loop there")
@pytest.mark.filterwarnings("default")  # of the machinery that runs kernels, which is not ours
@pytest.mark.usefixtures("kernel_home")
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs_and_shows_tables_answers_and_pictures(name):
    nbclient = pytest.importorskip("nbclient", reason="notebooks are run by nbclient")
    nbformat = pytest.importorskip("nbformat", reason="notebooks are read by nbformat")
    pytest.importorskip("ipykernel", reason="notebooks need the kernel of IPython")
    book = nbformat.reads(json.dumps(read(name)), as_version=4)

    nbclient.NotebookClient(
        book, timeout=120, resources={"metadata": {"path": str(NOTEBOOKS)}}
    ).execute()

    shown = [html for cell in book.cells for html in html_of(cell) if html]
    pages = [html for html in shown if 'class="nofluke"' in html]
    pictures = [html for html in shown if 'class="nofluke"' not in html and "<svg" in html]
    wanted, n_pictures = SHOWN[name]
    assert len(pages) == len(wanted)
    for html, words in zip(pages, wanted, strict=True):
        assert words in html
    assert len(pictures) == n_pictures
    assert not any("<script>" in html or "http://" in html.replace("http://www.w3.org", "")
                   for html in shown)  # fmt: skip
