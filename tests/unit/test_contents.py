"""What was asked and answered: read where asked for, carried along, and otherwise not there."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nofluke import Scores, read
from nofluke.errors import InputError
from nofluke.scores import findings, units

ROWS = [
    {
        "model": m,
        "item": str(i),
        "accuracy": float(i % 2),
        "prompt": f"q{i}",
        "input_ids": [i, 2, -100] if i else None,
        "response": {"said": [m, None, 'ä"']},
    }
    for m in "ab"
    for i in range(3)
]
NESTED = {"input": "input_ids"}


def texts_of(scores, column):
    labels = getattr(scores, column)
    return [labels.names[code] for code in labels.codes]


@pytest.fixture
def sources(tmp_path):
    """The same rows in every form that can hold lists."""
    frame = pl.DataFrame(ROWS)
    frame.write_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    return {
        "parquet": tmp_path / "t.parquet",
        "json lines": tmp_path / "t.jsonl",
        "rows": ROWS,
        "polars": frame,
        "arrow": frame.to_arrow(),
        "pandas": frame.to_pandas(),
        "objects": pd.DataFrame(ROWS),
    }


def test_lists_and_records_become_the_same_json_text_in_every_form(sources):
    for name, source in sources.items():
        scores = read(source, columns=NESTED, contents=True)
        assert texts_of(scores, "input") == ["", "[1,2,-100]", "[2,2,-100]"] * 2, name
        said = [f'{{"said":["{m}",null,"ä\\""]}}' for m in "ab"]
        assert texts_of(scores, "output") == [t for t in said for _ in range(3)], name
        assert scores.notes == (
            "NF112: read columns candidate='model', example='item', score='accuracy', "
            "output='response'.",
        )


def test_numbers_in_json_keep_their_spelling(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"model": "a", "id": 1, "score": 1, "input_ids": [1e5, 12345678901234567890]}')
    assert read(path, contents=True).input.names == ("[1e5,12345678901234567890]",)


def test_without_contents_nothing_changes(sources):
    for source in sources.values():
        scores = read(source)
        assert (scores.input, scores.output, scores.reading) == (None, None, {})
        assert "input" not in scores.notes[0]
    plain = read([{k: r[k] for k in ("model", "item", "accuracy")} for r in ROWS])
    assert plain.digest == read(ROWS).digest
    assert read(ROWS, contents=True).digest != plain.digest
    assert read(ROWS, contents=True).reading == {"contents": True}


def test_a_named_column_is_read_without_contents():
    scores = read(ROWS, columns={"input": "prompt"})
    assert texts_of(scores, "input") == ["q0", "q1", "q2"] * 2
    assert scores.output is None
    assert read(ROWS, columns={"input": None}, contents=True).input is None


def test_text_is_preferred_to_token_ids_and_those_to_hashes():
    for names, expected in (
        (["input_ids", "prompt", "doc_hash"], "prompt"),
        (["doc_hash", "input_ids"], "input_ids"),
        (["doc_hash", "PROMPT_HASH"], "PROMPT_HASH"),
    ):
        row = {"model": "a", "id": "1", "score": 1.0} | {n: f"<{n}>" for n in names}
        assert read([row], contents=True).input.names == (f"<{expected}>",)


def test_a_reference_answer_is_not_taken_for_an_output():
    row = {"model": "a", "id": "1", "score": 1.0, "answer": "42", "target": "42"}
    assert read([row], contents=True).output is None


def test_columns_of_a_wide_table_stay_candidates():
    rows = [{"id": str(i), "prediction": 0.5, "prompt": 0.25} for i in range(3)]
    assert read(rows, contents=True).candidates == ("prediction", "prompt")
    named = read(rows, columns={"input": "prompt"})
    assert named.candidates == ("prediction",)
    assert named.input.names == ("0.25",)


def test_the_score_itself_is_no_output():
    rows = [{"model": "a", "id": "1", "prediction": 0.5, "output": "x"}]
    scores = read(rows, columns={"score": "prediction"}, contents=True)
    assert scores.output.names == ("x",)


def test_a_file_without_the_column_takes_it_from_all(tmp_path):
    for name, extra in (("a", {"prompt": "q", "response": "r"}), ("b", {"response": "s"})):
        row = {"id": 1, "accuracy": 1.0} | extra
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row))
    scores = read(tmp_path, contents=True)
    assert scores.input is None
    assert texts_of(scores, "output") == ["r", "s"]
    (told,) = [note for note in scores.notes if note.startswith("NF138")]
    assert "1 of 2 files have no input column where others have 'prompt'" in told
    with pytest.raises(InputError, match="there is no column 'prompt'"):
        read(tmp_path, columns={"input": "prompt"})


def test_delimited_text(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('model,id,score,prompt,output\na,1,1,"x, y",\na,2,0,"line\nend",z\n')
    scores = read(path, contents=True)
    assert texts_of(scores, "input") == ["x, y", "line\nend"]
    assert texts_of(scores, "output") == ["", "z"]


def test_contents_go_with_their_rows():
    scores = Scores.from_arrays(
        {"a": [1, math.nan, 3], "b": [4, 5, math.nan]},
        examples=["x", "y", "z"],
        better="lower",
        cluster={"x": "u", "y": "v", "z": "v", "more": "w"},
        inputs=["p", "q", "r"],
        outputs={"a": ["A", "B", "C"], "b": ["D", "E", "F"]},
    )
    assert texts_of(scores, "input") == ["p", "r", "p", "q"]
    assert texts_of(scores, "output") == ["A", "C", "D", "E"]
    assert texts_of(scores, "cluster") == ["u", "v", "u", "v"]
    assert texts_of(scores.take(scores.values > 2), "output") == ["C", "D", "E"]
    assert texts_of(findings.settle(scores, "common"), "output") == ["A", "D"]
    worst = findings.settle(scores, "worst")
    assert texts_of(worst, "output") == ["A", "", "C", "D", "E", ""]
    assert texts_of(worst, "cluster") == ["u", "v", "v"] * 2
    assert texts_of(scores.by_group(), "output") == ["A", "C", "D", "E"]
    assert set(texts_of(units.one_per_cluster(worst, 1), "input")) <= {"p", "q", "r", ""}
    with pytest.raises(ValueError, match="read-only"):
        scores.input.codes[0] = 1


def test_a_digest_covers_what_was_asked_and_answered():
    def digest(**columns):
        return Scores.from_arrays([[1, 2], [3, 4]], **columns).digest

    digests = {
        digest(),
        digest(cluster=["u", "v"]),
        digest(inputs=["u", "v"]),
        digest(outputs=["u", "v"]),
        digest(inputs=["v", "u"]),
        digest(inputs=["u", "w"]),
        digest(inputs=["u", "v"], outputs=["u", "v"]),
    }
    assert len(digests) == 7
    turned = Scores.from_arrays(
        [[4, 3], [2, 1]], candidates=["1", "0"], examples=["1", "0"], inputs=["v", "u"]
    )
    assert turned.digest == digest(inputs=["u", "v"])


def test_examples_of_their_own_have_texts_of_their_own():
    scores = Scores.from_arrays(
        {"a": [1, 2], "b": [math.nan, 3, 4]},
        outputs={"a": ["A", "B"], "b": ["C", "D", "E"]},
        cluster=["u", "u", "v", "v", "w"],
    )
    assert texts_of(scores, "output") == ["A", "B", "D", "E"]
    assert texts_of(scores, "cluster") == ["u", "u", "v", "w"]


@pytest.mark.parametrize(
    ("columns", "words", "code"),
    [
        ({"cluster": ["u"]}, "cluster= holds 1 texts, but there are 2 examples", "NF008"),
        ({"cluster": {"0": "u"}}, "no label for the examples '1'", "NF007"),
        ({"cluster": ["u", ""]}, "empty label for the example '1'", "NF007"),
        ({"cluster": [1, 2]}, "must be text, and 1, 2 is not", "NF004"),
        ({"inputs": "text"}, "inputs= holds 1 texts, but there are 2 scores of '0'", "NF008"),
        ({"outputs": {"0": ["x", "y"]}}, "'1' differ", "NF008"),
        ({"outputs": {"0": ["x"], "1": ["x", "y"]}}, "1 texts, but there are 2 scores", "NF008"),
    ],
)
def test_texts_that_do_not_fit_are_refused(columns, words, code):
    with pytest.raises(InputError, match=words) as caught:
        Scores.from_arrays(np.zeros((2, 2)), **columns)
    assert caught.value.code == code
