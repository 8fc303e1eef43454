"""Two boards that differ in the order of their labels alone: before a look nobody can tell which.

Whatever a member may fetch, and every trial upload, is answered by the same bytes, but for random
ids, digests, times and tokens.
"""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest

N = 30
CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "accuracy": ({"rule": "ladder", "confirm": 0.3}, [str(i % 3) for i in range(N)]),
    "exact_match": ({"rule": "rounded"}, [f"t{i % 7}" for i in range(N)]),
    "brier": ({"rule": "free-ladder", "confirm": 0.2}, [str(int(i % 4 == 0)) for i in range(N)]),
    "squared_error": ({"rule": "thresholdout", "bounds": [0, 9]}, [repr(i / 7) for i in range(N)]),
    "auc": ({"rule": "rounded"}, [str(i % 2) for i in range(N)]),
}
SAID = ("0", "1", "0.5", "2", "-1", "t3", "7", "zz", "", '"', "1e9", "nan", "01", "1.0", "True")
_RANDOM = (
    (r"nf[kisv]_[\w-]{43}", "SECRET"),
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r"\b[0-9a-f]{32}\b", "ID"),
    (r"20\d\d-\d\d-\d\dT[\d:.]+Z?", "TIME"),
)


def fetched(served: Any, metric: str, labels: list[str], world: str) -> list[tuple[str, int, str]]:
    """All that a member gets of a board before a look."""
    spec, _ = CASES[metric]
    ids = [f"{metric}-{i}" for i in range(N)]
    slug = f"{metric.replace('_', '-')}-{world}"
    form = served.form(slug, dict(zip(ids, labels, strict=True)))
    asked = {"slug": slug, "title": slug, "metric": metric, "looks": 9, **spec}
    form["data"]["spec"] = json.dumps(asked)
    opened = served.ask("owner", "POST", "/boards", **form)
    assert opened.status_code == 201, opened.text
    made = served.ask("owner", "POST", f"/boards/{slug}/invitations", json={"role": "member"})
    served.ask("ann", "POST", "/invitations/accept", json={"secret": made.json()["secret"]})
    found = []
    for part in ("", "/ledger", "/ledger.jsonl", "/ledger.csv", "/submissions", "/members"):
        answer = served.ask("ann", "GET", f"/boards/{slug}{part}")
        found.append((part, answer.status_code, plain(answer.text, slug)))
    how = {"params": {"training": 0.5}} if spec["rule"] == "thresholdout" else {}
    for said in SAID:
        content = "id,prediction\n" + "".join(f"{one},{said}\n" for one in ids)
        answer = served.ask(
            "ann", "POST", f"/boards/{slug}/check", content=content.encode(),
            headers={"content-type": "text/csv"}, **how,
        )  # fmt: skip
        found.append((said, answer.status_code, plain(answer.text, slug)))
    return found


def plain(text: str, slug: str) -> str:
    text = text.replace(slug, "SLUG").replace(slug.title(), "SLUG")
    for what, name in _RANDOM:
        text = re.sub(what, name, text)
    return text


@pytest.mark.parametrize("metric", CASES)
def test_before_a_look_nothing_depends_on_which_row_has_which_label(
    served: Any, metric: str
) -> None:
    labels = CASES[metric][1]
    other = random.Random(3).sample(labels, N)  # noqa: S311
    assert other != labels
    assert fetched(served, metric, labels, "a") == fetched(served, metric, other, "b")
