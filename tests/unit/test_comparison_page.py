"""The page of a comparison and of an envelope: verdict first, honest, harmless."""

import json
import math
import re
from dataclasses import replace
from functools import cache, cached_property
from html.parser import HTMLParser

import numpy as np
import pytest

from nofluke import Scores, report
from nofluke.questions.compare import compare
from nofluke.questions.plan import envelope
from nofluke.results import outward

VOID = {"meta", "br", "img", "hr", "link", "input"}
HOSTILE = ("<script>alert(1)</script>", 'it\'s "q" & {{ 7*7 }} a\n\u202eb</td>')
N = 150
GROUPS = {str(i): "news" if i % 3 else "<b>social" for i in range(N)}
DOCS = {str(i): f"doc{i // 3}" for i in range(N)}


def table(names=("old", "new"), *, better="higher", **how):
    rng = np.random.default_rng(0)
    a = rng.beta(4, 3, N)
    b = np.where(rng.random(N) < 0.3, a, np.clip(a + rng.normal(0.06, 0.08, N), 0, 1))
    values = dict(zip(names, (a, b), strict=True))
    return Scores.from_arrays(values, better=better, bounds=(0, 1), metric="rouge", **how)


def binary():
    right = {"old": [0] * 30 + [1] * 70, "new": [1] * 12 + [0] * 20 + [1] * 66 + [0] * 2}
    return Scores.from_arrays(right, binary=True, better="higher", metric="exact_match")


CASES = {
    "yes": lambda: compare(table(), "old", "new"),
    "no": lambda: compare(table(), "new", "old"),
    "lower": lambda: compare(table(better="lower"), "old", "new"),
    "undecided": lambda: compare(table(), "old", "new", margin=0.05),
    "binary": lambda: compare(binary(), "old", "new"),
    "asymptotic": lambda: compare(table(), "old", "new", method="t"),
    "equivalent": lambda: compare(
        table(), "old", "new", alternative="equivalent", margin=0.2, planned=100
    ),
    "different": lambda: compare(table(), "old", "new", alternative="different"),
    "groups": lambda: compare(table(), "old", "new", groups=GROUPS),
    "mix": lambda: compare(
        table(), "old", "new", groups=GROUPS, mix={"news": 0.5, "<b>social": 0.5}
    ),
    "clusters": lambda: compare(table(), "old", "new", clusters=DOCS),
    "weights": lambda: compare(
        table(), "old", "new", weights={str(i): 1.0 + i % 2 for i in range(N)}
    ),
    "one": lambda: compare(
        Scores.from_arrays({"old": [0.5], "new": [0.7]}, better="higher", bounds=(0, 1)),
        "old",
        "new",
    ),
    "same": lambda: compare(
        Scores.from_arrays({"old": [1] * 9, "new": [1] * 9}, better="higher", binary=True),
        "old",
        "new",
    ),
    "hostile": lambda: compare(table(HOSTILE), *HOSTILE, groups=GROUPS),
    "envelope": lambda: envelope(2000, side="both", observed=0.08),
}


