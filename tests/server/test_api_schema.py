"""The API keeps what its document promises, whatever is asked, by whomever."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
WHO = ["admin", "owner", "ann", "auditor", "stranger", None]
# What ends something is asked last.
LAST = ("/close", "/confirmation", "/members/{user}", "/disable", "/enable", "/tokens/{token}")


@pytest.fixture
def asked(served):
    """A server with submissions, and ids that lead somewhere for each parameter."""
    mine = [served.submit("ann", seed).json()["id"] for seed in (1, 2)]
    for one in mine:
        served.scored("ann", one)
    served.ask("ann", "PUT", f"/submissions/{mine[0]}/finalist")
    link = served.ask("owner", "POST", "/boards/numbers/invitations", json={"role": "member"})
    token = served.ask("ann", "POST", "/tokens", json={"name": "x", "scopes": ["read"], "days": 1})
    ids = {
        "slug": ["numbers"],
        "submission": mine,
        "user": [served.users["bob"]],
        "invitation": [link.json()["id"]],
        "token": [token.json()["id"]],
    }
    return served, ids


def operations(served):
    """All operations, what ends something last."""
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", served.app)
    found = [one.ok() for one in schema.get_all_operations()]
    return sorted(found, key=lambda op: op.path.endswith(LAST))


def cases(operation):
    """What an operation may be asked, rightly and wrongly."""
    good = operation.as_strategy()
    if not (operation.body or operation.query):
        return good
    return st.one_of(good, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))


def rightly(served, ids, label, seed):
    """A body that is taken, and whose it is; None where what is made at random will do."""
    if label.endswith("/boards"):
        form = served.form(f"new-{seed}", labels=labels(served, seed))
        content = form["files"]["file"][1]
        return "multipart/form-data", {**form["data"], "file": content}, "owner"
    if label.endswith(("/check", "/submissions")) and label.startswith("POST"):
        return "application/octet-stream", served.predictions(seed % 5), "ann"
    if label.endswith("/comparisons"):
        first, second = ids["submission"]
        return "application/json", {"first": first, "second": second}, "ann"
    return None


def labels(served, seed):
    """Labels of a board of its own."""
    return {one: f"{float(y) / (seed + 2):.12f}" for one, y in served.labels.items()}


def keep_what_they_promise(asked, *, examples):
    """Ask every address by everybody, with what Schemathesis makes of the document."""
    served, ids = asked
    answered = set()

    def checked(operation):
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=cases(operation), data=st.data())
        def ask(case, data):
            for name, known in ids.items():
                if name in (case.path_parameters or {}) and data.draw(st.integers(0, 3)):
                    case.path_parameters[name] = data.draw(st.sampled_from(known))
            who = data.draw(st.sampled_from(WHO))
            right = rightly(served, ids, operation.label, data.draw(st.integers(0, 99)))
            if right is not None and data.draw(st.integers(0, 2)):
                case.media_type, case.body, who = right
                case.query = {}
            headers = {} if who is None else {"Authorization": f"Bearer {served.tokens[who]}"}
            answer = case.call(headers=headers)
            answered.add((operation.label, answer.status_code))
            case.validate_response(answer, checks=CHECKS)

        ask()

    for operation in operations(served):
        checked(operation)
    return answered


def test_every_answer_is_as_documented(asked):
    answered = keep_what_they_promise(asked, examples=24)
    assert {status for _, status in answered} >= {200, 201, 401, 403, 404, 422}
    good = {label for label, status in answered if status < 300}
    assert len(good) >= 25, sorted(good)


@pytest.mark.slow
def test_every_answer_is_as_documented_at_length(asked):
    keep_what_they_promise(asked, examples=150)
