"""Tests that every room and tab is accessible in a real browser.

Sizes: a telephone, 200 % zoom and a large screen, in light and dark colours. No text is cut off,
axe finds nothing, controls look alike, the keyboard reaches everything, and no errors occur.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.app.conftest import Server, Visit
from tests.app.looks import AXE, CONTROLS, CUT, focus_stops, violations
from tests.app.watch import settled

pytestmark = pytest.mark.browser
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
    if AXE.exists():  # `make check` installs axe
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[tuple[object, ...]] = []
    for scheme, width, rules in VISITS:
        page.emulate_media(color_scheme=scheme)
        resized(page, width, 900)
        found += [(width, each) for each in page.evaluate(CUT)]
        found += (
            [(scheme, width, *each) for each in violations(page, rules)] if AXE.exists() else []
        )
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


def test_the_map_is_five_tabs_away_and_the_arrows_move_the_point(
    server: Server, browser_page: Visit
) -> None:
    page = opened(browser_page.page, server.explore())
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # opens Streamlit's link that skips the menu of rooms
    stops = focus_stops(page, 4)
    assert "Skip to the map" in [name for _, name in stops]
    page.locator("[data-part=skip]").focus()
    page.keyboard.press("Enter")
    upper = page.locator("canvas[data-part=upper]")
    expect(upper).to_be_focused()
    readout = page.locator("[data-part=readout]")
    before = readout.inner_text()
    page.keyboard.press("ArrowRight")
    expect(readout).not_to_have_text(before)


WORDS = """() => {
    const quiet = "button, select, summary, label, input, table, .legend, .on-map, style, header, "
        + ".values ul, .dimension, [role=radiogroup], [data-testid=stHeader], .aside, .skip";
    const found = [];
    const walk = (root) => {
        const { SHOW_ELEMENT, SHOW_TEXT } = NodeFilter;
        const texts = document.createTreeWalker(root, SHOW_ELEMENT | SHOW_TEXT);
        for (let at = texts.nextNode(); at; at = texts.nextNode()) {
            if (at.shadowRoot) walk(at.shadowRoot);
            const parent = at.parentElement;
            if (at.nodeType !== 3 || !at.data.trim() || !parent?.checkVisibility()) continue;
            if (parent.closest(quiet)) continue;
            const range = document.createRange();
            range.selectNodeContents(at);
            const { top, width } = range.getBoundingClientRect();
            if (width <= 1 || top >= innerHeight) continue;
            found.push(...at.data.match(/[\\p{L}]{2,}/gu) ?? []);
        }
    };
    walk(document.body);
    return found;
}"""


@pytest.mark.parametrize("model", ["gallery:faces", "gallery:flow"])
def test_the_first_view_of_explore_has_few_words(
    server: Server, browser_page: Visit, model: str
) -> None:
    page = opened(browser_page.page, f"{server.url}/explore?model={model}")
    assert len(page.evaluate(WORDS)) <= 60, " ".join(page.evaluate(WORDS))


MOVING = """() => {
    const hosts = [...document.querySelectorAll("*")].filter((node) => node.shadowRoot);
    return [document, ...hosts.map((host) => host.shadowRoot)]
        .flatMap((root) => root.getAnimations())
        .filter((one) => one.playState === "running")
        .filter((one) => one.effect.getComputedTiming().duration > 1).length;
}"""


@pytest.mark.parametrize("room", ["", "explore?tab=fill&model={0}", "explore?model={0}"])
def test_nothing_moves_by_itself_with_reduced_motion(
    server: Server, browser_page: Visit, room: str
) -> None:
    page = browser_page.page
    page.emulate_media(reduced_motion="reduce")
    opened(page, f"{server.url}/{room.format(server.model_key)}")
    card = page.locator("[class*=st-key-card_]").first
    if card.count():
        card.hover()
    assert page.evaluate(MOVING) == 0
