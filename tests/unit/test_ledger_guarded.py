"""Guarded rows in a ledger: looks by the guard keep them guarded, any other spends them."""

import pytest

import nofluke
from nofluke import Predictions
from nofluke.errors import HoldoutError
from nofluke.ledger import roles
from nofluke.ledger.answers import report
from nofluke.ledger.asked import asked
from nofluke.ledger.book import Ledger
from nofluke.ledger.events import NOTHING, sealed
from nofluke.ledger.fingerprints import marks

IDS = [f"row {i}" for i in range(20)]


def predictions(shift=0):
    values = [((7 * i + shift) % 20) / 20 for i in range(20)]
    return Predictions.from_arrays([0, 1] * 10, {"m": values}, examples=IDS)


def history(*said):
    """Entries of a ledger, from kinds and bodies."""
    entries, previous = [], NOTHING
    for kind, body in (("init", {"name": "board"}), *said):
        entry = sealed(
            seq=len(entries) + 1, time="2026-01-01T00:00:00Z", who="keeper", kind=kind, body=body,
            previous=previous,
        )  # fmt: skip
        entries.append(entry)
        previous = entry.digest
    return entries


MARKS = marks(predictions()).body()
GUARDED = ("data", {"name": "board rows", "role": "guarded", "marks": MARKS})
FINAL = ("data", {"name": "final rows", "role": "test", "marks": {**MARKS, "digest": "f" * 64,
                                                                  "ids": "e" * 64,
                                                                  "labels": "d" * 64}})  # fmt: skip


def attempt(key, **options):
    return ("attempt", {"question": "predictions", "options": options, "data": [MARKS], "key": key})


def look(of):
    return ("look", {"attempt": of, "returned": [{"kind": "predictions", "sentences": ["told"]}]})


BY_GUARD = {"board": "cats", "number": 1}


def only(entries):
    (rows,) = roles.register(entries).rows
    return rows


class TestStates:
    def test_looks_by_the_guard_keep_rows_guarded(self):
        entries = history(GUARDED, attempt("a", **BY_GUARD), look(3), attempt("b", **BY_GUARD))
        rows = only(entries)
        assert (rows.state, len(rows.looks), rows.past_guard) == ("guarded", 2, [])
        told = report("x", entries)
        assert told.sets[0]["past_guard"] == 0
        assert "all of them put by the guard, whose release rule answers" in str(told)

    def test_a_failed_look_is_none(self):
        entries = history(
            GUARDED,
            attempt("a", **BY_GUARD),
            ("failed", {"attempt": 3, "error": "InputError", "code": "NF367"}),
        )
        assert (only(entries).state, only(entries).looks) == ("guarded", [])

    @pytest.mark.parametrize(
        "past",
        [
            attempt("a", level=0.95),
            ("access", {"data": "board rows", "question": "auc", "returned": "0.8",
                        "feedback": "yes"}),
        ],
        ids=["question", "by hand"],
    )  # fmt: skip
    @pytest.mark.parametrize("first", [True, False], ids=["before", "after"])
    def test_a_look_past_the_guard_spends_them(self, past, first):
        entries = history(*((past, GUARDED) if first else (GUARDED, past)))
        assert only(entries).state == "spent"
        assert "of 1 look on record 1 went past the guard" in str(report("x", entries))

    def test_a_look_that_told_nobody_anything_does_not(self):
        body = {"data": "board rows", "question": "count", "returned": "20", "feedback": "no"}
        assert only(history(GUARDED, ("access", body))).state == "guarded"


class TestAudit:
    def parts(self, *said):
        return {row["part"]: row for row in report("x", history(*said)).parts}

    def test_looks_of_a_board_are_no_looks_at_a_test_set(self):
        freeze = ("freeze", {"files": {}, "pipeline": "a" * 16, "text": "", "digest": "b" * 64})
        final = {**attempt("c")[1], "data": [FINAL[1]["marks"]]}
        found = self.parts(
            GUARDED, FINAL, attempt("a", **BY_GUARD), look(4), freeze, ("attempt", final), look(7)
        )
        assert found["pipeline frozen before the first look"]["status"] == "recorded"
        confirmed = found["independent confirmation"]
        assert (confirmed["status"], confirmed["entries"]) == ("recorded", [6, 7])
        told = found["accesses, with what they returned"]["told"]
        assert told.endswith("and 1 by the release rule of guarded rows")
        assert told.startswith("2, of which 1 at test")

    def test_a_look_past_the_guard_is_one(self):
        found = self.parts(GUARDED, attempt("a"), look(3))
        assert found["pipeline frozen before the first look"]["status"] == "can no longer be known"

    def test_without_guarded_rows_nothing_is_said_of_them(self):
        told = self.parts(FINAL, attempt("a"), look(3))["accesses, with what they returned"]["told"]
        assert "guarded" not in told


def test_a_question_past_the_guard_is_refused_and_written_down(tmp_path):
    with Ledger.begin(tmp_path / "ledger.db", who="ann") as book:
        book._add(lambda _: GUARDED)
        with pytest.raises(HoldoutError, match="are guarded: they answer by their release") as no:
            asked(nofluke.champion, predictions(3), ledger=book)
        assert no.value.code == "NF088"
        assert "Freeze" not in str(no.value)
        assert [entry.kind for entry in book.entries()] == ["init", "data", "refused"]
        assert only(book.entries()).state == "guarded"
