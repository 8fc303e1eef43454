"""What squared loss is made of: noise, bias, and variance over training sets and over seeds."""

from __future__ import annotations

import hashlib
import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke.classify import rows as labelled
from nofluke.errors import InputError
from nofluke.kernels import risk_parts as kernel
from nofluke.selection.risk_answers import Part, RiskParts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

#: Below this share of the risk a part is rounding.
_NONE: Final = 1e-12
#: Largest size of a value: sums of its squares are finite.
_LARGEST: Final = 1e150
#: Training sets (and seeds that they share) for a standard error, and for a good one.
_LEAST: Final = 3
_GOOD: Final = 10

_REASONS: Final = {
    "auc": (
        "the area under the ROC curve compares rows with each other and is no mean of a loss over "
        "rows; decompose() tells seeds and rows apart for areas"
    ),
    "log_loss": (
        "log loss has a decomposition of its own, about a normalised geometric mean of predictions "
        "(Heskes 1998), and not these parts; they are of squared loss, of which the Brier score "
        "is one"
    ),
    "zero_one": (
        "for errors counted as 0 or 1 several definitions compete, and where the main prediction "
        "is wrong variance makes the error smaller (Domingos 2000; James 2003), so that parts do "
        "not add up"
    ),
}
_ALIASES: Final = {
    "roc_auc": "auc",
    "neg_log_loss": "log_loss",
    "cross_entropy": "log_loss",
    "0-1": "zero_one",
    "accuracy": "zero_one",
    "error": "zero_one",
}
_SQUARED: Final = ("squared", "brier", "mse", "neg_mean_squared_error", "neg_brier_score")


def noise_bias_variance(
    predictions: ArrayLike,
    targets: ArrayLike,
    *,
    shared_seeds: bool,
    noise: ArrayLike | None = None,
    noiseless: bool = False,
    clusters: ArrayLike | None = None,
    loss: str = "squared",
) -> RiskParts:
    """Squared loss as noise + bias^2 + variance, the variance over training sets and over seeds.

    For a row with mean target mu and predictions f(D, U), E (y - f)^2 = Var y + (mu - E f)^2 +
    Var_D E_U f + E_D Var_U f. Each part is estimated without bias and averaged over rows, and they
    add up to the mean loss over all runs, targets and rows. The naive bias^2, (mean target - mean
    prediction)^2, is too large by the variance of these means: it is corrected, so that a small
    one may come out below 0 (NF291). Nothing is clipped.

    From one target for each row noise and bias^2 cannot be told apart and come as a sum (NF292);
    several targets of each row, or a noise that is known, tell them apart.

    Args:
        predictions: Of the same rows by models of different training sets and seeds, shape
            (sets, seeds, n), or (sets, n) with one seed of each. At least two training sets.
        targets: Shape (n,), or (targets, n) where each row was measured several times,
            independently. For classes 0 and 1 predictions are probabilities of 1 (Brier score).
        shared_seeds: True if seed k is the same for every training set; False if each training
            set has seeds of its own. What is left in the mean prediction differs between the two.
        noise: Variance of a target about its mean, where it is known: a number or shape (n,).
            With one target for each row only.
        noiseless: Whether ``targets`` are their means themselves, as in a simulation; ``noise`` is
            then what new targets would add, 0 by default.
        clusters: Shape (n,), where rows depend on each other (one patient): standard errors then
            count clusters.
        loss: "squared" (the Brier score is one); others have no such parts and are refused with
            the reason.

    Raises:
        InputError: Predictions, targets or noise that cannot be used (NF290); another loss (NF293);
            clusters that cannot be used (NF052).

    Source: Geman, Bienenstock & Doursat 1992; the law of total variance; components of variance
    by the analysis of variance, nested or crossed. Standard errors: rows as independent draws, and
    the jackknife over training sets, which errs to the large side (Efron & Stein 1981).

    >>> f = [[[1.0, 2.0], [1.2, 2.4]], [[1.4, 2.6], [1.4, 2.2]], [[0.8, 2.1], [1.0, 2.3]]]
    >>> found = noise_bias_variance(f, [[1.0, 2.0], [1.2, 2.4]], shared_seeds=False)
    >>> [(p.part, round(p.estimate, 4)) for p in found.parts[:3]]
    [('risk', 0.0717), ('noise', 0.05), ('bias^2', -0.035)]
    >>> round(found["bias^2"].naive, 4), found.notes[0][:41]
    (0.0028, 'NF291: estimated below 0: bias^2 (-0.035)')
    """
    _squared(loss)
    f, y = _predictions(predictions), _targets(targets)
    known = _noise(noise, y, noiseless=noiseless)
    _fit(f, y, shared=shared_seeds)
    codes = None if clusters is None else labelled.cluster_codes(clusters, f.shape[2])
    if codes is not None and not codes.any():
        raise InputError("one cluster; standard errors need two at least.", code="NF290")
    taken_apart = partial(
        kernel.parts, y=y, shared=bool(shared_seeds), noise=known, noiseless=noiseless
    )
    found = taken_apart(f)
    parts = _parts(found, _without(f, taken_apart, axes=(0, 1) if shared_seeds else (0,)), codes)
    return RiskParts(
        guarantee="asymptotic" if any(p.se is not None for p in parts) else "descriptive",
        assumes=_assumes(shared=shared_seeds, clusters=codes is not None, targets=len(y)),
        n=f.shape[2],
        digest=_digest(f, y, known, codes),
        notes=_notes(parts, f, y, shared=shared_seeds, known=found.noise is not None),
        question={
            "loss": "squared",
            "shared_seeds": bool(shared_seeds),
            "noise": _from(known, y, noiseless=noiseless),
            "clusters": codes is not None,
        },
        n_sets=f.shape[0],
        n_seeds=f.shape[1],
        n_targets=y.shape[0],
        shared_seeds=bool(shared_seeds),
        parts=parts,
    )


