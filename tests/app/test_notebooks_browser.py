"""Tests of the map as a Python object, in real pages of JupyterLab and marimo.

Without these packages the tests are skipped. They print how long an event of the page takes to
reach Python, and how long Python's answer takes to the drawn frame.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Frame, Page, ViewportSize, expect

from tests.app.conftest import ROOT, free_port, wait_for_answer
from tests.app.maps import READY
from tests.app.watch import wait_for_function, wait_until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("anywidget"), reason="pip install anywidget"),
]

MODEL = """
import json, time
import gplvm_core
rows = gplvm_core.load_dataset("flow")
model = gplvm_core.BayesianGPLVM(3, 8, max_iter=3, random_state=0, second_stage="off")
m = gplvm_core.explorer(model.fit(rows.values), rows, title="A map")

def answer(change):
    '''Move the point to the mirror image of the kept one, and note the times in seconds.'''
    heard = time.time()
    m.point = [-x for x in change.new]
    with open("heard.txt", "a") as file:
        print(heard, time.time(), file=file)
"""
MARIMO = f"""
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
{indent(MODEL, "    ")}
    m.observe(answer, "kept")
    shown = mo.ui.anywidget(m)
    shown
    return (mo, rows, shown)


@app.cell
def _(mo, rows, shown):
    mo.md(f"{{len(shown.selection)}} of {{rows.n_points}} rows, at {{shown.kept}}")
    return
"""
SCREEN = ViewportSize(width=1280, height=1400)  # the whole map
THEME = """(theme) => window.jupyterapp.commands.execute("apputils:change-theme", { theme })"""
MOVES = 15
# JavaScript that watches one click on the map: the times in milliseconds of the click, of Python's
# answer and of the frame that draws it, and the number of frames between the last two.
WATCHED = """() => {
    const [explorer] = window.manifolio.views.values();
    const at = () => performance.timeOrigin + performance.now();
    window.watched = null;
    const done = (found) => { window.watched = found; };
    const times = {};
    const once = { once: true, capture: true };
    addEventListener("pointerup", () => { times.clicked = at(); }, once);
    addEventListener("message", function hear({ data }) {
        if (!data.told?.point) return;
        removeEventListener("message", hear, true);
        times.answered = at();
        let frames = 0;
        requestAnimationFrame(function count() {
            frames += 1;
            if (explorer.draw === drawing) requestAnimationFrame(count);
        });
        function drawing(now) {
            delete explorer.draw;
            explorer.draw(now);
            if (explorer.shownPoint().every((x, q) => x === data.told.point[q]))
                done({ ...times, drawn: at(), frames });
            else explorer.draw = drawing;
        }
        explorer.draw = drawing;
    }, true);
}"""
PLACE = """() => {
    const { place, kept } = [...window.manifolio.views.values()][0].state.chosen;
    return [place.point, kept.point].map((point) => Array.from(point));
}"""


def map_of(page: Page) -> Frame:
    """Return the frame of the map, once it is connected with Python."""
    frame = page.frame_locator("iframe[name^=manifolio]")
    frame.locator(READY).wait_for()
    found = next(each for each in page.frames if each.name.startswith("manifolio"))
    wait_for_function(found, "() => [...window.manifolio.views.values()][0].known !== null")
    return found


def click(page: Page, frame: Frame, across: float, down: float) -> None:
    box = frame.locator("canvas[data-part=upper]").bounding_box()
    page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])


def lasso(page: Page, frame: Frame) -> None:
    """Draw a line around the right half of the map."""
    frame.locator("[data-part=select]").click()
    box = frame.locator("canvas[data-part=lasso]").bounding_box()
    for at, (across, down) in enumerate([(0.5, 0.2), (0.95, 0.2), (0.95, 0.7), (0.5, 0.7)]):
        page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
        if at == 0:
            page.mouse.down()
    page.mouse.up()
    frame.locator("[data-part=select]").click()


def round_trips(page: Page, frame: Frame, heard: Path, where: str) -> None:
    """Click on the map; Python answers with the mirror image, which the map shows."""
    watched = []
    for across, down in np.random.default_rng(0).uniform(0.3, 0.6, (MOVES, 2)):
        frame.evaluate(WATCHED)
        click(page, frame, across, down)
        watched.append(wait_for_function(frame, "() => window.watched"))
        place, kept = frame.evaluate(PLACE)
        assert place == [-x for x in kept]
    times = 1000 * np.loadtxt(heard)
    assert len(times) == MOVES
    clicked, answered, drawn, frames = (
        np.array([each[name] for each in watched])
        for name in ("clicked", "answered", "drawn", "frames")
    )
    for words, found in {
        "click to Python, ms": times[:, 0] - clicked,
        "Python to the page, ms": answered - times[:, 0],
        "answer to the drawn frame, ms": drawn - answered,
        "frames between the answer and the drawing": frames,
    }.items():
        low, middle, high = np.quantile(found, [0, 0.5, 1])
        print(f"{where}: {words}: {middle:.1f} ({low:.1f} to {high:.1f})")
    assert np.all(frames == 0)


@dataclass(frozen=True)
class Lab:
    """A JupyterLab with a notebook of one cell, in a folder."""

    url: str
    folder: Path

    def ask(self, code: str) -> str:
        """Return what the notebook's kernel prints."""
        from jupyter_client import BlockingKernelClient

        (connection,) = self.folder.glob("kernel-*.json")
        client = BlockingKernelClient(connection_file=str(connection))
        client.load_connection_file()
        client.start_channels()
        client.wait_for_ready(timeout=60)  # else messages before the subscription are lost
        said: list[str] = []
        answer = client.execute_interactive(
            code,
            timeout=60,
            output_hook=lambda message: said.append(message["content"].get("text", "")),
        )
        client.stop_channels()
        assert answer["content"]["status"] == "ok", answer["content"]
        return "".join(said).strip()


