"""Sample sizes, detectable gains and trades: what is answered, said and refused."""

import json
import math

import numpy as np
import pytest

from nofluke import Scores, compare, plan
from nofluke.errors import InputError

RNG = np.random.default_rng(0)
U = RNG.random(200)
SPARSE = (U < 0.08).astype(float) - (U > 0.95)
QUICK = {"n_streams": 200}


def table(d, **how):
    how = {"better": "higher", "bounds": (0, 1)} | how
    return Scores.from_arrays({"old": 0.5 - d / 2, "new": 0.5 + d / 2}, **how)


class TestWhichTest:
    @pytest.mark.parametrize(
        ("how", "method"),
        [
            ({"delta": 0.05}, "hoeffding"),
            ({"delta": 0.05, "sd": 0.2}, "t"),
            ({"p_win": 0.1, "p_loss": 0.05}, "mcnemar"),
            ({"delta": 0.05, "p_loss": 0.05}, "mcnemar"),
            ({"delta": 0.05, "bar": 0.8}, "clopper_pearson"),
            ({"gamma": 0.1}, "quantile"),
            ({"delta": 0.05, "pilot": SPARSE, "binary": True}, "mcnemar"),
            ({"delta": 0.05, "pilot": SPARSE, "bounds": (0, 1)}, "star"),
        ],
    )
    def test_auto_takes_what_fits(self, how, method):
        assert plan.sample_size(**how, **QUICK).method == method

    def test_auto_plans_for_the_method_that_compare_takes(self):
        binary = Scores.from_arrays(
            {"old": (SPARSE < 0).astype(float), "new": (SPARSE > 0).astype(float)},
            better="higher",
            binary=True,
        )
        for scores in (binary, table(SPARSE)):
            planned = plan.sample_size(0.05, pilot=scores, a="old", b="new", **QUICK)
            assert planned.method == compare(scores, "old", "new").method

    def test_two_of_three_shares_are_enough(self):
        sizes = {
            plan.sample_size(p_win=0.1, p_loss=0.04).n,
            plan.sample_size(0.06, p_loss=0.04).n,
            plan.sample_size(0.06, p_win=0.1).n,
        }

        assert len(sizes) == 1


class TestPilots:
    def test_a_table_is_the_same_as_its_gains(self):
        of_table = plan.sample_size(0.05, pilot=table(SPARSE), a="old", b="new", method="t")
        of_gains = plan.sample_size(0.05, pilot=SPARSE, method="t", bounds=(0, 1))

        assert of_table.n == of_gains.n

    def test_lower_scores_that_win_are_gains(self):
        lower = table(-SPARSE, better="lower")
        answer = plan.sample_size(0.05, pilot=lower, a="old", b="new", method="t")

        assert answer.n == plan.sample_size(0.05, pilot=SPARSE, method="t").n

    def test_binary_pilots_are_exact(self):
        """Tilted to the mean delta: wins and losses keep the product of their odds against ties."""
        answer = plan.sample_size(0.05, pilot=SPARSE, binary=True)
        win, loss, tie = (SPARSE > 0).mean(), (SPARSE < 0).mean(), (SPARSE == 0).mean()
        # (win e^h - loss e^-h) / (win e^h + loss e^-h + tie) = delta: a quadratic in e^h.
        a, b, c = win * 0.95, -0.05 * tie, -loss * 1.05
        e = (-b + math.sqrt(b * b - 4 * a * c)) / (2 * a)
        whole = win * e + loss / e + tie

        assert answer.n == plan.sample_size(p_win=win * e / whole, p_loss=loss / e / whole).n

    def test_the_size_of_clusters_is_used(self):
        labels = np.arange(200) // 4
        answer = plan.sample_size(0.05, pilot=SPARSE, clusters=labels, method="t")
        means = SPARSE.reshape(50, 4).mean(1)

        assert (answer.unit, answer.items) == ("clusters", 4 * answer.n)
        assert answer.n == plan.sample_size(0.05, pilot=means, method="t").n

    def test_clusters_that_count_by_size_need_more_where_sizes_differ(self):
        labels = np.repeat(np.arange(40), np.tile([1, 9], 20))
        how = {"pilot": SPARSE, "clusters": labels, "bounds": (0, 1), "method": "star", **QUICK}
        once = plan.sample_size(0.05, **how)
        by_size = plan.sample_size(0.05, **how, max_cluster_size=20)

        assert (by_size.floor, once.floor) == (None, 62)
        assert by_size.n != once.n

    def test_a_loss_is_planned_from_the_mirror(self):
        up = plan.sample_size(0.05, pilot=SPARSE, method="t")
        down = plan.sample_size(0.05, pilot=-SPARSE, method="t", side="upper")

        assert up.n == down.n
        assert "B is worse" in down.sentences()[0]

    def test_cautions(self):
        far = plan.sample_size(0.4, pilot=SPARSE, bounds=(0, 1), method="star", **QUICK)
        few = plan.sample_size(0.05, pilot=SPARSE[:25], method="t")
        small = plan.sample_size(0.05, sd=0.02)

        assert {note[:5] for note in far.notes} == {"NF173", "NF171"}
        assert {note[:5] for note in few.notes} == {"NF173", "NF170", "NF172"} - (
            {"NF172"} if few.n >= few.floor else set()
        )
        assert (small.notes[0][:5], small.floor) == ("NF172", 62)
        assert small.n < 62


