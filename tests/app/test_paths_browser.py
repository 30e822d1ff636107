"""Browser tests of a path on the map: chosen, measured, played, and exported."""

import base64
import io
import re
import zipfile

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.app.apptest import PIXELS
from tests.app.maps import EXPLORER, MAP, OUTPUT
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser

FRAMES = 60
PATH = """() => {
    const { paths, state } = [...window.manifolio.views.values()][0];
    const ends = (way) => [0, 1].map((share) => Array.from(way.place(share)));
    const { straight, geodesic } = paths.ways;
    return {
        straight: straight.length, geodesic: geodesic.length, ends: ends(geodesic),
        point: Array.from(state.point), root: Math.sqrt(paths.model.nOutputs),
    };
}"""


def pixels_of(bytes_or_url):
    return np.asarray(Image.open(io.BytesIO(bytes_or_url)).convert("RGB"), dtype=int)


def saved(page, name):
    """Return the bytes of the file that a button saves."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name).click()
    with open(waiting.value.path(), "rb") as file:
        return file.read()


@pytest.mark.slow
def test_a_path_is_found_played_and_exported(server, browser_page):
    page = browser_page.page
    page.goto(server.explore("&unsure=off"))
    page.wait_for_selector("[data-ready=true]")
    settled(page)
    panel = page.get_by_role("group", name="Path", exact=True)
    words = panel.get_by_role("status")
    begin = page.evaluate(f"Array.from({EXPLORER}.state.point)")

    panel.get_by_role("button", name="Path", exact=True).click()
    expect(words).to_contain_text("Click the end of the path")
    box = page.locator(MAP).bounding_box()
    page.mouse.click(box["x"] + 0.85 * box["width"], box["y"] + 0.2 * box["height"])
    expect(words).to_contain_text("The output changes by")
    path = page.evaluate(PATH)
    assert path["geodesic"] <= path["straight"]
    assert path["ends"] == [begin, path["point"]]
    told = [float(number) for number in re.findall(r"[\d.]+", words.inner_text())]
    expected = np.array([path["geodesic"], path["straight"]]) / path["root"]
    np.testing.assert_allclose(told, expected, rtol=5e-3)

    # The link contains the path, and opening it restores the path.
    panel.get_by_role("button", name="Straight").click()
    page.wait_for_function("location.search.includes('way=straight')")
    page.goto(page.url)
    expect(panel.get_by_role("button", name="Straight")).to_have_attribute("aria-pressed", "true")
    expect(words).to_contain_text("The output changes by")
    settled(page)
    again = page.evaluate(PATH)
    np.testing.assert_allclose(again["ends"], path["ends"], atol=5.1e-5)
    assert again["straight"] == pytest.approx(path["straight"], rel=1e-3)
    assert again["geodesic"] == pytest.approx(path["geodesic"], rel=1e-2)
    panel.get_by_role("button", name="Geodesic").click()
    page.wait_for_function("!location.search.includes('way=')")
    path = again

    page.mouse.move(0, 0)
    before = page.locator(OUTPUT).evaluate(PIXELS)
    panel.get_by_role("button", name="Play").click()
    changed(page.locator(OUTPUT), before, changed(page.locator(OUTPUT), before))
    # playback stops at the end of the path
    expect(panel.get_by_role("button", name="Play")).to_be_visible()
    assert panel.get_by_label("Place on the path").input_value() == "1"

    picture = Image.open(io.BytesIO(saved(page, "Save as GIF")))
    size = page.locator(OUTPUT).evaluate("(canvas) => [canvas.width, canvas.height]")
    assert (picture.n_frames, list(picture.size)) == (FRAMES, size)
    with zipfile.ZipFile(io.BytesIO(saved(page, "Save frames"))) as archive:
        assert archive.namelist() == [f"{i + 1:04d}.png" for i in range(FRAMES)]
        for frame in (0, 20, FRAMES - 1):
            picture.seek(frame)
            png = pixels_of(archive.read(f"{frame + 1:04d}.png"))
            assert np.abs(np.asarray(picture.convert("RGB"), dtype=int) - png).max() <= 2
    # The last picture equals the picture that the page shows at the end of the path.
    url = page.locator(OUTPUT).evaluate("(canvas) => canvas.toDataURL()")
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGBA"))
    opaque = shown[..., 3] == 255
    assert opaque.mean() > 0.5
    np.testing.assert_array_equal(png[opaque], shown[opaque][:, :3])

    # After the chosen point moves, the page shows the output of this point again.
    at_the_end = page.locator(OUTPUT).evaluate(PIXELS)
    page.locator(MAP).focus()
    page.keyboard.press("Shift+ArrowLeft")
    changed(page.locator(OUTPUT), at_the_end)
    page.keyboard.press("Enter")
    path = page.evaluate(PATH)

    # By keyboard, the next path begins at the end of the last path.
    panel.get_by_role("button", name="Path", exact=True).focus()
    page.keyboard.press("Enter")
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(words).to_contain_text("The output changes by")
    assert page.evaluate(PATH)["ends"][0] == path["point"]
    panel.get_by_role("button", name="Clear").click()
    expect(panel.get_by_role("button")).to_have_count(2)
    page.wait_for_function("!location.search.includes('path=')")
