"""The API: what each role may, what each refusal is, and that nothing hidden gets out."""

import io
import json
import zipfile

import pytest

PROBLEM = "application/problem+json"
CSV = {"content-type": "text/csv"}


def is_problem(answer, status, code):
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM), answer.text
    told = answer.json()
    assert (told["status"], told["code"], told["type"]) == (status, code, f"urn:nofluke:{code}")
    assert told["title"]
    assert told["detail"].endswith(".")
    return told


def test_a_submission_is_charged_scored_and_told(served):
    answer = served.submit("ann", 1)
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert answer.headers["location"] == f"/api/v1/submissions/{made['id']}"
    told = served.scored("ann", made["id"])

    assert told["status"] == "released"
    assert told["sentences"]
    assert told["answer"]["looks_left"] == 11
    assert served.ask("ann", "GET", "/boards/numbers").json()["left"]["looks"] == 11
    assert [s["id"] for s in served.ask("ann", "GET", "/boards/numbers/submissions").json()] == [
        made["id"]
    ]


def test_the_same_content_is_the_same_submission(served):
    first = served.submit("ann", 1)
    again = served.submit("ann", 1)
    shuffled = b"\n".join(
        [b"id,prediction", *sorted(served.predictions(1).split()[1:], reverse=True), b""]
    )
    third = served.ask("ann", "POST", "/boards/numbers/submissions", content=shuffled, headers=CSV)

    assert [a.status_code for a in (first, again, third)] == [201, 200, 200]
    assert len({a.json()["id"] for a in (first, again, third)}) == 1
    assert served.ask("ann", "GET", "/boards/numbers").json()["left"]["looks"] == 11


def test_a_form_and_a_body_are_the_same_submission(served):
    form = served.ask(
        "ann",
        "POST",
        "/boards/numbers/submissions",
        data={"name": "mine", "message": "zwei\nZeilen"},
        files={"file": ("p.csv", served.predictions(1), "text/csv")},
    )
    assert form.status_code == 201, form.text
    assert (form.json()["name"], form.json()["message"]) == ("mine", "zwei\nZeilen")
    assert served.submit("ann", 1).json()["id"] == form.json()["id"]


def test_a_trial_costs_nothing(served):
    for _ in range(20):
        answer = served.ask(
            "ann", "POST", "/boards/numbers/check", content=served.predictions(1), headers=CSV
        )
        assert answer.status_code == 200, answer.text
    assert (answer.json()["rows"], answer.json()["known"]) == (60, None)
    assert answer.json()["left"]["looks"] == 12
    made = served.submit("ann", 1).json()
    answer = served.ask(
        "ann", "POST", "/boards/numbers/check", content=served.predictions(1), headers=CSV
    )
    assert answer.json()["known"] == made["id"]


def test_two_own_submissions_are_compared_once(served):
    first, second = (served.submit("ann", seed).json()["id"] for seed in (1, 2))
    for one in (first, second):
        served.scored("ann", one)
    pair = {"first": first, "second": second}
    made = served.ask("ann", "POST", "/boards/numbers/comparisons", json=pair)
    assert made.status_code == 201, made.text
    told = served.scored("ann", made.json()["id"])
    assert (told["kind"], told["status"]) == ("comparison", "released")
    again = served.ask("ann", "POST", "/boards/numbers/comparisons", json=pair)
    assert (again.status_code, again.json()["id"]) == (200, told["id"])


def test_a_spent_budget_is_told_with_its_numbers(served):
    form = served.form(
        "short", labels={k: f"{float(v) / 2:.12f}" for k, v in served.labels.items()}, per_member=1
    )
    assert served.ask("owner", "POST", "/boards", **form).status_code == 201
    secret = served.ask("owner", "POST", "/boards/short/invitations", json={"role": "member"})
    served.ask("ann", "POST", "/invitations/accept", json={"secret": secret.json()["secret"]})
    assert served.submit("ann", 1, slug="short").status_code == 201
    told = is_problem(served.submit("ann", 2, slug="short"), 409, "NF083")
    assert (told["looks"], told["budget"]) == (1, 1)
    assert served.submit("ann", 1, slug="short").status_code == 200


