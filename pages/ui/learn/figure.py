"""The live figure of a stop: the visitor's changes, the training and the link."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from gplvm_core.lessons.picture import LessonPicture, pack_picture
from pages.ui.learn.controls import State, link_of, state_of, usual_state
from pages.ui.learn.run import LessonRun
from pages.ui.learn.stop import Stop
from pages.ui.shared.component import component, hold_bytes, room_for, sent_by, write_link

PACE = 0.25  # seconds between two updates during a training

show_lesson = component("lesson", "learn/lesson.html", "learn/learn.css")


@dataclass(frozen=True)
class Shown:
    """The content of a stop: state, picture, number of the visitor's last edit, and training or
    None.
    """

    state: State
    picture: LessonPicture
    edit: int = 0
    run: LessonRun | None = None


def key_of(stop: Stop) -> str:
    """Return the stop's key in the session; the same key names its bytes in the browser."""
    return f"learn_shown_{stop.name}"


def figure(stop: Stop, opened: Callable[[], bool]) -> None:
    """Show the figure, and update it during its training.

    opened: whether the link still names this stop.
    """
    playing = shown(stop).run
    watching = playing is not None and playing.playing
    st.fragment(_figure, run_every=PACE if watching else None)(stop, watching, opened)


def shown(stop: Stop) -> Shown:
    """Return what the stop showed last; on the first visit, the state in the link."""
    if key_of(stop) not in st.session_state:
        state = state_of(stop.controls, st.query_params.to_dict())
        st.session_state[key_of(stop)] = Shown(state, stop.picture(state))
    stored = st.session_state[key_of(stop)]
    assert isinstance(stored, Shown)
    return stored


def _figure(stop: Stop, watched: bool, opened: Callable[[], bool]) -> None:
    if not opened():
        # The browser asked for this update before it showed the stop that is open now. The update
        # must not write its own stop into the link.
        st.rerun()  # rerun the whole page
    now = shown(stop)
    run = now.run
    if run is not None:
        run.seen()
    picture = (run and run.picture) or now.picture
    playing = run is not None and run.playing
    figure_key = f"learn_figure_{stop.name}"

    def act() -> None:
        change = sent_by(figure_key, "act")
        if isinstance(change, dict):
            st.session_state[key_of(stop)] = after(stop, shown(stop), change)

    with room_for("lesson"):
        show_lesson(
            key=figure_key,
            data={
                "store": key_of(stop),
                "stop": stop.name,
                "controls": stop.drawn(),
                "state": now.state,
                "usual": usual_state(stop.controls),
                "edit": now.edit,
                "training": training_words(stop, run),
            },
            on_act_change=act,
        )
        packed = pack_picture(picture, name=key_of(stop), edit=now.edit)
        hold_bytes(key=f"learn_bytes_{stop.name}", data=packed)
    if run is not None and run.error:
        st.warning(run.error, icon=":material/info:")
    write_state_link(stop, now.state)
    if playing != watched:
        st.rerun()


def training_words(stop: Stop, run: LessonRun | None) -> dict[str, str] | None:
    """Return the training's status and its text beside the buttons; None without training."""
    if stop.train is None:
        return None
    if run is None:
        return {"status": "ready", "words": "Not trained yet: this is the start."}
    status = "ended" if run.ended else "playing" if run.playing else "paused"
    return {"status": status, "words": run.in_words()}


def after(stop: Stop, now: Shown, act: dict[str, Any]) -> Shown:
    """Apply a visitor's action: a new state, or a command to the training."""
    edit = act.get("edit")
    edit = edit if isinstance(edit, int) else now.edit
    given = act.get("state")
    if isinstance(given, dict):
        return changed(stop, now, state_of(stop.controls, given), edit)
    train = act.get("train")
    run = now.run
    if stop.train is None:
        return now
    if train == "restart" and run is not None:
        run.cancel()
        return replace(now, run=None, edit=edit)
    if train == "play":
        if run is None:
            return replace(now, run=LessonRun(stop, now.state).start(float("inf")), edit=edit)
        run.play()
    elif train == "step":
        if run is None:
            return replace(now, run=LessonRun(stop, now.state).start(1.0), edit=edit)
        run.one_step()
    elif train == "pause" and run is not None:
        run.pause()
    return replace(now, edit=edit)


def changed(stop: Stop, now: Shown, state: State, edit: int) -> Shown:
    """Show another state; restart the training if the state differs."""
    run = now.run
    if run is None or state == now.state:
        return replace(now, state=state, picture=stop.picture(state), edit=edit)
    run.cancel()
    restarted = LessonRun(stop, state).start(float("inf"))
    return Shown(state, stop.picture(state), edit, restarted)


def write_state_link(stop: Stop, state: State) -> None:
    """Write the state into the link, without default values."""
    known = st.query_params.to_dict()
    wanted: dict[str, Any] = {"stop": stop.name} | link_of(stop.controls, state)
    if any(known.get(name) != value for name, value in wanted.items()):
        write_link(key=f"link|{stop.name}", data=wanted)
