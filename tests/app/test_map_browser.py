"""Visits to the map of a model: looking round, keeping places, the parts around the map, links."""

import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core.datasets import load_dataset
from gplvm_core.prediction import predict
from gplvm_core.store import Library
from tests.app.apptest import PIXELS
from tests.app.conftest import SCREEN, TELEPHONE
from tests.app.looks import CUT, WORDS, check_looks, focus_stops
from tests.app.maps import (
    EXPLORER,
    MAP,
    OUTPUT,
    READY,
    SHOWN,
    followed,
    kept_point,
    link_with,
    menu,
    open_map,
    place_on_map,
    wait_for_other_point,
)
from tests.app.watch import changed, settled, wait_until

pytestmark = pytest.mark.browser

PREDICT = f"""(points) => {{
    const {{ model }} = {EXPLORER};
    return points.map((point) => {{
        const mean = new Float64Array(model.nOutputs);
        const variance = model.predict(point, mean);
        return [Array.from(mean), variance];
    }});
}}"""
SHADE = f"""(points) => {{
    const {{ model }} = {EXPLORER};
    return points.map((point) => {{
        const slice = model.slice(point, 1, 2);
        const out = new Float64Array(1);
        const us = Float64Array.of(point[1]);
        slice.variances(us, slice.columns(us), point[2], out, 0);
        return out[0];
    }});
}}"""
SHADED = f"() => {{ const {{ job }} = {EXPLORER}.map.shading;"
SHADED_FINELY = f"{SHADED} return job.row === job.rows && job.columns > 50; }}"
# JavaScript that returns the position and the value of some cells of the shading.
SHADES = f"""{SHADED} return [700, 1500, 2300].map((i) => [job.us[i % job.columns],
    job.top - (Math.floor(i / job.columns) + 0.5) * job.dv, job.values[i]]); }}"""
# JavaScript that returns the window position of the chosen point, and the row at this position.
RING = f"""() => {{
    const {{ map, state: {{ a, b, point }} }} = {EXPLORER};
    const box = map.upper.getBoundingClientRect();
    const [x, y] = map.toPixel(point[a], point[b]);
    return [box.left + x, box.top + y, map.hit(x, y)];
}}"""
# JavaScript that returns the row farthest to the right, and its window position.
RIGHTMOST = f"""() => {{
    const {{ map, model }} = {EXPLORER};
    const box = map.upper.getBoundingClientRect();
    let far = 0;
    for (let n = 0; n < model.nPoints; n++) if (map.places[2 * n] > map.places[2 * far]) far = n;
    return [far, box.left + map.places[2 * far], box.top + map.places[2 * far + 1]];
}}"""
# JavaScript that returns rows and a window position for each row. The position is a few pixels
# beside the row's point on the map, and no other training point is near it.
BESIDE = f"""(count) => {{
    const {{ map, model }} = {EXPLORER};
    const box = map.upper.getBoundingClientRect();
    const found = [];
    for (let n = 0; n < model.nPoints && found.length < count; n++) {{
        const [x, y] = [map.places[2 * n] + 6, map.places[2 * n + 1] - 5];
        if (x > map.width - 9 || y < 9 || map.hit(x, y) >= 0) continue;
        found.push([n, box.left + x, box.top + y]);
    }}
    return found;
}}"""
VIEW = f"() => ({{...{EXPLORER}.map.view}})"
WALL = f"() => {EXPLORER}.wall.places.map((place) => [...place])"
WHERE = "[data-part=where]"
FOLLOW = "[data-part=follow]"
# these sliders belong to dimensions that are not on the map
SLIDER = ".dimension[data-axis=''] input[type=range]"
NAME = ".dimension input.name"


def click(page, x, y):
    """Click at a window position, and return the new chosen point after the details show it."""
    before = page.locator(".details").get_attribute("data-point")
    page.mouse.click(x, y)
    wait_for_other_point(page, before)
    return kept_point(page)