def test_final_rows_are_opened_once(served):
    mine = served.submit("ann", 1).json()["id"]
    served.scored("ann", mine)
    assert served.ask("ann", "PUT", f"/submissions/{mine}/finalist").json()["finalist"] is True
    is_problem(served.ask("owner", "POST", "/boards/numbers/confirmation"), 409, "NF093")
    closed = served.ask("owner", "POST", "/boards/numbers/close")
    assert closed.status_code == 200, closed.text
    assert closed.json()["closed"]
    is_problem(served.submit("ann", 2), 409, "NF090")
    opened = served.ask("owner", "POST", "/boards/numbers/confirmation")
    assert opened.status_code == 200, opened.text
    assert opened.json()["confirmation"]["sentences"]
    is_problem(served.ask("owner", "POST", "/boards/numbers/confirmation"), 409, "NF093")


def test_the_ledger_is_read_checked_and_taken_away(served, tmp_path):
    from nofluke.ledger.book import Ledger

    for seed in (1, 2):
        served.scored("ann", served.submit("ann", seed).json()["id"])
    page = served.ask("auditor", "GET", "/boards/numbers/ledger").json()
    assert page["intact"] is True
    older = served.ask("auditor", "GET", "/boards/numbers/ledger", params={"before": 3}).json()
    assert [entry["seq"] for entry in older["entries"]] == [2, 1]
    kept = served.ask(
        "auditor", "POST", "/boards/numbers/ledger/verify", json={"heads": [page["head"]]}
    )
    assert kept.json()["intact"] is True
    number = page["head"].split(":")[0]
    forged = {"heads": [f"{number}:{'0' * 64}"]}
    assert (
        served.ask("bob", "POST", "/boards/numbers/ledger/verify", json=forged).json()["intact"]
        is False
    )
    lines = served.ask("auditor", "GET", "/boards/numbers/ledger.jsonl")
    assert lines.headers["content-type"] == "application/x-ndjson"
    (tmp_path / "copy.jsonl").write_bytes(lines.content)
    with Ledger(tmp_path / "copy.jsonl") as book:
        assert book.verify(heads=[page["head"]]).intact
    table = served.ask("auditor", "GET", "/boards/numbers/ledger.csv")
    assert table.headers["content-type"].startswith("text/csv")
    assert table.headers["content-disposition"] == 'attachment; filename="numbers-ledger.csv"'


def test_exports_of_strangers_are_refused_before_they_begin(still):
    for ending in ("jsonl", "csv"):
        answer = still.ask("stranger", "GET", f"/boards/numbers/ledger.{ending}")
        is_problem(answer, 404, "NF075")


# Tokens


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer nfk_",
        "Bearer nfk_" + "A" * 43,
        "Basic YWRtaW46YWRtaW4=",
        "Bearer nfs_" + "A" * 43,
        "Bearer " + "x" * 5000,
        "Bearer nfk_\xff\xfe",
    ],
)
def test_without_a_token_that_counts_nothing_is_told(still, sent):
    headers = {} if sent is None else {"Authorization": sent.encode("latin-1")}
    answer = still.client.get("/api/v1/boards", headers=headers)
    is_problem(answer, 401, "NF073")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_session_is_no_token(still):
    headers = {"cookie": "nofluke-session=nfs_" + "A" * 43}
    is_problem(still.client.get("/api/v1/boards", headers=headers), 401, "NF073")


def test_tokens_end_when_they_are_revoked_or_their_owner_is_disabled(served):
    made = served.ask(
        "ann", "POST", "/tokens", json={"name": "ci", "scopes": ["read"], "days": 1}
    ).json()
    served.tokens["ci"] = made["secret"]
    assert served.ask("ci", "GET", "/me").json()["scopes"] == ["read"]
    is_problem(served.ask("bob", "DELETE", f"/tokens/{made['id']}"), 404, "NF075")
    assert served.ask("ann", "DELETE", f"/tokens/{made['id']}").status_code == 204
    is_problem(served.ask("ci", "GET", "/me"), 401, "NF073")
    user = served.users["bob"]
    assert served.ask("admin", "POST", f"/users/{user}/disable").status_code == 204
    is_problem(served.ask("bob", "GET", "/me"), 401, "NF073")
    assert served.ask("admin", "POST", f"/users/{user}/enable").status_code == 204


def test_a_token_that_has_ended_counts_no_more(served):
    from sqlalchemy import update

    from nofluke.database import tables

    with served.database.writing() as connection:
        connection.execute(
            update(tables.tokens)
            .where(tables.tokens.c.user == served.users["ann"])
            .values(expires="2020-01-01T00:00:00.000Z")
        )
    is_problem(served.ask("ann", "GET", "/me"), 401, "NF073")


