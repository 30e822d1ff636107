"""Browser tests of new rows: map and table are linked, and the training rows do not move."""

from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core.store import Library
from tests.app.conftest import Server, Visit
from tests.app.watch import settled

pytestmark = pytest.mark.browser
VIEW = "[...window.manifolio.views].find(([name]) => name.startsWith('rows|'))?.[1]"


@pytest.mark.slow
def test_map_and_table_are_linked_and_the_map_stays(
    server: Server, browser_page: Visit, tmp_path: Path
):
    key = server.model_key.partition(":")[2]
    data = Library(server.home / "library").dataset(key)
    rows = data.values[[3, 40, 80, 100, 120]].astype(float)
    rows[1, : data.n_outputs // 3] = np.nan
    path = tmp_path / "mine.csv"
    np.savetxt(path, rows, delimiter=",", fmt="%.8g")
    page = browser_page.page
    page.goto(f"{server.url}/explore?model={server.model_key}&tab=rows")
    page.locator("input[type=file]").set_input_files(str(path))
    lines = page.locator(".rows tbody tr")
    expect(lines).to_have_count(5)
    before = page.evaluate(f"Array.from({VIEW}.map.places)")
    # A click in the table selects the row on the map and shows its details.
    lines.nth(1).click()
    expect(page.locator(".close-up h2")).to_contain_text("Row 2")
    assert page.evaluate(f"{VIEW}.overlay.current") == 1
    page.locator(".close-up").get_by_label("Close").click()
    # The table lists the rows inside the lasso on the map.
    page.get_by_label("Show the whole map").click()
    assert page.evaluate(f"Array.from({VIEW}.map.places)") == before
    page.get_by_label("Select new rows").click()
    box = page.locator("canvas[data-part=lasso]").bounding_box()
    assert box is not None
    x, y = page.evaluate(f"{VIEW}.map.pixelOf(2).slice(0, 2)")
    page.mouse.move(box["x"] + x - 6, box["y"] + y - 6)
    page.mouse.down()
    for dx, dy in ((6, -6), (6, 6), (-6, 6)):
        page.mouse.move(box["x"] + x + dx, box["y"] + y + dy)
    page.mouse.up()
    expect(page.locator("[data-filter=selected]")).to_have_attribute("aria-pressed", "true")
    assert 2 in page.evaluate(f"[...{VIEW}.overlay.shown]")
    # A click on a diamond opens its row.
    page.mouse.click(box["x"] + x, box["y"] + y)
    expect(page.locator(".close-up h2")).to_contain_text("Row")
    page.get_by_role("button", name="Open in Fill in").click()
    expect(page.get_by_text("Your own rows")).to_be_visible()
    settled(page)


def test_one_bar_shows_the_progress(server: Server, browser_page: Visit, tmp_path: Path) -> None:
    data = Library(server.home / "library").dataset(server.model_key.partition(":")[2])
    path = tmp_path / "many.csv"
    rows = np.resize(data.values, (600, data.n_outputs))
    np.savetxt(path, rows, delimiter=",", fmt="%.8g")
    page = browser_page.page
    page.goto(f"{server.url}/explore?model={server.model_key}&tab=rows")
    page.evaluate("""() => {
        window.bars = [];
        const count = () => window.bars.push(
            document.querySelectorAll('[data-testid="stProgress"]').length);
        new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
    }""")
    page.locator("input[type=file]").set_input_files(str(path))
    expect(page.get_by_role("button", name="Add to the map")).to_be_visible(timeout=60_000)
    settled(page)
    assert page.evaluate("Math.max(...window.bars)") == 1
