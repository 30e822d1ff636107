"""Browser tests of exports from the canvas, and of the Python code for the same output."""

import csv
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

import gplvm_core
from gplvm_core.datasets import Dataset, Drawing
from tests.app.maps import EXPLORER, MAP, READY, menu

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    rng = np.random.default_rng(0)
    values = 10.0 + 3.0 * np.sin(rng.standard_normal((40, 2)) @ rng.standard_normal((2, 6)))
    names = ("=cmd()", "b", "c", "d", "e", "f")
    return Dataset("own", "My = map", values, Drawing("bars", (6,)), column_names=names)


@pytest.fixture(scope="module")
def model(dataset: Dataset) -> gplvm_core.BayesianGPLVM:
    model = gplvm_core.BayesianGPLVM(n_components=3, n_inducing=15, max_iter=60, random_state=0)
    return model.fit(dataset.values)


@pytest.fixture
def page(browser: Browser, model, dataset, tmp_path) -> Iterator[Page]:
    """Return the page of an offline file, with the menu open at a clicked position."""
    gplvm_core.explorer(model, dataset).save(tmp_path / "map.html")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_offline(True)
    page = context.new_page()
    page.goto((tmp_path / "map.html").as_uri())
    page.wait_for_selector(READY)
    box = page.locator(MAP).bounding_box()
    page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 0.6 * box["height"])
    page.get_by_text("Export", exact=True).click()
    yield page
    context.close()


def taken(page: Page, name: str) -> bytes:
    """Press a button, in the menu Export unless its name begins with the word."""
    if not name.startswith("Export"):
        menu(page, "Export")
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    assert download.value.suggested_filename.startswith("My-map-")
    if not name.startswith("Export"):  # the menu stays open for a further export
        expect(page.locator(".menu[open] [role=status]")).to_contain_text("was made.")
    expect(page.locator("[data-part=hint]")).to_contain_text("was made.")
    return Path(download.value.path()).read_bytes()


def test_numbers_pictures_and_python_of_the_chosen_place_agree(page, model, dataset, tmp_path):
    with np.load(io.BytesIO(taken(page, "The output at the chosen place as NPZ"))) as arrays:
        mean, std = model.inverse_transform(arrays["point"][None], return_std=True)
        assert np.max(np.abs(arrays["mean"] - mean[0])) < 1e-3 * dataset.values.std()
        np.testing.assert_allclose(arrays["std"], std[0], rtol=1e-3)
        table = taken(page, "The output at the chosen place as CSV").decode()
        head, *rows = csv.reader(io.StringIO(table))
        assert head[1] == "mean" and head[4:] == [
            "standard deviation of a new row",
            "standard deviation of the mean, without noise",
        ]
        noise = np.sqrt(arrays["row_std"] ** 2 - std[0] ** 2)
        np.testing.assert_allclose(noise, model.noise_std_, rtol=1e-3)
        assert [row[0] for row in rows] == ["'=cmd()", "b", "c", "d", "e", "f"]
        numbers = np.array([[float(cell) for cell in row[1:]] for row in rows])
        half = 1.96 * arrays["row_std"]
        ends = [arrays["mean"] - half, arrays["mean"] + half]
        expected = [arrays["mean"], *ends, arrays["row_std"], arrays["std"]]
        np.testing.assert_allclose(numbers, np.column_stack(expected), rtol=1e-12)
        shown = arrays["mean"]

    # SVG and PNG are one picture.
    files = []
    for number, what in enumerate(("The output at the chosen place", "The map")):
        png = Image.open(io.BytesIO(taken(page, f"{what} as PNG"))).convert("RGB")
        assert max(png.size) >= 512
        files.append((tmp_path / f"{number}.svg", png))
        files[-1][0].write_bytes(taken(page, f"{what} as SVG"))

    # The copied Python makes the same output.
    model.save(tmp_path / "model.gplvm")
    menu(page, "Export")
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    # Paste the copied text into a field of the page.
    page.evaluate("document.body.prepend(document.createElement('textarea'))")
    page.locator("textarea").first.focus()
    page.keyboard.press("Control+V")
    code = page.locator("textarea").first.input_value()
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nprint(output.tolist())"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    made = np.array([float(word) for word in run.stdout.strip("[]\n").split(",")])
    assert np.max(np.abs(made - shown)) < 1e-3 * shown.std()
    for svg, png in files:
        same_picture(page, svg, png)


