"""What reported numbers say by themselves: whether they are possible, and how far they are off."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from nofluke import checks
from nofluke.errors import InputError
from nofluke.questions import champion_sizes

if TYPE_CHECKING:
    from nofluke.questions.champion_entries import Entries
    from nofluke.questions.champion_sizes import Sizes
    from nofluke.results import Row

UNSAID = "how many decimals were reported is not said"


def checked_decimals(decimals: int | None) -> int | None:
    """Places of every reported number, or None where nobody said.

    Raises:
        InputError: Not a whole number from 0 to 15 (NF284).
    """
    if decimals is None:
        return None
    places = checks.whole(decimals, name="decimals", least=0)
    if places > 15:
        raise InputError(
            f"decimals={places}: a double has no more than 15 places to report; give the number "
            "that was printed, such as 3.",
            code="NF284",
        )
    return places


def places_of(text: str | None) -> int | None:
    """Decimal places of a number as it was written, zeros included; None where none is.

    >>> places_of("0.80"), places_of("0.8"), places_of("1"), places_of("8.31e-1"), places_of(None)
    (2, 1, 0, 3, None)
    """
    if text is None:
        return None
    try:
        exponent = Decimal(text).as_tuple().exponent
    except InvalidOperation:
        return None
    return max(0, -exponent) if isinstance(exponent, int) else None


def reported(
    given: Entries, sizes: Sizes | None, decimals: int | None, published: Row | None
) -> tuple[Row, ...]:
    """One row for each number that was given as such, and for a published one; empty otherwise.

    Args:
        given: The candidates.
        sizes: What lies behind each number, where that was said.
        decimals: Places of every number; without it those of its text.
        published: The published number, of the same rows.

    Raises:
        InputError: A number with more places than were reported (NF284).
    """
    found = []
    if sizes is not None:
        texts = given.written or (None,) * given.m
        for name, value, text in zip(given.names, given.values.tolist(), texts, strict=True):
            found.append(_row(name, value, text, decimals, sizes))
    behind = champion_sizes.behind(given, sizes)
    by_itself = published is not None and (published["candidate"] is None or published["rounded"])
    if published is not None and by_itself and behind is not None:
        if not 0 <= published["value"] <= 1:
            return tuple(found)
        text = published["written"]
        places = decimals if places_of(text) is None else None  # its own, as it was written
        found.append(_row(None, published["value"], text, places, behind))
    return tuple(found)


def refuse_idle(decimals: int | None, found: tuple[Row, ...]) -> None:
    """Refuse decimals that nothing is done with.

    Raises:
        InputError: It is not known what lies behind the numbers (NF284).
    """
    if decimals is not None and not found:
        raise InputError(
            f"decimals={decimals} tells whether reported numbers are possible, for which it must "
            "be known what lies behind them: n_positive= and n_negative= for areas, n_rows= for "
            "shares of rows. Scores of rows are computed here and need none.",
            code="NF284",
        )


def _row(
    name: str | None, value: float, text: str | None, decimals: int | None, sizes: Sizes
) -> Row:
    places = places_of(text) if decimals is None else decimals
    row: dict[str, Any] = {
        "candidate": name,
        "value": value,
        "written": text,
        "decimals": places,
        "rows": str(sizes),
        "possible": None,
        "fewest": None,
        "most": None,
        "below": None,
        "above": None,
        "se": sizes.se(value),
        "guarantee": sizes.guarantee,
        "reason": UNSAID,
    }
    if places is None:
        return row
    _refuse_longer(value, text, places)
    found = sizes.grim(value if text is None else text, places)
    return row | {
        "possible": found.possible,
        "fewest": found.fewest,
        "most": found.most,
        "below": found.below,
        "above": found.above,
        "reason": None,
    }


def _refuse_longer(value: float, text: str | None, places: int) -> None:
    """Refuse a number with more places than were reported: it was computed and not printed."""
    own = places_of(repr(value) if text is None else text)
    if own is not None and own > places:
        raise InputError(
            f"decimals={places}, and {text or repr(value)} has {own}; give the numbers as they "
            "were reported, or leave decimals= out where they are not rounded.",
            code="NF284",
        )


def noise(values: dict[str, float], at: float, alpha: float, sizes: Sizes) -> list[Row]:
    """Whether a gate lies within the usual interval of one score with such a value."""
    found = []
    for name, value in values.items():
        lower, upper = sizes.usual(value, alpha)
        found.append(
            {
                "of": name,
                "value": value,
                "se": sizes.se(value),
                "lower": lower,
                "upper": upper,
                "inside": lower <= at <= upper,
                "guarantee": sizes.guarantee,
            }
        )
    return found