def test_a_visitor_looks_round_without_asking_the_server(server, browser_page):
    page, model = open_map(browser_page, server.explore()), server.model()
    sent = len(browser_page.traffic.sent)

    # Everything of a first visit is in the window, and all bars are on one line.
    for part in (MAP, OUTPUT, ".matters", "[data-part=sureness]", ".tools"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 900, part
    heights = page.locator(".toolbar > *:visible").evaluate_all(
        "parts => parts.map((part) => part.getBoundingClientRect())"
        ".filter(({ height }) => height > 0).map(({ top }) => top)"
    )
    assert np.ptp(heights) < 20
    assert 0.55 <= page.locator(MAP).bounding_box()["width"] / 1204 <= 0.63

    # The browser's numbers are NumPy's.
    rng = np.random.default_rng(0)
    points = np.vstack([model.latent_mean_[:20], rng.uniform(-4, 4, (20, 4))])
    answers = page.evaluate(PREDICT, points.tolist())
    mean, variance = predict(model.posterior_, points)
    np.testing.assert_allclose([a[0] for a in answers], mean, atol=1e-4 * np.ptp(mean))
    internal = variance[:, 0] / model.posterior_.scale[0] ** 2
    np.testing.assert_allclose([a[1] for a in answers], internal, atol=1e-4)
    np.testing.assert_allclose(page.evaluate(SHADE, points.tolist()), internal, atol=1e-4)

    # The text and the pictures describe the pointer, and then the chosen point again.
    said, rows = page.locator(".where"), page.locator(".near")
    expect(page.locator(WHERE)).to_have_text("Kept")
    kept = said.inner_text(), page.locator(OUTPUT).evaluate(PIXELS), rows.inner_text()
    film = page.locator(".film canvas").first.evaluate(PIXELS)
    page.mouse.move(*place_on_map(page, 0.85, 0.3))
    expect(page.locator(WHERE)).to_have_text("Here")
    pictures = [kept[1], changed(page.locator(OUTPUT), kept[1])]
    changed(page.locator(".film canvas").first, film)
    expect(rows).not_to_have_text(kept[2])
    for share in (0.3, 0.5, 0.7):
        page.mouse.move(*place_on_map(page, share, 0.45))
        pictures.append(changed(page.locator(OUTPUT), *pictures))
    page.mouse.move(5, 5)
    expect(page.locator(WHERE)).to_have_text("Kept")
    settled(page)
    assert said.inner_text() == kept[0]
    assert page.locator(OUTPUT).evaluate(PIXELS) == kept[1]
    assert rows.inner_text() == kept[2]

    # Beside a dot the output is near the dot's row, because hidden dimensions follow the data.
    values = load_dataset("digits").targets[:150]
    beside = page.evaluate(BESIDE, 8)
    assert len(beside) == 8
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
            np.testing.assert_allclose(shown["output"], mean[0], atol=1e-4 * np.ptp(values))
            errors[switch].append(np.sqrt(np.mean((mean[0] - values[row]) ** 2)))
        menu(page, "More")
        page.locator(FOLLOW).click()
        page.keyboard.press("Escape")
    assert np.mean(errors["on"]) < 0.9 * np.mean(errors["off"])

    page.get_by_role("button", name="Zoom in").click()
    zoomed = page.evaluate(VIEW)["su"]
    page.get_by_role("button", name="Show the whole map").click()
    assert page.evaluate(VIEW)["su"] > zoomed
    settled(page)
    assert len(browser_page.traffic.sent) == sent
    check_looks(page)


def test_a_visitor_keeps_places_without_asking_the_server(server, browser_page):
    page, model = open_map(browser_page, server.explore()), server.model()
    sent, steps = len(browser_page.traffic.sent), page.evaluate("history.length")
    details = page.locator(".details")
    seen = [kept_point(page), click(page, *place_on_map(page, 0.93, 0.9))]
    assert details.get_by_role("button").count() == 8
    expect(details.get_by_role("heading", name="Nearest rows")).to_be_visible()
    link_with(page, seen[1])

    # Places are undone and come back.
    seen.append(click(page, *place_on_map(page, 0.3, 0.4)))
    page.get_by_role("button", name="Back to the previous place").click()
    assert kept_point(page) == seen[1]
    page.keyboard.press("Control+z")
    assert kept_point(page) == pytest.approx(seen[0])
    assert page.locator("[data-part=back]").is_disabled()
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+y")
    assert kept_point(page) == seen[2]
    assert page.locator("[data-part=forward]").is_disabled()

    # The nearest rows and the uncertainty of a kept point are NumPy's.
    values = load_dataset("digits").targets[:150].astype(float)
    point = np.array(click(page, *place_on_map(page, 0.7, 0.6)))
    page.mouse.move(5, 5)  # outside the map, the page shows the chosen point
    expect(page.locator(WHERE)).to_have_text("Kept")
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

    # Beside a dot, the kept point and the shading are near the data.
    _, x, y = page.evaluate(BESIDE, 1)[0]
    point, pair = click(page, x, y), page.evaluate(SHOWN)["pair"]
    np.testing.assert_allclose(point, followed(model, pair, point), atol=2e-3)
    page.wait_for_function(SHADED_FINELY)
    for u, v, value in page.evaluate(SHADES):
        place = np.zeros(4)
        place[pair] = u, v
        _, variance = predict(model.posterior_, followed(model, pair, place)[None])
        assert value == pytest.approx(variance[0, 0] / model.posterior_.scale[0] ** 2, abs=1e-4)

    # A click on a dot takes its whole position, and its ring can be dragged.
    row, x, y = page.evaluate(RIGHTMOST)
    assert click(page, x, y) == pytest.approx(model.latent_mean_[row], abs=1e-4)
    x, y, row = page.evaluate(RING)
    assert row >= 0
    page.mouse.move(x, y)
    pictures = [page.locator(OUTPUT).evaluate(PIXELS)]
    page.mouse.down()
    for share in (0.3, 0.5, 0.7):
        page.mouse.move(*place_on_map(page, share, 0.8))
        pictures.append(changed(page.locator(OUTPUT), *pictures))
    page.mouse.up()

    # A surprise is another place among the data.
    scale = np.sqrt(model.relevance_)
    places = model.latent_mean_ * scale
    between = np.linalg.norm(places[:, None] - places, axis=2)
    surprises = set()
    for _ in range(3):
        before = details.get_attribute("data-point")
        menu(page, "More")
        page.get_by_role("button", name="Surprise me").click()
        wait_for_other_point(page, before)
        surprises.add(tuple(kept_point(page)))
        apart = np.linalg.norm(places - np.asarray(kept_point(page)) * scale, axis=1).min()
        assert apart < np.median(between)
    assert len(surprises) == 3
    settled(page)
    assert len(browser_page.traffic.sent) == sent

    # The link restores the same point; the browser's Back button does not step through chosen
    # points.
    assert page.evaluate("history.length") == steps
    point = click(page, *place_on_map(page, 0.3, 0.4))
    link = link_with(page, point)
    page.goto("about:blank")
    assert kept_point(open_map(browser_page, link)) == pytest.approx(point, abs=1e-4)


@pytest.mark.slow
def test_keys_sliders_and_the_wheel_move_the_map(server, browser_page):
    page, model = open_map(browser_page, server.explore()), server.model()

    # The map is five tabs away.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # opens Streamlit's link that skips the menu of rooms
    assert "Skip to the map" in [name for _, name in focus_stops(page, 4)]
    page.locator("[data-part=skip]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(MAP)).to_be_focused()
    readout = page.locator("[data-part=readout]")
    said = readout.inner_text()
    before = page.locator(".details").get_attribute("data-point")
    page.keyboard.press("ArrowRight")
    expect(readout).not_to_have_text(said)
    page.keyboard.press("Shift+ArrowUp")
    wait_for_other_point(page, before)
    expect(page.locator("[data-part=announce]")).to_contain_text("Point kept")
    assert "Arrow keys" in page.locator(MAP).get_attribute("aria-label")

    # A slider that was moved by hand stays where it is.
    switch, slider = page.locator(FOLLOW), page.locator(SLIDER).first
    expect(switch).to_have_attribute("aria-pressed", "true")
    first, picture = kept_text(page), page.locator(OUTPUT).evaluate(PIXELS)
    slider.focus()
    page.keyboard.press("End")
    changed(page.locator(OUTPUT), picture)
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert "stays" in slider.get_attribute("aria-label")
    (q, held), *_ = page.evaluate(SHOWN)["sliders"]
    for _, x, y in page.evaluate(BESIDE, 3):
        page.mouse.move(x, y)
        shown = page.evaluate(SHOWN)
        assert shown["sliders"][0] == [q, held]
        assert shown["point"][q] == pytest.approx(held, abs=1e-3)  # the slider rounds its value
    # After the switch is on again, the chosen point moves to the data; the details follow later.
    wait_for_other_point(page, first)
    before = kept_text(page)
    menu(page, "More")
    switch.click()
    wait_for_other_point(page, before)
    expect(switch).to_have_attribute("aria-pressed", "true")
    wanted = followed(model, page.evaluate(SHOWN)["pair"], kept_point(page))
    np.testing.assert_allclose(kept_point(page), wanted, atol=2e-3)
    page.keyboard.press("Escape")

    # The other dimensions can be shown.
    across = page.locator("[data-part=across]")
    up = page.locator("[data-part=up]").input_value()
    other = next(q for q in "0123" if q not in (across.input_value(), up))
    across.select_option(other)
    page.wait_for_function(f"location.search.includes('dims={int(other) + 1}')")
    assert page.locator("[data-part=up]").input_value() == up
    across.blur()

    # The wheel scrolls the page until the map has the focus; then it zooms, and a drag pans.
    sent, point = len(browser_page.traffic.sent), kept_point(page)
    before = page.evaluate(VIEW)
    page.mouse.move(*place_on_map(page, 0.9, 0.9))
    page.mouse.wheel(0, 40)
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 0")
    assert page.evaluate(VIEW) == before
    page.locator(MAP).focus()
    page.wait_for_timeout(600)  # a wheel that has just scrolled the page does not zoom
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"(before) => ({VIEW})().su < before", arg=before["su"])
    zoomed = page.evaluate(VIEW)
    page.mouse.down()
    page.mouse.move(*place_on_map(page, 0.7, 0.8), steps=5)
    page.mouse.up()
    assert page.evaluate(VIEW)["u"] > zoomed["u"]
    settled(page)
    assert len(browser_page.traffic.sent) == sent
    assert kept_point(page) == point


def kept_text(page):
    return page.locator(".details").get_attribute("data-point")


@pytest.mark.slow
def test_bookmarks_rows_names_and_a_wall_are_around_the_map(server, browser_page, tmp_path):
    page, model = open_map(browser_page, server.explore()), server.model()
    sent = len(browser_page.traffic.sent)

    # Rows are found by their number.
    page.keyboard.press("/")
    field = page.locator("[data-part=search]")
    expect(field).to_be_focused()
    page.keyboard.type("row 17")
    page.keyboard.press("Enter")
    assert kept_point(page) == pytest.approx(model.latent_mean_[16], abs=1e-4)
    expect(page.locator(".where")).to_contain_text("Row 17")
    field.fill("row 9999")
    field.press("Enter")
    expect(page.locator("[data-part=found]")).to_contain_text("There is no row 9999")
    assert kept_point(page) == pytest.approx(model.latent_mean_[16], abs=1e-4)

    # Unsure pixels are blurred, faded or left.
    page.mouse.move(5, 5)
    seen = {}
    for how in ("Blur", "Fade", "Off"):
        page.get_by_role("button", name=how, exact=True).click()
        settled(page)
        seen[how] = page.locator(OUTPUT).evaluate(PIXELS)
    sure = page.evaluate(f"{EXPLORER}.inspector.share")
    assert (len(set(seen.values())) == 3) == (sure > 0.42)
    page.wait_for_function("location.search.includes('unsure=off')")

    # A wall shows sixteen places, and a click leads to one.
    page.get_by_role("button", name="More like this").click()
    page.get_by_role("button", name="Anywhere").click()
    expect(page.locator(".wall canvas")).to_have_count(16)
    first = page.locator(".wall canvas").first.evaluate(PIXELS)
    page.get_by_role("button", name="Anywhere").click()
    first = changed(page.locator(".wall canvas").first, first)
    page.get_by_role("button", name="Noise").click()
    changed(page.locator(".wall canvas").first, first)
    page.get_by_role("button", name="Map", exact=True).click()
    pair = page.evaluate(SHOWN)["pair"]
    # Drawings on the map move with the map.
    wide = np.ptp(np.array(page.evaluate(WALL))[:, pair[0]])
    page.mouse.move(*place_on_map(page, 0.4, 0.5))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -60)
    page.keyboard.up("Control")
    page.wait_for_function(
        f"([q, wide]) => {{ const at = ({WALL})().map((place) => place[q]);"
        " return Math.max(...at) - Math.min(...at) < 0.8 * wide; }",
        arg=[pair[0], float(wide)],
    )
    places = page.evaluate(WALL)
    assert len({place[pair[0]] for place in places}) == 4
    for place in places:
        np.testing.assert_allclose(place, followed(model, pair, place), atol=1e-4)
    page.get_by_role("button", name="Place 6", exact=True).click()
    point = kept_point(page)
    assert point == pytest.approx(places[5], abs=1e-4)
    expect(page.locator(OUTPUT)).to_be_visible()
    assert len(browser_page.traffic.sent) == sent

    # Dimensions have fractions of what matters, films, and names.
    rows = page.locator(".dimension")
    shares = [int(text.strip(" %→↑")) for text in page.locator(".share").all_text_contents()]
    assert shares == sorted(shares, reverse=True)
    assert abs(sum(shares) - 100) <= len(shares) / 2
    pictures = {rows.first.locator("canvas").nth(i).evaluate(PIXELS) for i in range(5)}
    assert len(pictures) == 5
    option = page.locator(
        f"[data-part=across] option[value='{rows.first.get_attribute('data-q')}']"
    )
    default = option.inner_text()
    name = page.locator(NAME).first
    name.fill("Round <b>or</b> not")
    name.press("Enter")
    expect(option).to_have_text("Round <b>or</b> not")
    library, identifier = Library(server.home / "library"), server.model_key.split(":")[1]
    wait_until(page, lambda: dict(library.entry(identifier).dimension_names).get("", ()) != ())

    # Bookmarks have names, too, and are saved as JSON.
    menu(page, "More")
    page.get_by_role("button", name="Bookmark this place").click()
    page.get_by_label("Name of the bookmark").fill("a <b>four</b>")
    page.get_by_label("Name of the bookmark").press("Enter")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save", exact=True).click()
    path = tmp_path / "places.json"
    waiting.value.save_as(path)
    saved = json.loads(path.read_text())
    assert [place["name"] for place in saved["places"]] == ["a <b>four</b>"]
    assert saved["places"][0]["point"] == point

    # The name is stored with the model, so another browser shows it; bookmarks are this browser's.
    page.goto("about:blank")
    open_map(browser_page, server.explore())
    expect(option).to_have_text("Round <b>or</b> not")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('dim'))") == []
    # Two dimensions cannot have the same name; an empty name restores the default.
    second = page.locator(NAME).nth(1)
    second.fill("round <b>or</b> not")
    second.press("Enter")
    expect(page.locator(".dimension .problem:visible")).to_contain_text("Choose another name")
    name.fill("")
    name.press("Enter")
    expect(option).to_have_text(default)
    wait_until(page, lambda: library.entry(identifier).dimension_names == ())
    assert kept_point(page) != point
    page.get_by_role("button", name="Go to a <b>four</b>").click()
    assert kept_point(page) == point
    page.get_by_role("button", name="Remove a <b>four</b>").click()
    # Without bookmarks there is nothing to save, but Load is still available.
    expect(page.locator(".kept > div")).to_have_count(0)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Load", exact=True)).to_be_visible()
    for text, told in (("[", "not JSON"), (path.read_text(), None)):
        path.write_text(text)
        page.locator(".bookmarks input[type=file]").set_input_files(path)
        if told:
            expect(page.locator(".bookmarks [role=alert]")).to_contain_text(told)
    expect(page.locator(".kept > div")).to_have_count(1)


