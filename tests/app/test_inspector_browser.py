"""Browser tests of the inspector beside the map.

They cover the shared state, "What matters", the certainty, and the search.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core.datasets import load_dataset
from gplvm_core.store import Library
from tests.app.apptest import PIXELS
from tests.app.maps import EXPLORER, MAP, OUTPUT, kept_point, open_map, place_on_map
from tests.app.watch import changed, settled, wait_until

pytestmark = pytest.mark.browser
WHERE = "[data-part=where]"


def test_the_text_describes_the_pointer_and_then_the_point_again(server, browser_page):
    page = open_map(browser_page, server.explore())
    said, rows = page.locator(".where"), page.locator(".near")
    expect(page.locator(WHERE)).to_have_text("Kept")
    kept = said.inner_text(), page.locator(OUTPUT).evaluate(PIXELS), rows.inner_text()
    film = page.locator(".film canvas").first.evaluate(PIXELS)
    page.mouse.move(*place_on_map(page, 0.85, 0.3))
    expect(page.locator(WHERE)).to_have_text("Here")
    changed(page.locator(OUTPUT), kept[1])
    changed(page.locator(".film canvas").first, film)
    expect(rows).not_to_have_text(kept[2])
    page.mouse.move(5, 5)
    expect(page.locator(WHERE)).to_have_text("Kept")
    settled(page)
    assert said.inner_text() == kept[0]
    assert page.locator(OUTPUT).evaluate(PIXELS) == kept[1]
    assert rows.inner_text() == kept[2]


def test_dimensions_have_shares_films_and_names_that_are_remembered(server, browser_page):
    page = open_map(browser_page, server.explore())
    rows = page.locator(".dimension")
    shares = [int(text.strip(" %→↑")) for text in page.locator(".share").all_text_contents()]
    assert shares == sorted(shares, reverse=True)
    assert abs(sum(shares) - 100) <= len(shares) / 2
    first = rows.first
    pictures = {first.locator("canvas").nth(i).evaluate(PIXELS) for i in range(5)}
    assert len(pictures) == 5
    q = int(first.get_attribute("data-q"))
    name = first.locator("input.name")
    name.fill("Round <b>or</b> not")
    name.press("Enter")
    option = page.locator(f"[data-part=across] option[value='{q}']")
    expect(option).to_have_text("Round <b>or</b> not")
    # The name is stored with the model, so another browser shows it, too.
    library, identifier = Library(server.home / "library"), server.model_key.split(":")[1]
    wait_until(page, lambda: dict(library.entry(identifier).dimension_names).get("", ()) != ())
    page.goto("about:blank")
    open_map(browser_page, server.explore())
    expect(option).to_have_text("Round <b>or</b> not")
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('dim'))") == []
    # Two dimensions cannot have the same name; an empty name restores the default.
    second = page.locator(".dimension input.name").nth(1)
    second.fill("round <b>or</b> not")
    second.press("Enter")
    expect(page.locator(".dimension .problem:visible")).to_contain_text("Choose another name")
    first = page.locator(".dimension input.name").first
    first.fill("")
    first.press("Enter")
    expect(option).to_have_text(f"Dimension {q + 1}")
    wait_until(page, lambda: library.entry(identifier).dimension_names == ())


def test_a_shared_link_names_the_dimensions_of_a_ready_model(server, browser_page):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:flow")
    name = page.locator(".dimension input.name").first
    name.fill("Oil & gas ~ 50 %")
    name.press("Enter")
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', "
        "{ value: { writeText: async (text) => { window.copied = text; } } })"
    )
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_role("button", name="Link copied")).to_be_visible()
    link = page.evaluate("copied")
    page.evaluate("localStorage.clear()")
    page.goto("about:blank")
    open_map(browser_page, link)
    expect(page.locator(".dimension input.name").first).to_have_value("Oil & gas ~ 50 %")


def test_names_of_a_ready_model_are_in_the_figures_of_other_tabs(server, browser_page):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:flow")
    name = page.locator(".dimension[data-axis=across] input.name")
    name.fill("Oil & gas")
    name.press("Enter")
    page.get_by_role("radio", name="Fill in").click()
    expect(page.locator(".js-plotly-plot .xtitle").first).to_have_text("Oil & gas")
    expect(page.locator(".js-plotly-plot .ytitle").first).to_contain_text("Dimension")


def test_far_from_all_rows_nothing_is_claimed(server, browser_page):
    far = ",".join(["60"] * 4)
    page = open_map(browser_page, server.explore(f"&at={far}&hold=1"))
    text = page.locator("[data-part=explorer]").inner_text()
    assert "Unlike anything the model has seen" in text
    assert "A guess" in text
    assert "No row is near" in text
    assert "100 %" not in text
    assert not re.search(r"near row|nearest rows\b.*\d of", text)
    assert page.locator("[data-part=looks]").inner_text() == "–"


def test_unsure_pixels_are_blurred_faded_or_left(server, browser_page):
    page = open_map(browser_page, server.explore())
    page.mouse.click(*place_on_map(page, 0.5, 0.5))
    page.mouse.move(5, 5)
    settled(page)
    seen = {}
    for how in ("Blur", "Fade", "Off"):
        page.get_by_role("button", name=how, exact=True).click()
        settled(page)
        seen[how] = page.locator(OUTPUT).evaluate(PIXELS)
    sure = page.evaluate(f"{EXPLORER}.inspector.share")
    assert (len(set(seen.values())) == 3) == (sure > 0.42)
    page.wait_for_function("location.search.includes('unsure=off')")


def test_rows_are_found_by_number_label_and_not_at_all(server, browser_page):
    page = open_map(browser_page, server.explore())
    model = Library(server.home / "library").model(server.model_key.split(":")[1])
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


def test_everything_of_a_first_visit_is_in_the_window(server, browser_page):
    page = open_map(browser_page, server.explore())
    bottom = 900
    for part in (MAP, OUTPUT, ".matters", "[data-part=sureness]", ".tools"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= bottom, part
    heights = page.locator(".toolbar > *:visible").evaluate_all(
        "parts => parts.map((part) => part.getBoundingClientRect())"
        ".filter(({ height }) => height > 0).map(({ top }) => top)"
    )
    assert np.ptp(heights) < 20  # all bars are on one line
    width = page.locator(MAP).bounding_box()["width"]
    assert 0.55 <= width / 1204 <= 0.63
    page.get_by_role("button", name="Zoom in").click()
    before = page.evaluate(f"{EXPLORER}.map.view.su")
    page.get_by_role("button", name="Show the whole map").click()
    assert page.evaluate(f"{EXPLORER}.map.view.su") > before


def test_values_of_a_table_are_on_the_range_of_their_columns(server, browser_page):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:flow")
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
    before = words
    page.mouse.move(*place_on_map(page, 0.7, 0.3))
    expect(bar).not_to_have_attribute("aria-label", before)
    rows.nth(1).locator("button.column").click()
    expect(page.locator("[data-part=colour] option:checked")).to_have_text(data.column_names[1])


def test_a_row_has_its_own_values_beside_the_models(server, browser_page):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:countries")
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
    assert float(own.inner_text()) == pytest.approx(data.values[row, column], rel=1e-2)
    words = next(d for d, each in enumerate(data.columns) if each.words)
    word = data.columns[words].words[int(data.values[row, words])]
    expect(values.locator("li").nth(words)).to_contain_text(f"data: {word}")
    # Elsewhere on the map there is no row, so there are no values of a row.
    page.mouse.click(*place_on_map(page, 0.95, 0.2))
    page.mouse.move(5, 5)
    expect(own).to_be_hidden()


def test_the_next_visit_has_the_last_model_and_the_folds_as_they_were(server, browser_page):
    page = open_map(browser_page, server.explore())
    fold = page.locator(".matters details")
    fold.locator("summary").click()
    expect(fold.locator(".dimension").first).to_be_visible()
    page.goto("about:blank")
    open_map(browser_page, f"{server.url}/explore")
    expect(fold).to_have_attribute("open", "")
    page.wait_for_function("() => location.search.includes('model=library')")
    assert "last=" not in page.url
    # The link in the Gallery opens the last model, too; if that model was deleted, a ready model
    # opens.
    page.goto(f"{server.url}/")
    settled(page).get_by_role("link", name="Explore").first.click()
    page.wait_for_function("() => location.search.includes('model=library')")
    page.goto(f"{server.url}/learn")  # a page that never changes the last model
    page.evaluate("localStorage.setItem('last model', 'library:gone')")
    page.goto("about:blank")
    open_map(browser_page, f"{server.url}/explore")
    page.wait_for_function("() => location.search.includes('model=gallery')")
