"""Helpers of the browser tests of maps: open a map, point at it, read what the page shows."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page, expect

from tests.app.watch import settled

MAP = "canvas[data-part=upper]"
OUTPUT = "canvas[data-part=output]"
READY = "[data-part=explorer][data-ready=true]"
EXPLORER = "[...window.manifolio.views.values()][0]"
# JavaScript that returns the state of the map after the next frame.
SHOWN = """async () => {
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    const explorer = [...window.manifolio.views.values()][0];
    const { a, b } = explorer.state;
    return {
        pair: [a, b], point: Array.from(explorer.shownPoint()),
        output: Array.from(explorer.pictures[0].values),
        sliders: explorer.controls.strip.rows.filter(({ q }) => q !== a && q !== b)
            .map(({ q, input }) => [q, Number(input.value)]),
    };
}"""


@contextmanager
def offline_map(browser: Browser, address: str, **settings: Any) -> Iterator[Page]:
    """Open the file of a map without a network; any message of the page fails the test."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | settings)
    context.set_offline(True)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    page.wait_for_selector(READY)
    yield page
    context.close()
    assert said == []


def opened_again(page: Page) -> None:
    """Open the file of a map again, as it was at first."""
    page.reload()
    page.wait_for_selector(READY)


def wait_until_still(page: Page, part: str) -> None:
    """Wait until a part of the map has followed the pointer, which is still pressed."""
    page.wait_for_function(f"() => {EXPLORER}.{part}.drag?.still")


def open_map(visit, url):
    visit.page.goto(url)
    visit.page.wait_for_selector("[data-ready=true]")
    visit.page.wait_for_selector(".details[data-point]")
    return settled(visit.page)


def menu(page, name):
    """Open a menu of the toolbar if it is closed."""
    if not page.locator(f".menu[open] summary:text-is('{name}')").count():
        page.locator(f".menu summary:text-is('{name}')").click()


def place_on_map(page, across, up):
    """Convert a position on the map, in fractions from its lower left, to window coordinates."""
    box = page.locator(MAP).bounding_box()
    return box["x"] + across * box["width"], box["y"] + (1 - up) * box["height"]


def kept_point(page):
    return json.loads(page.locator(".details").get_attribute("data-point"))


def link_with(page, point):
    """Return the page's link once it contains a point; it is written after changes have stopped."""
    page.wait_for_function(
        "(point) => (new URLSearchParams(location.search).get('at') ?? '').split(',')"
        ".every((x, q) => x && Math.abs(Number(x) - point[q]) < 1e-4)",
        arg=list(point),
    )
    return page.url


def wait_for_other_point(page, before):
    page.wait_for_function(
        "([selector, before]) => document.querySelector('[data-testid=stBidiComponentIsolated]')"
        " && [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]"
        ".some((host) => { const node = host.shadowRoot.querySelector(selector);"
        " return node && node.dataset.point && node.dataset.point !== before; })",
        arg=[".details", before],
    )


def followed(model, pair, point):
    """Give a point's hidden dimensions the values of training points near it on the map."""
    scale = np.sqrt(model.relevance_[pair])
    plane, here = model.latent_mean_[:, pair] * scale, np.asarray(point)[pair] * scale
    between = np.linalg.norm(plane[:, None] - plane[None], axis=2)
    spacing = np.sort(between, axis=1)[:, 5]
    distance = np.linalg.norm(plane - here, axis=1)

    def weights(width):
        here = width * (1.0 + (distance.min() / width) ** 2) ** 0.2
        weight = np.exp((distance.min() ** 2 - distance**2) / (2.0 * here**2))
        return weight / weight.sum()

    most = np.sort(spacing)[int(0.9 * len(spacing))]
    local = weights(np.sort(spacing)[len(spacing) // 2]) @ np.minimum(spacing, most)
    place = weights(0.3 * local) @ model.latent_mean_
    place[pair] = np.asarray(point)[pair]
    return place


def train_shortly_and_click(page: Page, across: float, up: float) -> None:
    """Train the model of the form for 30 steps, open its map, and click at shares of its box."""
    steps = page.get_by_label("Training steps, at most", exact=True)
    expect(steps).to_have_count(1)  # while the page runs again, the former form is there, too
    steps.fill("30")
    steps.press("Enter")
    page.get_by_role("button", name="Start training").click()
    page.get_by_test_id("stMain").get_by_role("button", name="Explore").click()
    page.wait_for_selector("[data-ready=true]")
    box = page.locator(MAP).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + across * box["width"], box["y"] + up * box["height"])
    page.mouse.move(0, 0)
    settled(page)
