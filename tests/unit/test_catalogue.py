"""Every claim of the sources is measured or shown somewhere, and the somewhere is there."""

import importlib
import json
import re
from pathlib import Path

import pytest

from nofluke.studies import STUDIES, catalogue, claims

ROOT = Path(__file__).parents[2]
FEATURES = catalogue.features()


def test_every_claim_stands_somewhere():
    assert catalogue.missing() == []
    assert sum(catalogue.HOW_MANY.values()) == 252


def test_the_claims_are_those_of_the_sources(shared):
    path = shared / "claims.json"
    if not path.is_file():
        pytest.skip("the claims of the sources are not beside the project")
    wanted = [entry["id"] for entry in json.loads(path.read_text("utf-8"))]
    there = {catalogue.number(line.id) for line in catalogue.lines()}
    absent = [one for one in wanted if one not in there]

    assert len(wanted) == len(set(wanted)) == 252
    assert not absent, f"{len(absent)} of {len(wanted)} claims stand nowhere: {absent}"


def test_no_claim_stands_twice_with_two_verdicts():
    ids = [claim.id for study in STUDIES.values() for claim in claims.read(study.package)]
    assert len(ids) == len(set(ids))
    named = [feature.id for feature in FEATURES]
    assert len(named) == len(set(named))
    verdicts = {}
    for line in catalogue.lines():
        assert verdicts.setdefault(line.id, line.reproduces) == line.reproduces, line.id


@pytest.mark.parametrize("feature", FEATURES, ids=lambda f: f.id)
def test_a_feature_says_where_it_is_and_is_there(feature):
    assert feature.reproduces in ("yes", "no", "cannot be checked")
    assert feature.text[-1] in ".?"
    assert feature.reason.endswith(".")
    assert "|" not in feature.text + feature.reason
    assert feature.shown
    for shown in feature.shown:
        assert exists(shown), shown


def exists(shown):
    if shown.startswith("docs/"):
        path, _, heading = shown.partition("#")
        page = ROOT / path
        return page.is_file() and (not heading or heading in anchors(page.read_text("utf-8")))
    assert shown.startswith("nofluke."), shown
    parts = shown.split(".")
    for k in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:k]))
        except ModuleNotFoundError:
            continue
        for name in parts[k:]:
            found = getattr(found, name)
        return True
    return False


def anchors(text):
    """Names that headings have as targets of links."""
    heads = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_what_is_not_there_is_found_out():
    assert not exists("docs/how-to/nowhere.md")
    assert not exists("docs/how-to/certify.md#no-such-heading")
    with pytest.raises(AttributeError):
        exists("nofluke.selective.nothing")


def test_the_page_of_all_claims_is_what_is_written():
    page = (ROOT / "docs/replications/claims.md").read_text("utf-8")
    assert page == catalogue.markdown(), "run: nofluke reproduce --quick --out FOLDER"
    for target in re.findall(r"\]\(([^)#]+)", page):
        assert (ROOT / "docs/replications" / target).is_file(), target
