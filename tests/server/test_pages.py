"""What pages answer, whoever asks and whatever is sent."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from keepers import Keeper
from sqlalchemy import update
from starlette.testclient import TestClient

from nofluke.database import tables
from nofluke.database.engine import Database
from nofluke.server import accounts, boards, times
from nofluke.server.accounts import passwords
from nofluke.server.app import create_app
from nofluke.server.boards import scoreboard, submissions
from nofluke.server.pages import boards as board_pages
from nofluke.server.pages import wording
from nofluke.server.records import Standing
from nofluke.server.settings import Settings

PASSWORD = "three words and a half"  # noqa: S105
TEMPLATES = resources.files("nofluke.server.pages") / "templates"
STATIC = resources.files("nofluke.server.pages") / "static"


class House:
    """An app over a keeper, and browsers of its people."""

    def __init__(self, folder: Path, **options: Any) -> None:
        chosen = {"rate_factor": 0.0, "max_upload_bytes": 50_000, "workers": 0, **options}
        self.settings = Settings(
            store=f"sqlite:///{folder / 'k.db'}", folder=folder / "uploads", **chosen
        )
        self.db = Database(self.settings.store)
        self.db.migrate()
        self.keeper = Keeper(self.db, folder)
        self.app = create_app(self.settings, database=self.db)
        self.app.state.spool.sweep()  # as the app does when it starts
        self.keeper.open()
        self.bob = self.keeper.join("tumours", "bob", team="blue")
        self.cyd = self.keeper.join("tumours", "cyd", team="red")
        self.eve = self.keeper.join("tumours", "eve", role="auditor")
        self.zoe = self.keeper.person("zoe")

    def browser(self, actor: Any = None, **options: Any) -> TestClient:
        """A browser in which somebody is signed in."""
        client = TestClient(
            self.app, base_url=self.settings.public_url, follow_redirects=False, **options
        )
        if actor is not None:
            client.cookies.set(self.settings.cookie(), accounts.session(self.db, actor))
        return client

    def submitted(self, actor: Any, name: str = "one", **asked: Any) -> Any:
        path = self.keeper.upload(**asked)
        return submissions.submit(self.db, actor, "tumours", path, name=name)[0]


@pytest.fixture
def house(tmp_path):
    made = House(tmp_path)
    yield made
    made.db.close()


def csrf(client: TestClient, path: str) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get(path).text)
    assert found, path
    return found[1]


def send(client: TestClient, path: str, at: str, **fields: str) -> Any:
    """A form as the page at ``at`` sends it."""
    return client.post(path, data={"csrf": csrf(client, at), **fields})


def hand_in(client: TestClient, file: Path, *, action: str, **more: Any) -> Any:
    fields = {"csrf": csrf(client, "/b/tumours/submit"), "name": "a name", "action": action, **more}
    headers = fields.pop("headers", {})
    with file.open("rb") as opened:
        files = {"file": (file.name, opened)}
        return client.post("/b/tumours/submit", data=fields, files=files, headers=headers)


def test_whoever_is_not_signed_in_is_sent_to_sign_in_and_back(house):
    client = house.browser()
    for path in (
        "/boards",
        "/b/tumours",
        "/b/tumours/ledger?before=3",
        "/account",
        "/new",
        "/admin",
    ):
        answer = client.get(path)
        assert answer.status_code == 303
        assert unquote(answer.headers["location"]) == f"/signin?next={path}"
    # A part of a page is not replaced by the page for signing in.
    part = client.get("/s/x/told", headers={"HX-Request": "true"})
    assert (part.status_code, part.headers["hx-redirect"]) == (204, "/signin")
    assert "Sign in to see that page." in client.get("/signin?next=/new").text


def test_a_session_that_ended_before_a_form_was_sent_is_told(house):
    client = house.browser(house.bob)
    client.get("/b/tumours/submit")
    client.cookies.clear()
    for headers, name in (({}, "location"), ({"HX-Request": "true"}, "hx-redirect")):
        answer = client.post("/b/tumours/submit", data={"name": "x"}, headers=headers)
        assert unquote(answer.headers[name]) == "/signin?done=ended&next=/b/tumours/submit"
        page = client.get(answer.headers[name]).text
        assert "what you sent was not taken" in page
        assert 'value="/b/tumours/submit"' in page
    other = client.post("/s/abc/finalist")
    assert other.headers["location"] == "/signin?done=ended"


THERE = {
    "/b/tumours": "/b/tumours",
    "//evil.example": "/",
    "https://evil.example": "/",
    "/\\evil.example": "/",
    "/%09/evil.example": "/%09/evil.example",
    "/\t/evil.example": "/",
    "": "/",
}


def test_signing_in_leads_nowhere_else(house):
    accounts.redeem(
        house.db,
        boards.invite(house.db, house.keeper.ann, "tumours", role="member").secret,
        name="dan",
        password=PASSWORD,
    )
    for there, goes in THERE.items():
        client = house.browser()
        answer = send(client, "/signin", "/signin", name="dan", password=PASSWORD, next=there)
        assert (answer.status_code, answer.headers["location"]) == (303, goes)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert client.get("/boards").status_code == 200
    answer = send(client, "/signout", "/boards")
    assert answer.headers["location"] == "/signin?done=out"
    assert client.get("/boards").status_code == 303


def test_the_same_words_for_unknown_people_and_wrong_passwords(house):
    said = set()
    for name in ("bob", "nobody"):
        client = house.browser()
        answer = send(client, "/signin", "/signin", name=name, password="wrong" * 4)
        assert answer.status_code == 422
        text = re.sub(r'value="[^"]*"', "", answer.text)
        said.add(text)
    assert len(said) == 1


def test_cookies_travel_over_tls_alone_where_there_is_tls(tmp_path):
    house = House(tmp_path, public_url="https://board.example.org")
    answer = house.browser().get("/signin")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-nofluke-visit=")
    assert "secure" in cookie.lower()
    assert "strict-transport-security" in answer.headers
    house.db.close()


FORMS = [
    "/signout",
    "/b/tumours/compare",
    "/b/tumours/invitations",
    "/b/tumours/invitations/x/withdraw",
    "/b/tumours/members/x",
    "/b/tumours/close",
    "/b/tumours/confirmation",
    "/s/x/finalist",
    "/account/tokens",
    "/account/tokens/x/revoke",
    "/account/password",
    "/admin/invitations",
    "/admin/users/x",
    "/signin",
    "/join",
    "/new",
    "/b/tumours/submit",
]
UPLOADS = ("/new", "/b/tumours/submit")


def test_no_form_of_another_site_or_session_does_anything(house):
    client, other = house.browser(house.keeper.ann), house.browser(house.bob)
    tokens = (None, "", csrf(other, "/account"), "AAAA")
    before = _state(house)
    for path in FORMS:
        for token in tokens:
            sent: dict[str, Any] = {"data": {} if token is None else {"csrf": token}}
            if path in UPLOADS:
                sent["files"] = {"file": ("a.csv", b"id,prediction\n")}
            elif path.endswith("/close"):
                sent["data"] |= {"sure": "yes"}
            assert client.post(path, **sent).status_code == 403, (path, token)
    for path in UPLOADS:
        sent = {"content": b"id,label\n", "headers": {"content-type": "text/csv"}}
        assert client.post(path, **sent).status_code == 403, path
        nothing = {"data": {"csrf": "AAAA"}, "files": {"file": ("", b"")}}
        assert client.post(path, **nothing).status_code == 403, path
    assert _state(house) == before


def test_every_form_that_is_there_is_tested_for_that(house):
    posts = {
        route.path.replace("{slug}", "tumours").replace("{id}", "x")
        for part in __import__("nofluke.server.pages", fromlist=["_PARTS"])._PARTS
        for route in part.routes.routes
        if "POST" in route.methods
    }
    assert posts == set(FORMS)


def _state(house: House) -> Any:
    board = boards.board(house.db, house.keeper.ann, "tumours")
    people = boards.members(house.db, house.keeper.ann, "tumours")
    links = boards.invitations(house.db, house.keeper.ann, "tumours")
    return board.closed, board.left, people, links


def test_strangers_and_other_teams_see_that_nothing_is_there(house):
    mine = house.submitted(house.bob)
    house.keeper.score()
    same = set()
    for actor, path in (
        (house.zoe, "/b/tumours"),
        (house.zoe, "/b/nothing"),
        (house.zoe, "/b/tumours/ledger.jsonl"),
    ):
        answer = house.browser(actor).get(path)
        assert answer.status_code == 404
        same.add(re.sub(r'(value|href)="[^"]*"', "", answer.text))
    assert len(same) == 1
    for actor in (house.cyd, house.eve, house.keeper.ann, house.zoe):
        for path in (f"/s/{mine.id}", f"/s/{mine.id}/told"):
            assert house.browser(actor).get(path).status_code == 404
    assert house.browser(house.bob).get(f"/s/{mine.id}").status_code == 200


def test_members_and_auditors_do_not_manage(house):
    for actor in (house.bob, house.eve):
        client = house.browser(actor)
        assert client.get("/b/tumours/manage").status_code == 403
        assert client.get("/new").status_code == 403
        assert client.get("/admin").status_code == 403
        token = csrf(client, "/account")
        for path in ("/b/tumours/close", "/b/tumours/invitations"):
            answer = client.post(path, data={"csrf": token, "sure": "yes", "role": "owner"})
            assert answer.status_code == 403
    assert boards.board(house.db, house.keeper.ann, "tumours").closed is None


def test_a_check_is_free_and_a_submission_is_charged_once(house):
    client, file = house.browser(house.bob), house.keeper.upload()
    answer = hand_in(client, file, action="check")
    assert answer.status_code == 200
    assert "The file is as it must be: 200 rows" in answer.text
    part = hand_in(client, file, action="check", headers={"HX-Request": "true"})
    assert part.text.lstrip().startswith("<div")
    assert "<html" not in part.text
    assert boards.board(house.db, house.bob, "tumours").left.looks == 20

    answer = hand_in(client, file, action="submit")
    assert answer.status_code == 303
    card = answer.headers["location"]
    assert "Waiting to be scored" in client.get(card).text
    asked = client.get(f"{card}/told", headers={"HX-Request": "true"})
    assert 'hx-trigger="every 1s"' in asked.text
    house.keeper.score()
    asked = client.get(f"{card}/told", headers={"HX-Request": "true"})
    assert (asked.status_code, asked.headers["hx-refresh"]) == (204, "true")
    assert "What was told" in client.get(card).text
    again = hand_in(client, file, action="submit")
    assert again.headers["location"] == f"{card}?done=known"
    assert boards.board(house.db, house.bob, "tumours").left.looks == 19


def test_a_refusal_within_a_page_is_a_part_and_no_page(house, tmp_path):
    client = house.browser(house.bob)
    large = tmp_path / "large.csv"
    large.write_bytes(b"x" * 60_000)
    told = hand_in(client, large, action="check", headers={"HX-Request": "true"})
    assert told.status_code == 413
    assert "larger than 50,000 bytes" in told.text
    assert "<html" not in told.text
    page = hand_in(client, large, action="check")
    assert (page.status_code, 'href="/b/tumours/submit"' in page.text) == (413, True)
    assert "To the form again" not in client.post("/b/tumours/close").text
    stale = client.post("/b/tumours/submit", headers={"HX-Request": "true"})
    assert "<html" not in stale.text
    assert 'role="alert"' in stale.text
    gone = client.get(f"/s/{'0' * 32}/told", headers={"HX-Request": "true"})
    assert (gone.status_code, gone.headers["hx-refresh"]) == (204, "true")


def test_who_cannot_submit_is_told_before_choosing_a_file(house):
    path = "/b/tumours/submit"
    for actor, says in ((house.keeper.ann, "Owners know the labels"), (house.eve, "Auditors see")):
        page = house.browser(actor).get(path).text
        assert says in page
        assert 'type="file"' not in page
    bob = house.browser(house.bob)
    page = bob.get(path).text
    assert 'type="file"' in page
    assert 'maxlength="100"' in page
    boards.close(house.db, house.keeper.ann, "tumours")
    page = bob.get(path).text
    assert "The board was closed" in page
    assert 'type="file"' not in page


def test_a_spent_budget_is_told_before_and_by_a_check(tmp_path):
    house = House(tmp_path)
    house.keeper.open("few", path=_other(house), looks=20, per_member=1)
    house.keeper.seat("few", house.bob, team="blue")
    bob = house.browser(house.bob)
    assert "no look left" not in bob.get("/b/few/submit").text
    submissions.submit(house.db, house.bob, "few", house.keeper.upload(0.9), name="one")
    assert (
        "You have no look left: new predictions would be refused" in bob.get("/b/few/submit").text
    )
    fields = {"csrf": csrf(bob, "/b/few/submit"), "name": "x", "action": "check"}
    for share, refused in ((0.6, True), (0.9, False)):
        with house.keeper.upload(share).open("rb") as file:
            told = bob.post("/b/few/submit", data=fields, files={"file": ("p.csv", file)})
        assert ("to submit it would be refused" in told.text) == refused
    house.db.close()


def _other(house):
    house.keeper.labels = {f"o{one}": label for one, label in house.keeper.labels.items()}
    return house.keeper.rows("other.csv")


@pytest.mark.parametrize("asked", ["", "?second=nothing", "?second={older}"])
def test_two_submissions_are_chosen_and_never_one_twice(house, asked):
    older, newer = (house.submitted(house.bob, f"n{seed}", seed=seed).id for seed in (1, 2))
    house.keeper.score()
    text = house.browser(house.bob).get("/b/tumours/compare" + asked.format(older=older)).text
    chosen = re.findall(r'<option value="([^"]+)" selected', text)
    assert chosen == ([newer, older] if "older" in asked else [older, newer])


def test_final_rows_that_cannot_be_opened_have_no_form(house):
    ann = house.browser(house.keeper.ann)
    page = ann.get("/b/tumours/confirmation").text
    assert "keeps no rows for a final confirmation" in page
    assert 'action="/b/tumours/confirmation"' not in page
    house.keeper.open("last", path=_other(house), confirm=0.3)
    page = ann.get("/b/last/confirmation").text
    assert "rows wait for the end" in page
    assert 'action="/b/last/confirmation"' not in page
    boards.close(house.db, house.keeper.ann, "last")
    assert 'action="/b/last/confirmation"' in ann.get("/b/last/confirmation").text


def test_a_submissions_number_is_not_called_a_look(house):
    """One whose look was given back keeps its number, so that looks are fewer."""
    found = house.submitted(house.bob)
    house.keeper.score()
    bob = house.browser(house.bob)
    for path in ("/b/tumours", "/b/tumours/mine", f"/s/{found.id}"):
        page = bob.get(path).text
        assert re.search(r"<(?:th scope=.col. class=.nf-n.|dt)>Number<", page), path
        assert not re.search(r"<(?:th scope=.col. class=.nf-n.|dt)>Look<", page), path


def test_final_rows_that_another_board_has_opened_are_offered_nowhere(house):
    rows = _other(house)
    for slug in ("last", "twin"):
        house.keeper.open(slug, path=rows, confirm=0.3)
    bob, cyd = house.keeper.seat("last", house.bob), house.keeper.seat("twin", house.cyd)
    path = house.keeper.upload(0.8)
    first, _ = submissions.submit(house.db, bob, "last", path, name="one")
    second, _ = submissions.submit(house.db, cyd, "twin", path, name="two")
    house.keeper.score()
    ann, card = house.browser(house.keeper.ann), f"/s/{second.id}"
    assert f'action="{card}/finalist"' in house.browser(cyd).get(card).text
    boards.name_finalist(house.db, bob, first.id)
    boards.close(house.db, house.keeper.ann, "last")
    boards.open_confirmation(house.db, house.keeper.ann, "last")

    told = "Another board over the same rows has opened the final rows"
    assert f'action="{card}/finalist"' not in house.browser(cyd).get(card).text
    for closed in (False, True):
        if closed:
            boards.close(house.db, house.keeper.ann, "twin")
        page = ann.get("/b/twin/manage").text
        assert told in page
        assert "final rows can be opened" not in page
        assert "/b/twin/confirmation" not in page
        page = ann.get("/b/twin/confirmation").text
        assert told in page
        assert 'action="/b/twin/confirmation"' not in page
    assert told not in ann.get("/b/last/manage").text


def test_what_was_typed_for_a_link_is_kept_and_a_token_needs_a_box(house):
    ann = house.browser(house.keeper.ann)
    path = "/b/tumours/invitations"
    told = send(ann, path, "/b/tumours/manage", role="auditor", team="reds", days="3").text
    for kept in ('value="auditor" selected', 'value="reds"', 'value="3"'):
        assert kept in told
    told = send(ann, "/account/tokens", "/account", **{"token-name": "x", "days": "3"})
    assert told.status_code == 422
    assert "Tick at least one box" in told.text
    assert "A form is not filled in" in told.text


def test_no_day_at_all_is_refused_and_not_read_as_the_usual_number(house):
    ann, token = house.browser(house.keeper.ann), {"token-name": "x", "scope-read": "yes"}
    for path, at, more in (
        ("/b/tumours/invitations", "/b/tumours/manage", {"role": "member"}),
        ("/admin/invitations", "/admin", {}),
        ("/account/tokens", "/account", token),
    ):
        told = send(ann, path, at, days="0", **more)
        assert (told.status_code, "days=0" in told.text) == (422, True), path
        assert send(ann, path, at, days="", **more).status_code == 200
        # What a browser lets through is what is taken.
        most = re.search(r'name="days" [^>]* max="(\d+)"', ann.get(at).text)[1]
        assert send(ann, path, at, days=most, **more).status_code == 200
        assert send(ann, path, at, days=str(int(most) + 1), **more).status_code == 422
    assert len(accounts.tokens(house.db, house.keeper.ann)) == 2


def test_a_form_without_action_costs_nothing(house):
    assert hand_in(house.browser(house.bob), house.keeper.upload(), action="").status_code == 200
    assert boards.board(house.db, house.bob, "tumours").left.looks == 20


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        (b"", 422, "NF098"),
        (b"id,prediction\nr000000,1\n", 422, "NF079"),
        (b"PK\x03\x04" + b"0" * 50, 422, "NF078"),
        (b"x" * 60_000, 413, "NF077"),
    ],
)
def test_what_cannot_be_used_is_told_and_leaves_nothing(house, tmp_path, content, status, says):
    file = tmp_path / "b.csv"
    file.write_bytes(content)
    client = house.browser(house.bob)
    for action in ("check", "submit"):
        answer = hand_in(client, file, action=action)
        assert answer.status_code == status
        assert says in answer.text
        assert "<h1>" in answer.text
    part = hand_in(client, file, action="check", headers={"HX-Request": "true"})
    assert says in part.text
    assert not any(house.settings.folder.iterdir())
    assert boards.board(house.db, house.bob, "tumours").left.looks == 20


def test_budgets_refuse_in_words(tmp_path):
    house = House(tmp_path)
    house.keeper.labels = {f"s{i}": str(i % 2) for i in range(60)}
    house.keeper.open("small", per_member=1, path=house.keeper.rows("small.csv"))
    dan = house.keeper.join("small", "dan")
    client = house.browser(dan)
    for seed, status in ((1, 303), (2, 409)):
        file = house.keeper.upload(0.7, seed=seed)
        fields = {"csrf": csrf(client, "/b/small/submit"), "name": "x", "action": "submit"}
        with file.open("rb") as opened:
            files = {"file": (file.name, opened)}
            answer = client.post("/b/small/submit", data=fields, files=files)
        assert answer.status_code == status
    assert "NF083" in answer.text
    assert "<strong>0</strong> of 1 left" in answer.text
    house.db.close()


def test_a_board_is_opened_by_a_form_and_what_is_wrong_is_kept(house):
    client = house.browser(house.keeper.ann)
    house.keeper.labels = {f"t{i}": str(i % 2) for i in range(50)}
    fields = {
        "csrf": csrf(client, "/new"),
        "title": "New",
        "slug": "new",
        "looks": "12",
        "per_team": "",
        "confirm": "0",
        "alpha": "0.1",
        "rule": "rounded",
        "option-step": "0.05",
    }
    rows = house.keeper.rows("new.csv")

    def opened(**more: str) -> Any:
        with rows.open("rb") as file:
            return client.post("/new", data={**fields, **more}, files={"file": ("new.csv", file)})

    for wrong in ({"looks": "many"}, {"alpha": "1e999"}, {"label": "nowhere"}, {"slug": "A B"}):
        answer = opened(**wrong)
        assert answer.status_code == 422, wrong
        assert 'value="New"' in answer.text
        assert 'value="0.05"' in answer.text
        assert 'role="alert"' in answer.text
    answer = opened()
    assert answer.headers["location"] == "/b/new?done=opened"
    board = boards.board(house.db, house.keeper.ann, "new")
    assert (board.rule, board.level, board.left.looks_of) == ("rounded", 0.9, 12)


def test_links_and_tokens_are_shown_once(house):
    ann = house.browser(house.keeper.ann)
    answer = send(ann, "/b/tumours/invitations", "/b/tumours/manage", role="member", days="2")
    link = re.search(r'<code id="link">([^<]+)</code>', answer.text)[1]
    secret = link.rsplit("/", 1)[1]
    assert secret not in ann.get("/b/tumours/manage").text
    token = send(
        ann,
        "/account/tokens",
        "/account",
        **{"token-name": "laptop", "days": "3", "scope-read": "yes"},
    )
    kept = re.search(r'<code id="token">([^<]+)</code>', token.text)[1]
    assert accounts.by_token(house.db, kept).scopes == {"read"}
    assert kept not in ann.get("/account").text
    mine = accounts.tokens(house.db, house.keeper.ann)[0]
    send(ann, f"/account/tokens/{mine.id}/revoke", "/account")
    assert accounts.by_token(house.db, kept) is None

    client = house.browser()
    page = client.get(f"/join/{secret}")
    assert "a member" in page.text
    # Who has an account signs in, and comes back to use the link.
    maya = accounts.invite_admin(house.db, house.keeper.ann).secret
    accounts.redeem(house.db, maya, name="maya", password=PASSWORD)
    there = re.search(r'href="(/signin\?next=[^"]+)"', page.text)[1]
    other = house.browser()
    back = re.search(r'name="next" value="([^"]+)"', other.get(there).text)[1]
    answer = send(other, "/signin", there, name="maya", password=PASSWORD, next=back)
    assert answer.headers["location"] == f"/join/{secret}"
    assert "Join as maya" in other.get(f"/join/{secret}").text
    assert page.headers["referrer-policy"] == "no-referrer"
    fields = {"secret": secret, "name": "dan", "password": PASSWORD, "as": "new"}
    answer = send(client, "/join", f"/join/{secret}", **fields, again=PASSWORD + "!")
    assert "NF098" in answer.text
    answer = send(client, "/join", f"/join/{secret}", **fields, again=PASSWORD)
    assert answer.headers["location"] == "/b/tumours"
    assert client.get("/b/tumours").status_code == 200
    assert client.get(f"/join/{secret}").status_code == 404


def test_what_has_ended_is_not_said_to_work(house):
    ann, before = house.keeper.ann, times.now() - dt.timedelta(days=2)
    asked = {"name": "old", "scopes": ["read"], "days": 1}
    accounts.make_token(house.db, ann, **asked, now=before)
    boards.invite(house.db, ann, "tumours", role="member")
    client = house.browser(ann)
    assert "works until" in client.get("/b/tumours/manage").text
    with house.db.writing() as connection:
        connection.execute(update(tables.invitations).values(expires=times.text(before)))
    for path in ("/account", "/b/tumours/manage"):
        text = client.get(path).text
        assert "<td>ended <time" in text
        assert "works until" not in text


def test_people_change_their_password_and_admins_send_a_link_for_one(house):
    made = accounts.invite_admin(house.db, house.keeper.ann)
    dan = accounts.redeem(house.db, made.secret, name="dan", password=PASSWORD)
    client, other = house.browser(dan), house.browser(dan)
    new = PASSWORD + " more"
    fields = {"old": PASSWORD, "password": new, "again": new}
    wrong = send(client, "/account/password", "/account", **{**fields, "old": "x" * 20})
    assert wrong.status_code == 422
    assert "old password" in wrong.text
    assert send(client, "/account/password", "/account", **fields).status_code == 303
    assert client.get("/account").status_code == 200
    assert other.get("/account").status_code == 303

    ann = house.browser(house.keeper.ann)
    answer = send(ann, f"/admin/users/{dan.id}", "/admin", action="password")
    secret = re.search(r'<code id="link">[^<]+/([^/<]+)</code>', answer.text)[1]
    client = house.browser()
    assert "Choose a new password" in client.get(f"/join/{secret}").text
    fields = {"secret": secret, "password": PASSWORD, "again": PASSWORD}
    assert send(client, "/join", f"/join/{secret}", **fields).status_code == 303
    assert client.get("/boards").status_code == 200
    assert send(ann, f"/admin/users/{dan.id}", "/admin", action="disable").status_code == 303
    assert client.get("/boards").status_code == 303


def test_the_ledger_is_paged_checked_and_exported(house):
    for seed in range(18):
        house.submitted(house.bob, f"n{seed}", seed=seed)
    house.keeper.score()
    client = house.browser(house.eve)
    text = client.get("/b/tumours/ledger").text
    count = int(re.search(r"<p>(\d+) entries in all", text)[1])
    seen, path = [], "/b/tumours/ledger"
    while path:
        text = client.get(path).text
        seen += [int(n) for n in re.findall(r'<tr id="entry-(\d+)"', text)]
        older = re.search(r'href="([^"]+)">Older entries', text)
        path = older and older[1]
    assert sorted(seen) == list(range(1, count + 1))
    assert client.get("/b/tumours/ledger?before=x").status_code == 422
    lines = client.get("/b/tumours/ledger.jsonl")
    assert len(lines.content.splitlines()) == count
    assert "attachment" in lines.headers["content-disposition"]
    table = client.get("/b/tumours/ledger.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert len(table.text.splitlines()) == count + 1


def test_a_long_board_is_shown_in_parts(house, monkeypatch):
    monkeypatch.setattr(board_pages, "PER_PAGE", 4)
    for seed in range(10):
        house.submitted(house.bob, f"n{seed}", seed=seed)
    house.keeper.score()
    client = house.browser(house.eve)
    of = len(boards.board(house.db, house.eve, "tumours").standings)
    assert of >= 10
    seen, path = [], "/b/tumours"
    while path:
        text = client.get(path).text
        part = re.findall(r'<td class="nf-n">(\d+)</td></tr>', text)
        assert len(part) <= 4
        assert f"{len(seen) + 1} to {len(seen) + len(part)} of {of} submissions" in text
        seen += part
        after = re.search(r'href="([^"]+)">After these', text)
        path = after and after[1]
    assert seen == [str(s.number) for s in boards.board(house.db, house.eve, "tumours").standings]
    assert '"/b/tumours">Before these' in client.get("/b/tumours?from=5").text
    assert '"/b/tumours?from=5">Before these' in client.get("/b/tumours?from=9").text
    assert client.get("/b/tumours?from=0").status_code == 200
    assert client.get("/b/tumours?from=99999").status_code == 200
    assert client.get("/b/tumours?from=-1").status_code == 422


def test_pages_without_standings_do_not_ask_for_them(house, monkeypatch):
    one = house.submitted(house.bob, "one", seed=1)
    house.keeper.score()

    def asked(*_):
        raise AssertionError

    monkeypatch.setattr(scoreboard, "standings", asked)
    client = house.browser(house.bob)
    for path in ("submit", "mine", "compare", "ledger"):
        assert client.get(f"/b/tumours/{path}").status_code == 200
    assert client.get(f"/s/{one.id}").status_code == 200


def test_limits_and_errors_are_pages_and_keep_their_headers(tmp_path):
    house = House(tmp_path, rate_factor=0.01)
    client = house.browser(raise_server_exceptions=False)
    answers = [client.get("/signin") for _ in range(12)]
    refused = answers[-1]
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert "NF076" in refused.text
    for answer in (answers[0], refused):
        assert answer.headers["content-security-policy"].startswith("default-src 'self'")
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-type"].startswith("text/html")
    house.db.close()


def test_an_error_nobody_foresaw_is_a_page_that_tells_nothing(house, monkeypatch):
    def broken(*_args: Any) -> None:
        raise RuntimeError("the label of r000001 is 1")

    monkeypatch.setattr(boards, "board", broken)
    answer = house.browser(house.bob, raise_server_exceptions=False).get("/b/tumours")
    assert answer.status_code == 500
    assert "<h1>Something went wrong on the server</h1>" in answer.text
    assert "r000001" not in answer.text
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize(
    "path", ["/nowhere", "/static/none.js", "/static/..%2f__init__.py", "/s/x"]
)
def test_what_is_not_there_is_a_page(house, path):
    answer = house.browser(house.bob).get(path)
    assert answer.status_code == 404
    assert "None" not in answer.text


def test_no_label_is_on_any_page(tmp_path):
    house = House(tmp_path)
    house.keeper.labels = {f"u{i}": f"LABEL{i % 3}SECRET" for i in range(60)}
    ann, client = house.browser(house.keeper.ann), None
    house.keeper.open("secret", metric="exact_match", path=house.keeper.rows("s.csv"))
    dan = house.keeper.join("secret", "dan")
    client = house.browser(dan)
    path = tmp_path / "p.csv"
    path.write_text("id,prediction\n" + "".join(f"u{i},guess\n" for i in range(60)))
    found, _ = submissions.submit(house.db, dan, "secret", path, name="a guess")
    house.keeper.score()
    for browser, paths in (
        (client, ("", "/submit", "/mine", "/compare", "/ledger", "/ledger.jsonl", "/ledger.csv")),
        (ann, ("", "/manage", "/ledger")),
    ):
        for path in paths:
            answer = browser.get(f"/b/secret{path}")
            assert answer.status_code == 200
            assert "SECRET" not in answer.text, path
    assert "SECRET" not in client.get(f"/s/{found.id}").text
    house.db.close()


def test_static_files_are_those_that_the_readme_names():
    readme = (STATIC / "README.md").read_text(encoding="utf-8")
    digest = hashlib.sha256((STATIC / "htmx.min.js").read_bytes()).hexdigest()
    assert digest in readme
    assert "htmx.org 4.0.1" in readme
    assert "Zero-Clause BSD" in (STATIC / "htmx.LICENSE").read_text(encoding="utf-8")


def test_static_files_are_kept_by_their_content(house):
    text = house.browser().get("/signin").text
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', text)
    assert len(addresses) == 5
    for address in addresses:
        answer = house.browser().get(address)
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("name", sorted(t.name for t in TEMPLATES.iterdir()))
def test_no_template_has_script_or_style_of_its_own(name):
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:", text)
    assert "hx-on" not in text
    assert not re.search(r"""(src|href|action)=["']?https?:""", text)
    assert "|safe" not in text
    posts = len(re.findall(r'<form method="post"', text))
    assert text.count("parts.csrf()") == posts


