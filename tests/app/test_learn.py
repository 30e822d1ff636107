"""Tests of the tour without a browser: links, trainings that wait, and the texts around figures."""

import time
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from gplvm_core.lessons.picture import LessonPicture, Look, pack_picture
from pages.ui.learn.controls import link_of, state_of, usual_state
from pages.ui.learn.course import LESSONS
from pages.ui.learn.figure import Shown, after
from pages.ui.learn.run import LessonRun
from pages.ui.learn.stop import Stop
from pages.ui.learn.stops.functions import FUNCTIONS
from pages.ui.learn.tour import STOPS
from tests.app.apptest import go_to, run_page, said

PICTURE = LessonPicture((), ("words",))


DRAWN = [stop for stop in STOPS if isinstance(stop, Stop)]


@pytest.mark.parametrize("stop", DRAWN, ids=[stop.name for stop in DRAWN])
def test_a_stop_is_complete(stop: Stop) -> None:
    picture = stop.picture(usual_state(stop.controls))
    assert pack_picture(picture)
    assert all(panel.alt and panel.title for panel in picture.panels)
    assert picture.words
    hands = {panel.hand.name for panel in picture.panels if panel.hand}
    assert hands <= usual_state(stop.controls).keys()
    if stop.train is None:
        return
    steps = []

    def look(_picture: LessonPicture, step: int, most: int) -> None:
        steps.append(step)
        assert step <= most
        if len(steps) == 2:
            raise StopIteration

    with pytest.raises(StopIteration):
        stop.train(usual_state(stop.controls), look)
    assert 0 < steps[0] < steps[1]


def test_every_stop_has_an_exercise_a_caution_and_a_note_with_its_answer() -> None:
    for stop in STOPS:
        note = stop.note
        assert all((stop.attempt, stop.caution, note.say, note.ask, note.answer, *note.mistakes))


def test_every_stop_has_a_name_of_its_own() -> None:
    assert len({stop.name for stop in STOPS}) == len(STOPS)


def test_a_link_contains_the_changed_settings_and_restores_them() -> None:
    usual = usual_state(FUNCTIONS.controls)
    assert set(link_of(FUNCTIONS.controls, usual).values()) == {None}
    state = usual | {"kernel": "rough", "lengthscale": 0.4, "points": [[0.5, -1.25], [2.0, 0.0]]}
    link = {name: said for name, said in link_of(FUNCTIONS.controls, state).items() if said}
    assert link == {"kernel": "rough", "lengthscale": "0.4", "points": "0.5,-1.25;2,0"}
    assert state_of(FUNCTIONS.controls, link) == state


@pytest.mark.parametrize(
    "nonsense", ["", "nan", "x,y", "1,2,3", "1e999,0", ";;,", [[1]], {"a": 1}, 7, None]
)
def test_invalid_settings_become_defaults(nonsense: object) -> None:
    given = dict.fromkeys(usual_state(FUNCTIONS.controls), nonsense)
    state = state_of(FUNCTIONS.controls, given)
    assert state["kernel"] == "smooth"
    assert state["points"] == []
    assert 0.1 <= state["lengthscale"] <= 3.0


def of_steps(most: int) -> Stop:
    """Return a stop whose training has this many empty steps."""

    def train(_: object, look: Look) -> LessonPicture:
        for step in range(1, most + 1):
            look(LessonPicture((), (f"step {step}",)), step, most)
        return LessonPicture((), ("the end",))

    return Stop("steps", "", "", "", "", FUNCTIONS.note, (), lambda _: PICTURE, train)


def until(true: Callable[[], bool]) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + 120
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_training_runs_step_by_step_and_to_its_end() -> None:
    stop = of_steps(5)
    now = after(stop, Shown({}, PICTURE), {"train": "step", "edit": 1})
    run = now.run
    assert run is not None
    until(lambda: run.step == 1 and not run.playing)
    after(stop, now, {"train": "step", "edit": 2})
    until(lambda: run.step == 2 and not run.playing)
    assert "Step 2 of at most 5" in run.in_words()
    after(stop, now, {"train": "play", "edit": 3})
    until(lambda: run.ended)
    assert run.picture is not None
    assert run.picture.words == ("the end",)


