"""Accounts when several ask at the same moment: exactly one wins, on both databases."""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from folk import (
    PASSWORD,
    SETTINGS,
    T0,
    board,
    invitation,
    kept,
    rows,
    secret_of,
    user,
)

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.errors import NoflukeError
from nofluke.server import accounts
from nofluke.server.accounts import passwords
from nofluke.server.records import Actor

CROWD = 6


@pytest.fixture
def doors(store):
    """The same store, opened as by several processes: no lock in memory is shared."""
    opened = [Database(store) for _ in range(CROWD)]
    opened[0].migrate()
    yield opened
    for each in opened:
        each.close()


@pytest.fixture(autouse=True)
def _no_work(monkeypatch):
    """All arrive at the database together, instead of one after the other from argon2."""
    known = kept()
    monkeypatch.setattr(passwords, "hashed", lambda _: known)


def together(tasks):
    """What each task returned, or the code it was refused with."""
    barrier = threading.Barrier(len(tasks))

    def run(task):
        barrier.wait(30)
        try:
            return task()
        except NoflukeError as error:
            return error.code

    with ThreadPoolExecutor(len(tasks)) as pool:
        return list(pool.map(run, tasks))


def come(db, link, name):
    return partial(accounts.redeem, db, link, name=name, password=PASSWORD, now=T0)


def test_a_link_lets_in_one_of_many_new_users(doors):
    at = board(doors[0])
    for turn in range(3):
        link = invitation(doors[0], at)
        told = together([come(db, link, f"user {turn} {i}") for i, db in enumerate(doors)])

        assert sum(isinstance(t, Actor) for t in told) == 1
        assert told.count("NF075") == CROWD - 1
        assert len(rows(doors[0], tables.users)) == turn + 1
    assert len(rows(doors[0], tables.members)) == 3


def test_a_link_lets_in_one_of_many_who_are_there(doors):
    link, crowd = invitation(doors[0], board(doors[0])), [user(doors[0], f"u{i}") for i in range(6)]
    asked = zip(doors, crowd, strict=True)
    told = together([partial(accounts.accept, db, who, link, now=T0) for db, who in asked])

    (winner,) = (t for t in told if isinstance(t, Actor))
    assert told.count("NF075") == CROWD - 1
    assert [seat["user"] for seat in rows(doors[0], tables.members)] == [winner.id]


def test_a_name_goes_to_one_of_many_and_the_others_keep_their_links(doors):
    at = board(doors[0])
    links = [invitation(doors[0], at) for _ in doors]
    spellings = ["Ann", "ANN", "ann ", "aNn", "Ａnn", "anN"]
    told = together([come(*each) for each in zip(doors, links, spellings, strict=True)])

    assert sum(isinstance(t, Actor) for t in told) == 1
    assert told.count("NF008") == CROWD - 1
    assert [row["used"] for row in rows(doors[0], tables.invitations)].count(None) == CROWD - 1


def test_servers_that_start_together_leave_one_first_link_that_works(doors):
    links = together([partial(accounts.first_link, db, SETTINGS, now=T0) for db in doors])
    told = together(
        [
            come(db, secret_of(link), f"u{i}")
            for i, (db, link) in enumerate(zip(doors, links, strict=True))
        ]
    )

    assert len(set(links)) == CROWD
    assert sum(isinstance(t, Actor) for t in told) == 1
    assert [u["admin"] for u in rows(doors[0], tables.users)] == [True]


def test_of_several_who_disable_each_other_one_is_left(doors):
    for turn in range(3):
        for row in rows(doors[0], tables.users):
            assert row["disabled"] or row["admin"]
        before = [u for u in rows(doors[0], tables.users) if not u["disabled"]]
        boss = [user(doors[0], f"boss {turn} {i}", admin=True) for i in range(CROWD - len(before))]
        boss += [Actor(id=u["id"], name=u["name"], admin=True) for u in before]
        ring = [boss[-1], *boss[:-1]]
        told = together(
            [
                partial(accounts.disable, db, who, whom.id)
                for db, who, whom in zip(doors, boss, ring, strict=True)
            ]
        )

        left = [u for u in rows(doors[0], tables.users) if not u["disabled"]]
        assert len(left) >= 1
        assert told.count(None) == CROWD - len(left)
        assert set(told) <= {None, "NF074", "NF008"}


def test_a_link_for_a_password_is_used_once(doors):
    boss, ann = user(doors[0], "Boss", admin=True), user(doors[0], "Ann")
    link = accounts.password_link(doors[0], boss, ann.id, now=T0).secret
    told = together(
        [partial(accounts.reset_password, db, link, password=PASSWORD, now=T0) for db in doors]
    )

    assert told.count(ann) == 1
    assert told.count("NF075") == CROWD - 1
