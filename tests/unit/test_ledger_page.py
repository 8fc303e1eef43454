"""The pictures and the pages of a ledger and of its check."""

import json
import re

import pytest

import nofluke
from nofluke import plots
from nofluke.errors import HoldoutError
from nofluke.ledger import Ledger, asked
from nofluke.ledger.fingerprints import marks
from nofluke.report import page

HOSTILE = "<script>alert(1)</script> $x$"
ROWS = nofluke.Predictions.from_arrays(
    [0, 1, 0, 1], {"a": [0.1, 0.4, 0.2, 0.3], "b": [0.2, 0.3, 0.4, 0.1]}, positive=1
)


@pytest.fixture
def book(tmp_path):
    with Ledger.begin(tmp_path / "ledger.jsonl", name=HOSTILE, who=HOSTILE) as ledger:
        yield ledger


@pytest.fixture
def busy(book):
    """Entries: 1 init, 2 data, 3 refused, 4 freeze, 5-6 look, 7-8 failed, 9 attempt, 10 note."""
    book.register(ROWS, name=HOSTILE)
    with pytest.raises(HoldoutError):
        asked(nofluke.champion, ROWS, ledger=book)
    book.freeze(pipeline="2d47872")
    asked(repr, ROWS, ledger=book)
    with pytest.raises(ZeroDivisionError):
        asked(lambda rows: 1 / 0, ROWS, ledger=book)
    book.attempt("left open", [marks(ROWS)], {})
    book.record("note", text=HOSTILE)
    return book


def marked(ax, kind):
    return [(int(x.get_xdata()[0]), int(x.get_ydata()[0])) for x in ax.lines if x.get_gid() == kind]


def test_every_entry_is_drawn_in_its_lane(busy):
    ax = plots.draw(busy.report())
    assert marked(ax, "data") == [(2, 1)]
    assert marked(ax, "refused") == [(3, 1)]
    assert marked(ax, "attempt") == [(5, 1), (7, 1), (9, 1)]
    assert marked(ax, "look") == [(6, 1)]
    assert marked(ax, "failed") == [(8, 1)]
    assert marked(ax, "init") + marked(ax, "note") == [(1, 0), (10, 0)]
    (frozen,) = (x for x in ax.lines if x.get_gid() == "freeze")
    assert set(frozen.get_xdata()) == {4}
    assert "descriptive" in ax.get_title(loc="left")


def test_many_rows_are_drawn_as_far_as_there_is_room(book):
    for k in range(15):
        asked(len, [float(k)], ledger=book)
    ax = plots.draw(book.report())
    assert len(ax.get_yticks()) == 13
    assert any("3 sets of rows are not drawn" in t.get_text() for t in ax.texts)


def test_one_entry_is_drawn(book):
    assert marked(plots.draw(book.report()), "init") == [(1, 0)]
    assert plots.draw(book.verify()).get_title(loc="left").endswith("nothing found\ndescriptive")


def test_the_chain_shows_faults_and_heads(busy, tmp_path):
    kept = busy.head
    place = tmp_path / "ledger.jsonl"
    lines = place.read_bytes().splitlines(keepends=True)
    place.write_bytes(b"".join(lines[:3] + lines[4:9]))
    ax = plots.draw(busy.verify(heads=[kept]))
    drawn = {x.get_label(): x for x in ax.lines}
    assert list(drawn["chain"].get_xdata()) == [1, 8]
    assert list(drawn["faults"].get_xdata()) == [4, 9]
    assert list(drawn["heads kept"].get_xdata()) == [10]
    assert ax.get_xlim()[1] > 10


def test_the_page_of_a_ledger_runs_no_script(busy):
    report = busy.report()
    text = page(report)
    assert "alert(1)</script>" not in text
    assert re.search(r"\d of 15 parts can no longer be known \(descriptive\)", text)
    for row in report.parts:
        assert row["part"] in text
    inside = re.search(r'class="nofluke-result">(.*?)</script>', text, re.DOTALL)
    said = json.loads(inside[1])
    assert (said["kind"], said["head"], said["n"]) == ("ledger", busy.head, 10)
    assert said["sets"][0]["state"] == "spent"
    assert [line["seq"] for line in said["timeline"]] == list(range(1, 11))


def test_the_page_of_a_check_runs_no_script(busy, tmp_path):
    assert "10 stored: nothing found" in page(busy.verify())
    place = tmp_path / "ledger.jsonl"
    place.write_bytes(place.read_bytes().replace(b'"left open"', b'"left shut"'))
    text = page(busy.verify())
    assert "1 fault: not as it was written" in text
    assert "alert(1)</script>" not in text
