"""What stands around every page: forms, headers, hosts."""

import base64
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from nofluke.database.engine import Database
from nofluke.errors import AccessError
from nofluke.server import secrets
from nofluke.server.hosts import TrustedHosts, trusts
from nofluke.server.web import csrf
from nofluke.server.web.headers import SecurityHeaders

KEY = b"k" * 32


def test_a_form_is_good_for_its_session_alone_and_looks_different_each_time():
    mine, theirs = secrets.make(secrets.SESSION), csrf.visit()
    tokens = {csrf.token(KEY, mine) for _ in range(20)}

    assert len(tokens) == 20
    for token in tokens:
        csrf.check(KEY, mine, token)
        assert mine not in token
        for key, secret in ((KEY, theirs), (b"x" * 32, mine), (KEY, None), (KEY, "")):
            with pytest.raises(AccessError, match="another session") as refused:
                csrf.check(key, secret, token)
            assert refused.value.code == "NF074"


@pytest.mark.parametrize(
    "given", [None, "", "AAAA", "ä", "\ud800", "=" * 88, "A" * 85 + "\n==", " " * 88, "A" * 1000]
)
def test_what_is_no_token_is_refused(given):
    with pytest.raises(AccessError):
        csrf.check(KEY, "nfs_a", given)


def test_a_changed_token_is_refused_wherever_it_is_changed():
    token = bytearray(base64.urlsafe_b64decode(csrf.token(KEY, "nfs_a")))
    for i in range(len(token)):
        changed = bytes(token[:i]) + bytes([token[i] ^ 1]) + bytes(token[i + 1 :])
        with pytest.raises(AccessError):
            csrf.check(KEY, "nfs_a", base64.urlsafe_b64encode(changed).decode())


def test_the_key_is_made_once_for_all_processes(store):
    with Database(store) as one, Database(store) as other:
        one.migrate()
        with ThreadPoolExecutor(4) as pool:
            keys = set(pool.map(csrf.key, [one, other] * 4))
        assert keys == {csrf.key(one)}
    assert len(keys.pop()) == 32


def page(request):
    if request.url.path == "/boom":
        raise RuntimeError
    return PlainTextResponse("x", headers={"Cache-Control": "public, max-age=9", "Server": "me"})


def client(**how):
    app = Starlette(routes=[Route(p, page) for p in ("/", "/static/a.css", "/healthz", "/boom")])
    guarded = SecurityHeaders(
        TrustedHosts(app, hosts=["board.example.org", "*.lab.example", "[::1]"]), **how
    )
    return TestClient(guarded, base_url="http://board.example.org", raise_server_exceptions=False)


def test_every_answer_has_the_headers_errors_and_refusals_among_them():
    with client() as asked:
        answers = [asked.get(p) for p in ("/", "/missing", "/boom", "/static/a.css")]
        answers += [asked.post("/"), asked.get("/", headers={"Host": "evil.example"})]

    assert [a.status_code for a in answers] == [200, 404, 500, 200, 405, 400]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        directives = dict(d.strip().split(" ", 1) for d in policy.split(";"))
        assert directives == {
            "default-src": "'self'",
            "base-uri": "'none'",
            "form-action": "'self'",
            "frame-ancestors": "'none'",
            "object-src": "'none'",
        }
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "strict-transport-security" not in answer.headers


def test_only_public_files_may_be_kept_by_caches_and_only_when_they_are_there():
    with client() as asked:
        assert asked.get("/static/a.css").headers["cache-control"] == "public, max-age=9"
        for path in ("/", "/static/missing.css", "/boom"):
            assert asked.get(path).headers["cache-control"] == "no-store"


def test_behind_tls_browsers_are_told_to_insist_on_it():
    with client(tls=True) as asked:
        assert asked.get("/").headers["strict-transport-security"] == "max-age=31536000"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("board.example.org", 200),
        ("BOARD.example.org:8443", 200),
        ("a.lab.example", 200),
        ("[::1]:8000", 200),
        ("lab.example", 400),
        ("evil.example", 400),
        ("board.example.org.evil.example", 400),
        ("evil.example#board.example.org", 400),
        ("board.example.org@evil.example", 400),
        ("board.example.org:80@evil.example", 400),
        ("board.example.org, evil.example", 400),
        ("xlab.example", 400),
        ("board.example.org:http", 400),
        ("[::1", 400),
        ("", 400),
    ],
)
def test_only_known_hosts_are_answered(host, status):
    with client() as asked:
        answer = asked.get("/", headers={"Host": host})
        assert answer.status_code == status
        assert "evil" not in answer.text
        assert asked.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("headers", [[], [(b"host", b"board.example.org")] * 2])
def test_a_request_names_one_host(headers):
    import asyncio

    sent = []

    async def send(message):
        sent.append(message)

    async def run():
        app = TrustedHosts(PlainTextResponse("x"), hosts=["board.example.org"])
        await app({"type": "http", "path": "/", "headers": headers}, None, send)
        await app({"type": "websocket", "path": "/", "headers": headers}, None, send)

    asyncio.run(run())
    assert sent[0]["status"] == 400
    assert sent[-1] == {"type": "websocket.close", "code": 1008}


def test_a_star_trusts_all_that_is_a_host():
    assert trusts(["*"], "anything.example:80")
    assert not trusts(["*"], "")


def test_the_middleware_fits_where_starlette_takes_one():
    app = Starlette(
        routes=[Route("/", page)],
        middleware=[
            Middleware(SecurityHeaders, tls=True),
            Middleware(TrustedHosts, hosts=["localhost"]),
        ],
    )
    with TestClient(app, base_url="https://localhost") as asked:
        assert asked.get("/").headers["strict-transport-security"]
