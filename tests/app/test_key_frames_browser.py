"""Browser test of a movement through key frames in an exported map, without a server."""

import io
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

import gplvm_core
from gplvm_core.readers import read_bvh
from tests.app.maps import EXPLORER, offline_map, opened_again, wait_until_still

pytestmark = pytest.mark.browser

ROWS = [3, 120, 400]
FOUND = f"() => {EXPLORER}.paths.ways.geodesic !== undefined"


@pytest.fixture
def page(browser: Browser, map_file: Callable[[str], str]) -> Iterator[Page]:
    with offline_map(browser, map_file("poses")) as page:
        yield page


def saved(page: Page, name: str) -> bytes:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name).click()
    with open(waiting.value.path(), "rb") as file:
        return file.read()


@pytest.mark.slow
def test_key_frames_become_a_movement_that_is_timed_and_exported(page):
    add = page.get_by_role("button", name="Add key frame")
    words = page.get_by_role("group", name="Path", exact=True).get_by_role("status")
    for row in ROWS:
        page.evaluate(f"{EXPLORER}.arrive({EXPLORER}.model.position({row}))")
        add.click()
    expect(page.get_by_role("button", name="Go to key frame")).to_have_count(3)
    page.wait_for_function(FOUND)
    expect(words).to_contain_text("The output changes by")
    add.click()
    expect(words).to_contain_text("already the last key frame")
    page.get_by_label("Seconds from start to end").fill("2")

    # The table's rows begin at the first key frame, end at the last, and pass the middle one.
    table = pd.read_csv(io.BytesIO(saved(page, "Save as CSV")))
    assert len(table) == 40
    np.testing.assert_allclose(np.diff(table["seconds"]), 0.05, atol=1e-9)
    keys = np.array(page.evaluate(f"{EXPLORER}.paths.keys"))
    points = table.filter(regex=r"^x\d+$").to_numpy()
    np.testing.assert_allclose(points[[0, -1]], keys[[0, 2]], atol=1e-6)
    step = np.linalg.norm(np.diff(points, axis=0), axis=1).max()
    assert np.linalg.norm(points - keys[1], axis=1).min() <= step
    poses = table.iloc[:, 1 + points.shape[1] :].to_numpy()
    model = gplvm_core.load("assets/models/poses/model.gplvm")
    expected = model.inverse_transform(points)
    np.testing.assert_allclose(poses, expected, atol=1e-3 * np.ptp(expected))
    # The outputs change evenly.
    moved = np.linalg.norm(np.diff(poses, axis=0), axis=1)
    assert moved.max() < 3.0 * np.median(moved)

    assert Image.open(io.BytesIO(saved(page, "Save as GIF"))).n_frames == 40
    movement = read_bvh(saved(page, "Save as BVH"))
    assert len(movement.values) == 40
    assert movement.times[-1] == pytest.approx(39 / 20)

    # A drag does not remove the movement. Without the middle key frame, a path joins the other two.
    page.get_by_label("Place on the path").fill("0.5")
    assert page.evaluate(f"{EXPLORER}.paths.place() !== null")
    page.evaluate(f"{EXPLORER}.body.begin()")
    assert page.evaluate(f"{EXPLORER}.paths.place()") is None
    page.get_by_role("button", name="Remove key frame 2").click()
    page.wait_for_function(FOUND)
    ends = page.evaluate(f"[0, 1].map((share) => Array.from({EXPLORER}.paths.way.place(share)))")
    np.testing.assert_allclose(ends, keys[[0, 2]], atol=1e-9)
    page.get_by_role("button", name="Go to key frame 1").click()
    np.testing.assert_allclose(page.evaluate(f"Array.from({EXPLORER}.state.point)"), keys[0])
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("button", name="Go to key frame")).to_have_count(0)

    opened_again(page)
    # A movement begins with the body as it was dragged, and keeps its bones.
    skeleton = gplvm_core.load_dataset("poses").drawing.skeleton
    hand = skeleton.joint_names.index("LFingers end")
    x, y = page.evaluate(
        f"() => {{ const {{ body }} = {EXPLORER}, box = body.canvas.getBoundingClientRect();"
        f" const [x, y] = body.places()[{hand}]; return [x + box.left, y + box.top]; }}"
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y - 140, steps=12)
    wait_until_still(page, "body")
    page.mouse.up()
    page.wait_for_function(f"() => {EXPLORER}.body.drag && !{EXPLORER}.busy")
    shown = f"""async () => {{
        for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
        return Array.from({EXPLORER}.pictures[0].values);
    }}"""
    dragged = np.array(page.evaluate(shown))
    add = page.get_by_role("button", name="Add key frame")
    add.click()
    page.evaluate(f"{EXPLORER}.arrive({EXPLORER}.model.position({ROWS[1]}))")
    add.click()
    page.wait_for_function(FOUND)
    table = pd.read_csv(io.BytesIO(saved(page, "Save as CSV")))
    points = table.filter(regex=r"^x\d+$").to_numpy()
    poses = table.iloc[:, 1 + points.shape[1] :].to_numpy()
    means = gplvm_core.load("assets/models/poses/model.gplvm").inverse_transform(points)
    np.testing.assert_allclose(poses[0], dragged, atol=1e-6)
    added = np.abs(poses - means).max(axis=1)
    assert added[0] > 0.03
    # The last body differs from the mean only by the lengths of its bones.
    assert added[-1] < 0.02
    joints = poses.reshape(len(poses), -1, 3)
    lengths = np.linalg.norm(joints[:, 1:] - joints[:, list(skeleton.parents)[1:]], axis=2)
    np.testing.assert_allclose(lengths, np.broadcast_to(lengths[0], lengths.shape), rtol=1e-3)
    page.get_by_role("button", name="Go to key frame 1").click()
    np.testing.assert_allclose(page.evaluate(shown), dragged, atol=1e-6)
