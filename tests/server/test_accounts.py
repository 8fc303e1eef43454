"""Accounts: who comes in, who may do what, and when it ends."""

import argon2
from folk import (
    OTHER,
    PASSWORD,
    SETTINGS,
    T0,
    board,
    invitation,
    later,
    refused,
    rows,
    secret_of,
    user,
)
from sqlalchemy import update

from nofluke.database import tables
from nofluke.errors import StoreError
from nofluke.server import accounts, boards, times
from nofluke.server.accounts import passwords
from nofluke.server.records import Actor


def test_the_first_to_come_runs_the_server_by_a_link_that_works_once(database):
    first = secret_of(accounts.first_link(database, SETTINGS, now=T0))
    second = secret_of(accounts.first_link(database, SETTINGS, now=T0))
    come = {"name": "Ann", "password": PASSWORD, "now": T0}

    refused("NF075", accounts.redeem, database, first, **come)  # the newer link ended it
    assert accounts.invited(database, second, now=T0).role == "admin"
    ann = accounts.redeem(database, second, **come)

    assert ann.admin
    assert ann.scopes == {"read", "submit", "admin"}
    refused("NF075", accounts.redeem, database, second, **come | {"name": "Bob"})
    refused("NF075", accounts.invited, database, second, now=T0)
    assert accounts.first_link(database, SETTINGS, now=T0) is None
    assert [u.name for u in accounts.users(database, ann)] == ["Ann"]


def test_the_first_link_ends_after_a_day(database):
    link = secret_of(accounts.first_link(database, SETTINGS, now=T0))

    assert accounts.invited(database, link, now=later(hours=23)).by is None
    refused("NF075", accounts.invited, database, link, now=later(hours=24))
    refused(
        "NF075", accounts.redeem, database, link, name="Ann", password=PASSWORD, now=later(days=2)
    )
    assert rows(database, tables.users) == []


def test_a_name_or_password_that_is_not_taken_leaves_the_link_good(database):
    user(database, "Ann Lee")
    link = invitation(database, board(database), team="red")
    come = {"name": "Bob", "password": PASSWORD, "now": T0}

    refused("NF008", accounts.redeem, database, link, **come | {"password": "short"})
    refused("NF008", accounts.redeem, database, link, **come | {"name": "b\u200bob"})
    for same in ("ANN LEE", " ann  lee ", "Ａｎｎ Lee"):
        says = refused("NF008", accounts.redeem, database, link, **come | {"name": same})
        assert "belongs to somebody" in says
    bob = accounts.redeem(database, link, **come)

    assert not bob.admin
    (seat,) = rows(database, tables.members)
    assert (seat["user"], seat["role"], seat["team"]) == (bob.id, "member", "red")
    (used,) = rows(database, tables.invitations)
    assert (used["user"], used["used"]) == (bob.id, times.text(T0))


def test_whoever_holds_a_link_sees_what_it_is_for(database):
    ann, at = user(database, "Ann"), board(database)
    link = invitation(database, at, role="auditor", maker=ann.id)

    found = accounts.invited(database, link, now=T0)

    assert (found.role, found.board, found.title, found.by) == (
        "auditor",
        "tumours",
        "Tumours",
        "Ann",
    )
    assert (found.team, found.name) == (None, None)


def test_users_who_are_there_come_onto_further_boards_and_only_once(database):
    ann, at = user(database, "Ann"), board(database)
    link, again = invitation(database, at, team="red"), invitation(database, at, role="auditor")

    assert accounts.accept(database, ann, link, now=T0) == ann
    refused("NF075", accounts.accept, database, user(database, "Bob"), link, now=T0)
    refused("NF094", accounts.accept, database, ann, again, now=T0)

    assert [seat["role"] for seat in rows(database, tables.members)] == ["member"]
    assert accounts.invited(database, again, now=T0).role == "auditor"  # still good for another
    reading = Actor(id=ann.id, name="Ann", admin=False, scopes=frozenset({"read"}))
    refused("NF074", accounts.accept, database, reading, again, now=T0)


