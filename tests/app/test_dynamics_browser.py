"""Browser tests of the player: playing, scrubbing, keys, touch, forecasts, samples, gaps."""

import itertools
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from playwright.sync_api import expect

from gplvm_core import DynamicalGPLVM, load_dataset
from gplvm_core.store import Library
from tests.app.apptest import PIXELS
from tests.app.looks import CUT, check_looks
from tests.app.watch import changed, settled

pytestmark = pytest.mark.browser

STEP = 0.1
PLAYER = ".player[data-reel]"
TIMELINE = "canvas[data-part=timeline]"
MAP = "canvas[data-part=upper]"
PICTURE = ".panels canvas >> nth=0"
FIRST = "const player = [...window.manifolio.views.values()][0];"
STATE = f"""() => {{
    {FIRST}
    const {{ reel, state, playing }} = player;
    return {{
        time: state.time, times: Array.from(reel.times), playing, turn: {{...state.turn}},
        titles: reel.header.panels.map((panel) => panel.title), id: reel.header.id,
        pair: [state.a, state.b], loop: state.loop,
        forecast: Array.from(reel.arrays.forecast), hidden: Array.from(reel.arrays.hidden),
        spread: reel.arrays.spread && Array.from(reel.arrays.spread),
        values: Array.from(reel.arrays.values0),
    }};
}}"""
# JavaScript that counts the pixels with the colour of the forecast's ellipses.
ORANGE = """(canvas) => {
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
        const [red, green, blue, opaque] = data.slice(i, i + 4);
        if (opaque > 100 && red - green > 50 && green - blue > 20) count++;
    }
    return count;
}"""
# JavaScript that returns the difference of red and blue in the track's background, six pixels
# before and after a time.
GROUND = f"""(time) => {{
    {FIRST}
    const {{ canvas, picture }} = player.timeline;
    const at = Math.round(player.timeline.toPixel(time === null ? player.reel.known : time));
    const scale = canvas.width / player.timeline.width;
    const context = picture.getContext("2d");
    return [at - 6, at + 6].map((x) => {{
        const place = [x, 18].map((part) => Math.round(part * scale));
        const [red, , blue] = context.getImageData(...place, 1, 1).data;
        return red - blue;
    }});
}}"""
CLOCKS = f"() => {{ {FIRST} return [performance.now() / 1000, player.state.time]; }}"


@dataclass(frozen=True)
class Moving:
    """The keys of a model of bodies and of a model of a film."""

    bodies: str
    film: str


@pytest.fixture(scope="module")
def moving(server) -> Iterator[Moving]:
    poses, film = load_dataset("poses"), load_dataset("talking_head")
    rows = np.r_[0:40, 300:330]
    sequences = np.repeat([0, 1], [40, 30])
    bodies = replace(
        poses,
        name="some-poses",
        targets=poses.targets[rows],
        labels=sequences,
        times=np.concatenate([STEP * np.arange(40), STEP * np.arange(30)]),
        sequences=sequences,
        covariates={},
    )
    film = replace(
        film,
        name="some-film",
        targets=film.targets[:40],
        times=film.times[:40],
        sequences=film.sequences[:40],
        covariates={},
    )
    library, keys = Library(server.home / "library"), []
    for data, title in ((bodies, "Some bodies"), (film, "A film")):
        model = DynamicalGPLVM(3, n_inducing=15, max_iter=25, random_state=0)
        with warnings.catch_warnings(action="ignore"):  # pixels that are always dark cause warnings
            model.fit(data.values, times=data.times, sequences=data.sequences)
        keys.append(library.add(model, data, title))
    yield Moving(*(f"library:{key}" for key in keys))
    for key in keys:
        library.delete(key)


def link(server, key):
    return f"{server.url}/dynamics?model={key}"


def open_page(visit, url):
    visit.page.goto(url)
    visit.page.wait_for_selector(PLAYER)
    return settled(visit.page)


