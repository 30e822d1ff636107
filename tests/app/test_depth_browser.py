"""Browser tests of the stops about depth: points by a click, a layer's map, draws at any depth."""

import pytest
from playwright.sync_api import expect

from tests.app.apptest import PIXELS
from tests.app.conftest import Server, Visit
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser


def test_points_are_added_layers_generate_and_depth_flattens(server: Server, browser_page: Visit):
    page, traffic = browser_page.page, browser_page.traffic
    page.emulate_media(reduced_motion="reduce")  # curves are not animated, to save time
    page.goto(f"{server.url}/depth")  # this old address opens a stop of Learn
    words = page.locator("[data-part=deep-words]")
    expect(words).to_contain_text("nats")
    settled(page)
    deep = page.locator("canvas[data-part=deep]")
    points = "() => [...window.manifolio.views.values()][0].points.length"
    before = page.evaluate(points)
    deep.click(position={"x": 300, "y": 150})
    stop = page.locator("[data-part=stop]")
    expect(stop).to_be_visible()
    assert page.evaluate(points) == before + 1
    stop.click()
    expect(stop).to_be_hidden()
    page.goto(f"{server.url}/explore?tab=layers")
    output = page.locator("canvas[data-part=output]")
    expect(output).to_be_visible()
    settled(page)
    first, sent = output.evaluate(PIXELS), len(traffic.sent)
    map_ = page.locator("canvas[data-part=upper]")
    map_.hover(position={"x": 60, "y": 60})
    changed(output, first)
    assert len(traffic.sent) == sent
    page.goto(f"{server.url}/learn?stop=ten")
    line = page.locator("canvas[data-part=line]")
    expect(line).to_be_visible()
    settled(page)
    shown = line.evaluate(PIXELS)
    page.locator("[data-part=depth]").fill("10")
    changed(line, shown)
    assert "depth=10" in page.url


def test_a_kept_position_belongs_to_one_layers_map(server: Server, browser_page: Visit):
    page = browser_page.page
    page.goto(f"{server.url}/explore?model=gallery:deep-flow&layer=1")
    expect(page.locator("canvas[data-part=output]")).to_be_visible()
    settled(page)
    page.locator("canvas[data-part=upper]").click(position={"x": 90, "y": 120})
    page.wait_for_url("**at=**")
    page.get_by_role("radio", name="above the data").click()
    expect(page.locator("[data-part=wall-modes]")).to_be_visible()
    settled(page)
    assert "at=" not in page.evaluate("location.search")
