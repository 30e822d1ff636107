"""The buttons that act on a training job."""

from collections.abc import Callable
from functools import partial
from typing import Literal

import streamlit as st

from gplvm_core import training
from gplvm_core.training import Snapshot
from pages.ui.shared.catalogue import capabilities_of
from pages.ui.shared.component import answer_at_once
from pages.ui.shared.doors import COMPARE, can_compare, main_door
from pages.ui.shared.own_jobs import begin
from pages.ui.shared.plain import plain

WAITING = ("paused", "interrupted")
ENDED = ("finished", "cancelled", "failed")


def controls(job: Snapshot) -> None:
    """Show the buttons for the job's present state."""
    with st.container(horizontal=True, vertical_alignment="center", key=CONTROLS):
        saved = None if job.entry is None else capabilities_of(f"library:{job.entry}")
        if saved is not None:
            for door in (main_door(saved), *([COMPARE] if can_compare(saved) else [])):
                if st.button(
                    door.verb,
                    type="secondary" if door is COMPARE else "primary",
                    icon=door.icon,
                    key="job_compare" if door is COMPARE else "job_open",
                ):
                    door.open(f"library:{job.entry}")
        if job.request == "pause":
            asked(ANSWERS["Pause"], "pause")
        elif job.status == "running" and job.request is None:
            pause = partial(end_step, training.here().pause, job.id)
            action("Pause", "pause", pause, width=TURN_WIDTH)
        if job.status in WAITING:
            resume = partial(training.here().resume, job.id)
            action("Resume", "play_arrow", resume, width=TURN_WIDTH, primary=True)
        if job.status == "failed" and job.parameters:
            action("Try again", "play_arrow", lambda: training.here().resume(job.id))
        if job.request == "cancel":
            asked(ANSWERS["Stop"], "stop")
        elif job.active or job.status in WAITING:
            stop = partial(end_step, training.here().cancel, job.id)
            action("Stop", "stop", stop, width=TURN_WIDTH, help=STOP)
        if job.status in ("finished", "cancelled") and "max_iter" in job.parameters:
            longer(job)
        if job.status in ENDED:
            if job.parameters:
                action("Run again", "replay", lambda: run_again(job.id), help=AGAIN)
            action("Remove from list", "playlist_remove", lambda: remove(job.id), help=REMOVE)
    answer_at_once(key="job_answers", data={"within": f"st-key-{CONTROLS}", "words": ANSWERS})


# The labels of buttons after a click, until the server has responded.
ANSWERS = {"Pause": "Pausing …", "Resume": "Resuming …", "Stop": "Stopping …"}
ASKED = "The training first finishes its present step; nothing is lost."
CONTROLS = "job_controls"
TURN_WIDTH = 125  # pixels
STEP = 0.5  # seconds; the page waits no longer for the end of a step
STOP = "Ends the training and keeps the best model so far."
AGAIN = "Starts a new training with the same data and settings."
REMOVE = "Removes only this entry; the trained model stays in the Gallery under Mine."


def action(
    label: str,
    icon: str,
    act: Callable[[], object],
    *,
    width: int | Literal["content"] = "content",
    primary: bool = False,
    help: str | None = None,
) -> None:
    """Show a button whose action runs before the page is drawn; an error is shown if it fails.

    Every action has its own key, because Streamlit 1.67 sometimes delivers a click twice, also with
    the timer of a fragment: with one key, the click on Pause would then press Resume, too.
    """
    st.button(
        label,
        icon=f":material/{icon}:",
        key=f"job_{label.lower().replace(' ', '_')}",
        width=width,
        type="primary" if primary else "secondary",
        help=help,
        on_click=attempt,
        args=(act,),
    )


def asked(label: str, icon: str) -> None:
    """Show a disabled button in place of a pressed button, until the job has reacted."""
    st.button(
        label,
        icon=f":material/{icon}:",
        key=f"job_{icon}_asked",
        width=TURN_WIDTH,
        help=ASKED,
        disabled=True,
    )


def end_step(request: Callable[[str], None], job_id: str) -> None:
    """Request a pause or an end, and wait a moment, since most steps of a training are short."""
    request(job_id)
    training.here().wait(job_id, timeout=STEP)


def attempt(act: Callable[[], object]) -> None:
    """Run the action; show the error if it is no longer possible."""
    try:
        act()
    except (ValueError, OSError) as error:
        st.toast(plain(error), icon=":material/info:")


def run_again(job_id: str) -> None:
    st.query_params["job"] = begin(lambda: training.here().rerun(job_id))


def remove(job_id: str) -> None:
    training.here().forget(job_id)
    st.query_params.pop("job", None)


def longer(job: Snapshot) -> None:
    """Show the form that continues a job that has ended."""
    with st.popover("Continue longer", icon=":material/more_time:"):
        st.number_input(
            "Further steps", min_value=10, max_value=20_000, value=250, step=50, key="job_more"
        )

        def go_on() -> None:
            done = job.progress.iteration if job.progress is not None else 0
            most = max(int(job.parameters["max_iter"]), done) + int(st.session_state["job_more"])
            training.here().extend(job.id, most)

        st.button("Continue", type="primary", key="job_extend", on_click=attempt, args=(go_on,))
