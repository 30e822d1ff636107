"""Browser tests of the latent canvas: its drawings, messages and texts."""

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core.datasets import load_dataset
from gplvm_core.prediction import predict
from gplvm_core.store import Library
from tests.app.apptest import PIXELS
from tests.app.maps import (
    EXPLORER,
    MAP,
    OUTPUT,
    SHOWN,
    followed,
    kept_point,
    menu,
    open_map,
    place_on_map,
    wait_for_other_point,
)
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser

PREDICT = """(points) => {
    const explorer = [...window.manifolio.views.values()][0];
    return points.map((point) => {
        const mean = new Float64Array(explorer.model.nOutputs);
        const variance = explorer.model.predict(point, mean);
        return [Array.from(mean), variance];
    });
}"""
SHADE = """(points) => {
    const { model } = [...window.manifolio.views.values()][0];
    return points.map((point) => {
        const slice = model.slice(point, 1, 2);
        const out = new Float64Array(1);
        const us = Float64Array.of(point[1]);
        slice.variances(us, slice.columns(us), point[2], out, 0);
        return out[0];
    });
}"""

FOLLOW = "[data-part=follow]"
# these sliders belong to dimensions that are not on the map
SLIDER = ".dimension[data-axis=''] input[type=range]"
RING = """() => {
    const { map, state: { a, b, point } } = [...window.manifolio.views.values()][0];
    const box = map.upper.getBoundingClientRect();
    const [x, y] = map.toPixel(point[a], point[b]);
    return [box.left + x, box.top + y, map.hit(x, y)];
}"""
# JavaScript that returns rows and a window position for each row. The position is a few pixels
# beside the row's point on the map, and no other training point is near it.
BESIDE = """(count) => {
    const { map, model } = [...window.manifolio.views.values()][0];
    const box = map.upper.getBoundingClientRect();
    const found = [];
    for (let n = 0; n < model.nPoints && found.length < count; n++) {
        const [x, y] = [map.places[2 * n] + 6, map.places[2 * n + 1] - 5];
        if (x > map.width - 9 || y < 9 || map.hit(x, y) >= 0) continue;
        found.push([n, box.left + x, box.top + y]);
    }
    return found;
}"""


def test_browser_and_numpy_agree(server, browser_page):
    page = open_map(browser_page, server.explore())
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    rng = np.random.default_rng(0)
    points = np.vstack([model.latent_mean_[:20], rng.uniform(-4, 4, (20, 4))])
    answers = page.evaluate(PREDICT, points.tolist())
    mean, variance = predict(model.posterior_, points)
    scale = np.ptp(mean)
    np.testing.assert_allclose([a[0] for a in answers], mean, atol=1e-4 * scale)
    internal = variance[:, 0] / model.posterior_.scale[0] ** 2
    np.testing.assert_allclose([a[1] for a in answers], internal, atol=1e-4)
    np.testing.assert_allclose(page.evaluate(SHADE, points.tolist()), internal, atol=1e-4)


def test_hover_generates_without_the_server(server, browser_page):
    page = open_map(browser_page, server.explore())
    pictures = [page.locator(OUTPUT).evaluate(PIXELS)]
    sent = len(browser_page.traffic.sent)
    for share in (0.3, 0.4, 0.5, 0.6, 0.7):
        page.mouse.move(*place_on_map(page, share, 0.45))
        pictures.append(changed(page.locator(OUTPUT), *pictures))
    settled(page)
    assert len(browser_page.traffic.sent) == sent


def test_a_click_sends_no_request_to_the_server(server, browser_page):
    page = open_map(browser_page, server.explore())
    sent, steps = len(browser_page.traffic.sent), page.evaluate("history.length")
    before = page.locator(".details").get_attribute("data-point")
    page.mouse.click(*place_on_map(page, 0.93, 0.9))
    wait_for_other_point(page, before)
    details = page.locator(".details")
    assert details.get_by_role("button").count() == 8
    expect(details.get_by_role("heading", name="Nearest rows")).to_be_visible()
    page.wait_for_function("location.search.includes('at=')")
    settled(page)
    assert len(browser_page.traffic.sent) == sent
    # The link restores the same point; the browser's Back button does not step through chosen
    # points.
    assert page.evaluate("history.length") == steps
    point, link = kept_point(page), page.url
    page.goto("about:blank")
    assert kept_point(open_map(browser_page, link)) == pytest.approx(point, abs=1e-4)


