"""Draw docs/pictures: `make pictures`."""

from __future__ import annotations

import sys

from drawn_pictures import PICTURES, drawn

for name, svg in drawn().items():
    (PICTURES / name).write_text(svg, "utf-8")
sys.stdout.write(f"{PICTURES} is drawn: {', '.join(drawn())}.\n")