def test_the_hint_on_passwords_says_what_is_asked():
    from nofluke.server.pages.signing import HINT

    assert str(passwords.SHORTEST) in HINT


RULES: dict[str, dict[str, str]] = {
    "ladder": {"rule": "ladder", "option-step": "0.05"},
    "free-ladder": {"rule": "free-ladder"},
    "rounded": {"rule": "rounded", "looks": "5", "per_team": "5"},
    "thresholdout": {"rule": "thresholdout", "option-budget": "3", "option-sigma": "0.01"},
    "verdict": {"rule": "verdict", "baseline": "old", "option-wins": "2"},
    "brier": {"metric": "brier", "option-positive": "b"},
    "area": {"metric": "auc", "option-positive": "b", "rule": "rounded", "looks": "5"},
    "error": {"metric": "absolute_error", "high": "4", "label": "number", "confirm": "0"},
}


@pytest.mark.parametrize("kind", RULES)
def test_every_rule_and_metric_has_its_pages(house, tmp_path, kind):
    asked = RULES[kind]
    n, ann = 120, house.browser(house.keeper.ann)
    rows = tmp_path / "all.csv"
    told = [(f"v{i}", "ab"[i % 2], i % 4, "ab"[i % 3 == 0]) for i in range(n)]
    rows.write_text(
        "id,label,number,old\n" + "".join(",".join(map(str, line)) + "\n" for line in told)
    )
    fields = {"csrf": csrf(ann, "/new"), "title": kind, "slug": kind, "per_team": "", **asked}
    with rows.open("rb") as file:
        answer = ann.post("/new", data=fields, files={"file": ("all.csv", file)})
    assert answer.status_code == 303, answer.text
    dan = house.keeper.join(kind, "dan")
    client, cards = house.browser(dan), []
    for right in (60, 110):
        path = tmp_path / f"{right}.csv"
        guesses = [_guess(kind, line, right=i < right) for i, line in enumerate(told)]
        path.write_text("id,prediction\n" + "".join(f"{i},{x}\n" for i, x in guesses))
        fields = {"csrf": csrf(client, f"/b/{kind}/submit"), "name": "x", "action": "submit"}
        if kind == "thresholdout":
            assert 'name="training"' in client.get(f"/b/{kind}/submit").text
            fields["training"] = "0.7"
        with path.open("rb") as file:
            files = {"file": ("p.csv", file)}
            answer = client.post(f"/b/{kind}/submit", data=fields, files=files)
        assert answer.status_code == 303, answer.text
        cards.append(answer.headers["location"])
        house.keeper.score()
    ids = [card.removeprefix("/s/") for card in cards]
    if asked.get("rule") != "verdict":
        form = {"first": ids[0], "second": ids[1]}
        answer = send(client, f"/b/{kind}/compare", f"/b/{kind}/compare", **form)
        assert answer.status_code == 303, answer.text
        cards.append(answer.headers["location"])
        house.keeper.score()
    for card in cards:
        text = client.get(card).text
        assert "What was told" in text, (kind, card)
        assert "None" not in text
        assert "Why not the plain score" in text or card == cards[2]
    for page in ("", "/mine", "/compare", "/submit", "/ledger"):
        answer = client.get(f"/b/{kind}{page}")
        assert answer.status_code == 200
        assert "None" not in re.sub("None of|None without", "", answer.text), page


