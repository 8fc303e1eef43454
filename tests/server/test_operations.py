"""What operators see: alive, ready, numbers, logs; and clients that make the server wait."""

import asyncio
import json
import logging
import socket
import threading
import time

import pytest
import uvicorn

from nofluke.server.web import operations, timeouts
from nofluke.server.web.operations import Lines


def test_alive_and_ready(still):
    assert still.client.get("/healthz").json() == {"alive": True}
    assert still.client.head("/healthz").status_code == 200
    answer = still.client.get("/readyz", headers={"host": "10.0.0.7:8000"})
    assert (answer.status_code, answer.json()["ready"]) == (200, True)


def test_not_ready_without_the_store_or_its_tables(served, monkeypatch):
    from sqlalchemy import text

    with served.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    answer = served.client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"] == {"store": "is of another revision", "worker": "ok"}
    answer = served.client.get("/healthz")
    assert answer.status_code == 200


def test_not_ready_without_a_worker(serving, monkeypatch):
    from nofluke.server.boards.work import Worker

    monkeypatch.setattr(Worker, "alive", property(lambda _self: False))
    answer = serving().client.get("/readyz")
    assert (answer.status_code, answer.json()["checks"]["worker"]) == (503, "does not run")


def test_a_store_that_is_away_is_told_by_its_code_alone(serving, tmp_path, monkeypatch):
    from nofluke.errors import StoreError

    served = serving()

    def away(*_args, **_named):
        raise StoreError("the store postgresql://host/db cannot be read.", code="NF071")

    monkeypatch.setattr("nofluke.server.boards.board", away)
    answer = served.ask("ann", "GET", "/boards/numbers")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert answer.json()["code"] == "NF071"
    assert "postgresql" not in answer.text


def test_numbers_name_routes_and_nobody(served):
    served.ask("ann", "GET", "/boards/numbers", params={"q": "x"})
    served.ask("ann", "GET", "/wp-login.php")
    served.client.request("BREW", "/api/v1/boards")
    text = served.client.get("/metrics").text
    lines = [line for line in text.splitlines() if line.startswith("nofluke_requests_total")]
    told = "\n".join(lines)

    assert 'method="GET",route="/api/v1/boards/{slug}",status="200"' in told
    assert 'method="GET",route="unknown",status="404"' in told
    assert 'method="other",' in told
    assert "nofluke_worker_alive 1.0" in text
    assert "nofluke_submissions_queued 0.0" in text
    for name in ("numbers", "Ann", "wp-login", "BREW", *served.users.values()):
        assert name not in told


def test_two_apps_of_one_process_count_for_themselves(serving, tmp_path):
    first = serving()
    for _ in range(3):
        first.client.get("/healthz")
    again = serving()
    again.client.get("/healthz")
    assert 'route="/healthz",status="200"} 1.0' in again.client.get("/metrics").text


def record(**fields):
    made = logging.LogRecord("nofluke.server", logging.INFO, "f.py", 1, "request", (), None)
    made.fields = fields
    return made


def test_a_line_of_the_log_is_one_line():
    shown = Lines("text").format(record(route="/a\nERROR forged\x1b[31m", status=200))
    assert "\n" not in shown
    assert "\x1b" not in shown
    told = json.loads(Lines("json").format(record(route="/a\n", status=200)))
    assert (told["event"], told["level"], told["route"], told["status"]) == (
        "request",
        "info",
        "/a\n",
        200,
    )


def test_an_error_is_logged_without_its_words():
    try:
        raise ValueError("the label is 0.7")
    except ValueError as error:
        info = (ValueError, error, error.__traceback__)
    made = logging.LogRecord("uvicorn.error", logging.ERROR, "f.py", 1, "failed", (), info)
    for form in ("json", "text"):
        shown = Lines(form).format(made)
        assert "ValueError" in shown
        assert "0.7" not in shown


def test_a_sender_who_goes_away_is_no_error(caplog):
    from starlette.requests import ClientDisconnect

    metrics = operations.Metrics(queued=lambda: None, alive=lambda: True)

    async def app(scope, receive, send):
        raise ClientDisconnect

    observed = operations.Observed(app, metrics=metrics)
    scope = {"type": "http", "method": "POST", "client": ("192.0.2.1", 1), "path": "/"}
    with caplog.at_level(logging.INFO, "nofluke.server"):
        asyncio.run(observed(scope, None, None))
    assert [r.fields["status"] for r in caplog.records] == [499]
    assert b'status="499"' in metrics.text()


def test_an_answer_that_breaks_is_broken_off(caplog):
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError("the label is 0.7")

    async def send(message):
        pass

    metrics = operations.Metrics(queued=lambda: None, alive=lambda: True)
    observed = operations.Observed(app, metrics=metrics)
    scope = {"type": "http", "method": "GET", "client": None, "path": "/"}
    with pytest.raises(operations._BrokenOff) as broken:
        asyncio.run(observed(scope, None, send))
    assert "0.7" not in repr(broken.value)
    assert broken.value.__cause__ is None
    assert broken.value.__suppress_context__


@pytest.fixture
def patient(monkeypatch):
    """A server that waits 0.3 seconds for whoever says little; its port."""
    monkeypatch.setattr(timeouts, "PATIENCE", 0.3)

    async def app(scope, receive, send):
        body = b""
        if scope["path"] == "/read":
            more = True
            while more:
                message = await receive()
                body += message.get("body", b"")
                more = message.get("more_body", False)
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [(b"content-length", str(len(body)).encode())],
            }
        )
        await send({"type": "http.response.body", "body": body})

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        app, http=timeouts.Patient, ws="none", lifespan="off", log_config=None, timeout_keep_alive=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listener.getsockname()[1]
    server.should_exit = True
    thread.join()


def closed_after(port, pieces, *, pause=0.1, most=5.0):
    """Seconds until the server closes on whoever sends these pieces; what it answered."""
    begun, got = time.monotonic(), b""
    with socket.create_connection(("127.0.0.1", port)) as peer:
        peer.settimeout(0.02)
        waiting = list(pieces)
        while time.monotonic() - begun < most:
            try:
                if waiting:
                    peer.sendall(waiting.pop(0))
                    time.sleep(pause)
                chunk = peer.recv(65536)
                if not chunk:
                    return time.monotonic() - begun, got
                got += chunk
            except TimeoutError:
                continue
            except OSError:
                return time.monotonic() - begun, got
    return None, got


HEADERS = b"GET / HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [],
        [bytes([byte]) for byte in HEADERS * 3],
        [HEADERS, *[b"X-A: b\r\n"] * 50],
        [HEADERS + b"\r\n", *[bytes([byte]) for byte in HEADERS * 3]],
        [b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n", *[b"x"] * 100],
    ],
    ids=["silent", "letters", "headers", "second request", "body nobody reads"],
)
def test_who_says_little_is_given_up(patient, pieces):
    seconds, _ = closed_after(patient, pieces, pause=0.05)
    assert seconds is not None
    assert seconds < 2.5


def test_who_goes_on_is_answered(patient):
    slow = [b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n", *[b"x"] * 8]
    _, got = closed_after(patient, slow, pause=0.1)
    assert got.endswith(b"xxxxxxxx")
    several = [HEADERS + b"\r\n", HEADERS + b"\r\n", HEADERS + b"Connection: close\r\n\r\n"]
    _, got = closed_after(patient, several, pause=0.2)
    assert got.count(b"200 OK") == 3
