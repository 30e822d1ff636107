"""Tests that the server's HTML has the first picture, and that the page draws its picture at the
same position.
"""

import time
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.app.watch import settled

pytestmark = pytest.mark.browser
FIRST = "#mf-first"
ADDRESSES = ("/", "/explore?model=gallery:people")
IMAGES = "#mf-first > div > i"
# JavaScript that returns the boxes of the server's two images, or of the map and the picture that
# the page draws.
OWN = """() => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
    .flatMap((host) => [...host.shadowRoot.querySelectorAll("[data-part=map], [data-part=output]")])
    .map((part) => part.getBoundingClientRect().toJSON())"""


@pytest.fixture(scope="module")
def drawn(server):
    """Return the server after it has drawn the first screen."""
    for address in ADDRESSES:
        end = time.monotonic() + 120
        while b'id="mf-first"' not in urllib.request.urlopen(server.url + address).read():
            assert time.monotonic() < end, "no first screen was drawn"
            time.sleep(0.2)
    return server


@pytest.mark.parametrize("size", [(1280, 900), (1600, 1000), (380, 800)])
@pytest.mark.parametrize("address", ADDRESSES)
def test_map_and_picture_are_there_without_a_script_where_the_page_has_its_own(
    drawn, browser, browser_page, address, size
):
    viewport = dict(zip(("width", "height"), size, strict=True))
    context = browser.new_context(viewport=viewport, java_script_enabled=False)
    page = context.new_page()
    page.goto(drawn.url + address)
    first = [image.bounding_box() for image in page.locator(IMAGES).all()]
    context.close()
    page = browser_page.page
    page.set_viewport_size(viewport)
    page.goto(drawn.url + address)
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


def test_other_addresses_have_no_first_screen_and_no_room_keeps_it(drawn, browser_page):
    for address in ("/train", "/explore?model=gallery:people&tab=fill", "/explore?model=gone"):
        body = urllib.request.urlopen(drawn.url + address).read()
        assert b'id="mf-first"' not in body
    page = browser_page.page
    page.goto(drawn.url)
    expect(page.locator("[data-ready=true]")).to_be_visible()
    page.get_by_role("link", name="Train").first.click()
    settled(page)
    expect(page.locator(FIRST)).to_have_count(0)