def test_those_who_run_the_server_invite_others_to_run_it(database):
    ann, bob = user(database, "Ann", admin=True), user(database, "Bob")
    link = accounts.invite_admin(database, ann, now=T0).secret

    refused("NF074", accounts.invite_admin, database, bob)
    refused("NF008", accounts.accept, database, ann, link, now=T0)  # is one already
    bob = accounts.accept(database, bob, link, now=T0)
    assert bob.admin
    assert {u.name for u in accounts.users(database, bob) if u.admin} == {"Ann", "Bob"}
    for days in (0, -1, 32, float("nan")):
        refused("NF008", accounts.invite_admin, database, ann, days=days)


def test_what_is_no_link_is_not_there(database):
    ann, says = user(database, "Ann"), set()
    for wrong in ("", "nfi_", "nfi_" + "A" * 43, "nfs_" + "A" * 43, "ä\0\ud800"):
        says |= {
            refused("NF075", accounts.invited, database, wrong),
            refused("NF075", accounts.redeem, database, wrong, name="Bob", password=PASSWORD),
            refused("NF075", accounts.accept, database, ann, wrong),
            refused("NF075", accounts.reset_password, database, wrong, password=PASSWORD),
        }
    assert len(says) == 1


def test_a_session_ends_at_its_time_and_earlier_without_requests(database):
    ann = user(database, "Ann")
    secret = accounts.login(database, "aNN", PASSWORD, hours=5, now=T0)

    def at(**span):
        return accounts.by_session(database, secret, idle_hours=2, now=later(**span))

    assert at() == ann
    assert at(hours=1, minutes=59) == ann
    assert at(hours=3, minutes=58) == ann  # seen an hour and 59 minutes ago
    assert at(hours=4, minutes=59) == ann
    assert at(hours=5) is None
    idle = accounts.login(database, "Ann", PASSWORD, now=T0)
    assert accounts.by_session(database, idle, idle_hours=2, now=later(hours=2)) is None


def test_that_a_session_was_seen_is_written_at_most_once_a_minute(database):
    user(database, "Ann")
    secret = accounts.login(database, "Ann", PASSWORD, now=T0)
    writing, count = database.writing, []
    database.writing = lambda *locks: count.append(1) or writing(*locks)

    for second in range(0, 181, 5):
        assert accounts.by_session(database, secret, now=later(seconds=second)) is not None

    assert len(count) == 3  # after 60, 120 and 180 seconds
    assert rows(database, tables.sessions)[0]["seen"] == times.text(later(seconds=180))


def test_a_store_that_cannot_be_written_to_still_knows_who_asks(database, monkeypatch):
    ann = user(database, "Ann")
    secret = accounts.session(database, ann, now=T0)
    token = accounts.make_token(database, ann, name="t", scopes=["read"], days=2, now=T0).secret

    def full(self, *locks):
        raise StoreError("the disk is full.", code="NF071")

    monkeypatch.setattr(type(database), "writing", full)
    assert accounts.by_session(database, secret, now=later(minutes=30)) == ann
    assert accounts.by_token(database, token, now=later(minutes=30)).id == ann.id


def test_signing_out_ends_one_session_and_old_ones_are_swept_away(database):
    user(database, "Ann")
    one, other = (accounts.login(database, "Ann", PASSWORD, hours=h, now=T0) for h in (1, 9))

    accounts.logout(database, one)
    accounts.logout(database, one)
    accounts.logout(database, "nonsense")
    assert accounts.by_session(database, one, now=T0) is None
    assert accounts.by_session(database, other, now=T0) is not None

    accounts.login(database, "Ann", PASSWORD, now=later(hours=10))
    assert len(rows(database, tables.sessions)) == 1


def test_what_is_no_session_and_no_token_is_nobodys(database):
    for wrong in (
        None,
        "",
        "nfs_x",
        "nfs_" + "A" * 43,
        "nfk_" + "A" * 43,
        "ä" * 47,
        "\0",
        "\ud800",
    ):
        assert accounts.by_session(database, wrong) is None
        assert accounts.by_token(database, wrong) is None


def test_a_secret_of_one_kind_does_not_do_for_another(database):
    ann = user(database, "Ann")
    session = accounts.session(database, ann)
    token = accounts.make_token(database, ann, name="ci", scopes={"read"}, days=1).secret

    assert accounts.by_session(database, session) == ann
    assert accounts.by_token(database, session) is None
    assert accounts.by_session(database, token) is None


