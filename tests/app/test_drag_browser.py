"""Browser tests of a body that is dragged by its joints in an exported map, without a server."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page, expect

import gplvm_core
from tests.app.maps import EXPLORER, OUTPUT, menu, offline_map, opened_again, wait_until_still

pytestmark = pytest.mark.browser

# JavaScript that returns the page's positions of the joints, the pose, and the chosen point.
STATE = f"""async () => {{
    for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
    const explorer = {EXPLORER}, {{ body }} = explorer;
    const box = body.canvas.getBoundingClientRect();
    return {{
        places: body.places().map(([x, y]) => [x + box.left, y + box.top]),
        pose: Array.from(explorer.pictures[0].values), point: Array.from(explorer.state.point),
        past: explorer.state.chosen.past.length, others: body.explanations.found.length,
        pins: body.drag ? [...body.drag.pins.keys()] : [], turn: {{ ...explorer.state.turn }},
        reach: body.canvas.dataset.reach ?? "",
    }};
}}"""
IDLE = f"() => {{ const {{ body }} = {EXPLORER}; return body.drag && !body.busy }}"


PHONE = {"viewport": {"width": 380, "height": 760}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def page(
    browser: Browser, map_file: Callable[[str], str], request: pytest.FixtureRequest
) -> Iterator[Page]:
    with offline_map(browser, map_file("poses"), **getattr(request, "param", {})) as page:
        yield page


@pytest.fixture(scope="module")
def joints() -> dict[str, int]:
    names = gplvm_core.load_dataset("poses").drawing.skeleton.joint_names
    return {name: n for n, name in enumerate(names)}


def state_of(page: Page) -> dict[str, Any]:
    return page.evaluate(STATE)


def dragged(page: Page, joint: int, right: float, down: float) -> dict[str, Any]:
    """Drag a joint by CSS pixels, and return the state after the body has stopped moving."""
    x, y = state_of(page)["places"][joint]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=15)
    wait_until_still(page, "body")
    page.mouse.up()
    page.wait_for_function(IDLE)
    return state_of(page)


# JavaScript that moves and releases a pressed mouse before the next frame.
FLICK = f"""([x, y]) => {{
    const {{ canvas }} = {EXPLORER}.body;
    for (const name of ["pointermove", "pointerup"]) {{
        const where = {{ clientX: x, clientY: y, pointerId: 1, pointerType: "mouse" }};
        canvas.dispatchEvent(new PointerEvent(name, where));
    }}
}}"""


def swiped(page: Page, x: float, y: float, right: float, down: float) -> dict[str, Any]:
    """Move a finger by CSS pixels, and return the state while it still touches the screen."""
    touch = page.context.new_cdp_session(page)
    steps = np.linspace([x, y], [x + right, y + down], 12) if right or down else [[x, y]]
    for n, (across, along) in enumerate(steps):
        event = {"type": "touchMove" if n else "touchStart"}
        touch.send(
            "Input.dispatchTouchEvent", {**event, "touchPoints": [{"x": across, "y": along}]}
        )
        page.wait_for_timeout(16)
    state = state_of(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    return state


def lengths(pose: list[float]) -> np.ndarray:
    parents = np.array(gplvm_core.load_dataset("poses").drawing.skeleton.parents)
    joints = np.reshape(pose, (-1, 3))
    return np.linalg.norm(joints[1:] - joints[parents[1:]], axis=1)


def test_a_body_is_dragged_by_its_joints_turned_and_pinned(page, joints, tmp_path):
    hand = joints["LFingers end"]
    before = state_of(page)
    expect(page.get_by_role("button", name="Possible poses")).to_be_hidden()
    after = dragged(page, hand, -30, -90)
    moved = np.array(after["places"][hand]) - before["places"][hand]
    np.testing.assert_allclose(moved, [-30, -90], atol=6)
    rows = gplvm_core.load_dataset("poses").values
    np.testing.assert_allclose(lengths(after["pose"]), lengths(rows[0]), rtol=1e-3)
    assert np.linalg.norm(np.subtract(after["point"], before["point"])) > 0.05
    assert after["past"] == before["past"] + 1
    page.keyboard.press("Control+z")
    undone = state_of(page)
    assert undone["point"] == before["point"]
    np.testing.assert_allclose(undone["pose"], before["pose"], atol=1e-6)
    page.keyboard.press("Control+Shift+z")
    np.testing.assert_allclose(state_of(page)["pose"], after["pose"], atol=1e-6)

    # A joint that is let go before the next frame arrives, too.
    page.keyboard.press("Control+z")
    x, y = before["places"][hand]
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(FLICK, [x - 30, y - 90])
    page.wait_for_function(IDLE)
    flicked = state_of(page)
    moved = np.array(flicked["places"][hand]) - before["places"][hand]
    np.testing.assert_allclose(moved, [-30, -90], atol=6)
    assert flicked["past"] == before["past"] + 1
    page.mouse.up()
    after = flicked

    # An exported table has the body as it was dragged.
    menu(page, "Export")
    expect(page.get_by_text("Files contain the body as you dragged it")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="The output at the chosen place as CSV").click()
    download.value.save_as(tmp_path / "body.csv")
    table = pd.read_csv(tmp_path / "body.csv")
    np.testing.assert_allclose(table["dragged body"], after["pose"], atol=1e-6)
    assert np.abs(table["dragged body"] - table["mean"]).max() > 1e-4

    # Possible poses respect the hand, and a click takes one.
    page.keyboard.press("Escape")
    before = dragged(page, hand, 10, 30)
    page.get_by_role("button", name="Possible poses").click()
    small = page.get_by_role("button", name=re.compile(r"^Possible pose \d"))
    page.wait_for_function(f"() => {EXPLORER}.body.possible.found.length === 8")
    assert small.count() == 8
    small.nth(2).click()
    taken = state_of(page)
    assert taken["past"] == before["past"] + 1
    assert np.abs(np.subtract(taken["pose"], before["pose"])).max() > 0.005
    np.testing.assert_allclose(taken["places"][hand], before["places"][hand], atol=12)
    np.testing.assert_allclose(lengths(taken["pose"]), lengths(before["pose"]), rtol=1e-3)
    assert small.count() == 8
    dragged(page, hand, 10, 10)
    assert small.count() == 0
    page.keyboard.press("Control+z")
    np.testing.assert_allclose(state_of(page)["pose"], taken["pose"], atol=1e-6)

    opened_again(page)
    # A drag beside the body turns it, and joints follow in that view.
    box = page.locator(OUTPUT).bounding_box()
    before = state_of(page)
    page.mouse.move(box["x"] + 30, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 130, box["y"] + 90, steps=5)
    page.mouse.up()
    turned = state_of(page)
    assert turned["turn"] != before["turn"]
    assert turned["point"] == before["point"]
    foot = joints["RightFoot"]
    after = dragged(page, foot, 25, -40)
    moved = np.array(after["places"][foot]) - turned["places"][foot]
    np.testing.assert_allclose(moved, [25, -40], atol=8)

    opened_again(page)
    # A clicked joint is pinned and stays.
    foot = joints["LeftFoot"]
    before = state_of(page)
    page.mouse.click(*before["places"][foot])
    assert state_of(page)["pins"] == [foot]
    after = dragged(page, joints["RFingers end"], 20, -80)
    away = np.array(after["places"][foot]) - before["places"][foot]
    assert np.linalg.norm(away) < 6
    # Moving to another position on the map removes the pin.
    page.evaluate(f"{EXPLORER}.arrive({EXPLORER}.model.position(3))")
    page.evaluate(f"{EXPLORER}.paint()")
    assert state_of(page)["pins"] == []

    opened_again(page)
    # Out of reach is reported, and other explanations are offered.
    x, y = state_of(page)["places"][hand]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, 5, steps=10)
    page.wait_for_selector("canvas[data-reach=far]")
    expect(page.get_by_text("Left fingers cannot reach this place.")).to_be_visible()
    expect(page.locator("[data-part=typical]")).to_contain_text("A typical place, but ")
    # The sentence has the distance between the drawn joint and its handle.
    missed = page.evaluate(f"""() => {{
        const {{ drag }} = {EXPLORER}.body, [{{ joint, place }}] = drag.held();
        const away = place.map((at, axis) => at - drag.pose[3 * joint + axis]);
        const words = document.querySelector("[data-part=typical]").textContent;
        return {{ words, away }};
    }}""")
    share = re.search(
        r"(\d+) % of the body's size from where you pulled left fingers", missed["words"]
    )
    assert share is not None, missed
    bodies = gplvm_core.load_dataset("poses").values.reshape(-1, len(joints), 3)
    height = np.ptp(bodies, axis=1).max()
    # The distance is that on the screen, which is at most that in space.
    assert 15 < int(share[1]) <= round(100 * np.linalg.norm(missed["away"]) / height)
    page.mouse.move(x - 20, y - 60, steps=10)
    page.mouse.up()
    page.wait_for_function(f"() => {EXPLORER}.body.explanations.found.length > 0")
    page.wait_for_function(IDLE)
    before = state_of(page)
    page.get_by_role("button", name="Other explanation 1").click()
    page.wait_for_function(IDLE)
    after = state_of(page)
    moved = np.reshape(np.subtract(after["pose"], before["pose"]), (-1, 3))
    assert np.linalg.norm(moved, axis=1).max() > 0.05
    # An explanation may miss the place a little; 24 pixels correspond to 12 cm. The frames that the
    # browser drew during the drag decide which explanation is the first one.
    assert np.linalg.norm(np.subtract(after["places"][hand], before["places"][hand])) < 24

    opened_again(page)
    # The keyboard chooses, moves, pins and lets go.
    page.locator(OUTPUT).focus()
    before = state_of(page)
    page.keyboard.press("Tab")
    announced = page.locator("[data-part=announce]")
    name = announced.inner_text()
    for _ in range(6):
        page.keyboard.press("ArrowUp")
    page.wait_for_function(f"() => {EXPLORER}.state.chosen.past.length > 0")
    after = state_of(page)
    assert after["point"] != before["point"]
    assert after["turn"] == before["turn"]
    expect(announced).to_contain_text("Point kept")  # this announcement would replace the next one
    page.wait_for_function(IDLE)
    page.keyboard.press("p")
    expect(announced).to_have_text(f"{name} pinned")
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    assert state_of(page)["pins"] == []
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.part") != "output"


@pytest.mark.slow
@pytest.mark.parametrize("page", [PHONE], indirect=True)
def test_a_finger_drags_joints_and_scrolls_the_page_beside_them(page, joints):
    def scrolled() -> float:
        return page.evaluate("scrollY")

    page.evaluate("scrollTo(0, 40)")
    hand, foot = joints["LFingers end"], joints["LeftFoot"]
    before = state_of(page)
    held = swiped(page, *before["places"][hand], -15, -60)
    page.wait_for_function(IDLE)
    after = state_of(page)
    assert scrolled() == 40
    assert np.linalg.norm(np.subtract(held["point"], before["point"])) > 0.05
    moved = np.array(after["places"][hand]) - before["places"][hand]
    np.testing.assert_allclose(moved, [-15, -60], atol=8)
    assert (after["past"], after["turn"]) == (before["past"] + 1, before["turn"])
    swiped(page, *after["places"][foot], 0, 0)
    page.wait_for_function(IDLE)
    pinned = state_of(page)
    assert pinned["pins"] == [foot]
    # A finger beside the body scrolls the page if it moves along the page, and turns the body if it
    # moves sideways.
    box = page.locator(OUTPUT).bounding_box()
    x, y = box["x"] + 18, box["y"] + box["height"] - 30
    swiped(page, x, y, 0, -120)
    page.wait_for_function("scrollY > 100")
    turned = swiped(page, x, y - 100, 90, 4)["turn"]
    assert abs(turned["yaw"] - after["turn"]["yaw"]) > 0.5
    assert state_of(page)["point"] == pinned["point"]
