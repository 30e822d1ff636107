"""Browser tests of the tab Predict: sliders change the prediction without the server."""

import warnings

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core import DeepGP, SparseGPRegression, load_dataset, read_table
from gplvm_core.comparison.one_column import answers, task_of
from gplvm_core.readers import ask_column
from gplvm_core.store import Library
from tests.app.apptest import PIXELS
from tests.app.test_predict import planks
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser


def test_a_slider_moves_the_answer_as_in_python_and_asks_no_server(server, browser_page) -> None:
    asked = ask_column(load_dataset("diabetes"), "progression", ["body mass index", "HDL"])
    _, train, _ = task_of(asked)
    with warnings.catch_warnings(action="ignore"):
        model = DeepGP((1,), 8, max_iter=8, random_state=0).fit(train.inputs, train.target)
    key = Library(server.home / "library").add(model, asked, "Progression")
    page = browser_page.page
    page.goto(f"{server.url}/explore?model=library:{key}")
    page.locator("[data-part=explorer][data-ready=true]").wait_for()
    settled(page)
    value = page.locator("[data-part=value]")
    curve = page.locator("[data-part=slices] canvas").last
    before, sent = curve.evaluate(PIXELS), len(browser_page.traffic.sent)
    field = page.get_by_role("spinbutton", name="HDL, number")
    page.get_by_role("spinbutton", name="body mass index, number").fill("35")
    field.fill("40")
    expect(value).to_have_text(f"{answers(model, np.array([[35.0, 40.0]]))[0][0]:.0f}")
    field.fill("")  # an empty field is unknown, so the prediction averages over its values
    expect(page.locator("[data-part=doubt]")).to_contain_text("One input is unknown")
    mean, std = (each[0] for each in answers(model, np.array([[35.0, np.nan]])))
    expect(value).to_have_text(f"{mean:.0f}")
    expect(page.locator("[data-part=between]")).to_contain_text(f"and {mean + 1.96 * std:.0f}")
    changed(curve, before)
    # A click in the other curve sets the input of that curve.
    page.locator("[data-part=slices] canvas").first.click(position={"x": 200, "y": 60})
    expect(page.get_by_role("spinbutton", name="body mass index, number")).not_to_have_value("35")
    expect(page.get_by_text("What each layer does")).to_be_visible()
    assert len(browser_page.traffic.sent) == sent


@pytest.mark.slow
def test_a_menu_chooses_a_word_and_the_answer_is_that_of_python(server, browser_page) -> None:
    asked = ask_column(read_table(planks(), kinds="auto"), "price", ["wood", "length"])
    task, train, _ = task_of(asked)
    with warnings.catch_warnings(action="ignore"):
        model = SparseGPRegression(20, max_iter=30, random_state=0).fit(train.inputs, train.target)
    key = Library(server.home / "library").add(model, asked, "Planks")
    page = browser_page.page
    page.goto(f"{server.url}/explore?model=library:{key}")
    page.locator("[data-part=explorer][data-ready=true]").wait_for()
    settled(page)
    value, menu = page.locator("[data-part=value]"), page.get_by_label("wood", exact=True)
    page.get_by_role("spinbutton", name="length, number").fill("12")
    words = [str(word) for word in task.input_columns.columns[0].words]
    coded = np.array([[k, 12.0] for k in range(3)])
    means, _ = answers(model, task.input_columns.expanded(coded))
    for word, mean in zip(words, means, strict=True):
        menu.select_option(word)
        expect(value).to_have_text(f"{mean:.1f}")
    menu.select_option("unknown")
    mean = answers(model, task.input_columns.expanded(np.array([[np.nan, 12.0]])))[0][0]
    expect(value).to_have_text(f"{mean:.1f}")
    expect(page.locator("[data-part=doubt]")).to_contain_text("One input is unknown")
    # A click in the curve over words chooses the word below the pointer.
    curve = page.locator("[data-part=slices] canvas").first
    box = curve.bounding_box()
    curve.click(position={"x": box["width"] - 30, "y": 60})
    expect(menu).to_have_value("2")