def test_every_attempt_to_sign_in_costs_one_computation_and_ends_in_the_same_words(
    database, monkeypatch
):
    gone = user(database, "Gone")
    user(database, "Ann", admin=True)
    with database.writing() as connection:
        connection.execute(
            update(tables.users).where(tables.users.c.id == gone.id).values(disabled="2026")
        )
    work = []
    verify = argon2._password_hasher.verify_secret

    def counted(kept, password, kind):
        work.append((argon2.extract_parameters(kept.decode()), kind))
        return verify(kept, password, kind)

    monkeypatch.setattr(argon2._password_hasher, "verify_secret", counted)
    monkeypatch.setattr(argon2._password_hasher, "hash_secret", lambda *a, **k: work.append("?"))
    attempts = [
        ("Ann", OTHER),
        ("Ann", ""),
        ("Ann", "x" * 5000),
        ("Ann", "\ud800"),
        ("Gone", PASSWORD),
        ("Gone", OTHER),
        ("Nobody", PASSWORD),
        ("", ""),
        ("n\0obody", PASSWORD),
        ("\ud800", PASSWORD),
        ("x" * 100_000, PASSWORD),
        ("' OR 1=1 --", PASSWORD),
    ]

    said = {refused("NF073", accounts.login, database, *attempt) for attempt in attempts}

    assert len(said) == 1
    assert len(work) == len(attempts)
    assert len({str(w) for w in work}) == 1  # the same parameters, lengths and kind
    assert rows(database, tables.sessions) == []
    accounts.login(database, "Ann", PASSWORD)
    assert len(work) == len(attempts) + 1


def test_an_old_hash_is_renewed_when_its_user_signs_in(database):
    ann = user(database, "Ann")
    old = argon2.PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(PASSWORD)
    with database.writing() as connection:
        connection.execute(update(tables.users).values(password=old))

    refused("NF073", accounts.login, database, "Ann", OTHER)
    assert rows(database, tables.users)[0]["password"] == old
    secret = accounts.login(database, "Ann", PASSWORD)

    renewed = rows(database, tables.users)[0]["password"]
    assert not passwords.outdated(renewed)
    assert passwords.matches(renewed, PASSWORD)
    assert accounts.by_session(database, secret) == ann


def test_a_new_password_ends_all_other_sessions(database):
    ann = user(database, "Ann")
    mine, other = (accounts.session(database, ann) for _ in range(2))
    bobs = accounts.session(database, user(database, "Bob"))

    def change(**how):
        accounts.change_password(database, ann, **{"old": PASSWORD, "new": OTHER, **how})

    refused("NF074", change, old=OTHER)
    refused("NF008", change, new="short")
    assert accounts.by_session(database, other) == ann
    change(keep=mine)

    assert accounts.by_session(database, mine) == ann
    assert accounts.by_session(database, other) is None
    assert accounts.by_session(database, bobs) is not None
    refused("NF073", accounts.login, database, "Ann", PASSWORD)
    assert accounts.login(database, "Ann", OTHER)


def test_a_forgotten_password_is_chosen_anew_by_a_link_and_all_else_ends(database):
    boss, ann = user(database, "Boss", admin=True), user(database, "Ann")
    session = accounts.session(database, ann)
    token = accounts.make_token(database, ann, name="ci", scopes={"read"}, days=9).secret

    refused("NF074", accounts.password_link, database, ann, boss.id)
    refused("NF075", accounts.password_link, database, boss, "0" * 32)
    stale = accounts.password_link(database, boss, ann.id, now=T0).secret
    link = accounts.password_link(database, boss, ann.id, now=T0).secret
    found = accounts.invited(database, link, now=T0)
    assert (found.role, found.name, found.by, found.board) == ("password", "Ann", "Boss", None)
    # Such a link makes no user, and one that lets somebody in changes no password.
    refused("NF075", accounts.redeem, database, link, name="Eve", password=OTHER, now=T0)
    refused("NF075", accounts.accept, database, boss, link, now=T0)
    other = accounts.invite_admin(database, boss, now=T0).secret
    refused("NF075", accounts.reset_password, database, other, password=OTHER, now=T0)
    refused("NF075", accounts.reset_password, database, stale, password=OTHER, now=T0)
    refused("NF008", accounts.reset_password, database, link, password=OTHER[:5], now=T0)

    assert accounts.reset_password(database, link, password=OTHER, now=T0) == ann

    refused("NF075", accounts.reset_password, database, link, password=OTHER, now=T0)
    assert accounts.by_session(database, session) is None
    assert accounts.by_token(database, token) is None
    refused("NF073", accounts.login, database, "Ann", PASSWORD)
    assert accounts.login(database, "Ann", OTHER)


