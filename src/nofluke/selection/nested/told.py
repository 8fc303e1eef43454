"""Predictions that were made once, as an estimator that a scorer can ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nofluke.selection.repeats.single import n_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How a fitted estimator may be asked.
WAYS = ("predict", "predict_proba", "decision_function")


class Told:
    """Answers with the predictions it was given, whatever the features.

    Scorers ask an estimator and not an array. With this one they score rows of several models
    together, or decisions at a threshold, and nobody needs to know which predictions a scorer
    wants.

    Args:
        like: The estimator whose kind (classifier, regressor) this one has.
        classes: Labels in the order of the columns; None for a regressor.
        outputs: Predictions by the way in which they are asked for.
    """

    def __init__(
        self, like: Any, classes: NDArray[Any] | None, outputs: Mapping[str, NDArray[Any]]
    ) -> None:
        self._like = like
        self._outputs = dict(outputs)
        if classes is not None:
            self.classes_ = classes

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        return get_tags(self._like)

    def __getattr__(self, name: str) -> Callable[[Any], NDArray[Any]]:
        outputs: dict[str, Any] = self.__dict__.get("_outputs", {})
        if name not in outputs:
            raise AttributeError(f"predictions of the kind {name} were not kept")

        def answer(X: Any) -> NDArray[Any]:
            if n_rows(X) != len(outputs[name]):
                raise ValueError(f"{len(outputs[name])} predictions were kept, not {n_rows(X)}")
            return np.asarray(outputs[name])

        answer.__name__ = name  # scorers look at it
        return answer


def asked(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    """What a fitted model says of some rows, in every way that gives one array."""
    found = {}
    for way in WAYS:
        if hasattr(model, way):
            said = getattr(model, way)(X)
            if not isinstance(said, list):  # several outputs have a list of probabilities
                found[way] = np.asarray(np.asarray(said).tolist())
    return found


def scores_of(outputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float64] | None:
    """One number for each row, higher for the positive class; None where there is none."""
    p = outputs.get("predict_proba")
    if p is not None and p.ndim == 2 and p.shape[1] == 2:
        return np.asarray(p[:, 1], np.float64)
    d = outputs.get("decision_function")
    return np.asarray(d, np.float64) if d is not None and d.ndim == 1 else None


def decided(
    classes: NDArray[Any], scores: NDArray[np.float64], threshold: float
) -> dict[str, NDArray[Any]]:
    """Decisions at a threshold: the second class where the score reaches it."""
    return {"predict": np.asarray(classes.tolist())[(scores >= threshold).astype(np.intp)]}


def together(parts: Sequence[Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The outputs of several folds, one after the other, in the ways that all of them have."""
    ways = [w for w in parts[0] if all(w in p for p in parts)]
    joined = {}
    for way in ways:
        shapes = {p[way].shape[1:] for p in parts}
        if len(shapes) == 1:
            joined[way] = np.concatenate([p[way] for p in parts])
    return joined
