"""The ledger: what may be written, roles of rows, the audit, and what a check says."""

import json
from pathlib import Path

import numpy as np
import pytest

import nofluke
from nofluke import Predictions, Scores
from nofluke.errors import HoldoutError, InputError, LedgerError
from nofluke.ledger import Ledger, asked
from nofluke.ledger.canonical import canonical
from nofluke.ledger.fingerprints import marks
from nofluke.ledger.kinds import RECORDS
from nofluke.ledger.roles import register

SPLIT = {"unit": "patient", "time": "2025", "site": "one site only", "labels": "v3"}
SEARCH = {"candidates": ["a", "b"], "settings": "defaults", "seeds": 0, "thresholds": 0.5}
RULE = {"rule": "largest area", "fixed": "2026-03-01, plan.md"}


def predictions(shift=0, *, ids=None, positive=1, flip=False, names=("a", "b")):
    labels = [int(i % 3 == 0) for i in range(40)]
    if flip:
        labels = [1 - label for label in labels]
    scores = {
        name: [((i * (7 + k) + shift) % 11) / 11 for i in range(40)] for k, name in enumerate(names)
    }
    examples = ids or [f"row {i}" for i in range(40)]
    return Predictions.from_arrays(labels, scores, examples=examples, positive=positive)


@pytest.fixture
def book(tmp_path):
    with Ledger.begin(tmp_path / "ledger.db", name="tumours", who="ann") as ledger:
        yield ledger


@pytest.fixture
def frozen(book, tmp_path):
    (tmp_path / "train.py").write_text("fit()")
    book.register(predictions(), name="test")
    book.freeze([tmp_path / "train.py"])
    return book


def state(book, name="test"):
    return register(book.entries()).named(name).state


def parts(book):
    return {row["part"].split(":")[0].split(",")[0]: row for row in book.report().rows()}


class TestMarks:
    def test_rows_are_known_by_ids_and_labels_whoever_predicts(self):
        old, new = marks(predictions()), marks(predictions(3, names=("c",)))
        assert (old.labels, old.ids) == (new.labels, new.ids)
        assert old.digest != new.digest

    def test_the_name_of_the_positive_class_does_not_matter(self):
        assert marks(predictions()).labels == marks(predictions(flip=True)).labels

    def test_other_labels_are_other_rows_with_the_same_ids(self):
        labels = [int(i % 4 == 0) for i in range(40)]
        examples = [f"row {i}" for i in range(40)]
        other = Predictions.from_arrays(
            labels, {"a": [0.1] * 39 + [0.2]}, examples=examples, positive=1
        )
        assert marks(other).labels != marks(predictions()).labels
        assert marks(other).ids == marks(predictions()).ids

    def test_the_order_of_rows_does_not_matter(self):
        scores = {"a": [0.1, 0.2, 0.3, 0.4]}
        one = Predictions.from_arrays([0, 1, 0, 1], scores, examples=list("wxyz"), positive=1)
        other = Predictions.from_arrays([1, 0, 1, 0], scores, examples=list("zyxw"), positive=1)
        assert marks(one).labels == marks(other).labels

    @pytest.mark.parametrize("first", [0, 1])
    def test_ids_that_count_rows_say_nothing_about_them(self, first):
        ids = [str(i) for i in range(first, 40 + first)]
        assert marks(predictions(ids=ids)).ids is None
        assert marks(predictions(ids=ids)).lasting  # by its labels
        scores = Scores.from_arrays([[0.1] * 40], examples=ids, better="higher")
        assert not marks(scores).lasting

    def test_numbers_that_do_not_count_are_ids(self):
        ids = [str(7 * i) for i in range(40)]
        assert marks(predictions(ids=ids)).ids is not None

    def test_a_file_is_known_by_its_bytes(self, tmp_path):
        (tmp_path / "a.csv").write_text("x")
        (tmp_path / "b.csv").write_text("x")
        assert marks(tmp_path / "a.csv") == marks(tmp_path / "b.csv")

    def test_numbers_are_known_whatever_holds_them(self):
        pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
        forms = [np.array([0.5, 0.25]), (0.5, 0.25), pandas.Series([0.5, 0.25])]
        forms.append(polars.Series([0.5, 0.25]))
        assert {marks(form).digest for form in forms} == {marks([0.5, 0.25]).digest}
        assert marks({"a": pandas.Series([0.5])}) == marks({"a": [0.5]})

    def test_what_has_no_content_is_refused(self):
        with pytest.raises(InputError, match="cannot know a generator again"):
            marks(x for x in (1, 2))

    def test_plain_numbers(self):
        assert marks([0.1, 0.2]).digest != marks([0.2, 0.1]).digest
        assert marks([0.1, float("inf")]).n == 2


