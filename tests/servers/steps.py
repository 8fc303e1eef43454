"""What people do on the pages, one step each."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

PASSWORD = "three words and a half"  # noqa: S105


def come_in(page: Page, link: str, name: str) -> None:
    """Open a link of an invitation and make an account."""
    page.goto(link)
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password once more").fill(PASSWORD)
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("navigation", name="Main")).to_contain_text(name)


def sign_in(page: Page, url: str, name: str, password: str = PASSWORD) -> None:
    page.goto(f"{url}/signin")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def open_board(
    page: Page, url: str, rows: Path, *, title: str, slug: str, member: int, confirm: str = "0.3"
) -> None:
    page.goto(f"{url}/boards")
    page.get_by_role("link", name="Open a board").click()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Address").fill(slug)
    page.get_by_label("File of labelled rows").set_input_files(rows)
    page.get_by_label("Share kept for the final").fill(confirm)
    page.get_by_label("Looks in all").fill("20")
    page.get_by_label("Looks of one team").fill("")
    page.get_by_label("Looks of one member").fill(str(member))
    page.get_by_role("button", name="Open the board").click()
    expect(page.get_by_role("status").first).to_contain_text("The board is open")


def invite(page: Page, url: str, slug: str, *, role: str = "member", team: str = "") -> str:
    """The link that the page shows once."""
    page.goto(f"{url}/b/{slug}/manage")
    page.get_by_label("Role", exact=True).select_option(role)
    page.get_by_label("Team", exact=False).first.fill(team)
    page.get_by_role("button", name="Make a link").click()
    return page.locator("#link").inner_text().strip()


def hand_in(page: Page, url: str, slug: str, file: Path, name: str, *, message: str = "") -> None:
    page.goto(f"{url}/b/{slug}/submit")
    page.get_by_label("Name of the submission").fill(name)
    page.get_by_label("Message").fill(message)
    page.get_by_label("File of predictions").set_input_files(file)
    page.get_by_role("button", name="Submit").click()
