"""A real server and a real browser, for tests of what people see."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra dev")
pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python, of the extra dev")

from house import House
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SECONDS = 15_000  # milliseconds that a page may take on a busy machine


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once, with an empty profile."""
    if CHROMIUM is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=list(_OPTIONS))
        yield running
        running.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A server of one's own, at which nobody has an account yet."""
    made = House(tmp_path)
    yield made
    made.close()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages for one person each; afterwards nothing may have been wrong on any of them."""
    contexts: list[BrowserContext] = []
    wrong: list[str] = []

    def opened(**options: Any) -> Page:
        context = browser.new_context(**options)
        context.set_default_timeout(SECONDS)
        contexts.append(context)
        page = context.new_page()
        watch(page, wrong)
        return page

    expect.set_options(timeout=SECONDS)
    yield opened
    for context in contexts:
        context.close()
    assert not wrong


def watch(page: Page, wrong: list[str]) -> None:
    """Collect what browsers complain of: errors, warnings, and violations of the policy."""
    refused = re.compile(r"Failed to load resource: the server responded with a status of 4\d\d")

    def said(message: Any) -> None:
        # A page that says 404 or 422 is told here, too, and is no fault of the page.
        if message.type in {"error", "warning"} and not refused.match(message.text):
            wrong.append(f"{page.url}: {message.type}: {message.text}")

    def failed(request: Any) -> None:
        if request.failure != "net::ERR_ABORTED":  # the next page was asked for meanwhile
            wrong.append(f"{request.url}: {request.failure}")

    page.on("console", said)
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("requestfailed", failed)
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
