"""The inference of sequences in a thread, so that the page stays responsive."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from gplvm_core.prediction.paths import MOST_STEPS, StepCallback
from gplvm_core.readers.errors import told
from pages.ui.shared.words import seconds_in_words

LOOK = 0.4  # seconds between two checks of the progress
WORK = "dynamics_work|"
Result = TypeVar("Result")


@dataclass(eq=False)
class FillWork:
    """An inference in a separate thread; this thread cannot use Streamlit.

    step, bound: the progress, 0 and −inf until the first step. A cancelled inference ends at its
    next step.
    """

    task: Callable[[StepCallback], Any]
    began: float = field(default_factory=time.monotonic)
    step: int = 0
    bound: float = float("-inf")
    cancelled: bool = False
    result: Any = None
    problem: str | None = None

    def start(self) -> "FillWork":
        threading.Thread(target=self._run, daemon=True).start()
        return self

    @property
    def done(self) -> bool:
        return self.result is not None or self.problem is not None

    def _run(self) -> None:
        try:
            self.result = self.task(self._follow)
        except Exception as error:  # otherwise the error in the thread would be lost
            self.problem = told(error)

    def _follow(self, step: int, bound: float) -> None:
        if self.cancelled:
            raise StopIteration
        self.step, self.bound = step, bound


def filling(
    key: str, task: Callable[[StepCallback], Result], forget: Callable[[], None]
) -> Result | None:
    """Start `task` at the first call; return its result, None while it runs.

    key: the task's session key. forget: called when the visitor cancels. Raises ValueError if the
    task failed.
    """
    work = st.session_state.get(WORK + key)
    if not isinstance(work, FillWork):
        for old in [each for each in st.session_state if str(each).startswith(WORK)]:
            cancel(str(old))
        work = st.session_state[WORK + key] = FillWork(task).start()
    if not work.done:
        # Wait a moment, so that the page does not run twice for a short task.
        while not work.done and time.monotonic() - work.began < LOOK:
            time.sleep(0.02)
    if work.problem is not None:
        raise ValueError(work.problem)
    result: Result | None = work.result
    if result is None:
        st.fragment(keep_looking, run_every=LOOK)(work, WORK + key, forget)
    return result


def cancel(key: str) -> None:
    """End the inference under a session key, and delete it."""
    work = st.session_state.pop(key, None)
    if isinstance(work, FillWork):
        work.cancelled = True


def keep_looking(work: FillWork, key: str, forget: Callable[[], None]) -> None:
    """Show the progress and a button that cancels; rerun the page at the end."""
    if work.done:
        st.rerun()

    def stop() -> None:
        cancel(key)
        forget()

    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(work.step / MOST_STEPS, 1.0), progress_in_words(work), width="stretch")
        if st.button("Cancel", icon=":material/close:", key=f"{key}|stop", on_click=stop):
            st.rerun()


def progress_in_words(work: FillWork) -> str:
    """Describe the current task, its progress and the time spent."""
    seconds = seconds_in_words(time.monotonic() - work.began)
    if work.step == 0:
        return f"Inferring each row separately, {seconds}"
    return f"Inferring the path: step {work.step} of at most {MOST_STEPS}, {seconds}"
