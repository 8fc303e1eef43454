"""pandas: ``df.nofluke.read(...)`` and ``df.nofluke.predictions(...)``, once this is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nofluke.errors import MissingExtra
from nofluke.scores.readers import read
from nofluke.scores.readers.predictions import read_predictions

if TYPE_CHECKING:
    from nofluke.scores.predictions import Predictions
    from nofluke.scores.table import Scores

try:
    import pandas as pd
except ImportError:
    raise MissingExtra("df.nofluke needs pandas: pip install pandas.", code="NF099") from None


@pd.api.extensions.register_dataframe_accessor("nofluke")
class Accessor:
    """What a data frame can be read as.

    >>> import pandas as pd
    >>> import nofluke.integrations.pandas
    >>> frame = pd.DataFrame({"model": ["a", "b"], "id": ["x", "x"], "accuracy": [1.0, 0.5]})
    >>> frame.nofluke.read().candidates
    ('a', 'b')
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def read(self, **how: Any) -> Scores:
        """The scores in it; see ``nofluke.read``."""
        return read(self._frame, **how)

    def predictions(self, **how: Any) -> Predictions:
        """The predictions in it; see ``nofluke.read_predictions``."""
        return read_predictions(self._frame, **how)
