"""One thing that a check-up found."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

# "stops": nothing can be asked before it is settled; "misleads": an answer would be wrong or
# weaker than it looks; "told": good to know.
Weight: TypeAlias = Literal["stops", "misleads", "told"]


class Finding(NamedTuple):
    """What was found, how much it matters, and what to do.

    Attributes:
        code: The page that explains it: "NF320".
        weight: "stops", "misleads" or "told".
        text: What was found, with counts and ids; true of this table as it stands.
        do: What to do, in the words of Python; "" where there is nothing to do.
    """

    code: str
    weight: Weight
    text: str
    do: str = ""
