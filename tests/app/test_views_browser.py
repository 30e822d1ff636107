"""Browser tests of the tab Views: one pointer, several outputs, and the lock."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core import ManifoldRelevance
from gplvm_core.prediction import predict
from gplvm_core.store import Library
from pages.ui.explore.views.model import parts_at
from tests.app.apptest import PIXELS
from tests.app.looks import CUT, check_looks
from tests.app.maps import link_with
from tests.app.views_data import body_of_joints, model_of_pairs, some_pairs
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser

MAP = "canvas[data-part=upper]"
LEFT, RIGHT = (f".outputs .pane > canvas >> nth={number}" for number in (0, 1))
FIRST = "const explorer = [...window.manifolio.views.values()][0];"
STATE = f"""() => {{
    {FIRST}
    const {{ state }} = explorer;
    return {{
        point: Array.from(state.point), pair: [state.a, state.b], held: [...state.held],
        lock: explorer.lock, shown: Array.from(explorer.shownPoint()),
    }};
}}"""
PREDICT = f"""(points) => {{
    {FIRST}
    return points.map((point) => explorer.model.outputs.map(({{ model }}) => {{
        const mean = new Float64Array(model.nOutputs);
        const variance = model.predict(point, mean);
        return [Array.from(mean), model.deviation(variance)];
    }}));
}}"""
SHADE = f"""([points, a, b]) => {{
    {FIRST}
    return points.map((point) => {{
        const slice = explorer.model.slice(point, a, b);
        const out = new Float64Array(1);
        const us = Float64Array.of(point[a]);
        slice.variances(us, slice.columns(us), point[b], out, 0);
        return out[0];
    }});
}}"""
SHADE_NEAR = f"""([u, v]) => {{
    {FIRST}
    const out = new Float64Array(1);
    const us = Float64Array.of(u);
    const slice = explorer.map.slice(explorer.state.point);
    slice.variances(us, slice.columns(us), v, out, 0);
    return out[0];
}}"""
SPEED = f"""() => {{
    {FIRST}
    const {{ u, v, su, sv }} = explorer.map.view;
    const times = [];
    for (let i = 0; i < 100; i++) {{
        explorer.state.hover = [u + su * Math.cos(i), v + sv * Math.sin(i)];
        const start = performance.now();
        explorer.drawOutputs();
        explorer.map.drawUpper();
        times.push(performance.now() - start);
    }}
    explorer.state.hover = null;
    return times.sort((p, q) => p - q)[50];
}}"""
BY_HAND = f"""async () => {{
    {FIRST}
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    const {{ body, pictures: [silhouette, pose], state }} = explorer;
    const box = body.canvas.getBoundingClientRect();
    const [x, y] = body.places()[body.drawing.skeleton.names.indexOf("LeftHand")];
    return {{
        hand: [x + box.left, y + box.top], point: Array.from(state.point),
        past: state.chosen.past.length, silhouette: Array.from(silhouette.values),
        pose: Array.from(pose.values),
    }};
}}"""
AT_REST = f"() => {{ {FIRST} return !explorer.busy; }}"


@dataclass(frozen=True)
class Several:
    """The keys of two models (pairs of images, joints), and the model of pairs itself."""

    pairs: str
    joints: str
    model: ManifoldRelevance


@pytest.fixture(scope="module")
def several(server) -> Iterator[Several]:
    library = Library(server.home / "library")
    pairs, joints = some_pairs(), body_of_joints()
    model = model_of_pairs(pairs)
    bodies = ManifoldRelevance(4, n_inducing=10, max_iter=15, random_state=0)
    bodies.fit(joints.view_values)
    keys = [library.add(model, pairs, "Some pairs"), library.add(bodies, joints, "Some joints")]
    yield Several(*(f"library:{key}" for key in keys), model)
    for key in keys:
        library.delete(key)


def open_page(visit, server, key, page="views", query=""):
    visit.page.goto(f"{server.url}/{page}?model={key}{query}")
    visit.page.wait_for_selector("[data-ready=true]")
    settled(visit.page)
    # A model over time shows a film with a map of its own above the map of the views.
    visit.page.locator(MAP).last.scroll_into_view_if_needed()
    return visit.page


def on_map(page, across, up):
    """Convert a position on the map, in fractions from its lower left, to window coordinates."""
    box = page.locator(MAP).bounding_box()
    return box["x"] + across * box["width"], box["y"] + (1 - up) * box["height"]


def state(page):
    return page.evaluate(STATE)


def move(page, part):
    page.locator(f"[data-part=moves] button[data-move='{part}']").click()
    settled(page)


def wait_for_other_point(page, before):
    page.wait_for_function(
        f"(before) => {{ {FIRST} return explorer.state.point.some((x, q) => x !== before[q]); }}",
        arg=before,
    )


def travel(page, places, moving=(LEFT, RIGHT)):
    """Move to positions on the map; the picture of every free view changes at each position."""
    found = {selector: [page.locator(selector).evaluate(PIXELS)] for selector in moving}
    for place in places:
        page.mouse.move(*on_map(page, *place))
        for selector, before in found.items():
            before.append(changed(page.locator(selector), *before))


def difference(page, points):
    """Return the largest difference of each view's outputs between latent points."""
    answers = page.evaluate(PREDICT, points)
    return [
        np.abs(np.array(answers[0][view][0]) - np.array(answers[1][view][0])).max()
        for view in (0, 1)
    ]