def _squared(loss: str) -> None:
    name = str(loss).lower()
    if name in _SQUARED:
        return
    why = _REASONS.get(
        _ALIASES.get(name, name), "these parts are those of squared loss and of no other"
    )
    raise InputError(
        f"loss={loss!r} is not noise + bias^2 + variance: {why}. Use loss='squared', on "
        "probabilities for two classes, or leave it out.",
        code="NF293",
    )


def _array(values: ArrayLike, *, what: str) -> NDArray[np.float64]:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{what} are no rectangular table of numbers ({error}).", code="NF290"
        ) from None
    if found.size == 0 or not np.isfinite(found).all():
        bad = "are empty" if found.size == 0 else "hold NaN or infinities"
        raise InputError(
            f"{what} {bad}; leave out the rows (or the whole training set) that have none.",
            code="NF290",
        )
    if np.abs(found).max() > _LARGEST:
        raise InputError(
            f"{what} hold values beyond {_LARGEST:g}, whose squares are no numbers; take another "
            "unit.",
            code="NF290",
        )
    return found


def _predictions(values: ArrayLike) -> NDArray[np.float64]:
    f = _array(values, what="predictions")
    if f.ndim == 2:
        f = f[:, np.newaxis]
    if f.ndim != 3 or f.shape[0] < 2:
        raise InputError(
            f"predictions have shape {np.shape(values)}; expected (sets, seeds, n), or (sets, n), "
            "with at least two training sets: one shows no variance over them.",
            code="NF290",
        )
    return f


def _targets(values: ArrayLike) -> NDArray[np.float64]:
    y = _array(values, what="targets")
    if y.ndim == 1:
        y = y[np.newaxis]
    if y.ndim != 2:
        raise InputError(
            f"targets have shape {y.shape}; expected (n,), or (targets, n) where rows were "
            "measured several times.",
            code="NF290",
        )
    return y


def _fit(f: NDArray[np.float64], y: NDArray[np.float64], *, shared: bool) -> None:
    if f.shape[2] != y.shape[1]:
        raise InputError(
            f"{y.shape[1]} rows of targets and {f.shape[2]} of predictions; give both for the same "
            "rows, rows last.",
            code="NF290",
        )
    if f.shape[2] < 2:
        raise InputError("one row; standard errors need two at least.", code="NF290")
    if not isinstance(shared, bool | np.bool_):
        raise InputError(
            f"shared_seeds={shared!r}: say True if seed k is the same for every training set, or "
            "False if each has seeds of its own.",
            code="NF290",
        )
    if shared and f.shape[1] == 1:
        raise InputError(
            "shared_seeds=True with one seed: everything is then given this one seed, and how "
            "seeds differ is not in the data. Give several seeds, or False if each training set "
            "has a seed of its own.",
            code="NF290",
        )


def _noise(
    noise: ArrayLike | None, y: NDArray[np.float64], *, noiseless: bool
) -> NDArray[np.float64] | None:
    R, n = y.shape
    if R > 1 and (noise is not None or noiseless):
        raise InputError(
            f"{R} targets of each row show the noise, and noise= or noiseless= says what it is; "
            "give one of the two.",
            code="NF290",
        )
    if noise is None:
        return np.zeros(n) if noiseless else None
    found = _array(noise, what="noise")
    if found.shape not in ((), (n,)) or (found < 0).any():
        raise InputError(
            f"noise has shape {found.shape}, least {found.min():g}; expected variances of at least "
            f"0, one number or shape ({n},).",
            code="NF290",
        )
    return np.asarray(np.broadcast_to(found, (n,)))


