"""Browser tests of pages: the state restored after a visit, and the initial scroll position."""

import pytest
from playwright.sync_api import Page, expect

from tests.app.conftest import Server, Visit

pytestmark = pytest.mark.browser
MAIN = "document.querySelector('[data-testid=stMain]')"


def test_a_fold_stays_as_the_visitor_left_it(browser_page: Visit, server: Server):
    page = browser_page.page
    page.goto(f"{server.url}/train")
    options = page.locator("[data-testid=stExpander] details", has_text="More options")
    # The browser does not store a click before the page has loaded its scripts.
    expect(page.locator("[data-kept]")).to_be_attached()
    options.locator("summary").click()
    expect(options).to_have_attribute("open", "")
    page.reload()
    expect(options).to_have_attribute("open", "")
    options.locator("summary").click()
    expect(options).not_to_have_attribute("open", "")
    page.reload()
    expect(options).to_be_visible()
    page.wait_for_timeout(500)
    expect(options).not_to_have_attribute("open", "")


def test_a_room_opens_at_its_beginning_on_a_phone(browser_page: Visit, server: Server):
    page = browser_page.page
    page.set_viewport_size({"width": 380, "height": 800})
    page.goto(f"{server.url}/train")
    expect(page.get_by_role("button", name="Start training")).to_be_attached()
    page.evaluate(f"{MAIN}.scrollTo(0, 900)")
    page.locator(".st-key-rooms").get_by_text("Learn").click()
    at_top(page)


def at_top(page: Page) -> None:
    expect(page.get_by_role("button", name="Next")).to_be_visible()
    page.wait_for_function(f"{MAIN}.scrollTop === 0")