def test_one_pointer_moves_both_outputs_and_the_lock_keeps_one_still(server, several, browser_page):
    page = open_page(browser_page, server, several.pairs)
    model = several.model
    rng = np.random.default_rng(0)
    points = np.vstack([model.latent_mean_[:10], rng.uniform(-3, 3, (10, 6))])
    answers = page.evaluate(PREDICT, points.tolist())
    shares = np.zeros(len(points))
    for number, name in enumerate(("left", "right")):
        posterior = model.posteriors_[name]
        mean, variance = predict(posterior, points)
        told = np.array([answer[number][0] for answer in answers])
        np.testing.assert_allclose(told, mean, atol=1e-4 * np.ptp(mean))
        deviation = np.sqrt(variance.mean(axis=1))
        told = [answer[number][1] for answer in answers]
        np.testing.assert_allclose(told, deviation, atol=2e-3 * deviation.max())
        internal = variance[:, 0] / posterior.scale[0] ** 2
        shares += internal / (2.0 * float(posterior.kernel.diag(points[:1])[0]))
    shade = page.evaluate(SHADE, [points.tolist(), 0, 1])
    np.testing.assert_allclose(shade, shares, atol=1e-4)
    # One pointer moves both outputs without the server.
    sent = len(browser_page.traffic.sent)
    travel(page, [(0.2, 0.3), (0.5, 0.6), (0.8, 0.4)])
    settled(page)
    assert len(browser_page.traffic.sent) == sent

    # Everything follows the data until a part is held.
    switch = page.locator("[data-part=follow]")
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.mouse.move(*on_map(page, 0.35, 0.6))
    page.wait_for_function(f"() => {{ {FIRST} return explorer.state.hover; }}")
    now = state(page)
    others = [q for q in range(6) if q not in now["pair"]]
    assert all(now["shown"][q] != now["point"][q] for q in others)
    a, b = now["pair"]
    shown = np.array([now["shown"]])
    told = page.evaluate(SHADE_NEAR, [shown[0, a], shown[0, b]])
    shares = [
        predict(each, shown)[1][0, 0] / each.scale[0] ** 2 / float(each.kernel.diag(shown)[0])
        for each in several.model.posteriors_.values()
    ]
    assert told == pytest.approx(np.mean(shares), abs=1e-4)
    # Locked dimensions keep the values of the chosen point and do not follow the data.
    move(page, "shared")
    expect(switch).to_be_disabled()
    expect(switch).to_have_attribute("aria-pressed", "false")
    page.locator("[data-part=reset]").click()
    expect(switch).to_be_enabled()
    expect(switch).to_have_attribute("aria-pressed", "true")

    # The lock keeps one view still.
    private = {part.id: part.dimensions for part in parts_at(several.model, 0.05)}
    places = [(0.15, 0.2), (0.5, 0.8), (0.85, 0.35)]
    for part, moving in (("only left", 0), ("only right", 1)):
        move(page, part)
        now = state(page)
        assert now["lock"] == part
        assert set(now["held"]) == set(range(6)) - set(private[part])
        assert set(now["pair"]) & set(private[part])
        start = now["point"]
        travel(page, places, [(LEFT, RIGHT)[moving]])
        shown = state(page)["shown"]
        for q in now["held"]:
            assert shown[q] == start[q]
        change = difference(page, [start, shown])
        # The output of the other view changes by less than one of 255 grey levels.
        assert change[1 - moving] < 1.0 < 10.0 < change[moving]
    page.locator("[data-part=moves] button").first.click()
    assert state(page)["held"] == []

    # A drag under the lock keeps the rest.
    move(page, "only right")
    before = state(page)
    box = page.locator(MAP).bounding_box()
    x, y = page.evaluate(
        f"() => {{ {FIRST} const {{ a, b, point }} = explorer.state;"
        " return explorer.map.toPixel(point[a], point[b]); }"
    )
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(*on_map(page, 0.3, 0.7), steps=6)
    page.mouse.up()
    after = state(page)
    moved = {q for q in range(6) if abs(after["point"][q] - before["point"][q]) > 1e-3}
    assert moved
    assert not moved & set(before["held"])

    # A training point lends only what may move.
    page.locator("[data-part=reset]").click()
    move(page, "shared")
    before = state(page)
    row, x, y = page.evaluate(
        f"() => {{ {FIRST} const {{ map, model }} = explorer;"
        " const box = map.upper.getBoundingClientRect();"
        " let far = 0; for (let n = 0; n < model.nPoints; n++)"
        " if (map.places[2 * n] > map.places[2 * far]) far = n;"
        " return [far, box.left + map.places[2 * far], box.top + map.places[2 * far + 1]]; }"
    )
    page.mouse.click(x, y)
    wait_for_other_point(page, before["point"])
    after = state(page)["point"]
    shared = parts_at(several.model, 0.05)[0].dimensions
    for q in range(6):
        wanted = several.model.latent_mean_[row][q] if q in shared else before["point"][q]
        assert after[q] == pytest.approx(wanted, abs=1e-3)

    # The variations change with the kept place, and the link restores it.
    page.locator("[data-part=reset]").click()
    first = page.locator(".mf-lines img").first.get_attribute("src")
    page.mouse.click(*on_map(page, 0.91, 0.08))
    page.wait_for_function("location.search.includes('at=')")
    page.wait_for_function(
        "(old) => document.querySelector('.mf-lines img').getAttribute('src') !== old", arg=first
    )
    page.get_by_role("radio", name="From the previous place").click()
    page.wait_for_function("() => document.querySelectorAll('.mf-lines figcaption').length > 0")
    expect(page.locator(".mf-lines figcaption").first).to_have_text("start")
    # The link restores the same position.
    point = state(page)["point"]
    link = link_with(page, point)
    page.goto("about:blank")
    page.goto(f"{link}&zoom=0.5,0.5,3&names=pose")
    page.wait_for_selector("[data-ready=true]")
    assert state(page)["point"] == pytest.approx(point, abs=1e-4)
    # As on other maps, a shared link also has the visitor's zoom and names of dimensions.
    zoomed = page.evaluate(f"() => {{ {FIRST} return explorer.map.zoomed; }}")
    assert zoomed == "0.5,0.5,3"
    assert "pose" in page.evaluate(f"() => {{ {FIRST} return explorer.names.all; }}")