def state(page):
    return page.evaluate(STATE)


def wait_for_other_reel(page, before):
    page.wait_for_function(
        "(old) => [...window.manifolio.views.values()][0].reel.header.id !== old", arg=before
    )


def choose_task(page, task):
    before = state(page)["id"]
    page.get_by_role("radio", name=task).click()
    wait_for_other_reel(page, before)


def on(page, selector, across, down):
    """Convert a position in a canvas, in fractions from its upper left, to window coordinates."""
    box = page.locator(selector).bounding_box()
    return box["x"] + across * box["width"], box["y"] + down * box["height"]


def test_a_movement_is_played_scrubbed_and_turned_without_the_server(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    # The controls are in one row.
    assert len({round(box["y"]) for box in controls(page)}) == 1
    assert len({round(box["x"]) for box in controls(page)}) == 3
    begun = state(page)
    assert not begun["playing"]
    assert begun["time"] == 0.0
    assert begun["titles"] == ["The model", "The data"]
    sent = len(browser_page.traffic.sent)
    # Between two frames the picture is between them.
    rows = page.evaluate(
        f"() => {{ {FIRST} const at = (t) => Array.from(player.reel.row('values0', t));"
        " const [a, b] = player.reel.times; return [at(a), at(a + 0.25 * (b - a)), at(b)]; }"
    )
    np.testing.assert_allclose(
        rows[1], 0.75 * np.array(rows[0]) + 0.25 * np.array(rows[2]), atol=1e-5
    )

    # The forecast is drawn only after the observed time.
    maps = [page.locator(f"canvas[data-part={part}]") for part in ("lower", "upper")]
    assert [canvas.evaluate(ORANGE) for canvas in maps] == [0, 0], "nothing covers observed time"
    before, after = page.evaluate(GROUND, None)
    assert after > before + 5, "the band of the track begins where the forecast begins"
    assert page.evaluate(GROUND, 1.0) == [before, before]
    timeline = page.locator(TIMELINE)
    timeline.press("End")
    page.wait_for_function(f"() => {{ {FIRST} return player.trajectory.forecastShown > 0; }}")
    settled(page)
    assert maps[1].evaluate(ORANGE) > 50
    timeline.press("Home")
    page.wait_for_function(f"() => {{ {FIRST} return player.trajectory.forecastShown < 0; }}")
    settled(page)
    assert maps[1].evaluate(ORANGE) == 0

    # A second of the movement plays in about a second.
    pictures = [page.locator(PICTURE).evaluate(PIXELS)]
    page.get_by_role("button", name="Play", exact=True).click()
    start = page.evaluate(CLOCKS)
    for _ in range(3):
        pictures.append(changed(page.locator(PICTURE), *pictures))
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > 0.7; }}")
    end = page.evaluate(CLOCKS)
    assert state(page)["playing"]
    page.get_by_role("button", name="Pause").click()
    passed, played = np.subtract(end, start)
    assert 0.5 < played / passed < 1.2

    # Playback stops at the end, or loops.
    page.locator("select[data-part=speed]").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function(f"() => {{ {FIRST} return !player.playing; }}")
    now = state(page)
    assert now["time"] == now["times"][-1]
    page.get_by_role("button", name="Loop").click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function(
        f"() => {{ {FIRST} const {{ time }} = player.state; const before = window.before ?? 0;"
        " window.before = time; return time < before; }"
    )
    assert state(page)["playing"]
    page.get_by_role("button", name="Pause").click()

    # The track follows the pointer.
    timeline.press("Home")
    shown = page.locator(PICTURE).evaluate(PIXELS)
    timeline.scroll_into_view_if_needed()
    page.mouse.move(*on(page, TIMELINE, 0.5, 0.55))
    page.mouse.down()
    changed(page.locator(PICTURE), shown)
    times = now["times"]
    assert state(page)["time"] == pytest.approx((times[0] + times[-1]) / 2, abs=0.02 * times[-1])
    page.mouse.move(*on(page, TIMELINE, 0.999, 0.55), steps=5)
    page.mouse.up()
    assert state(page)["time"] == times[-1]
    clock = page.locator("[data-part=clock]")
    expect(clock).to_contain_text("forecast")
    expect(clock).to_contain_text(re.compile(r"uncertainty \d+ % of the data's spread"))

    # Keys step and play.
    page.locator("select[data-part=speed]").select_option("1")
    timeline.press("Home")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        timeline.press(key)
    assert state(page)["time"] == times[2]
    timeline.press("Shift+ArrowRight")
    assert state(page)["time"] == times[12]
    timeline.press("End")
    assert state(page)["time"] == times[-1]
    timeline.press("Home")
    timeline.press("Space")
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > 0.1; }}")
    assert state(page)["playing"]
    timeline.press("Space")
    assert not state(page)["playing"]
    assert timeline.get_attribute("role") == "slider"
    assert float(timeline.get_attribute("aria-valuenow")) == pytest.approx(state(page)["time"])

    # The figure turns, the path on the map can be taken, and time can be across.
    before = state(page)
    page.mouse.move(*on(page, PICTURE, 0.3, 0.5))
    page.mouse.down()
    page.mouse.move(*on(page, PICTURE, 0.7, 0.5), steps=4)
    page.mouse.up()
    after = state(page)
    assert after["turn"]["yaw"] > before["turn"]["yaw"] + 0.3
    assert after["time"] == before["time"]
    place = page.evaluate(f"() => {{ {FIRST} return player.trajectory.places[17]; }}")
    box = page.locator(MAP).bounding_box()
    page.mouse.click(box["x"] + place[0], box["y"] + place[1])
    reached = page.evaluate(
        f"() => {{ {FIRST} const t = player.trajectory; return t.pixelAt(player.state.time); }}"
    )
    assert np.hypot(reached[0] - place[0], reached[1] - place[1]) < 3
    drawn = maps[0].evaluate(PIXELS)
    page.locator("select[data-part=across]").select_option("-1")
    assert state(page)["pair"][0] == -1
    assert page.locator("[data-part=swap]").is_disabled()
    assert maps[0].evaluate(PIXELS) != drawn
    up = state(page)["pair"][1]
    page.locator("select[data-part=across]").select_option(str(up))
    pair = state(page)["pair"]
    assert pair[0] == up
    assert pair[1] not in (up, -1)
    assert len(browser_page.traffic.sent) == sent

    # The place outlives a visit to another page.
    before = state(page)
    page.get_by_role("link", name="Train").click()
    page.locator(TIMELINE).wait_for(state="detached")
    page.get_by_role("link", name="Explore").click()
    page.wait_for_selector(PLAYER)
    now = state(page)
    assert now["time"] == before["time"]
    assert now["loop"]
    assert not now["playing"]
    check_looks(settled(page))


