"""What notebooks show: anything that is an answer, a table or a number with its limits, as HTML."""

from __future__ import annotations

from typing import Any


class Shown:
    """Something that a notebook shows as HTML that is complete in itself.

    The two stairs that go up start here: a page and a picture are made when somebody looks, and
    what is looked at knows nothing of either.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        from nofluke.report import body

        return body(self)


class Drawn(Shown):
    """Something that has a picture as well, or says what it has instead of one."""

    __slots__ = ()

    def plot(self, ax: Any = None) -> Any:
        """Draw this on Matplotlib axes (new ones by default) and return them.

        Raises:
            InputError: There is no picture of this kind of thing; the text names what there is.
        """
        from nofluke.plots import draw

        return draw(self, ax=ax)
