"""Browser tests of columns that are held at values in an exported map, without a server."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import gplvm_core
from tests.app.maps import EXPLORER, offline_map, opened_again

pytestmark = pytest.mark.browser

STATE = f"""async () => {{
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    const explorer = {EXPLORER}, {{ whatIf, inspector }} = explorer;
    return {{
        shown: inspector.values.answers(explorer.shownPoint(), null), point: Array.from(explorer.state.point),
        targets: Array.from(whatIf.drag?.targets ?? [], (value) => (isNaN(value) ? null : value)),
        past: explorer.state.chosen.past.length, words: whatIf.words.textContent,
        others: whatIf.explanations.found.length,
    }};
}}"""  # noqa: E501
IDLE = f"() => {{ const {{ whatIf }} = {EXPLORER}; return whatIf.drag && !whatIf.busy }}"


@pytest.fixture
def page(
    browser: Browser, map_file: Callable[[str], str], request: pytest.FixtureRequest
) -> Iterator[Page]:
    """The file of a map; a parameter may have its name and further settings of the browser."""
    given = {"name": "flow"} | getattr(request, "param", {})
    with offline_map(browser, map_file(given.pop("name")), **given) as page:
        yield page


def state_of(page: Page) -> dict[str, Any]:
    return page.evaluate(STATE)


def typed(page: Page, name: str, text: str) -> dict[str, Any]:
    """Type a number for a column, and return the state after the page has stopped moving."""
    field = page.get_by_label(f"{name}: number")
    field.fill(text)
    field.press("Enter")
    page.wait_for_function(IDLE)
    return state_of(page)


def slid(page: Page, name: str, share: float) -> dict[str, Any]:
    """Slide a column to a share of its range, and return the state after the page has stopped."""
    slider: Locator = page.get_by_label(f"Hold {name}", exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + share * box["width"], middle, steps=8)
    page.mouse.up()
    page.wait_for_function(IDLE)
    return state_of(page)


def test_columns_are_held_let_go_and_refused(page):
    # Held columns give the row and the intervals of `fit_to`.
    names = gplvm_core.load_dataset("flow").column_names
    before = state_of(page)
    slid(page, names[1], 0.8)
    after = typed(page, names[8], "3.1")
    held = {c: value for c, value in enumerate(after["targets"]) if value is not None}
    assert list(held) == [1, 8]
    assert held[8] == 3.1
    assert after["past"] == before["past"] + 2
    assert np.linalg.norm(np.subtract(after["point"], before["point"])) > 0.1
    expect(page.get_by_text("2 columns held.")).to_be_visible()
    model = gplvm_core.load("assets/models/flow/model.gplvm")
    found = model.fit_to(held)
    shown = np.array([answer["value"] for answer in after["shown"]])
    half = np.array([(answer["high"] - answer["low"]) / 2 for answer in after["shown"]])
    away = [np.abs(each.outputs - shown).max() for each in found]
    best = found[int(np.argmin(away))]
    # Chosen points have four decimals, and numbers in the file have 16 bits.
    assert min(away) < 2e-3 * np.ptp(gplvm_core.load_dataset("flow").values)
    np.testing.assert_allclose(half, 1.96 * best.std, rtol=0.02)
    # The page moves to another point only if its score is clearly higher.
    assert best.score > found[0].score - 4.5

    opened_again(page)
    # Undo, letting go, and moving the point.
    start = state_of(page)
    first = slid(page, names[0], 0.2)
    second = typed(page, names[3], "0.5")
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("Control+z")
    undone = state_of(page)
    assert (undone["targets"], undone["point"]) == (first["targets"], first["point"])
    page.keyboard.press("Control+Shift+z")
    assert state_of(page)["targets"] == second["targets"]
    page.get_by_role("button", name=f"Let {names[0]} go").click()
    page.wait_for_function(IDLE)
    left = state_of(page)
    assert [c for c, value in enumerate(left["targets"]) if value is not None] == [3]
    page.get_by_role("button", name="Let all go").click()
    free = state_of(page)
    assert not any(free["targets"])
    assert free["point"] == left["point"]
    typed(page, names[3], "0.5")
    page.evaluate(f"{EXPLORER}.arrive({EXPLORER}.model.position(3))")
    page.evaluate(f"{EXPLORER}.paint()")
    assert not any(state_of(page)["targets"])
    assert state_of(page)["words"] == ""
    assert state_of(page)["point"] != start["point"]

    opened_again(page)
    # Numbers far from the data are refused or reported.
    before = state_of(page)
    field = page.get_by_label(f"{names[0]}: number")
    shown = field.input_value()
    field.fill("1e9")
    field.press("Enter")
    refused = state_of(page)
    assert refused["words"].startswith(f"{names[0]}: type a number from ")
    assert (refused["point"], field.input_value()) == (before["point"], shown)
    values = gplvm_core.load_dataset("flow").values[:, 0]
    far = typed(page, names[0], str(round(float(values.max() + 0.9 * np.ptp(values)), 2)))
    assert "does not reach" in far["words"]


@pytest.mark.slow
@pytest.mark.parametrize("page", [{"name": "countries"}], indirect=True)
def test_numbers_words_and_counts_are_held_as_in_fit_to(page):
    # The words follow a number that is held.
    chance = page.locator(".values .word").first
    before = chance.inner_text()
    after = typed(page, "log income 2007", "2.7")
    assert after["targets"][6] == 2.7
    assert chance.inner_text() != before
    assert after["shown"][6]["value"] < 3.2
    assert "Africa" in chance.inner_text()

    opened_again(page)
    # Words and counts are held as in `fit_to`.
    model = gplvm_core.load("assets/models/countries/model.gplvm")
    before = state_of(page)
    page.get_by_label("Hold continent", exact=True).select_option(label="Europe")
    page.wait_for_function(IDLE)
    after = typed(page, "falls of income", "2")
    assert after["words"] == "2 columns held. Moving the point lets them go."
    assert after["past"] == before["past"] + 2
    chances = model.class_probabilities_at([after["point"]], "continent")[0]
    assert model.class_words("continent")[int(chances.argmax())] == "Europe"
    words = gplvm_core.load_dataset("countries").columns[0].words
    order = [model.class_words("continent").index(word) for word in words]
    np.testing.assert_allclose(after["shown"][0]["chances"], chances[order], atol=0.05)
    found = model.fit_to({"continent": "Europe", "falls of income": 2})
    away = [np.abs(each.point - after["point"]).max() for each in found]
    assert min(away) < 0.02
    assert found[int(np.argmin(away))].score > found[0].score - 4.5
    refused = typed(page, "falls of income", "2.5")
    assert refused["words"] == "falls of income: type a whole number."
    # The first entry of the menu lets the word go.
    page.get_by_label("Hold continent", exact=True).select_option(index=0)
    page.wait_for_function(IDLE)
    assert [c for c, value in enumerate(state_of(page)["targets"]) if value is not None] == [8]


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [{"viewport": {"width": 380, "height": 760}, "has_touch": True, "is_mobile": True}],
    indirect=True,
)
def test_a_tap_on_a_bar_holds_a_column_on_a_phone(page):
    names = gplvm_core.load_dataset("flow").column_names
    before = state_of(page)
    slider = page.get_by_label(f"Hold {names[2]}", exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.touchscreen.tap(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2)
    page.wait_for_function(IDLE)
    after = state_of(page)
    assert [c for c, value in enumerate(after["targets"]) if value is not None] == [2]
    assert after["past"] == before["past"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
