"""Browser tests of the stops about depth: points by a click, a layer's map, draws at any depth."""

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core.prediction import predict
from gplvm_core.readers.bodies.parts import whole_body
from gplvm_core.store import Library
from tests.app.apptest import PIXELS
from tests.app.conftest import ROOT, Server, Visit
from tests.app.looks import check_looks
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_points_are_added_layers_generate_and_depth_flattens(server: Server, browser_page: Visit):
    page, traffic = browser_page.page, browser_page.traffic
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
    check_looks(settled(page))
    page.goto(f"{server.url}/explore?model=gallery:deep-flow&layer=1")
    output = page.locator("canvas[data-part=output]")
    expect(output).to_be_visible()
    settled(page)
    first, sent = output.evaluate(PIXELS), len(traffic.sent)
    map_ = page.locator("canvas[data-part=upper]")
    map_.hover(position={"x": 60, "y": 60})
    changed(output, first)
    assert len(traffic.sent) == sent
    # A kept position belongs to one layer's map.
    map_.click(position={"x": 90, "y": 120})
    page.wait_for_url("**at=**")
    page.get_by_role("radio", name="above the data").click()
    expect(page.locator("[data-part=wall-modes]")).to_be_visible()
    settled(page)
    assert "at=" not in page.evaluate("location.search")
    # Draws at any depth.
    page.goto(f"{server.url}/learn?stop=ten")
    line = page.locator("canvas[data-part=line]")
    expect(line).to_be_visible()
    settled(page)
    shown = line.evaluate(PIXELS)
    page.locator("[data-part=depth]").fill("10")
    changed(line, shown)
    page.wait_for_function("() => location.search.includes('depth=10')")
    check_looks(settled(page))


TREE = """async () => {
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    const [, tree] = [...window.manifolio.views].find(([name]) => name.endsWith("|tree"));
    const points = tree.model.maps.map(({ point }) => Array.from(point));
    return [points, Array.from(tree.pictures[0].values)];
}"""


@pytest.mark.slow
def test_the_top_of_a_tree_moves_every_part_and_a_part_moves_alone(
    server: Server, browser_page: Visit
):
    page, traffic = browser_page.page, browser_page.traffic
    page.goto(f"{server.url}/explore?model=gallery:limbs&tab=layers")
    page.wait_for_selector(".tree[data-ready=true]")
    settled(page)
    library = Library(ROOT / "assets" / "models", read_only=True)
    model, dataset = library.model("limbs"), library.dataset("limbs")
    whole = whole_body(dataset)
    sent = len(traffic.sent)

    def body_at(points: list[list[float]]) -> np.ndarray:
        found = [
            predict(model.view_layers_[view].posterior_, np.array([point]))[0]
            for view, point in zip(model.views_, points[1:], strict=True)
        ]
        return whole.rows(found).ravel()

    before, _ = page.evaluate(TREE)
    page.locator("canvas[data-map='All together']").click(position={"x": 60, "y": 60})
    points, body = page.evaluate(TREE)
    for at, view in enumerate(model.views_, 1):
        (own,) = model.own_layers_[view]
        expected, _ = predict(own.posterior_, np.array(points[:1]))
        np.testing.assert_allclose([points[at]], expected, atol=1e-4)
        assert np.abs(np.subtract(points[at], before[at])).max() > 1e-3
    np.testing.assert_allclose(body, body_at(points), atol=1e-3)
    page.locator("canvas[data-map='arms']").click(position={"x": 90, "y": 40})
    moved, waving = page.evaluate(TREE)
    assert [now == then for now, then in zip(moved, points, strict=True)] == [
        True,
        True,
        False,
        True,
    ]
    np.testing.assert_allclose(waving, body_at(moved), atol=1e-3)
    expect(page.get_by_text("Only “arms” moves; everything else stays.")).to_be_visible()
    assert len(traffic.sent) == sent  # the browser computes all of this
    page.get_by_role("button", name="Together again").click()
    assert page.evaluate(TREE)[0] == points
    check_looks(settled(page))