def _per_row(found: kernel.Parts) -> dict[str, NDArray[np.float64] | None]:
    return {
        "risk": found.risk,
        "noise": found.noise,
        "bias^2": found.bias,
        "noise + bias^2": found.noise_and_bias,
        "variance": found.spread.total,
        "training sets": found.spread.of_sets,
        "seeds": found.spread.of_seeds,
    }


def _mean(values: NDArray[np.float64]) -> float:
    return math.fsum(values) / values.size


def _without(
    f: NDArray[np.float64],
    taken_apart: Callable[[NDArray[np.float64]], kernel.Parts],
    *,
    axes: tuple[int, ...],
) -> list[list[dict[str, float]]]:
    """For each way in which runs are drawn, the mean parts without each of its members."""
    told = []
    for axis in axes:
        m = f.shape[axis]
        left = [taken_apart(np.delete(f, i, axis=axis)) for i in range(m if m >= _LEAST else 0)]
        told.append([{k: _mean(v) for k, v in _per_row(p).items() if v is not None} for p in left])
    return told


def _parts(
    found: kernel.Parts,
    without: list[list[dict[str, float]]],
    codes: NDArray[np.int64] | None,
) -> tuple[Part, ...]:
    naive = {
        "bias^2": None if found.bias is None else _mean(found.naive_bias),
        "noise + bias^2": _mean(found.noise_and_bias + found.spread.of_mean),
        "variance": _mean(found.spread.naive),
    }
    told = []
    for name, values in _per_row(found).items():
        if values is None:
            told.append(Part(part=name, **dict.fromkeys(_NUMBERS)))
            continue
        # Targets do not depend on the runs.
        left = [] if name == "noise" else [[one[name] for one in way] for way in without]
        error = kernel.error(values, left, codes)
        told.append(
            Part(
                part=name,
                estimate=_mean(values),
                se=_finite(error.whole),
                se_rows=_finite(error.rows),
                se_runs=_finite(error.runs),
                naive=naive.get(name),
            )
        )
    return tuple(told)


_NUMBERS: Final = ("estimate", "se", "se_rows", "se_runs", "naive")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _assumes(*, shared: bool, clusters: bool, targets: int) -> tuple[str, ...]:
    said = [
        "Training sets are independent draws of one size, none of which holds a row that is "
        "predicted. Of training sets that share rows the variance comes out too small.",
        "Seeds are independent draws, the same for all training sets."
        if shared
        else "Seeds are independent draws, others for each training set.",
        f"{'Clusters' if clusters else 'Rows'} are independent draws.",
    ]
    if targets > 1:
        said.append("The targets of a row are independent measurements of it.")
    return tuple(said)


def _from(
    known: NDArray[np.float64] | None, y: NDArray[np.float64], *, noiseless: bool
) -> str | None:
    """Where the noise is known from."""
    if noiseless:
        return "truth"
    return "given" if known is not None else "targets" if len(y) > 1 else None


def _digest(*arrays: NDArray[Any] | None) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(b"none" if array is None else repr(array.shape).encode() + array.tobytes())
    return digest.hexdigest()


def _notes(
    parts: tuple[Part, ...],
    f: NDArray[np.float64],
    y: NDArray[np.float64],
    *,
    shared: bool,
    known: bool,
) -> tuple[str, ...]:
    D, U, _ = f.shape
    notes = []
    least = -_NONE * abs(parts[0].estimate or 0.0)
    low = [f"{p.part} ({p.estimate:.3g})" for p in parts if (p.estimate or 0.0) < least]
    if low:
        notes.append(
            f"NF291: estimated below 0: {', '.join(low)}. An estimate without bias of something "
            "near 0 may be; it is shown as it is, since parts that are cut at 0 neither add up nor "
            "are right on average."
        )
    if not known:
        notes.append(
            f"NF292: noise and bias^2 are given as a sum: {len(y)} target for each row does not "
            "tell a noisy target from a prediction that is wrong on average. Several independent "
            "targets of each row, or noise=, tell them apart."
        )
    if U == 1:
        notes.append(
            "NF292: the variance over training sets and the one over seeds are given as a sum: "
            "each training set has one seed. Two or more seeds of each tell them apart."
        )
    drawn = {"training sets": D, **({"seeds": U} if shared else {})}
    few = [f"{m} {what}" for what, m in drawn.items() if m < _LEAST]
    if few:
        notes.append(
            f"NF294: {' and '.join(few)} show no standard error of what depends on them; at least "
            f"{_LEAST} are needed, and {_GOOD} or more to rely on it."
        )
    elif D < _GOOD:
        notes.append(
            f"NF294: {D} training sets; a standard error from so few is rough. {_GOOD} or more are "
            "better, and more seeds of each are no substitute."
        )
    return tuple(notes)
