import itertools
import json
import math

import numpy as np
import pytest

from nofluke import drift, proportions
from nofluke.drift import Watch, monitor, watch
from nofluke.errors import InputError


def test_a_watch_is_its_monitors_side_by_side():
    rng = np.random.default_rng(0)
    watched = watch(errors=0.2, positives=(5, 40), negatives=0.1, alpha=0.06)
    alone = {
        "errors": monitor(reference=0.2, alpha=0.02),
        "positives": monitor(reference=(5, 40), alpha=0.02),
        "negatives": monitor(reference=0.1, alpha=0.02),
    }
    for size in (1, 7, 30, 2):
        wrong, y = rng.random(size) < 0.4, rng.random(size) < 0.3
        watched = watched.add(wrong, positive=y)
        for name, mine in (("errors", y | True), ("positives", y), ("negatives", ~y)):
            if mine.any():
                alone[name] = alone[name].add(wrong[mine])
    for row in watched.rows():
        expected = alone[row["what"]]
        assert (row["evidence"], row["n"]) == (expected.evidence, expected.n)
        assert row["limit"] == pytest.approx(100 if row["what"] == "positives" else 50)
    assert (watched.batches, watched.n) == (4, 40)


def test_the_batch_of_an_alarm_is_counted_over_all_batches():
    watched = watch(positives=0.1, negatives=0.1)
    for _ in range(3):
        watched = watched.add([0, 0], positive=[0, 0])
    watched = watched.add([1] * 6, positive=[1] * 6)

    assert watched.alarms == {"positives": 4}
    assert watched.alarm == 4
    assert watched.monitors["positives"].alarm == 1
    assert watched.add([0], positive=[1]).alarms == {"positives": 4}


def test_a_state_goes_on_to_the_last_bit():
    rng = np.random.default_rng(1)
    straight = resumed = watch(errors=(30, 200), positives=0.3)
    for size in rng.integers(1, 40, 60):
        wrong, y = rng.random(size) < 0.25, rng.random(size) < 0.3
        straight = straight.add(wrong, positive=y)
        resumed = Watch.from_json(resumed.to_json()).add(wrong, positive=y)

    assert resumed.to_json() == straight.to_json()
    assert resumed.rows() == straight.rows()
    assert resumed.assumes == straight.assumes


@pytest.mark.parametrize("name", ["alpha", "batches", "monitors", "kind", "alarms"])
def test_a_damaged_state_is_refused(name):
    saved = json.loads(watch(errors=0.1).add([1]).to_json())
    for wrong in (None, "x", -1, [1]):
        with pytest.raises(InputError) as refused:
            Watch.from_json(json.dumps({**saved, name: wrong}))
        assert refused.value.code == "NF297"
    del saved[name]
    with pytest.raises(InputError):
        Watch.from_json(json.dumps(saved))
    with pytest.raises(InputError, match="not the state"):
        Watch.from_json("[")


def test_a_cut_list_of_bets_is_refused():
    saved = json.loads(watch(errors=0.1).add([1]).to_json())
    saved["monitors"]["errors"]["log_wealth"].pop()
    with pytest.raises(InputError, match="5 bets"):
        Watch.from_json(json.dumps(saved))


def test_the_mean_of_the_evidence_is_one_whatever_ends_a_batch():
    # All outcomes of seven rows, each with its probability, where an error or three rows end a
    # batch: sizes depend on what was seen, and the evidence stays a martingale from 1.
    p, mean = 0.3, 0.0
    for rows in itertools.product((0, 1), repeat=7):
        watched, batch = watch(errors=p), []
        for row in rows:
            batch.append(row)
            if row or len(batch) == 3:
                watched, batch = watched.add(batch), []
        if batch:
            watched = watched.add(batch)
        k = sum(rows)
        mean += p**k * (1 - p) ** (7 - k) * watched.monitors["errors"].evidence
    assert mean == pytest.approx(1, abs=1e-12)


def test_a_cluster_is_one_draw():
    by_rows = watch(errors=0.2).add([0.5, 1, 0])
    by_clusters = watch(errors=0.2).add([1, 1, 0, 0, 0], clusters=["b", "a", "b", "c", "c"])

    assert by_clusters.monitors["errors"].evidence == by_rows.monitors["errors"].evidence
    assert by_clusters.n == 5
    ones = watch(errors=0.2).add([1, 0, 1], clusters=[1, 2, 3])
    assert ones.rows()[0]["evidence"] == watch(errors=0.2).add([1, 0, 1]).rows()[0]["evidence"]


def test_an_interval_as_reference_takes_its_level_off():
    limit = proportions.of_counts(5, 100, alpha=0.03, side="upper")
    found = monitor(reference=limit, alpha=0.05)

    assert (found.reference, found.taken) == (limit.upper, 0.03)
    assert found.limit == pytest.approx(1 / 0.02)
    assert found.add_counts(40, 50).pvalue == pytest.approx(0.03, abs=1e-6)
    for wrong in (
        proportions.of_counts(5, 100, alpha=0.05, side="upper"),
        proportions.of_counts(5, 100, alpha=0.01, side="lower"),
        proportions.of_counts(5, 5, alpha=0.01, side="upper"),
    ):
        with pytest.raises(InputError):
            monitor(reference=wrong, alpha=0.05)


def test_what_cannot_be_watched():
    with pytest.raises(InputError, match="a reference"):
        watch()
    with pytest.raises(InputError, match="positive= is missing"):
        watch(positives=0.1).add([1])
    with pytest.raises(InputError, match="clusters has shape"):
        watch(errors=0.1).add([1, 0], clusters=[1])
    with pytest.raises(InputError):
        watch(errors=0.1).add([math.nan])


def test_a_move_between_two_estimates_needs_both_to_be_away():
    before, near, far = (proportions.of_counts(k, 100, alpha=0.01) for k in (10, 20, 50))

    assert not drift.moved(near, before)
    assert drift.moved(far, before)
    assert drift.moved(before, far)
    assert drift.moved(far, 0.1)
    assert not drift.moved(None, before)
    share = drift.bbse(80, 20, 20, 380, flagged=300, n=800)
    assert drift.diagnose(share=share, prevalence=before).seen == ("share of positives",)
    # Labels of now take the place of flags.
    assert drift.diagnose(share=share, labelled=near, prevalence=before).seen == ()
    assert drift.diagnose(labelled=far, prevalence=0.1).seen == ("share of positives",)


def test_flags_say_nothing_of_the_share_once_rates_within_a_class_have_moved():
    share = drift.bbse(80, 20, 20, 380, flagged=300, n=800)
    alarm = monitor(reference=0.2).add_counts(30, 50)
    found = drift.diagnose(share=share, prevalence=0.1, negatives=alarm)

    assert found.seen == ("errors within a class",)
    assert found.excluded == ("label drift alone",)


@pytest.mark.parametrize("positive", [[-1, -1, 1], [0.0, float("nan"), 1.0], ["no", "yes", "yes"]])
def test_labels_that_are_not_true_or_false_are_refused(positive):
    """Each of them would count every row as positive."""
    begun = watch(positives=0.1, negatives=0.1)
    with pytest.raises(InputError, match="True or False") as refused:
        begun.add([1, 0, 1], positive=positive)
    assert refused.value.code == "NF008"
    assert begun.add([1, 0], positive=[1.0, 0.0]).rows()[1]["n"] == 1
