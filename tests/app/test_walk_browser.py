"""Visits that lead through the app: the first screen, a training, tabs, links, and telephones."""

import re
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.app.apptest import PIXELS
from tests.app.conftest import SCREEN, TELEPHONE
from tests.app.looks import check_looks
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser
FIRST = "#mf-first"
ADDRESSES = ("/", "/explore?model=gallery:people")
SIZES = (SCREEN, {"width": 1600, "height": 1000}, TELEPHONE)
# JavaScript that returns the boxes of the map and the picture that the page draws.
OWN = """() => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
    .flatMap((host) => [...host.shadowRoot.querySelectorAll("[data-part=map], [data-part=output]")])
    .map((part) => part.getBoundingClientRect().toJSON())"""
PLOTLY = re.compile(r"/PlotlyChart\.[\w-]+\.js")
# JavaScript that counts the visible grey boxes, placeholder pictures and figures.
SEEN = """() => {
    const seen = (part) => part.getClientRects().length > 0;
    const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
    return {
        grey: all("[data-testid=stSkeleton]").length,
        light: all(".mf-light").filter((picture) => picture.naturalWidth > 0).length,
        live: all(".js-plotly-plot").length,
    };
}"""


@pytest.fixture(scope="module")
def drawn(server):
    """Return the server after it has drawn the first screen."""
    for address in ADDRESSES:
        end = time.monotonic() + 120
        while b'id="mf-first"' not in urllib.request.urlopen(server.url + address).read():
            assert time.monotonic() < end, "no first screen was drawn"
            time.sleep(0.2)
    return server


def test_the_first_screen_answers_a_pointer_and_one_click_opens_a_ready_model(
    drawn, browser, browser_page
):
    for address in ("/train", "/explore?model=gallery:people&tab=fill", "/explore?model=gone"):
        body = urllib.request.urlopen(drawn.url + address).read()
        assert b'id="mf-first"' not in body
    page = browser_page.page
    page.emulate_media(reduced_motion="no-preference")
    first = without_script(browser, drawn.url, SCREEN)
    page.goto(drawn.url)
    page.locator("[data-part=hero][data-ready=true]").wait_for()
    in_place(page, first)
    expect(page.get_by_role("heading", level=1)).to_have_text("Manifolio")
    readout = page.locator("[data-part=readout]")
    expect(readout).to_have_text("Move over the map.")
    page.locator("canvas[data-part=upper]").hover(position={"x": 90, "y": 120})
    expect(readout).to_contain_text("Nearest row")
    shown = page.locator("canvas[data-part=output]").evaluate(PIXELS)
    page.locator("canvas[data-part=upper]").hover(position={"x": 400, "y": 250})
    changed(page.locator("canvas[data-part=output]"), shown)
    page.emulate_media(reduced_motion="reduce")
    page.locator("[class*=st-key-card_]").first.hover()
    check_looks(settled(page))
    expect(page.locator("[data-part=names] span")).to_have_text(["young", "middle-aged", "old"])
    page.get_by_role("button", name="Use your own data").click()
    expect(page.get_by_text("A table (CSV, Excel, Parquet, Arrow, NPZ)")).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="Explore this map").click()
    expect(page.get_by_text("Move to look")).to_be_visible()
    assert "model=gallery" in page.url
    expect(page.locator(FIRST)).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("address", ADDRESSES)
def test_the_first_screen_is_in_its_place_at_every_size(
    drawn, browser, browser_page, address, size
):
    browser_page.page.set_viewport_size(size)
    first = without_script(browser, drawn.url + address, size)
    browser_page.page.goto(drawn.url + address)
    in_place(browser_page.page, first)


def without_script(browser, url, size):
    """Return the boxes of the map and the picture that the server draws."""
    context = browser.new_context(viewport=size, java_script_enabled=False)
    page = context.new_page()
    page.goto(url)
    boxes = [image.bounding_box() for image in page.locator(f"{FIRST} > div > i").all()]
    context.close()
    return boxes


def in_place(page, first):
    """Check that the page's map and picture are where the server's were."""
    expect(page.locator("[data-ready=true]")).to_be_visible()
    expect(page.locator(FIRST)).to_have_count(0)
    own = settled(page).evaluate(OWN)
    for image, part in zip(first, own, strict=True):
        for start, length in (("x", "width"), ("y", "height")):
            middles = [box[start] + box[length] / 2 for box in (image, part)]
            # A canvas may be less tall than the space that is reserved for it.
            assert abs(middles[0] - middles[1]) < (5 if start == "x" else 40)
    assert abs(first[0]["width"] - own[0]["width"]) < 4
    assert abs(first[0]["y"] - own[0]["y"]) < 4