@pytest.mark.parametrize("scope", ["read", "submit"])
def test_a_token_does_what_its_scopes_name_and_no_more(served, scope):
    made = served.ask("owner", "POST", "/tokens", json={"name": "x", "scopes": [scope], "days": 1})
    served.tokens["x"] = made.json()["secret"]
    mine = served.ask("ann", "POST", "/tokens", json={"name": "x", "scopes": [scope], "days": 1})
    served.tokens["y"] = mine.json()["secret"]
    is_problem(served.ask("x", "POST", "/boards", **served.form("other")), 403, "NF074")
    is_problem(served.ask("x", "POST", "/boards/numbers/close"), 403, "NF074")
    wider = {"name": "z", "scopes": ["admin"], "days": 1}
    is_problem(served.ask("x", "POST", "/tokens", json=wider), 403, "NF074")
    if scope == "read":
        is_problem(served.submit("y", 1), 403, "NF074")
        assert served.ask("y", "GET", "/boards/numbers").status_code == 200
    else:
        assert served.submit("y", 1).status_code == 201
        is_problem(served.ask("y", "GET", "/boards/numbers"), 403, "NF074")


def test_without_the_scope_no_byte_of_the_file_is_read(still):
    made = still.ask("ann", "POST", "/tokens", json={"name": "x", "scopes": ["read"], "days": 1})
    still.tokens["x"] = made.json()["secret"]
    read = []

    def body():
        read.append(1)
        yield b"x"

    answer = still.ask("x", "POST", "/boards/numbers/submissions", content=body(), headers=CSV)
    is_problem(answer, 403, "NF074")


# What belongs to others


def test_what_is_not_yours_is_as_if_it_were_not_there(served):
    mine = served.submit("ann", 1).json()["id"]
    served.scored("ann", mine)
    absent = served.ask("bob", "GET", f"/submissions/{'0' * 32}")
    for who in ("bob", "auditor", "owner", "admin", "stranger"):
        answer = served.ask(who, "GET", f"/submissions/{mine}")
        assert answer.json() == absent.json(), who
        assert served.ask(who, "PUT", f"/submissions/{mine}/finalist").status_code == 404
    theirs = served.submit("bob", 2).json()["id"]
    served.scored("bob", theirs)
    pair = {"first": theirs, "second": mine}
    told = served.ask("bob", "POST", "/boards/numbers/comparisons", json=pair)
    other = served.ask(
        "bob", "POST", "/boards/numbers/comparisons", json={**pair, "second": "0" * 32}
    )
    assert (told.status_code, told.json()) == (404, other.json())
    assert served.ask("stranger", "GET", "/boards/numbers").json() == {
        **served.ask("stranger", "GET", "/boards/nothing").json()
    }
    assert served.ask("bob", "GET", "/boards/numbers/submissions").json()[0]["id"] == theirs


def test_owners_have_no_looks_and_members_do_not_run_the_board(served):
    assert served.submit("owner", 1).status_code == 403
    assert served.submit("auditor", 1).status_code == 403
    assert served.submit("stranger", 1).status_code == 404
    for path in ("/boards/numbers/close", "/boards/numbers/confirmation"):
        assert served.ask("ann", "POST", path).status_code == 403
    for path in ("/boards/numbers/members", "/boards/numbers/invitations"):
        assert served.ask("ann", "GET", path).status_code == 403
    assert served.ask("ann", "GET", "/users").status_code == 403
    assert served.ask("ann", "POST", "/boards", **served.form("mine")).status_code == 403


def test_people_are_moved_and_removed(served):
    listed = {m["name"]: m for m in served.ask("owner", "GET", "/boards/numbers/members").json()}
    bob = listed["Bob"]["id"]
    path = f"/boards/numbers/members/{bob}"
    moved = served.ask("owner", "PUT", path, json={"role": "auditor"})
    assert (moved.status_code, moved.content) == (204, b"")
    assert served.submit("bob", 1).status_code == 403
    assert served.ask("owner", "DELETE", path).status_code == 204
    assert served.ask("bob", "GET", "/boards/numbers").status_code == 404


