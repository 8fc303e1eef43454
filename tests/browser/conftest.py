"""A real server and a real browser, for tests of what people see."""

from __future__ import annotations

import random
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright.sync_api", reason="needs playwright, of the extra dev")
pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python, of the extra dev")

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PASSWORD = "three words and a half"
SECONDS = 15_000  # milliseconds that a page may take on a busy machine


class House:
    """A server that listens, with an empty store and the link of its console.

    Args:
        folder: Where its store and its uploads are.
    """

    def __init__(self, folder: Path) -> None:
        import uvicorn

        from nofluke.database.engine import Database
        from nofluke.server import accounts
        from nofluke.server.app import create_app
        from nofluke.server.settings import Settings

        self.folder = folder
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.settings = Settings(
            store=f"sqlite:///{folder / 'keeper.db'}",
            port=self._socket.getsockname()[1],
            folder=folder / "uploads",
            rate_factor=100.0,
            max_upload_bytes=200_000,
        )
        self.url = self.settings.public_url
        self.db = Database(self.settings.store)
        self.db.migrate()
        self.link = accounts.first_link(self.db, self.settings)
        app = create_app(self.settings, database=self.db)
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.02)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        self._socket.close()
        self.db.close()

    def rows(self, *, n: int = 120) -> Path:
        """A file of labelled rows."""
        path = self.folder / "rows.csv"
        lines = [f"r{i:04d},{_label(i)}" for i in range(n)]
        path.write_text("\n".join(["id,label", *lines]) + "\n")
        return path

    def upload(self, right: float, *, n: int = 120, seed: int = 0, name: str = "") -> Path:
        """A file of predictions, of which about the share ``right`` is right."""
        draw = random.Random(f"{right} {seed}")
        path = self.folder / (name or f"predictions-{right}-{seed}.csv")
        lines = [
            f"r{i:04d},{_label(i) if draw.random() < right else 'other'}" for i in range(n)
        ]
        path.write_text("\n".join(["id,prediction", *lines]) + "\n")
        return path


def _label(i: int) -> str:
    return ("benign", "malign", "other")[random.Random(i).randrange(3)]


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

    page.on("console", said)
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    page.on("requestfailed", lambda request: wrong.append(f"{request.url}: {request.failure}"))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