@pytest.mark.slow
def test_a_link_has_the_parts_of_the_map_and_the_place_outlives_other_pages(server, browser_page):
    look = browser_page.page.locator("[data-part=explorer]")
    page = open_map(
        browser_page,
        server.explore(
            "&show=thumbnails,clouds&shade=magnification&wall=map&unsure=fade&noise=1&by=9"
        ),
    )
    expect(look.get_by_role("button", name="Thumbnails")).to_have_attribute("aria-pressed", "true")
    expect(look.get_by_role("combobox", name="Shading")).to_have_value("magnification")
    expect(page.locator("[data-part=most]")).to_contain_text("×")
    expect(page.locator(".wall canvas").first).to_be_visible()
    expect(look.get_by_role("button", name="Fade")).to_have_attribute("aria-pressed", "true")
    expect(look.get_by_role("button", name="Noise")).to_have_attribute("aria-pressed", "true")
    menu(page, "More")
    ellipses = look.get_by_role("button", name="Uncertain positions")
    ellipses.click()
    look.get_by_role("button", name="Back to one", exact=True).click()
    page.wait_for_function("!location.search.includes('wall=')")
    assert "show=thumbnails,ellipses" in page.url
    page.keyboard.press("Escape")
    point = click(page, *place_on_map(page, 0.2, 0.85))
    page.get_by_role("link", name="Train").click()
    page.locator(MAP).wait_for(state="detached")
    assert page.evaluate("[window.manifolio.views.size, window.manifolio.stores.size]") == [0, 0]
    page.get_by_role("link", name="Explore").click()
    page.wait_for_selector(".details[data-point]")
    assert kept_point(page) == pytest.approx(point)
    link_with(page, point)
    page.wait_for_function("location.search.includes('shade=magnification')")
    menu(page, "More")
    expect(ellipses).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
