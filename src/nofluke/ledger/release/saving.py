"""States as JSON text and back, to the last bit."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, Final

from nofluke.errors import InputError
from nofluke.ledger.release.fresh import Claim, Fresh
from nofluke.ledger.release.ladders import FreeLadder, Ladder
from nofluke.ledger.release.rounded import Rounded
from nofluke.ledger.release.thresholdout import Thresholdout
from nofluke.ledger.release.verdicts import Verdict

if TYPE_CHECKING:
    from nofluke.ledger.release.records import State

RULES: Final[dict[str, type[State]]] = {
    kind.rule: kind for kind in (Ladder, FreeLadder, Thresholdout, Rounded, Verdict, Fresh)
}
_KIND, _SCHEMA = "release-state", 2


def to_json(state: State) -> str:
    """The state as JSON text, for the guard alone: it holds what analysts must not see.

    Args:
        state: Of any rule.
    """
    told = asdict(state)
    return json.dumps({"kind": _KIND, "schema": _SCHEMA, "rule": state.rule, **told})


def from_json(text: str) -> State:
    """The state that was saved.

    Of schema 1, from before there were comparisons, it has none (``compared=0``). One of schema 2
    that does not say how many there were is refused: they would be forgotten.

    Args:
        text: What ``to_json`` gave.

    Raises:
        InputError: The text is not the state of a rule (NF366).

    >>> state = Ladder(n=100, looks=5, step=0.02)
    >>> from_json(to_json(state)) == state
    True
    """
    try:
        saved = json.loads(text)
        kept, schema = saved.pop("kind"), saved.pop("schema")
        if kept != _KIND or type(schema) is not int or schema not in (1, _SCHEMA):
            raise ValueError("another kind or schema")
        if schema == 1:
            saved = {**saved, "compared": _none(saved)}
        kind = RULES[saved.pop("rule")]
        if set(saved) != {f.name for f in fields(kind)}:
            raise ValueError("other fields than this rule has")
        return kind(**_restored(saved))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"this is not the state of a release rule ({type(error).__name__}: {error}); name "
            "the state that was written last, and never one from before a look.",
            code="NF366",
        ) from None


def _none(saved: dict[str, Any]) -> int:
    """How many comparisons a state of schema 1 has seen."""
    if "compared" in saved:
        raise ValueError("comparisons, of which its schema knows nothing")
    return 0


def _restored(saved: dict[str, Any]) -> dict[str, Any]:
    """Lists as the tuples they were."""
    told: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in saved.items()}
    if "claims" in told:
        told["claims"] = {name: Claim(**claim) for name, claim in saved["claims"].items()}
    return told
