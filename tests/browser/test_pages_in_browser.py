"""The keeper in a real browser, from the first run to the check of an auditor."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect
from steps import come_in, hand_in, invite, open_board, sign_in


def test_from_the_first_run_to_the_check_of_the_chain(house, visitor):
    ann, bob, eve = visitor(), visitor(), visitor()
    come_in(ann, house.link, "Ann")
    open_board(ann, house.url, house.rows(), title="Tumours", slug="tumours", member=3)
    link = invite(ann, house.url, "tumours", team="Blue")
    audit = invite(ann, house.url, "tumours", role="auditor")

    come_in(bob, link, "Bob")
    assert bob.url == f"{house.url}/b/tumours"
    # A check costs nothing, and leaves the chosen file where it is.
    bob.get_by_role("link", name="Submit", exact=True).click()
    bob.get_by_label("Name of the submission").fill("first")
    bob.get_by_label("File of predictions").set_input_files(house.upload(0.6))
    bob.get_by_role("button", name="Check only").click()
    expect(bob.locator("#checked")).to_contain_text("120 rows, one for each id")
    bob.get_by_role("button", name="Submit").click()
    # The answer comes by itself.
    expect(bob.locator("#told .k-told")).to_be_visible()
    expect(bob.locator("main")).to_contain_text("2 of 3 left")
    card = bob.url

    hand_in(bob, house.url, "tumours", house.upload(0.6, name="renamed.csv"), "again")
    expect(bob).to_have_url(re.compile(re.escape(card)))
    expect(bob.get_by_role("status").first).to_contain_text("Nothing was charged")

    hand_in(bob, house.url, "tumours", house.upload(0.9), "second")
    expect(bob.locator("#told .k-told")).to_be_visible()
    bob.get_by_role("link", name="Compare with another of ours").click()
    expect(bob.get_by_label("First", exact=True)).to_have_value(card.rsplit("/", 1)[1])
    bob.get_by_role("button", name="Compare").click()
    expect(bob.locator("#told .k-told")).to_contain_text(re.compile("better|worse|not shown"))
    hand_in(bob, house.url, "tumours", house.upload(0.7), "one too many")
    expect(bob.get_by_role("alert")).to_contain_text("NF083")

    come_in(eve, audit, "Eve")
    expect(eve.get_by_role("link", name="Submit")).to_have_count(0)
    eve.get_by_role("link", name="Ledger").click()
    expect(eve.get_by_role("status").first).to_contain_text("Nothing was found")
    head = eve.locator("#head").inner_text().strip()
    eve.get_by_label("Check against a head").fill(head)
    eve.get_by_role("button", name="Check", exact=True).click()
    expect(eve.get_by_role("status").first).to_contain_text("is the one whose digest was kept")
    number, digest = head.split(":")
    eve.get_by_label("Check against a head").fill(f"{number}:{digest[::-1]}")
    eve.get_by_role("button", name="Check", exact=True).click()
    expect(eve.locator("main")).to_contain_text("It is not as it was written")
    assert eve.goto(f"{house.url}/b/tumours/mine").status == 200
    assert eve.goto(card).status == 404


def test_the_final_rows_are_opened_once(house, visitor):
    ann, bob = visitor(), visitor()
    come_in(ann, house.link, "Ann")
    open_board(ann, house.url, house.rows(), title="Final", slug="final", member=3)
    come_in(bob, invite(ann, house.url, "final"), "Bob")
    hand_in(bob, house.url, "final", house.upload(0.8), "the one")
    expect(bob.locator("#told .k-told")).to_be_visible()
    bob.get_by_role("button", name="Name it for the final rows").click()
    expect(bob.locator("main")).to_contain_text("Your team has named this submission")

    ann.goto(f"{house.url}/b/final/manage")
    ann.get_by_label("Yes, close it for good").check()
    ann.get_by_role("button", name="Close the board").click()
    ann.get_by_role("link", name="Go on to opening the final rows").click()
    ann.get_by_label("Type the address").fill("other")
    ann.get_by_role("button", name="Open the final rows, once").click()
    expect(ann.get_by_role("alert")).to_contain_text("nothing was opened")
    other = ann.context.new_page()
    other.goto(f"{house.url}/b/final/confirmation")
    ann.get_by_label("Type the address").fill("final")
    ann.get_by_role("button", name="Open the final rows, once").click()
    expect(ann.get_by_role("region", name="What the final rows said")).to_contain_text("the one")
    other.get_by_label("Type the address").fill("final")
    other.get_by_role("button", name="Open the final rows, once").click()
    expect(other.get_by_role("alert")).to_contain_text("opened before")
    ann.goto(f"{house.url}/b/final/confirmation")
    expect(ann.locator("main")).to_contain_text("opened, as they can be once")
    expect(ann.get_by_role("button", name="Open the final rows, once")).to_have_count(0)


def test_a_double_click_sends_a_form_once(house, visitor):
    ann = visitor()
    come_in(ann, house.link, "Ann")
    ann.goto(f"{house.url}/account")
    ann.get_by_label("Name", exact=True).fill("laptop")
    button = ann.get_by_role("button", name="Make the token")
    # Each sending is noted and held, as otherwise the next page may be there before the second.
    ann.evaluate(
        """() => {
          window.kept = [];
          window.holding = (event) => {
            window.kept.push(event.defaultPrevented);
            event.preventDefault();
          };
          window.addEventListener("submit", window.holding);
        }"""
    )
    button.dblclick()
    assert ann.evaluate("window.kept") == [False, True]
    # Whoever wants it again, as nothing came, may.
    ann.evaluate("() => window.removeEventListener('submit', window.holding)")
    ann.wait_for_timeout(2100)
    button.click()
    expect(ann.locator("#token")).to_be_visible()


def test_without_script_the_same_can_be_done(house, visitor):
    ann = visitor(java_script_enabled=False)
    bob = visitor(java_script_enabled=False)
    come_in(ann, house.link, "Ann")
    open_board(ann, house.url, house.rows(), title="Plain", slug="plain", member=1)
    come_in(bob, invite(ann, house.url, "plain"), "Bob")
    bob.goto(f"{house.url}/b/plain/submit")
    bob.get_by_label("Name of the submission").fill("first")
    bob.get_by_label("File of predictions").set_input_files(house.upload(0.6))
    bob.get_by_role("button", name="Check only").click()
    expect(bob.locator("#checked")).to_contain_text("Choose the file again")
    expect(bob.get_by_label("Name of the submission")).to_have_value("first")
    bob.get_by_label("File of predictions").set_input_files(house.upload(0.6))
    bob.get_by_role("button", name="Submit").click()
    for _ in range(100):
        if bob.locator("#told .k-told").count():
            break
        bob.reload()
        bob.wait_for_timeout(100)
    expect(bob.locator("#told .k-told")).to_be_visible()
    hand_in(bob, house.url, "plain", house.upload(0.7), "second")
    expect(bob.get_by_role("alert")).to_contain_text("NF083")
    bob.get_by_role("link", name="Ledger").click()
    expect(bob.get_by_role("status").first).to_contain_text("Nothing was found")
    # A button that needs script is not shown without.
    expect(bob.get_by_role("button", name="Copy")).to_have_count(0)
    bob.get_by_role("button", name="Sign out").click()
    expect(bob.get_by_role("status")).to_contain_text("signed out")


def test_the_keyboard_is_enough(house, visitor):
    ann, bob = visitor(), visitor()
    come_in(ann, house.link, "Ann")
    open_board(ann, house.url, house.rows(), title="Keys", slug="keys", member=1)
    come_in(bob, invite(ann, house.url, "keys"), "Bob")
    bob.context.clear_cookies()
    bob.goto(house.url)

    def reach(name: str, *, most: int = 60) -> None:
        for _ in range(most):
            bob.keyboard.press("Tab")
            said, outlined = bob.evaluate(
                """() => {
                  const e = document.activeElement, s = getComputedStyle(e);
                  const label = e.labels && e.labels.length ? e.labels[0].textContent : "";
                  return [(label || e.getAttribute("aria-label") || e.textContent).trim(),
                          s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2];
                }"""
            )
            assert outlined, f"the focus on {said!r} cannot be seen"
            if said.startswith(name):
                return
        pytest.fail(f"the Tab key never reached {name!r}")

    reach("Skip to the content", most=1)
    bob.keyboard.press("Enter")
    reach("Name", most=1)
    bob.keyboard.type("Bob")
    reach("Password", most=1)
    bob.keyboard.type("three words and a half")
    bob.keyboard.press("Enter")
    bob.wait_for_url("**/boards")
    reach("Keys")
    bob.keyboard.press("Enter")
    bob.wait_for_url("**/b/keys")
    reach("Submit")
    bob.keyboard.press("Enter")
    bob.wait_for_url("**/submit")
    reach("Name of the submission")
    bob.keyboard.type("by keys")
    reach("File of predictions")
    # What Enter opens on a field for files is the browser's own, not the page's.
    bob.locator("input[type=file]:focus").set_input_files(house.upload(0.6))
    # Enter in a field checks only: the dear button is not the first one.
    reach("Check only")
    reach("Submit", most=1)
    bob.keyboard.press("Enter")
    bob.wait_for_url("**/s/*")
    expect(bob.locator("#told .k-told")).to_be_visible()
    reach("Ledger")
    bob.keyboard.press("Enter")
    bob.wait_for_url("**/ledger")
    reach("Copy")
    reach("Check against a head that was kept")
    reach("as JSON lines")


def test_markup_from_people_is_text(house, visitor):
    bad = '<script>alert(1)</script><img src=x onerror="alert(2)">'
    ann, bob = visitor(), visitor()
    come_in(ann, house.link, "<b>Ann</b>")
    open_board(ann, house.url, house.rows(), title=bad, slug="bad", member=9)
    come_in(bob, invite(ann, house.url, "bad", team="<i>Team</i>"), "<u>Bob</u>")
    file = house.upload(0.6, name="a&amp;<b>.csv")
    hand_in(bob, house.url, "bad", file, bad[:60], message=f"{bad}\n=HYPERLINK(1)")
    expect(bob.locator("#told .k-told")).to_be_visible()
    expect(bob.locator("h1")).to_have_text(bad[:60])
    expect(bob.locator("main")).to_contain_text("=HYPERLINK(1)")
    for page, path in (
        (bob, "/b/bad"),
        (bob, "/b/bad/mine"),
        (bob, "/b/bad/compare"),
        (bob, "/b/bad/ledger"),
        (ann, "/boards"),
        (ann, "/b/bad/manage"),
        (ann, "/admin"),
        (bob, "/account"),
        (bob, "/b/%3Cscript%3Ealert(1)%3C%2Fscript%3E"),
    ):
        page.goto(house.url + path)
        assert page.locator("main script, main img, main b, main i, main u").count() == 0, path
        assert "<" in page.locator("body").inner_text() or path.startswith("/b/%3C"), path
    sign_in(visitor(), house.url, bad)
