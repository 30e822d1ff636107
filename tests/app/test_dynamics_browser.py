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


def test_playing_moves_time_and_pictures_without_the_server(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    begun = state(page)
    assert not begun["playing"]
    assert begun["time"] == 0.0
    assert begun["titles"] == ["The model", "The data"]
    sent = len(browser_page.traffic.sent)
    pictures = [page.locator(PICTURE).evaluate(PIXELS)]
    page.get_by_role("button", name="Play", exact=True).click()
    start = page.evaluate(CLOCKS)
    for _ in range(4):
        pictures.append(changed(page.locator(PICTURE), *pictures))
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > 0.7; }}")
    end = page.evaluate(CLOCKS)
    assert state(page)["playing"]
    page.get_by_role("button", name="Pause").click()
    # A second of the movement plays in about a second.
    passed, played = np.subtract(end, start)
    assert 0.5 < played / passed < 1.2
    assert len(browser_page.traffic.sent) == sent


def test_playback_stops_at_the_end_or_loops(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
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


def test_scrubbing_follows_the_pointer(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    sent = len(browser_page.traffic.sent)
    before = page.locator(PICTURE).evaluate(PIXELS)
    page.locator(TIMELINE).scroll_into_view_if_needed()
    page.mouse.move(*on(page, TIMELINE, 0.5, 0.55))
    page.mouse.down()
    changed(page.locator(PICTURE), before)
    times = state(page)["times"]
    middle = (times[0] + times[-1]) / 2
    assert state(page)["time"] == pytest.approx(middle, abs=0.02 * times[-1])
    page.mouse.move(*on(page, TIMELINE, 0.999, 0.55), steps=5)
    page.mouse.up()
    assert state(page)["time"] == times[-1]
    clock = page.locator("[data-part=clock]")
    expect(clock).to_contain_text("forecast")
    expect(clock).to_contain_text(re.compile(r"uncertainty \d+ % of the data's spread"))
    assert len(browser_page.traffic.sent) == sent


def test_between_two_frames_the_picture_is_between_them(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    rows = page.evaluate(
        f"() => {{ {FIRST} const at = (t) => Array.from(player.reel.row('values0', t));"
        " const [a, b] = player.reel.times; return [at(a), at(a + 0.25 * (b - a)), at(b)]; }"
    )
    np.testing.assert_allclose(
        rows[1], 0.75 * np.array(rows[0]) + 0.25 * np.array(rows[2]), atol=1e-5
    )


def test_keys_play_and_step(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    page.locator(TIMELINE).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    now = state(page)
    assert now["time"] == now["times"][2]
    page.keyboard.press("Shift+ArrowRight")
    assert state(page)["time"] == now["times"][12]
    page.keyboard.press("End")
    assert state(page)["time"] == now["times"][-1]
    page.keyboard.press("Home")
    page.keyboard.press("Space")
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > 0.1; }}")
    assert state(page)["playing"]
    page.keyboard.press("Space")
    assert not state(page)["playing"]
    timeline = page.locator(TIMELINE)
    assert timeline.get_attribute("role") == "slider"
    assert float(timeline.get_attribute("aria-valuenow")) == pytest.approx(state(page)["time"])


def test_the_figure_turns_and_the_path_can_be_taken(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
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


def test_other_dimensions_and_time_across(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    before = page.locator("canvas[data-part=lower]").evaluate(PIXELS)
    page.locator("select[data-part=across]").select_option("-1")
    assert state(page)["pair"][0] == -1
    assert page.locator("[data-part=swap]").is_disabled()
    assert page.locator("canvas[data-part=lower]").evaluate(PIXELS) != before
    up = state(page)["pair"][1]
    page.locator("select[data-part=across]").select_option(str(up))
    pair = state(page)["pair"]
    assert pair[0] == up
    assert pair[1] not in (up, -1)


def test_a_longer_forecast_arrives_and_is_played(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    before = state(page)
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


def test_the_forecast_is_drawn_only_after_the_observed_time(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    maps = [page.locator(f"canvas[data-part={part}]") for part in ("lower", "upper")]
    assert [canvas.evaluate(ORANGE) for canvas in maps] == [0, 0], "nothing covers observed time"
    before, after = page.evaluate(GROUND, None)
    assert after > before + 5, "the band of the track begins where the forecast begins"
    assert page.evaluate(GROUND, 1.0) == [before, before]
    page.locator(TIMELINE).press("End")
    page.wait_for_function(f"() => {{ {FIRST} return player.trajectory.forecastShown > 0; }}")
    assert maps[1].evaluate(ORANGE) > 50
    page.locator(TIMELINE).press("Home")
    page.wait_for_function(f"() => {{ {FIRST} return player.trajectory.forecastShown < 0; }}")
    settled(page)
    assert maps[1].evaluate(ORANGE) == 0


def test_the_controls_are_a_row_and_a_stack_on_a_telephone(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    kinds = ("stButtonGroup", "stSelectbox", "stSlider")
    parts = [page.locator(f"[class*=st-key-dynamics_] [data-testid={kind}]") for kind in kinds]
    boxes = [part.first.bounding_box() for part in parts]
    assert len({round(box["y"]) for box in boxes}) == 1
    assert boxes[0]["x"] < boxes[1]["x"] < boxes[2]["x"]
    page.set_viewport_size({"width": 380, "height": 900})
    settled(page)
    boxes = [part.first.bounding_box() for part in parts]
    assert len({round(box["x"]) for box in boxes}) == 1
    for above, below in itertools.pairwise(boxes):
        assert above["y"] + above["height"] <= below["y"] < above["y"] + above["height"] + 40


def test_every_click_draws_another_sequence(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    choose_task(page, "Invent")
    first = state(page)
    assert first["titles"] == ["An invented sequence"]
    assert first["playing"]
    page.get_by_role("button", name="Another sequence").click()
    wait_for_other_reel(page, first["id"])
    second = state(page)
    assert len(second["values"]) == len(first["values"])
    assert np.abs(np.array(second["values"]) - first["values"]).max() > 0.01


@pytest.mark.parametrize(("kind", "panels"), [("bodies", 3), ("film", 4)])
def test_a_gap_is_filled_beside_the_truth(server, moving, browser_page, kind, panels):
    page = open_page(browser_page, link(server, getattr(moving, kind)))
    choose_task(page, "Fill a gap")
    gap = state(page)
    assert gap["titles"] == ["What the model sees", "The truth"]
    assert 0 < sum(gap["hidden"]) < len(gap["hidden"])
    page.get_by_role("button", name="Fill it in").click()
    page.get_by_role("heading", name="Filled in").wait_for()
    now = state(page)
    assert now["titles"][:3] == ["Filled in", "The truth", "What the model sees"]
    assert len(now["titles"]) == panels
    assert page.locator(".panels figure").count() == panels
    assert "the model expects" in page.locator(".panels figcaption").first.inner_text()
    assert page.get_by_role("button", name="Fill it in").is_disabled()


def test_an_example_of_a_new_sequence_is_filled_and_played(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    page.get_by_role("radio", name="New sequence").click()
    page.get_by_role("button", name="Try an example").click()
    page.get_by_text("given values, hidden in the same way").wait_for()
    settled(page)
    now = state(page)
    assert now["titles"] == ["Filled in", "What the model sees"]
    assert sum(now["hidden"]) == 13  # the middle third of forty frames
    page.get_by_role("button", name="Other rows").click()
    page.get_by_text("One row per frame").wait_for()


def test_forecasts_are_judged_while_the_player_plays(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.film))
    page.get_by_role("button", name="How good are forecasts?").click()
    page.get_by_text("Over the next 6 frames the model's error is").wait_for()
    assert page.get_by_role("row").count() >= 4
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > 0.1; }}")


def test_the_place_outlives_other_pages(server, moving, browser_page):
    page = open_page(browser_page, link(server, moving.bodies))
    page.locator(TIMELINE).focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Loop").click()
    before = state(page)
    page.get_by_role("link", name="Train").click()
    page.locator(TIMELINE).wait_for(state="detached")
    page.get_by_role("link", name="Explore").click()
    page.wait_for_selector(PLAYER)
    now = state(page)
    assert now["time"] == before["time"]
    assert now["loop"]
    assert not now["playing"]


def test_a_telephone_and_a_visitor_who_wants_calm(server, moving, browser):
    context = browser.new_context(
        viewport={"width": 380, "height": 800},
        has_touch=True,
        color_scheme="dark",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.goto(link(server, moving.bodies))
    page.wait_for_selector(PLAYER)
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    # The picture is directly above the track that controls it.
    boxes = [page.locator(part).bounding_box() for part in (PICTURE, TIMELINE, MAP)]
    assert boxes[0]["y"] + boxes[0]["height"] < boxes[1]["y"] < boxes[2]["y"]
    page.locator(TIMELINE).scroll_into_view_if_needed()
    page.touchscreen.tap(*on(page, TIMELINE, 0.5, 0.55))
    assert state(page)["time"] > 0.5
    choose_task(page, "Invent")
    settled(page)
    assert not state(page)["playing"]
    page.get_by_role("button", name="Play", exact=True).tap()
    page.wait_for_function(f"() => {{ {FIRST} return player.state.time > player.reel.times[1]; }}")
    assert state(page)["playing"]
    context.close()


def test_the_gif_and_the_table_are_exported(server, moving, browser_page):
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
