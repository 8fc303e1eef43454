"""Every address of the API, asked by everybody with every scope: who gets in is written here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

PEOPLE = ("owner", "ann", "bob", "auditor")
KEEPERS = ("owner", "admin")
SEEING = (*PEOPLE, "admin")
ALL = (*SEEING, "stranger")
MEMBERS = ("ann", "bob")

#: Address -> scope that it needs, who gets past the door, and what the others are told.
#: 403 where they see that it is there, 404 where they do not.
MATRIX: dict[tuple[str, str], tuple[str, tuple[str, ...]]] = {
    ("GET", "/boards"): ("read", ALL),
    ("POST", "/boards"): ("admin", KEEPERS),
    ("GET", "/boards/{slug}"): ("read", SEEING),
    ("POST", "/boards/{slug}/close"): ("admin", ("owner",)),
    ("POST", "/boards/{slug}/confirmation"): ("admin", ("owner",)),
    ("POST", "/boards/{slug}/check"): ("submit", MEMBERS),
    ("POST", "/boards/{slug}/submissions"): ("submit", MEMBERS),
    ("GET", "/boards/{slug}/submissions"): ("read", SEEING),
    ("POST", "/boards/{slug}/comparisons"): ("submit", MEMBERS),
    ("GET", "/submissions/{submission}"): ("read", ("ann",)),
    ("PUT", "/submissions/{submission}/finalist"): ("submit", ("ann",)),
    ("POST", "/invitations/accept"): ("admin", ALL),
    ("GET", "/boards/{slug}/members"): ("read", KEEPERS),
    ("PUT", "/boards/{slug}/members/{user}"): ("admin", KEEPERS),
    ("DELETE", "/boards/{slug}/members/{user}"): ("admin", KEEPERS),
    ("GET", "/boards/{slug}/invitations"): ("read", KEEPERS),
    ("POST", "/boards/{slug}/invitations"): ("admin", KEEPERS),
    ("DELETE", "/boards/{slug}/invitations/{invitation}"): ("admin", KEEPERS),
    ("GET", "/boards/{slug}/ledger"): ("read", SEEING),
    ("POST", "/boards/{slug}/ledger/verify"): ("read", SEEING),
    ("GET", "/boards/{slug}/ledger.jsonl"): ("read", SEEING),
    ("GET", "/boards/{slug}/ledger.csv"): ("read", SEEING),
    ("GET", "/me"): ("", ALL),
    ("GET", "/tokens"): ("admin", ALL),
    ("POST", "/tokens"): ("admin", ALL),
    ("DELETE", "/tokens/{token}"): ("admin", ALL),
    ("GET", "/users"): ("admin", KEEPERS),
    ("POST", "/users/invitations"): ("admin", KEEPERS),
    ("POST", "/users/{user}/disable"): ("admin", KEEPERS),
    ("POST", "/users/{user}/enable"): ("admin", KEEPERS),
}
SCOPES = ("read", "submit", "admin")


@pytest.fixture(scope="module")
def scene(still: Any) -> dict[str, Any]:
    """A submission of Ann's, and of everybody a token of each scope alone."""
    from nofluke.server import accounts

    made = still.submit("ann", 1).json()["id"]
    assert still.scored("ann", made)["status"] == "released"
    alone = {}
    for role in ALL:
        actor = accounts.by_token(still.database, still.tokens[role])
        for scope in SCOPES:
            token = accounts.make_token(still.database, actor, name=scope, scopes=[scope], days=1)
            alone[role, scope] = token.secret
    return {"submission": made, "tokens": alone}


def asked(
    served: Any,
    scene: dict[str, Any],
    token: str | None,
    method: str,
    path: str,
    slug: str = "numbers",
) -> Any:
    """What can be refused for its rights alone, and changes nothing where they suffice."""
    absent = "0" * 32
    address = path.format(
        slug=slug, submission=scene["submission"], invitation=absent, token=absent,
        user=absent,
    )  # fmt: skip
    how: dict[str, Any] = {}
    if path == "/boards":
        how = {"files": {"file": ("r.csv", b"id,label\n", "text/csv")}} if method == "POST" else {}
    elif path.endswith(("/check", "/submissions")) and method == "POST":
        how = {"content": b"id,prediction\n", "headers": {"content-type": "text/csv"}}
    elif method in ("POST", "PUT"):
        how = {"json": _BODIES.get(path, {})}
    headers = {**how.pop("headers", {}), **({"Authorization": f"Bearer {token}"} if token else {})}
    return served.client.request(method, f"/api/v1{address}", headers=headers, **how)


