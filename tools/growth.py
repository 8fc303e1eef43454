"""Time the main kernels and questions over their sizes, and write what the documentation shows.

python tools/growth.py          times to docs/data/growth.csv, then the page; some minutes
python tools/growth.py page     table and picture of docs/explanation/growth.md from that file
"""

import os
import sys
from pathlib import Path

from threadpoolctl import threadpool_limits

from nofluke.studies import coverage_tables, growth
from nofluke.studies.growth_subjects import SUBJECTS

DOCS = Path(__file__).parents[1] / "docs"
DATA = DOCS / "data" / "growth.csv"
PAGE = DOCS / "explanation" / "growth.md"


def measure():
    """Times of all subjects, as they come."""
    os.environ["NOFLUKE_CACHE"] = ""  # what is solved is solved again
    with threadpool_limits(limits=1):
        for subject in SUBJECTS:
            for point in growth.curve(subject):
                print(*point, flush=True)  # noqa: T201 (somebody waits)
                yield point


def write_page():
    """The table and the picture, from the file."""
    measured = growth.load(DATA)
    text = PAGE.read_text(encoding="utf-8")
    filled = coverage_tables.filled(text, {"growth": growth.table(measured)})
    PAGE.write_text(filled, encoding="utf-8")
    PAGE.with_suffix(".svg").write_text(growth.picture(measured), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["page"]:
        growth.save(DATA, list(measure()))
    write_page()
