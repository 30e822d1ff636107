"""Response time of every stop of the tour: the server's computation, and the round trip.

For each stop, the control that changes the figure is moved repeatedly. The server's work is the
time in milliseconds for computing and packing the picture, measured in this process. The round trip
is the time from the event to the drawn answer in a real browser, with the app started on this
machine. The target is 30 ms of the server's work.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import table, versions, write_row
from benchmarks.interaction import app, chromium
from gplvm_core.lessons.picture import pack_picture
from pages.ui.learn.controls import Slider, State, Switch, usual_state
from pages.ui.learn.stop import Stop
from pages.ui.learn.tour import STOPS

TIMES = 9
# JavaScript that measures the time from the event to the frame after the one that drew the answer.
ROUND = """async ([label, value]) => {
    const root = [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
        .map((host) => host.shadowRoot?.querySelector(".lesson")).find(Boolean);
    const input = root.querySelector(`input[aria-label="${label}"]`);
    const before = root.dataset.shown, start = performance.now();
    if (input) {
        input.value = value;
        input.dispatchEvent(new Event("input"));
    } else {
        [...root.querySelectorAll("button")].find((each) => each.textContent === label).click();
    }
    while (root.dataset.shown === before) await new Promise(requestAnimationFrame);
    return performance.now() - start;
}"""


def moved_in(stop: Stop) -> Slider | Switch:
    """Return the first slider of a stop, or else its switch."""
    sliders = [each for each in stop.controls if isinstance(each, Slider)]
    return sliders[0] if sliders else next(c for c in stop.controls if isinstance(c, Switch))


def values_of(control: Slider | Switch) -> list[Any]:
    """Return evenly spaced values of a slider, repeated, or on and off; neighbours differ."""
    if isinstance(control, Switch):
        return [n % 2 == 0 for n in range(TIMES)]
    places = np.linspace(control.low, control.high, 7)[1:-1]
    return [control.clean(float(place)) for _ in range(TIMES) for place in places][:TIMES]


def work(stop: Stop) -> list[float]:
    """Measure milliseconds for computing and packing, after a first call."""
    control, found = moved_in(stop), []
    for value in [control.usual, *values_of(control)]:
        state: State = usual_state(stop.controls) | {control.name: value}
        start = time.perf_counter()
        pack_picture(stop.picture(state), name=stop.name, edit=1)
        found.append(1e3 * (time.perf_counter() - start))
    return found[1:]


def rounds(page: Any, url: str, stop: Stop) -> list[float]:
    """Measure milliseconds from the event to the answer, after a first event."""
    control = moved_in(stop)
    page.goto(f"{url}/learn?stop={stop.name}")
    page.wait_for_selector(f".lesson[data-stop={stop.name}][data-shown]", timeout=60_000)
    page.wait_for_timeout(1500)
    found = []
    for value in values_of(control):
        found.append(page.evaluate(ROUND, [control.label, str(value)]))
        page.wait_for_timeout(150)
    return found[1:]


def main() -> None:
    """Print a table and write a row of results."""
    results: dict[str, dict[str, float]] = {}
    with (
        tempfile.TemporaryDirectory() as home,
        app(Path(home), "idle") as url,
        chromium() as browser,
    ):
        page = browser.new_context(reduced_motion="reduce").new_page()
        for stop in (each for each in STOPS if isinstance(each, Stop)):
            here, there = work(stop), rounds(page, url, stop)
            results[stop.name] = {
                "work_ms": float(np.median(here)),
                "work_worst_ms": max(here),
                "round_ms": float(np.median(there)),
                "round_worst_ms": max(there),
            }
            print(stop.name, {name: round(each) for name, each in results[stop.name].items()})
    rows = [[name, *(round(each) for each in found.values())] for name, found in results.items()]
    print(table(["stop", "server's work", "(worst)", "there and back", "(worst)"], rows))
    write_row("tour", {"stops": results}, seed=None, other_versions=versions(("streamlit",)))


if __name__ == "__main__":
    main()
