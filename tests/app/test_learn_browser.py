"""A walk through the tour in a real browser: in every stop one thing is changed, and the figure."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.ui.learn.tour import STOPS
from tests.app.conftest import Server, Visit
from tests.app.watch import settled

pytestmark = pytest.mark.browser


def slide(page: Page, label: str, value: float) -> None:
    page.locator(".lesson").get_by_label(label, exact=True).fill(str(value))


def click_into(page: Page) -> None:
    page.locator(".lesson canvas").first.click(position={"x": 300, "y": 150})


def train(page: Page) -> None:
    page.locator(".lesson [data-part=play]").click()


# For every stop: what a visitor does, and words that must be there then.
CHANGES: dict[str, tuple[Callable[[Page], None], str]] = {
    "functions": (click_into, "1 point seen"),
    "bend": (lambda page: slide(page, "Width of q(x)", 0.02), "Through ⟨k⟩: 1.28"),
    "digit": (lambda page: slide(page, "Whole turn", 30), "mixed up with none"),
    "maps": (train, "Bayesian GP-LVM: 1."),
    "dimensions": (train, "2 of 10 dimensions are on"),
    "inducing": (click_into, "6 inducing inputs"),
    "views": (train, "1 of 6 dimensions is shared"),
    "step": (lambda page: slide(page, "Look at", 0.0), "At 0.00 the band"),
}


def test_every_stop_answers_to_what_is_changed(server: Server, browser_page: Visit) -> None:
    page = browser_page.page
    page.emulate_media(reduced_motion="reduce")  # curves that move cost this test's time
    page.goto(f"{server.url}/learn?large=1")
    for number, stop in enumerate(STOPS):
        expect(page.get_by_role("heading", name=stop.title)).to_be_visible()
        change, words = CHANGES[stop.name]
        figure = page.locator(".lesson[data-shown]")
        expect(figure).not_to_contain_text(words)
        change(page)
        expect(figure).to_contain_text(words)
        assert f"stop={stop.name}" in page.url
        if number == 0:
            settled(page)
            page.keyboard.press("Escape")
        page.evaluate("document.activeElement?.blur()")
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("heading", name=STOPS[-2].title)).to_be_visible()
    assert "large=1" in page.url