def same_picture(page: Page, svg: Path, png: Image.Image) -> None:
    """Check that an SVG file, drawn by the browser, is the same picture as a PNG file."""
    page.goto(svg.as_uri())
    shown = page.screenshot(clip=page.locator("svg").bounding_box())
    drawn = Image.open(io.BytesIO(shown)).convert("RGB")
    difference = np.subtract(
        np.asarray(drawn, dtype=float), np.asarray(png.resize(drawn.size, Image.Resampling.BOX))
    )
    assert np.asarray(drawn).std() > 10
    assert np.abs(difference).mean() < 4
    # A shift by half a pixel changes edges, not areas.
    assert np.mean(np.abs(difference).max(axis=2) > 40) < 0.04


def draw_around(page: Page, corners: list[tuple[float, float]], box: dict[str, float]) -> None:
    """Drag from corner to corner with the mouse button pressed."""
    page.mouse.move(box["x"] + corners[0][0], box["y"] + corners[0][1])
    page.mouse.down()
    for x, y in corners[1:]:
        page.mouse.move(box["x"] + x, box["y"] + y, steps=4)
    page.mouse.up()


@pytest.mark.slow
def test_rows_are_selected_by_drawing_around_them_and_exported(page, model, dataset):
    page.get_by_role("button", name="Select rows", exact=True).click()
    box = page.locator("canvas[data-part=lasso]").bounding_box()
    places = np.array(page.evaluate(f"Array.from({EXPLORER}.map.places)")).reshape(-1, 2)
    # The mouse draws a rectangle over the left half, from below the legend, which can be pressed.
    middle, low = box["width"] / 2, box["height"] - 12
    top = page.evaluate(f"{EXPLORER}.map.covered.above")
    corners = [(12, top), (middle, top), (middle, low), (12, low)]
    draw_around(page, corners, box)
    expected = np.flatnonzero(places[:, 0] < middle)
    assert 0 < len(expected) < len(places)
    page.get_by_text(f"{len(expected)} rows selected").wait_for()
    head, *rows = csv.reader(io.StringIO(taken(page, "Export the selected rows as CSV").decode()))
    assert head[:3] == ["row", "label", "Dimension 1 mean"]
    assert head[-7:] == ["Dimension 3 variance", "'=cmd()", "b", "c", "d", "e", "f"]
    numbers = np.array([[float(cell) for cell in row[2:-6]] for row in rows])
    values = np.array([[float(cell) for cell in row[-6:]] for row in rows])
    np.testing.assert_allclose(values, dataset.values[expected], rtol=1e-6)
    assert [int(row[0]) for row in rows] == [n + 1 for n in expected]
    beliefs = np.hstack([model.latent_mean_, model.latent_variance_])[expected]
    np.testing.assert_allclose(numbers, beliefs, rtol=1e-5, atol=1e-7)
    # The inspector sorts the columns by the difference between the selected rows and the rest.
    mine = dataset.values[expected]
    rest = np.delete(dataset.values, expected, axis=0)
    within = (len(mine) - 1) * mine.var(axis=0, ddof=1) + (len(rest) - 1) * rest.var(axis=0, ddof=1)
    effects = (mine.mean(axis=0) - rest.mean(axis=0)) / np.sqrt(within / 38)
    lines = [line.split("\t") for line in page.locator(".contrast tbody tr").all_inner_texts()]
    order = np.argsort(-np.abs(effects))
    assert [line[0].strip() for line in lines] == [dataset.column_names[d] for d in order]
    told = [float(line[1].strip().replace("−", "-")) for line in lines]
    np.testing.assert_allclose(told, effects[order], atol=0.051)
    means = np.array([[float(cell) for cell in line[2:]] for line in lines])
    expected_means = np.column_stack([mine.mean(axis=0), rest.mean(axis=0)])[order]
    np.testing.assert_allclose(means, expected_means, rtol=6e-3)
    # The rows outside the selection fade, and dragging moves the map again.
    opacity = np.array(page.evaluate(f"Array.from({EXPLORER}.map.opacity)"))
    assert opacity[expected].min() > np.delete(opacity, expected).max()
    # The test first chooses the end of a path, and then selects rows again.
    page.get_by_role("button", name="Clear").click()
    assert page.locator("[data-part=selection]").is_hidden()
    page.get_by_role("button", name="Path", exact=True).click()
    page.mouse.click(box["x"] + middle, box["y"] + low / 2)
    page.get_by_text("The output changes by").wait_for()
    draw_around(page, corners, box)
    page.get_by_text(f"{len(expected)} rows selected").wait_for()
    page.get_by_role("button", name="Select rows", exact=True).click()
    assert page.locator("canvas[data-part=lasso]").is_hidden()