class TestSimulation:
    def test_it_says_how_sure_it_is(self):
        answer = plan.sample_size(0.06, pilot=SPARSE, bounds=(0, 1), method="hedged_star", **QUICK)

        assert (answer.guarantee, answer.test_guarantee) == ("heuristic", "anytime")
        assert answer.se == pytest.approx(math.sqrt(0.8 * 0.2 / 200), rel=0.1)
        assert answer.mean_units < answer.n
        assert answer.n_error > 0
        assert "standard error" in answer.sentences()[1]

    def test_the_same_seed_is_the_same_answer(self):
        how = {"pilot": SPARSE, "bounds": (0, 1), "method": "star", **QUICK}

        assert plan.sample_size(0.06, **how).to_json() == plan.sample_size(0.06, **how).to_json()

    def test_detectable_is_the_inverse(self):
        how = {"pilot": SPARSE, "bounds": (0, 1), "method": "star", "n_streams": 500}
        n = plan.sample_size(0.06, **how).n

        assert plan.detectable(n, **how).delta == pytest.approx(0.06, rel=0.02)

    def test_too_few_units_show_nothing(self):
        answer = plan.detectable(3, pilot=SPARSE, bounds=(0, 1), method="star", **QUICK)

        assert (answer.delta, answer.floor) == (None, None)
        assert "however large" in answer.sentences()[0]
        json.loads(answer.to_json())


class TestMargins:
    def test_a_margin_moves_the_null(self):
        assert plan.sample_size(0.07, margin=0.02, sd=0.2).n == plan.sample_size(0.05, sd=0.2).n
        by_hoeffding = plan.sample_size(0.07, margin=0.02, method="hoeffding")
        assert by_hoeffding.n == 7198

    def test_non_inferiority_of_equals(self):
        answer = plan.sample_size(0, margin=-0.05, sd=0.2)

        assert answer.n == 101
        assert "B is not worse by 0.05 or more" in answer.sentences()[0]

    def test_betting_at_a_margin(self):
        how = {"pilot": SPARSE, "bounds": (0, 1), "method": "star", **QUICK}

        assert plan.sample_size(0.08, margin=0.02, **how).n > plan.sample_size(0.08, **how).n


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        ({}, "NF008", "delta= is missing"),
        ({"delta": 0, "sd": 0.2}, "NF008", "above margin=0"),
        ({"delta": 1.5, "sd": 0.2, "bounds": (0, 1)}, "NF008", "1 is the largest gain"),
        ({"delta": 0.05, "method": "t"}, "NF008", "needs sd="),
        ({"delta": 0.05, "method": "star"}, "NF008", "needs a pilot"),
        ({"delta": 0.05, "method": "mcnemar"}, "NF008", "p_win="),
        ({"delta": 0.05, "method": "magic"}, "NF008", "not one of"),
        ({"delta": 0.05, "sd": 0.2, "method": "hoeffding"}, "NF008", "sd= would be ignored"),
        ({"delta": 0.05, "sd": 0.2, "gamma": 0.1}, "NF008", "would be ignored"),
        ({"delta": 0.05, "gamma": 0.1}, "NF008", "delta= would be ignored"),
        ({"delta": 0.05, "sd": 0.2, "icc": 0.1}, "NF008", "both cluster_size= and icc="),
        ({"delta": 0.05, "sd": 0.2, "side": "upper"}, "NF008", "needs a pilot"),
        ({"delta": 0.05, "sd": 0.2, "clusters": True}, "NF008", "there is none"),
        ({"delta": 0.05, "sd": 0.2, "power": 80}, "NF008", "write 0.8"),
        ({"delta": 0.05, "p_win": 0.3, "p_loss": 0.1}, "NF008", "two of the three"),
        ({"delta": 0.05, "p_loss": 0.1, "margin": 0.01}, "NF008", "test at margin 0"),
        ({"delta": 0.05, "pilot": SPARSE, "method": "star"}, "NF016", "bounds="),
        ({"delta": 0.05, "pilot": [0.1, 0.1], "method": "t"}, "NF032", "how much gains vary"),
        ({"delta": 0.05, "pilot": [-0.2, 0.01], "method": "t"}, "NF032", "no reweighting"),
        ({"delta": 0.05, "pilot": [0.5, 3], "bounds": (0, 1)}, "NF010", "outside bounds"),
        ({"delta": 0.05, "pilot": [0.5, 0], "binary": True}, "NF014", "other than"),
        ({"delta": 0.05, "pilot": table(SPARSE)}, "NF008", "both a= and b="),
        ({"delta": 1e-7, "bar": 0.5}, "NF032", "no n within reach"),
        ({"delta": 1e-9, "sd": 1}, "NF032", "no n within reach"),
    ],
)
def test_what_cannot_be_planned_is_refused(how, code, said):
    with pytest.raises(InputError) as refused:
        plan.sample_size(**how)

    assert refused.value.code == code
    assert said in str(refused.value)


