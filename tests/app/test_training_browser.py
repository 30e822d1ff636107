"""Tests that a training shows no empty figure at its start, and that Pause responds at once."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.app.watch import settled

pytestmark = pytest.mark.browser
PLOTLY = re.compile(r"/PlotlyChart\.[\w-]+\.js")
# JavaScript that counts the visible grey boxes and the placeholder pictures.
SEEN = """() => {
    const seen = (part) => part.getClientRects().length > 0;
    const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
    return {
        grey: all("[data-testid=stSkeleton]").length,
        light: all(".mf-light").filter((picture) => picture.naturalWidth > 0).length,
        live: all(".js-plotly-plot").length,
    };
}"""


def start(page: Page, url: str) -> None:
    page.goto(f"{url}/train")
    page.get_by_text("Pipe flow", exact=True).first.click()
    settled(page)
    steps = page.get_by_role("spinbutton", name="Training steps, at most")
    steps.fill("20000")
    steps.press("Enter")
    settled(page)
    page.get_by_role("button", name="Start training").click()


def test_pictures_stand_in_until_figures_have_loaded_and_pause_answers(server, browser) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, held = context.new_page(), []
    page.set_default_timeout(60_000)
    page.route(
        PLOTLY, lambda route: held.append(route)
    )  # the response arrives only when the test allows it, as on a slow machine
    start(page, server.url)
    # The start button was at the end of a long page; the page of the training begins at its top.
    expect(page.get_by_role("button", name="Pause")).to_be_in_viewport()
    page.locator(".mf-light").first.wait_for()
    assert page.evaluate(SEEN)["live"] == 0
    page.get_by_text("Dimensions", exact=True).wait_for()
    page.wait_for_function(f"() => ({SEEN})().light === 3")
    assert page.evaluate(SEEN) == {"grey": 0, "light": 3, "live": 0}
    for route in held:
        route.continue_()
    page.wait_for_function(f"() => ({SEEN})().live === 3")
    page.wait_for_function(f"() => ({SEEN})().light === 0")
    # The button responds to the click, even if the server is busy.
    for verb, answer, then in (("Pause", "Pausing …", "Resume"), ("Resume", "Resuming …", "Pause")):
        button = page.get_by_role("button", name=verb)
        assert answer in button.evaluate("(one) => { one.click(); return one.innerText; }")
        page.get_by_role("button", name=then, exact=False).wait_for()
    controls = page.locator(".st-key-job_controls")
    controls.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Remove from list").click()
    context.close()
