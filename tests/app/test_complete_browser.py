"""Browser tests of the painter: strokes, completions, undo, keys, touch, memory."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core import BayesianGPLVM, load_dataset
from gplvm_core.figures.cells import choices, columns_of
from gplvm_core.store import Library
from gplvm_core.wire.completion import mask_text
from tests.app.looks import CUT, check_looks
from tests.app.watch import settled

pytestmark = pytest.mark.browser

ITEM = "canvas[data-part=item]"
PAINTER = ".painter[data-answered]"
STATE = """() => {
    const painter = [...window.manifolio.views.values()][0];
    const { row, answer } = painter;
    return {
        id: row.id, mask: Array.from(row.mask), values: Array.from(row.values),
        mean: answer && Array.from(answer.mean), std: answer && Array.from(answer.std),
        summary: answer && answer.summary,
    };
}"""
ANSWERED = """(mask) => {
    const painter = [...window.manifolio.views.values()][0];
    // While the page shows a new picture, there is no painter for a moment.
    return painter?.answer && painter.row.text() === painter.answer.mask
        && painter.root.dataset.waiting === undefined
        && (mask === null || painter.answer.mask === mask);
}"""


OTHER = "(old) => ![old, undefined].includes([...window.manifolio.views.values()][0]?.row.id)"


@dataclass(frozen=True)
class Bodies:
    """The key of a model of stick figures in the server's library."""

    key: str


@pytest.fixture(scope="module")
def bodies(server) -> Iterator[Bodies]:
    poses = load_dataset("poses")
    rows = slice(0, 120)
    data = replace(
        poses,
        name="some-poses",
        targets=poses.targets[rows],
        labels=poses.labels[rows],
        times=None,
        sequences=None,
        covariates={},
    )
    model = BayesianGPLVM(3, n_inducing=20, max_iter=40, random_state=0).fit(data.values)
    library = Library(server.home / "library")
    identifier = library.add(model, data, "Some poses")
    yield Bodies(f"library:{identifier}")
    library.delete(identifier)


def link(server, key=None):
    return f"{server.url}/complete?model={key or server.model_key}"


def open_page(visit, url):
    visit.page.goto(url)
    visit.page.wait_for_selector(PAINTER)
    return visit.page


def state(page):
    return page.evaluate(STATE)


def answered(page, mask=None):
    text = None if mask is None else mask_text(np.asarray(mask, dtype=bool))
    return page.wait_for_function(f"(mask) => ({ANSWERED})(mask) && ({STATE})()", arg=text)


def on_item(page, across, down):
    """Convert a position in the row's picture, in fractions from its upper left, to window
    coordinates.
    """
    page.locator(ITEM).scroll_into_view_if_needed()
    box = page.locator(ITEM).bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def stroke(page, start, end):
    page.mouse.move(*on_item(page, *start))
    page.mouse.down()
    page.mouse.move(*on_item(page, *end), steps=6)
    page.mouse.up()


def dataset(server, key):
    return Library(server.home / "library").dataset(key.split(":")[1])


