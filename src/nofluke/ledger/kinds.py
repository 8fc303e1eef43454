"""What a ledger records: the kinds of entries, and what each must say.

Seven records let somebody else check a score: the split, the preprocessing and where it was
fitted, all candidates, every access with what it returned, the rule of choosing and when it was
fixed, the final predictions row by row with their numbers, and the scope with a plan for drift.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from nofluke.errors import InputError, some

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(NamedTuple):
    """One kind of entry that people write.

    Attributes:
        says: What it records, in words.
        needs: Fields that must be there.
        takes: Fields that may be there.
    """

    says: str
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


#: What people record, by name.
RECORDS = {
    "split": Kind("unit, times, sites and label version", ("unit", "time", "site", "labels")),
    "preprocessing": Kind("the steps, and the rows each was fitted on", ("steps", "fitted_on")),
    "candidates": Kind(
        "every candidate, setting, seed and threshold, also those given up",
        ("candidates", "settings", "seeds", "thresholds"),
    ),
    "rule": Kind("the rule of choosing, and when it was fixed", ("rule", "fixed")),
    "access": Kind(
        "a look at rows outside nofluke, and what it returned",
        ("data", "question", "returned", "feedback"),
    ),
    "predictions": Kind(
        "the final predictions row by row, and their numbers",
        ("files",),
        ("matrix", "auc", "precision_recall", "calibration", "cost", "uncertainty"),
    ),
    "scope": Kind("where it will be used, and how drift is watched for", ("deployment", "drift")),
    "note": Kind("anything else, in words", ("text",)),
}

#: What the ledger writes itself.
KEPT = {
    "init": "the ledger begins",
    "data": "rows are registered in a role",
    "role": "rows take another role",
    "freeze": "a pipeline is locked",
    "attempt": "a question is about to be asked",
    "look": "what an attempt returned",
    "failed": "an attempt returned nothing",
    "refused": "a guard refused a look",
    "torn": "what an interrupted writer left",
    "board": "a board over guarded rows is opened or closed",
    "people": "somebody joins a board, leaves it, takes another role, or gets a password by a link",
}

MOST_TEXT = 1_000_000


def checked(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """A record that says what its kind must say.

    Args:
        kind: One of ``RECORDS``.
        body: Its fields; texts, numbers and lists. What does not apply is said in words.

    Raises:
        InputError: Another kind, fields that are missing, unknown or empty (NF069).

    >>> checked("rule", {"rule": "largest area", "fixed": "2026-03-01, plan.md"})["fixed"]
    '2026-03-01, plan.md'
    """
    if kind not in RECORDS:
        own = f" ({kind} is written by the ledger itself)" if kind in KEPT else ""
        raise InputError(
            f"{kind!r} is nothing that can be recorded by hand{own}; there are "
            f"{', '.join(RECORDS)}; nofluke ledger log also takes data, freeze and role.",
            code="NF069",
        )
    needs, takes = RECORDS[kind].needs, RECORDS[kind].takes
    missing = [n for n in needs if n not in body or body[n] in ("", None, [], {})]
    if missing:
        raise InputError(
            f"a record of {kind} ({RECORDS[kind].says}) needs {some(missing)}; what does not apply "
            'is said in words, such as site="one site only".',
            code="NF069",
        )
    unknown = [n for n in body if n not in (*needs, *takes)]
    if unknown:
        raise InputError(
            f"a record of {kind} has no {some(unknown)}; it takes "
            f"{', '.join((*needs, *takes))}. Anything else goes into a note.",
            code="NF069",
        )
    if kind == "access" and body["feedback"] not in ("yes", "no"):
        raise InputError(
            f"feedback={body['feedback']!r} must be yes (somebody saw a number, a rank or a "
            "verdict) or no.",
            code="NF069",
        )
    return dict(body)
