"""Several monitors under one error level: all errors, those of positives, those of negatives."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nofluke import checks
from nofluke.drift.concept import ODDS, Monitor, monitor
from nofluke.errors import InputError
from nofluke.results import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from nofluke.results import Row

NAMES: Final = ("errors", "positives", "negatives")
_KIND, _SCHEMA = "drift-watch", 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Watch:
    """Monitors that are fed by the same batches; ``add`` gives the next one and changes nothing.

    Attributes:
        monitors: Those of "errors" (all rows), "positives" (missed ones) and "negatives" (false
            alarms) that have a reference; each counts the batches in which it had rows.
        alpha: The probability that any of them ever has an alarm without drift.
        batches: Batches seen.
        n: Rows seen.
        alarms: The batch of the first alarm of each monitor that had one, from 1.
    """

    monitors: Mapping[str, Monitor]
    alpha: float
    batches: int = 0
    n: int = 0
    alarms: Mapping[str, int]

    @property
    def alarm(self) -> int | None:
        """The batch of the first alarm of any monitor; None if there was none."""
        return min(self.alarms.values(), default=None)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What must be true for the promise."""
        return tuple(dict.fromkeys(a for m in self.monitors.values() for a in m.assumes))

    def add(
        self,
        errors: ArrayLike,
        *,
        positive: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
    ) -> Watch:
        """The watch after one more batch, of any size.

        Args:
            errors: 1 for each wrong row and 0 for each right one, or losses in [0, 1], shape (n,).
            positive: Whether each row is positive, shape (n,); needed by the monitors of classes.
            clusters: The cluster of each row, shape (n,): each cluster counts as one draw, its
                mean in place of its rows.

        Raises:
            InputError: Values outside [0, 1], other lengths, or no ``positive`` where it is needed,
                or one that is not true or false.
        """
        x = checks.sample(errors, name="errors")
        y = _beside(positive, x.size, "positive")
        groups = _beside(clusters, x.size, "clusters")
        if y is None and set(self.monitors) - {"errors"}:
            raise InputError(
                "positive= is missing; monitors of positives and negatives need it.", code="NF008"
            )
        everything = np.ones(x.size, np.bool_)
        of_class = everything if y is None else _truth(y)
        parts = {"errors": everything, "positives": of_class, "negatives": ~of_class}
        after, batches = dict(self.monitors), self.batches + 1
        alarms = dict(self.alarms)
        for name, found in self.monitors.items():
            mine = parts[name]
            if mine.any():
                after[name] = found.add(_draws(x[mine], None if groups is None else groups[mine]))
            if after[name].alarm is not None:
                alarms.setdefault(name, batches)
        return replace(self, monitors=after, batches=batches, n=self.n + x.size, alarms=alarms)

    def rows(self) -> list[Row]:
        """One row for each monitor."""
        return [
            {
                "what": name,
                "reference": m.reference,
                "n": m.n,
                "errors": m.errors,
                "evidence": m.evidence,
                "peak": m.peak,
                "limit": m.limit,
                "pvalue": m.pvalue,
                "alarm": self.alarms.get(name),
            }
            for name, m in self.monitors.items()
        ]

    def to_json(self) -> str:
        """The state as JSON text, from which ``from_json`` goes on to the last bit."""
        return json.dumps(
            {
                "kind": _KIND,
                "schema": _SCHEMA,
                "alpha": self.alpha,
                "batches": self.batches,
                "n": self.n,
                "alarms": dict(self.alarms),
                "monitors": {name: _saved(m) for name, m in self.monitors.items()},
            }
        )

    @staticmethod
    def from_json(text: str) -> Watch:
        """The watch that was saved.

        Raises:
            InputError: The text is not the state of a watch (NF297).

        >>> begun = watch(errors=0.1).add([1, 0, 0])
        >>> Watch.from_json(begun.to_json()).add([1]).rows() == begun.add([1]).rows()
        True
        """
        try:
            saved = json.loads(text)
            if (saved["kind"], saved["schema"]) != (_KIND, _SCHEMA):
                raise ValueError(f"kind {saved['kind']!r}, schema {saved['schema']!r}")
            return Watch(
                monitors={checks.choice(k, NAMES, name="monitor"): _restored(v)
                          for k, v in saved["monitors"].items()},
                alpha=checks.fraction(saved["alpha"], name="alpha"),
                batches=checks.whole(saved["batches"], name="batches", least=0),
                n=checks.whole(saved["n"], name="n", least=0),
                alarms={k: checks.whole(v, name="alarm") for k, v in saved["alarms"].items()},
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"this is not the state of a watch for drift ({type(error).__name__}: {error}); "
                "name another file, or begin afresh.",
                code="NF297",
            ) from None


