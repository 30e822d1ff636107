"""The table of all rows below the map, in a file of a map: sorting, brushes, selection."""

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core import load_dataset
from gplvm_core.store import Library
from tests.app.looks import check_looks
from tests.app.maps import EXPLORER, MAP, offline_map, open_map
from tests.app.watch import settled

pytestmark = pytest.mark.browser

LISTED = "[data-part=listing]"
NAMES = f"{LISTED} tbody tr[data-row] th button"


def selected(page):
    return page.evaluate(f"() => Array.from({EXPLORER}.state.rows)")


def hold(page, address):
    """Hold back what the page fetches from there; return the function that lets it through."""
    held, free = [], []

    def decide(route):
        if free or route.request.resource_type != "fetch":
            route.continue_()
        else:
            held.append(route)

    def release():
        free.append(True)
        for route in held:
            route.continue_()

    page.route(address, decide)
    return release


def brush(page, column, start, end):
    """Drag over the histogram of a column, between two fractions of its width."""
    histogram = page.locator(f"{LISTED} thead th:has-text('{column}') canvas")
    histogram.scroll_into_view_if_needed()
    box = histogram.bounding_box()
    page.mouse.move(box["x"] + start * box["width"], box["y"] + 8)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], box["y"] + 8, steps=3)
    page.mouse.up()


def test_the_table_and_the_map_share_one_selection(browser, map_file):
    data = load_dataset("countries")
    names = data.row_names.tolist()
    life = data.values[:, data.column_names.index("life expectancy 2007")]
    with offline_map(browser, map_file("countries")) as page:
        page.get_by_role("button", name="Table").click()
        expect(page.locator(LISTED)).to_contain_text(f"All {len(names)}")

        # The table begins at the row of the kept point; a press on a column's name orders the rows.
        current = page.locator(f"{LISTED} tr[aria-current] th")
        assert current.inner_text() in page.locator("[data-part=readout]").inner_text()
        page.get_by_title("Sort by “life expectancy 2007”").click()
        expect(page.locator(NAMES).first).to_have_text(names[int(np.argmin(life))])
        page.get_by_title("Sort by “life expectancy 2007”").click()
        expect(page.locator(NAMES).first).to_have_text(names[int(np.argmax(life))])

        # The upper half of a histogram selects the rows above the middle of the range.
        brush(page, "life expectancy 2007", 0.51, 0.99)
        above = np.flatnonzero(life >= (life.min() + life.max()) / 2)
        assert selected(page) == above.tolist()
        expect(page.locator(LISTED)).to_contain_text(f"Selected {len(above)}")
        # A second brush keeps the rows inside both.
        brush(page, "continent", 0.01, 0.1)
        africa = data.labels == data.label_names.index("Africa")
        assert selected(page) == [n for n in above if africa[n]]
        expect(page.locator(NAMES)).to_have_text(
            [names[n] for n in sorted(np.flatnonzero(africa), key=lambda n: -life[n]) if n in above]
        )

        # A drag that begins without a selected row selects its whole range, though the list moves.
        brush(page, "life expectancy 2007", 0.98, 0.99)
        assert selected(page) == []
        brush(page, "life expectancy 2007", 0.51, 0.99)
        assert selected(page) == [n for n in above if africa[n]]

        # A box adds a row, or takes it out; the list stays.
        first = page.locator(f"{LISTED} tbody input").first
        count = len(selected(page))
        first.uncheck()
        assert len(selected(page)) == count - 1
        first.check()
        assert len(selected(page)) == count

        # The pointer on a line is at its row, and a press goes there.
        page.locator(f"{LISTED} tbody tr[data-row]").nth(1).hover()
        second = page.locator(NAMES).nth(1)
        expect(page.locator("[data-part=readout]")).to_contain_text(second.inner_text())
        second.click()
        at_first = second.inner_text()
        expect(current).to_have_text(at_first)

        # A line on the map replaces the brushes.
        page.get_by_role("button", name="Select rows").click()
        box = page.locator(MAP).bounding_box()
        page.mouse.move(box["x"] + 2, box["y"] + 50)
        page.mouse.down()
        for across, down in ((0.5, 50), (0.5, box["height"] - 2), (0.0, box["height"] - 2)):
            page.mouse.move(box["x"] + 2 + across * box["width"], box["y"] + down, steps=3)
        page.mouse.up()
        rows = selected(page)
        assert len(rows) > 20
        expect(page.locator(LISTED)).to_contain_text(f"Selected {len(rows)}")
        assert page.locator(f"{LISTED} [role=status]").inner_text() == ""
        page.locator(f"{LISTED} button:text('Clear')").click()
        assert selected(page) == []

        # With keys: the point is at the second row, and the arrows lead to another one.
        page.locator(MAP).focus()
        page.keyboard.press("Enter")
        (row,) = selected(page)
        assert names[row] == at_first
        expect(page.get_by_text("1 row selected")).to_be_visible()
        for _ in range(6):
            page.keyboard.press("Shift+ArrowRight")
        page.keyboard.press("Enter")
        assert row in selected(page) and len(selected(page)) == 2
        page.keyboard.press("Enter")
        assert selected(page) == [row]


