"""Write the pages of docs/reference that are made from the code: `make reference`."""

from __future__ import annotations

import sys

from made_pages import REFERENCE, made

for name, text in made().items():
    (REFERENCE / name).write_text(text, "utf-8")
sys.stdout.write(f"{REFERENCE} is written: {', '.join(made())}.\n")
