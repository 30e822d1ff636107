"""Browser test of the tour: at every stop, a visitor's change must change the figure."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from pages.ui.learn.stop import OwnStop
from pages.ui.learn.tour import STOPS
from tests.app.conftest import TELEPHONE, Server, Visit
from tests.app.looks import CUT, violations
from tests.app.watch import settled

pytestmark = pytest.mark.browser


def slide(figure: Locator, label: str, value: float) -> None:
    figure.get_by_label(label, exact=True).fill(str(value))


def click_into(figure: Locator) -> None:
    figure.locator("canvas").first.click(position={"x": 300, "y": 150})


def train(figure: Locator) -> None:
    figure.locator("[data-part=play]").click()


def lose_inputs(figure: Locator) -> None:
    figure.get_by_label("Inputs are", exact=True).select_option("missing")


# A visitor's action at every stop, and the words that must then appear.
CHANGES: dict[str, tuple[Callable[[Locator], None], str | re.Pattern[str]]] = {
    "functions": (click_into, "With 1 point,"),
    "bend": (lambda figure: slide(figure, "Width of q(x)", 0.02), "From ⟨k⟩ it is 1.28"),
    "pixels": (lambda figure: slide(figure, "Flipped pixels", 30), "in 70.0 % of the pixels"),
    "meet": (lambda figure: slide(figure, "Turn the first", 180), "6 is turned by 180°"),
    "surfaces": (lambda figure: slide(figure, "Width", 0.4), "standard deviation of 0.40"),
    "more": (train, "still rises at 6 dimensions"),
    "words": (lambda figure: slide(figure, "Look at", -3.0), "the model does not know"),
    "back": (click_into, "right hand and the left toe are held"),
    "torn": (train, re.compile(r"No encoder: \d+ of 90")),
    "digit": (lambda figure: slide(figure, "Whole turn", 30), "not mixed up with any"),
    "maps": (train, re.compile(r"Bayesian GP-LVM: the error is \d")),
    "dimensions": (train, re.compile("[2-6] of 10 dimensions are on")),
    "inducing": (click_into, "6 inducing inputs"),
    "inputs": (lose_inputs, "15 of 40 inputs are missing"),
    "forecasts": (lambda figure: slide(figure, "Steps ahead", 2), "Out of 2 actual values"),
    "rule": (train, re.compile(r"and that of the rule \d+ %")),
    "views": (train, "1 of 6 dimensions is shared"),
    "batch": (
        lambda figure: slide(figure, "Shift between the instruments", 0.0),
        re.compile(r"of [1-4]\d % of the rows on the map of all rows"),
    ),
    "step": (lambda figure: slide(figure, "Look at", 0.0), "At 0.00 the band"),
    "meaning": (lambda figure: slide(figure, "From digit", 45), "Both digits are the same"),
}
TRAINED = "views"  # the stop whose model is trained in every run of the tests
FIRST = 6  # the stops that every run of the tests visits before this one


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_stop_responds_to_a_change(
    server: Server, browser_page: Visit, thorough: bool
) -> None:
    """The thorough test visits all stops, trains their models, and asks axe about each stop."""
    page = browser_page.page
    page.goto(f"{server.url}/learn?large=1")
    trained = next(stop for stop in STOPS if stop.name == TRAINED)
    visited = STOPS if thorough else (*STOPS[:FIRST], trained)
    for number, stop in enumerate(visited):
        if number == FIRST and not thorough:
            page.goto(f"{server.url}/learn?large=1&stop={stop.name}")
        expect(page.get_by_role("heading", name=stop.title)).to_be_visible()
        settled(page)  # the link of a stop follows its figure, and the next stop that of the last
        if isinstance(stop, OwnStop):  # test_depth_browser.py tests these stops
            page.keyboard.press("Escape")
            page.keyboard.press("ArrowRight")
            continue
        change, words = CHANGES[stop.name]
        # The stop is selected by its name, because the figure of the previous stop may remain for a
        # moment.
        figure = page.locator(f".lesson[data-stop={stop.name}][data-shown]")
        expect(figure).to_be_visible()
        if change is not train or thorough or stop.name == TRAINED:
            expect(figure).not_to_contain_text(words)
            change(figure)
            expect(figure).to_contain_text(words)
            assert f"stop={stop.name}" in page.url
        assert page.evaluate(CUT) == [], stop.name
        if thorough:
            assert violations(page) == [], stop.name
        if change is train and (thorough or stop.name == TRAINED):
            figure.locator("[data-part=restart]").click()
            expect(figure).to_have_attribute("data-status", "ready")
            settled(page)
        settled(page)
        if number == 0:
            page.keyboard.press("Escape")
        page.evaluate("document.activeElement?.blur()")
        page.keyboard.press("ArrowRight")
    if not thorough:
        page.goto(f"{server.url}/learn?large=1&stop={STOPS[-1].name}")
    expect(page.get_by_role("heading", name=STOPS[-1].title)).to_be_visible()
    settled(page)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name=STOPS[-2].title)).to_be_visible()
    assert "large=1" in page.url
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(TELEPHONE)
    settled(page)
    assert page.evaluate(CUT) == []
    assert violations(page) == []
