"""Every page for everybody: by axe in both themes, on a phone, with large targets."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import axe_playwright_python
import pytest
from house import House
from playwright.sync_api import Page
from steps import PASSWORD, sign_in

from nofluke.server import accounts, boards
from nofluke.server.boards import submissions
from nofluke.server.records import BoardSpec

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
ALL = json.dumps({"runOnly": RULES, "resultTypes": ["violations"]})
CONTRAST = json.dumps({"runOnly": {"type": "rule", "values": ["color-contrast"]}})
LONG = "an-extraordinarily-long-name-without-any-place-to-break-" * 2


class World(NamedTuple):
    """A server with people, two boards and submissions of every state, and the pages of each."""

    url: str
    pages: dict[str, tuple[str, ...]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    house = House(tmp_path_factory.mktemp("world"))
    yield _filled(house)
    house.close()


def _filled(house: Any) -> World:
    db = house.db
    ann = _redeemed(house, house.link, "Ann")
    cards: list[str] = []
    spec = BoardSpec(
        slug="ladder", title=f"Board {LONG}", description="Two\nlines", confirm=0.3, per_member=20
    )
    boards.create(db, ann, spec, house.rows())
    link = house.settings.link(
        boards.invite(db, ann, "ladder", role="member", team=LONG[:60]).secret
    )
    bob = _redeemed(house, link, "Bob " + "o" * 50)
    for i, share in enumerate((0.5, 0.8)):
        path = house.upload(share, seed=i)
        found, _ = submissions.submit(db, bob, "ladder", path, name=f"{LONG[:90]}{i}", message=LONG)
        cards.append(found.id)
    _wait(db, bob, cards)
    compared, _ = submissions.compare(db, bob, "ladder", *cards)
    cards.append(compared.id)
    _wait(db, bob, cards)
    boards.invite(db, ann, "ladder", role="auditor")
    accounts.make_token(db, bob, name="laptop", scopes=["read"], days=9)
    open_link = house.settings.link(boards.invite(db, ann, "ladder", role="member").secret)
    joining = "/join/" + open_link.rsplit("/", 1)[1]
    theirs = ("/boards", "/b/ladder", "/b/ladder/submit", "/b/ladder/mine", "/b/ladder/compare")
    return World(
        house.url,
        {
            "": ("/signin", joining, "/nowhere"),
            "Ann": ("/new", "/b/ladder", "/b/ladder/manage", "/b/ladder/confirmation", "/admin"),
            "Bob " + "o" * 50: (
                *theirs,
                *(f"/s/{card}" for card in (cards[0], cards[2])),
                "/b/ladder/ledger",
                "/b/ladder/ledger?heads=wrong",
                "/account",
                "/b/none",
                joining,
            ),
        },
    )


def _redeemed(house: Any, link: str, name: str) -> Any:
    return accounts.redeem(house.db, link.rsplit("/", 1)[1], name=name, password=PASSWORD)


def _wait(db: Any, actor: Any, ids: list[str]) -> None:
    for _ in range(600):
        if all(submissions.submission(db, actor, i).status == "released" for i in ids):
            return
        time.sleep(0.05)
    raise AssertionError("nothing was scored")


def test_axe_finds_nothing_on_any_page(world, visitor):
    for page, path in _walk(world, visitor, color_scheme="light"):
        page.evaluate(AXE)
        assert not _found(page, ALL), (path, "light")
        # What is dark differs in its colours alone.
        page.emulate_media(color_scheme="dark")
        assert not _found(page, CONTRAST), (path, "dark")
        page.emulate_media(color_scheme="light")


def test_axe_would_find_what_is_wrong(world, visitor):
    page = visitor()
    page.goto(f"{world.url}/signin")
    page.evaluate(AXE)
    page.evaluate("document.querySelectorAll('label, .nf-aside').forEach((e) => e.remove())")
    page.evaluate("document.querySelector('h1').style.color = '#e8e8e8'")
    assert {"label", "color-contrast"} <= {name for name, _ in _found(page, ALL)}


def _found(page: Page, rules: str) -> list[tuple[str, list[str]]]:
    found = page.evaluate(f"axe.run(document, {rules})")["violations"]
    return [(v["id"], [node["html"][:200] for node in v["nodes"]]) for v in found]


def test_pages_fit_on_a_phone_and_say_where_one_is(world, visitor):
    viewport = {"width": 360, "height": 640}
    for page, path in _walk(world, visitor, viewport=viewport, has_touch=True, is_mobile=True):
        _says_where_one_is(page, path)
        for width in (360, 320):
            page.set_viewport_size({"width": width, "height": 640})
            _fits(page, path, width)


def _fits(page: Page, path: str, width: int) -> None:
    wide = page.evaluate(
        """() => [...document.querySelectorAll("body *")]
             .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
             .filter((e) => !e.closest(".nf-scroll, .k-skip"))
             .map((e) => e.outerHTML.slice(0, 120))"""
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, wide)
    assert not wide, path
    # Links within sentences may be as high as their line (WCAG 2.5.8).
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, textarea, nav a")]
             .filter((e) => e.offsetParent && e.type !== "hidden")
             .filter((e) => e.offsetHeight < 20 || e.offsetWidth < 20)
             .map((e) => e.outerHTML)"""
    )
    assert not small, path


def _says_where_one_is(page: Page, path: str) -> None:
    heads = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => +h.tagName[1])")
    assert (heads[0], heads.count(1)) == (1, 1), (path, heads)
    assert all(b <= a + 1 for a, b in pairwise(heads)), (path, heads)
    assert page.locator("main").count() == page.locator("html[lang=en]").count() == 1
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("table")].filter(
             (t) => !t.caption || t.querySelector("th:not([scope])")).length"""
    )
    assert unnamed == 0, path
    assert page.title().endswith("– nofluke")


def _walk(world: World, visitor: Callable[..., Page], **options: Any) -> Iterator[tuple[Page, str]]:
    for name, paths in world.pages.items():
        page = visitor(**options)
        if name:
            sign_in(page, world.url, name)
            page.wait_for_url("**/boards")
        for path in paths:
            response = page.goto(world.url + path)
            assert response is not None
            assert response.status in (200, 404, 422), path
            yield page, path


def test_forced_colours_leave_the_bars(world, visitor):
    name = next(n for n in world.pages if n.startswith("Bob"))
    page = visitor(forced_colors="active", viewport={"width": 1280, "height": 900})
    sign_in(page, world.url, name)
    page.goto(f"{world.url}/b/ladder")
    fills = page.evaluate(
        """() => ["k-rest", "k-all"].map(
             (c) => getComputedStyle(document.querySelector("." + c)).fill)"""
    )
    assert fills[0] != fills[1]
