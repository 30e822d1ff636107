"""Filling a gap takes seconds: it is done in a thread, so that the page stays alive meanwhile."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from gplvm_core.figures.pack_sequence import Reel

LOOK = 0.4  # seconds between two looks at whether it is done


@dataclass(eq=False)
class Work:
    """One run of a function in a thread of its own, that knows nothing of Streamlit.

    Nobody can stop the arithmetic in its midst; who does not wait just forgets it.
    """

    task: Callable[[], Reel]
    began: float = field(default_factory=time.monotonic)
    result: Reel | None = None
    problem: str | None = None

    def start(self) -> "Work":
        threading.Thread(target=self._run, daemon=True).start()
        return self

    @property
    def done(self) -> bool:
        return self.result is not None or self.problem is not None

    def _run(self) -> None:
        try:
            self.result = self.task()
        except Exception as error:  # a thread's error would be lost otherwise
            self.problem = str(error) or type(error).__name__


def filling(key: str, task: Callable[[], Reel], forget: Callable[[], None]) -> Reel | None:
    """The result of `task`, begun at the first call; None while it is worked on.

    key: of the question, in the session; forget() is called when the visitor does not want to
    wait. Raises ValueError with what went wrong.
    """
    work = st.session_state.get(key)
    if not isinstance(work, Work):
        for old in [each for each in st.session_state if str(each).startswith("dynamics_work|")]:
            del st.session_state[old]
        work = st.session_state[key] = Work(task).start()
    if not work.done:
        # Short work is waited for: the page need not be drawn twice.
        while not work.done and time.monotonic() - work.began < LOOK:
            time.sleep(0.02)
    if work.problem is not None:
        raise ValueError(work.problem)
    if work.result is None:
        st.fragment(keep_looking, run_every=LOOK)(work, key, forget)
    return work.result


def keep_looking(work: Work, key: str, forget: Callable[[], None]) -> None:
    """How long it has taken so far, and a way out; at the end the page is drawn anew."""
    if work.done:
        st.rerun()

    def stop() -> None:
        st.session_state.pop(key, None)
        forget()

    with st.container(horizontal=True, vertical_alignment="center"):
        seconds = time.monotonic() - work.began
        st.markdown(
            f":material/hourglass_top: Inferring the path from what is left … {seconds:.0f} s",
            width="content",
        )
        if st.button("Stop", icon=":material/stop:", key=f"{key}|stop", on_click=stop):
            st.rerun()
