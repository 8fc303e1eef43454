"""Run the coverage studies of a classifier's numbers, and write what the documentation shows.

    python tools/classifier_intervals.py STUDY [REPEATS]   to docs/data/coverage-STUDY.csv
    python tools/classifier_intervals.py page              tables and figure from those files

STUDY is areas, precisions, elsewhere, clusters or predictive; together they take half an hour.
"""

import sys
from functools import partial
from pathlib import Path

from nofluke import workers
from nofluke.studies import classifier_intervals as studies
from nofluke.studies import coverage_tables

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "explanation" / "intervals-for-auc.md"
REPEATS = {"areas": 2500, "precisions": 400, "elsewhere": 300, "clusters": 1000, "predictive": 0}


def run(study, repeats):
    """Every setting of a study."""
    if study == "areas":
        measure, pieces = studies.area_coverage, [(s,) for s in studies.AREA_SETTINGS]
    elif study == "precisions":
        measure, pieces = studies.precision_coverage, [(s,) for s in studies.PRECISION_SETTINGS]
    elif study == "elsewhere":
        measure, pieces = elsewhere, studies.ELSEWHERE_SETTINGS
    elif study == "clusters":
        measure, pieces = studies.cluster_coverage, [(s,) for s in studies.CLUSTER_SETTINGS]
    else:
        measure, pieces = studies.predictive_coverage, [(s,) for s in studies.PREDICTIVE_SETTINGS]
    how = {"prevalence": 0.01} if study == "predictive" else {"repeats": repeats}
    with workers.on():  # a setting draws from a generator of its own
        parts = list(workers.each(partial(measure, **how), pieces))
    return [row for part in parts for row in part]


def elsewhere(setting, prevalence, *, repeats):
    """Precision at another prevalence than that of the rows."""
    return studies.precision_coverage(setting, prevalence=prevalence, repeats=repeats)


def write_page():
    """The tables and the figure, from the files of all studies."""
    rows = {s: coverage_tables.load(DOCS / "data" / f"coverage-{s}.csv") for s in REPEATS}
    text = PAGE.read_text(encoding="utf-8")
    filled = coverage_tables.filled(text, coverage_tables.of_page(rows))
    PAGE.write_text(filled, encoding="utf-8")
    picture = coverage_tables.figure(
        rows["areas"], title="Coverage of intervals for the area under the ROC curve"
    )
    PAGE.with_suffix(".svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    name, *repeats = sys.argv[1:]
    if name == "page":
        write_page()
    else:
        found = run(name, int(repeats[0]) if repeats else REPEATS[name])
        coverage_tables.save(DOCS / "data" / f"coverage-{name}.csv", found)
