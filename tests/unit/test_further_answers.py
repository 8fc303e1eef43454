"""Pictures and pages of corpus comparisons, audits of methods and watches."""

import json
import math
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import nofluke
from nofluke import ComparisonStream, Scores, plots, report
from nofluke.cli import show
from nofluke.cli.tables import visible
from nofluke.errors import InputError
from nofluke.questions.watched import answer
from nofluke.scores.table import Labels

HOSTILE = ("<script>alert(1)</script>", 'it\'s "q" & {{ 7*7 }} $a_b$\n\u202eb</td>')


def corpus(names=("old", "new"), *, n=120, same=False, clusters=False):
    rng = np.random.default_rng(3)
    words = rng.integers(5, 30, n)
    errors = [rng.binomial(words, rate).astype(float) for rate in (0.25, 0.12)]
    if same:
        errors[1] = errors[0]
    scores = Scores.from_arrays(np.zeros((2, n)), candidates=list(names), better="lower")
    kept = {"errors": np.concatenate(errors), "words": np.tile(words.astype(float), 2)}
    labels = None
    if clusters:
        codes = np.tile(np.arange(n, dtype=np.int32) // 4, 2)
        labels = Labels(codes, tuple(f"d{i:02d}" for i in range(n // 4)))
    return replace(scores, kept=kept, cluster=labels)


def pooled(table, statistic="errors/words", **how):
    return nofluke.compare_pooled(table, *table.candidates, statistic, n_resamples=400, **how)


def trap():
    return nofluke.audit_methods([0.01] * 99 + [-1.0], n=50, n_streams=300, bounds=(-1, 1))


def calm():
    d = np.random.default_rng(0).normal(0, 0.1, 200)
    found = nofluke.audit_methods(d, n=60, n_streams=300, bounds=(-1, 1))
    honest = ("t", "star", "betting")
    return replace(found, audited=tuple(e for e in found.audited if e.method in honest))


def watch(gains, **how):
    stream = ComparisonStream(bounds=(0, 1), better="higher", **how)
    for gain in gains:
        stream.update(0.5 - gain / 2, 0.5 + gain / 2)
    return answer(stream, names=how.get("names", ("old", "new")))


POOLED = {
    "better": lambda: pooled(corpus(), alternative="better", better="lower"),
    "worse": lambda: pooled(corpus(), alternative="worse", better="lower"),
    "different": lambda: pooled(corpus()),
    "clusters": lambda: pooled(corpus(clusters=True)),
    "same": lambda: pooled(corpus(same=True)),
    "function": lambda: pooled(corpus(), lambda c: float(c["errors"].max())),
    "hostile": lambda: pooled(corpus(HOSTILE)),
}
AUDITS = {"trap": trap, "calm": calm}
WATCHES = {
    "win": lambda: watch([0.5] * 40),
    "loss": lambda: watch([-0.5] * 40, margin=0.1),
    "undecided": lambda: watch([0.1, -0.1] * 10),
    "empty": lambda: watch([]),
    "not worse": lambda: watch([0.1] * 200, alternative="not-worse", margin=0.2),
    "apart": lambda: watch([-0.5] * 40, alternative="different"),
    "alike": lambda: watch([0.02, -0.02] * 300, alternative="different", margin=0.2),
    "equal": lambda: watch([0.02, -0.02] * 300, alternative="equivalent", margin=0.2),
    "unequal": lambda: watch([0.6] * 100, alternative="equivalent", margin=0.2),
}
CASES = {**POOLED, **AUDITS, **WATCHES}


@cache
def answered(name):
    return CASES[name]()


def words(ax):
    told = [ax.get_title(loc="left"), ax.get_xlabel(), ax.get_label()]
    told += [t.get_text() for t in [*ax.texts, *ax.get_yticklabels()]]
    return " ".join(told)


def drawn(ax, label):
    return [line.get_xydata() for line in ax.lines if line.get_label() == label]


class Page(HTMLParser):
    """Balanced tags, words, and the one script."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.scripts, self.tags, self.values = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("meta", "br", "link", "input"):
            self.open.append(tag)
        if tag == "data":
            self.values.append(float(dict(attrs)["value"]))

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.scripts if self.open[-1:] == ["script"] else self.words).append(data)

    @property
    def text(self):
        return re.sub(r"\s+", " ", " ".join(self.words))


@cache
def paged(name):
    text = report.page(answered(name))
    kind, head = re.search(r'class="nf-banner nf-(\w+)".*?<h1>(.*?)</h1>', text, re.DOTALL).groups()
    return text, Page(text), (kind, head)


@pytest.mark.parametrize("name", POOLED)
def test_a_corpus_picture_holds_the_estimates_and_their_limits(name):
    result = answered(name)

    ax = result.plot()

    rows = result.rows()
    dots = drawn(ax, "estimate")
    assert [tuple(dot[0]) for dot in dots] == [
        (pytest.approx(row["estimate"]), place) for place, row in enumerate(rows)
    ]
    held = [row[key] for row in rows for key in ("lower", "upper")]
    ends = [point[0] for point in (*drawn(ax, "limit"),)]
    assert sorted(x for x, _ in ends) == pytest.approx(sorted(v for v in held if math.isfinite(v)))
    assert len(drawn(ax, "no limit")) == sum(map(math.isinf, held))
    assert ("arrow: no limit" in words(ax)) == any(map(math.isinf, held))
    low, high = ax.get_xlim()
    assert all(low <= x <= high for x, _ in ends)
    assert len(drawn(ax, "zero")) == 1
    assert f"{result.guarantee}, verdict: {result.verdict}" in words(ax)
    assert words(ax).count("decides") == 3  # its line, the footer and the description


def test_the_corpus_picture_says_which_way_is_better():
    assert "new minus old, left is better" in answered("better").plot().get_xlabel()
    assert "is better" not in answered("different").plot().get_xlabel()
    assert "since the question is one-sided" in words(answered("better").plot())
    assert "one-sided" not in words(answered("same").plot())


@pytest.mark.parametrize("name", AUDITS)
def test_an_audit_picture_holds_the_rates_their_errors_and_the_level(name):
    result = answered(name)

    ax = result.plot()

    dots = drawn(ax, "false alarms")
    for place, (dot, entry) in enumerate(zip(dots, result.audited, strict=True)):
        assert tuple(dot[0]) == (entry.false_alarm, place)
        bar = drawn(ax, entry.method)[0]
        assert bar[:, 0].tolist() == pytest.approx(
            [max(0, entry.false_alarm - 2 * entry.se), min(1, entry.false_alarm + 2 * entry.se)]
        )
        assert (bar[:, 1] == place).all()
        assert f"{entry.method}\n{entry.guarantee}" in words(ax)
    assert drawn(ax, "alpha")[0][:, 0].tolist() == [result.alpha] * 2
    low, high = ax.get_xlim()
    assert all(low <= x <= high for line in ax.lines for x in line.get_xdata())
    assert words(ax).count("too many") == sum(entry.above_alpha for entry in result.audited)


def test_pictures_go_onto_axes_of_the_caller_and_into_svg():
    from matplotlib.figure import Figure

    for name in ("better", "trap"):
        ax = Figure().add_subplot()
        assert plots.draw(answered(name), ax=ax) is ax
        assert plots.svg(ax).startswith("<svg role")
    assert "<script" not in plots.svg(answered("hostile").plot())
    with pytest.raises(InputError, match="no picture for a Watched"):
        answered("win").plot()


@pytest.mark.parametrize("name", CASES)
def test_a_page_is_whole_and_embeds_its_answer(name):
    result = answered(name)
    text, page, _ = paged(name)

    assert json.loads("".join(page.scripts)) == json.loads(result.to_json())
    assert page.tags.count("svg") == (0 if name in WATCHES else 1)
    assert page.tags.count("table") == page.tags.count("caption")
    assert not re.search(r"@import|url\((?!#)|<link|<iframe|<img|<script>alert", text)
    assert report.page(result) == text
    for assumption in result.assumes:
        assert assumption in page.text
    if name != "hostile":
        for sentence in result.sentences():
            assert " ".join(sentence.split()) in page.text


BANNERS = {
    "better": ("asymptotic", "Yes: new is better than old in errors/words (asymptotic)"),
    "worse": ("nothing", "Not enough evidence (asymptotic)"),
    "different": ("asymptotic", "Yes: old and new differ in errors/words (asymptotic)"),
    "same": ("nothing", "Not enough evidence (asymptotic)"),
    "calm": ("nothing", "No test clearly has more than 5 % false alarms (descriptive)"),
    "win": ("promised", "Decided: new is better than old (anytime)"),
    "loss": ("refuted", "Decided: new is not better than old (anytime)"),
    "undecided": ("nothing", "No verdict yet after 20 items (anytime)"),
    "empty": ("nothing", "No verdict yet after 0 items (anytime)"),
    "not worse": ("promised", "Decided: new is not worse than old (anytime)"),
    "apart": ("promised", "Decided: new is worse than old (anytime)"),
    "alike": ("refuted", "Decided: old and new are not different (anytime)"),
    "equal": ("promised", "Decided: old and new are equivalent (anytime)"),
    "unequal": ("refuted", "Decided: old and new are not equivalent (anytime)"),
}


@pytest.mark.parametrize("name", BANNERS)
def test_the_answer_comes_first_with_its_guarantee(name):
    assert paged(name)[2] == BANNERS[name]


def test_an_audit_counts_the_tests_that_are_not_to_be_trusted():
    above = sum(entry.above_alpha for entry in answered("trap").audited)

    kind, head = paged("trap")[2]

    assert above > 1
    assert kind == "nothing"
    assert head.startswith(f"{above} of 10 tests have clearly more than 5 % false alarms")


def test_dependent_rows_are_no_answer():
    for name in ("better", "trap"):
        lost = replace(answered(name), notes=("NF118: rows follow each other.",))
        assert "nf-banner nf-invalid" in report.page(lost)


def test_pages_print_numbers_as_they_are():
    better, calm_, win = (answered(name) for name in ("better", "calm", "win"))

    assert paged("better")[1].values == [row["upper"] for row in better.rows()]
    assert paged("calm")[1].values == [row["false_alarm"] for row in calm_.rows()]
    assert paged("win")[1].values == [row["e_value"] for row in win.rows()]
    assert "holding 120 items" in paged("clusters")[1].text
    assert "There is no picture" in paged("win")[1].text


def test_evidence_on_a_page_never_looks_like_more_than_it_is():
    near = replace(
        answered("undecided"), evidence={"gain <= 0": 19.99999}, needed={"gain <= 0": 20}
    )

    assert ">19.99<" in report.page(near)


def test_text_holds_the_names_of_both_sides_and_no_control_characters(capsys):
    for name in ("hostile", "trap"):
        show.answer(answered(name), form="text", work=False, quiet=False)
        told = capsys.readouterr().out
        assert "\u202e" not in told
        assert answered(name).guarantee in told
        for side in getattr(answered(name), "names", ()):
            assert visible(side) in told


def test_the_front_door_opens_every_room_and_lists_it():
    assert nofluke.__all__ == sorted(nofluke.__all__)
    for name in nofluke.__all__:
        assert getattr(nofluke, name) is not None
    assert {"permutation", "compare_pooled", "audit_methods", "selection"} <= set(dir(nofluke))
