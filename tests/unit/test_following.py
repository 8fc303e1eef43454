"""Pairs from the text of a growing file, cut anywhere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nofluke.errors import InputError, ReadError
from nofluke.questions import growing
from nofluke.questions.following import ArrivalOrder, PairReader
from nofluke.questions.growing import number

WIDE = "item,score_a,score_b\nq1,1,0\nq2,0.5,1e-1\nq3,true,.25\n"
LONG = "model,item,score\nold,q1,1\nnew,q2,0.5\nother,q1,x\nnew,q1,0\nold,q2,1\nold,q3,1\n"
QUOTED = 'id;a;b\r\n"say ""hi""\nthere; q1";1;0\r\nq2;0,5;1\r\n'
LINES = '{"id": 7, "a": 1, "b": 0.5, "more": [1]}\n\n{"id": "8", "a": true, "b": 0}\n'


def pairs(reader, *pieces):
    return [pair for piece in pieces for pair in reader.feed(piece)]


def values(found):
    return [(p.example, p.a, p.b) for p in found]


def test_a_wide_file():
    found = pairs(PairReader("csv"), WIDE)
    assert values(found) == [("q1", 1, 0), ("q2", 0.5, 0.1), ("q3", 1, 0.25)]
    assert [pair.line for pair in found] == [2, 3, 4]


def test_a_long_file_pairs_in_the_order_they_complete():
    reader = PairReader("csv", a="old", b="new")
    assert values(pairs(reader, LONG)) == [("q1", 1, 0), ("q2", 1, 0.5)]
    assert reader.notes == ("NF158: 1 examples have one score only.",)


def test_json_lines():
    found = pairs(PairReader("jsonl"), "\ufeff" + LINES)
    assert values(found) == [("7", 1, 0.5), ("8", 1, 0)]
    assert [pair.line for pair in found] == [1, 3]


def test_quotes_semicolons_and_line_ends_within_a_cell():
    found = pairs(PairReader("csv"), QUOTED.replace("0,5", "0.5"))
    assert values(found) == [('say "hi"\nthere; q1', 1, 0), ("q2", 0.5, 1)]
    assert [pair.line for pair in found] == [2, 4]


@pytest.mark.parametrize(
    ("form", "text", "how"),
    [
        ("csv", WIDE, {}),
        ("csv", LONG, {"a": "new", "b": "old"}),
        ("csv", QUOTED.replace("0,5", "0.5"), {}),
        ("jsonl", LINES, {}),
    ],
)
@given(data=st.data())
def test_it_does_not_matter_where_the_text_is_cut(form, text, how, data):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert pairs(PairReader(form, **how), *pieces) == pairs(PairReader(form, **how), text)


def test_a_line_counts_when_it_has_ended():
    reader = PairReader("csv")
    assert pairs(reader, "id,a,b\nq1,1,1") == []
    assert reader.notes == ("NF158: the last line has no end yet and is not counted.",)
    assert values(pairs(reader, "0\n")) == [("q1", 1, 10)]
    assert reader.notes == ()


@pytest.mark.parametrize(
    ("how", "header"),
    [
        ({"columns": {"a": "x", "b": "y"}}, "id,x,y"),
        ({"columns": {"a": "x", "b": "y", "example": "nr"}}, "nr,x,y"),
        ({"a": "x", "b": "y"}, "id,x,y"),
        ({}, "ID,A,B"),
    ],
)
def test_columns_are_named_or_known(how, header):
    assert values(pairs(PairReader("csv", **how), f"{header}\nq,0,1\n")) == [("q", 0, 1)]


def test_rows_without_ids_are_items_of_their_own():
    assert values(pairs(PairReader("csv"), "a,b\n0,1\n0,1\n")) == [("2", 0, 1), ("3", 0, 1)]


def test_one_metric_of_several():
    text = "id,metric,a,b\nq1,acc,0,1\nq1,f1,0.5,0.5\nq2,acc,1,1\n"
    found = values(pairs(PairReader("csv", metric="acc"), text))
    assert found == [("q1", 0, 1), ("q2", 1, 1)]
    with pytest.raises(ReadError, match="metric 'f1' after 'acc'; say which one"):
        pairs(PairReader("csv"), text)


def test_candidates_that_nobody_asked_for_are_told_when_there_is_nothing_else():
    reader = PairReader("csv", a="Old", b="New")
    assert pairs(reader, LONG) == []
    assert "none of the candidates is asked for: 'new', 'old', 'other'" in reader.notes[0]


@pytest.mark.parametrize(
    ("form", "text", "how", "code", "said"),
    [
        ("csv", "id,a,b\nq,1,0\nq,1,0\n", {}, "NF021", "line 3 has example 'q' a second time"),
        (
            "csv",
            LONG + "new,q1,1\n",
            {"a": "old", "b": "new"},
            "NF021",
            "line 8 has example 'q1' a second",
        ),
        (
            "csv",
            LONG + "old,q3,1\n",
            {"a": "old", "b": "new"},
            "NF021",
            "line 8 has example 'q3' a second",
        ),
        ("csv", "id,a,b\nq,1,\n", {}, "NF007", "line 2, example 'q': b='' is a missing score"),
        ("jsonl", '{"id":1,"a":null,"b":1}\n', {}, "NF007", "a=None is a missing score"),
        ("csv", "id,a,b\nq,1,n/a\n", {}, "NF004", "b='n/a' is not a number"),
        ("csv", 'id,a,b\nq,1,"0,5"\n', {}, "NF004", "is not a number"),
        ("csv", "id,a,b\nq,1,nan\n", {}, "NF004", "is not a number"),
        ("jsonl", '{"id":1,"a":NaN,"b":1}\n', {}, "NF004", "is not a number"),
        ("jsonl", '{"id":1,"a":[1],"b":1}\n', {}, "NF004", "is not a number"),
        ("jsonl", '{"id":1.5,"a":1,"b":1}\n', {}, "NF004", "an id is text or an integer"),
        ("csv", "id,a,b\n,1,1\n", {}, "NF004", "an id is text or an integer"),
        ("csv", "id,a,b\nq,1\n", {}, "NF003", "line 2 has 2 cells, the header has 3"),
        ("csv", "id,a,a\n", {}, "NF003", "columns twice: 'a'"),
        ("csv", "id,x,y\n", {}, "NF003", "not clear which scores are a and b"),
        ("csv", "id,x,y\n", {"columns": {"a": "z"}}, "NF003", "no column 'z'"),
        ("csv", "id,x\n", {"a": "old", "b": "new"}, "NF003", "'candidate' and 1 more|'candidate'"),
        ("jsonl", "{]\n", {}, "NF003", "line 1 is not JSON"),
        ("jsonl", "[1]\n", {}, "NF003", "no JSON object"),
        ("jsonl", LINES + '{"id": 9, "a": 1}\n', {}, "NF003", "line 4 has no 'b'"),
    ],
)
def test_what_cannot_be_read_is_refused(form, text, how, code, said):
    with pytest.raises(ReadError, match=said) as refused:
        pairs(PairReader(form, label="runs.csv", **how), text)
    assert refused.value.code == code
    assert str(refused.value).startswith("runs.csv: ")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_row_without_an_end_is_refused_before_memory_is_full(form, monkeypatch):
    monkeypatch.setattr(growing, "_LONGEST", 1000)
    reader = PairReader(form)
    assert pairs(reader, "id,a,b\nq,1,1\n" if form == "csv" else LINES)
    start, rest = ('"q,1,1\n', ["r,1,1\n"] * 200) if form == "csv" else ("{", ["{" * 1001])
    with pytest.raises(ReadError, match="a quotation mark may be open") as refused:
        pairs(reader, start, *rest)
    assert (refused.value.code, refused.value.line) == ("NF003", 3 if form == "csv" else 4)


@pytest.mark.parametrize(
    "how", [{"a": "x"}, {"b": "x"}, {"a": "x", "b": "x"}, {"columns": {"left": "x"}}]
)
def test_what_cannot_be_asked(how):
    with pytest.raises(InputError) as refused:
        PairReader("csv", **how)
    assert refused.value.code == "NF008"


@given(scores=st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=80))
def test_the_correlation_with_the_order_is_pearsons(scores):
    order = ArrivalOrder()
    for score in scores:
        order.add(score)
    x = np.array(scores)
    if x.std() > 1e-6 * max(1, abs(x).max()):
        expected = np.corrcoef(x, np.arange(x.size))[0, 1]
        assert order.correlation == pytest.approx(expected, abs=1e-6)
    assert math.isfinite(order.correlation)


def test_sorted_items_are_pointed_out_from_fifty_on():
    order = ArrivalOrder()
    for i in range(49):
        order.add(i)
    assert order.note is None
    order.add(49)
    assert order.note.startswith("NF156: the scores of A rise with the order of arrival (corr")

    falling, shuffled, constant = ArrivalOrder(), ArrivalOrder(), ArrivalOrder()
    for i, u in enumerate(np.random.default_rng(2).random(500)):
        falling.add(-i + 100 * u)
        shuffled.add(u)
        constant.add(0.3)
    assert "fall" in falling.note
    assert shuffled.note is None
    assert (constant.note, constant.correlation) == (None, 0)


def test_a_whole_number_beyond_floats_is_what_a_csv_file_makes_of_it():
    huge = "1" + "0" * 400
    for text in (huge, f"-{huge}"):
        assert number(int(text)) == number(text) == math.copysign(math.inf, float(text))
    assert [number(v) for v in (3, True, 0.1, 2**53 + 1)] == [3.0, 1.0, 0.1, float(2**53 + 1)]
