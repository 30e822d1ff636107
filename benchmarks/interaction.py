"""Latency of the app in a real browser: hovering, choosing a point, the first picture.

The program starts the app twice on this machine, idle and while a job trains, and drives Debian's
Chromium. The app's library has one model with N = 2000 rows, Q = 10, M = 100 inducing inputs and D
= 4096 outputs. Targets: 4 ms of computation when hovering; keeping a point within 50 ms in 95 of
100 cases while a job trains; sixteen pictures within 300 ms; a tab within 300 ms; the first
useful picture within 3 s; the first new rows within 1 s.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import ROOT, table, versions, write_row
from gplvm_core import BayesianGPLVM, explorer
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.readers.names import column_words
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.store import Library

SIDE = 64  # in pixels, so D = 4096
N_ROWS, N_LATENT, N_INDUCING = 2000, 10, 100
HOVERS, COMMITS, WALLS, GEODESICS = 120, 40, 15, 12
BROWSER_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a headless Chromium. Ends the program with a message if this machine has none."""
    path = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        path = None
    if path is None:
        print("SKIPPED: needs playwright and a 'chromium' on the PATH (make test)")
        raise SystemExit(0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, headless=True, args=list(BROWSER_FLAGS)
        )
        yield browser
        browser.close()


# The registry of jobs belongs to a process, so this code starts the job in the process of the app.
LAUNCH = """
import sys
from streamlit.web import cli
if sys.argv[2] == "busy":
    from gplvm_core import BayesianGPLVM, load_dataset, training
    digits = load_dataset("digits")
    training.here().submit(BayesianGPLVM(max_iter=1_000_000, random_state=0), digits, "endless")
cli.main_run(["app.py", "--server.port", sys.argv[1], "--server.headless", "true"])
"""
# Each hover begins at a random phase of the display's frame, so the time includes waiting for the
# frame.
HOVER = """async (count) => {
    const explorer = [...window.manifolio.views.values()][0];
    const element = explorer.parts.upper;
    const output = explorer.pictures[0].canvas.getContext("2d");
    const box = element.getBoundingClientRect();
    const work = [], total = [];
    const draw = explorer.drawOutputs.bind(explorer);
    explorer.drawOutputs = () => {
        const begin = performance.now();
        draw();
        output.getImageData(0, 0, 1, 1);  // waits until the pixels are there
        work.push(performance.now() - begin);
    };
    for (let k = 0; k < count; k++) {
        await new Promise((resolve) => setTimeout(resolve, 20 + 17 * Math.random()));
        const begin = performance.now();
        element.dispatchEvent(new PointerEvent("pointermove", {
            clientX: box.left + box.width * (0.1 + 0.8 * Math.random()),
            clientY: box.top + box.height * (0.1 + 0.8 * Math.random()),
            pointerType: "mouse", bubbles: true, composed: true,
        }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
        total.push(performance.now() - begin);
    }
    delete explorer.drawOutputs;
    return [work, total];
}"""
# JavaScript that measures the time from releasing the pointer until everything about the new point
# is drawn.
WATCH_COMMIT = """() => {
    const explorer = [...window.manifolio.views.values()][0];
    window.commitMs = null;
    const tell = explorer.tell.bind(explorer);
    explorer.parts.upper.addEventListener("pointerup", () => {
        const begin = performance.now();
        explorer.tell = () => {
            tell();
            delete explorer.tell;
            // The outputs and the inspector are drawn in the next frame.
            requestAnimationFrame(() => requestAnimationFrame(() => {
                window.commitMs = performance.now() - begin;
            }));
        };
    }, { once: true, capture: true });
}"""
# JavaScript that measures the time to draw sixteen new outputs, including their pixels.
WALL = """(count) => {
    const { wall } = [...window.manifolio.views.values()][0];
    const times = [];
    for (let k = 0; k < count; k++) {
        const begin = performance.now();
        wall.open("anywhere");
        for (const { canvas } of wall.tiles) canvas.getContext("2d").getImageData(0, 0, 1, 1);
        times.push(performance.now() - begin);
    }
    wall.open("one");
    return times;
}"""
# JavaScript that measures the time to find the shortest path between two training points.
GEODESIC = """async (count) => {
    const { paths, model } = [...window.manifolio.views.values()][0];
    const times = [];
    for (let k = 0; k < count; k++) {
        const [from, to] = [37 * k + 3, 91 * k + 50].map((n) => model.position(n % model.nPoints));
        paths.clear();
        const begin = performance.now();
        paths.find(from, to);
        while (!paths.ways.geodesic) await new Promise((resolve) => requestAnimationFrame(resolve));
        times.push(performance.now() - begin);
    }
    paths.clear();
    return times;
}"""
CARD_IS_SHOWN = """() => [...document.querySelectorAll("img")]
    .some((image) => image.complete && image.naturalWidth > 1)"""