def _guess(kind: str, line: tuple[str, str, int, str], *, right: bool) -> tuple[str, Any]:
    name, label, number, _ = line
    if kind == "error":
        return name, number if right else 3 - number
    if kind in ("brier", "area"):
        return name, (0.9 if label == "b" else 0.1) if right else 0.5
    return name, label if right else "ab"[label == "a"]


def test_what_is_drawn_keeps_to_its_scale():
    def line(i: int, lower: float | None, upper: float | None, value: float | None) -> Standing:
        return Standing(
            id=f"s{i}",
            name="x",
            team="t",
            number=i,
            value=value,
            verdict=None,
            lower=lower,
            upper=upper,
            best_rank=1,
            worst_rank=2,
            tier=1,
            mine=False,
        )

    assert wording.drawn(()) is None
    assert wording.drawn((line(1, None, None, 0.5),)) is None
    found = wording.drawn((line(1, 0.2, 0.6, 0.4), line(2, 0.4, 1.0, None), line(3, None, None, 1)))
    places = [(bar["from"], bar["to"], bar["at"]) for bar in found["bars"]]
    assert places == [(0, 500, 250), (250, 1000, None)]
    assert (found["low"], found["high"], found["rest"]) == (0.2, 1.0, 0)
    point = wording.drawn((line(1, 0.5, 0.5, 0.5),))["bars"][0]
    assert point["from"] == point["to"] == point["at"] == 500
    many = wording.drawn(tuple(line(i, 0.0, 1.0, None) for i in range(100)))
    assert (len(many["bars"]), many["rest"]) == (40, 60)


