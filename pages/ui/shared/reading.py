"""Reads visitors' files in a separate process, with progress and a button to cancel."""

from copy import copy
from typing import Any

import streamlit as st

from gplvm_core.datasets import DataError, NamedBytes
from gplvm_core.readers.limits import SECONDS
from gplvm_core.sandbox import Readers, is_small, perform
from pages.ui.shared.memory import fingerprint

STOPPED = "reading_stopped"  # session key: the file whose reading was stopped
AT_ONCE = 0.4  # seconds before the progress is shown
LOOK = 0.2  # seconds between two checks whether the visitor has left


@st.cache_resource(show_spinner=False)
def readers() -> Readers:
    """Return the reading processes; `warm` starts one before a file arrives."""
    return Readers()


def read_sandboxed(task: str, name: str, data: bytes, *, keep: bool = True, **options: Any) -> Any:
    """Run a task (`gplvm_core.sandbox.TASKS`) on a file, and cache the result for the next run.

    With ``keep=False`` only an error is cached; use it for a large result that is needed once.

    Raises the task's DataError, EmptyRowsError or StoreError, and DataError if the visitor cancels.
    Any other action on the page restarts the task.
    """
    kept = _kept(task, name, data, options)
    if not kept:
        try:
            answer = _read(task, NamedBytes(name, data), options)
            if not keep:
                return answer
            kept.append(answer)
        except ValueError as error:
            if st.session_state.get(STOPPED) is None:
                kept.append(copy(error))
            raise
    if isinstance(kept[0], ValueError):
        raise copy(kept[0])  # otherwise, the traceback would grow with every run
    return kept[0]


@st.cache_resource(max_entries=6, show_spinner=False)
def _kept(task: str, name: str, data: bytes, options: dict[str, Any]) -> list[Any]:
    """Return a list that stores the result; equal tasks on equal files share this list."""
    return []


def _read(task: str, source: NamedBytes, options: dict[str, Any]) -> Any:
    if is_small(source):
        return perform(task, source, **options)
    mark = f"{source.name}|{len(source.data)}"
    if st.session_state.get(STOPPED) == mark:
        st.button("Read it again", key=f"reading_again|{mark}", on_click=_forget)
        raise DataError(f"The reading of {source.name} was stopped.")
    _forget()
    asked = fingerprint((task, *map(repr, options.values())))
    place = st.empty()
    with readers().reading(task, source, **options) as reading:
        if not reading.wait(AT_ONCE):
            with place.container(horizontal=True, vertical_alignment="center"):
                bar = st.progress(0.0, "Reading the file …", width="stretch")
                st.button(
                    "Cancel",
                    key=f"reading_cancel|{mark}|{asked}",
                    icon=":material/stop:",
                    on_click=_stop,
                    args=(mark,),
                )
            while not reading.wait(LOOK):
                said = (
                    "Waiting until other visitors' files are read …"
                    if reading.waits
                    else f"Reading the file … {reading.seconds:.0f} s of at most {SECONDS} s"
                )
                bar.progress(min(reading.seconds / SECONDS, 1.0), said)
            place.empty()
        return reading.answer()


def _stop(mark: str) -> None:
    st.session_state[STOPPED] = mark


def _forget() -> None:
    st.session_state.pop(STOPPED, None)