class TestScoresWithoutBounds:
    """The t test needs none, and a gain may be as large as it likes."""

    def test_everything_scales(self):
        assert plan.sample_size(50, sd=200).n == plan.sample_size(0.05, sd=0.2).n
        assert plan.sample_size(50, sd=200).floor is None
        small, large = plan.detectable(30, sd=0.2), plan.detectable(30, sd=2000)
        assert large.delta == pytest.approx(1e4 * small.delta, rel=1e-6)

    def test_a_floor_says_for_which_scores_it_is(self):
        assert "scores in [0, 1]" in plan.sample_size(0.05, sd=0.2).sentences()[-1]
        stars = plan.sample_size(0.5, sd=1, bounds=(1, 5))
        assert "scores in [1, 5]" in stars.sentences()[-1]
        assert stars.floor == math.ceil(math.log(20) / math.log(1.125))

    def test_one_unit_shows_nothing(self):
        assert plan.detectable(1, sd=0.2).delta is None


@pytest.mark.parametrize(
    "answer",
    [
        plan.sample_size(0.05, sd=0.2),
        plan.detectable(50, method="dkw"),
        plan.trade(0.05, between=0.1, within=0.3),
    ],
    ids=lambda a: a.kind,
)
def test_answers_have_pages_and_rows(answer):
    assert str(answer.n) in answer._repr_html_()
    assert answer.to_dict()["kind"] == answer.kind
    assert set(answer.rows()[0]) <= set(answer.frame().columns)


def test_simulated_sizes_keep_the_laws():
    how = {"pilot": SPARSE, "bounds": (0, 1), "method": "star", "n_streams": 400}
    sizes = [
        plan.sample_size(0.08, **how).n,
        plan.sample_size(0.06, **how).n,
        plan.sample_size(0.06, power=0.9, **how).n,
        plan.sample_size(0.06, power=0.9, alpha=0.01, **how).n,
    ]

    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 4


class TestTrade:
    def test_each_split_is_a_t_test_on_items(self):
        answer = plan.trade(0.05, between=0.1, within=0.3, repeats=(1, 4), cost=2, cost_per_run=5)

        for row in answer.rows():
            sd = math.sqrt(0.1**2 + 0.3**2 / row["repeats"])
            assert row["n"] == plan.sample_size(0.05, sd=sd).n
            assert row["cost"] == row["n"] * (2 + 5 * row["repeats"])

    def test_free_runs_are_taken_and_dear_ones_not(self):
        spread = {"between": 0.1, "within": 0.3, "repeats": (1, 3, 9)}

        assert plan.trade(0.05, cost=1, cost_per_run=0, **spread).cheapest["repeats"] == 9
        assert plan.trade(0.05, cost=0, cost_per_run=1, **spread).cheapest["repeats"] == 1

    def test_components_are_found_in_a_pilot(self):
        rng = np.random.default_rng(1)
        d = rng.normal(0.05, 0.2, (4000, 1)) + rng.normal(0, 0.4, (4000, 3))
        found = plan.trade(0.05, pilot=d).components

        assert found.between == pytest.approx(0.2, abs=0.03)
        assert found.within == pytest.approx(0.4, abs=0.02)

    def test_a_table_with_runs_is_the_analysis_of_variance(self):
        rng = np.random.default_rng(2)
        rows, x = [], {"old": rng.random((30, 2)), "new": rng.random((30, 3))}
        for name, runs in x.items():
            rows += [
                {"model": name, "item": str(i), "run": str(k), "score": runs[i, k]}
                for i in range(30)
                for k in range(runs.shape[1])
            ]
        from nofluke import read

        scores = read(rows, better="higher", bounds=(0, 1))
        within = [x[name].var(axis=1, ddof=1).mean() for name in ("old", "new")]
        means = x["new"].mean(1) - x["old"].mean(1)
        between = means.var(ddof=1) - within[0] / 2 - within[1] / 3
        found = plan.trade(0.05, pilot=scores, a="old", b="new").components

        assert found.within == pytest.approx(math.sqrt(sum(within)))
        assert found.between == pytest.approx(math.sqrt(max(0, between)), abs=1e-12)

    @pytest.mark.parametrize(
        ("how", "code"),
        [
            ({}, "NF008"),
            ({"between": 0.1}, "NF008"),
            ({"between": 0.1, "within": -1}, "NF008"),
            ({"between": 0.1, "within": 0.1, "pilot": [[1, 2], [3, 4]]}, "NF008"),
            ({"pilot": SPARSE}, "NF032"),
            ({"pilot": table(SPARSE), "a": "old", "b": "new"}, "NF032"),
            ({"between": 0.1, "within": 0.1, "repeats": ()}, "NF008"),
            ({"between": 0.1, "within": 0.1, "cost": -1}, "NF008"),
        ],
    )
    def test_what_cannot_be_traded_is_refused(self, how, code):
        with pytest.raises(InputError) as refused:
            plan.trade(0.05, **how)

        assert refused.value.code == code