@pytest.mark.slow
def test_sliders_are_below_their_parts_which_a_threshold_divides(server, several, browser_page):
    page = open_page(browser_page, server, several.pairs)
    headings = page.locator(".dimensions h3")
    assert headings.all_inner_texts() == ["Shared", "Only left", "Only right"]
    before = page.locator(RIGHT).evaluate(PIXELS)
    slider = page.locator(".dimension input").last
    slider.focus()
    page.keyboard.press("End")
    changed(page.locator(RIGHT), before)
    move(page, "only left")
    part = next(part for part in parts_at(several.model, 0.05) if part.id == "only left")
    enabled = page.locator(".dimension:has(input:enabled)")
    dims = enabled.evaluate_all("rows => rows.map((row) => Number(row.dataset.q))")
    assert sorted(dims) == sorted(part.dimensions)
    page.locator("[data-part=reset]").click()
    check_looks(settled(page))

    # The threshold moves dimensions to other parts.
    bytes_before = page.evaluate("[...window.manifolio.stores.values()][0].length")
    slider = page.get_by_role("slider", name="Threshold (nats per row)")
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_function(
        f"() => {{ {FIRST} return explorer.model.groups.at(-1).dims.length === 6; }}"
    )
    # If a view uses no dimension, nothing can be locked, and the map still moves.
    enabled = page.locator("[data-part=moves] button:enabled")
    expect(enabled).to_have_text(["Everything"])
    travel(page, [(0.3, 0.3), (0.7, 0.7)], [LEFT])
    assert page.evaluate("[...window.manifolio.stores.values()][0].length") == bytes_before