def test_who_runs_the_server_mends_who_is_on_a_board_and_no_more(house):
    max_ = house.keeper.person("max", admin=True)
    client = house.browser(max_)
    assert "tumours" in client.get("/boards").text
    page = client.get("/b/tumours/manage").text
    assert "Make a link" in page
    assert "Close the board" not in page
    answer = send(client, f"/b/tumours/members/{house.cyd.id}", "/admin", action="remove")
    assert answer.headers["location"] == "/b/tumours/manage?done=removed"
    assert house.browser(house.cyd).get("/b/tumours").status_code == 404
    assert send(client, "/b/tumours/close", "/admin", sure="yes").status_code == 403
    role = {"action": "role", "role": "auditor", "team": ""}
    assert send(client, f"/b/tumours/members/{house.bob.id}", "/admin", **role).status_code == 303
    assert boards.board(house.db, house.bob, "tumours").role == "auditor"
    # The last owner stays, and is told why.
    answer = send(client, f"/b/tumours/members/{house.keeper.ann.id}", "/admin", **role)
    assert answer.status_code == 422
    assert "NF094" in answer.text


def test_a_body_that_is_too_large_is_a_page(house):
    client = house.browser()
    answer = client.post("/signin", data={"name": "x" * 200_000})
    assert answer.status_code == 413
    assert "NF077" in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_a_form_that_cannot_be_read_is_not_said_to_be_json(house):
    told = house.browser().post(
        "/signin", content=b"x", headers={"content-type": "multipart/form-data; boundary=b"}
    )
    assert told.status_code == 400
    assert "what its Content-Type says: JSON, or a form" in told.text