def test_what_a_model_cannot_know_is_reported(server, browser_page):
    page = open_map(browser_page, server.explore("&dims=1,99&at=0,0"))
    expect(page.get_by_text("does not fit this map")).to_be_visible()
    # Far from all rows nothing is claimed.
    page = open_map(browser_page, server.explore(f"&at={','.join(['60'] * 4)}&hold=1"))
    text = page.locator("[data-part=explorer]").inner_text()
    assert "Unlike anything the model has seen" in text
    assert "A guess" in text
    assert "No row is near" in text
    assert "100 %" not in text
    assert not re.search(r"near row|nearest rows\b.*\d of", text)
    assert page.locator("[data-part=looks]").inner_text() == "–"
    page.goto(f"{server.url}/explore?model=library:nothing")
    page.get_by_text("There is no model").wait_for()
    page.get_by_role("button", name="Choose another model").wait_for()


def test_a_finger_moves_over_the_map_on_a_telephone(server, telephone):
    page = open_map(telephone, server.explore())
    assert page.evaluate(CUT) == []
    box, output = page.locator(MAP).bounding_box(), page.locator(OUTPUT).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= TELEPHONE["width"]
    assert output["y"] + output["height"] < box["y"] + box["height"] <= TELEPHONE["height"]
    # Menus open within the window, and Escape closes them.
    for part in ("more", "taking"):
        panel = page.locator(f"details[data-part={part}]")
        panel.locator("summary").click()
        box = panel.locator(".takings").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= TELEPHONE["width"]
        assert page.evaluate(CUT) == []
        page.keyboard.press("Escape")
        expect(panel.locator(".takings")).to_be_hidden()
        expect(panel.locator("summary")).to_be_focused()
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    before = kept_text(page)
    page.touchscreen.tap(*place_on_map(page, 0.8, 0.3))
    wait_for_other_point(page, before)
    assert page.locator(".details").get_by_role("heading", name="Nearest rows").count()
    # The picture remains visible while a finger touches the map.
    picture = page.locator(OUTPUT).bounding_box()
    assert picture["y"] >= 0 and picture["y"] + picture["height"] < place_on_map(page, 0, 0.9)[1]
    # The output is seen beside the slider of a path.
    page.get_by_role("button", name="Reset").scroll_into_view_if_needed()
    paths = page.get_by_role("group", name="Path", exact=True)
    paths.get_by_role("button", name="Path", exact=True).click()
    page.touchscreen.tap(*place_on_map(page, 0.8, 0.5))
    slider = paths.get_by_label("Place on the path")
    expect(slider).to_be_visible()
    for part in (page.locator(WHERE), page.locator(MAP), slider):
        expect(part).to_be_in_viewport(ratio=1)
    # A found row scrolls into view.
    field = page.get_by_placeholder("Find a row")
    field.fill("7")
    field.press("Enter")
    expect(page.locator(WHERE)).to_be_in_viewport(ratio=1)
    expect(page.locator(MAP)).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_columns_of_a_table_have_bars_and_names_travel_in_links_and_to_other_tabs(
    server, browser_page
):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:flow")
    assert len(page.evaluate(WORDS)) <= 60, " ".join(page.evaluate(WORDS))
    # Values are on the range of their columns.
    rows = page.locator(".values li")
    data = load_dataset("flow")
    expect(rows).to_have_count(data.n_outputs)
    low, high = data.values[:, 0].min(), data.values[:, 0].max()
    bar = rows.first.locator(".bar")
    words = bar.get_attribute("aria-label")
    number = r"(−?[\d.]+)"
    found = re.search(f"range of the data {number} to {number}, median {number}", words)
    shown = [float(text.replace("−", "-")) for text in found.groups()]
    np.testing.assert_allclose(shown, [low, high, np.median(data.values[:, 0])], atol=0.01)
    page.mouse.move(*place_on_map(page, 0.7, 0.3))
    expect(bar).not_to_have_attribute("aria-label", words)
    rows.nth(1).locator("button.column").click()
    expect(page.locator("[data-part=colour] option:checked")).to_have_text(data.column_names[1])
    # The names of a ready model's dimensions are in its link, and in the figures of other tabs.
    name = page.locator(".dimension[data-axis=across] input.name")
    name.fill("Oil & gas ~ 50 %")
    name.press("Enter")
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async (text) => { window.copied = text; } } })"
    )
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    link = page.evaluate("copied")
    page.get_by_role("radio", name="Fill in").click()
    expect(page.locator(".js-plotly-plot .xtitle").first).to_have_text("Oil & gas ~ 50 %")
    expect(page.locator(".js-plotly-plot .ytitle").first).to_contain_text("Dimension")
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    open_map(browser_page, link)
    expect(name).to_have_value("Oil & gas ~ 50 %")


