"""Values that do not look like scores: out of bounds, stand-ins, other scales, constants, tails."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nofluke.errors import some
from nofluke.scores import metrics
from nofluke.scores.checkup.finding import Finding
from nofluke.scores.checkup.missing import values
from nofluke.scores.readers.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from nofluke.scores.table import Scores

# Errors that a single example is often free of: then 0 is what was meant.
_FREE_OF_ERRORS = frozenset({"wer", "cer", "ter", "mer", "error", "error_rate"})
_STAND_INS = (-1.0, -99.0, -100.0, -999.0, -9999.0, 999.0, 9999.0, 99999.0, 999999.0)
_SHORT = 5  # rows below which equal scores are no surprise
_ATOM = 0.05  # share of one value from which it stands out
_DISTINCT = 50  # other values that there must be beside it
_FEW = 40  # distinct values up to which a table of many rows is called tied
_TELLING = 10  # scores from which their range says something about the scale
_APART = 20.0  # factor between medians from which scales are different
_TAIL = 1e3  # factor between the largest and the 99th percentile


def findings(table: Scores) -> Iterator[Finding]:
    """All that is strange about the values."""
    yield from _bounds(table)
    yield from _infinite(table)
    yield from _constant(table)
    yield from _atoms(table)
    yield from _scales(table)
    yield from _examples_apart(table)
    yield from _tails(table)
    yield from _tied(table)


def _bounds(table: Scores) -> Iterator[Finding]:
    """Scores outside what the metric's name allows; declared bounds are refused on reading."""
    known = metrics.known(table.metric)
    if known.bounds is None or table.bounds is not None:
        return
    low, high = known.bounds
    out = np.isfinite(table.values) & ((table.values < low) | (table.values > high))
    out &= _measured(table)
    if not out.any():
        return
    count, who = int(out.sum()), _owners(table, out)
    cents = (low, high) == (0, 1) and bool((table.values[out] > 0).all())
    cents = cents and bool((table.values[out] <= 100).all())
    yield Finding(
        "NF322",
        "misleads",
        f"{counted(count, 'score')} {'lies' if count == 1 else 'lie'} outside {low:g} to "
        f"{high:g}, the range of {table.metric!r}: "
        f"from {table.values[out].min():g} to {table.values[out].max():g}, of {some(who, most=3)}."
        f"{' They may be percentages.' if cents else ''}",
        "bounds=(0, 100) if all are percentages; mend them otherwise."
        if cents
        else "mend them, or declare what scores of yours cannot leave: bounds=(low, high).",
    )


def _infinite(table: Scores) -> Iterator[Finding]:
    endless = np.isinf(table.values) & _measured(table)
    if endless.any():
        count, who = int(endless.sum()), _owners(table, endless)
        yield Finding(
            "NF322",
            "misleads",
            f"{counted(count, 'score')} {'is' if count == 1 else 'are'} infinite "
            f"({some(who, most=3)}): a mean with such a score says nothing; quantiles do.",
            "find out what they stand for.",
        )


def _constant(table: Scores) -> Iterator[Finding]:
    """Candidates without spread: where a score cannot go further, that is no sign of a mistake."""
    alike = [k for k in range(table.K) if table.n[k] > 1 and _without_spread(values(table, k))]
    if not alike:
        return
    same = [(table.candidates[k], float(values(table, k)[0])) for k in alike]
    ends = table.bounds or metrics.known(table.metric).bounds or (0.0, 1.0) * table.binary
    at_end = all(value in ends for _, value in same) or int(table.n.max()) < _SHORT
    # One that lacks scores may look perfect because it does.
    gaps = bool(np.isin(alike, table.empty[:, 0]).any()) or any(
        table.n[k] < len(table.examples) for k in alike
    )
    fine = at_end and not gaps
    told = ", ".join(f"{name!r} {value + 0.0:g}" for name, value in same[:3])
    more = f" and {len(same) - 3} more" if len(same) > 3 else ""
    yield Finding(
        "NF323",
        "told" if fine else "misleads",
        f"every score of {len(same)} of {table.K} candidates is the same ({told}{more}): a "
        "candidate that always or never succeeds, the end of a scale, a reference that is compared "
        "with itself, or a metric that was not computed. No spread is no certainty.",
        "leave out what is no candidate.",
    )