# Milliseconds from a click on a tab until the tab's largest canvas has a picture.
SWITCH = """async ([name, room]) => {
    const drawn = () => {
        const part = `.st-key-${room} [data-testid=stBidiComponentIsolated]`;
        const canvases = [...document.querySelector(part)?.shadowRoot?.querySelectorAll("canvas") ?? []]
            .filter((canvas) => canvas.width > 20 && canvas.height > 20 && canvas.offsetParent)
            .sort((a, b) => b.width - a.width);
        if (!canvases.length) return false;
        const { width, height } = canvases[0];
        const pixels = canvases[0].getContext("2d").getImageData(0, 0, width, height).data;
        return pixels.some((value, i) => i % 4 === 3 && value);
    };
    const begin = performance.now();
    [...document.querySelectorAll("[data-testid=stButtonGroup] button")]
        .find((button) => button.textContent.trim() === name).click();
    while (!drawn()) await new Promise(requestAnimationFrame);
    const passed = performance.now() - begin;
    await new Promise((resolve) => setTimeout(resolve, 700));
    return passed;
}"""  # noqa: E501
TABS = {"Fill in": "room_painter", "Time": "room_player", "Map": "room_map"}
SWITCHES = 5  # to every tab, after the first visit to it
STROKES = 8
DROPS, DROPPED, DROPPED_GAPS = 5, 60, 0.4  # uploads, their rows, the share of missing cells
OFFLINE, OPENINGS = "people", 7
MASK = "() => [...window.manifolio.views.values()][0].row.text()"
# True when the present mask differs from `before` and the painter has the completion of this mask.
COMPLETED = """(before) => {
    const painter = [...window.manifolio.views.values()][0];
    const mask = painter.row.text();
    return mask !== before && painter.answer && painter.answer.mask === mask
        && painter.root.dataset.waiting === undefined;
}"""


def moving_discs() -> Dataset:
    """Return images of three soft discs that each move in two dimensions."""
    rng = np.random.default_rng(0)
    axis = np.linspace(0.0, 1.0, SIDE)
    images = np.zeros((N_ROWS, SIDE, SIDE))
    for _ in range(3):
        place = rng.uniform(0.2, 0.8, (N_ROWS, 2))
        down, across = axis[:, None] - place[:, 1, None, None], axis - place[:, :1, None]
        images += np.exp(-(down**2 + across**2) / 0.03)
    images = np.round(255 * images / images.max()).astype(np.uint8)
    return Dataset(
        name="moving-discs",
        title="Moving discs",
        targets=images.reshape(len(images), -1),
        drawing=Drawing("image", (SIDE, SIDE), (0.0, 255.0)),
        source="drawn by this benchmark",
    )