def test_a_token_does_what_its_scopes_say_until_it_ends(database):
    ann = user(database, "Ann")
    made = accounts.make_token(database, ann, name="ci", scopes=["submit", "read"], days=2, now=T0)

    assert made.secret.startswith("nfk_")
    assert made.scopes == ("read", "submit")
    found = accounts.by_token(database, made.secret, now=later(hours=47))
    assert found == Actor(
        id=ann.id,
        name="Ann",
        admin=False,
        scopes=frozenset({"read", "submit"}),
        until=made.expires,
    )
    assert accounts.by_token(database, made.secret, now=later(hours=48)) is None
    assert accounts.by_token(database, made.secret[:-1] + "?", now=T0) is None
    (listed,) = accounts.tokens(database, ann)
    assert (listed.id, listed.name, listed.secret) == (made.id, "ci", None)
    assert listed.used == times.text(later(hours=47))


def test_what_has_ended_makes_no_token_and_no_link_though_it_was_asked_before(database):
    boss, ann = user(database, "Boss", admin=True), user(database, "Ann", admin=True)
    made = accounts.make_token(database, ann, name="ci", scopes={"admin"}, days=9)
    visitor = accounts.by_session(database, accounts.session(database, ann))
    holder = accounts.by_token(database, made.secret)
    asked = {"name": "late", "scopes": {"admin"}, "days": 1}
    accounts.make_token(database, visitor, **asked)
    accounts.make_token(database, holder, **asked)
    accounts.invite_admin(database, visitor)
    board(database)
    boards.invite(database, visitor, "tumours", role="member")

    link = accounts.password_link(database, boss, ann.id).secret
    accounts.reset_password(database, link, password=OTHER)
    for late in (visitor, holder):
        refused("NF073", accounts.make_token, database, late, **asked)
        refused("NF073", accounts.invite_admin, database, late)
        refused("NF073", boards.invite, database, late, "tumours", role="member")
        refused("NF073", boards.remove, database, late, "tumours", boss.id)
        refused("NF073", accounts.password_link, database, late, boss.id)
    assert all(token.revoked for token in accounts.tokens(database, ann))


def test_a_token_gives_no_more_than_its_maker_has(database):
    ann = user(database, "Ann", admin=True)
    secret = accounts.make_token(database, ann, name="ci", scopes={"admin"}, days=1).secret
    holder = accounts.by_token(database, secret)

    accounts.make_token(database, holder, name="further", scopes={"admin"}, days=1)
    refused("NF074", accounts.make_token, database, holder, name="x", scopes={"submit"}, days=1)
    reader = Actor(id=ann.id, name="Ann", admin=True, scopes=frozenset({"read", "submit"}))
    for ask, how in [
        (accounts.make_token, {"name": "x", "scopes": {"read"}, "days": 1}),
        (accounts.tokens, {}),
        (accounts.users, {}),
        (accounts.invite_admin, {}),
        (accounts.change_password, {"old": PASSWORD, "new": OTHER}),
    ]:
        refused("NF074", ask, database, reader, **how)
    for ask in (accounts.revoke, accounts.disable, accounts.enable, accounts.password_link):
        refused("NF074", ask, database, reader, ann.id)


def test_tokens_that_are_refused(database):
    ann = user(database, "Ann")
    for how in (
        {"days": 0},
        {"days": 367},
        {"days": 1.5},
        {"days": True},
        {"scopes": ()},
        {"scopes": {"root"}},
        {"scopes": "read submit"},
        {"name": ""},
        {"name": "c\0i"},
    ):
        asked = {"name": "ci", "scopes": {"read"}, "days": 30, **how}
        refused("NF008", accounts.make_token, database, ann, **asked)
    assert rows(database, tables.tokens) == []


