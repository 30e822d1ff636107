"""Browser test of a batch that is taken out on Train, and chosen on Explore."""

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.app.maps import MAP, SHOWN
from tests.app.uploads import in_batches
from tests.app.watch import settled

pytestmark = pytest.mark.browser


def test_a_batch_leaves_the_map_and_its_value_changes_the_row_at_the_same_place(
    server, browser_page
):
    page = browser_page.page
    page.goto(f"{server.url}/train")
    page.get_by_text("My own file").click()
    file = {"name": "batches.csv", "mimeType": "text/csv", "buffer": in_batches()}
    page.locator("input[type=file]").set_input_files([file])
    factors = page.get_by_role("combobox", name="Take out")
    settled(page)
    factors.click()
    page.keyboard.type("batch")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The map then shows what batch does not explain.")).to_be_visible()
    steps = page.get_by_label("Training steps, at most", exact=True)
    steps.fill("30")
    steps.press("Enter")
    page.get_by_role("button", name="Start training").click()
    page.get_by_test_id("stMain").get_by_role("button", name="Explore").click()
    page.wait_for_selector("[data-ready=true]")
    expect(page.get_by_text("All answers are for first, the most frequent value.")).to_be_visible()
    box = page.locator(MAP).bounding_box()
    page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 0.4 * box["height"])
    page.mouse.move(0, 0)
    before = page.evaluate(SHOWN)
    page.locator(".st-key-known_level").get_by_text("second", exact=True).click()
    expect(page.get_by_text("All answers are for second.")).to_be_visible()
    settled(page)
    after = page.evaluate(SHOWN)
    assert after["point"] == before["point"]
    # The later batch was shifted by 2, 3 and 4.
    change = np.subtract(after["output"], before["output"])
    np.testing.assert_allclose(change, [2.0, 3.0, 4.0], atol=0.5)
