"""The page of an answer: whole, honest, harmless, and the same each time."""

import base64
import csv
import io
import json
import math
import re
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from nofluke import Scores, certify, report
from nofluke.errors import InputError
from nofluke.report import wording
from nofluke.results import outward

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><b>",
    "$x_1$",
    "a" * 300,
    "👩‍💻 🎉",
    'it\'s "q" & {{ 7*7 }}',
    "a\n\u202eb",
)
VOID = {"meta", "br", "img", "hr", "link", "input"}


def scores(K=12, n=200, *, better="lower", **how):
    x = np.random.default_rng(0).gamma(2, size=(K, n)) * np.linspace(0.6, 1.5, K)[:, None]
    return Scores.from_arrays(x if better == "lower" else 1 / (1 + x), better=better, **how)


def infinite():
    x = np.random.default_rng(0).gamma(2, size=(3, 300))
    x[:, :9] = math.inf
    x[1, :200] = math.inf
    x = np.random.default_rng(4).permutation(x, axis=1)  # no rows that follow each other
    return certify(Scores.from_arrays(x, better="lower"), "names:0,1", gamma=(0.1, 0.3))


def coins(better, K=6):
    x = np.random.default_rng(1).random((K, 300)) < np.linspace(0.6, 0.9, K)[:, None]
    return certify(Scores.from_arrays(x, better=better), "top:3", gamma=(0.1, 0.5))


CASES = {
    "lower": lambda: certify(scores(), "top:3", gamma=(0.05, 0.15, 0.3), band="kolmogorov"),
    "tails": lambda: certify(scores(), "top:3", gamma=(0.05, 0.15, 0.3)),
    "higher": lambda: certify(scores(better="higher"), "top:3", gamma=(0.05, 0.15, 0.3)),
    "nothing": lambda: certify(scores(), "threshold:0.0001"),
    "all inf": lambda: certify(scores(), "top:3", gamma=(0.01, 0.02)),
    "infinite scores": infinite,
    "binary": lambda: coins("higher"),
    "binary lower": lambda: coins("lower"),
    "one": lambda: certify(Scores.from_arrays([[0.5]], better="lower"), "top:1"),
    "many": lambda: certify(scores(400, 150), "top:200", gamma=(0.1, 0.2, 0.3)),
    "naive": lambda: certify(scores(), "top:3", gamma=0.3, rule="naive"),
    "simultaneous": lambda: certify(scores(), "top:3", gamma=0.3, claim="simultaneous"),
    "fcx": lambda: certify(scores(), "top:3", gamma=0.3, claim="fcx:0.2"),
    "split": lambda: certify(scores(), "top:3", gamma=0.3, split=0.5, seed=3),
    "weights": lambda: certify(scores(4), "names:0,1", gamma=0.3, weights={"0": 3.0, "1": 1.0}),
    "hostile": lambda: certify(
        scores(7, candidates=HOSTILE, metric="<img src=x> $\\mu$"), "top:7", gamma=(0.2, 0.3)
    ),
}


