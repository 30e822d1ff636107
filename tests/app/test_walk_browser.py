"""A visitor's way through the app in a real browser: gallery, training, library, and back."""

import re

import pytest
from playwright.sync_api import expect

from tests.app.watch import settled

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/explore", "/complete"])
def test_a_page_without_a_model_works_with_the_network_out(server, browser_page, path: str) -> None:
    page = browser_page.page
    page.goto(server.url + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    settled(page)


@pytest.mark.parametrize("path", ["/", "/train", "/library"])
def test_every_page_fits_a_telephone(server, browser_page, path: str) -> None:
    page = browser_page.page
    page.set_viewport_size({"width": 380, "height": 800})
    page.goto(server.url + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_one_click_opens_a_ready_model(server, browser_page) -> None:
    page = browser_page.page
    page.goto(server.url)
    page.get_by_role("button", name="Explore").first.click()
    expect(page.get_by_text("Move to look")).to_be_visible()
    assert "model=gallery" in page.url


def test_train_pause_refresh_resume_stop_explore(server, browser_page) -> None:
    page = browser_page.page
    page.goto(f"{server.url}/train")
    page.get_by_text("Digits", exact=True).first.click()
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("Map so far")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    # The link carries the job: a refresh, or another browser, finds it as it is.
    page.reload()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    # At once: nothing moves away from under the pointer. Streamlit's own button of that name
    # stands in the header while the script runs.
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Open in Explore").click()
    expect(page.get_by_text("Move to look")).to_be_visible()
    assert re.search(r"model=library(:|%3A)", page.url)
    page.goto(f"{server.url}/library")
    expect(page.get_by_text("Handwritten digits, Bayesian GP-LVM").first).to_be_visible()
