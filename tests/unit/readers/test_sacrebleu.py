"""sacreBLEU: sentences are rows, a corpus is none; of TER a lower one is better."""

import json
import subprocess
import sys

import pytest

from nofluke import read
from nofluke.errors import InputError

CHRF = "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = "
BLEU = "BLEU|nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0 = "
TER = "TER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:2.6.0 = "


@pytest.fixture
def written(tmp_path):
    def write(text, name="system.txt"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_the_score_is_the_number_behind_the_signature(written):
    scores = read(written(f"{CHRF}79.3\n{CHRF}45.0\n"))

    assert scores.metric == "chrF2"
    assert scores.values.tolist() == [79.3, 45.0]
    assert (scores.better, scores.bounds) == ("higher", (0.0, 100.0))
    assert scores.examples == ("1", "2")


def test_the_parts_of_bleu_behind_its_score_are_no_scores(written):
    parts = " 66.7/25.0/25.0/0.0 (BP = 1.000 ratio = 1.000 hyp_len = 3 ref_len = 3)"

    assert read(written(f"{BLEU}34.6681{parts}\n")).values.tolist() == [34.6681]


def test_of_ter_lower_is_better_and_it_has_no_highest_value(written):
    scores = read(written(f"{TER}133.3\n{TER}0.0\n"))

    assert (scores.better, scores.bounds) == ("lower", None)


def test_two_systems_are_paired_by_the_order_of_sentences_and_that_is_told(written):
    one = written(f"{CHRF}79.3\n{CHRF}45.0\n", "one.txt")
    two = written(f"{CHRF}70.0\n{CHRF}46.0\n", "two.txt")

    scores = read([one, two])

    assert scores.matrix().tolist() == [[79.3, 45.0], [70.0, 46.0]]
    assert sum(note.startswith("NF317") for note in scores.notes) == 2


def test_two_metrics_in_one_file_are_refused(written):
    with pytest.raises(InputError, match="another metric or signature"):
        read(written(f"{CHRF}79.3\n{TER}45.0\n"))


@pytest.mark.parametrize("several", [True, False])
def test_a_corpus_is_refused(written, several):
    one = {"name": "BLEU", "score": 30.2, "signature": "nrefs:1|bs:1000|version:2.6.0"}

    with pytest.raises(InputError, match=r"BLEU 30\.2.*-sl"):
        read(written(json.dumps([one, one] if several else one), "corpus.json"))


def test_what_the_tool_writes_today_is_read(tmp_path):
    pytest.importorskip("sacrebleu")
    hypotheses, references = tmp_path / "h.txt", tmp_path / "r.txt"
    hypotheses.write_text("the cat sat\na dog ran far\n")
    references.write_text("the cat sat on\na dog ran far\n")
    command = [sys.executable, "-m", "sacrebleu", str(references), "-i", str(hypotheses)]
    out = subprocess.run(
        [*command, "-m", "chrf", "-sl"], check=True, capture_output=True, text=True
    ).stdout
    (tmp_path / "out.txt").write_text(out)

    assert read(tmp_path / "out.txt").values[1] == 100.0