def test_the_values_shown_for_a_point_equal_numpys(server, browser_page):
    page = open_map(browser_page, server.explore())
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    values = load_dataset("digits").targets[:150].astype(float)
    page.mouse.click(*place_on_map(page, 0.7, 0.6))
    wait_for_other_point(page, "")
    point = np.array(kept_point(page))
    page.mouse.move(5, 5)  # outside the map, the page shows the chosen point
    expect(page.locator("[data-part=where]")).to_have_text("Kept")
    distance = np.sqrt((model.latent_mean_ - point) ** 2 @ model.relevance_)
    rows = [str(row + 1) for row in np.argsort(distance)[:8]]
    expect(page.locator(".near button")).to_have_text(rows)
    # Without hidden dimensions, the uncertainty is only that of the function, as a fraction of the
    # data's spread.
    share = page.evaluate(f"(x) => {EXPLORER}.inspector.doubt.share(x, null)", point.tolist())
    _, variance = predict(model.posterior_, point[None])
    scale = np.broadcast_to(model.posterior_.scale, values.shape[1])
    spread = np.mean(np.var(values / scale, axis=0))
    assert share == pytest.approx(np.sqrt(np.mean(variance / scale**2) / spread), rel=0.02)
    # Hidden dimensions that follow the data add the differences between nearby rows to the
    # uncertainty.
    doubt = f"(x) => {EXPLORER}.inspector.doubt.share(x, {EXPLORER}.map.near)"
    assert page.evaluate(doubt, point.tolist()) > share


def test_a_finger_generates_and_keeps(server, browser):
    context = browser.new_context(viewport={"width": 380, "height": 800}, has_touch=True)
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(server.explore())
    page.wait_for_selector(".details[data-point]")
    page.locator("canvas").first.scroll_into_view_if_needed()
    before = page.locator(".details").get_attribute("data-point")
    page.touchscreen.tap(*place_on_map(page, 0.8, 0.3))
    wait_for_other_point(page, before)
    assert page.locator(".details").get_by_role("heading", name="Nearest rows").count()
    # The picture remains visible while a finger touches the map.
    picture = page.locator(OUTPUT).bounding_box()
    assert picture["y"] >= 0 and picture["y"] + picture["height"] < place_on_map(page, 0, 0.9)[1]
    context.close()


def test_a_click_on_a_training_point_takes_its_whole_position(server, browser_page):
    page = open_map(browser_page, server.explore())
    row, x, y = page.evaluate(
        "() => { const { map, model } = [...window.manifolio.views.values()][0];"
        " const box = map.upper.getBoundingClientRect();"
        " let far = 0; for (let n = 0; n < model.nPoints; n++)"
        " if (map.places[2 * n] > map.places[2 * far]) far = n;"
        " return [far, box.left + map.places[2 * far], box.top + map.places[2 * far + 1]]; }"
    )
    before = page.locator(".details").get_attribute("data-point")
    page.mouse.click(x, y)
    wait_for_other_point(page, before)
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    assert kept_point(page) == pytest.approx(model.latent_mean_[row], abs=1e-4)


def test_keys_move_and_keep_the_point(server, browser_page):
    page = open_map(browser_page, server.explore())
    before = page.locator(".details").get_attribute("data-point")
    page.locator(MAP).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    wait_for_other_point(page, before)
    assert "Point kept" in page.locator("[data-part=announce]").inner_text()
    assert "Arrow keys" in page.locator(MAP).get_attribute("aria-label")


def test_wheel_zooms_and_drag_pans_without_keeping(server, browser_page):
    page = open_map(browser_page, server.explore())
    view = "() => ({...[...window.manifolio.views.values()][0].map.view})"
    before = page.evaluate(view)
    page.mouse.move(*place_on_map(page, 0.9, 0.9))
    page.mouse.wheel(0, 40)  # the wheel scrolls the page until the map is clicked
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")
    assert page.evaluate(view) == before
    page.locator(MAP).focus()
    page.wait_for_timeout(600)  # a wheel that has just scrolled the page does not zoom
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"(before) => ({view})().su < before", arg=before["su"])
    zoomed = page.evaluate(view)
    sent, point = len(browser_page.traffic.sent), kept_point(page)
    page.mouse.down()
    page.mouse.move(*place_on_map(page, 0.7, 0.8), steps=5)
    page.mouse.up()
    panned = page.evaluate(view)
    assert panned["u"] > zoomed["u"]
    settled(page)
    assert len(browser_page.traffic.sent) == sent
    assert kept_point(page) == point


def test_a_slider_generates_and_then_keeps(server, browser_page):
    page = open_map(browser_page, server.explore())
    slider = page.locator(SLIDER).first
    before = page.locator(".details").get_attribute("data-point")
    picture = page.locator(OUTPUT).evaluate(PIXELS)
    slider.focus()
    page.keyboard.press("End")
    changed(page.locator(OUTPUT), picture)
    wait_for_other_point(page, before)
    assert "stays" in slider.get_attribute("aria-label")