def test_invitations_are_withdrawn_and_used_once(served):
    made = served.ask("owner", "POST", "/boards/numbers/invitations", json={"role": "auditor"})
    one = made.json()
    listed = served.ask("owner", "GET", "/boards/numbers/invitations").json()
    assert all(link["secret"] is None for link in listed)
    assert (
        served.ask("owner", "DELETE", f"/boards/numbers/invitations/{one['id']}").status_code == 204
    )
    used = served.ask("stranger", "POST", "/invitations/accept", json={"secret": one["secret"]})
    is_problem(used, 404, "NF075")


# Bodies


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "text/csv", 422),
        (b"id,prediction\n", "text/csv", 422),
        (b"id,prediction\nrow-0000,0.5\n", "text/csv", 422),
        (b"\x00" * 100, "text/csv", 422),
        (b"id,prediction\nrow-0000,nan\n", "text/csv", 422),
        (b'{"id": "row-0000"', "application/x-ndjson", 422),
        (b"[" * 10_000, "application/x-ndjson", 422),
        (b"PAR1 no parquet PAR1", "application/vnd.apache.parquet", 422),
        (b"x", "application/octet-stream", 422),
        (b"x", "text/html", 415),
        (b"x", "multipart/form-data", 400),
    ],
)
@pytest.mark.parametrize("where", ["check", "submissions"])
def test_files_that_cannot_be_used_cost_nothing(still, content, kind, status, where):
    answer = still.ask(
        "ann",
        "POST",
        f"/boards/numbers/{where}",
        content=content,
        headers={"content-type": kind},
    )
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM), answer.text
    assert still.ask("ann", "GET", "/boards/numbers").json()["left"]["looks"] == 12
    assert list(still.folder.iterdir()) == []


def test_archives_are_refused(still):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../etc/p.csv", still.predictions(1))
        archive.writestr("bomb.csv", b"0" * 10**6)
    for name in ("p.zip", "p.csv", "p.parquet", "../../p.csv"):
        answer = still.ask(
            "ann",
            "POST",
            "/boards/numbers/submissions",
            files={"file": (name, packed.getvalue(), "text/csv")},
        )
        assert answer.status_code == 422, answer.text
        assert "etc" not in answer.text
    assert list(still.folder.iterdir()) == []


def test_large_files_are_refused(serving):
    served = serving(max_upload_bytes=4096)
    answer = served.ask(
        "ann",
        "POST",
        "/boards/numbers/submissions",
        content=b"id,prediction\n" + b"x" * 5000,
        headers=CSV,
    )
    is_problem(answer, 413, "NF077")
    answer = served.ask(
        "ann", "POST", "/boards/numbers/submissions", files={"file": ("p.csv", b"x" * 5000)}
    )
    is_problem(answer, 413, "NF077")
    long = {"first": "0" * 200_000, "second": "0"}
    is_problem(served.ask("ann", "POST", "/boards/numbers/comparisons", json=long), 413, "NF077")
    assert list(served.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 422),
        (b"null", 422),
        (b"", 422),
        (b'{"role": "member", "unknown": 1}', 422),
        (b'{"role": "king"}', 422),
        (b'{"role": "member", "days": 1e999}', 422),
        (b'{"role": "member", "days": NaN}', 422),
        (b'{"role": "member", "team": "\\u0000"}', 422),
        (b'{"role": "member", "team": "\\ud800"}', 422),
        (b'{"role": "member", "days": ' + b"9" * 5000 + b"}", 400),
        (b"[" * 50_000, 400),
        (b"\xff\xfe", 400),
    ],
)
def test_bodies_that_cannot_be_used_are_refused(still, body, status):
    answer = still.ask(
        "owner",
        "POST",
        "/boards/numbers/invitations",
        content=body,
        headers={"content-type": "application/json"},
    )
    assert (answer.status_code, answer.headers["content-type"]) == (status, PROBLEM), answer.text


def test_what_arrived_is_not_repeated(still):
    secret = "nfk_" + "S" * 43
    body = {"role": secret, "days": secret, secret: 1}
    answer = still.ask("owner", "POST", "/boards/numbers/invitations", json=body)
    assert answer.status_code == 422
    assert [fault["where"] for fault in answer.json()["faults"]][:2] == ["body.role", "body.days"]
    assert still.ask("ann", "GET", "/boards", params={"x": secret}).status_code == 200


