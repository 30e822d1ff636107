"""Browser tests of painting on a picture in an exported map, without a server."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import gplvm_core
from tests.app.maps import EXPLORER, offline_map, opened_again, wait_until_still

pytestmark = pytest.mark.browser

STATE = f"""async () => {{
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    const explorer = {EXPLORER}, {{ painting }} = explorer, {{ drag, canvas }} = painting;
    const box = canvas.getBoundingClientRect(), [rows, columns] = painting.drawing.shape;
    const fit = Math.min(box.width / columns, box.height / rows);
    return {{
        left: box.left + (box.width - columns * fit) / 2, top: box.top, width: columns * fit,
        height: rows * fit, outside: box.left + 4,
        targets: Array.from(drag?.pull.targets ?? [], (value) => (isNaN(value) ? null : value)),
        tolerance: drag ? drag.pull.tolerance * explorer.model.outputs.scales[0] : 0,
        shown: Array.from(explorer.pictures[0].values), point: Array.from(explorer.state.point),
        past: explorer.state.chosen.past.length,
        others: painting.explanations.found.map(({{ pose }}) => Array.from(pose)),
        words: painting.tools.words.textContent, said: explorer.parts.announce.textContent,
    }};
}}"""
IDLE = f"() => {{ const {{ painting }} = {EXPLORER}; return painting.drag && !painting.busy }}"
PHONE = {"viewport": {"width": 380, "height": 760}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def page(
    browser: Browser, map_file: Callable[[str], str], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """Open the file of a map; a test's parameter may set its name and the browser's options."""
    given = {"name": "digits"} | getattr(request, "param", {})
    with offline_map(browser, map_file(given.pop("name")), **given) as page:
        yield page


def state_of(page: Page) -> dict[str, Any]:
    return page.evaluate(STATE)


def stroke(page: Page, *places: tuple[float, float]) -> dict[str, Any]:
    """Paint a line between two positions, in fractions of the picture; return the new state."""
    box = state_of(page)
    at = [
        (box["left"] + across * box["width"], box["top"] + down * box["height"])
        for across, down in places
    ]
    page.mouse.move(*at[0])
    page.mouse.down()
    for x, y in at[1:]:
        page.mouse.move(x, y, steps=6)
    wait_until_still(page, "painting")
    page.mouse.up()
    page.wait_for_function(IDLE)
    return state_of(page)


def painted(state: dict[str, Any]) -> np.ndarray:
    return np.array(state["targets"], dtype=float)


@pytest.mark.slow
@pytest.mark.parametrize("page", [{"name": "faces"}], indirect=True)
def test_the_face_that_fits_a_stroke_is_one_that_fit_to_finds(page):
    before = state_of(page)
    after = stroke(page, (0.2, 0.12), (0.8, 0.12))
    targets = painted(after)
    known = ~np.isnan(targets)
    assert 100 < known.sum() < 900
    shown = np.array(after["shown"])
    left = np.abs(shown - targets)[known].mean()
    assert left < 0.7 * np.abs(np.array(before["shown"]) - targets)[known].mean()
    assert after["words"] == f"{known.sum()} pixels painted"
    assert after["past"] == before["past"] + 1
    model = gplvm_core.load("assets/models/faces/model.gplvm")
    found = model.fit_to(targets, tolerance=after["tolerance"])
    # Chosen points have four decimals.
    errors = [np.abs(each.outputs - shown).max() for each in found]
    assert min(errors) < 1e-3 * np.ptp(shown)
    # The page moves to another explanation only if its score is clearly higher.
    assert found[int(np.argmin(errors))].score > found[0].score - 4.5


@pytest.mark.slow
def test_a_picture_is_painted_copied_erased_and_let_go(page):
    # Undo brings back the picture and what was painted.
    first = stroke(page, (0.55, 0.06), (0.55, 0.94))
    page.get_by_role("button", name="Darker").click()
    second = stroke(page, (0.3, 0.5), (0.7, 0.5))
    assert np.sum(~np.isnan(painted(second))) > np.sum(~np.isnan(painted(first)))
    page.keyboard.press("Control+z")
    undone = state_of(page)
    np.testing.assert_array_equal(painted(undone), painted(first))
    np.testing.assert_allclose(undone["shown"], first["shown"], atol=1e-6)
    page.keyboard.press("Control+Shift+z")
    again = state_of(page)
    np.testing.assert_array_equal(painted(again), painted(second))
    np.testing.assert_allclose(again["shown"], second["shown"], atol=1e-6)
    for _ in range(2):
        page.keyboard.press("Control+z")
    assert np.isnan(painted(state_of(page))).all()

    opened_again(page)
    # Pixels are copied from a row that is searched, and from the shown picture.
    page.get_by_role("button", name="Copy").click()
    nothing = stroke(page, (0.3, 0.5), (0.7, 0.5))
    assert np.isnan(painted(nothing)).all()
    expect(page.get_by_text("Which picture?")).to_be_visible()
    field = page.get_by_label("Picture to copy from")
    field.fill("row 30")
    field.press("Enter")
    expect(page.get_by_text("Row 30")).to_be_visible()
    copied = painted(stroke(page, (0.3, 0.5), (0.7, 0.5)))
    model = gplvm_core.load("assets/models/digits/model.gplvm")
    source = model.inverse_transform(model.latent_mean_[29:30])[0]
    known = ~np.isnan(copied)
    assert 3 < known.sum() < 40
    np.testing.assert_allclose(copied[known], source[known], atol=1e-3 * np.ptp(source))
    # The picture that is shown now is another source; the paint stays.
    page.get_by_role("button", name="This picture").click()
    shown = np.array(state_of(page)["shown"])
    more = painted(stroke(page, (0.3, 0.1), (0.7, 0.1)))
    added = ~np.isnan(more) & ~known
    np.testing.assert_allclose(more[added], shown[added], atol=1e-3)
    np.testing.assert_array_equal(more[known], copied[known])

    opened_again(page)
    # Less paint leaves more explanations, and a click takes one.
    stroke(page, (0.55, 0.06), (0.55, 0.94))
    page.get_by_role("button", name="Erase").click()
    state = stroke(page, (0.55, 0.4), (0.55, 0.94))
    assert 0 < np.sum(~np.isnan(painted(state))) < 12
    assert state["others"]
    page.get_by_role("button", name="Other explanation 1").click()
    taken = state_of(page)
    np.testing.assert_allclose(taken["shown"], state["others"][0], atol=0.2)
    np.testing.assert_array_equal(painted(taken), painted(state))
    page.get_by_role("button", name="Let go").click()
    free = state_of(page)
    assert np.isnan(painted(free)).all()
    np.testing.assert_allclose(free["shown"], taken["shown"], atol=1e-6)
    assert free["words"] == ""

    opened_again(page)
    # The keyboard paints, erases and lets go.
    picture = page.locator("canvas[data-part=output]")
    picture.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    page.wait_for_function(IDLE)
    state = state_of(page)
    assert np.sum(~np.isnan(painted(state))) >= 1
    assert state["past"] == 1
    page.keyboard.press("Space")
    page.wait_for_function(IDLE)
    assert np.isnan(painted(state_of(page))).all()
    page.keyboard.press("Space")
    page.wait_for_function(IDLE)
    page.keyboard.press("Escape")
    state = state_of(page)
    assert np.isnan(painted(state)).all()
    assert state["said"] == "Nothing is painted"

    # Another place ends the paint.
    stroke(page, (0.55, 0.06), (0.55, 0.94))
    page.get_by_role("button", name="Reset").click()
    assert np.isnan(painted(state_of(page))).all()
    expect(page.get_by_text("Paint here, and the rest follows.")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_finger_paints_on_the_picture_and_scrolls_beside_it(page):
    touch = page.context.new_cdp_session(page)

    def swipe(x: float, y: float, down: float) -> None:
        for n, along in enumerate(np.linspace(y, y + down, 12)):
            event = {"type": "touchMove" if n else "touchStart"}
            points = [{"x": x, "y": float(along)}]
            touch.send("Input.dispatchTouchEvent", {**event, "touchPoints": points})
            page.wait_for_timeout(16)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    small = page.locator(".paints").bounding_box()
    page.get_by_role("button", name="Paint", exact=True).tap()
    assert page.locator(".paints").bounding_box()["width"] > 2 * small["width"]
    page.locator(".paints").scroll_into_view_if_needed()
    box = state_of(page)
    swipe(box["left"] + 0.5 * box["width"], box["top"] + 0.9 * box["height"], -0.7 * box["height"])
    page.wait_for_function(IDLE)
    assert np.sum(~np.isnan(painted(state_of(page)))) > 5
    assert page.evaluate("scrollY") == 0
    swipe(box["outside"], box["top"] + 0.9 * box["height"], -0.7 * box["height"])
    page.wait_for_function("() => scrollY > 50")
