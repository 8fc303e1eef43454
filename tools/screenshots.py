"""Pictures of the pages for `docs/how-to/serve.md`, of a real server in a real browser.

    PYTHONPATH=src:tests/servers python tools/screenshots.py docs/how-to

Needs the extra `dev` and Chromium. Times, links and digests differ from run to run.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from house import House
from PIL import Image
from playwright.sync_api import sync_playwright
from steps import PASSWORD, sign_in

from nofluke.server import accounts, boards
from nofluke.server.boards import submissions
from nofluke.server.records import BoardSpec

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROWS, SLUG, TITLE = 3000, "ultrasound", "Tumours in ultrasound images"
DESCRIPTION = (
    "Say of each image whether it shows a benign or a malign tumour.\n"
    "Images of one patient are one cluster."
)
#: Who hands in what, and how much of it is right.
HANDED_IN = (
    ("Ben", "majority class", 0.62),
    ("Ann", "logistic regression", 0.74),
    ("Cleo", "random forest", 0.80),
    ("Ben", "small network", 0.81),
    ("Ann", "network, pretrained", 0.9),
)
TEAMS = {"Ann": "Green", "Ben": "Blue", "Cleo": "Red"}


def main(folder: Path) -> None:
    """Make the pictures."""
    with tempfile.TemporaryDirectory() as work:
        house = House(Path(work))
        try:
            card = _fill(house)
            _take(house, card, folder)
        finally:
            house.close()


def _fill(house: House) -> str:
    """People, a board and submissions; the address of the last card of Ann's."""
    owner = _person(house, house.link, "Olga")
    draw = random.Random(7)  # noqa: S311
    labels = [draw.choice(("benign", "malign")) for _ in range(ROWS)]
    rows = house.folder / "ultrasound.csv"
    rows.write_text(
        "id,label,patient\n" + "".join(f"img-{i:04d},{x},p{i // 2}\n" for i, x in enumerate(labels))
    )
    spec = BoardSpec(
        slug=SLUG,
        title=TITLE,
        description=DESCRIPTION,
        rule="rounded",
        looks=12,
        per_team=4,
        cluster="patient",
        confirm=0.2,
    )
    boards.create(house.db, owner, spec, rows)
    people = {
        name: _person(house, _link(house, owner, "member", team), name)
        for name, team in TEAMS.items()
    }
    _person(house, _link(house, owner, "auditor", None), "Aude")
    card = ""
    for name, said, right in HANDED_IN:
        path = house.folder / f"{said}.csv"
        other = {"benign": "malign", "malign": "benign"}
        guesses = (x if draw.random() < right else other[x] for x in labels)
        lines = (f"img-{i:04d},{x}\n" for i, x in enumerate(guesses))
        path.write_text("id,prediction\n" + "".join(lines))
        found, _ = submissions.submit(
            house.db, people[name], SLUG, path, name=said, message="Seed 1, no tuning."
        )
        while submissions.submission(house.db, people[name], found.id).status == "queued":
            time.sleep(0.05)
        card = f"/s/{found.id}" if name == "Ann" else card
    return card


def _link(house: House, owner: Any, role: Any, team: str | None) -> str:
    made = boards.invite(house.db, owner, SLUG, role=role, team=team)
    return house.settings.link(made.secret or "")


def _person(house: House, link: str | None, name: str) -> Any:
    secret = (link or "").rsplit("/", 1)[1]
    return accounts.redeem(house.db, secret, name=name, password=PASSWORD)


def _take(house: House, card: str, folder: Path) -> None:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=options)
        for name, who, path, width, height in (
            ("board", "Ann", f"/b/{SLUG}", 880, 1000),
            ("card", "Ann", card, 880, 820),
            ("ledger", "Aude", f"/b/{SLUG}/ledger", 880, 900),
            ("phone", "Ann", f"/b/{SLUG}", 360, 760),
        ):
            page = browser.new_page(viewport={"width": width, "height": height})
            sign_in(page, house.url, who)
            page.wait_for_url("**/boards")
            page.goto(house.url + path)
            if name == "phone":
                page.locator("h2", has_text="Standings").evaluate("(e) => e.scrollIntoView()")
            _picture(page, folder / f"serve-{name}.png")
            page.close()
        browser.close()


def _picture(page: Page, path: Path) -> None:
    """A picture of few colours, which text and lines can do with."""
    page.screenshot(path=path, scale="css")
    with Image.open(path) as found:
        few = found.convert("RGB").quantize(64, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size:,} bytes")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
