"""What has changed between two times: predictors, the share of positives, or what labels mean?"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from nofluke import checks, drift
from nofluke.errors import InputError, NoflukeError
from nofluke.questions import drift_parts as parts
from nofluke.questions import drift_words as words
from nofluke.questions.drift_card import DriftCard
from nofluke.questions.drift_columns import compared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from nofluke.drift import CovariateDrift, Diagnosis, Monitor
    from nofluke.questions.drift_parts import Counts, Errors, Shares
    from nofluke.results import Guarantee
    from nofluke.scores.features import Features

_MOST: Final = 10_000  # permutations, each a labelling of all rows in memory


class _Decided(NamedTuple):
    """Predictions of both times as decisions and probabilities, where there are any."""

    threshold: float | None
    before: Counts | None
    now: Counts | None
    flagged: NDArray[np.bool_] | None
    probabilities: NDArray[np.float64] | None
    means: tuple[float | None, float | None]


def drift_report(
    reference: Features,
    current: Features,
    *,
    threshold: float | None = None,
    costs: Sequence[float] | None = None,
    prevalence: float | None = None,
    alpha: float = 0.05,
    n_resamples: int = 199,
    seed: int = 0,
) -> DriftCard:
    """What has changed between two times, and what the evidence can and cannot tell apart.

    * Predictors (covariate drift): a classifier that tells the times apart, a test of every
      feature, and the stability index beside its mean without drift.
    * The share of positives (label drift): from the share of flagged rows, from probabilities, and
      from labels of now; with what it does to precision, calibration and the threshold of costs.
    * Errors (concept drift, or harder rows): labelled batches of now against the errors of before,
      over all rows and within each class, by evidence that holds at any time.

    Each part has a third of the error level. Where nothing has changed (rows of both times are
    independent draws of one law), anything is found with probability at most ``alpha``.

    Args:
        reference: Rows before, from ``nofluke.read_features``. Its labelled rows must not be those
            on which the classifier or the threshold were chosen.
        current: Rows now, with labels where there are any, in the order of their batches.
        threshold: A row is flagged from this prediction on; that of the costs or 0.5 by default
            where predictions are probabilities.
        costs: Cost of a false alarm and of a miss, (1, 20).
        prevalence: The share of positives before, where it is known; by default from the labels of
            the reference, which must then be drawn as rows come.
        alpha: The probability that anything is found where nothing has changed.
        n_resamples: Permutations of the test of all predictors.
        seed: Their seed.

    Raises:
        InputError: Nothing that both tables have (NF295), missing predictions, or values that
            cannot be used.

    >>> from nofluke import drift_report, read_features
    >>> before = read_features([{"age": i % 50} for i in range(200)])
    >>> now = read_features([{"age": i % 50 + 30} for i in range(100)])
    >>> drift_report(before, now).seen
    ('predictors',)
    """
    error = checks.fraction(alpha, name="alpha")
    share = None if prevalence is None else checks.fraction(prevalence, name="prevalence")
    prices = None if costs is None else _costs(costs)
    part = error / 3
    predictors, why, found_notes = _predictors(reference, current, part, n_resamples, seed)
    decided = _decided(reference, current, threshold, prices)
    shares = parts.shares(
        labels=_labels_only(reference),
        before=decided.before,
        now=decided.now if decided.now is not None else _labels_only(current),
        flagged=None
        if decided.flagged is None
        else (int(decided.flagged.sum()), decided.flagged.size),
        probabilities=decided.probabilities,
        prevalence=share,
        costs=prices,
        alpha=part,
    )
    errors, unwatched = parts.errors(decided.before, current, decided.flagged, alpha=part)
    if predictors is None and shares.labelled is None and shares.flags is None and errors is None:
        raise InputError(
            f"nothing can be compared: {why or 'no column is in both tables'}; and of the share of "
            f"positives, {unwatched}. Give both tables the same columns, and name predictions and "
            'labels: columns={"prediction": "...", "label": "..."}.',
            code="NF295",
        )
    return _card(
        reference,
        current,
        predictors=(predictors, why),
        decided=decided,
        shares=shares,
        errors=(errors, unwatched),
        alpha=error,
        notes=found_notes,
        question={
            "threshold": decided.threshold,
            "costs": None if prices is None else list(prices),
            "prevalence": share,
            "alpha": error,
            "n_resamples": n_resamples,
            "seed": seed,
        },
    )


def _costs(costs: Sequence[float]) -> tuple[float, float]:
    listed = [checks.real(c, name="costs") for c in costs]
    if len(listed) != 2 or min(listed) <= 0:
        raise InputError(
            f"costs={costs!r}; expected two numbers above 0: a false alarm, and a miss.",
            code="NF295",
        )
    return listed[0], listed[1]


def _predictors(
    reference: Features, current: Features, alpha: float, n_resamples: int, seed: int
) -> tuple[CovariateDrift | None, str, tuple[str, ...]]:
    """The test of all predictors, or why there is none; and notes."""
    columns = compared(reference, current)
    if columns is None:
        return None, "no column is in both tables", ()
    # So many that the test can be seen at its part of the level.
    enough = max(checks.whole(n_resamples, name="n_resamples"), int(np.ceil(2 / alpha)))
    if enough > _MOST:
        why = f"{enough} permutations are more than {_MOST}, the most there are"
        return None, why, columns.notes
    try:
        found = drift.covariates(
            columns.reference,
            columns.current,
            names=columns.names,
            categories=columns.categories,
            alpha=alpha,
            n_resamples=enough,
            seed=seed,
        )
    except NoflukeError as error:
        if error.code != "NF248":
            raise
        return None, str(error).rstrip("."), columns.notes
    return found, "", columns.notes


def _decided(
    reference: Features,
    current: Features,
    threshold: float | None,
    costs: tuple[float, float] | None,
) -> _Decided:
    if reference.prediction is None or current.prediction is None:
        return _Decided(None, None, None, None, None, (None, None))
    old, new = parts.predictions(reference), parts.predictions(current)
    are = bool(min(old.min(), new.min()) >= 0 and max(old.max(), new.max()) <= 1)
    given = None if threshold is None else checks.real(threshold, name="threshold")
    at = parts.cut(given, costs, probabilities=are)
    # Decisions are no probabilities, although they lie between 0 and 1.
    soft = are and not np.isin(np.concatenate([old, new]), (0, 1)).all()
    means = (float(old.mean()), float(new.mean())) if soft else (None, None)
    if at is None:
        return _Decided(None, None, None, None, None, means)
    before, now = parts.decisions(reference, at), parts.decisions(current, at)
    return _Decided(
        threshold=at,
        before=parts.counts(reference, before),
        now=parts.counts(current, now),
        flagged=now,
        probabilities=new if soft else None,
        means=means,
    )


def _labels_only(table: Features) -> Counts | None:
    """Labels without decisions: enough for the share of positives."""
    return parts.counts(table, np.zeros(table.n, np.bool_))


def _card(
    reference: Features,
    current: Features,
    *,
    predictors: tuple[CovariateDrift | None, str],
    decided: _Decided,
    shares: Shares,
    errors: tuple[Errors | None, str],
    alpha: float,
    notes: tuple[str, ...],
    question: dict[str, object],
) -> DriftCard:
    found, watched = predictors[0], errors[0]
    monitors = {} if watched is None else dict(watched.watch.monitors)
    told = _diagnosis(found, shares, monitors)
    moved = drift.moved(shares.labelled, shares.before)
    believed = not moved and "share of positives" in told.seen
    # Labels of now take the place of flags, and flags say nothing once rates have moved.
    by_flags = shares.labelled is None and "errors within a class" not in told.seen
    numbers = [
        *words.of_predictors(*predictors),
        *words.of_shares(
            shares,
            moved=None if shares.before is None else moved,
            believed=believed if by_flags else None,
        ),
        *words.of_precision(shares, decided.before, decided.now),
        *words.of_threshold(shares, refuted=bool(told.excluded)),
        *words.of_probabilities(*decided.means),
        *words.of_errors(watched, errors[1]),
    ]
    follows = moved or believed
    return DriftCard(
        guarantee=_guarantee(found),
        assumes=_assumes(found, shares, watched),
        n=reference.n + current.n,
        digest=hashlib.sha256(f"{reference.digest} {current.digest}".encode()).hexdigest(),
        notes=_notes(reference, current, notes, shares, told.notes),
        question=question,
        alpha=alpha,
        n_reference=reference.n,
        n_current=current.n,
        n_labelled=int(current.labelled.sum()),
        threshold=decided.threshold,
        features=words.of_features(found),
        numbers=tuple(numbers),
        seen=told.seen,
        excluded=told.excluded,
        told=(*told.says, *words.of_alarms(None if watched is None else watched.watch)),
        consequences=words.of_consequences(shares) if follows and not told.excluded else (),
        path={
            name: {"log_evidence": path, "limit": monitors[name].limit}
            for name, path in ({} if watched is None else watched.path).items()
        },
    )


def _diagnosis(
    found: CovariateDrift | None, shares: Shares, monitors: Mapping[str, Monitor]
) -> Diagnosis:
    """What all parts say together; a share of now says of a move only beside one of before."""
    known = shares.before is not None and (shares.flags or shares.labelled)
    return drift.diagnose(
        covariates=found,
        share=shares.flags if known else None,
        labelled=shares.labelled if known else None,
        prevalence=shares.before if known else None,
        errors=monitors.get("errors"),
        positives=monitors.get("positives"),
        negatives=monitors.get("negatives"),
    )


def _guarantee(found: CovariateDrift | None) -> Guarantee:
    """The weakest word: findings on the share are exact, and those on errors hold at any time."""
    asymptotic = found is not None and found.guarantee == "asymptotic"
    return "asymptotic" if asymptotic else "finite-sample"


def _assumes(
    found: CovariateDrift | None, shares: Shares, errors: Errors | None
) -> tuple[str, ...]:
    told: list[str] = list(found.assumes) if found is not None else []
    if shares.flags is not None:
        told += shares.flags.assumes
    if shares.labelled is not None:
        told.append("labelled rows of now are drawn as rows of now come")
    if shares.before is not None and not isinstance(shares.before, float):
        told.append("labelled rows of before are drawn as rows came then, and chose nothing")
    if shares.consequences is not None and shares.consequences.threshold is not None:
        told.append("for the threshold: probabilities were calibrated before")
    if errors is not None:
        told += errors.watch.assumes
    return tuple(dict.fromkeys(told))


def _notes(
    reference: Features,
    current: Features,
    columns: tuple[str, ...],
    shares: Shares,
    left_open: tuple[str, ...],
) -> tuple[str, ...]:
    told = [*reference.notes, *current.notes, *columns]
    for part in (shares.flags, shares.likelihood):
        told += [] if part is None else part.notes
    if shares.likelihood is not None:
        told.append(
            "NF296: the share by probabilities assumes that they were calibrated before, and its "
            "limits take the share of before as known (asymptotic); no finding rests on it."
        )
    gaps = current.n - int(current.labelled.sum())
    if current.label is not None and gaps:
        told.append(
            f"NF296: {gaps} of {current.n} rows of now have no label; what labels say is said of "
            "the others."
        )
    return tuple(dict.fromkeys([*told, *left_open]))