def test_tokens_are_their_owners_alone_and_not_without_number(database, monkeypatch):
    ann, bob = user(database, "Ann", admin=True), user(database, "Bob")
    made = accounts.make_token(database, ann, name="ci", scopes={"read"}, days=1)

    assert accounts.tokens(database, bob) == ()
    said = {refused("NF075", accounts.revoke, database, bob, i) for i in (made.id, "0" * 32, "\0")}
    assert len(said) == 1
    assert accounts.by_token(database, made.secret) is not None
    accounts.revoke(database, ann, made.id, now=T0)
    accounts.revoke(database, ann, made.id, now=later(days=1))
    assert accounts.tokens(database, ann)[0].revoked == times.text(T0)
    assert accounts.by_token(database, made.secret) is None

    monkeypatch.setattr("nofluke.server.accounts.api_tokens.MOST", 2)
    for i in range(2):
        accounts.make_token(database, ann, name=f"ci {i}", scopes={"read"}, days=1)
    refused("NF008", accounts.make_token, database, ann, name="x", scopes={"read"}, days=1)


def test_a_disabled_user_is_out_at_once_and_whatever_they_had_ends(database):
    boss, ann = user(database, "Boss", admin=True), user(database, "Ann")
    at = board(database)
    session = accounts.session(database, ann)
    token = accounts.make_token(database, ann, name="ci", scopes={"read"}, days=1).secret
    made = invitation(database, at, maker=ann.id)
    reset = accounts.password_link(database, boss, ann.id, now=T0).secret

    accounts.disable(database, boss, ann.id, now=T0)

    def shut():
        assert accounts.by_session(database, session) is None
        assert accounts.by_token(database, token) is None
        refused("NF075", accounts.invited, database, made, now=T0)
        refused("NF075", accounts.reset_password, database, reset, password=OTHER, now=T0)

    shut()
    refused("NF073", accounts.login, database, "Ann", PASSWORD)
    refused("NF073", accounts.session, database, ann)
    refused("NF073", accounts.make_token, database, ann, name="x", scopes={"read"}, days=1)
    refused("NF074", accounts.change_password, database, ann, old=PASSWORD, new=OTHER)
    refused("NF073", accounts.accept, database, ann, invitation(database, at), now=T0)
    refused("NF008", accounts.password_link, database, boss, ann.id)
    assert {u.name: u.disabled for u in accounts.users(database, boss)} == {
        "Boss": None,
        "Ann": times.text(T0),
    }

    accounts.enable(database, boss, ann.id)
    shut()
    assert accounts.login(database, "Ann", PASSWORD)


def test_who_was_disabled_meanwhile_invites_nobody_to_run_the_server(database):
    boss, ann = user(database, "Boss", admin=True), user(database, "Ann", admin=True)

    accounts.disable(database, boss, ann.id)

    refused("NF074", accounts.invite_admin, database, ann)


def test_a_user_who_is_marked_as_disabled_is_out_even_if_nothing_else_was_ended(database):
    ann = user(database, "Ann")
    session = accounts.session(database, ann)
    token = accounts.make_token(database, ann, name="ci", scopes={"read"}, days=1).secret
    with database.writing() as connection:
        connection.execute(update(tables.users).values(disabled=times.text(T0)))

    assert accounts.by_session(database, session) is None
    assert accounts.by_token(database, token) is None


def test_the_last_who_runs_the_server_cannot_be_disabled(database):
    ann, bob = user(database, "Ann", admin=True), user(database, "Bob", admin=True)

    accounts.disable(database, ann, bob.id)
    assert "only one left" in refused("NF008", accounts.disable, database, ann, ann.id)
    # Bob's rights ended with him, even where a page still holds his record.
    refused("NF074", accounts.disable, database, bob, ann.id)
    refused("NF074", accounts.enable, database, bob, bob.id)
    refused("NF075", accounts.disable, database, ann, "nobody")
    assert accounts.by_session(database, accounts.session(database, ann)) == ann


def test_a_password_that_changes_while_somebody_signs_in_decides(database, monkeypatch):
    ann = user(database, "Ann")
    matches = passwords.matches

    def meanwhile(kept, password):
        right = matches(kept, password)
        monkeypatch.undo()
        accounts.change_password(database, ann, old=PASSWORD, new=OTHER)
        return right

    monkeypatch.setattr(passwords, "matches", meanwhile)

    refused("NF073", accounts.login, database, "Ann", PASSWORD)
    assert rows(database, tables.sessions) == []
