"""Seconds until a page is complete for the first visitor of a started server, and for the second.

    python -m benchmarks.first_visits [--servers 2] [--wait 8]

A new server is started for every row. Its first visitor comes `wait` seconds after the server
answers; with `--wait 0`, immediately. A page is complete when its script has ended and nothing has
been added or removed for two seconds; these two seconds are not counted. The first picture is in
the server's HTML. With a processor that Chromium slows down by the factor `slower` (4), the table
also has the seconds until this picture is painted and until the live map replaces it.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import table, versions, write_row
from benchmarks.interaction import app, chromium

PAGES = {
    "Gallery": "/",
    "Explore, people": "/explore?model=gallery:people",
    "Fill in, people": "/explore?tab=fill&model=gallery:people",
    "Fill in, photographs": "/explore?tab=fill&model=gallery:faces",
}
STILL_FOR = 2.0  # in seconds; the JavaScript in STILL waits equally long
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


SLOW_PAGES = ("Gallery", "Explore, people")


def first_picture(browser: Any, address: str, slower: float) -> tuple[float, float]:
    """Measure seconds until the first picture is painted, and until the map is live."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.set_default_timeout(120_000)
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.goto(address, wait_until="commit")
    page.wait_for_selector("#mf-first", state="visible")
    page.wait_for_selector("[data-ready=true]")
    live = page.evaluate("performance.now()") / 1000
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    return painted / 1000, live


def visit(browser: Any, address: str) -> float:
    """Measure seconds until a page is complete, for a visitor with an empty cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    begin = time.perf_counter()
    page.goto(address)
    page.wait_for_function(STILL)
    seconds = time.perf_counter() - begin - STILL_FOR
    context.close()
    return seconds


def main() -> int:
    """Print and store the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--slower", type=float, default=4.0)
    parser.add_argument("--wait", type=float, default=8.0)
    options = parser.parse_args()
    rows, slow, figures = [], [], {}
    with chromium() as browser:
        for name, path in PAGES.items():
            seconds, pictures = [], []
            for _ in range(options.servers):
                with tempfile.TemporaryDirectory() as home, app(Path(home), "idle") as url:
                    time.sleep(options.wait)
                    seconds.append([visit(browser, url + path) for _ in range(2)])
                    if name in SLOW_PAGES:
                        pictures.append(first_picture(browser, url + path, options.slower))
            first, second = np.median(seconds, axis=0)
            rows.append((name, first, second))
            figures[name] = {"first_s": first, "second_s": second, "all_s": seconds}
            if pictures:
                painted, live = np.median(pictures, axis=0)
                slow.append((name, painted, live))
                figures[name] |= {"slow_painted_s": painted, "slow_live_s": live}
    print(table(("", "first visitor, s", "second, s"), rows))
    print(table(("slow processor", "first picture, s", "live map, s"), slow))
    load = os.getloadavg()[0]
    print(f"load of the machine: {load:.1f}")
    write_row(
        "first_visits",
        figures,
        seed=0,
        settings=vars(options) | {"load": load},
        other_versions=versions(("streamlit", "playwright")),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
