"""Browser test of a batch that is taken out on Train, and chosen on Explore."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.app.maps import EXPLORER, SHOWN, train_shortly_and_click
from tests.app.uploads import in_batches
from tests.app.watch import settled, wait_for_function

pytestmark = pytest.mark.browser


@pytest.mark.slow
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
    train_shortly_and_click(page, 0.4, 0.4)
    choice = page.get_by_role("group", name="batch")
    expect(choice.locator("[aria-pressed=true]")).to_have_text("first")
    before = page.evaluate(SHOWN)
    # The browser has all known values, so that the row is another one in the next frame.
    page.evaluate("() => [...window.manifolio.views.values()][0].levels.choose(1)")
    after = page.evaluate(SHOWN)
    assert after["point"] == before["point"]
    # The later batch was shifted by 2, 3 and 4.
    change = np.subtract(after["output"], before["output"])
    np.testing.assert_allclose(change, [2.0, 3.0, 4.0], atol=0.5)
    expect(page).to_have_url(re.compile("level=2"))
    # The other tabs answer for the same value, and the map returns to it.
    page.get_by_text("Fill in", exact=True).click()
    expect(page.get_by_text("All answers are for second.")).to_be_visible()
    settled(page)
    page.get_by_text("Map", exact=True).click()
    page.wait_for_selector("[data-ready=true]")
    expect(choice.locator("[aria-pressed=true]")).to_have_text("second")
    assert page.evaluate(SHOWN)["output"] == after["output"]
    # A value that the data do not have comes from the server: the mean of both batches.
    choice.get_by_role("button", name="another value").click()
    middle = (np.add(before["output"], after["output"]) / 2).tolist()
    near = f"(x, d) => Math.abs(x - {middle}[d]) < 0.05"
    wait_for_function(page, f"() => {EXPLORER}.pictures[0].values.every({near})")
    expect(page).to_have_url(re.compile("level=3"))
    choice.get_by_role("button", name="first").click()
    same = f"(x, d) => x === {before['output']}[d]"
    wait_for_function(page, f"() => {EXPLORER}.pictures[0].values.every({same})")