@pytest.mark.slow
def test_a_row_has_its_own_values_beside_the_models(server, browser_page):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:countries")
    lower = page.locator("canvas[data-part=lower]")
    names = page.get_by_role("button", name="Names", exact=True)
    expect(names).to_have_attribute("aria-pressed", "true")  # the rows of this table have names
    named = lower.evaluate(PIXELS)
    names.click()
    changed(lower, named)
    page.wait_for_url(re.compile(r"[?&]show=none"))
    data = load_dataset("countries")
    row = list(data.row_names).index("Japan")
    page.keyboard.press("/")
    page.keyboard.type("Japan")
    page.keyboard.press("Enter")
    values = page.locator(".values")
    expect(values.locator(".head")).to_contain_text("data")
    column = next(d for d, each in enumerate(data.columns) if each.kind == "number")
    own = values.locator("li").nth(column).locator("em")
    expect(own).to_be_visible()
    assert float(own.inner_text()) == data.values[row, column]  # with the digits of the data
    # The table of nearest rows, and the table of all rows, have the same digits.
    heads = page.locator(".details thead th").all_inner_texts()
    near = page.locator(".details tbody tr", has_text="Japan").locator("td")
    expect(near.nth(heads.index(data.column_names[column]) - 1)).to_have_text(own.inner_text())
    page.get_by_role("button", name="Table").click()
    listed = page.locator("[data-part=listing] tr[aria-current] td")
    assert own.inner_text() in listed.all_inner_texts()
    words = next(d for d, each in enumerate(data.columns) if each.words)
    word = data.columns[words].words[int(data.values[row, words])]
    expect(values.locator("li").nth(words).locator("em")).to_have_text(word)
    # Elsewhere on the map there is no row, so there are no values of a row.
    page.mouse.click(*place_on_map(page, 0.95, 0.2))
    page.mouse.move(5, 5)
    expect(own).to_have_text("")


