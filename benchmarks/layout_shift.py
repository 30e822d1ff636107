"""The cumulative layout shift of the app's pages while they open.

    python -m benchmarks.layout_shift

The cumulative layout shift is defined at web.dev/cls: shifts with pauses below 1 s form a window of
at most 5 s, and the largest sum in a window counts. 0 is best, below 0.1 is good. The table has the
median of several visitors, each with an empty cache.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, table, versions, write_row
from benchmarks.interaction import app, chromium
from gplvm_core.store import Library

SIZES = {"desktop": (1280, 900), "phone": (380, 800)}
VISITORS = 3
PAGES = {
    "gallery": "/",
    "explore": "/explore?model=gallery:people",
    "time": "/explore?tab=time&model=gallery:moves",
    "views": "/explore?tab=views&model=gallery:pairs",
    "fill in": "/explore?tab=fill&model=gallery:faces",
    "train": "/train",
    "layers": "/explore?tab=layers&model=gallery:deep-flow",
    "two layers": "/learn?stop=why",
    "mine": "/?shelf=mine",
}
WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
    for (const { value, startTime, hadRecentInput } of list.getEntries())
        if (!hadRecentInput) window.shifts.push([startTime, value]);
}).observe({ type: "layout-shift", buffered: true });
"""
# The script has ended and no part of the page has been added or removed for two seconds.
STILL = """() => {
    const app = document.querySelector("[data-testid=stApp]");
    const hosts = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")];
    const parts = hosts.map((host) => host.shadowRoot?.textContent.length);
    const now = [app?.dataset.testScriptState, app?.textContent.length, ...parts].join();
    if (now !== window.still?.now) window.still = { now, since: performance.now() };
    return app?.dataset.testScriptState === "notRunning"
        && document.querySelector("h1, h2, h3") && performance.now() - window.still.since > 2000;
}"""


def layout_shift(browser: Any, address: str, size: tuple[int, int]) -> float:
    """Measure the cumulative layout shift of one page for a visitor with an empty cache."""
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_function(STILL)
    worst = window = began = last = 0.0
    for moment, value in page.evaluate("window.shifts"):
        if moment - last > 1000 or moment - began > 5000:
            window, began = 0.0, moment
        window, last = window + value, moment
        worst = max(worst, window)
    context.close()
    return worst


def layout_shifts(browser: Any, url: str) -> dict[str, dict[str, float]]:
    """Return the median shift of every page by name and screen size; every page was opened once
    before.
    """
    present = {entry.id for entry in Library(ROOT / "assets" / "models", read_only=True).entries()}
    figures: dict[str, dict[str, float]] = {}
    for name, path in PAGES.items():
        model = path.partition("model=gallery:")[2]
        if model and model not in present:
            print(f"the gallery has no model {model!r}: {name} is NOT measured (make gallery)")
            continue
        # this is the first visitor of a server, whose result does not count
        layout_shift(browser, url + path, SIZES["desktop"])
        figures[name] = {
            screen: float(
                np.median([layout_shift(browser, url + path, size) for _ in range(VISITORS)])
            )
            for screen, size in SIZES.items()
        }
    return figures


def main() -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium() as browser,
        app(Path(folder), "idle") as url,
    ):
        figures = layout_shifts(browser, url)
    print(table(("", *SIZES), [(page, *shifts.values()) for page, shifts in figures.items()]))
    write_row(
        "layout_shift",
        figures,
        seed=0,
        settings={"visitors": VISITORS},
        other_versions=versions(("streamlit", "playwright")),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
