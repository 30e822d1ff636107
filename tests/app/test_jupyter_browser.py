"""Test of the map in a cell of a real JupyterLab page; skipped if JupyterLab is not installed."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from playwright.sync_api import expect

from tests.app.conftest import ROOT, free_port
from tests.app.maps import READY

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("jupyterlab"), reason="pip install '.[jupyter]'"),
]

CELL = """
import gplvm_core
rows = gplvm_core.load_dataset("flow")
model = gplvm_core.BayesianGPLVM(n_components=2, n_inducing=8, max_iter=3).fit(rows.values)
gplvm_core.explorer(model, rows, title="A map")
"""


@pytest.fixture
def lab(tmp_path):
    """Start JupyterLab with a notebook of one cell, and return its address."""
    cell = {"cell_type": "code", "metadata": {}, "source": CELL, "outputs": []}
    kernel = {"name": "python3", "display_name": "Python", "language": "python"}
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 4,
        "metadata": {"kernelspec": kernel},
        "cells": [cell | {"execution_count": None}],
    }
    (tmp_path / "map.ipynb").write_text(json.dumps(notebook))
    options = ["--no-browser", "--allow-root", "--IdentityProvider.token=", f"--port={free_port()}"]
    folders = {f"JUPYTER_{kind}_DIR": str(tmp_path) for kind in ("CONFIG", "RUNTIME")}
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *options],
        cwd=tmp_path,
        env={**os.environ, **folders, "PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
    )
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"(http://(?:localhost|127\.0\.0\.1):\d+)/lab", line):
                break
        else:
            pytest.fail("JupyterLab did not start:\n" + "".join(said))
        yield f"{found[1]}/lab/tree/map.ipynb"
    finally:
        process.terminate()
        process.communicate(timeout=20)


def test_a_cell_of_jupyterlab_shows_the_map(lab, browser):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(lab)
    page.locator(".jp-CodeCell .cm-content").click()
    page.keyboard.press("Shift+Enter")
    frame = page.frame_locator(".jp-OutputArea iframe")
    frame.locator(READY).wait_for()
    assert frame.locator("h1").inner_text() == "A map"
    readout = frame.locator("[data-part=readout]")
    before = readout.inner_text()
    box = frame.locator("canvas[data-part=upper]").bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    expect(readout).not_to_have_text(before)
    page.close()
