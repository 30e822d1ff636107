"""Browser test of fractions: recognised on Train, and drawn in a triangle on Explore."""

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core.prediction import predict
from gplvm_core.store import Library
from tests.app.maps import EXPLORER, train_shortly_and_click
from tests.app.uploads import soils
from tests.app.watch import settled

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_fractions_are_offered_trained_and_drawn_in_a_triangle(server, browser_page):
    page = browser_page.page
    page.goto(f"{server.url}/train")
    page.get_by_text("My own file").click()
    file = {"name": "soils.csv", "mimeType": "text/csv", "buffer": soils()}
    page.locator("input[type=file]").set_input_files([file])
    offered = page.get_by_text("“sand”, “silt”, “clay” are fractions of one whole")
    offered.click()  # off: plain numbers have pictures
    settled(page)
    # No blank is below the pictures of the rows.
    room, sheet = (
        page.locator(part).bounding_box() for part in ("[class*=st-key-room_line]", ".mf-sheet")
    )
    assert room["height"] == pytest.approx(sheet["height"], abs=1)
    offered.click()
    expect(page.get_by_text("2 columns of numbers and 3 fractions")).to_be_visible()
    train_shortly_and_click(page, 0.9, 0.5)
    point, shown, dark = page.evaluate(
        f"""() => {{
            const explorer = {EXPLORER}, point = explorer.shownPoint();
            const values = new Float64Array(explorer.model.table.nOutputs);
            explorer.model.table.predict(point, values);
            const {{ canvas }} = explorer.inspector.values.triangle;
            const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return [Array.from(point), Array.from(values), pixels.data.filter((v) => v > 0).length];
        }}"""
    )
    model = Library(server.home / "library").model("soils-bayesian-gp-lvm")
    mean, _ = predict(model.posterior_, np.array([point]))
    expected = model.fractions_.decoded(mean)[0]
    assert expected[2:].sum() == pytest.approx(100.0)
    np.testing.assert_allclose(shown, expected, rtol=1e-3)
    assert dark > 2000