@pytest.mark.slow
def test_a_shared_map_is_in_its_place_on_a_telephone(drawn, browser, telephone):
    url = f"{drawn.url}{ADDRESSES[1]}"
    first = without_script(browser, url, TELEPHONE)
    telephone.page.goto(url)
    in_place(telephone.page, first)


@pytest.mark.slow
def test_the_model_remains_while_tabs_change_and_back_returns(server, browser_page) -> None:
    page = browser_page.page
    page.goto(f"{server.url}/dynamics?model=gallery:moves")  # this is an old address
    page.wait_for_url("**/explore?model=gallery:moves&tab=time")
    room = {"Time": "player", "Fill in": "painter", "Map": "map"}
    for name in ("Time", "Fill in", "Map"):
        page.get_by_role("radio", name=name).click()
        expect(page.locator(f".st-key-room_{room[name]}")).to_be_visible()
        settled(page)  # a click while the page is redrawn could be lost
    page.go_back()
    expect(page.locator(".st-key-room_painter")).to_be_visible()
    expect(page.get_by_role("radio", name="Fill in")).to_be_checked()
    assert "moves" in page.url and "tab=fill" in page.url
    # Streamlit's health check does not use the path of the page.
    assert not [url for url in browser_page.traffic.requests if "/explore/_stcore" in url]


def test_train_pause_refresh_resume_stop_explore(server, browser_page) -> None:
    page, held = browser_page.page, []
    page.goto(f"{server.url}/train")
    options = page.locator("[data-testid=stExpander] details", has_text="More options")
    # The browser does not store a click before the page has loaded its scripts.
    expect(page.locator("[data-kept]")).to_be_attached()
    options.locator("summary").click()
    expect(options).to_have_attribute("open", "")
    check_looks(settled(page))
    # A fold stays as the visitor left it.
    page.reload()
    expect(options).to_have_attribute("open", "")
    options.locator("summary").click()
    expect(options).not_to_have_attribute("open", "")
    # The script of the figures arrives only when the test allows it, as on a slow machine.
    page.route(PLOTLY, lambda route: held.append(route))
    page.reload()
    expect(page.locator("[data-kept]")).to_be_attached()
    expect(settled(page).locator("summary", has_text="More options")).to_be_visible()
    expect(options).not_to_have_attribute("open", "")
    # Long enough to train until the end of this visit, also on a slow machine.
    page.get_by_text("Digits", exact=True).first.click()
    for name, number in (
        ("Training steps, at most", "20000"),
        ("Latent dimensions, at most", "30"),
    ):
        field = settled(page).get_by_role("spinbutton", name=name)
        field.fill(number)
        field.press("Enter")
        expect(settled(page).get_by_role("spinbutton", name=name)).to_have_value(number)
    page.get_by_role("button", name="Start training").click()
    expect(page.get_by_text("30 latent dimensions")).to_be_visible()
    # The start button was at the end of a long page; the page of the training begins at its top.
    expect(page.get_by_role("button", name="Pause")).to_be_in_viewport()
    # Pictures stand in until figures have loaded, so that nothing is empty.
    page.locator(".mf-light").first.wait_for()
    assert page.evaluate(SEEN)["live"] == 0
    page.get_by_text("Dimensions", exact=True).wait_for()
    page.wait_for_function(f"() => ({SEEN})().light === 3")
    assert page.evaluate(SEEN) == {"grey": 0, "light": 3, "live": 0}
    # The button responds to the click, even if the server is busy.
    for verb, answer, then in (("Pause", "Pausing …", "Resume"), ("Resume", "Resuming …", "Pause")):
        button = page.get_by_role("button", name=verb)
        assert answer in button.evaluate("(one) => { one.click(); return one.innerText; }")
        page.get_by_role("button", name=then, exact=False).wait_for()
        # Figures that load during the pause leave the training idle, which saves much CPU time.
        for route in held:
            route.continue_()
        held.clear()
        page.unroute_all()
        page.wait_for_function(f"() => ({SEEN})().live === 3")
        page.wait_for_function(f"() => ({SEEN})().light === 0")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    # The link contains the job, so the page is the same after a refresh and in another browser.
    page.reload()
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    # Press Stop immediately, to test that its button does not move. While the script runs,
    # Streamlit's own button with the same name is in the header.
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Explore", exact=True).click()
    expect(page.get_by_text("Move to look")).to_be_visible()
    assert re.search(r"model=library(:|%3A)", page.url)
    page.goto(f"{server.url}/library")  # this old address leads to the shelf Mine
    expect(page.get_by_text("Handwritten digits, Bayesian GP-LVM").first).to_be_visible()
    check_looks(settled(page))