@pytest.mark.slow
def test_a_picture_is_taken_whole_and_large(browser, tmp_path):
    rng = np.random.default_rng(0)
    values = np.sin(rng.standard_normal((30, 2)) @ rng.standard_normal((2, 24)))
    dataset = Dataset("tiny", "My map", values, Drawing("image", (6, 4), (-1.0, 1.0)))
    model = gplvm_core.ProbabilisticPCA(n_components=2).fit(values)
    gplvm_core.explorer(model, dataset).save(tmp_path / "map.html")
    page = browser.new_page()
    page.goto((tmp_path / "map.html").as_uri())
    page.get_by_text("Export", exact=True).click()
    picture = Image.open(io.BytesIO(taken(page, "The output at the chosen place as PNG")))
    assert picture.size[1] >= 512
    assert picture.size[0] * 6 == pytest.approx(picture.size[1] * 4, abs=4)
    with np.load(io.BytesIO(taken(page, "The output at the chosen place as NPZ"))) as arrays:
        expected = np.clip(127.5 * (1 + arrays["mean"].reshape(6, 4)), 0, 255)
    small = picture.convert("L").resize((4, 6), Image.Resampling.BOX)
    # The page draws the picture with soft edges between pixels.
    assert np.abs(np.asarray(small, dtype=float) - expected).mean() < 6
    menu(page, "Export")
    assert page.get_by_role("button", name="The output at the chosen place as SVG").count() == 0
    # The picture of the difference is red at the upper left, where these rows are brighter, and
    # blue elsewhere.
    bright = np.argsort(-values[:, 0])[:8]
    rows = sorted(int(row) for row in bright)
    take = f"(rows) => {EXPLORER}.dispatch({{ type: 'set', name: 'rows', value: rows }})"
    page.evaluate(take, rows)
    page.get_by_text("8 rows selected").wait_for()
    difference = values[bright].mean(axis=0) - np.delete(values, bright, axis=0).mean(axis=0)
    pixel = """(canvas, [u, v]) => Array.from(canvas.getContext("2d").getImageData(
        Math.floor(u * canvas.width), Math.floor(v * canvas.height), 1, 1).data)"""
    pictures = page.locator(".differences canvas")
    assert pictures.count() == 3
    for cell in (0, int(np.argmin(difference))):
        place = [(cell % 4 + 0.5) / 4, (cell // 4 + 0.5) / 6]
        red, _, blue, _ = pictures.nth(2).evaluate(pixel, place)
        assert (red > blue) == (difference[cell] > 0)
    page.close()
