"""trec_eval: queries and "all" in one stream, counts among scores, files without scores."""

import pytest

from nofluke import read
from nofluke.errors import InputError


def line(measure, query, value):
    return f"{measure:<22}\t{query}\t{value}\n"


QUERIES = (
    line("num_ret", "301", 10)
    + line("map", "301", "0.5000")
    + line("P_5", "301", "0.4000")
    + line("num_ret", "302", 20)
    + line("map", "302", "0.2500")
    + line("P_5", "302", "0.2000")
)
ALL = line("runid", "all", "STANDARD") + line("num_q", "all", 2) + line("map", "all", "0.3750")


@pytest.fixture
def written(tmp_path):
    def write(text, name="values.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_the_rows_called_all_are_no_query(written):
    scores = read(written(QUERIES + ALL))

    assert scores.examples == ("301", "302")
    assert scores.candidates == ("STANDARD",)
    assert scores.metric == "map"
    assert scores.values.tolist() == [0.5, 0.25]
    assert (scores.better, scores.bounds) == ("higher", (0.0, 1.0))
    assert not any(note.startswith("NF318") for note in scores.notes)


def test_counts_are_no_scores_unless_asked_for(written):
    (told,) = [note for note in read(written(QUERIES)).notes if note.startswith("NF265")]
    assert "num_ret" not in told
    assert read(written(QUERIES), metric="num_ret").values.tolist() == [10, 20]
    assert read(written(QUERIES), keep=["num_ret"]).kept["num_ret"].tolist() == [10, 20]


def test_a_measure_that_is_not_known_gets_no_bounds(written):
    scores = read(written(line("mine", "1", "-3.5")), metric="mine")

    assert (scores.better, scores.bounds) == (None, None)


def test_queries_without_a_line_are_told(written):
    # trec_eval -c counts them as 0.
    scores = read(written(QUERIES + ALL.replace("\t2\n", "\t3\n").replace("0.3750", "0.2500")))

    told = [note for note in scores.notes if note.startswith("NF318")]
    assert any("there are 3 queries" in note for note in told)
    assert any("0.3750" in note and "0.2500" in note for note in told)


def test_a_file_of_summaries_alone_is_refused(written):
    with pytest.raises(InputError, match="trec_eval -q"):
        read(written(ALL))


def test_two_runs_in_one_file_are_refused(written):
    with pytest.raises(InputError, match="stands here again"):
        read(written(QUERIES + QUERIES))


@pytest.mark.parametrize(
    "text",
    [
        "301 Q0 FR94 1 2.13 STANDARD\n301\tQ0\tFR95\t2\t1.7\tSTANDARD\n",
        "301 0 CR93E-1 0\n301 0 CR93E-2 1\n",
    ],
)
def test_runs_and_judgements_are_refused_with_the_command_that_makes_scores(written, text):
    with pytest.raises(InputError, match="trec_eval -q QRELS RUN"):
        read(written(text))


def test_a_table_of_four_columns_is_no_judgement(written):
    path = written("model\tseed\texample\tscore\na\t1\tx\t1\na\t2\tx\t0\n", "t.tsv")

    assert read(path).values.tolist() == [1, 0]
