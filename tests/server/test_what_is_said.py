"""What boards and cards say is true at the edges: late looks, clusters, rare classes, the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from keepers import Keeper

from nofluke.database.engine import Database
from nofluke.errors import HoldoutError
from nofluke.guard import policies
from nofluke.ledger.release.records import INDEPENDENT
from nofluke.server import boards
from nofluke.server.boards import ledgers, submissions
from nofluke.server.pages import wording
from nofluke.server.records import Actor, Submission


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    database = Database(f"sqlite:///{tmp_path / 'keeper.db'}")
    database.migrate()
    return Keeper(database, tmp_path, n=120)


def with_column(keeper: Keeper, name: str, values: list[str]) -> Path:
    """The labelled rows, with one more column."""
    path = keeper.rows()
    header, *lines = path.read_text().split()
    more = [f"{line},{value}" for line, value in zip(lines, values, strict=True)]
    path.write_text("\n".join([f"{header},{name}", *more]) + "\n")
    return path


def scored(keeper: Keeper, who: Actor, right: float, *, slug: str = "tumours") -> Submission:
    handed, _ = submissions.submit(keeper.db, who, slug, keeper.upload(right), name=f"{right}")
    keeper.score()
    return submissions.submission(keeper.db, who, handed.id)


def test_a_look_that_came_too_late_is_no_error_of_the_server(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = with_column(keeper, "base", ["0"] * keeper.n)
    keeper.open(looks=9, rule="verdict", baseline="base", path=path)
    bob = keeper.join("tumours", "bob")
    handed = [
        submissions.submit(keeper.db, bob, "tumours", keeper.upload(right), name="one")[0]
        for right in (1.0, 0.9)
    ]
    keeper.score()

    late = submissions.submission(keeper.db, bob, handed[1].id)

    assert (late.status, late.code) == ("failed", "NF365")
    assert "came too late" in late.sentences[0]
    assert "error" not in late.sentences[0]
    assert "may be handed in again" not in late.sentences[0]
    assert "no look was charged" not in wording.GLOBALS["STATUS"]["failed"]
    monkeypatch.setattr(submissions, "MOST_FAILED", 1)
    with pytest.raises(HoldoutError) as refused:
        submissions.submit(keeper.db, bob, "tumours", keeper.upload(0.7), name="two")
    assert refused.value.code == "NF081"


def test_rows_of_a_cluster_are_nowhere_called_independent(keeper: Keeper) -> None:
    path = with_column(keeper, "patient", [f"p{i // 3}" for i in range(keeper.n)])
    board = keeper.open(path=path, cluster="patient", rule="rounded")
    bob = keeper.join("tumours", "bob")

    told = scored(keeper, bob, 0.8).answer

    assert told is not None
    for assumed in (board.assumes, told["assumes"]):
        assert policies.CLUSTERS in assumed
        assert INDEPENDENT not in assumed


def test_what_is_behind_an_area_are_the_rows_of_the_rarer_class(keeper: Keeper) -> None:
    board = keeper.open(metric="auc")
    ones = sum(label == "1" for label in keeper.labels.values())
    fewest = min(ones, keeper.n - ones)
    assert board.n == fewest
    assert wording.behind(board, board.n) == f"{fewest} rows of the rarer class"


def test_final_rows_that_another_board_opened_wait_no_more(keeper: Keeper) -> None:
    keeper.open(confirm=0.4)
    keeper.open("second", path=keeper.rows())
    bob, red = keeper.join("tumours", "bob"), keeper.join("second", "red")
    boards.name_finalist(keeper.db, red, scored(keeper, red, 0.8, slug="second").id)
    before = boards.board(keeper.db, bob, "tumours")
    assert "wait for the final" in before.rule_words[-1]
    assert "opened by another" not in before.notes[0]
    boards.close(keeper.db, keeper.ann, "second")

    boards.open_confirmation(keeper.db, keeper.ann, "second")

    found = boards.board(keeper.db, bob, "tumours")
    assert "which was opened" in found.rule_words[-1]
    assert "opened by another board" in found.notes[0]
    assert "which was opened" in boards.board(keeper.db, red, "second").rule_words[-1]


def test_the_audit_says_that_guarded_looks_came_before_the_freeze(keeper: Keeper) -> None:
    keeper.open(confirm=0.4)
    bob = keeper.join("tumours", "bob")
    scored(keeper, bob, 0.6)
    boards.name_finalist(keeper.db, bob, scored(keeper, bob, 0.8).id)
    boards.close(keeper.db, keeper.ann, "tumours")
    boards.open_confirmation(keeper.db, keeper.ann, "tumours")

    found = {row["part"]: row for row in ledgers.page(keeper.db, bob, "tumours").audit}

    told = found["pipeline frozen before the first look"]
    assert told["status"] == "recorded"
    assert "after 2 looks that the release rule of guarded rows answered" in told["told"]
    assert found["independent confirmation"]["status"] == "recorded"


def test_labels_that_were_exchanged_are_still_those_of_the_first_file(keeper: Keeper) -> None:
    keeper.open()
    told = keeper.open("again", path=keeper.rows())
    assert "called otherwise" not in told.notes[0]
    right = dict(keeper.labels)
    keeper.labels = {one: str(1 - int(label)) for one, label in right.items()}

    told = keeper.open("turned", path=keeper.rows("turned.csv"), rule="ladder")

    assert "called otherwise" in told.notes[0]
    assert "scored by the file of the first board" in told.notes[0]
    keeper.labels = right
    answer = scored(keeper, keeper.join("turned", "bob"), 1.0, slug="turned").answer
    assert answer is not None
    assert answer["value"] == 1.0
