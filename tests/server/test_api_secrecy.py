"""Nothing hidden in any answer or log: every address, asked by every role, rightly and wrongly."""

import io
import itertools
import logging
import re

import pytest
from sqlalchemy import select

from nofluke.database import tables
from nofluke.server.web.operations import Lines

LAST = (
    ("DELETE", "/boards/{slug}/members/{user}"),
    ("POST", "/boards/{slug}/close"),
    ("POST", "/boards/{slug}/confirmation"),
    ("POST", "/users/{user}/disable"),
    ("POST", "/users/{user}/enable"),
    ("DELETE", "/tokens/{token}"),
)


@pytest.fixture
def logged():
    """All that any logger says, as the server would write it."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    handler.setFormatter(Lines("json"))
    handler.addFilter(lambda record: not record.name.startswith("httpx"))  # the test's own
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    logging.getLogger("nofluke.server").setLevel(logging.DEBUG)
    yield text
    root.removeHandler(handler)
    root.setLevel(before)
    logging.getLogger("nofluke.server").setLevel(logging.NOTSET)


def digits(text):
    """The first nine digits behind the point: nobody writes them by chance."""
    return f"{float(text):.12f}"[2:11]


def hidden(served):
    """Digits of every label, every prediction and every score of a row; and secrets."""
    found = set()
    for seed in (1, 2, 3):
        lines = served.predictions(seed).decode().split()[1:]
        for line in lines:
            one, said = line.split(",")
            label = served.labels[one]
            found |= {digits(label), digits(said), digits(str((float(said) - float(label)) ** 2))}
    with served.database.reading() as connection:
        row = connection.execute(select(tables.holdouts)).mappings().one()
        keys = connection.execute(select(tables.settings.c.value)).scalars()
        hashes = connection.execute(select(tables.users.c.password)).scalars()
        digests = connection.execute(select(tables.tokens.c.digest)).scalars()
        found |= {row["salt"], *keys, *hashes, *digests, *served.secrets}
    return {word for word in found if word.strip("0")}


def everything(served, ids):
    """Requests for every address: (method, path, how), what ends something last."""
    document = served.client.get("/api/v1/openapi.json").json()
    paths, schemas = document["paths"], document["components"]["schemas"]
    listed = [
        (method.upper(), path.removeprefix("/api/v1"), operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
    ]
    listed.sort(key=lambda one: LAST.index(one[:2]) if one[:2] in LAST else -1)
    for method, path, operation in listed:
        bodies = operation.get("requestBody", {}).get("content", {})
        for how in ways(served, path, bodies, schemas):
            yield method, path.format(**ids), how


def ways(served, path, bodies, schemas):
    """Good and bad bodies of an address."""
    if "multipart/form-data" in bodies:
        text = served.predictions(3).decode()
        lines = text.splitlines()
        wrong = [
            text,
            "\n".join(lines[:-3]),
            "\n".join([*lines, "row-9999,0.5"]),
            "\n".join([*lines, lines[-1]]),
            text.replace("0.", "1e400", 1),
            text.replace("id,prediction", "id,label"),
            "",
        ]
        for content in wrong:
            yield {"files": {"file": ("../p.csv", content.encode())}, "data": form_of(served, path)}
    elif "application/json" in bodies:
        name = bodies["application/json"]["schema"]["$ref"].rpartition("/")[2]
        yield {"json": {next(iter(schemas[name]["properties"])): served.secrets[0]}}
        for body in (
            {"role": "auditor"},
            {"secret": served.secrets[0]},
            {"first": "0" * 32, "second": "1" * 32},
            {"heads": [f"1:{'0' * 64}"]},
            {"name": "x", "scopes": ["read"], "days": 1},
            {"days": 1},
        ):
            if body.keys() <= schemas[name]["properties"].keys():
                yield {"json": body}
    else:
        yield {"params": {"token": served.secrets[-1]}}


def form_of(served, path):
    return served.form("second")["data"] if path == "/boards" else {"training": "0.5"}


def test_nothing_hidden_is_told_to_anybody(served, logged):
    mine = [served.submit("ann", seed).json()["id"] for seed in (1, 2)]
    for one in mine:
        served.scored("ann", one)
    pair = dict(zip(("first", "second"), mine, strict=True))
    both = served.ask("ann", "POST", "/boards/numbers/comparisons", json=pair).json()["id"]
    served.scored("ann", both)
    ids = {
        "slug": "numbers",
        "submission": mine[0],
        "user": served.users["bob"],
        "token": "0" * 32,
        "invitation": "0" * 32,
    }
    secret = hidden(served)
    seen, told = set(), []
    for role, (method, path, how) in itertools.product(
        list(served.tokens), list(everything(served, ids))
    ):
        if (role, method, path) == ("admin", "POST", f"/users/{ids['user']}/disable"):
            continue
        answer = served.ask(role, method, path, **how)
        assert answer.status_code < 500, (role, method, path, answer.text)
        seen.add(answer.status_code)
        made = answer.json() if answer.headers.get("content-type") == "application/json" else {}
        own = made.get("secret") if isinstance(made, dict) else None
        text = answer.text.replace(own, "") if own else answer.text
        told.append((role, method, path, f"{text}\n{dict(answer.headers)}"))

    assert seen >= {200, 201, 204, 403, 404, 409, 422}
    for role, method, path, text in told:
        found = [word for word in secret if word in text]
        assert found == [], (role, method, path)
    log = logged.getvalue()
    assert log.count('"event": "request"') > len(told)
    assert [word for word in secret if word in log] == []
    assert "?" not in "".join(re.findall(r'"route": "([^"]*)"', log))
    for name in (*ids.values(), "Ann", "Bob", "row-00"):
        assert name not in re.sub(r'"holdout": "[^"]*"', "", log) or name in mine, name


def test_an_error_that_nobody_foresaw_quotes_nothing(served, logged, monkeypatch):
    label = next(iter(served.labels.values()))

    def broken(*_args, **_named):
        raise KeyError(f"the label is {label}")

    monkeypatch.setattr("nofluke.server.boards.board", broken)
    answer = served.ask("ann", "GET", "/boards/numbers", params={"secret": label})
    assert answer.status_code == 500
    assert answer.json()["code"] == "NF070"
    assert label not in answer.text
    log = logged.getvalue()
    assert '"error": "KeyError"' in log
    assert answer.headers["x-request-id"] in log
    assert label not in log


def test_a_score_that_fails_is_told_by_its_code(served, logged, monkeypatch):
    label = next(iter(served.labels.values()))

    def broken(*_args, **_named):
        raise ValueError(f"the label is {label}")

    monkeypatch.setattr("nofluke.server.boards.scoring.look", broken)
    told = served.scored("ann", served.submit("ann", 1).json()["id"])
    assert (told["status"], told["code"]) == ("failed", "NF070")
    ledger = served.ask("auditor", "GET", "/boards/numbers/ledger.jsonl").text
    for text in (str(told), ledger, logged.getvalue()):
        assert label not in text
    assert served.ask("ann", "GET", "/boards/numbers").json()["left"]["looks"] == 12