def test_restart_ends_a_training() -> None:
    stop = of_steps(10_000)
    now = after(stop, Shown({}, PICTURE), {"train": "play", "edit": 1})
    run = now.run
    assert run is not None
    until(lambda: run.step > 1)
    assert after(stop, now, {"train": "restart", "edit": 2}).run is None
    until(lambda: run.ended)
    assert run.step < 10_000


def test_an_unwatched_training_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pages.ui.learn.run.UNSEEN", 0.1)

    def waits(run: LessonRun) -> bool:
        before = run.step
        time.sleep(0.15)
        return run.step == before > 0

    run = LessonRun(of_steps(10_000), {}).start(float("inf"))
    until(lambda: waits(run))
    left_at = run.step
    assert run.playing
    run.seen()
    until(lambda: run.step > left_at)
    run.cancel()


def test_a_failed_training_reports_its_error() -> None:
    def train(*_: object) -> LessonPicture:
        raise ValueError("there is no such thing")

    stop = Stop("no", "", "", "", "", FUNCTIONS.note, (), lambda _: PICTURE, train)
    run = LessonRun(stop, {}).start(1.0)
    until(lambda: run.ended)
    assert run.error == "there is no such thing"


def test_a_late_update_of_a_left_stop_reruns_the_page_and_leaves_the_link() -> None:
    def page() -> None:
        import streamlit as st

        from pages.ui.learn.figure import figure
        from pages.ui.learn.stops.functions import FUNCTIONS

        if st.session_state.setdefault("runs", 0):
            st.text("the stop that the link names")
            return
        st.session_state["runs"] = 1
        st.query_params["stop"] = "torn"  # the visitor has just opened it
        figure(FUNCTIONS, opened=lambda: False)

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert [each.value for each in at.text] == ["the stop that the link names"]
    assert at.query_params["stop"] == "torn"


def test_back_from_another_page_leads_to_the_same_stop_of_the_same_course() -> None:
    at = run_page("learn", stop="torn", stops="maps,torn,why", large="1")
    go_to(at, "explore", model="gallery:turned")
    # In the browser's history, this link is between the stop and the other page.
    go_to(at, "learn", model="gallery:turned")
    assert not at.exception
    assert [each.value for each in at.header] == ["Near in the data, near on the map?"]
    menu = next(each for each in at.selectbox if each.label == "Stop")
    assert len(menu.options) == 3
    assert at.toggle(key="learn_type").value
    # A link that names a course begins at its first stop.
    go_to(at, "learn", stops="why,maps")
    assert [each.value for each in at.header] == ["Why two layers?"]


def test_the_page_opens_the_stop_of_its_link_and_plans_a_lesson() -> None:
    at = run_page("learn", stop="dimensions")
    assert not at.exception
    assert [each.value for each in at.header] == ["Dimensions switch off"]
    assert "What it does not mean." in said(at)
    at.button("learn_back").click().run()
    assert [each.value for each in at.header] != ["Dimensions switch off"]
    at.button("learn_plan|45 minutes").click().run()
    assert not at.exception
    assert at.query_params["stops"] == ",".join(LESSONS["45 minutes"])
    assert [each.value for each in at.header] == ["A six in 3,648 pixels"]
    at.button("learn_plan_all").click().run()
    assert "stops" not in at.query_params
    # An unknown list of stops opens the whole tour.
    go_to(at, "learn", stops="nonsense")
    assert not at.exception
    assert not at.button("learn_next").disabled


def test_a_link_opens_the_stops_of_a_lesson_in_its_order() -> None:
    at = run_page("learn", stops="maps,nonsense,pixels,maps")
    assert [each.value for each in at.header] == ["Four maps of the same data"]
    assert at.button("learn_back").disabled
    at.button("learn_next").click().run()
    assert [each.value for each in at.header] == ["A six in 3,648 pixels"]
    assert at.button("learn_next").disabled


def test_the_prepared_lessons_name_stops_that_exist() -> None:
    names = {stop.name for stop in STOPS}
    assert all(names.issuperset(lesson) for lesson in LESSONS.values())


def test_a_change_that_arrives_after_its_figure_has_gone_changes_nothing() -> None:
    def script() -> None:
        import streamlit as st

        from pages.ui.learn.depth.bend import take_act
        from pages.ui.shared.component import sent_by

        take_act()  # Streamlit has no state of the figure
        st.write(f"sent: {sent_by('gone', 'act')}")

    at = AppTest.from_function(script).run()
    assert not at.exception and at.markdown[0].value == "sent: None"
