"""Rows of two parts that say the same, or nearly: texts by edits, numbers by distance."""

from __future__ import annotations

import hashlib
import unicodedata
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from nofluke import checks
from nofluke.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

# Pairs of texts that are compared at most; a second for texts of some hundred characters.
_MOST_PAIRS: Final = 4_000_000
_CHUNK: Final = 256
# Distances between rows that are computed at most where a tree does not help.
_MOST_DISTANCES: Final = 25_000_000
_FEW_FEATURES: Final = 20
# How improbable an excess of near rows must be before it is told.
_IMPROBABLE: Final = 1e-4


class Alike(NamedTuple):
    """Test rows that have a twin in training.

    Attributes:
        exact: Test rows that equal a training row.
        near: Test rows that come near one, the exact ones not counted.
        too_many: Whether the near ones are too many for rows drawn alike.
        pairs: Some pairs, training first.
        what: How the two kinds are told.
        skipped: Why near ones were not sought; empty where they were.
    """

    exact: int
    near: int
    too_many: bool
    pairs: tuple[tuple[int, int], ...]
    what: tuple[str, str, str]
    skipped: str = ""

    @property
    def touched(self) -> int:
        """Test rows that are told."""
        return self.exact + (self.near if self.too_many else 0)

    def says(self, n_test: int) -> str:
        """One sentence."""
        parts = [f"{self.exact} {self.what[1]}"] if self.exact else []
        parts += [f"{self.near} {self.what[2]}"] if self.too_many else []
        return f"{self.touched} of {n_test} test rows {self.what[0]} ({', '.join(parts)})."


def listed(texts: Sequence[object]) -> list[str]:
    """Texts, normalised: compatibility forms, case, and each run of blanks as one.

    Raises:
        InputError: Something else than a text.
    """
    found = list(texts)
    wrong = [i for i, text in enumerate(found) if not isinstance(text, str)]
    if wrong or not found:
        raise InputError(
            f"texts= must be texts, one for each row; place {wrong[0] if wrong else 0} is not.",
            code="NF004",
        )
    return [normal(str(text)) for text in found]


