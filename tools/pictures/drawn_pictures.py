"""The files of docs/pictures, by name."""

from __future__ import annotations

from pathlib import Path

import draw_certificate
import draw_storeys
import draw_width

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


def drawn() -> dict[str, str]:
    """Each file as it should be."""
    house, *rooms = draw_storeys.contracts()
    return {
        "certificate.svg": draw_certificate.drawn(),
        "width.svg": draw_width.drawn(),
        "storeys.svg": draw_storeys.drawn(house),
        "keeper-storeys.svg": draw_storeys.drawn(*rooms),
    }