def started(folder: Path, *command: str, health: str) -> Iterator[str]:
    """Run a server in a folder until the test ends; yield its address, once it answers."""
    folders = {f"JUPYTER_{kind}_DIR": str(folder) for kind in ("CONFIG", "RUNTIME")}
    paths = {"HOME": str(folder), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])}
    port, log = free_port(), folder / "server.log"
    url = f"http://127.0.0.1:{port}"
    with (
        log.open("wb") as said,
        subprocess.Popen(
            [sys.executable, "-m", *command, f"--port={port}"],
            cwd=folder,
            env=os.environ | folders | paths,
            stdout=said,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            wait_for_answer(url + health, process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:  # JupyterLab sometimes ignores the signal
                process.kill()


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    pytest.importorskip("jupyterlab", reason="pip install '.[jupyter]'")
    cell = {"cell_type": "code", "metadata": {}, "source": MODEL + "m", "outputs": []}
    kernel = {"name": "python3", "display_name": "Python", "language": "python"}
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": {"kernelspec": kernel},
        "cells": [cell | {"execution_count": None}],
    }
    (tmp_path / "map.ipynb").write_text(json.dumps(notebook))
    # A test cannot choose the theme in the menu, whose items appear under the pointer.
    options = ["--no-browser", "--allow-root", "--IdentityProvider.token="]
    options.append("--expose-app-in-browser")
    for url in started(tmp_path, "jupyterlab", *options, health="/api"):
        yield Lab(f"{url}/lab/tree/map.ipynb", tmp_path)


@pytest.fixture
def marimo(tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("marimo", reason="pip install marimo")
    (tmp_path / "map.py").write_text(MARIMO)
    options = ["--headless", "--no-token"]
    yield from started(tmp_path, "marimo", "run", "map.py", *options, health="/health")


def test_jupyterlab(lab: Lab, browser: Browser) -> None:
    page = browser.new_page(viewport=SCREEN)
    # JupyterLab may ask whether to leave a notebook that is still being saved.
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(lab.url)
    page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
    page.locator(".jp-CodeCell .cm-content").click()
    page.keyboard.press("Shift+Enter")
    frame = map_of(page)
    assert frame.locator("h1").inner_text() == "A map"

    def python_has(code: str, value: Any) -> None:
        wait_until(page, lambda: lab.ask(f"print(json.dumps({code}))") == json.dumps(value))

    # What the visitor does is in Python.
    click(page, frame, 0.3, 0.3)
    _, kept = frame.evaluate(PLACE)
    python_has("[m.kept, m.point]", [kept, kept])
    lasso(page, frame)
    words = frame.locator("[data-part=selection] h2 [role=status]").first.inner_text()
    found = int(words.split()[0])
    assert 0 < found < 600
    python_has("len(m.selection)", found)
    python_has("m.selection.equals(rows.in_own_values().loc[list(m.rows)])", True)
    frame.locator("[data-part=across]").select_option("2")
    python_has("m.dimensions", [2, 1])
    name = frame.locator("[data-part=strip] .dimension input.name").first
    name.fill("length")
    name.press("Enter")
    python_has("'length' in m.names", True)
    # What Python writes is on the map; each call is a cell.
    point = [0.5, -0.25, 1.0]
    lab.ask(f"m.names = ['size', '', 'tilt']; m.dimensions = 'size', 'tilt'; m.point = {point}")
    wait_for_function(frame, f"(point) => String(({PLACE})()[0]) === String(point)", arg=point)
    chosen = frame.locator("[data-part=across] option:checked, [data-part=up] option:checked")
    assert chosen.all_inner_texts() == ["size", "tilt"]
    lab.ask("m.rows = rows.labels == 1")
    frame.get_by_text("200 rows selected").first.wait_for()
    lab.ask("m.observe(answer, 'kept')")
    round_trips(page, frame, lab.folder / "heard.txt", "JupyterLab")
    lab.ask("m.unobserve(answer, 'kept')")
    for theme, colour in {"Dark": "rgb(18, 23, 28)", "Light": "rgb(253, 252, 250)"}.items():
        page.evaluate(THEME, f"JupyterLab {theme}")
        expect(frame.locator("body")).to_have_css("background-color", colour)
    # The page is loaded again, while the kernel still runs.
    with page.expect_response(lambda response: response.request.method == "PUT"):
        page.locator("[data-jp-item-name=save]").click()
    page.reload()
    frame = map_of(page)
    frame.get_by_text("200 rows selected").first.wait_for()
    lab.ask(f"m.point = {point}")
    wait_for_function(frame, f"(point) => String(({PLACE})()[0]) === String(point)", arg=point)
    # Without a kernel, the map is a map; a notebook that is opened again still shows it.
    page.get_by_role("menuitem", name="Kernel").click()
    page.get_by_role("menuitem", name="Shut Down Kernel", exact=True).click()
    page.get_by_text("No Kernel").first.wait_for()
    click(page, frame, 0.4, 0.4)
    wait_for_function(frame, f"(point) => String(({PLACE})()[0]) !== String(point)", arg=point)
    page.reload()
    frame = page.frame_locator("iframe[name^=manifolio]")
    frame.locator(READY).wait_for()
    assert "Error" not in page.locator(".jp-OutputArea-output").inner_text()
    page.close()


def test_marimo(marimo: str, browser: Browser, tmp_path: Path) -> None:
    page = browser.new_page(viewport=SCREEN)
    page.goto(marimo)
    frame = map_of(page)
    # Cells that use the map run again when the visitor selects rows.
    page.get_by_text("0 of 600 rows").wait_for()
    lasso(page, frame)
    words = frame.locator("[data-part=selection] h2 [role=status]").first.inner_text()
    page.get_by_text(f"{words.split()[0]} of 600 rows").wait_for()
    round_trips(page, frame, tmp_path / "heard.txt", "marimo")
    _, kept = frame.evaluate(PLACE)
    page.get_by_text(f"at ({', '.join(map(str, kept))})").wait_for()
    page.close()