def controls(page):
    """Return the boxes of the controls above the player."""
    kinds = ("stButtonGroup", "stSelectbox", "stSlider")
    parts = [page.locator(f"[class*=st-key-dynamics_] [data-testid={kind}]") for kind in kinds]
    return [part.first.bounding_box() for part in parts]


@pytest.mark.slow
def test_a_model_of_bodies_forecasts_invents_and_fills_gaps(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    page.emulate_media(reduced_motion="no-preference")
    before = state(page)
    # A longer forecast arrives and is played.
    page.get_by_role("slider", name="Forecast beyond the end").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(
        f"() => {{ {FIRST} return player.reel.count === {len(before['times']) + 6}; }}"
    )
    now = state(page)
    assert sum(now["forecast"]) == sum(before["forecast"]) + 6
    spread = np.array(now["spread"])
    assert np.all(np.diff(spread[-sum(now["forecast"]) :]) > 0)
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > player.reel.known; }}")

    # Every click draws another sequence.
    choose_task(page, "Invent")
    first = state(page)
    assert first["titles"] == ["An invented sequence"]
    assert first["playing"]
    page.get_by_role("button", name="Another sequence").click()
    wait_for_other_reel(page, first["id"])
    second = state(page)
    assert len(second["values"]) == len(first["values"])
    assert np.abs(np.array(second["values"]) - first["values"]).max() > 0.01

    fill_a_gap(page, 3)

    # An example of a new sequence is filled.
    page.get_by_role("radio", name="New sequence").click()
    page.get_by_role("button", name="Try an example").click()
    page.get_by_text("given values, hidden in the same way").wait_for()
    settled(page)
    now = state(page)
    assert now["titles"] == ["Filled in", "What the model sees"]
    assert sum(now["hidden"]) == 13  # the middle third of forty frames
    page.get_by_role("button", name="Other rows").click()
    page.get_by_text("One row per frame").wait_for()