class Page(HTMLParser):
    """What a parser makes of a page: balanced tags, text, tables, attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.scripts, self.values, self.captions = [], [], 0
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "data":
            self.values.append(float(dict(attrs)["value"]))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open and self.open[-1] == "script" else self.words).append(data)

    @cached_property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))


@pytest.fixture(scope="module", params=CASES, ids=CASES.keys())
def answered(request):
    result = CASES[request.param]()
    text = report.page(result)
    return result, text, Page(text)


def test_every_candidate_and_value_is_there(answered):
    result, _, page = answered
    for row in result.rows():
        assert " ".join(wording.visible(row["candidate"]).split()) in page.text
        if row["certified"] or result.binary:
            assert row["value"] in page.values
            if math.isfinite(row["value"]):
                assert outward(row["value"], result.better) in page.text
        elif row["n_needed"]:
            assert f"needs n ≥ {row['n_needed']}" in page.text
    for winner in result.winners():
        if winner["candidate"] is not None:
            assert winner["value"] in page.values
    for note in result.notes:
        assert note.partition(":")[0] in page.text
    assert result.digest in page.text


def test_the_same_result_gives_the_same_bytes(answered):
    result, text, _ = answered
    assert report.page(result) == text


def test_nothing_is_loaded_and_nothing_runs(answered):
    _, text, page = answered
    links = [v for _, name, v in page.attributes if name in ("href", "src", "xlink:href", "action")]
    assert all(link.startswith(("#", "data:text/csv")) for link in links)
    assert not re.search(r"@import|url\((?!#)|<link|<iframe|<object|<img", text)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert {v for t, n, v in page.attributes if (t, n) == ("script", "type")} == {
        "application/json"
    }
    assert page.tags.count("script") == 1


def test_the_embedded_json_and_csv_are_the_answer(answered):
    result, _, page = answered
    assert json.loads("".join(page.scripts)) == json.loads(result.to_json())
    link = next(v for t, n, v in page.attributes if t == "a" and n == "href")
    table = list(csv.DictReader(io.StringIO(base64.b64decode(link.partition(",")[2]).decode())))
    assert [row["candidate"] for row in table] == [row["candidate"] for row in result.rows()]
    assert [float(row["value"]) for row in table] == [row["value"] for row in result.rows()]


def test_the_page_is_in_order_and_readable_aloud(answered):
    result, text, page = answered
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert set(levels[1:]) == {2}
    assert ("html", "lang", "en") in page.attributes
    assert page.tags.count("table") == page.tags.count("caption")
    assert page.tags.count("th") == sum(n == "scope" for t, n, _ in page.attributes if t == "th")
    pictures = page.tags.count("svg")
    assert (
        pictures
        == page.tags.count("figure")
        == (0 if not result.selected else 2 if result.binary else 3)
    )
    assert text.count('role="img"') == pictures
    ids = [v for _, n, v in page.attributes if n == "id"]
    assert len(ids) == len(set(ids))


def test_the_sections_come_in_the_order_of_their_weight(answered):
    result, text, _ = answered
    heads = re.findall(r"<h2>(.*?)</h2>", text)
    wanted = [
        "The picture",
        "Results",
        "The winner: a separate claim, at its own level",
        "What halving the failure rate costs",
        "All level rules side by side",
        "Notes",
        "Assumptions",
        "What this does not say",
        "Where it comes from",
    ]
    if not result.selected:
        wanted = [wanted[1], *wanted[5:]]
    elif result.binary:
        wanted.remove("What halving the failure rate costs")
    assert heads == wanted


def test_every_caption_of_promises_names_the_guarantee(answered):
    result, text, _ = answered
    captions = re.findall(r"<caption>(.*?)</caption>", text, flags=re.DOTALL)
    promising = [c for c in captions if "uarantee" in c]
    assert all(re.search("finite-sample|heuristic", c) for c in promising)
    assert bool(promising) == bool(result.selected)


def test_the_size_stays_small(answered):
    result, text, _ = answered
    assert len(text.encode()) < (500_000 if len(result.selected) <= 7 else 2_000_000)


def test_further_numbers_have_a_table_of_their_own():
    page = report.body(
        certify(scores(), "top:2", gamma=0.3, functionals=("median", "mean"), side="both")
    )
    assert "<h2>Further numbers</h2>" in page
    assert page.count("<td>median</td>") == 2
    assert "Further numbers" not in report.body(CASES["lower"]())


def test_the_banner_tells_the_three_verdicts_apart():
    def banner(name):
        return re.search(
            r'class="nf-banner nf-(\w+)".*?<h1>(.*?)</h1>', report.body(CASES[name]()), re.DOTALL
        )

    assert banner("lower")[1] == "promised"
    assert banner("lower")[2] == "Promised in part: 6 of 9 bounds (finite-sample)"
    assert banner("binary")[2] == "Promised: 3 rates (finite-sample)"
    assert banner("all inf")[1] == "nothing"
    assert banner("nothing")[2] == "Nothing is promised: nobody was chosen"
    assert banner("naive")[1] == "invalid"
    assert banner("naive")[2].startswith("Not valid")


def test_what_is_not_said_follows_the_claim():
    assert "not promised to hold all at once" in report.body(CASES["lower"]())
    assert "All bounds hold at once" in report.body(CASES["simultaneous"]())
    assert "Nothing is promised for the shortlist" in report.body(CASES["naive"]())


def test_a_limit_on_an_infinite_score_is_not_a_matter_of_n():
    assert "∞</data> (falls on an infinite score)" in re.sub(r"\n", "", report.body(infinite()))


def test_hostile_ids_stay_text():
    text = report.page(CASES["hostile"]())

    assert "<script>alert" not in text
    assert "<b>" not in text.replace("<b>Assumed:", "").replace("<b>Checked:", "")
    assert "{{ 7*7 }}" in text
    assert "\u202e" not in text


def test_the_fragment_for_notebooks_is_the_body_of_the_page():
    result = CASES["lower"]()

    fragment = result._repr_html_()

    assert fragment == report.body(result)
    assert fragment in report.page(result)
    assert "<html" not in fragment
    style = re.search(r"<style>(.*?)</style>", fragment, re.DOTALL)[1]
    flat = re.sub(r"@media[^{]*\{", "", re.sub(r"\s+", " ", style))
    selectors = [s for part in re.findall(r"([^{}]+)\{", flat) for s in part.split(",")]
    assert all(s.strip().startswith(".nofluke") for s in selectors)


def test_a_file_is_written_whole(tmp_path):
    result = CASES["lower"]()
    path = tmp_path / "r.html"

    result.report(path)
    result.report(str(path))

    assert path.read_bytes() == report.page(result).encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_run_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "r.html"
    path.write_text("older")

    def fails(*_):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="disk full"):
        CASES["nothing"]().report(path)

    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_other_things_have_no_page():
    class Other:
        kind = "certify"

    with pytest.raises(InputError, match="no page for a Other"):
        report.body(Other())


def test_text_for_json_is_harmless_and_means_the_same():
    text = json.dumps({"id": "</script><!-- & \u2028"})

    safe = wording.harmless_json(text)

    assert not set("<>&\u2028") & set(safe)
    assert json.loads(safe) == json.loads(text)


def test_dependent_rows_are_the_reason_where_they_are():
    x = np.random.default_rng(0).normal(size=(3, 900)).cumsum(axis=1)
    answer = certify(Scores.from_arrays(x, better="lower"), "top:2", dependence="ignore")
    page = report.body(answer)

    assert "the rows depend on each other and were counted one by one" in page
    assert "does not pay for the choice" not in page
    assert "this rule pays nothing" not in page