def _without_spread(x: NDArray[np.float64]) -> bool:
    return bool(x.min() == x.max())  # a range of infinite scores is no number


class _Atom(NamedTuple):
    candidate: str
    value: float
    times: int
    n: int


def _atoms(table: Scores) -> Iterator[Finding]:
    """One value, far more often than any other, among many others: a stand-in perhaps."""
    known = metrics.known(table.metric).bounds or table.bounds or (np.nan, np.nan)
    found = [a for k in range(table.K) if (a := _atom(table, k)) and a.value not in known]
    for value in sorted({a.value for a in found}):
        atoms = sorted((a for a in found if a.value == value), key=lambda a: -a.times / a.n)
        told = ", ".join(f"{a.candidate!r} {a.times} of {a.n}" for a in atoms[:3])
        more = f" and {len(atoms) - 3} more" if len(atoms) > 3 else ""
        natural = value == 0 and metrics.known(table.metric).name in _FREE_OF_ERRORS
        yield Finding(
            "NF324",
            "told" if natural else "misleads",
            f"the score is exactly {value + 0.0:g} far more often than any other value: "
            f"{told}{more}. Failures, time-outs and things that were not measured are often "
            f"written so{_extreme(table, value)}.",
            "look at some of these rows; if they failed, say how they are told: failed='...'.",
        )


