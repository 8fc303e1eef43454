"""WMT segments: a header of blanks over rows of tabs, unrated segments, and the sign."""

import pytest

from nofluke import read
from nofluke.errors import InputError

HEADER = "system mqm_avg_score seg_id\n"


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "x.avg_seg_scores.tsv"
        path.write_text(text)
        return path

    return write


def test_systems_and_segments_are_read_across_tabs_and_blanks(written):
    scores = read(written(HEADER + "A\t-1.0 1\nA\t-0.000000 2\nB\t-2.5 1\nB\t-3.0 2\n"))

    assert scores.candidates == ("A", "B")
    assert scores.matrix().tolist() == [[-1.0, 0.0], [-2.5, -3.0]]
    assert str(scores.values[1]) == "0.0"  # a minus zero is a zero


def test_segments_that_nobody_rated_are_missing_and_counted(written):
    scores = read(written(HEADER + "A\t-1.0 1\nA\tNone 2\nB\t-2.0 1\nB\tNone 2\n"))

    assert scores.values.tolist() == [-1.0, -2.0]
    assert any("2 of 4 rows (of 1 segments)" in note for note in scores.notes)


@pytest.mark.parametrize(
    ("values", "better"),
    [(("-1.0", "-0.0"), "higher"), (("1.0", "0.0"), "lower"), (("0.0", "0.0"), None)],
)
def test_the_sign_of_penalties_tells_which_way_is_better(written, values, better):
    text = HEADER + "".join(f"A\t{value} {i}\n" for i, value in enumerate(values))

    assert read(written(text)).better == better


def test_other_ratings_have_no_orientation_of_their_own(written):
    text = "system psqm_avg_score seg_id\nA\t5.0 1\n"

    assert read(written(text)).better is None


def test_a_row_of_another_form_is_refused(written):
    with pytest.raises(InputError, match="line 3 is not"):
        read(written(HEADER + "A\t-1.0 1\nA\t-1.0\n"))
