"""Browser tests of the parts around the map: bookmarks, wall of pictures, strip, link."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

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
from tests.app.watch import changed

pytestmark = pytest.mark.browser

WALL = f"() => {EXPLORER}.wall.places.map((place) => [...place])"


def test_places_are_undone_and_come_back(server, browser_page):
    page = open_map(browser_page, server.explore())
    seen = [kept_point(page)]
    for place in ((0.8, 0.8), (0.3, 0.4)):
        before = page.locator(".details").get_attribute("data-point")
        page.mouse.click(*place_on_map(page, *place))
        wait_for_other_point(page, before)
        seen.append(kept_point(page))
    page.get_by_role("button", name="Back to the previous place").click()
    assert kept_point(page) == seen[1]
    page.keyboard.press("Control+z")
    assert kept_point(page) == pytest.approx(seen[0])
    assert page.locator("[data-part=back]").is_disabled()
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+y")
    assert kept_point(page) == seen[2]
    assert page.locator("[data-part=forward]").is_disabled()


def test_bookmarks_have_names_outlive_the_page_and_travel_as_json(server, browser_page, tmp_path):
    page = open_map(browser_page, server.explore())
    page.mouse.click(*place_on_map(page, 0.2, 0.7))
    point = kept_point(page)
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
    page.goto("about:blank")
    open_map(browser_page, server.explore())
    assert kept_point(page) != point
    page.get_by_role("button", name="Go to a <b>four</b>").click()
    assert kept_point(page) == point
    page.get_by_role("button", name="Remove a <b>four</b>").click()
    # Without bookmarks there is nothing to save, but Load is still available.
    expect(page.locator(".kept > div")).to_have_count(0)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_hidden()
    expect(page.get_by_role("button", name="Load", exact=True)).to_be_visible()
    for text, said in (("[", "not JSON"), (path.read_text(), None)):
        path.write_text(text)
        page.locator(".bookmarks input[type=file]").set_input_files(path)
        if said:
            expect(page.locator(".bookmarks [role=alert]")).to_contain_text(said)
    expect(page.locator(".kept > div")).to_have_count(1)
    page.locator(".kept .remove").click()


def test_a_wall_shows_sixteen_places_and_leads_to_one(server, browser_page):
    page = open_map(browser_page, server.explore())
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    sent = len(browser_page.traffic.sent)
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
    assert kept_point(page) == pytest.approx(places[5], abs=1e-4)
    expect(page.locator(OUTPUT)).to_be_visible()
    assert len(browser_page.traffic.sent) == sent


def test_the_pair_can_be_changed(server, browser_page):
    page = open_map(browser_page, server.explore())
    across = page.locator("[data-part=across]")
    up = page.locator("[data-part=up]").input_value()
    before = across.input_value()
    other = next(q for q in "0123" if q not in (before, up))
    across.select_option(other)
    page.wait_for_function(f"location.search.includes('dims={int(other) + 1}')")
    assert page.locator("[data-part=up]").input_value() == up


def test_a_surprise_is_a_place_among_the_data(server, browser_page):
    page = open_map(browser_page, server.explore())
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
    scale = np.sqrt(model.relevance_)
    places = model.latent_mean_ * scale
    between = np.linalg.norm(places[:, None] - places, axis=2)
    seen = [kept_point(page)]
    for _ in range(3):
        before = page.locator(".details").get_attribute("data-point")
        menu(page, "More")
        page.get_by_role("button", name="Surprise me").click()
        wait_for_other_point(page, before)
        seen.append(kept_point(page))
        apart = np.linalg.norm(places - np.asarray(seen[-1]) * scale, axis=1).min()
        assert apart < np.median(between)
    assert len({tuple(point) for point in seen}) == 4


def test_the_place_is_kept_while_another_page_is_visited(server, browser_page):
    page = open_map(browser_page, server.explore())
    before = page.locator(".details").get_attribute("data-point")
    page.mouse.click(*place_on_map(page, 0.2, 0.85))
    wait_for_other_point(page, before)
    point = kept_point(page)
    page.get_by_role("link", name="Train").click()
    page.locator(MAP).wait_for(state="detached")
    assert page.evaluate("[window.manifolio.views.size, window.manifolio.stores.size]") == [0, 0]
    page.get_by_role("link", name="Explore").click()
    page.wait_for_selector(".details[data-point]")
    assert kept_point(page) == pytest.approx(point)
    page.wait_for_function("location.search.includes('at=')")


def test_a_bad_link_is_reported_and_the_map_still_opens(server, browser_page):
    page = open_map(browser_page, server.explore("&dims=1,99&at=0,0"))
    expect(page.get_by_text("does not fit this map")).to_be_visible()


def test_a_link_contains_the_shown_parts_of_the_map(server, browser_page):
    page = browser_page.page
    page.goto(
        server.explore(
            "&show=thumbnails,clouds&shade=magnification&wall=map&unsure=fade&noise=1&by=9"
        )
    )
    look = page.locator("[data-part=explorer]")
    expect(look.get_by_role("button", name="Thumbnails")).to_have_attribute("aria-pressed", "true")
    expect(look.get_by_role("combobox", name="Shading")).to_have_value("magnification")
    expect(page.locator("[data-part=most]")).to_contain_text("×")
    expect(page.locator(".wall canvas").first).to_be_visible()
    expect(look.get_by_role("button", name="Fade")).to_have_attribute("aria-pressed", "true")
    expect(look.get_by_role("button", name="Noise")).to_have_attribute("aria-pressed", "true")
    menu(page, "More")
    look.get_by_role("button", name="Uncertain positions").click()
    look.get_by_role("button", name="Back to one", exact=True).click()
    page.wait_for_function("!location.search.includes('wall=')")
    assert "show=thumbnails,ellipses" in page.url
    # After a visit to another page, the state of the map is unchanged.
    page.get_by_role("link", name="Train").click()
    page.locator(MAP).wait_for(state="detached")
    page.get_by_role("link", name="Explore").click()
    page.wait_for_function("location.search.includes('shade=magnification')")
    menu(page, "More")
    ellipses = look.get_by_role("button", name="Uncertain positions")
    expect(ellipses).to_have_attribute("aria-pressed", "true")
