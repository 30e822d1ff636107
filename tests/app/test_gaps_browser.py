"""Browser tests of rows with gaps: their drawings, and all steps from the file to the map."""

import base64

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.offline.scripts import script
from gplvm_core.wire.model import Chart, pack_model
from tests.app.watch import settled

pytestmark = pytest.mark.browser

# JavaScript that counts drawn pixels; hatching and bands are fainter and do not count.
DRAW = """([drawing, values, small]) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [120, 120];
    const context = canvas.getContext("2d");
    const theme = readTheme(document.body);
    const row = Float64Array.from(values, (value) => value ?? NaN);
    drawOutput(context, drawing, row, 120, 120, { theme, turn: START_TURN, small });
    const { data } = context.getImageData(0, 0, 120, 120);
    let solid = 0;
    for (let i = 3; i < data.length; i += 4) solid += data[i] > 150;
    return solid;
}"""
ITEMS = """(text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const model = new LatentModel(bytes);
    const rows = Array.from({ length: model.nPoints }, (_, n) => Array.from(model.item(n)));
    return rows.map((row) => row.map((value) => (Number.isNaN(value) ? null : value)));
}"""
SKELETON = {
    "kind": "skeleton",
    "shape": [5, 3],
    "skeleton": {"names": list("abcde"), "parents": [-1, 0, 1, 2, 3]},
    "extent": {"centre": [0.0, 0.5, 0.0], "reach": 1.0, "floor": 0.0},
}
DRAWINGS = {
    "image": {"kind": "image", "shape": [3, 5], "range": [0, 1]},
    "colour image": {"kind": "image", "shape": [1, 5, 3], "range": [0, 1]},
    "curve": {"kind": "curve", "shape": [15], "range": [0, 1]},
    "bars": {"kind": "bars", "shape": [15], "range": [0, 1], "columns": None},
    "skeleton": SKELETON,
}


@pytest.fixture
def bench(browser_page) -> Page:
    """Return an empty page with the canvas's drawing code."""
    page = browser_page.page
    page.set_content("<body></body>")
    page.add_script_tag(content=script("geometry/model.js", "kit/output.js"))
    return page


def test_missing_values_are_not_drawn_and_reach_the_browser_as_missing(bench):
    values = np.random.default_rng(0).uniform(0.3, 1.0, 15)
    holed = [None if 6 <= d < 12 else float(v) for d, v in enumerate(values)]
    for name, drawing in DRAWINGS.items():
        for small in (True, False):
            rows = (values.tolist(), holed)
            whole, partly = (bench.evaluate(DRAW, [drawing, row, small]) for row in rows)
            assert 0 < partly < whole, name
    # A joint between gaps is a dot.
    nothing = [None] * 15
    lone = [None] * 6 + [0.1, 0.6, 0.2] + [None] * 6
    drawn = [bench.evaluate(DRAW, [SKELETON, row, True]) for row in (nothing, lone)]
    assert drawn[0] == 0 < drawn[1]
    rng = np.random.default_rng(1)
    images = rng.integers(0, 256, (40, 12)).astype(float)
    images[rng.random(images.shape) < 0.2] = np.nan
    dataset = Dataset("holed", "Holed", images, Drawing("image", (3, 4), (0.0, 255.0)))
    model = BayesianGPLVM(2, n_inducing=10, max_iter=10, random_state=0).fit(dataset.values)
    data = base64.b64encode(pack_model(Chart.of(model, dataset), "m")).decode()
    items = np.array(bench.evaluate(ITEMS, data), dtype=float)
    np.testing.assert_array_equal(np.isnan(items), dataset.missing)
    np.testing.assert_allclose(items * 255 / 254, images, atol=0.51)


@pytest.mark.slow
@pytest.mark.parametrize("width", [380, 1280])
def test_a_file_with_gaps_is_trained_and_shown_on_a_map(server, browser_page, tmp_path, width):
    rng = np.random.default_rng(2)
    values = np.sin(np.outer(np.arange(40) / 6, rng.uniform(0.5, 2, 6)))
    cells = np.where(rng.random(values.shape) < 0.15, "NA", values.round(4).astype(str))
    file = tmp_path / "waves.csv"
    file.write_text("\n".join(["a,b,c,d,e,f", *(",".join(row) for row in cells)]))
    page = browser_page.page
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{server.url}/train")
    page.get_by_text("My own file").click()
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_alt_text("Map of the missing values")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    steps = page.get_by_role("spinbutton", name="Training steps, at most")
    expect(steps).to_have_count(1)
    steps.fill("20")
    steps.press("Tab")
    page.get_by_role("button", name="Start training").click()
    page.get_by_role("button", name="Explore", exact=True).click()
    page.wait_for_selector("[data-ready=true]")
    page.get_by_role("button", name="Thumbnails").click()
    page.wait_for_selector(".details[data-point]")
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
