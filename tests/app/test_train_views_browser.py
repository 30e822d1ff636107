"""Browser test of Train with several views: files that are added one after the other."""

import pytest
from playwright.sync_api import FilePayload, expect

from tests.app.uploads import pictures, table

pytestmark = pytest.mark.browser
MAIN = "document.querySelector('[data-testid=stMain]')"


@pytest.mark.slow
def test_files_that_are_added_in_turn_are_each_taken_once(server, telephone):
    def as_file(name: str, data: bytes) -> FilePayload:
        return {"name": name, "mimeType": "application/octet-stream", "buffer": data}

    page = telephone.page
    page.goto(f"{server.url}/train")
    page.get_by_text("Several files as views").click()
    expect(page.get_by_text("Row n must describe the same thing")).to_be_visible()
    chooser = page.locator("input[type=file]")
    expect(chooser).to_have_count(1)
    tables = [as_file("left.csv", table()), as_file("right.csv", table(columns="uv"))]
    chooser.set_input_files(tables)
    expect(page.get_by_text("30 rows, 2 views")).to_be_visible()
    expect(chooser).to_have_count(1)
    chooser.set_input_files([as_file("photos.zip", pictures())])
    expect(page.get_by_text("30 rows, 3 views")).to_be_visible()
    name = page.get_by_label("Name of the view").nth(2)
    name.fill("pictures")
    name.press("Enter")
    expect(page.get_by_text("pictures — 64 pixel values")).to_be_visible()
    expect(page.get_by_role("button", name="Remove")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    # Another room opens at its beginning.
    page.evaluate(f"{MAIN}.scrollTo(0, 900)")
    page.locator(".st-key-rooms").get_by_text("Learn").click()
    expect(page.get_by_role("button", name="Next")).to_be_visible()
    page.wait_for_function(f"{MAIN}.scrollTop === 0")