def _atom(table: Scores, k: int) -> _Atom | None:
    x = values(table, k)
    if table.failed is not None:
        x = x[~table.failed[table.starts[k] : table.starts[k + 1]]]
    x = x[np.isfinite(x)]
    if x.size < 20:
        return None
    kinds, counts = np.unique(x, return_counts=True)
    top = int(counts.argmax())
    value, count = float(kinds[top]), int(counts[top])
    if kinds.size <= 2:
        return None
    others = np.delete(counts, top)
    stands_out = count >= _ATOM * x.size and count >= 5 * others.max()
    many = others.size >= min(_DISTINCT, others.sum() // 2) and others.size >= 8
    stand_in = value in _STAND_INS and count >= 3 and not (kinds[0] < value < kinds[-1])
    if (stands_out and many) or stand_in:
        return _Atom(table.candidates[k], value, count, int(x.size))
    return None


def _extreme(table: Scores, value: float) -> str:
    """Whether no score lies beyond this one, and then what else that may be."""
    lowest, highest = table.values.min(), table.values.max()
    if value not in (lowest, highest):
        return ""
    best = {"lower": lowest, "higher": highest}.get(table.better or "")
    if value == best:
        return ", and this one is the best score there is"
    end = "lowest" if value == lowest else "highest"
    return (
        f"; but this one is the {end} score there is, perhaps the end of the scale, beyond which "
        "candidates are not told apart"
    )


def _scales(table: Scores) -> Iterator[Finding]:
    """Candidates on scales of their own: shares beside percentages."""
    enough = [k for k in range(table.K) if table.n[k] >= _TELLING]
    share = [k for k in enough if _within(values(table, k), 1.0)]
    cent = [
        k
        for k in enough
        if k not in share and _within(values(table, k), 100.0) and np.median(values(table, k)) > 1
    ]
    if not share or not cent:
        return
    middle = [
        float(np.median(np.concatenate([values(table, k) for k in ks]))) for ks in (share, cent)
    ]
    names = [some([table.candidates[k] for k in ks], most=2) for ks in (share, cent)]
    if middle[1] < _APART * max(middle[0], 0.01):
        return
    yield Finding(
        "NF325",
        "misleads",
        f"{len(share)} candidates have scores from 0 to 1 ({names[0]}) and {len(cent)} up to 100 "
        f"({names[1]}): shares beside percentages, or two metrics.",
        "write all on one scale; nothing is rescaled here.",
    )


def _within(x: NDArray[np.float64], high: float) -> bool:
    return x.size > 0 and bool((x >= 0).all() and (x <= high).all() and x.max() > 0)


def _examples_apart(table: Scores) -> Iterator[Finding]:
    """Examples on scales of their own: errors in units of the data."""
    if table.where is not None and len(table.examples) * table.K > 4 * table.values.size:
        return
    size = _typical(table)
    size = size[size > 0]
    if size.size < 5:
        return
    low, high = np.quantile(size, [0.1, 0.9], method="inverted_cdf")
    if high < 1e3 * low:
        return
    alone = table.values.size <= len(table.examples)
    why = (
        "whether that is the scale of an example or chance cannot be seen, and either way"
        if alone
        else "each example has a scale of its own, so"
    )
    yield Finding(
        "NF325",
        "misleads",
        f"a typical score is at most {low:.3g} in size on one tenth of the examples and "
        f"{high:.3g} or more on another: {why} a mean is decided by a few of them.",
        "ask for quantiles or ranks, or divide by a scale that was fixed beforehand.",
    )


def _typical(table: Scores) -> NDArray[np.float64]:
    """The mean absolute finite score of each example; 0 where there is none."""
    where = np.concatenate([table.places(k) for k in range(table.K)])
    fine = np.isfinite(table.values)
    size = np.abs(np.where(fine, table.values, 0.0))
    E = len(table.examples)
    total, count = np.bincount(where, size, E), np.bincount(where, fine, E)
    return np.divide(total, count, out=np.zeros(E), where=count > 0)


def _tails(table: Scores) -> Iterator[Finding]:
    heavy = []
    for k in range(table.K):
        x = np.sort(np.abs(values(table, k)))
        x = x[np.isfinite(x)]
        if x.size < 20:
            continue
        usual = float(np.quantile(x, 0.9, method="inverted_cdf"))
        if usual > 0 and x[-1] > _TAIL * usual:
            few = -(-x.size // 100)
            # Divided first, as a sum of the largest numbers may overflow.
            share = float((x[-few:] / x[-1]).sum() / (x / x[-1]).sum())
            heavy.append((share, table.candidates[k], float(x[-1] / usual), few, float(x[-1])))
    if not heavy:
        return
    share, who, times, few, largest = max(heavy)
    rows = "it alone is" if few == 1 else f"the largest {few} scores are"
    yield Finding(
        "NF326",
        "misleads",
        f"some scores of {len(heavy)} of {table.K} candidates are more than a thousand times as "
        f"large as nine tenths of their others. Of {who!r} the largest is {largest:.3g} in size, "
        f"{times:.2g} times as large, and {rows} {share:.0%} of the sum of all sizes: a mean is "
        "decided by few rows.",
        "ask for quantiles, certify at several gamma, or for a median.",
    )


def _tied(table: Scores) -> Iterator[Finding]:
    kinds, counts = np.unique(table.values, return_counts=True)
    if table.binary or kinds.size <= 2 or kinds.size > _FEW or table.values.size < 20 * kinds.size:
        return
    top = int(counts.argmax())
    yield Finding(
        "NF327",
        "told",
        f"the scores take {kinds.size} values only, and {counts[top] / table.values.size:.0%} of "
        f"them are {kinds[top] + 0.0:g}: quantiles jump, and ties are everywhere.",
    )


def _measured(table: Scores) -> NDArray[np.bool_]:
    """Which rows have a score of their own: not one that failed, and no stand-in for a gap."""
    own = np.ones(table.values.size, np.bool_)
    for stand_ins in (table.failed, table.filled):
        if stand_ins is not None:
            own &= ~stand_ins
    return own


def _owners(table: Scores, rows: NDArray[np.bool_]) -> list[str]:
    """The candidates whose rows these are, by name."""
    owners = np.searchsorted(table.starts, np.flatnonzero(rows), side="right") - 1
    return sorted(table.candidates[k] for k in np.unique(owners).tolist())