def watch(
    *,
    errors: float | tuple[int, int] | Interval | None = None,
    positives: float | tuple[int, int] | Interval | None = None,
    negatives: float | tuple[int, int] | Interval | None = None,
    alpha: float = 0.05,
) -> Watch:
    """Monitors of the error rate, over all rows and within each class, that may run for ever.

    Each that has a reference gets an equal share of the error level, so that without drift any of
    them ever has an alarm with probability at most ``alpha``, however often one looks and however
    unequal the batches are: where a batch ends may depend on all that was seen by then. See
    ``monitor``.

    Args:
        errors: The reference of all rows: a rate, (k, n), or an interval with an upper limit at
            less than its share of the error level.
        positives: The share of positives that are missed.
        negatives: The share of negatives that are flagged.
        alpha: The probability that there is ever an alarm without drift.

    Raises:
        InputError: No reference at all, or one that cannot be used.

    >>> watched = watch(positives=(10, 100), negatives=0.05)
    >>> watched = watched.add([1, 1, 1, 1, 0, 0], positive=[1, 1, 1, 1, 0, 0])
    >>> watched.alarm, watched.add([1] * 8, positive=[1] * 8).alarms
    (None, {'positives': 2})
    """
    given = {
        name: reference
        for name, reference in zip(NAMES, (errors, positives, negatives), strict=True)
        if reference is not None
    }
    if not given:
        raise InputError("watch() needs a reference to compare with.", code="NF008")
    error = checks.fraction(alpha, name="alpha")
    return Watch(
        monitors={k: monitor(reference=v, alpha=error / len(given)) for k, v in given.items()},
        alpha=error,
        alarms={},
    )


def _beside(values: ArrayLike | None, n: int, name: str) -> NDArray[Any] | None:
    if values is None:
        return None
    found = np.asarray(values)
    if found.shape != (n,):
        raise InputError(f"{name} has shape {found.shape}; expected ({n},).", code="NF008")
    return found


def _truth(positive: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows are positive; labels of other kinds would all count as true."""
    known = np.isin(positive, (0, 1))
    if not known.all():
        raise InputError(
            f"positive= holds {positive[~known].tolist()[0]!r}; expected True or False (1 or 0) "
            "for each row, such as labels == 1.",
            code="NF008",
        )
    return np.asarray(positive.astype(np.bool_))


def _draws(x: NDArray[np.float64], clusters: NDArray[Any] | None) -> NDArray[np.float64]:
    """Rows, or the mean of each cluster in the order in which clusters begin."""
    if clusters is None:
        return x
    _, first, codes = np.unique(clusters, return_index=True, return_inverse=True)
    means = np.bincount(codes, weights=x) / np.bincount(codes)
    return np.asarray(np.minimum(means, 1.0)[np.argsort(first)])


def _saved(found: Monitor) -> dict[str, Any]:
    told = {f.name: getattr(found, f.name) for f in fields(found)}
    # Before the first batch no wealth is at stake, and JSON has no infinities.
    wealth = [None if math.isinf(w) else w for w in found.log_wealth.tolist()]
    return {**told, "log_wealth": wealth, "assumes": list(found.assumes)}


def _restored(saved: Mapping[str, Any]) -> Monitor:
    wealth = np.array([-math.inf if w is None else float(w) for w in saved["log_wealth"]])
    if wealth.shape != (len(ODDS),):
        raise ValueError(f"{wealth.size} bets")
    names = ("reference", "alpha", "limit", "taken", "errors", "evidence", "peak")
    told: dict[str, Any] = {name: checks.real(saved[name], name=name) for name in names}
    for name in ("batches", "n"):
        told[name] = checks.whole(saved[name], name=name, least=0)
    if saved["alarm"] is not None:
        told["alarm"] = checks.whole(saved["alarm"], name="alarm")
    return Monitor(
        **told,
        log_wealth=wealth,
        assumes=tuple(map(str, saved["assumes"])),
        guarantee=str(saved["guarantee"]),
    )