class TestRecords:
    @pytest.mark.parametrize("kind", [k for k in RECORDS if k != "predictions"])
    def test_each_kind_says_what_it_must(self, book, kind):
        fields = dict.fromkeys((*RECORDS[kind].needs, *RECORDS[kind].takes), "no")
        entry = book.record(kind, **fields)
        assert (entry.seq, entry.kind, entry.body, entry.who) == (2, kind, fields, "ann")
        for name in RECORDS[kind].needs:
            with pytest.raises(InputError, match=name) as refused:
                book.record(kind, **{**fields, name: ""})
            assert refused.value.code == "NF069"
            with pytest.raises(InputError, match=name):
                book.record(kind, **{k: v for k, v in fields.items() if k != name})
        with pytest.raises(InputError, match="unheard"):
            book.record(kind, **fields, unheard="of")
        assert len(book.entries()) == 2

    def test_predictions_hold_the_digests_of_their_files(self, book, tmp_path):
        import hashlib

        path = tmp_path / "rows.csv"
        path.write_bytes(b"a,b\n")
        entry = book.record("predictions", files=path, auc="0.8 [0.7, 0.9]")
        assert entry.body["files"] == {str(path): hashlib.sha256(b"a,b\n").hexdigest()}
        with pytest.raises(InputError, match="no such file"):
            book.record("predictions", files=tmp_path / "none.csv")

    @pytest.mark.parametrize("kind", ["look", "init", "nonsense"])
    def test_other_kinds_are_not_written_by_hand(self, book, kind):
        with pytest.raises(InputError, match="nothing that can be recorded"):
            book.record(kind, text="x")

    @pytest.mark.parametrize(
        ("value", "told"),
        [
            (float("nan"), "nan"),
            (float("-inf"), "-inf"),
            ("\ud800", "\\ud800"),
            ({1: 2}, {"1": 2}),
            (2**60 + 1, str(2**60 + 1)),
            (np.float32(0.5), 0.5),
            (np.bool_(True), True),
            (np.array([[1, 2]]), [[1, 2]]),
            (Path("a/b"), "a/b"),
            (min, "min"),
            (lambda: 0, "TestRecords.<lambda>"),
            (object(), "a object"),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_what_json_would_lose_is_told_as_text(self, book, value, told):
        entry = book.record("note", text=["told", value])
        assert json.loads(entry.line())["body"] == entry.body == {"text": ["told", told]}

    @pytest.mark.parametrize(
        "value",
        [float("nan"), "\ud800", {1: 2}, 2**60 + 1, object()],
        ids=lambda v: type(v).__name__,
    )
    def test_what_is_hashed_loses_nothing(self, value):
        with pytest.raises(InputError, match="cannot hold") as refused:
            canonical([value])
        assert refused.value.code == "NF069"

    def test_too_deep(self):
        deep = []
        for _ in range(100):
            deep = [deep]
        with pytest.raises(InputError, match="too deep"):
            canonical(deep)

    def test_feedback_is_yes_or_no(self, book):
        with pytest.raises(InputError, match="yes"):
            book.record("access", data="x", question="auc", returned="0.8", feedback="perhaps")

    @pytest.mark.parametrize("who", ["", " "])
    def test_somebody_writes(self, book, who):
        with pytest.raises(InputError, match="who="):
            Ledger(book.place, who=who)


class TestRoles:
    def test_a_fresh_test_set_waits_for_a_freeze(self, book):
        book.register(predictions(), name="test")
        with pytest.raises(HoldoutError, match="no pipeline is frozen") as refused:
            asked(nofluke.champion, predictions(), ledger=book)
        assert (refused.value.code, refused.value.looks) == ("NF066", 0)
        assert book.entries()[-1].kind == "refused"
        assert state(book) == "fresh"

    def test_a_changed_pipeline_is_not_the_frozen_one(self, frozen, tmp_path):
        (tmp_path / "train.py").write_text("fit(harder)")
        with pytest.raises(HoldoutError, match=r"train\.py changed"):
            asked(nofluke.champion, predictions(), ledger=frozen)
        frozen.freeze([tmp_path / "train.py"])
        asked(nofluke.champion, predictions(), ledger=frozen)
        assert state(frozen) == "spent"

    def test_a_pipeline_out_of_reach_is_taken_at_its_word(self, frozen, tmp_path):
        (tmp_path / "train.py").unlink()
        asked(nofluke.champion, predictions(), ledger=frozen)
        assert state(frozen) == "spent"

    def test_one_look_spends_it_under_any_name_and_for_any_candidate(self, frozen):
        asked(nofluke.champion, predictions(), ledger=frozen)
        assert state(frozen) == "spent"
        again = asked(nofluke.champion, predictions(5, names=("x", "y")), ledger=frozen)
        assert any("NF361" in n and "looked at once before." in n for n in again.notes)
        with pytest.raises(InputError, match="registered already, as 'test'"):
            frozen.register(predictions(9), name="brand new")
        with pytest.raises(InputError, match="belongs to other rows"):
            frozen.register(predictions(ids=[f"other {i}" for i in range(40)]), name="test")

    def test_a_question_that_fails_spends_nothing(self, frozen):
        with pytest.raises(InputError):
            asked(nofluke.champion, predictions(), ledger=frozen, planned="name:nobody")
        assert state(frozen) == "fresh"
        failed = frozen.entries()[-1]
        assert (failed.kind, failed.body["error"]) == ("failed", "InputError")
        assert failed.body["attempt"] == failed.seq - 1

    def test_an_attempt_without_an_outcome_spends_it(self, frozen):
        frozen.attempt("champion", [marks(predictions())], {})
        assert state(frozen) == "spent"
        assert any(n.startswith("NF364") for n in frozen.report().notes)
        assert parts(frozen)["accesses"]["status"] == "can no longer be known"

    def test_an_outcome_is_not_taken_back(self, frozen):
        attempt, _ = frozen.attempt("champion", [marks(predictions())], {})
        frozen.outcome(attempt, "look", {"returned": []})
        frozen.outcome(attempt, "failed", {"error": "none", "code": None})
        assert state(frozen) == "spent"

    def test_validation_rows_give_feedback_as_often_as_asked(self, book):
        book.register(predictions(), role="validation", name="valid")
        for shift in range(3):
            found = asked(nofluke.champion, predictions(shift), ledger=book)
            assert not any("NF361" in n or "NF362" in n for n in found.notes)
        assert state(book, "valid") == "validation"

    def test_files_are_read_again_only_for_a_fresh_test_set(self, frozen, monkeypatch):
        from nofluke.ledger import pipelines

        read = []
        monkeypatch.setattr(pipelines, "changed", lambda entry: read.append(entry) or [])
        asked(nofluke.champion, [0.7, 0.8], ledger=frozen, metric="auc")
        assert read == []
        asked(nofluke.champion, predictions(), ledger=frozen)
        assert len(read) == 1
        asked(nofluke.champion, predictions(), ledger=frozen)
        assert len(read) == 1

    def test_a_test_set_is_given_up_for_good(self, frozen):
        frozen.give_up("test", why="labels were wrong")
        assert state(frozen) == "validation"
        for name in ("test", "nobody"):
            with pytest.raises(InputError, match="only go from test to validation"):
                frozen.give_up(name, why="x")

    def test_rows_that_were_looked_at_before_are_spent_when_registered(self, book):
        asked(nofluke.champion, predictions(), ledger=book)
        book.register(predictions(4), name="test")
        assert state(book) == "spent"

    def test_a_look_elsewhere_spends_it_if_somebody_learnt_something(self, frozen):
        frozen.record("access", data="test", question="count", returned="40", feedback="no")
        assert state(frozen) == "fresh"
        frozen.record("access", data="test", question="auc", returned="0.8", feedback="yes")
        assert state(frozen) == "spent"

    def test_looks_told_by_name_before_it_is_registered_count(self, book):
        book.record("access", data="test", question="auc", returned="0.8", feedback="yes")
        book.register(predictions(), name="test")
        assert state(book) == "spent"
        assert len(book.report().sets) == 1

    def test_all_looks_at_the_same_rows_count_when_they_are_registered(self, book):
        ids = [f"row {i}" for i in range(40)]
        scores = Scores.from_arrays(
            {"a": [0, 1] * 20, "b": [1, 1] * 20}, examples=ids, metric="accuracy", binary=True
        )
        positional = predictions(ids=[str(i) for i in range(40)])
        asked(nofluke.rank, scores, ledger=book)
        asked(nofluke.champion, positional, ledger=book)
        assert len(book.report().sets) == 2
        book.register(predictions(), name="by ids")
        (by_ids,) = (r for r in book.report().sets if r["name"] == "by ids")
        assert (by_ids["looks"], by_ids["state"]) == (1, "spent")

    @pytest.mark.parametrize("data", [[0.1, 0.2], {"a": [0.1, 0.2]}], ids=["list", "mapping"])
    def test_a_test_set_can_be_known_again(self, book, data):
        with pytest.raises(InputError, match="must be known again") as refused:
            book.register(data, name="test")
        assert refused.value.code == "NF069"
        book.register(data, role="validation", name="numbers")

    @pytest.mark.parametrize(
        ("how", "words"),
        [({}, "needs the files"), ({"pipeline": "the usual"}, "fixes nothing")],
    )
    def test_a_freeze_fixes_something(self, book, how, words):
        with pytest.raises(InputError, match=words):
            book.freeze(**how)
        assert book.freeze(pipeline="2d47872").kind == "freeze"


class TestAudit:
    def test_an_empty_ledger_lacks_everything_and_lost_nothing(self, book):
        rows = book.report().rows()
        assert {row["status"] for row in rows} == {"missing", "recorded"}
        assert [r["part"] for r in rows if r["status"] == "recorded"] == [
            "accesses, with what they returned"
        ]
        assert all(row["supply"] for row in rows if row["status"] == "missing")

    def test_a_full_one_lacks_nothing(self, frozen, tmp_path):
        frozen.record("split", **SPLIT)
        frozen.record("preprocessing", steps="scale", fitted_on="training folds")
        frozen.record("candidates", **SEARCH)
        frozen.record("rule", **RULE)
        frozen.record("scope", deployment="one clinic", drift="monthly, --monitor")
        asked(nofluke.classifier, predictions(names=("a",)), ledger=frozen, threshold=0.5)
        numbers = dict.fromkeys(("matrix", "auc", "precision_recall", "calibration", "cost"), "x")
        frozen.record("predictions", files=tmp_path / "train.py", **numbers)
        found = frozen.report()
        assert [r["part"] for r in found.rows() if r["status"] != "recorded"] == []
        assert parts(frozen)["independent confirmation"]["told"].startswith("test: one question")

    @pytest.mark.parametrize(("kind", "fields"), [("candidates", SEARCH), ("rule", RULE)])
    def test_what_was_not_written_before_the_first_look_cannot_be_shown(self, frozen, kind, fields):
        part = {"candidates": "search", "rule": "rule of choosing"}[kind]
        assert parts(frozen)[part]["status"] == "missing"
        asked(nofluke.champion, predictions(), ledger=frozen)
        assert parts(frozen)[part]["status"] == "can no longer be known"
        frozen.record(kind, **fields)
        row = parts(frozen)[part]
        assert row["status"] == "can no longer be known"
        assert "written after the first look (entry 4)" in row["told"]

    def test_a_second_question_ends_the_confirmation(self, frozen):
        assert parts(frozen)["independent confirmation"]["status"] == "missing"
        asked(nofluke.champion, predictions(), ledger=frozen)
        assert parts(frozen)["independent confirmation"]["status"] == "recorded"
        again = asked(nofluke.champion, predictions(), ledger=frozen)
        assert any("tells nothing new" in n for n in again.notes)
        assert parts(frozen)["independent confirmation"]["status"] == "recorded"
        asked(nofluke.champion, predictions(), ledger=frozen, planned="median")
        assert parts(frozen)["independent confirmation"]["status"] == "can no longer be known"

    def test_why_a_look_is_no_confirmation(self, book):
        book.freeze(pipeline="2d47872")
        asked(nofluke.champion, predictions(), ledger=book)
        book.register(predictions(), name="test")
        row = parts(book)["independent confirmation"]
        assert row["status"] == "can no longer be known"
        assert "before it was registered" in row["told"]

    def test_a_look_that_told_nobody_anything_is_no_look(self, frozen):
        told = {"data": "test", "question": "are all rows there?", "returned": "40"}
        frozen.record("access", **told, feedback="no")
        said = "no look by which somebody may have learnt something is on record"
        assert said in " ".join(frozen.report().sentences())

    def test_only_the_answers_that_hold_a_number_are_named(self, frozen):
        def question(rows):
            return {
                "card": nofluke.champion(rows),
                "final": nofluke.final_report(rows, threshold=0.5, n_resamples=99),
            }

        asked(question, predictions(), ledger=frozen)
        told = parts(frozen)["matrix of the decision"]["told"]
        assert told == "in the answer of final_report"

    def test_a_final_report_supplies_its_parts(self, frozen):
        asked(
            nofluke.final_report, predictions(), ledger=frozen, threshold=0.5, costs=(1, 20),
            n_resamples=99,
        )  # fmt: skip
        found = parts(frozen)
        assert found["matrix of the decision"]["told"] == "in the answer of final_report"
        assert found["cost of errors"]["status"] == "recorded"


class TestAsked:
    def test_the_look_is_on_record_before_the_answer(self, book):
        seen = []

        def question(scores, *, level=0.9):
            seen.append([e.kind for e in book.entries()])
            return nofluke.champion(scores, level=level)

        answer = asked(question, predictions(), ledger=book, level=0.8)
        assert seen == [["init", "attempt"]]
        attempt, look = book.entries()[1:]
        assert attempt.body["question"] == "question"
        assert attempt.body["options"] == {"level": 0.8}
        assert attempt.body["data"][0]["digest"] == predictions().digest
        told = look.body["returned"][0]
        assert told["sentences"] == answer.sentences()
        assert told["levels"] == {"level": 0.8}
        assert told["guarantee"] == answer.guarantee
        assert len(told["rows"]) == len(answer.rows())

    def test_the_digest_is_that_of_what_was_returned(self, book):
        import hashlib

        answer = asked(nofluke.champion, predictions(), ledger=book)
        digest = hashlib.sha256(answer.to_json().encode()).hexdigest()
        assert book.entries()[-1].body["returned"][0]["digest"] == digest

    def test_the_numbers_are_those_without_a_ledger(self, book):
        plain, noted = (
            nofluke.champion(predictions()).to_dict(),
            asked(nofluke.champion, predictions(), ledger=book).to_dict(),
        )
        extra = [n for n in noted.pop("notes") if n not in plain["notes"]]
        del plain["notes"]
        assert noted == plain
        assert [n[:5] for n in extra] == ["NF360", "NF362"]

    def test_no_answer_where_the_look_cannot_be_written(self, book, monkeypatch):
        def full(*args):
            raise LedgerError("full", code="NF068")

        def question(rows):
            monkeypatch.setattr(type(book._store), "append", full)
            return nofluke.champion(rows)

        with pytest.raises(LedgerError, match="full"):
            asked(question, predictions(), ledger=book)

    def test_names_beside_the_rows_are_options(self, book):
        scores = Scores.from_arrays(
            {"a": [0, 1, 0, 1] * 5, "b": [1, 1, 0, 1] * 5}, metric="accuracy", binary=True
        )
        answer = asked(nofluke.compare, scores, "a", "b", ledger=book)
        attempt = book.entries()[1]
        assert attempt.body["options"][""] == ["a", "b"]
        assert len(attempt.body["data"]) == 1
        assert [n[:5] for n in answer.notes if "NF36" in n] == ["NF360", "NF362", "NF363"]

    def test_rows_given_by_name_or_in_a_list_are_rows(self, book):
        book.register(predictions(), name="test")
        for given, named in (((), {"data": predictions()}), (([predictions()],), {})):
            with pytest.raises(HoldoutError):
                asked(nofluke.champion, *given, ledger=book, **named)

    @pytest.mark.parametrize("given", [(), ("scored.csv",), ({},)])
    def test_a_question_of_no_rows_is_not_asked(self, book, given):
        def question(*data):
            raise AssertionError

        with pytest.raises(InputError, match="asked of no rows") as refused:
            asked(question, *given, ledger=book)
        assert refused.value.code == "NF069"
        assert [e.kind for e in book.entries()] == ["init"]

    def test_several_answers_are_told_each(self, book):
        scores = Scores.from_arrays(
            {"a": [0, 1, 0, 1] * 5, "b": [1, 1, 0, 1] * 5}, metric="accuracy", binary=True
        )
        found = asked(nofluke.rank_metrics, {"accuracy": scores}, ledger=book)
        assert "NF360" in " ".join(found["accuracy"].notes)
        assert len(book.entries()[-1].body["returned"]) == 1

    def test_a_path_is_a_ledger(self, tmp_path):
        place = tmp_path / "ledger.jsonl"
        Ledger.begin(place).close()
        asked(nofluke.champion, [0.7, 0.8], ledger=place, metric="auc")
        with Ledger(place) as book:
            assert [e.kind for e in book.entries()] == ["init", "attempt", "look"]
        with pytest.raises(LedgerError, match="nofluke ledger init"):
            asked(nofluke.champion, [0.7, 0.8], ledger=tmp_path / "none.db")
        with pytest.raises(InputError, match="must be a question"):
            asked("champion", [0.7, 0.8], ledger=place)


class TestVerify:
    def test_what_a_check_says(self, book):
        book.record("note", text="x")
        kept = book.head
        assert book.verify().intact
        assert "cannot be known from the file" in " ".join(book.verify().sentences())
        assert "cannot be known" not in " ".join(book.verify(heads=[kept]).sentences())
        book.record("note", text="y")
        said = " ".join(book.verify(heads=[kept]).sentences())
        assert "Entry 2 is the one whose digest was kept" in said
        assert "Whether entries after it were removed" in said

    @pytest.mark.parametrize(
        "text",
        ["", "2", "2:abc", "x:" + "0" * 64, "0:" + "0" * 64, "²:x", "1" * 5000 + ":" + "0" * 64],
        ids=lambda text: text[:9],
    )
    def test_a_head_is_a_number_and_a_digest(self, book, text):
        with pytest.raises(InputError) as refused:
            book.verify(heads=[text])
        assert refused.value.code == "NF069"

    def test_a_broken_ledger_is_neither_read_nor_written(self, tmp_path):
        place = tmp_path / "ledger.jsonl"
        with Ledger.begin(place) as book:
            book.record("note", text="one")
            book.record("note", text="two")
        place.write_text(place.read_text().replace("one", "won"))
        with Ledger(place) as book:
            found = book.verify()
            assert [(f.place, f.kind) for f in found.faults] == [(2, "edited")]
            assert "at entry 2" in found.sentences()[0]
            for act in (book.entries, book.report, lambda: book.export(tmp_path / "x.jsonl")):
                with pytest.raises(LedgerError) as refused:
                    act()
                assert refused.value.code == "NF067"
        with pytest.raises(LedgerError, match="entry 2"):
            Ledger.bring(tmp_path / "new.db", place)
        place.write_text(place.read_text().replace("two", "too"))
        with Ledger(place) as book, pytest.raises(LedgerError, match="nothing is added"):
            book.record("note", text="three")

    def test_a_damaged_database_is_told(self, tmp_path):
        place = tmp_path / "ledger.db"
        with Ledger.begin(place) as book:
            for i in range(40):
                book.record("note", text=f"{i} " + "x" * 400)
            kept = book.head
        data = bytearray(place.read_bytes())
        data[4096 : 2 * 4096] = bytes(4096)  # the root of the table
        place.write_bytes(data)
        with Ledger(place) as book:
            found = book.verify(heads=[kept])
        assert "store" in {f.kind for f in found.faults}
        assert "head" in {f.kind for f in found.faults}

    def test_an_import_is_checked_against_heads(self, book, tmp_path):
        book.record("note", text="x")
        kept = book.head
        path = tmp_path / "out.jsonl"
        assert book.export(path) == 2
        with pytest.raises(LedgerError, match="there already"):
            book.export(path)
        path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
        with pytest.raises(LedgerError, match="entries were removed"):
            Ledger.bring(tmp_path / "new.db", path, heads=[kept])
        assert not (tmp_path / "new.db").exists()
        path.write_bytes(path.read_bytes()[:-1])
        with pytest.raises(LedgerError, match="no end"):
            Ledger.bring(tmp_path / "new.db", path)


def test_the_clock_and_the_writer_are_arguments(tmp_path):
    def begun(name):
        clock = iter(["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]).__next__
        with Ledger.begin(tmp_path / name, name="same", who="ann", clock=clock) as book:
            book.record("note", text="x")
            return book.head

    assert begun("a.db") == begun("b.jsonl")


def test_a_ledger_stands_below_no_question():
    questions = Path(nofluke.__file__).parent / "questions"
    assert [
        p.name for p in questions.glob("*.py") if "nofluke.ledger" in p.read_text("utf-8")
    ] == []