@pytest.mark.parametrize(
    "spec",
    [
        None,
        "no json",
        "[]",
        '{"slug": "x"}',
        '{"slug": "x", "title": "x", "unknown": 1}',
        '{"slug": "../x", "title": "x"}',
        '{"slug": "x", "title": ""}',
        '{"slug": "x", "title": "x", "alpha": NaN, "metric": "squared_error", "bounds": [0, 1]}',
        '{"slug": "x", "title": "x", "alpha": 2, "metric": "squared_error", "bounds": [0, 1]}',
        '{"slug": "x", "title": "x", "metric": "nothing"}',
        '{"slug": "x", "title": "x", "looks": 1e400}',
        '{"slug": "x", "title": "x", "bounds": [1, 0], "metric": "squared_error"}',
        '{"slug": "x", "title": "x", "options": {"step": NaN}, "metric": "absolute_error"}',
        '{"slug": "x", "title": "x", "options": {"a": ' + "[" * 3000 + "]" * 3000 + "}}",
        '{"slug": "x", "title": "x", "confirm": 1}',
        '{"slug": "x", "title": "x", "id": "no such column"}',
    ],
)
def test_boards_that_cannot_be_are_not_opened(still, spec):
    form = still.form("x")
    form["data"] = {} if spec is None else {"spec": spec}
    answer = still.ask("owner", "POST", "/boards", **form)
    assert (answer.status_code, answer.headers["content-type"]) == (422, PROBLEM), answer.text
    assert still.ask("owner", "GET", "/boards/x").status_code == 404


def test_addresses_that_are_not_there(still):
    is_problem(still.ask("ann", "GET", "/nothing"), 404, "NF095")
    answer = still.ask("ann", "PATCH", "/boards")
    is_problem(answer, 405, "NF095")
    assert set(answer.headers["allow"].split(", ")) >= {"GET"}
    is_problem(still.client.get("/api/v1/boards/", headers={}), 404, "NF095")


# What every answer has, and what none has


def test_every_answer_is_private_and_says_so(still):
    for who, path in (("ann", "/boards/numbers"), (None, "/boards"), ("ann", "/nothing")):
        headers = still.ask(who, "GET", path).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in headers["content-security-policy"]
        assert len(headers["x-request-id"]) == 16
        assert "server" not in headers


def test_other_hosts_are_refused(still):
    answer = still.ask("ann", "GET", "/me", headers={"host": "evil.example"})
    assert answer.status_code == 400


def test_too_many_requests_are_told_when_to_come_again(serving):
    served = serving(rate_factor=0.1)
    statuses = [served.ask("stranger", "GET", "/me") for _ in range(80)]
    late = next(answer for answer in statuses if answer.status_code == 429)
    is_problem(late, 429, "NF076")
    assert int(late.headers["retry-after"]) >= 1


def test_no_other_documentation_is_served(still):
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert still.client.get(path).status_code == 404
    told = still.client.get("/api/v1/openapi.json").json()
    assert told["openapi"].startswith("3.1")
    for path, methods in told["paths"].items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    assert list(answer["content"]) == [PROBLEM], (path, method, status)
            assert operation["security"], (path, method)
            assert operation["summary"]
    assert json.dumps(told).count("HTTPValidationError") == 0


def test_the_whole_way_in_each_kind_of_store(serving, store):
    served = serving(store)
    first, second = (served.submit("ann", seed).json()["id"] for seed in (1, 2))
    assert {served.scored("ann", one)["status"] for one in (first, second)} == {"released"}
    assert served.submit("ann", 1).status_code == 200
    pair = {"first": first, "second": second}
    made = served.ask("ann", "POST", "/boards/numbers/comparisons", json=pair)
    assert served.scored("ann", made.json()["id"])["status"] == "released"
    for name in ("a\0b", "a\ud800b", "a\u202eb", "x" * 101, " "):
        answer = served.ask(
            "ann",
            "POST",
            "/boards/numbers/submissions",
            data={"name": name.encode("utf-8", "surrogatepass")},
            files={"file": ("p.csv", served.predictions(3))},
        )
        assert answer.status_code in (400, 422), answer.text
    assert served.ask("ann", "GET", "/boards/numbers").json()["left"]["looks"] == 9
    assert served.ask("auditor", "GET", "/boards/numbers/ledger").json()["intact"] is True
    assert served.ask("owner", "POST", "/boards/numbers/close").status_code == 200
    assert served.client.get("/readyz").status_code == 200
