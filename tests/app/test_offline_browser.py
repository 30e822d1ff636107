"""Browser tests of the offline file: opened from disk without a network, and in a notebook."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import gplvm_core
from gplvm_core.datasets import Dataset, Drawing
from gplvm_core.kernels import White
from gplvm_core.offline import explorer as offline
from gplvm_core.prediction import predict
from gplvm_core.readers.frames import from_columns
from gplvm_core.store import Library
from gplvm_core.wire.crowd import sample_of
from gplvm_core.wire.model import Chart
from gplvm_core.wire.precision import Precision, spread
from pages.ui.learn.controls import usual_state
from pages.ui.learn.export import lesson_file
from pages.ui.learn.stops.step import STEP
from pages.ui.learn.stops.two_views import TWO_VIEWS
from pages.ui.learn.stops.uncertain_input import UNCERTAIN_INPUT
from pages.ui.shared.catalogue import Item
from pages.ui.shared.opening import opening_elsewhere
from tests.app.maps import MAP, READY
from tests.app.watch import wait_for_function
from tests.kernels.own.cosine import Cosine

pytestmark = pytest.mark.browser

HOSTILE = '</script><script>window.hacked = true</script><!--<img src=x onerror="hacked = true">'
# JavaScript that returns the point under the pointer and its output, after the next frame.
SHOWN = """async () => {
    for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    const [explorer] = window.manifolio.views.values();
    return [Array.from(explorer.shownPoint()), Array.from(explorer.pictures[0].values)];
}"""

KEPT = """() => {
    const { chosen } = [...window.manifolio.views.values()][0].state;
    return [Array.from(chosen.kept.point), chosen.show.thumbnails];
}"""


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    """Return sixty curves whose names contain markup."""
    rng = np.random.default_rng(0)
    values = np.sin(rng.standard_normal((60, 2)) @ rng.standard_normal((2, 12)))
    return Dataset(
        "hostile",
        HOSTILE,
        10.0 + 3.0 * values,
        Drawing("bars", (12,)),
        labels=np.arange(60) % 2,
        label_names=(HOSTILE, "tame"),
        column_names=tuple(f"{HOSTILE}{d}" for d in range(12)),
        source=HOSTILE,
    )


@pytest.fixture(scope="module")
def model(dataset: Dataset) -> gplvm_core.BayesianGPLVM:
    model = gplvm_core.BayesianGPLVM(n_components=3, n_inducing=20, max_iter=60, random_state=0)
    return model.fit(dataset.values)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page without a network; every error or warning on it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_offline(True)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    yield page
    context.close()
    assert [words for words in said if not words.startswith(("file:", "blob:", "data:"))] == []


# JavaScript that hosts a widget as a notebook does, by anywidget's contract, without a kernel.
HOST = """async ([script, state]) => {
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const { default: widget } = await import(address);
    const acts = [];
    window.model = {
        get: (name) => state[name],
        set(name, value) {
            state[name] = value;
            for (const [event, act] of acts) if (event === `change:${name}`) act();
        },
        on: (...act) => acts.push(act),
        save_changes() {},
    };
    widget.initialize({ model });
    widget.render({ model, el: document.body });
}"""


def saved(explorer: Any, folder: Path) -> str:
    explorer.save(folder / "map.html")
    return (folder / "map.html").as_uri()


@pytest.mark.parametrize("bits", [16, pytest.param(32, marks=pytest.mark.slow)])
def test_a_file_from_disk_draws_under_the_pointer_what_numpy_predicts(
    model, dataset, page, tmp_path, monkeypatch, bits
):
    monkeypatch.setattr(Precision, "unseen", property(lambda self: self.bits == bits))
    explorer = gplvm_core.explorer(model, dataset)
    assert explorer.precision.bits == bits
    page.goto(saved(explorer, tmp_path))
    page.wait_for_selector(READY)
    assert f"Numbers in {bits} bits" in page.locator("footer").inner_text()
    # Words of the data are words, and never markup.
    assert page.title() == HOSTILE
    assert page.locator("h1").inner_text() == HOSTILE
    assert page.locator("[data-part=legend] button").all_inner_texts() == [HOSTILE, "tame"]
    assert page.evaluate("window.hacked") is None
    box = page.locator(MAP).bounding_box()
    seen = []
    for across, down in np.random.default_rng(0).uniform(0.1, 0.9, (6, 2)):
        page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
        point, output = page.evaluate(SHOWN)
        exact = predict(model.posterior_, np.array([point]))[0][0]
        most = 1e-3 if bits == 16 else 1e-4
        assert np.max(np.abs(output - exact) / spread(dataset)) < most
        seen.append(point)
    assert len(np.unique(seen, axis=0)) == 6


def test_a_slider_changes_the_known_factor_that_the_map_leaves_out(page, tmp_path):
    rng = np.random.default_rng(0)
    age = rng.uniform(20.0, 60.0, 80)
    values = rng.standard_normal((80, 2)) @ rng.standard_normal((2, 5)) + age[:, None] / 8
    model = gplvm_core.BayesianGPLVM(2, n_inducing=15, max_iter=60, random_state=0)
    model.fit(values, known=from_columns({"age": age}, ""))
    data = Dataset("ages", "Ages", values, Drawing("bars", (5,)))
    page.goto(saved(gplvm_core.explorer(model, data), tmp_path))
    page.wait_for_selector(READY)
    slider = page.get_by_role("slider", name="age")
    for key, at in (("Home", 0), ("ArrowRight", 1), ("End", -1)):
        slider.press(key)
        point, output = page.evaluate(SHOWN)
        value = float(model.known_.choices[at][0] * age.std() + age.mean())
        expect(slider).to_have_attribute("aria-valuetext", f"{value:.4g}")
        exact = model.given(value).inverse_transform([point])[0]
        assert np.max(np.abs(output - exact) / spread(data)) < 2e-3


@pytest.mark.slow
def test_explore_offers_a_file_that_opens_at_the_kept_place_with_the_same_switches(
    server, browser_page, page, tmp_path
):
    app = browser_page.page
    app.goto(server.explore())
    app.wait_for_selector(READY)
    box = app.locator(MAP).bounding_box()
    app.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 0.4 * box["height"])
    app.get_by_role("button", name="Thumbnails").click()
    kept = app.evaluate(KEPT)
    app.get_by_text("Export", exact=True).click()
    with app.expect_download() as download:
        app.get_by_role("button", name="HTML file").click()
    download.value.save_as(tmp_path / "map.html")
    # The file is the one that the library makes.
    text = (tmp_path / "map.html").read_text(encoding="utf-8")
    library, identifier = Library(server.home / "library"), server.model_key.split(":")[1]
    model, dataset = library.model(identifier), library.dataset(identifier)
    opening = opening_elsewhere(Item(server.model_key, "Some digits", model, dataset))
    link = json.loads(html.unescape(re.search('data-link="([^"]*)"', text)[1]))
    chart = Chart.of(model, dataset)
    made = offline.OfflineExplorer(chart, "Some digits", dataset.source, opening, link)
    assert text == made.html
    # The texts below the button state the file's size and the precision of its numbers.
    size = f"{len(made.html.encode()) / 1e6:.1f} MB. {made.precision.in_words()}"
    app.get_by_role("status").filter(has_text=size).wait_for()
    page.goto((tmp_path / "map.html").as_uri())
    page.wait_for_selector(READY)
    place, thumbnails = page.evaluate(KEPT)
    assert thumbnails and kept[1]
    # Links have a few digits of each coordinate.
    np.testing.assert_allclose(place, kept[0], atol=1e-3)


@pytest.mark.slow
def test_the_page_reports_what_it_leaves_out(dataset, page, tmp_path):
    """The rows have twelve columns with gaps in different rows, and thirty facts."""
    rng = np.random.default_rng(1)
    values = np.where(rng.random(dataset.targets.shape) < 0.1, np.nan, dataset.targets)
    facts = {f"fact {i}": rng.random(len(values)) for i in range(30)}
    rows = replace(dataset, targets=values, covariates=facts)
    model = gplvm_core.BayesianGPLVM(n_components=2, n_inducing=8, max_iter=3, random_state=0)
    page.goto(saved(gplvm_core.explorer(model.fit(values), rows), tmp_path))
    page.get_by_text("The columns have different gaps").wait_for()
    last = page.locator("[data-part=colour] option").last
    assert last.inner_text() == "6 more facts are not listed"
    assert last.is_disabled()


@pytest.mark.slow
def test_a_kernel_that_only_its_author_can_draw_is_named_on_the_page(browser, dataset, tmp_path):
    model = gplvm_core.GPLVM(n_components=2, kernel=Cosine() + White(0.1), max_iter=5)
    explorer = gplvm_core.explorer(model.fit(dataset.values), dataset)
    page = browser.new_page()
    page.goto(saved(explorer, tmp_path))
    page.get_by_role("alert").get_by_text('cannot evaluate a kernel of kind "cosine"').wait_for()
    page.close()


@pytest.mark.slow
def test_a_cell_of_a_notebook_shows_it_apart_from_the_notebooks_page(
    model, dataset, page, tmp_path
):
    """Show the file as IPython displays it: as markup inside another page."""
    cell = offline.OfflineExplorer(Chart.of(model, dataset), "A map")._repr_html_()
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset=utf-8><p>In [1]</p>{cell}<p>In [2]</p>")
    page.goto(notebook.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(READY).wait_for()
    assert frame.locator("h1").inner_text() == "A map"
    inside = page.frames[1]
    before = inside.evaluate(SHOWN)
    box = frame.locator(MAP).bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
    point, output = inside.evaluate(SHOWN)
    assert point != before[0]
    exact = predict(model.posterior_, np.array([point]))[0][0]
    assert np.max(np.abs(output - exact) / spread(dataset)) < 1e-3
    # The frame is a separate page without access to the notebook's page.
    assert (
        inside.evaluate("(() => { try { return parent.document.title; } catch { return 0; } })()")
        == 0
    )


def test_python_and_the_map_of_a_large_table_move_each_other(page):
    """The page has a sample of the rows, in an order of its own."""
    pytest.importorskip("anywidget")
    rng = np.random.default_rng(0)
    values = rng.standard_normal((6000, 3)) @ rng.standard_normal((3, 4))
    labels = (values[:, 0] > 0).astype(int)
    bars = Drawing("bars", (4,))
    data = Dataset("many", "Many rows", values, bars, labels, ("left", "right"))
    model = gplvm_core.BayesianPCA(3, max_iter=5, random_state=0).fit(values)
    widget = gplvm_core.explorer(model, data)
    state = {name: widget.trait_values()[name] for name in widget.keys}
    shared = ("_id", "_frame", "names", "dimensions", "rows", "kept", "point")
    page.evaluate(HOST, [widget._esm, {name: state[name] for name in shared}])
    frame = page.frame_locator("iframe")
    frame.locator(READY).wait_for()
    inside = page.frames[1]
    wait_for_function(inside, "() => [...window.manifolio.views.values()][0].known")
    assert frame.locator("[data-part=back]").is_disabled()
    point = [0.25, -0.5, 1.0]
    told = {"names": ["size", "Dimension 2", "tilt"], "dimensions": [2, 0], "rows": [5, 17, 4000]}
    for name, value in (told | {"kept": point}).items():
        page.evaluate("([name, value]) => model.set(name, value)", [name, value])
    frame.get_by_text("3 rows selected").first.wait_for()
    chosen = frame.locator("[data-part=across] option:checked, [data-part=up] option:checked")
    assert chosen.all_inner_texts() == ["tilt", "size"]
    wait_for_function(page, "(point) => String(model.get('point')) === String(point)", arg=point)
    assert inside.evaluate(KEPT)[0] == point
    # The visitor selects the rows of a label, as far as the page has them, and goes back.
    frame.locator("[data-part=search]").fill("left")
    frame.locator("[data-part=search]").press("Enter")
    sample = sample_of(6000, 4)
    left = sorted(int(row) for row in sample if data.labels[row] == 0)
    wait_for_function(page, "(rows) => String(model.get('rows')) === String(rows)", arg=left)
    for _ in range(2):  # the search also went to one of the rows
        frame.locator("[data-part=back]").click()
    back = "(kept) => String(model.get('kept')) === String(kept)"
    wait_for_function(page, back, arg=list(widget.kept))


@pytest.mark.slow
def test_a_table_with_words_answers_the_pointer_as_python_does(page, tmp_path):
    rng = np.random.default_rng(0)
    sort = rng.integers(0, 3, 60)
    rows = [
        [HOSTILE if s == 0 else f"sort {s}", float(5.0 * s + rng.normal()), int(rng.poisson(1 + s))]
        for s in sort
    ]
    table = Dataset.of_table("made", "Made", rows, ["category", "number", "count"])
    model = gplvm_core.BayesianGPLVM(2, 10, kinds=table.kinds, max_iter=40, random_state=0)
    model.fit(table.in_own_values())
    page.goto(saved(gplvm_core.explorer(model, table), tmp_path))
    page.wait_for_selector(READY)
    for at in (0.3, 0.7):
        page.hover(MAP, position={"x": 640 * at, "y": 400})
        place, shown = page.evaluate(SHOWN)
        chance = model.class_probabilities_at(np.array([place]), "0")[0]
        words = table.columns[0].words
        order = [model.class_words("0").index(word) for word in words]
        np.testing.assert_allclose(shown[:3], chance[order], atol=0.02)
        chips = page.locator(".values .word:visible").all_inner_texts()
        best = str(words[int(np.argmax(shown[:3]))])
        assert chips[0].startswith(best)
    page.mouse.move(0, 0)
    page.locator(".values .word").first.click()
    shade = page.locator("select[aria-label=Shading]")
    assert shade.input_value().startswith("chance-1-")
    assert page.inner_text("[data-part=most]") == "100 %"
    page.fill("[data-part=search]", "0 = sort 2")
    page.press("[data-part=search]", "Enter")
    assert page.inner_text("[data-part=found]") == f"{int((sort == 2).sum())} rows found"
    assert "Means and shares" in page.inner_text("[data-part=selection]")
    with page.expect_download() as download:
        page.click("[data-part=selection] button:text-is('Export')")
    written = download.value.path().read_text()
    assert written.count("sort 2") == (sort == 2).sum()
    page.locator("[data-part=wall-modes] button").first.click()
    assert page.locator("[data-part=wall] canvas").count() == 16


def test_a_lesson_in_one_file_answers_without_a_server(page: Page, tmp_path: Path):
    path = tmp_path / "lesson.html"
    path.write_text(lesson_file((UNCERTAIN_INPUT, STEP, TWO_VIEWS)), encoding="utf-8")
    page.goto(path.as_uri())
    wait_for_function(page, "() => window.manifolio?.views.size === 2")
    step = page.locator("section[data-stop=step]")
    step.locator("select").select_option("smooth")
    step.locator("input").focus()
    page.keyboard.press("End")
    words = STEP.picture({"curve": "smooth", "place": 1.0}).words
    expect(step.locator(".lesson-words p")).to_have_text(list(words))
    bend = page.locator("section[data-stop=bend]")
    bend.locator("input").nth(1).focus()
    page.keyboard.press("End")
    state = usual_state(UNCERTAIN_INPUT.controls) | {"deviation": 1.5}
    words = UNCERTAIN_INPUT.picture(state).words
    expect(bend.locator(".lesson-words p")).to_have_text(list(words))
    assert f"need the app: {TWO_VIEWS.title}" in page.locator("footer").inner_text()