def test_a_visitor_hides_pixels_and_the_model_fills_them_in(server, browser_page):
    page = open_page(browser_page, link(server))
    first = answered(page)
    data = dataset(server, server.model_key)
    np.testing.assert_array_equal(first["mask"], choices(data.drawing)["Left half"])
    row = np.array(first["values"])
    np.testing.assert_array_equal(row, data.values[int(first["id"].split()[1])])
    hidden = columns_of(data.drawing, np.array(first["mask"], dtype=bool))
    mean, std = server.model().complete(np.where(hidden, np.nan, row)[None], return_std=True)
    np.testing.assert_allclose(first["mean"], mean[0], rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(first["std"], std[0], rtol=1e-4, atol=1e-3)
    # The mask is the same bits in both languages.
    text = page.evaluate("() => [...window.manifolio.views.values()][0].row.text()")
    assert text == mask_text(np.array(first["mask"], dtype=bool))
    assert len(base64.b64decode(text)) == 8

    # The ready-made parts, undo by button and by key, and showing pixels again.
    page.get_by_role("button", name="Lower half").click()
    lower = answered(page, np.arange(64) >= 32)["mask"]
    page.get_by_role("button", name="Random half").click()
    answered(page)
    page.get_by_role("button", name="Undo").click()
    assert answered(page, lower)["mask"] == lower
    page.locator(ITEM).focus()
    page.keyboard.press("Control+z")
    assert answered(page, first["mask"])["mask"] == first["mask"]
    assert page.get_by_role("button", name="Undo").is_disabled()
    page.get_by_role("button", name="Show again").click()
    stroke(page, (0.3, 0.5), (0.3, 0.5))
    assert 0 < sum(answered(page)["mask"]) < sum(first["mask"])
    page.get_by_role("button", name="Hide", exact=True).click()

    # A stroke sends nothing to the server before its end; then the answer comes back.
    page.get_by_role("button", name="Nothing").click()
    assert sum(answered(page, np.zeros(64))["mask"]) == 0
    page.mouse.move(*on_item(page, 0.4, 0.35))
    sent = len(browser_page.traffic.sent)
    page.mouse.down()
    for share in (0.5, 0.65):
        page.mouse.move(*on_item(page, share, 0.35), steps=3)
        settled(page)
    assert len(browser_page.traffic.sent) == sent
    page.mouse.up()
    now = answered(page)
    assert len(browser_page.traffic.sent) > sent
    hidden = np.array(now["mask"], dtype=bool).reshape(8, 8)
    assert 2 <= hidden.sum() <= 20
    assert hidden[2:4, 3:5].any()
    columns = hidden.ravel()
    np.testing.assert_array_equal(
        np.array(now["mean"])[~columns], np.array(now["values"])[~columns]
    )
    assert np.all(np.array(now["std"])[columns] > 0)
    words = page.locator("[data-part=item-words]")
    expect(words).to_contain_text(f"{hidden.sum()} of 64 pixels hidden")
    expect(page.locator("[data-part=mean-words]")).to_contain_text("expected by the model")
    page.get_by_role("button", name="Show the truth").click()
    expect(page.locator("[data-part=item-title]")).to_have_text("The truth")
    page.get_by_role("button", name="Show the truth").click()

    # Keys paint, too: the cell above and left of the middle is row 4 and column 4.
    page.get_by_role("button", name="Nothing").click()
    answered(page, np.zeros(64))
    page.locator(ITEM).focus()
    for key in ("[", "[", "[", "ArrowUp", "ArrowLeft", "Space"):
        page.keyboard.press(key)
    page.wait_for_function("() => [...window.manifolio.views.values()][0].row.mask.some(Boolean)")
    assert answered(page)["mask"][8 * 3 + 3] == 1
    assert "Space hides" in page.locator(ITEM).get_attribute("aria-label")

    # Hiding everything is refused with a message and undone.
    page.get_by_role("button", name="Lower half").click()
    answered(page, np.arange(64) >= 32)
    page.locator("input[data-part=brush]").focus()
    page.keyboard.press("End")
    for down in (0.1, 0.35, 0.6, 0.9):
        stroke(page, (0.05, down), (0.95, down))
    problem = page.locator("[data-part=problem]")
    expect(problem).to_contain_text("Everything is hidden")
    page.get_by_role("button", name="Undo").click()
    answered(page)
    expect(problem).to_be_hidden()
    check_looks(settled(page))


@pytest.mark.slow
def test_painting_outlives_other_rows_pages_and_reruns(server, browser_page):
    page = open_page(browser_page, link(server))
    answered(page)
    page.get_by_role("button", name="Lower half").click()
    mine = answered(page, np.arange(64) >= 32)
    buttons = page.locator(".strip [data-id]")
    buttons.nth(1).click()
    page.wait_for_function(OTHER, arg=mine["id"])
    other = answered(page)
    # In another row, the same parts are hidden at first as in the last row. Changing these parts
    # does not change the last row.
    assert other["mask"] == mine["mask"]
    page.get_by_role("button", name="Nothing").click()
    answered(page, np.zeros(64))
    page.get_by_role("link", name="Train").click()
    page.locator(ITEM).wait_for(state="detached")
    page.get_by_role("link", name="Explore").click()
    page.wait_for_selector(PAINTER)
    assert sum(answered(page, np.zeros(64))["mask"]) == 0
    buttons.nth(0).click()
    assert answered(page, mine["mask"])["mask"] == mine["mask"]
    # Streamlit may build the element again after the question was sent: the new painter knows only
    # the old mask, and has asked nothing.
    page.evaluate("""() => {
        const painter = [...window.manifolio.views.values()][0];
        const before = painter.row.mask.slice();
        painter.put(new Uint8Array(64));
        [painter.masks, painter.number] = [new Map([[painter.row.id, before]]), 0];
        painter.choose(painter.row.id, false);
    }""")
    assert sum(answered(page, np.zeros(64))["mask"]) == 0
    # Other rows come on request.
    ids = page.locator(".strip [data-id]").evaluate_all("all => all.map((b) => b.dataset.id)")
    page.get_by_role("button", name="Others").click()
    page.wait_for_function(OTHER, arg=state(page)["id"])
    answered(page)
    others = page.locator(".strip [data-id]").evaluate_all("all => all.map((b) => b.dataset.id)")
    assert len(others) == 10
    assert not set(ids) & set(others)


@pytest.mark.slow
def test_joints_and_limbs_are_clicked(server, bodies, browser_page):
    page = open_page(browser_page, link(server, bodies.key))
    data = dataset(server, bodies.key)
    names = list(data.drawing.skeleton.joint_names)
    assert answered(page)["mask"] == choices(data.drawing)["Legs"].astype(int).tolist()
    page.get_by_role("button", name="Nothing").click()
    answered(page, np.zeros(len(names)))

    def click(name):
        answered(page)
        settled(page)  # the charts below the picture may still move it
        page.locator(ITEM).evaluate("(canvas) => canvas.scrollIntoView({ block: 'center' })")
        place = page.evaluate(
            "(j) => { const p = [...window.manifolio.views.values()][0];"
            " return p.cells.place(j, p.pictures.frame(p.row, p.answer)); }",
            names.index(name),
        )
        box = page.locator(ITEM).bounding_box()
        page.mouse.click(box["x"] + place[0], box["y"] + place[1])

    click("Head end")
    assert np.flatnonzero(answered(page)["mask"]).tolist() == [names.index("Head end")]
    click("Head end")
    assert sum(answered(page, np.zeros(len(names)))["mask"]) == 0
    page.get_by_role("button", name="Limb").click()
    click("RightLeg")
    shown = "(mask) => [...window.manifolio.views.values()][0].row.text() !== mask"
    page.wait_for_function(shown, arg=mask_text(np.zeros(len(names), dtype=bool)))
    now = answered(page)
    found = {names[j] for j in np.flatnonzero(now["mask"])}
    assert {"RightLeg", "RightFoot", "RightToeBase"} <= found
    assert all(name.startswith("Right") for name in found)
    # Dragging a completed figure turns the figures and hides nothing.
    turn = "() => ({...[...window.manifolio.views.values()][0].state.turn})"
    before = page.evaluate(turn)
    box = page.locator("canvas[data-part=mean]").bounding_box()
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 60, steps=4)
    page.mouse.up()
    assert page.evaluate(turn)["yaw"] > before["yaw"]
    assert state(page)["mask"] == now["mask"]


@pytest.mark.slow
def test_a_finger_paints_and_the_page_fits_a_telephone(server, telephone):
    page = open_page(telephone, link(server))
    page.get_by_role("button", name="Nothing").tap()
    answered(page, np.zeros(64))
    page.touchscreen.tap(*on_item(page, 0.5, 0.5))
    page.wait_for_function("() => [...window.manifolio.views.values()][0].row.mask.some(Boolean)")
    assert page.evaluate(CUT) == []
    places = [page.locator(f"canvas[data-part={part}]").bounding_box() for part in ("item", "mean")]
    assert places[1]["y"] > places[0]["y"] + places[0]["height"]