def encircle(page, across, down):
    """Draw a line around a part of the map, between fractions of its width and height."""
    box = page.locator(MAP).bounding_box()
    (left, right), (top, bottom) = across, down
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    for n, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        if n == 0:
            page.mouse.down()
    page.mouse.up()


def keep_as(page, name):
    """Keep the selected rows under a name; return their numbers."""
    rows = selected(page)
    page.get_by_role("button", name="Keep as label").click()
    page.get_by_label("Name of the label").fill(name)
    page.keyboard.press("Enter")
    return rows


def test_kept_labels_are_compared_while_rows_are_drawn_around(browser, map_file):
    data = load_dataset("countries")
    d = data.column_names.index("life expectancy 2007")
    section = "[data-part=selection]"
    with offline_map(browser, map_file("countries")) as page:
        page.get_by_role("button", name="Select rows").click()
        encircle(page, (0.02, 0.4), (0.2, 0.9))
        left = keep_as(page, "left")
        # The effects of the kept label stay, and its rows are compared with the rest.
        means = page.locator(f"{section} tr", has_text="life expectancy 2007").locator("td")
        expect(page.locator(section)).to_contain_text(f"“left”: {len(left)} rows")
        rest = np.setdiff1d(np.arange(data.n_points), left)
        shown = [float(text) for text in means.all_inner_texts()[1:]]
        np.testing.assert_allclose(
            shown, [data.values[left, d].mean(), data.values[rest, d].mean()], rtol=5e-3
        )
        encircle(page, (0.6, 0.98), (0.2, 0.9))
        right = keep_as(page, "right")
        assert left and right and not set(left) & set(right)
        # While rows can be drawn around, the legend and the menu of colours still work.
        page.locator("[data-part=legend] button", has_text="left").click()
        page.locator("[data-part=legend] button", has_text="right").click()
        expect(page.locator(section)).to_contain_text(
            f"“left” ({len(left)} rows) and “right” ({len(right)} rows)"
        )
        shown = [float(text) for text in means.all_inner_texts()[1:]]
        np.testing.assert_allclose(
            shown, [data.values[left, d].mean(), data.values[right, d].mean()], rtol=5e-3
        )
        page.locator(f"{section} button:text('Clear')").click()
        expect(page.locator(section)).to_contain_text(f"“right”: {len(right)} rows")
        page.locator("[data-part=colour]").select_option("Label")
        expect(page.locator(section)).to_be_hidden()
        # Labels of the data are compared, too, but not by the column that they are.
        for continent in ("Africa", "Europe"):
            name = page.locator("[data-part=legend] button", has_text=continent)
            name.click()
            expect(name).to_have_attribute("aria-pressed", "true")
        expect(page.locator(section)).to_contain_text("“Africa” (52 rows) and “Europe” (30 rows)")
        expect(page.locator(f"{section} th", has_text="continent")).to_have_count(0)