def fill_a_gap(page, panels):
    """Choose the task "Fill a gap", and check that the filled gap is beside the truth."""
    choose_task(page, "Fill a gap")
    gap = state(page)
    assert gap["titles"] == ["What the model sees", "The truth"]
    assert 0 < sum(gap["hidden"]) < len(gap["hidden"])
    page.get_by_role("button", name="Fill it in").click()
    page.get_by_role("heading", name="Filled in").wait_for()
    now = state(page)
    assert now["titles"][:3] == ["Filled in", "The truth", "What the model sees"]
    assert len(now["titles"]) == panels
    expect(page.locator(".panels figure")).to_have_count(panels)
    expect(page.locator(".panels figcaption").first).to_contain_text("the model expects")
    expect(page.get_by_role("button", name="Fill it in")).to_be_disabled()


@pytest.mark.slow
def test_a_film_is_exported_judged_and_filled(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.film))
    page.get_by_role("button", name="Make a GIF").click()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Download the GIF").click()
    with open(taken.value.path(), "rb") as file:
        assert file.read(6) == b"GIF89a"
    with page.expect_download() as taken:
        page.get_by_role("button", name="Table (CSV)").click()
    with open(taken.value.path()) as file:
        lines = file.read().splitlines()
    assert len(lines) == 1 + len(state(page)["times"])
    # The player plays on while forecasts are judged.
    page.get_by_role("button", name="Loop", exact=True).click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="How good are forecasts?").click()
    page.get_by_text("Over the next 6 steps the model's error is").wait_for()
    before = state(page)
    assert before["playing"]
    page.wait_for_function(
        f"(old) => {{ {FIRST} return player.state.time !== old; }}", arg=before["time"]
    )
    expect(page.get_by_role("row").nth(3)).to_be_attached()
    fill_a_gap(page, 4)


@pytest.mark.slow
def test_a_telephone_plays_and_moves_only_on_request(server, moving, telephone):
    page = open_page(telephone, link(server, moving.bodies))
    assert page.evaluate(CUT) == []
    boxes = controls(page)
    assert len({round(box["x"]) for box in boxes}) == 1
    for above, below in itertools.pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"] < above["y"] + above["height"] + 40
    # The picture is directly above the track that controls it.
    boxes = [page.locator(part).bounding_box() for part in (PICTURE, TIMELINE, MAP)]
    assert boxes[0]["y"] + boxes[0]["height"] < boxes[1]["y"] < boxes[2]["y"]
    page.locator(TIMELINE).scroll_into_view_if_needed()
    page.touchscreen.tap(*on(page, TIMELINE, 0.5, 0.55))
    assert state(page)["time"] > 0.5
    # This visitor prefers reduced motion, so a new sequence waits.
    choose_task(page, "Invent")
    settled(page)
    assert not state(page)["playing"]
    page.get_by_role("button", name="Play", exact=True).tap()
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > player.reel.times[1]; }}")
    assert state(page)["playing"]