class Page(HTMLParser):
    """What a parser makes of a page: balanced tags, text, numbers, attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.words = [], [], [], []
        self.scripts, self.values = [], []
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


@cache
def answered(name):
    result = CASES[name]()
    text = report.page(result)
    return result, text, Page(text)


def banner(text):
    return re.search(r'class="nf-banner nf-(\w+)".*?<h1>(.*?)</h1>', text, re.DOTALL).groups()


EVERY = pytest.mark.parametrize("name", CASES)
COMPARED = pytest.mark.parametrize("name", [name for name in CASES if name != "envelope"])


@EVERY
def test_a_page_is_whole_loads_nothing_and_embeds_the_answer(name):
    result, text, page = answered(name)

    links = [v for _, n, v in page.attributes if n in ("href", "src", "xlink:href", "action")]
    assert all(link.startswith(("#", "data:text/csv")) for link in links)
    assert not re.search(r"@import|url\((?!#)|<link|<iframe|<object|<img", text)
    assert not [n for _, n, _ in page.attributes if n.startswith("on")]
    assert page.tags.count("script") == 1
    assert json.loads("".join(page.scripts)) == json.loads(result.to_json())
    ids = [v for _, n, v in page.attributes if n == "id"]
    assert len(ids) == len(set(ids))
    assert page.tags.count("table") == page.tags.count("caption")
    assert page.tags.count("th") == sum(n == "scope" for t, n, _ in page.attributes if t == "th")
    assert page.tags.count("svg") == page.tags.count("figure") == text.count('role="img"')
    assert len(text.encode()) < 500_000


def test_the_same_answer_gives_the_same_bytes():
    for name in ("yes", "envelope"):
        result, text, _ = answered(name)
        assert report.page(result) == text


@COMPARED
def test_the_verdict_comes_first_with_its_guarantee(name):
    result, text, page = answered(name)

    kind, head = banner(text)

    start = {"yes": "Yes: ", "no": "No: it is not so that "}.get(
        result.verdict, "Not enough evidence"
    )
    if result.guarantee == "heuristic":
        assert (kind, head[:13]) == ("invalid", "No guarantee:")
        return
    assert head.startswith(start)
    assert head.endswith(f"({result.guarantee})")
    wanted = {"yes": "promised", "no": "refuted"}.get(result.verdict, "nothing")
    if result.guarantee == "asymptotic" and wanted != "nothing":
        wanted = "asymptotic"
    assert kind == wanted
    if name != "hostile":
        assert " ".join(result.sentences()[0].split()) in page.text


def test_the_cases_show_every_kind_of_banner():
    kinds = {banner(answered(name)[1])[0] for name in CASES if name != "envelope"}

    assert kinds == {"promised", "refuted", "nothing", "asymptotic", "invalid"}


@COMPARED
def test_both_intervals_and_every_method_are_there_rounded_outward(name):
    result, _, page = answered(name)

    shown = [row for row in result.rows() if row["lower"] is not None]
    for interval in (result.guaranteed, result.asymptotic):
        if interval is not None:
            shown.append({"lower": interval.lower, "upper": interval.upper})
            assert interval.guarantee in page.text
    for row in shown:
        for value, way in ((row["lower"], "higher"), (row["upper"], "lower")):
            assert value in page.values
            if math.isfinite(value):
                assert outward(value, way) in page.text
    for row in result.rows():
        assert row["method"] in page.text
        assert row["guarantee"] in page.text
    assert page.text.count("(used)") == 1


def test_the_exact_test_is_told_in_full():
    result, text, page = answered("binary")
    test = result.test

    assert f"examples on which new is better {test.wins} descriptive" in page.text
    assert f"examples on which old is better {test.losses} descriptive" in page.text
    assert f"{outward(test.pvalue, 'lower', digits=4)} finite-sample" in page.text
    assert re.search(r"mid-p</th><td>[\d.e-]+</td><td>heuristic", text)
    assert outward(test.share.lower, "higher", digits=4) in page.text
    assert "The exact test" not in answered("yes")[1]


@COMPARED
def test_the_sections_come_in_the_order_of_their_weight(name):
    result, text, _ = answered(name)

    wanted = [
        "The picture",
        "Results",
        "Every method side by side",
        "The same question in each group" if result.subgroups else None,
        "The test set and the mix" if result.shares else None,
        "How the pairs were made",
        "Do the examples depend on each other?" if result.dependence else None,
        "Notes",
        "Assumptions",
        "What this does not say",
        "Where it comes from",
    ]
    assert re.findall(r"<h2>(.*?)</h2>", text) == [head for head in wanted if head]


def test_a_lost_guarantee_is_not_called_one():
    _, text, _ = answered("weights")

    assert '<th scope="row">without its guarantee</th>' in text
    assert '<th scope="row">guaranteed</th>' not in text
    assert '<th scope="row">guaranteed</th>' in answered("yes")[1]


def test_groups_shares_and_counts_are_tables():
    result, _, page = answered("mix")

    assert f"{100 * result.shares[0]['share']:.3g} %" in page.text
    assert f"{result.plain_estimate:.5g} with all examples alike" in page.text
    for row in answered("groups")[0].subgroups:
        assert row["lower"] in answered("groups")[2].values
        assert row["adjusted"] in answered("groups")[2].values
    assert f"pairs {N} examples that only old has 0" in page.text
    assert "<b>social" in page.text


def test_dependence_is_labelled():
    result = replace(
        answered("yes")[0],
        dependence={
            "clusters": {
                "n_clusters": 50,
                "se": 0.01,
                "naive_se": 0.008,
                "design_effect": 1.56,
                "icc": 0.28,
                "effective_n": 96.2,
                "lower": 0.0123456,
                "upper": 0.0987654,
                "method": "cr1_t",
                "guarantee": "asymptotic",
            },
            "serial": {
                "autocorrelations": [0.25, 0.125],
                "effective_n": 88.8,
                "guarantee": "descriptive",
            },
        },
    )

    page = Page(report.page(result))

    assert "By clusters (asymptotic: trusted for many clusters only)" in page.text
    assert "interval (cr1_t) [0.012345, 0.098766]" in page.text
    assert "In the order of time (descriptive)" in page.text
    assert "1 0.25 2 0.125 effective number of pairs 88.8" in page.text


@COMPARED
def test_what_is_not_said_is_said(name):
    result, _, page = answered(name)

    undecided = "Not enough evidence is no evidence of equality" in page.text
    assert undecided == (result.verdict == "not enough evidence")
    for always in (
        "not the probability that this verdict is wrong",
        "cases unlike those the examples come from",
        "must not have been picked because of their scores",
        "are no menu",
    ):
        assert always in page.text
    both = f"wrong has a probability of up to {100 * 2 * result.limit_alpha:.3g} %"
    assert (both in page.text) == (result.claim.alternative != "different")


@COMPARED
def test_notes_assumptions_and_the_digest_are_there(name):
    result, _, page = answered(name)

    for note in result.notes:
        assert note.partition(":")[0] in page.text
    for line in result.assumes:
        assert " ".join(line.split()) in page.text
    assert result.digest in page.text


def test_every_picture_of_numbers_has_a_table_of_them():
    result, text, page = answered("yes")

    assert page.tags.count("details") == 3  # differences, evidence, quantiles
    assert f">{result.decided_at}</th>" in text
    equal = f'{(result.d == 0).sum()}</td><td class="nf-n">{100 * (result.d == 0).mean():.3g} %'
    assert (
        f'<th scope="row" class="nf-id">0</th><td class="nf-n">0</td><td class="nf-n">{equal}'
        in (text)
    )


def test_hostile_ids_stay_text():
    _, text, _ = answered("hostile")

    assert "<script>alert" not in text
    assert "<b>social" not in text
    assert "{{ 7*7 }}" in text
    assert "\u202e" not in text


def test_a_lost_guarantee_is_a_red_banner():
    result = replace(answered("yes")[0], notes=("NF118: the rows follow each other.",))

    text = report.body(result)

    assert banner(text)[0] == "invalid"
    assert "Nothing is promised" in text


def test_an_envelope_says_what_it_is_for():
    result, text, page = answered("envelope")

    kind, head = banner(text)
    assert kind == "nothing"
    assert head == "Threshold at n = 2000: 0.06074 (finite-sample, for one n fixed in advance)"
    assert result.eps(2000) == pytest.approx(math.sqrt(2 * math.log(40) / 2000))
    for row in result.rows():
        assert row["eps"] in page.values
        assert outward(row["eps"], "lower") in page.text
    assert f"n at which it crosses {result.crossing}" in page.text
    assert "Crossing the envelope at one of many looks proves nothing" in page.text
    assert "input (SHA-256)" not in text