@contextmanager
def app(home: Path, load: str) -> Iterator[str]:
    """Start the app with its workspace in `home`; yield its address.

    load: "idle" or "busy".
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "MANIFOLIO_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    # the first start writes Python's bytecode, which all later starts use
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with (home / f"{load}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(port), load],
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_healthy(url, process)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(240):
        if process.poll() is not None:
            raise RuntimeError("the app stopped at once: run `make run` to see why")
        try:
            urllib.request.urlopen(f"{url}/_stcore/health", timeout=1).read()
            return
        except OSError:
            time.sleep(0.25)
    raise RuntimeError("the app did not answer within a minute")


def first_picture(page: Any, url: str, ready: Any) -> float:
    """Measure seconds from opening an address until ready(page) returns."""
    begin = time.perf_counter()
    page.goto(url, wait_until="commit")
    ready(page)
    return time.perf_counter() - begin


def has_gallery() -> bool:
    return bool(Library(ROOT / "assets" / "models", read_only=True).entries())


def gallery_is_shown(page: Any) -> None:
    page.wait_for_function(CARD_IS_SHOWN)


def map_is_shown(page: Any) -> None:
    page.wait_for_selector("[data-ready=true]")


def hover_times(page: Any) -> dict[str, float]:
    """Measure the computation, and the time from the pointer's event to its picture, in ms."""
    work, total = (np.array(times) for times in page.evaluate(HOVER, HOVERS))
    return {
        "hover_work_ms_median": float(np.median(work)),
        "hover_work_ms_p95": float(np.quantile(work, 0.95)),
        "hover_to_picture_ms_median": float(np.median(total)),
        "hover_to_picture_ms_p95": float(np.quantile(total, 0.95)),
    }


def commit_times(page: Any) -> dict[str, float]:
    """Measure milliseconds from releasing the pointer to output, uncertainty and nearest rows."""
    rng = np.random.default_rng(0)
    box = page.locator("canvas[data-part=upper]").bounding_box()
    times = []
    for across, down in rng.uniform(0.1, 0.9, (COMMITS, 2)):
        page.evaluate(WATCH_COMMIT)
        page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])
        page.wait_for_function("window.commitMs !== null")
        times.append(page.evaluate("window.commitMs"))
        page.wait_for_timeout(150)
    return {
        "commit_ms_median": float(np.median(times)),
        "commit_ms_p95": float(np.quantile(times, 0.95)),
    }


def wall_times(page: Any) -> dict[str, float]:
    """Measure milliseconds until sixteen outputs are drawn."""
    times = page.evaluate(WALL, WALLS)
    return {"wall_ms_median": float(np.median(times)), "wall_ms_worst": float(np.max(times))}


def geodesic_times(page: Any) -> dict[str, float]:
    """Measure milliseconds until the shortest path between two training points is found."""
    times = page.evaluate(GEODESIC, GEODESICS)
    return {
        "geodesic_ms_median": float(np.median(times)),
        "geodesic_ms_worst": float(np.max(times)),
    }


def stroke_times(page: Any) -> dict[str, float]:
    """Measure milliseconds from the end of a stroke that hides pixels to the completed picture."""
    page.wait_for_function(COMPLETED, arg="")
    page.wait_for_timeout(5000)  # after the first answer, the page computes how typical the row is
    times = []
    for row in np.linspace(0.2, 0.8, STROKES):
        picture = page.locator("canvas[data-part=item]")
        picture.scroll_into_view_if_needed()
        box, mask = picture.bounding_box(), page.evaluate(MASK)
        page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + row * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + row * box["height"], steps=4)
        begin = time.perf_counter()
        page.mouse.up()
        page.wait_for_function(COMPLETED, arg=mask)
        times.append(1000.0 * (time.perf_counter() - begin))
        page.wait_for_timeout(1500)
    return {
        "stroke_to_completion_ms_median": float(np.median(times)),
        "stroke_to_completion_ms_worst": float(np.max(times)),
    }


def tab_times(page: Any) -> dict[str, float]:
    """Measure milliseconds from a click on a tab to its picture, for tabs that were open before."""
    times: dict[str, list[float]] = {tab: [] for tab in TABS}
    for turn in range(SWITCHES + 1):
        for tab, room in TABS.items():
            passed = page.evaluate(SWITCH, [tab, room])
            if turn:
                times[tab].append(passed)
    return {f"tab_{tab.lower()}_ms_median": float(np.median(each)) for tab, each in times.items()}


