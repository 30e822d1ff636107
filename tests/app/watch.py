"""Conditions that browser tests wait for, checked in every frame and later 20 times a second."""

import itertools
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Error, Locator, Page

from tests.app.apptest import PIXELS

# Streamlit's script has ended, and nothing has moved for some frames.
SETTLED = """(frames) => {
    const app = document.querySelector("[data-testid=stApp]");
    const hosts = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
    const inside = (host) => host.shadowRoot?.querySelectorAll("canvas") ?? [];
    const parts = hosts.flatMap((host) => [host, ...inside(host)]);
    const boxes = [app, ...parts].map((part) => part.getBoundingClientRect().toJSON());
    const now = JSON.stringify([boxes, app.textContent.length, document.body.scrollHeight]);
    const still = app.dataset.testScriptState === "notRunning" && now === window.seen?.now;
    window.seen = { now, frames: still ? window.seen.frames + 1 : 0 };
    return window.seen.frames >= frames;
}"""
FRAMES = 20
PATIENCE = 120_000  # milliseconds; a busy machine may need many seconds for a page
ABSENT = 20.0  # seconds
CHANGED = f"""async (canvas, before) => {{
    const pixels = {PIXELS};
    const end = performance.now() + {PATIENCE};
    while (performance.now() < end) {{
        const now = pixels(canvas);
        if (!before.includes(now)) return now;
        await new Promise(requestAnimationFrame);
    }}
    throw new Error("the picture stayed one of those that were there before");
}}"""


def patient(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Return Playwright's `evaluate`, which waits for a part of the page that is not there yet.

    While Streamlit replaces a component, its script has no view for a moment.
    """

    def waiting(page: Page, expression: str, arg: Any = None) -> Any:
        end = time.monotonic() + ABSENT
        while True:
            try:
                return evaluate(page, expression, arg)
            except Error as error:
                if "of undefined" not in str(error) or time.monotonic() > end:
                    raise
            page.wait_for_timeout(50)

    return waiting


def wait_for_function(
    page: Page, expression: str, *, arg: Any = None, timeout: float = PATIENCE
) -> Any:
    """Wait for a condition like Playwright's function of this name, and return its value.

    Playwright's function evaluates the condition inside the page, where the page's policy forbids
    evaluating text.
    """
    end = time.monotonic() + timeout / 1000
    for asked in itertools.count():
        if time.monotonic() > end:
            break
        try:
            if found := page.evaluate(expression, arg):
                return found
            rest(page, asked)
        except Error as error:
            if "context was destroyed" not in str(error):  # the page was left for another page
                raise
    raise AssertionError(f"This did not come true: {expression}")


def wait_until(page: Page, holds: Callable[[], bool], timeout: float = PATIENCE) -> None:
    """Wait until a condition outside the page holds, such as a file that its server writes."""
    end = time.monotonic() + timeout / 1000
    for asked in itertools.count():
        if holds():
            return
        assert time.monotonic() < end, "this did not come true"
        rest(page, asked)


def rest(page: Page, asked: int) -> None:
    """Wait for the next frame; a long wait continues without frames, which cost CPU time."""
    if asked < FRAMES:
        page.evaluate("() => new Promise(requestAnimationFrame)")
    else:
        page.wait_for_timeout(50)


def settled(page: Page, frames: int = 6) -> Page:
    """Wait until the page's script has ended and its layout is unchanged for some frames."""
    page.evaluate("delete window.seen")
    page.wait_for_function(SETTLED, arg=frames)
    return page


def changed(canvas: Locator, *before: int) -> int:
    """Wait until a canvas's checksum (PIXELS) differs from all earlier checksums."""
    return canvas.evaluate(CHANGED, list(before))