# JavaScript that returns where the parts of the inspector begin, and their heights.
PARTS = """() => {
    const shadows = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
    const inspector = shadows.map(({ shadowRoot }) => shadowRoot?.querySelector(".inspector"))
        .find(Boolean);
    return [...inspector.querySelectorAll(".where, .facts dl, .values, .more-like, .matters")]
        .map((part) => part.getBoundingClientRect()).map(({ top, height }) => [top, height]);
}"""


@pytest.mark.parametrize("size", [SCREEN, pytest.param(TELEPHONE, marks=pytest.mark.slow)])
def test_the_inspector_stands_still_while_the_pointer_moves(server, browser_page, size):
    browser_page.page.set_viewport_size(size)
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:countries")
    seen = set()
    for across in (0.1, 0.3, 0.5, 0.7, 0.95):
        for up in (0.45, 0.6, 0.75, 0.95):
            page.mouse.move(*place_on_map(page, across, up))
            page.wait_for_timeout(80)  # slower parts follow the pointer after 40 ms
            seen.add(str(page.evaluate(PARTS)))
    assert len(seen) == 1


@pytest.mark.slow
def test_the_next_visit_has_the_last_model_and_the_folds_as_they_were(server, browser_page):
    page = open_map(browser_page, server.explore())
    fold = page.locator(".matters details")
    fold.locator("summary").click()
    expect(fold.locator(".dimension").first).to_be_visible()
    page.goto("about:blank")
    # The link in the Gallery opens the last model; if that model was deleted, a ready model opens.
    page.goto(server.url)
    settled(page).get_by_role("link", name="Explore").first.click()
    page.wait_for_selector(READY)
    page.wait_for_function("() => location.search.includes('model=library')")
    assert "last=" not in page.url
    expect(fold).to_have_attribute("open", "")
    page.goto(f"{server.url}/_stcore/health")  # a page that never changes the last model
    page.evaluate("localStorage.setItem('last model', 'library:gone')")
    page.goto("about:blank")
    open_map(browser_page, f"{server.url}/explore")
    page.wait_for_function("() => location.search.includes('model=gallery')")


def test_titles_in_the_menu_of_models_are_whole_while_one_is_typed(server, browser_page):
    page = open_map(browser_page, server.explore())
    page.locator("[class*=st-key-explore_menu] input").click()
    page.keyboard.type("a")
    page.wait_for_function(
        "document.querySelector('[data-testid=stSelectboxVirtualDropdown]')?.clientWidth > 300"
    )
