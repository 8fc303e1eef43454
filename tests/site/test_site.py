"""The site builds without a warning and without a network, and none of its links leads nowhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
# What a browser fetches by itself when it shows a page.
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src"}


class Page(HTMLParser):
    """Where a page can be entered, where it leads, and what it fetches."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.fetched = set(), [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        if told.get("id"):
            self.ids.add(told["id"])
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        if tag in FETCHED and told.get(FETCHED[tag]):
            self.fetched.append(told[FETCHED[tag]])


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site, built once by the command of `make docs`."""
    pytest.importorskip("sphinx", reason="the site needs the extra dev")
    site = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    # A proxy that is not there: a build that asks the network for anything fails.
    away = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(
        [*command, str(DOCS), str(site)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **away},
    )
    assert done.returncode == 0, done.stderr
    return site


@pytest.fixture(scope="module")
def pages(built):
    return {path: Page(path) for path in built.rglob("*.html") if "_static" not in path.parts}


def test_each_page_of_the_docs_is_on_the_site(built):
    sources = [p.relative_to(DOCS).with_suffix(".html") for p in DOCS.rglob("*.md")]

    assert len(sources) > 50
    assert [str(page) for page in sources if not (built / page).exists()] == []


def test_no_page_fetches_anything_from_elsewhere(pages):
    fetched = {(path.name, url) for path, page in pages.items() for url in page.fetched}

    assert [f for f in sorted(fetched) if urlsplit(f[1]).netloc] == []


def test_every_link_within_the_site_leads_somewhere(pages):
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            ids = pages[there].ids if there in pages else set()
            lost = parts.fragment and there in pages and unquote(parts.fragment) not in ids
            if lost or not there.exists():
                broken.append((path.name, link))
    assert broken == []