@pytest.mark.slow
def test_hovering_is_fast(server, several, browser_page):
    page = open_page(browser_page, server, several.pairs)
    assert page.evaluate(SPEED) < 16.0


@pytest.mark.slow
def test_keys_and_fingers_move_the_point_on_a_telephone(server, several, telephone):
    page = open_page(telephone, server, several.pairs)
    assert page.evaluate(CUT) == []
    box = page.locator(MAP).bounding_box()
    left, right = (page.locator(selector).bounding_box() for selector in (LEFT, RIGHT))
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 380
    # Both outputs are side by side under the map.
    assert left["y"] == right["y"] > box["y"] + box["height"]

    before = state(page)["point"]
    page.touchscreen.tap(*on_map(page, 0.8, 0.3))
    wait_for_other_point(page, before)
    tapped = state(page)["point"]
    page.locator(MAP).focus()
    page.keyboard.press("ArrowRight")
    wait_for_other_point(page, tapped)


@pytest.mark.slow
def test_a_body_of_joint_views_is_drawn_whole_and_explore_shows_one_view(
    server, several, browser_page
):
    page = open_page(browser_page, server, several.joints)
    expect(page.locator(".outputs h3")).to_have_text(["Whole row"])
    before = page.locator(LEFT).evaluate(PIXELS)
    page.mouse.move(*on_map(page, 0.8, 0.8))
    changed(page.locator(LEFT), before)
    page.get_by_text("Joints that move together").wait_for()
    page = open_page(browser_page, server, several.pairs, "explore", "&view=right")
    told = page.evaluate(
        f"(point) => {{ {FIRST} const mean = new Float64Array(explorer.model.nOutputs);"
        " explorer.model.predict(point, mean); return Array.from(mean); }",
        several.model.latent_mean_[0].tolist(),
    )
    wanted = several.model.inverse_transform(several.model.latent_mean_[:1])["right"][0]
    np.testing.assert_allclose(told, wanted, atol=1e-4 * np.ptp(wanted))


@pytest.mark.slow
def test_a_drag_in_one_view_takes_the_other_along(server, browser_page):
    page = open_page(browser_page, server, "walker")
    page.locator(RIGHT).scroll_into_view_if_needed()
    before = page.evaluate(BY_HAND)
    x, y = before["hand"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 8, y + 25, steps=12)
    page.wait_for_function(f"() => {{ {FIRST} return explorer.body.drag?.still; }}")
    page.mouse.up()
    page.wait_for_function(AT_REST)
    dragged = page.evaluate(BY_HAND)
    np.testing.assert_allclose(dragged["hand"], [x - 8, y + 25], atol=6)
    assert dragged["past"] == before["past"] + 1
    assert np.abs(np.subtract(dragged["silhouette"], before["silhouette"])).max() > 0.05
    # Only the shared dimensions follow paint on the silhouette; dimension 3 is private to it.
    move(page, "shared")
    box = page.locator(LEFT).bounding_box()
    page.mouse.move(box["x"] + 0.35 * box["width"], box["y"] + 0.8 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], box["y"] + 0.8 * box["height"], steps=4)
    page.wait_for_function(f"() => {{ {FIRST} return explorer.painting.drag?.still; }}")
    page.mouse.up()
    page.wait_for_function(AT_REST)
    painted = page.evaluate(BY_HAND)
    assert painted["point"][2] == dragged["point"][2]
    assert np.abs(np.subtract(painted["point"], dragged["point"])).max() > 0.05
    assert np.abs(np.subtract(painted["pose"], dragged["pose"])).max() > 0.01
    move(page, "only silhouette")
    page.wait_for_function(AT_REST)
    x, y = page.evaluate(BY_HAND)["hand"]  # where the hand is now
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 80, steps=4)
    expect(page.get_by_text("Only the private part of silhouette moves.").last).to_be_visible()
    page.mouse.up()
