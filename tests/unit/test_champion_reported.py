"""Forensics of reported numbers on a champion's card."""

import json
import math

import numpy as np
import pytest

from nofluke import Predictions, Scores, champion
from nofluke.errors import InputError
from nofluke.proportions import of_counts
from nofluke.questions.champion_reported import places_of
from nofluke.questions.champion_sizes import ShareSizes
from nofluke.selection.optimism import grim_accuracy, grim_auc, implied_se

SIZES = {"n_positive": 50, "n_negative": 950}


def codes(card):
    return {note[:5] for note in card.notes}


def test_texts_keep_the_decimals_that_were_printed():
    card = champion(["0.80", "0.8", "0.83"], **SIZES)
    assert [row["decimals"] for row in card.reported] == [2, 1, 2]
    short, long = card.reported[1], card.reported[0]
    assert short["fewest"] < long["fewest"] < long["most"] < short["most"]
    assert {row["possible"] for row in card.reported} == {True}
    assert codes(card).isdisjoint({"NF280", "NF281"})
    assert champion([0.80, 0.8, 0.83], **SIZES).row("winner") == card.row("winner")


def test_decimals_are_never_guessed():
    card = champion([0.80, 0.83], **SIZES)
    assert {row["possible"] for row in card.reported} == {None}
    assert all(row["reason"] for row in card.reported)
    assert "NF280" in codes(card)
    told = champion([0.80, 0.83], decimals=2, **SIZES)
    assert [row["decimals"] for row in told.reported] == [2, 2]
    assert "NF280" not in codes(told)
    # What the caller says has the last word: a program dropped the zero.
    assert champion(["0.8", "0.83"], decimals=2, **SIZES).reported[0]["decimals"] == 2


def test_an_impossible_area_is_named_with_its_neighbours():
    card = champion(["0.84", "0.85"], n_positive=4, n_negative=5)
    wrong, right = card.reported
    want = grim_auc("0.84", 4, 5, 2)
    assert (wrong["possible"], right["possible"]) == (False, True)
    assert (wrong["below"], wrong["above"]) == (want.below, want.above) == (0.825, 0.85)
    assert "NF281" in codes(card)
    said = " ".join(card.sentences())
    assert "1 of 2 reported numbers cannot come from 4 positive and 5 negative rows" in said
    assert "0.84 (candidate 1), where the nearest that can are 0.825 and 0.85" in said


def test_the_error_of_one_number_stands_beside_it():
    card = champion(["0.78", "0.83"], **SIZES)
    assert [row["se"] for row in card.reported] == [implied_se(v, 50, 950) for v in (0.78, 0.83)]
    assert {row["guarantee"] for row in card.reported} == {"heuristic"}
    assert "standard error 0.03609 to 0.03922 (heuristic)" in " ".join(card.sentences())
    shares = champion(["0.9", "0.8"], n_rows=50, better="higher").reported
    assert [row["se"] for row in shares] == pytest.approx([math.sqrt(0.09 / 50), math.sqrt(0.0032)])


def test_the_gate_lies_inside_the_noise_where_it_does():
    card = champion(["0.78", "0.83"], gate=0.82, **SIZES)
    said = " ".join(card.sentences())
    assert "inside the noise of one score at the planned 0.805" in said
    assert "inside the noise of the best score 0.83" in said
    far = champion(["0.78", "0.83"], gate=0.95, n_positive=5000, n_negative=5000)
    assert not any(noise["inside"] for noise in far.gate["noise"])
    assert "inside the noise" not in " ".join(far.sentences())


@pytest.mark.parametrize("value", [0.0, 0.3, 0.85, 1.0])
def test_the_noise_of_a_share_is_wilsons(value):
    card = champion([value, 0.5], gate=0.6, n_rows=40, better="higher")
    best = max(value, 0.5)
    noise = card.gate["noise"][1]
    want = of_counts(round(40 * best), 40, method="wilson", level=0.95)
    assert (noise["lower"], noise["upper"]) == pytest.approx((want.lower, want.upper))


def test_a_share_pays_for_the_choice_exactly():
    card = champion(["0.90", "0.94", "0.86"], n_rows=50, metric="accuracy")
    row = card.row("winner")
    want = of_counts(47, 50, alpha=(1 - 0.95) / 3)
    assert (row["lower"], row["upper"]) == (want.lower, want.upper)
    assert row["guarantee"] == "finite-sample"
    more = champion(["0.90", "0.94", "0.86"], n_rows=50, metric="accuracy", tried=30)
    assert more.row("winner")["lower"] < row["lower"]


def test_rounding_of_a_share_goes_to_the_safe_side():
    """0.9 of 1000 rows to one decimal is any count from 850 to 950."""
    row = champion(["0.9", "0.8"], n_rows=1000, metric="accuracy").row("winner")
    low, high = (of_counts(c, 1000, alpha=(1 - 0.95) / 2) for c in (850, 950))
    assert (row["lower"], row["upper"]) == (low.lower, high.upper)


