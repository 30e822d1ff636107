"""Browser tests of linked maps: pointing at a row in one map marks the row in the other."""

import pytest
from playwright.sync_api import Page, expect

from tests.app.apptest import PIXELS
from tests.app.conftest import SCREEN, TELEPHONE, Server, Visit
from tests.app.looks import check_looks
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser
MAPS = "window.manifolio.views.get('compare')"
# JavaScript that returns a row's position on a map in pixels, and the positions at which the models
# generate outputs.
ROW = f"([map, n]) => [...{MAPS}.panels[map].map.places.slice(2 * n, 2 * n + 2)]"
SHOWN = f"() => {MAPS}.panels.map(({{ shown }}) => Array.from(shown))"
POSITION = f"([map, n]) => Array.from({MAPS}.panels[map].model.position(n))"


@pytest.mark.slow
def test_the_answer_is_in_the_first_view_and_rows_are_seen_in_both_maps(
    server: Server, browser_page: Visit
) -> None:
    page, traffic = browser_page.page, browser_page.traffic
    page.goto(f"{server.url}/compare?model={server.model_key}")
    outputs = page.locator(".panel .drawn canvas")
    expect(outputs).to_have_count(2)
    page.wait_for_selector(".mf-splits")
    settled(page)
    answer_in_first_view(page)
    uppers = page.locator("canvas[data-canvas=upper]")
    before, sent = (
        [outputs.nth(1).evaluate(PIXELS), uppers.nth(1).evaluate(PIXELS)],
        len(traffic.sent),
    )
    x, y = page.evaluate(ROW, [0, 7])
    uppers.nth(0).hover(position={"x": x, "y": y})
    changed(outputs.nth(1), before[0])
    hovered = page.evaluate(f"() => {MAPS}.shared.hovered")
    assert page.evaluate(SHOWN) == [page.evaluate(POSITION, [map_, hovered]) for map_ in (0, 1)]
    assert uppers.nth(1).evaluate(PIXELS) != before[1]
    # A chosen position is in the link, with and without alignment.
    uppers.nth(1).click(position={"x": 30, "y": 40})
    page.wait_for_function("location.search.includes('at=1,')")
    shown = page.evaluate(SHOWN)
    page.locator("[data-part=turned]").click()
    page.wait_for_function("location.search.includes('own=1')")
    settled(page)
    for found, kept in zip(page.evaluate(SHOWN), shown, strict=True):
        assert found == pytest.approx(kept, abs=1e-4)
    page.locator("[data-part=select]").click()
    box = page.locator("canvas[data-canvas=lasso]").nth(0).bounding_box()
    corners = [(0.02, 0.02), (0.02, 0.98), (0.98, 0.98), (0.98, 0.02)]
    places = [(box["x"] + u * box["width"], box["y"] + v * box["height"]) for u, v in corners]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place)
    page.mouse.up()
    expect(page.locator("[data-part=count]")).to_have_text("150 rows selected")
    assert page.evaluate(f"() => {MAPS}.panels[1].state.rows.length") == 150
    assert len(traffic.sent) == sent
    # The selection and the view are in the link.
    page.wait_for_function("location.search.includes('rows=')")
    page.reload()
    expect(page.locator("[data-part=count]")).to_have_text("150 rows selected")
    expect(page.locator("[data-part=turned]")).to_have_attribute("aria-pressed", "false")
    # The answer is in the first view of a telephone, too.
    page.set_viewport_size(TELEPHONE)
    answer_in_first_view(settled(page))
    page.set_viewport_size(SCREEN)
    # A definition has one or two sentences, and appears only on demand.
    what = page.locator("[data-purpose=look] .mf-what")
    expect(what.locator("p")).to_be_hidden()
    what.locator("summary").click()
    expect(what.locator("p")).to_be_visible()
    check_looks(settled(page))


def answer_in_first_view(page: Page) -> None:
    """Check that the advice of Compare is short, and inside a window that is 900 pixels high."""
    assert page.viewport_size is not None
    for part in (".mf-purposes section >> nth=0", ".st-key-compare_advice p"):
        box = page.locator(part).first.bounding_box()
        assert box is not None and box["y"] + box["height"] <= 900, part
        assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    words = page.locator(".st-key-compare_advice").inner_text()
    assert words and len(words.split()) <= 60