@pytest.mark.slow
def test_a_link_opens_the_table_and_it_fits(server, browser_page):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:flow&show=table")
    expect(page.locator(NAMES).first).to_be_visible()
    sent = len(browser_page.traffic.sent)
    brush(page, "Label", 0.01, 0.3)
    expect(page.locator(LISTED)).to_contain_text("Label: ")
    check_looks(page)
    assert len(browser_page.traffic.sent) == sent  # the browser answers alone


@pytest.mark.slow
def test_a_selection_becomes_a_label_that_colours_maps_and_is_stored(server, browser_page):
    page = open_map(browser_page, server.explore("&show=table"))
    zeros = np.flatnonzero(load_dataset("digits").labels[:150] == 0).tolist()
    brush(page, "Label", 0.01, 0.05)
    page.get_by_role("button", name="Keep as label").click()
    page.get_by_label("Name of the label").fill(" round  ones ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Labels")).to_have_text("round onesNo label")
    expect(page.get_by_text("1 label on")).to_contain_text(f"{len(zeros)} of 150 rows: round ones")
    library, identifier = Library(server.home / "library"), server.model_key.split(":")[1]
    assert library.entry(identifier).own_labels == (("round ones", tuple(zeros)),)
    # The label colours the map whenever the model's address is opened.
    open_map(browser_page, f"{server.url}/explore?model={server.model_key}&show=table")
    expect(page.get_by_role("group", name="Labels")).to_have_text("round onesNo label")
    # A label that another tab has kept meanwhile stays, and the form says which rows change theirs.
    library.keep_labels(identifier, [("round ones", zeros), ("elsewhere", (149,))])
    brush(page, "Label", 0.01, 0.05)
    page.get_by_role("button", name="Keep as label").click()
    expect(page.locator(".keep-label")).to_contain_text(f"{len(zeros)} rows leave round ones")
    page.get_by_label("Name of the label").fill("nil")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 labels on")).to_contain_text(f"elsewhere (1), nil ({len(zeros)})")
    assert library.entry(identifier).own_labels == (("elsewhere", (149,)), ("nil", tuple(zeros)))
    # The labels of the data are back when the visitor's are deleted.
    page.get_by_role("button", name="Delete a label").click()
    for label in ("elsewhere: 1 row", f"nil: {len(zeros)} rows"):
        settled(page)  # a click while the page is redrawn could be lost
        page.get_by_role("button", name=f"Delete {label}").click()
        expect(page.get_by_role("button", name=f"Delete {label}")).to_have_count(0)
    expect(page.get_by_role("group", name="Labels")).to_contain_text("9")
    assert library.entry(identifier).own_labels == ()


@pytest.mark.slow
def test_own_labels_of_a_ready_model_stay_in_the_browser(server, browser_page):
    page = open_map(browser_page, f"{server.url}/explore?model=gallery:flow&show=table")
    brush(page, "Label", 0.01, 0.3)
    page.get_by_role("button", name="Keep as label").click()
    page.get_by_label("Name of the label").fill("mine")
    page.keyboard.press("Enter")
    said = page.get_by_text("They are stored in this browser.")
    expect(said).to_contain_text("1 label on")
    before = said.inner_text()
    # The map's bytes arrive after the browser's labels, as on a slow machine.
    with page.expect_request(lambda r: "/parcels/" in r.url and r.resource_type == "fetch"):
        release = hold(page, "**/parcels/*")
        page.reload()
        expect(said).to_have_text(before)
    release()
    expect(page.get_by_role("group", name="Labels")).to_contain_text("mine")
    page.get_by_role("button", name="Delete a label").click()
    settled(page)
    page.get_by_role("button", name="Delete mine").click()
    expect(said).to_have_count(0)
    settled(page)
    page.reload()
    page.wait_for_selector("[data-ready=true]")
    settled(page)
    expect(said).to_have_count(0)