def test_a_share_without_decimals_or_count_is_asymptotic():
    plain = champion([0.90, 0.94], n_rows=50, metric="accuracy").row("winner")
    impossible = champion(["0.90", "0.931"], n_rows=50, metric="accuracy")
    assert plain["guarantee"] == impossible.row("winner")["guarantee"] == "asymptotic"
    assert "NF281" in codes(impossible)
    want = of_counts(47, 50, method="wilson", alpha=(1 - 0.95) / 2)
    assert (plain["lower"], plain["upper"]) == pytest.approx((want.lower, want.upper))


def test_error_rates_win_downwards():
    card = champion(["0.10", "0.06"], n_rows=50, metric="error_rate")
    want = of_counts(3, 50, alpha=(1 - 0.95) / 2)
    row = card.row("winner")
    assert card.best == "2"
    assert (row["lower"], row["upper"]) == (want.lower, want.upper)


def test_a_published_number_is_checked_against_the_rows():
    y = np.arange(9) < 4
    s = np.array([5, 4, 3, 2, 1, 6, 0, 0, 1.5])
    table = Predictions.from_arrays(y, {"a": s, "b": s[::-1] + y})
    card = champion(table, published="0.84")
    (row,) = card.reported
    assert (row["candidate"], row["possible"]) == (None, False)
    assert row["rows"] == "4 positive and 5 negative rows"
    assert "if it is of the same 4 positive and 5 negative rows" in " ".join(card.sentences())
    x = np.array([[1, 0, 1, 1, 0, 1, 1], [1, 1, 1, 1, 0, 1, 1]])
    right = champion(Scores.from_arrays(x, metric="accuracy"), published="0.71").reported
    assert right[0]["possible"] == grim_accuracy("0.71", 7, 2).possible
    assert champion(Scores.from_arrays(x / 2.0, better="higher"), published="0.3").reported == ()


@pytest.mark.parametrize(
    ("text", "places"), [("0.80", 2), ("1", 0), ("8.310e-1", 4), ("12e1", 0), ("x", None)]
)
def test_places(text, places):
    assert places_of(text) == places


@pytest.mark.parametrize(
    ("data", "how", "code"),
    [
        (["0.80", "0.831"], {"decimals": 2, **SIZES}, "NF284"),
        ([0.8, 0.8315], {"decimals": 3, **SIZES}, "NF284"),
        ([0.8, 0.83], {"decimals": 2}, "NF284"),
        ([0.8, 0.83], {"decimals": 16, **SIZES}, "NF284"),
        ([0.8, 0.83], {"decimals": -1}, "NF008"),
        ([0.8, 0.83], {"n_rows": 10, **SIZES}, "NF284"),
        ([0.8, 0.83], {"n_rows": 10, "metric": "auc"}, "NF284"),
        ([0.8, 0.83], {"n_rows": 10, "metric": "f1"}, "NF284"),
        ([0.8, 0.83], {"metric": "accuracy", **SIZES}, "NF284"),
        ([80, 83], {"n_rows": 10}, "NF254"),
        (["0.8", "high"], {}, "NF004"),
    ],
)
def test_what_is_refused(data, how, code):
    with pytest.raises(InputError) as refused:
        champion(data, **{"better": "higher"} | how)
    assert refused.value.code == code


def test_json_and_page_show_reported_numbers(tmp_path):
    card = champion({"<i>a": "0.84", "x": "0.85"}, n_positive=4, n_negative=5)
    told = json.loads(card.to_json())
    assert [row["possible"] for row in told["reported"]] == [False, True]
    page = tmp_path / "card.html"
    card.report(page)
    text = page.read_text("utf-8")
    assert "Reported numbers, each from 4 positive and 5 negative rows" in text
    assert "<i>a" not in text


@pytest.mark.parametrize("n", [7, 9, 40, 357])
@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.05 / 3])
def test_the_usual_limits_of_a_share_are_wilsons(n, alpha):
    sizes = ShareSizes(rows=n)
    for ones in range(n + 1):
        want = of_counts(ones, n, method="wilson", alpha=alpha)
        assert sizes.usual(ones / n, alpha) == pytest.approx((want.lower, want.upper), rel=1e-12)
    assert sizes.usual(0.0, alpha)[0] == 0
    assert sizes.usual(1.0, alpha)[1] == 1


@pytest.mark.parametrize("n_rows", [7, 27, 49, 57])
def test_a_gate_that_a_share_shows_lies_inside_its_noise(n_rows):
    for value in (0.0, 1.0):
        card = champion([value, 0.5], better="higher", n_rows=n_rows, gate=value, planned="name:1")
        assert card.gate["noise"][0]["inside"]


@pytest.mark.parametrize(
    ("scores", "how", "arrived"),
    [
        ([-0.2, 0.5, 1.5], {"n_rows": 10}, "-0.2, 1.5 arrived; leave"),
        ([80.0, 83.0], SIZES, "80.0, 83.0 arrived; divide by 100"),
        ([0.8, 0.83], SIZES | {"better": "lower"}, "here a lower one wins; leave"),
    ],
)
def test_sizes_that_do_not_fit_say_what_arrived(scores, how, arrived):
    with pytest.raises(InputError, match=arrived) as caught:
        champion(scores, **{"better": "higher"} | how)
    assert caught.value.code == "NF254"