def test_beside_a_dot_the_output_is_near_its_row(server, browser_page):
    page = open_map(browser_page, server.explore())
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    rows = load_dataset("digits").targets[:150]
    spread = np.ptp(rows)
    beside = page.evaluate(BESIDE, 12)
    assert len(beside) == 12
    errors = {}
    for switch in ("on", "off"):
        errors[switch] = []
        for row, x, y in beside:
            page.mouse.move(x, y)
            shown = page.evaluate(SHOWN)
            point = np.array(shown["point"])
            if switch == "on":
                np.testing.assert_allclose(point, followed(model, shown["pair"], point), atol=1e-4)
                for q, value in shown["sliders"]:
                    assert value == pytest.approx(point[q], abs=1e-4)
            mean, _ = predict(model.posterior_, point[None])
            np.testing.assert_allclose(shown["output"], mean[0], atol=1e-4 * spread)
            errors[switch].append(np.sqrt(np.mean((mean[0] - rows[row]) ** 2)))
        menu(page, "More")
        page.locator(FOLLOW).click()
        page.keyboard.press("Escape")
    assert np.mean(errors["on"]) < 0.9 * np.mean(errors["off"])


def test_the_kept_point_and_the_shading_are_near_the_data(server, browser_page):
    page = open_map(browser_page, server.explore())
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    before = page.locator(".details").get_attribute("data-point")
    _, x, y = page.evaluate(BESIDE, 1)[0]
    page.mouse.click(x, y)
    wait_for_other_point(page, before)
    point, pair = kept_point(page), page.evaluate(SHOWN)["pair"]
    np.testing.assert_allclose(point, followed(model, pair, point), atol=2e-3)
    # This is the last and finest grid of the shading.
    page.wait_for_function(
        "() => { const { job } = [...window.manifolio.views.values()][0].map.shading;"
        " return job.row === job.rows && job.columns > 50; }"
    )
    values = page.evaluate(
        "() => { const { job } = [...window.manifolio.views.values()][0].map.shading;"
        " return [700, 1500, 2300].map((i) => [job.us[i % job.columns],"
        " job.top - (Math.floor(i / job.columns) + 0.5) * job.dv, job.values[i]]); }"
    )
    for u, v, value in values:
        place = np.zeros(4)
        place[pair] = u, v
        _, variance = predict(model.posterior_, followed(model, pair, place)[None])
        assert value == pytest.approx(variance[0, 0] / model.posterior_.scale[0] ** 2, abs=1e-4)


def test_a_slider_moved_by_hand_stays_where_it_is(server, browser_page):
    page = open_map(browser_page, server.explore())
    switch, slider = page.locator(FOLLOW), page.locator(SLIDER).first
    expect(switch).to_have_attribute("aria-pressed", "true")
    first = page.locator(".details").get_attribute("data-point")
    slider.focus()
    page.keyboard.press("End")
    expect(switch).to_have_attribute("aria-pressed", "false")
    (q, held), *_ = page.evaluate(SHOWN)["sliders"]
    for _, x, y in page.evaluate(BESIDE, 3):
        page.mouse.move(x, y)
        shown = page.evaluate(SHOWN)
        assert shown["sliders"][0] == [q, held]
        assert shown["point"][q] == pytest.approx(held, abs=1e-3)  # the slider rounds its value
    # After the switch is on again, the chosen point moves to the data; the details follow later.
    wait_for_other_point(page, first)
    before = page.locator(".details").get_attribute("data-point")
    menu(page, "More")
    switch.click()
    wait_for_other_point(page, before)
    expect(switch).to_have_attribute("aria-pressed", "true")
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    wanted = followed(model, page.evaluate(SHOWN)["pair"], kept_point(page))
    np.testing.assert_allclose(kept_point(page), wanted, atol=2e-3)


def test_a_ring_on_a_dot_takes_the_picture_along(server, browser_page):
    page = open_map(browser_page, server.explore())
    x, y, row = page.evaluate(RING)
    assert row >= 0  # the first point is a training point
    page.mouse.move(x, y)
    pictures = [page.locator(OUTPUT).evaluate(PIXELS)]
    page.mouse.down()
    for share in (0.3, 0.5, 0.7):
        page.mouse.move(*place_on_map(page, share, 0.8))
        pictures.append(changed(page.locator(OUTPUT), *pictures))
    page.mouse.up()


def test_a_missing_model_is_reported(server, browser_page):
    browser_page.page.goto(f"{server.url}/explore?model=library:nothing")
    browser_page.page.get_by_text("There is no model").wait_for()
    browser_page.page.get_by_role("button", name="Choose another model").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_screens_fit(server, browser_page, scheme):
    page = browser_page.page
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 380, "height": 800})
    open_map(browser_page, server.explore())
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    box, output = page.locator(MAP).bounding_box(), page.locator(OUTPUT).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 380
    assert output["y"] + output["height"] < box["y"] + box["height"] <= 800