def first_rows_times(page: Any, url: str, folder: Path) -> dict[str, float]:
    """Measure seconds from the choice of a file with gaps to the first of its rows in New rows."""
    data = Library(ROOT / "assets" / "models", read_only=True).dataset("flow")
    rng = np.random.default_rng(0)
    rows = data.values[rng.choice(data.n_points, DROPPED, replace=False)]
    gaps = rng.random(rows.shape) < DROPPED_GAPS
    cells = np.where(gaps, "", rows.astype("<U8")).tolist()
    path, times = folder / "new_rows.csv", []
    path.write_text(csv_text([column_words(data), *cells], as_text=False))
    for _ in range(DROPS):
        page.goto(f"{url}/explore?model=gallery:flow&tab=rows")
        map_is_shown(page)
        page.wait_for_timeout(2000)
        begin = time.perf_counter()
        page.locator("input[type=file]").set_input_files(path)
        page.wait_for_selector(".rows tbody tr")
        times.append(time.perf_counter() - begin)
    return {"first_rows_s_median": float(np.median(times)), "first_rows_s_worst": max(times)}


def offline_times(browser: Any, folder: Path) -> dict[str, float]:
    """Measure the size of a gallery model's offline file, and the seconds until its map is drawn.

    beside: the number of bytes of the file that do not belong to the model. base64 makes the bytes
    of the model a third larger.
    """
    library = Library(ROOT / "assets" / "models", read_only=True)
    file, path = explorer(library.model(OFFLINE), library.dataset(OFFLINE)), folder / "map.html"
    file.save(path)
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_offline(True)
    times = [
        first_picture(context.new_page(), path.as_uri(), map_is_shown) for _ in range(OPENINGS)
    ]
    context.close()
    return {
        "offline_s_median": float(np.median(times)),
        "offline_s_worst": float(np.max(times)),
        "offline_mb": path.stat().st_size / 1e6,
        "offline_mb_beside": (path.stat().st_size - 4 / 3 * len(file.packed)) / 1e6,
        "offline_error_of_spread": file.precision.share,
    }


def visit(browser: Any, url: str, model: str, folder: Path) -> dict[str, float]:
    """Make all measurements of one started app, for the first visitor and a second visitor."""
    explore = f"{url}/explore?model=library:{model}"
    figures: dict[str, float] = {}
    for visitor in ("first", "second"):
        context = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)
        page = context.new_page()
        page.set_default_timeout(60_000)
        if has_gallery():
            figures[f"gallery_s_{visitor}_visitor"] = first_picture(page, url, gallery_is_shown)
        figures[f"map_s_{visitor}_visitor"] = first_picture(page, explore, map_is_shown)
        if visitor == "second":
            page.wait_for_selector(".details[data-point]")
            page.wait_for_timeout(1000)
            figures |= hover_times(page) | commit_times(page) | wall_times(page)
            figures |= geodesic_times(page)
            if has_gallery():
                page.goto(f"{url}/explore?tab=fill&model=gallery:faces")
                page.wait_for_selector(".painter[data-answered]")
                figures |= stroke_times(page)
                page.goto(f"{url}/explore?model=gallery:moves")
                map_is_shown(page)
                page.wait_for_timeout(2000)
                figures |= tab_times(page)
                figures |= first_rows_times(page, url, folder)
        context.close()
    return figures


def main() -> int:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()

    if not has_gallery():
        print("the gallery has no models: its first picture is NOT measured (make gallery)")
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        home, dataset = Path(folder), moving_discs()
        model = BayesianGPLVM(
            n_components=N_LATENT,
            n_inducing=N_INDUCING,
            max_iter=30,
            random_state=0,
            second_stage="off",
        ).fit(dataset.values)
        identifier = Library(home / "library").add(model, dataset, dataset.title)
        for load in ("idle", "busy"):
            with app(home, load) as url:
                figures[load] = visit(browser, url, identifier, home)
        if has_gallery():
            # These measurements need no app, so both columns have the same numbers.
            offline = offline_times(browser, home)
            figures = {load: each | offline for load, each in figures.items()}

    rows = [(key, figures["idle"][key], figures["busy"][key]) for key in figures["idle"]]
    print(table(("", "idle", "while a job trains"), rows))
    write_row(
        "interaction",
        figures,
        seed=0,
        settings={
            "n_rows": N_ROWS,
            "n_components": N_LATENT,
            "n_inducing": N_INDUCING,
            "n_outputs": SIDE * SIDE,
        },
        other_versions=versions(("streamlit", "playwright")),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
