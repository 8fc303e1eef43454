"""A figure as SVG text: the same bytes each time, safe to put into a page, readable aloud."""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from html import escape
from typing import TYPE_CHECKING, Any

from nofluke.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SETTINGS: Any = {"svg.hashsalt": "nofluke", "svg.fonttype": "none", "svg.image_inline": True}


def svg(ax_or_figure: Axes | Figure) -> str:
    """The picture as an SVG element, without date or programme, text kept as text.

    Title and description for screen readers are the title and the label of the axes.

    Args:
        ax_or_figure: What a drawing function returned, or its figure.

    Returns:
        One ``<svg role="img">`` element. Its ids begin with a hash of its content, so that
        several pictures can stand in one page.
    """
    figure = _figure(ax_or_figure)
    title, told = _words(figure)
    text = _element(_saved(figure))
    mark = "nf" + hashlib.sha256((text + title + told).encode()).hexdigest()[:10]
    text = _own_ids(text, mark)
    head = f'role="img" aria-labelledby="{mark}-title {mark}-desc"'
    words = (
        f'<title id="{mark}-title">{escape(title)}</title>'
        f'<desc id="{mark}-desc">{escape(told)}</desc>'
    )
    return re.sub(r"<svg ([^>]*)>", lambda m: f"<svg {head} {m[1]}>\n{words}", text, count=1)


def _figure(ax_or_figure: Axes | Figure) -> Figure:
    from matplotlib.figure import Figure

    if isinstance(ax_or_figure, Figure):
        return ax_or_figure
    figure = ax_or_figure.get_figure(root=True)
    if figure is None:
        raise ValueError("these axes were removed from their figure")
    return figure


def _saved(figure: Figure) -> str:
    import matplotlib as mpl

    stream = io.StringIO()
    nobody = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
        # The reader's own fonts draw the text, whatever glyphs are missing here.
        warnings.filterwarnings("ignore", message="(?s)Glyph .* missing from")
        figure.savefig(stream, format="svg", metadata=nobody)
    return stream.getvalue()


def _words(figure: Figure) -> tuple[str, str]:
    titles = [ax.get_title(loc="left") or ax.get_title() for ax in figure.axes]
    told = [str(ax.get_label()) for ax in figure.axes]
    return (
        visible("; ".join(t.replace("\n", ": ") for t in titles if t)) or "Picture",
        visible(" ".join(t for t in told if t)),
    )


def _element(text: str) -> str:
    """The svg element alone: no XML prologue, comments, or style rules for the whole page."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'<style type="text/css">.*?</style>', "", text, flags=re.DOTALL)
    text = re.sub(r'\sxmlns:xlink="[^"]*"', "", text.replace("xlink:href=", "href="))
    # What that style rule said, for this element only.
    return text.replace("<svg ", '<svg stroke-linejoin="round" stroke-linecap="butt" ', 1)


def _own_ids(text: str, mark: str) -> str:
    """Ids that are referred to get the mark of this picture; the others go."""
    used = set(re.findall(r"(?:url\(#|href=\"#)([^\")]+)", text))

    def renamed(match: re.Match[str]) -> str:
        return f' id="{mark}-{match[1]}"' if match[1] in used else ""

    text = re.sub(r'\sid="([^"]*)"', renamed, text)
    return re.sub(r"(url\(#|href=\"#)([^\")]+)", rf"\g<1>{mark}-\g<2>", text)
