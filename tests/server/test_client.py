"""The client: the token goes to one address, and servers that answer strangely are told apart."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nofluke.errors import AccessError, HoldoutError, InputError, LimitError, NoflukeError
from nofluke.server.client import Address, Client, error_of
from nofluke.server.web import problems

TOKEN = "nfk_" + "t" * 43
RELEASED = {"id": "s1", "status": "released"}


class Stub(ThreadingHTTPServer):
    """Answers from a list, and remembers what was asked; None hangs up."""

    daemon_threads = True

    def __init__(self, *answers):
        self.answers, self.asked = list(answers), []
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = f"http://127.0.0.1:{self.server_address[1]}/api/v1"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        length = int(self.headers.get("content-length", 0))
        self.server.asked.append((self.command, self.path, self.headers, self.rfile.read(length)))
        answer = self.server.answers.pop(0)
        if answer is None:
            self.connection.close()
            return
        status, headers, body = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    do_POST = do_GET  # noqa: N815 (the name that the library looks for)

    def log_message(self, *_):
        pass


def client(stub, waits=None):
    return Client(stub.api, TOKEN, (waits if waits is not None else []).append)


def problem(status, code, **more):
    told = {"type": "x", "title": "x", "status": status, "detail": f"says {code}", "code": code}
    return status, {"content-type": problems.MEDIA}, told | more


def test_the_board_is_asked_with_the_token():
    with Stub((200, {}, {"slug": "b"})) as stub:
        assert client(stub).board("b") == {"slug": "b"}
    method, path, headers, _ = stub.asked[0]
    assert (method, path) == ("GET", "/api/v1/boards/b")
    assert headers["authorization"] == f"Bearer {TOKEN}"


def test_the_file_is_sent_as_a_form_without_its_name(tmp_path):
    file = tmp_path / "my secret study.CSV"
    file.write_bytes(b"id,prediction\r\na,1\n" * 20_000)
    with Stub((201, {}, RELEASED)) as stub:
        assert client(stub).submit("b", file, name="né", message="") == (RELEASED, True)
    _, path, headers, body = stub.asked[0]
    assert path == "/api/v1/boards/b/submissions"
    assert file.read_bytes() in body
    assert b"secret" not in body
    assert b'filename="predictions.csv"' in body
    assert "né".encode() in body
    assert int(headers["content-length"]) == len(body)


@pytest.mark.parametrize("kind", ["folder", "absent"])
def test_a_file_that_cannot_be_read_is_not_told_as_a_server_that_cannot_be_reached(tmp_path, kind):
    file, waits = tmp_path / kind, []
    if kind == "folder":
        file.mkdir()
    with Stub((201, {}, RELEASED)) as stub, pytest.raises(InputError, match=kind) as refused:
        client(stub, waits).submit("b", file)
    assert refused.value.code == "NF001"
    assert waits == []


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["board", "submit"])
def test_no_redirection_is_followed(status, method, tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("id\n")
    with (
        Stub() as elsewhere,
        Stub((status, {"Location": f"{elsewhere.api}/boards/b"}, b"")) as stub,
        pytest.raises(InputError, match="is not followed") as refused,
    ):
        client(stub).board("b") if method == "board" else client(stub).submit("b", file)
    assert refused.value.code == "NF096"
    assert elsewhere.asked == []
    assert len(stub.asked) == 1


def test_what_passes_is_tried_again_and_the_whole_file_is_sent_again(tmp_path):
    file, waits = tmp_path / "p.csv", []
    file.write_bytes(b"id\n1\n")
    answers = [None, problem(503, "NF071"), (429, {"Retry-After": "7"}, problem(429, "NF076")[2])]
    with Stub(*answers, (200, {}, RELEASED)) as stub:
        assert client(stub, waits).submit("b", file) == (RELEASED, False)
    bodies = [body for _, _, _, body in stub.asked]
    assert len(bodies) == 4
    assert all(b"id\n1\n" in body for body in bodies)
    assert waits == [1.0, 2.0, 7.0]


def test_it_gives_up_after_four_tries():
    with Stub(*[None] * 4) as stub, pytest.raises(InputError, match="cannot be reached"):
        client(stub).board("b")
    assert len(stub.asked) == 4


def test_what_is_for_this_machine_goes_through_no_proxy(monkeypatch):
    with Stub() as proxy, Stub((200, {}, {"slug": "b"})) as stub:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.api.removesuffix("/api/v1"))
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        assert client(stub).board("b") == {"slug": "b"}
        assert proxy.asked == []


def test_a_proxy_that_cannot_be_reached_is_named_without_its_password(monkeypatch):
    monkeypatch.setenv("https_proxy", "http://user:secret@127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    asks = Client("https://board.example.org/api/v1", TOKEN, [].append)
    with pytest.raises(InputError, match=r"by the proxy 127\.0\.0\.1:9: Connection") as told:
        asks.board("b")
    assert "secret" not in str(told.value)
    assert "Errno" not in str(told.value)


def test_a_server_without_tls_is_told_as_such():
    with Stub() as stub, pytest.raises(InputError, match="speaks no TLS"):
        Client(stub.api.replace("http:", "https:"), TOKEN, [].append).board("b")


def test_a_token_that_is_not_taken_is_told_as_such():
    with Stub(problem(401, "NF073")) as stub, pytest.raises(AccessError, match="not known there"):
        client(stub).board("b")


def test_nobody_there():
    with Stub() as stub:
        api = stub.api
    with pytest.raises(InputError, match="safe to try again") as refused:
        Client(api, TOKEN, lambda _: None).board("b")
    assert refused.value.code == "NF096"


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (problem(401, "NF073"), AccessError),
        (problem(404, "NF075"), AccessError),
        (problem(409, "NF082", looks=3, budget=3), HoldoutError),
        (problem(409, "NF090", looks=0), HoldoutError),
        (problem(413, "NF077"), LimitError),
        (problem(422, "NF085"), InputError),
    ],
)
def test_problems_are_the_errors_that_they_were(answer, kind):
    with (
        Stub(answer) as stub,
        pytest.raises(NoflukeError, match="says NF|not take this token") as refused,
    ):
        client(stub).board("b")
    assert type(refused.value) is kind
    assert refused.value.code == answer[2]["code"]


@pytest.mark.parametrize(
    "answer",
    [
        (404, {}, b"<html>nginx</html>"),
        (500, {}, b""),
        (200, {}, b"<html>a page</html>"),
        (200, {}, b"[1]"),
        (200, {}, b"[" * 100_000),
        (400, {}, {"detail": "x", "status": 400, "code": "<script>"}),
        (400, {}, {"detail": 3, "status": 400, "code": "NF001"}),
        (422, {}, b"\xff\xfe"),
    ],
)
def test_strange_answers_are_told_as_such(answer):
    with Stub(answer) as stub, pytest.raises(InputError) as refused:
        client(stub).board("b")
    assert refused.value.code == "NF096"
    assert TOKEN not in str(refused.value)


def test_waiting_ends_when_it_is_scored_or_when_the_time_is_up():
    queued = {"id": "s/1", "status": "queued"}
    with Stub((200, {}, queued), (200, {}, RELEASED)) as stub:
        assert client(stub).waited(queued, seconds=10) == RELEASED
        assert client(stub).waited(queued, seconds=0) == queued
    assert [path for _, path, _, _ in stub.asked] == ["/api/v1/submissions/s%2F1"] * 2


@pytest.mark.parametrize(
    "board",
    [
        "https://host/boards/b",
        "https://host/b/",
        "https://host/b/UPPER",
        "host/b/x",
        "ftp://host/b/x",
        "file:///b/x",
        "https://user:pw@host/b/x",
        "https:///b/x",
        "https://host:99999/b/x",
        "https://[::1/b/x",
        "javascript:/b/x",
        "https://bücher.example/b/x",
        "https://日本.example/b/x",
        "https://host/ä/b/x",
        "https://host/a b/b/x",
        "https://a..example/b/x",
        "",
    ],
)
def test_what_is_no_address_of_a_board_is_refused(board):
    with pytest.raises(InputError) as refused:
        Address.of(board)
    assert refused.value.code == "NF096"


def test_a_token_goes_without_tls_to_this_machine_alone():
    for here in ("http://localhost:8000/b/x", "http://127.0.0.1/b/x", "http://[::1]:1/b/x"):
        assert Address.of(here).slug == "x"
    with pytest.raises(InputError, match="without TLS"):
        Address.of("http://board.example.org/b/x")
    with pytest.raises(InputError, match="without TLS"):
        Address.of("http://localhost.example.org/b/x")
    told = Address.of("http://board.example.org/keeper/b/x/submit", allow_http=True)
    assert told == Address("http://board.example.org/keeper/api/v1", "x")


def test_the_token_is_in_no_repr():
    assert TOKEN not in repr(Client("https://host/api/v1", TOKEN))


@given(
    error=st.sampled_from(
        [
            AccessError("a", code="NF073"),
            AccessError("a", code="NF074"),
            AccessError("a", code="NF075"),
            HoldoutError("a", code="NF081", looks=4, budget=4),
            HoldoutError("a", code="NF090", looks=0),
            LimitError("a", code="NF076", retry_after=3),
            LimitError("a", code="NF077"),
            InputError("a", code="NF092"),
        ]
    )
)
def test_errors_survive_the_way_to_the_client(error):
    answer = problems.response(error)
    again = error_of(json.loads(answer.body), after=answer.headers.get("retry-after"))

    assert type(again) is type(error)
    assert (str(again), again.code) == (str(error), error.code)
    assert getattr(again, "looks", None) == getattr(error, "looks", None)
    assert getattr(again, "budget", None) == getattr(error, "budget", None)


@pytest.mark.parametrize("told", [{}, {"id": "s1"}, {"id": "s1", "status": None}, {"status": "x"}])
def test_an_answer_that_is_no_submission_is_told_as_such(tmp_path, told):
    file = tmp_path / "p.csv"
    file.write_text("id\n")
    with (
        Stub((201, {}, told)) as stub,
        pytest.raises(InputError, match="no answer of nofluke"),
    ):
        client(stub).submit("b", file)
    with (
        Stub((200, {}, told)) as stub,
        pytest.raises(InputError, match="no answer of nofluke"),
    ):
        client(stub).submission("s1")
