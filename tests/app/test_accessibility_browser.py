"""Long tests that every room and tab is accessible in a real browser.

Sizes: a telephone, 200 % zoom and a large screen, in light and dark colours. No text is cut off,
axe finds nothing, controls look alike, and the keyboard reaches everything. The other browser tests
check each page at two sizes (`tests/app/looks.py`).
"""

import pytest
from playwright.sync_api import Page, expect

from tests.app.conftest import Server, Visit
from tests.app.looks import CONTROLS, CUT, WORDS, focus_stops, violations
from tests.app.watch import settled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PAGES = (
    "gallery",
    "?shelf=mine",
    "explore?model={0}",
    "explore?model=gallery:flow",
    "explore?tab=time&model=gallery:moves",
    "explore?tab=views&model=gallery:pairs",
    "explore?tab=layers&model=gallery:limbs",
    "explore?tab=fill&model={0}",
    "compare?model={0}",
    "train",
    "learn",
    "learn?stop=why",
    "learn?stop=families",
    "learn?stop=ten",
)
# 640 × 450 pixels correspond to a window of 1280 × 900 at 200 % zoom.
SIZES = ((360, 900), (640, 450), (768, 900), (1920, 1080))
# Light and dark differ only in their colours, so the first visit checks all rules, and later visits
# only those that can find something new.
VISITS = (
    ("light", 1280, {}),
    ("dark", 1280, {"runOnly": ["color-contrast"]}),
    ("dark", 380, {"rules": {"color-contrast": {"enabled": False}}}),
)
STOPS = 40  # the largest number of presses of Tab from the page's start
BAR = ".st-key-rooms"


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("h1")
    return settled(page)


def resized(page: Page, width: int, height: int) -> Page:
    page.set_viewport_size({"width": width, "height": height})
    return settled(page)


COLOURS = """() => [...document.querySelectorAll("p")].map((one) => getComputedStyle(one).color)"""


def recoloured(page: Page) -> None:
    """Wait until all text has its colour: Streamlit draws it some time after a switch of scheme."""
    before = None
    while (now := page.evaluate(COLOURS)) != before:
        before = now
        page.wait_for_timeout(300)


@pytest.mark.parametrize("name", PAGES, ids=PAGES)
def test_a_page_fits_its_window_and_is_accessible(
    server: Server, browser_page: Visit, name: str
) -> None:
    page = opened(
        browser_page.page,
        f"{server.url}/{name.format(server.model_key).removeprefix('gallery')}",
    )
    assert [stop for stop in focus_stops(page, STOPS) if not stop[0]] == []
    assert page.evaluate(CONTROLS) == []
    found: list[tuple[object, ...]] = []
    for scheme, width, rules in VISITS:
        page.emulate_media(color_scheme=scheme)
        resized(page, width, 900)
        recoloured(page)
        found += [(width, each) for each in page.evaluate(CUT)]
        found += [(scheme, width, *each) for each in violations(page, rules)]
    for size in SIZES:
        resized(page, *size)
        found += [(size[0], each) for each in page.evaluate(CUT)]
        assert page.locator(BAR).is_visible() == (size[0] < 768)
    assert found == []


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_menus_on_the_map_open_within_the_window(
    server: Server, browser_page: Visit, width: int
) -> None:
    page = browser_page.page
    page.set_viewport_size({"width": width, "height": 900})
    opened(page, server.explore())
    for part in ("more", "taking"):
        menu = page.locator(f"details[data-part={part}]")
        menu.locator("summary").click()
        box = menu.locator(".takings").bounding_box()
        assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width
        assert page.evaluate(CUT) == []
        page.keyboard.press("Escape")
        expect(menu.locator(".takings")).to_be_hidden()
        expect(menu.locator("summary")).to_be_focused()


@pytest.mark.parametrize("model", ["gallery:faces", "gallery:flow"])
def test_the_first_view_of_explore_has_few_words(
    server: Server, browser_page: Visit, model: str
) -> None:
    page = opened(browser_page.page, f"{server.url}/explore?model={model}")
    assert len(page.evaluate(WORDS)) <= 60, " ".join(page.evaluate(WORDS))