_BODIES: dict[str, dict[str, Any]] = {
    "/boards/{slug}/comparisons": {"first": "0", "second": "1"},
    "/invitations/accept": {"secret": "nfi_" + "a" * 43},
    "/boards/{slug}/members/{user}": {"role": "auditor"},
    "/boards/{slug}/invitations": {"role": "member", "days": 1},
    "/boards/{slug}/ledger/verify": {"heads": []},
    "/tokens": {"name": "x", "scopes": ["admin"], "days": 1},
    "/users/invitations": {"days": 1},
}
#: What would change the scene, and is asked of those who may not only.
ONCE = {("POST", "/boards/{slug}/close"), ("PUT", "/submissions/{submission}/finalist")}


def test_the_matrix_names_every_address(still: Any) -> None:
    told = still.client.get("/api/v1/openapi.json").json()["paths"]
    there = {
        (method.upper(), path.removeprefix("/api/v1"))
        for path, methods in told.items()
        for method in methods
    }
    assert there == set(MATRIX)


def cells() -> Iterator[tuple[str, str, str, str]]:
    for method, path in MATRIX:
        for role in ALL:
            for scope in SCOPES:
                yield method, path, role, scope


def test_everybody_gets_in_where_the_matrix_says_and_nowhere_else(
    still: Any, scene: dict[str, Any]
) -> None:
    wrong = []
    for method, path, role, scope in cells():
        needed, who = MATRIX[method, path]
        fits, may = needed in ("", scope), role in who
        if fits and may and (method, path) in ONCE:
            continue
        answer = asked(still, scene, scene["tokens"][role, scope], method, path)
        refused = answer.status_code in (403, 404) and not _only_absent(answer, path)
        if refused == (fits and may) or answer.status_code in (401, 500):
            wrong.append((method, path, role, scope, answer.status_code, answer.text[:100]))
    assert wrong == []


def test_strangers_cannot_tell_what_is_there_from_what_is_not(
    still: Any, scene: dict[str, Any]
) -> None:
    for (method, path), (needed, _) in MATRIX.items():
        if "{slug}" not in path and "{submission}" not in path:
            continue
        token = scene["tokens"]["stranger", needed]
        there = asked(still, scene, token, method, path)
        nowhere = asked(still, {"submission": "0" * 32}, token, method, path, "no-such-board")
        assert there.status_code == 404, (method, path, there.text)
        assert there.json() == nowhere.json(), (method, path)


def test_without_a_token_nobody_gets_in(still: Any, scene: dict[str, Any]) -> None:
    for method, path in MATRIX:
        answer = asked(still, scene, None, method, path)
        assert answer.status_code == 401, (method, path)
        assert re.match("Bearer", answer.headers["www-authenticate"])


def test_whose_file_would_be_refused_sends_none_of_it(
    still: Any, scene: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def received(*_: object, **__: object) -> None:
        raise AssertionError("a file is taken")

    monkeypatch.setattr(still.app.state.spool, "received", received)
    for path in ("/boards", "/boards/{slug}/check", "/boards/{slug}/submissions"):
        needed, who = MATRIX["POST", path]
        for role in set(ALL) - set(who):
            answer = asked(still, scene, scene["tokens"][role, needed], "POST", path)
            assert answer.status_code in (403, 404), (path, role, answer.text)


def test_a_token_makes_none_that_outlives_it(still: Any, scene: dict[str, Any]) -> None:
    wanted = {"name": "long", "scopes": ["admin"], "days": 366}
    headers = {"Authorization": f"Bearer {scene['tokens']['bob', 'admin']}"}
    made = still.client.post("/api/v1/tokens", json=wanted, headers=headers).json()
    there = still.ask("bob", "GET", "/tokens").json()
    own = next(one for one in there if one["name"] == "admin")
    assert made["expires"] == own["expires"]


def _only_absent(answer: Any, path: str) -> bool:
    """Whether all that was missing is what the address or the body named."""
    named = ("{user}", "{token}", "{invitation}", "/accept", "/comparisons")
    if answer.status_code != 404 or not any(one in path for one in named):
        return False
    return "no such board" not in answer.json()["detail"]
