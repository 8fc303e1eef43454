"""Uploads on their way to disk: limits hold whatever the sender claims, and nothing stays."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from nofluke.errors import AccessError, NoflukeError
from nofluke.server.web import problems, spool
from nofluke.server.web.spool import FIELD_BYTES, SmallBodies, Spool

MOST = 200_000


def app_over(folder, *, seconds=30.0, **how):
    """An app that tells what it received, and where it lay."""
    app, kept = FastAPI(), Spool(folder, max_bytes=MOST, **how)
    kept.sweep()
    problems.install(app)
    app.add_middleware(SmallBodies, seconds=seconds)

    def admit(fields):
        app.state.admitted = [*getattr(app.state, "admitted", []), dict(fields)]
        if fields.get("name") == "stranger":
            raise AccessError("no.", code="NF074")

    @app.post("/take")
    async def take(request: Request):
        who, known = request.query_params.get("who", ""), {"name", "message"}
        async with kept.received(request, fields=known, admit=admit, who=who) as form:
            if form.file is None:
                return {"fields": form.fields, "file": None}
            content = form.file.path.read_bytes()
            return {
                "fields": form.fields,
                "file": form.file.name,
                "size": form.file.size,
                "path": str(form.file.path),
                "mode": oct(form.file.path.stat().st_mode & 0o777),
                "content": content.decode("latin-1"),
            }

    @app.post("/small")
    async def small(request: Request):
        return {"length": len(await request.body())}

    return app


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "spool"


@pytest.fixture
def client(folder):
    with TestClient(app_over(folder), raise_server_exceptions=False) as made:
        yield made


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def form(*parts, mark="mark"):
    body = b"".join(
        f"--{mark}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + data + b"\r\n"
        for head, data in parts
    )
    return body + f"--{mark}--\r\n".encode()


def sent(client, body, kind="multipart/form-data; boundary=mark", **headers):
    return client.post("/take", content=body, headers={"content-type": kind, **headers})


FILE = ('name="file"; filename="p.csv"', b"id,prediction\na,1\n")


def test_a_form_and_a_file_as_the_body_are_the_same_file(client, folder):
    whole = sent(client, FILE[1], "text/csv").json()
    part = sent(client, form(('name="name"', b"mine"), FILE)).json()

    assert whole["content"] == part["content"] == FILE[1].decode()
    assert part["fields"] == {"name": "mine"}
    assert part["path"].endswith(".csv")
    assert whole["path"].endswith(".csv")
    assert part["mode"] == "0o600"
    assert left_in(folder) == []


@settings(max_examples=40, deadline=None)
@given(data=st.binary(max_size=3000), size=st.integers(1, 700))
def test_every_file_arrives_as_it_was_sent(tmp_path_factory, data, size):
    folder = tmp_path_factory.mktemp("spool")
    body = form(('name="file"; filename="p.csv"', data), mark="a-mark-that-is-not-in-it")
    kind = "multipart/form-data; boundary=a-mark-that-is-not-in-it"
    pieces = (body[i : i + size] for i in range(0, len(body), size))
    with TestClient(app_over(folder)) as client:
        told = sent(client, pieces, kind).json()

    assert told["content"].encode("latin-1") == data
    assert left_in(folder) == []


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "..\\..\\windows\\system32\\x.csv",
        "/etc/cron.d/x.csv",
        "x.csv\0.png",
        "C:\\x.csv",
        ".",
        "a" * 3000 + ".csv",
        "x.csv.gz",
        "-rf.csv",
    ],
)
def test_names_of_files_lead_nowhere(client, folder, name):
    head = f'name="file"; filename="{name}"'
    answer = sent(client, form((head, b"id\n1\n")))
    if answer.status_code == 200:
        told = answer.json()
        path = Path(told["path"])
        assert path.parent == folder
        assert path.name.startswith("upload-")
        assert "/" not in told["file"]
        assert len(told["file"]) <= 255
        assert path.suffix in ("", ".csv")
    else:
        assert answer.status_code == 400
    assert left_in(folder) == []


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (form(('name="file"; filename="p.csv"', b"x" * (MOST + 1))), 413),
        (form(('name="name"', b"x" * (FIELD_BYTES + 1)), FILE), 413),
        (form(FILE, FILE), 400),
        (form(('name="name"', b"a"), ('name="name"', b"b"), FILE), 400),
        (form(('name="other"', b"a"), FILE), 400),
        (form(*[(f'name="n{i}"', b"a") for i in range(200)]), 400),
        (form(('name="name"', b"\xff\xfe"), FILE), 400),
        (form(("nothing", b"a")), 400),
        (form(FILE)[:-20], 400),
        (b"no form at all", 400),
        (b"", 400),
        (b"--mark\r\n" + b"X-A: b\r\n" * 50 + b"\r\n\r\n--mark--\r\n", 400),
        (b"--mark\r\nX-A: " + b"b" * 20_000 + b"\r\n\r\n\r\n--mark--\r\n", 400),
    ],
)
def test_bad_forms_are_refused_and_nothing_stays(client, folder, body, status):
    answer = sent(client, body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert left_in(folder) == []


@pytest.mark.parametrize("kind", ["text/html", "application/zip", "", "text/csv+x", "image/png"])
def test_other_types_are_refused(client, folder, kind):
    assert sent(client, b"PK", kind).status_code == 415
    assert left_in(folder) == []


def test_compressed_bodies_are_refused(client):
    answer = sent(client, b"\x1f\x8b", "text/csv", **{"content-encoding": "gzip"})
    assert answer.status_code == 415


def test_a_form_without_a_boundary_is_refused(client):
    assert sent(client, b"x", "multipart/form-data").status_code == 400
    assert sent(client, b"x", f"multipart/form-data; boundary={'b' * 300}").status_code == 400


def test_a_claimed_length_is_refused_before_a_byte_is_read(client, folder):
    answer = sent(client, b"x", "text/csv", **{"content-length": str(10**15)})
    assert answer.status_code == 413
    assert left_in(folder) == []


def test_bytes_are_counted_whatever_length_is_claimed(client, folder):
    pieces = (b"x" * 50_000 for _ in range(20))
    answer = sent(client, pieces, "text/csv", **{"content-length": "10"})
    assert answer.status_code == 413
    assert left_in(folder) == []


def test_other_bodies_are_small(client):
    assert client.post("/small", content=b"x" * FIELD_BYTES).json() == {"length": FIELD_BYTES}
    answer = client.post("/small", content=b"x" * (FIELD_BYTES + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "NF077")


def test_who_is_not_admitted_sends_for_nothing(client, folder):
    answer = sent(client, form(('name="name"', b"stranger"), FILE))
    assert answer.status_code == 403
    assert left_in(folder) == []
    # Whatever the body is: a form without a file is asked about as well, and so is a file alone.
    assert sent(client, form(('name="name"', b"stranger"))).status_code == 403
    client.app.state.admitted = []
    client.post("/take", content=b"id\n", headers={"content-type": "text/csv"})
    assert sent(client, form(('name="name"', b"ann"), FILE)).status_code == 200
    assert client.app.state.admitted == [{}, {"name": "ann"}]


async def _ask(app, chunks, *, pause=0.0, gone=False, path="/take", who=""):
    """An upload in chunks, each after a pause; perhaps the sender goes away."""
    told, waiting = [], list(chunks)

    async def receive():
        await asyncio.sleep(pause)
        if not waiting:
            return {"type": "http.disconnect"} if gone else {"type": "http.request"}
        return {"type": "http.request", "body": waiting.pop(0), "more_body": True}

    async def send(message):
        told.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": f"who={who}".encode(),
        "headers": [(b"content-type", b"text/csv"), (b"host", b"x")],
        "http_version": "1.1",
        "scheme": "http",
        "client": ("127.0.0.1", 1),
        "server": ("x", 80),
        "root_path": "",
    }
    await app(scope, receive, send)
    return next(m["status"] for m in told if m["type"] == "http.response.start")


def test_a_sender_who_falls_silent_is_given_up(folder):
    app = app_over(folder, idle=0.05)
    assert asyncio.run(_ask(app, [b"id\n", b"1\n"], pause=0.2)) == 408
    assert left_in(folder) == []


def test_a_sender_of_a_byte_at_a_time_is_given_up(folder):
    app = app_over(folder, idle=0.1, slowest=10_000.0)
    begun = time.monotonic()
    assert asyncio.run(_ask(app, [b"x"] * 1000, pause=0.01)) == 408
    assert time.monotonic() - begun < 5
    assert left_in(folder) == []


def test_small_bodies_come_soon_and_slow_answers_are_none_of_it(folder):
    app = app_over(folder, seconds=0.1)
    assert asyncio.run(_ask(app, [b"x"] * 100, pause=0.03, path="/small")) == 408
    assert asyncio.run(_ask(app, [b"x"] * 5, pause=0.03)) == 200
    assert asyncio.run(_ask(app, [b"x"], pause=0.03, path="/small")) == 200


def test_a_sender_who_goes_away_leaves_nothing(folder):
    from starlette.requests import ClientDisconnect

    with pytest.raises((ClientDisconnect, BaseExceptionGroup)):
        asyncio.run(_ask(app_over(folder), [b"id\n"], gone=True))
    assert left_in(folder) == []


def test_more_uploads_than_are_taken_at_once_are_told_to_come_again(folder):
    app = app_over(folder, at_once=2)

    async def several():
        slow = [asyncio.create_task(_ask(app, [b"x"] * 5, pause=0.05)) for _ in range(2)]
        await asyncio.sleep(0.05)
        refused = await _ask(app, [b"x"])
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return refused, await _ask(app, [b"x"])

    assert asyncio.run(several()) == (429, 200)
    assert left_in(folder) == []


def test_nobody_takes_the_places_of_all(folder):
    app = app_over(folder, at_once=3, each=2)

    async def several():
        slow = [asyncio.create_task(_ask(app, [b"x"] * 5, pause=0.05, who="ann")) for _ in range(2)]
        await asyncio.sleep(0.05)
        others = [await _ask(app, [b"x"], who=who) for who in ("ann", "bob")]
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        return [*others, await _ask(app, [b"x"], who="ann")]

    assert asyncio.run(several()) == [429, 200, 200]
    assert left_in(folder) == []


def test_what_a_killed_server_left_is_swept_a_day_later(folder):
    kept = Spool(folder, max_bytes=MOST)
    kept.sweep()
    (folder / "upload-old.csv").write_text("x")
    (folder / "other.txt").write_text("x")
    assert kept.sweep() == 0
    assert kept.sweep(now=time.time() + 25 * 3600) == 1
    assert left_in(folder) == ["other.txt"]
    assert (folder.stat().st_mode & 0o777) == 0o700


def test_an_upload_that_ends_while_the_folder_is_swept_is_no_error(folder, monkeypatch):
    kept = Spool(folder, max_bytes=MOST)
    kept.sweep()
    (folder / "upload-old.csv").write_text("x")
    both = [folder / "upload-ended.csv", folder / "upload-old.csv"]
    monkeypatch.setattr(type(folder), "glob", lambda *_: iter(both))
    assert kept.sweep(now=time.time() + 25 * 3600) == 1
    assert left_in(folder) == []


def test_a_folder_that_others_use_is_left_as_it_is(folder):
    folder.mkdir()
    for mode, content in ((0o755, "notes.txt"), (0o1777, None)):
        folder.chmod(mode)
        if content:
            (folder / content).write_text("x")
        with pytest.raises(NoflukeError, match="open to others") as refused:
            Spool(folder, max_bytes=MOST).sweep()
        assert refused.value.code == "NF097"
        assert folder.stat().st_mode & 0o7777 == mode
        (folder / "notes.txt").unlink(missing_ok=True)
        (folder / "upload-1.csv").write_text("x")
    folder.chmod(0o755)
    Spool(folder, max_bytes=MOST).sweep()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_needed_says_what_is_missing():
    with pytest.raises(problems.RequestError, match="no part 'file'"):
        spool.needed(spool.Form())


@pytest.mark.parametrize("size", [100, 50_000])  # kept in a buffer to the end, and not
@pytest.mark.parametrize("kind", ["form", "whole"])
def test_a_full_disk_is_the_servers_own_trouble_and_leaves_nothing(
    client, folder, monkeypatch, kind, size
):
    def full(prefix, suffix, dir):  # noqa: A002 (as mkstemp has it)
        path = dir / f"{prefix}1{suffix}"
        path.touch()
        return os.open("/dev/full", os.O_WRONLY), str(path)

    monkeypatch.setattr(spool.tempfile, "mkstemp", full)
    body, media = b"x" * size, "text/csv"
    if kind == "form":
        body, media = (
            form(('name="file"; filename="p.csv"', body)),
            "multipart/form-data; boundary=mark",
        )
    answer = client.post("/take", content=body, headers={"Content-Type": media})
    assert answer.status_code == 503
    assert answer.json()["code"] == "NF071"
    assert "Retry-After" in answer.headers
    assert str(folder) not in answer.text
    assert left_in(folder) == []


def test_a_folder_that_was_cleaned_away_is_made_again(client, folder):
    assert sent(client, FILE[1], "text/csv").status_code == 200
    folder.rmdir()
    assert sent(client, FILE[1], "text/csv").json()["content"] == FILE[1].decode()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_cannot_be_made_again_is_the_servers_own_trouble(client, folder):
    assert sent(client, FILE[1], "text/csv").status_code == 200
    folder.rmdir()
    folder.symlink_to(folder.parent / "elsewhere")
    answer = sent(client, FILE[1], "text/csv")
    assert (answer.status_code, answer.json()["code"]) == (503, "NF071")
    assert "--folder" not in answer.text