def normal(text: str) -> str:
    """A text without what changes when it is copied: forms of letters, case, blanks.

    >>> normal(" Is it  SO? ")
    'is it so?'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def table(X: ArrayLike) -> NDArray[np.float64]:
    """Numbers of shape (n, p), finite.

    Raises:
        InputError: Another shape, or numbers that are missing or infinite.
    """
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"X holds values that are not numbers ({error}).", code="NF004") from None
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or values.size == 0:
        raise InputError(f"X has shape {values.shape}; expected (rows, features).", code="NF002")
    if not np.isfinite(values).all():
        raise InputError(
            "X holds NaN or infinities; put a number in their place (the median, and a feature "
            "that says so) or leave the feature out.",
            code="NF007",
        )
    return values


def fingerprint(values: Any) -> str:
    """32 hexadecimal digits for one text or one row of numbers."""
    content = (
        f"text {normal(values)}".encode()
        if isinstance(values, str)
        else b"numbers " + _bytes(checks.sample(values, name="values")[None, :])[0]
    )
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def of_texts(
    texts: Sequence[str], a: NDArray[np.int64], b: NDArray[np.int64], similarity: float
) -> Alike:
    """Test texts that say what a training text says."""
    twins = _twins([texts[i].encode() for i in a.tolist()], [texts[j].encode() for j in b.tolist()])
    rest = np.setdiff1d(np.arange(b.size), [j for _, j in twins])
    pairs = [(int(a[i]), int(b[j])) for i, j in twins]
    skipped, close = "", []
    if rest.size * a.size > _MOST_PAIRS:
        skipped = f"equal ones only: {rest.size} x {a.size} pairs are too many"
    elif rest.size:
        close = _close(texts, a, b[rest], similarity)
    return Alike(
        exact=len(twins),
        near=len(close),
        too_many=bool(close),
        pairs=tuple((pairs + close)[:5]),
        what=(
            "have the text of a training row",
            "up to case and blanks",
            f"with a similarity of at least {similarity:g}",
        ),
        skipped=skipped,
    )


def of_numbers(
    X: NDArray[np.float64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    quantile: float,
    digits: int,
) -> Alike:
    """Test rows that equal a training row, or are too often near one.

    With j the rank of the quantile among the distances of N training rows, the number of test rows
    below it has a beta-binomial law with j and N + 1 - j where all distances are exchangeable. Two
    training rows that are nearest to each other share one distance, so that half of both is taken
    (heuristic).
    """
    places = checks.whole(digits, name="digits", least=0)
    scale = X.std(axis=0)
    # A constant feature tells no rows apart, and its spread may be rounding only.
    used = scale > 1e-12 * np.abs(X).max(axis=0)
    Z = (X[:, used] - X[:, used].mean(axis=0)) / np.where(used, scale, 1)[used]
    rounded = np.round(Z, places)
    twins = _twins(_bytes(rounded[a]), _bytes(rounded[b]))
    rest = np.setdiff1d(np.arange(b.size), [j for _, j in twins])
    pairs = [(int(a[i]), int(b[j])) for i, j in twins]
    rank = int(quantile * a.size)
    skipped = _why_not_near(Z, a.size, b.size, rank)
    near, too_many = ([], False) if skipped else _near(Z, a, b[rest], rank)
    return Alike(
        exact=len(twins),
        near=len(near),
        too_many=too_many,
        pairs=tuple((pairs + (near if too_many else []))[:5]),
        what=(
            "are copies of training rows or near ones",
            f"equal after rounding to {places} decimals of a standard deviation",
            f"nearer than the {quantile:g} quantile of training rows to each other, where about "
            f"{quantile * b.size:.3g} are expected",
        ),
        skipped=skipped,
    )


def _why_not_near(Z: NDArray[np.float64], n_train: int, n_test: int, rank: int) -> str:
    if rank < 1:
        return f"equal ones only: {n_train} training rows are too few for this quantile"
    # Trees do not help in many dimensions.
    if Z.shape[1] > _FEW_FEATURES and (n_train + n_test) * n_train > _MOST_DISTANCES:
        return f"equal ones only: too many rows of {Z.shape[1]} features"
    return ""


def _twins(left: Sequence[bytes], right: Sequence[bytes]) -> list[tuple[int, int]]:
    """For each right one that is among the left: the first left one, and itself."""
    first: dict[bytes, int] = {}
    for i, key in enumerate(left):
        first.setdefault(key, i)
    return [(first[key], j) for j, key in enumerate(right) if key in first]


def _bytes(rows: NDArray[np.float64]) -> list[bytes]:
    # 0.0 and -0.0 are equal numbers of different bytes.
    return [row.tobytes() for row in np.ascontiguousarray(rows + 0.0)]


def _close(
    texts: Sequence[str], a: NDArray[np.int64], b: NDArray[np.int64], similarity: float
) -> list[tuple[int, int]]:
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    left = [texts[i] for i in a.tolist()]
    # The cutoff of rapidfuzz loses similarities of exactly the limit to rounding.
    cutoff = max(0.0, similarity - 1e-6)
    found = []
    for start in range(0, b.size, _CHUNK):
        part = b[start : start + _CHUNK]
        alike = cdist(
            [texts[j] for j in part.tolist()],
            left,
            scorer=Indel.normalized_similarity,
            score_cutoff=cutoff,
            dtype=np.float64,
        )
        best = alike.argmax(axis=1)
        hits = np.flatnonzero(alike[np.arange(part.size), best] >= similarity - 1e-12)
        found += [(int(a[best[k]]), int(part[k])) for k in hits.tolist()]
    return found


def _near(
    Z: NDArray[np.float64], a: NDArray[np.int64], b: NDArray[np.int64], rank: int
) -> tuple[list[tuple[int, int]], bool]:
    """Test rows nearer than training rows are to each other, and whether they are too many."""
    if b.size == 0 or Z.shape[1] == 0:
        return [], False
    from scipy.spatial import cKDTree
    from scipy.stats import betabinom

    tree = cKDTree(Z[a])
    limit = float(np.partition(tree.query(Z[a], k=2)[0][:, 1], rank - 1)[rank - 1])
    distance, nearest = tree.query(Z[b])
    hits = np.flatnonzero(distance < limit)
    p = float(betabinom.sf(hits.size - 1, b.size, rank / 2, (a.size + 1 - rank) / 2))
    return [(int(a[nearest[k]]), int(b[k])) for k in hits.tolist()], p < _IMPROBABLE
