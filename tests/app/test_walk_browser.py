"""Browser test of a visitor's way through the app: gallery, tabs, training, and back."""

import re

import pytest
from playwright.sync_api import expect

from tests.app.apptest import PIXELS
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("path", ["/explore", "/explore?tab=fill"])
def test_a_page_without_a_model_works_with_the_network_out(server, browser_page, path: str) -> None:
    page = browser_page.page
    page.goto(server.url + path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    settled(page)


def test_the_first_screen_answers_a_pointer_without_a_click(server, browser_page) -> None:
    page = browser_page.page
    page.goto(server.url)
    page.locator("[data-part=hero][data-ready=true]").wait_for()
    expect(page.get_by_role("heading", level=1)).to_have_text("Manifolio")
    readout = page.locator("[data-part=readout]")
    expect(readout).to_have_text("Move over the map.")
    page.locator("canvas[data-part=upper]").hover(position={"x": 90, "y": 120})
    expect(readout).to_contain_text("Nearest row")
    shown = page.locator("canvas[data-part=output]").evaluate(PIXELS)
    page.locator("canvas[data-part=upper]").hover(position={"x": 400, "y": 250})
    changed(page.locator("canvas[data-part=output]"), shown)


def test_the_model_remains_while_tabs_change_and_back_returns(server, browser_page) -> None:
    page = browser_page.page
    page.goto(f"{server.url}/dynamics?model=gallery:moves")  # this is an old address
    page.wait_for_url("**/explore?model=gallery:moves&tab=time")
    room = {"Time": "player", "Fill in": "painter", "Map": "map"}
    for name in ("Time", "Fill in", "Map"):
        page.get_by_role("radio", name=name).click()
        expect(page.locator(f".st-key-room_{room[name]}")).to_be_visible()
    page.go_back()
    expect(page.locator(".st-key-room_painter")).to_be_visible()
    expect(page.get_by_role("radio", name="Fill in")).to_be_checked()
    assert "moves" in page.url and "tab=fill" in page.url
    # Streamlit's health check does not use the path of the page.
    assert not [url for url in browser_page.traffic.requests if "/explore/_stcore" in url]


def test_one_click_opens_a_ready_model(server, browser_page) -> None:
    page = browser_page.page
    page.goto(server.url)
    page.get_by_role("button", name="Explore this map").click()
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
    # The link contains the job, so the page is the same after a refresh and in another browser.
    page.reload()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    # Press Stop immediately, to test that its button does not move. While the script runs,
    # Streamlit's own button with the same name is in the header.
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Explore", exact=True).click()
    expect(page.get_by_text("Move to look")).to_be_visible()
    assert re.search(r"model=library(:|%3A)", page.url)
    page.goto(f"{server.url}/library")  # this old address leads to the shelf Mine
    expect(page.get_by_text("Handwritten digits, Bayesian GP-LVM").first).to_be_visible()
