"""Looks at one assertion, counted without a test suite around them."""

import numpy as np
import pytest

from nofluke import Scores, plan
from nofluke.errors import InputError
from nofluke.gate import looks
from nofluke.gate.asserting import asserted, together

IDS = plan.order([f"u{i}" for i in range(300)])
OLD = {i: int(int(i[1:]) % 10 >= 5) for i in IDS}
NEW = {i: int(int(i[1:]) % 10 >= 3) for i in IDS}


def first(scores, n):
    return {i: scores[i] for i in IDS[:n]}


def look(n, earlier=(), *, old=OLD, new=NEW, **how):
    how = {"metric": "accuracy", "alternative": "better", **how}
    return asserted(first(old, n), first(new, n), earlier=earlier, rerun=bool(earlier), **how)[1]


def test_the_question_is_everything_that_was_asked():
    base = look(50)
    others = [look(50, **how) for how in ({"alpha": 0.1}, {"margin": 0.1}, {"seed": 1},
              {"metric": "exact_match"}, {"bounds": (0, 2)}, {"names": ("x", "y")})]  # fmt: skip
    assert len({base.question, *(o.question for o in others)}) == 7
    assert look(50) == base


def test_a_sequence_goes_on_only_with_what_was_seen():
    how = {"planned": 300, "alpha": 1e-9}
    one = look(40, **how)
    two = look(120, [one], **how)
    three = look(300, [one, two], **how)
    assert [e.number for e in (one, two, three)] == [1, 1, 1]
    assert {e.alpha for e in (one, two, three)} == {1e-9}

    changed = dict(NEW) | {IDS[5]: 1 - NEW[IDS[5]]}
    with pytest.raises(InputError, match="not the first ones of these") as caught:
        look(120, [one], new=changed, **how)
    assert caught.value.code == "NF036"
    with pytest.raises(InputError, match="not the first ones of these"):
        look(30, [one], **how)  # fewer than before
    with pytest.raises(InputError, match="the question is settled"):
        look(120, [look(40)], **how)  # the first look was no part of a plan


def test_a_change_after_what_was_seen_is_a_continuation():
    how = {"planned": 300, "alpha": 1e-9}
    changed = dict(NEW) | {IDS[80]: 1 - NEW[IDS[80]]}
    assert look(120, [look(40, **how)], new=changed, **how).number == 1


def test_split_levels_follow_the_number_of_other_data():
    seen = []
    for n in (40, 50, 60):
        seen.append(look(n, seen, split=True, alpha=0.06))
    assert [e.alpha for e in seen] == pytest.approx([0.03, 0.01, 0.005])
    again = asserted(first(OLD, 50), first(NEW, 50), earlier=seen, split=True, alpha=0.06,
                     metric="accuracy", alternative="better")[1]  # fmt: skip
    assert again == seen[1]


def test_a_ledger_comes_back_as_it_was(tmp_path):
    path = tmp_path / "looks.json"
    assert looks.load(path) == {}
    kept = {"b": [look(40)], "a": [look(40), look(50)]}
    looks.save(path, kept)
    assert looks.load(path) == kept
    assert [p.name for p in tmp_path.iterdir()] == ["looks.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 2, "looks": {}}',
                                  '{"schema": 1, "looks": {"a": [{"n": 1}]}}'])  # fmt: skip
def test_another_file_is_no_ledger(tmp_path, text):
    path = tmp_path / "looks.json"
    path.write_text(text)
    with pytest.raises(InputError, match="cannot be used") as caught:
        looks.load(path)
    assert caught.value.code == "NF037"
    assert path.read_text() == text


def test_sides_become_one_table():
    table, a, b = together(np.zeros(3), [1, 0, 1], None, ("x", "y"), {"metric": "accuracy"})
    assert (table.candidates, a, b) == (("x", "y"), "x", "y")
    scores = Scores.from_arrays({"p": [0, 1], "q": [1, 1]}, metric="accuracy")
    assert together("p", "q", scores, ("a", "b"), {}) == (scores, "p", "q")
    with pytest.raises(InputError, match="leave them out"):
        together("p", "q", scores, ("a", "b"), {"metric": "accuracy"})
    with pytest.raises(InputError, match="one side is an array"):
        together([0, 1], {"u": 1}, None, ("a", "b"), {})


class TestNoMoreThanAlphaIsSpent:
    def test_a_planned_look_leaves_nothing_for_another_kind(self):
        one = look(40, planned=300, split=True)
        assert (one.planned, one.alpha) == (True, 0.05)
        with pytest.raises(InputError, match="nothing is left for it") as caught:
            look(60, [one], split=True)
        assert caught.value.code == "NF036"

    def test_a_lowered_alpha_comes_too_late(self):
        one = look(40, split=True, alpha=0.05)
        with pytest.raises(InputError, match=r"look 1 had 0.025, .* alpha = 0.02"):
            look(60, [one], split=True, alpha=0.02)

    def test_looks_of_two_runs_that_did_not_know_of_each_other_are_added_up(self):
        seen = [look(n, split=True, alpha=0.06) for n in (40, 50)]
        assert [e.number for e in seen] == [1, 1]
        with pytest.raises(InputError, match="all before it had 0.06 together"):
            look(60, seen, split=True, alpha=0.06)

    def test_many_shares_are_not_refused_for_their_last_digit(self):
        seen = []
        for n in range(40, 70):
            seen.append(look(n, seen, split=True))
        assert sum(e.alpha for e in seen) == pytest.approx(0.05 * (1 - 1 / 31))

    def test_planned_is_no_licence_without_the_guarantee(self, monkeypatch):
        from dataclasses import replace

        from nofluke.questions import compare as comparing

        whole = comparing.compare
        monkeypatch.setattr(
            comparing, "compare", lambda *a, **k: replace(whole(*a, **k), guarantee="heuristic")
        )
        one = look(40, planned=300, split=True)
        assert (one.planned, one.alpha) == (False, 0.025)
        with pytest.raises(InputError, match="has spent all of alpha"):
            look(60, [look(40, planned=300)], planned=300)


class TestAPlan:
    def plan(self, tmp_path, method="hedged_star", **how):
        path = tmp_path / "plan.json"
        how = {"alpha": 0.01, "planned": 300, "a": "a", "b": "b", "bounds": (0, 1), **how}
        plan.write(path, better="higher", metric="accuracy", method=method, binary=True, **how)
        return path

    @pytest.mark.parametrize("split", [False, True])
    def test_an_anytime_plan_may_be_looked_at_again_at_its_own_alpha(self, tmp_path, split):
        how = {"plan": self.plan(tmp_path), "margin": 0.0, "split": split}
        seen = [look(40, **how)]
        seen.append(look(300, seen, **how))
        assert [(e.number, e.alpha, e.planned) for e in seen] == [(1, 0.01, True)] * 2

    def test_a_plan_that_is_read_once_has_no_further_looks(self, tmp_path):
        path = self.plan(tmp_path, method="star")
        assert look(300, plan=path).alpha == 0.01
        with pytest.raises(InputError, match="star, which looks once, at 300 units") as caught:
            look(300, plan=path, split=True)
        assert caught.value.code == "NF036"

    @pytest.mark.parametrize(
        "said", [{"alpha": 0.05}, {"alternative": "not-worse", "margin": 0.1}, {"margin": 0.02}]
    )
    def test_what_is_asserted_is_what_was_planned(self, tmp_path, said):
        with pytest.raises(InputError, match="and the plan says") as caught:
            look(40, plan=self.plan(tmp_path), **said)
        assert caught.value.code == "NF031"
