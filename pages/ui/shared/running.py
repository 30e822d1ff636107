"""The progress of comparisons in the background, and the choice of the rows that they use."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.readers.errors import plural
from gplvm_core.training import ComparisonRun, comparison_of
from pages.ui.shared.plain import plain
from pages.ui.shared.words import seconds_in_words

LOOK = 1.0  # seconds between two updates
Said = Callable[[Any], str]


def message_of(step: Any) -> str:
    """Return the message of a step."""
    return str(step.message)


def running(key: str, name: str, kept: str, said: Said = message_of) -> bool:
    """Return whether the run of this key is active; if so, show its progress and a button to end
    it.

    name: the start of the button's key. kept: the button's help text, about the results that remain
    after ending. said: returns the text of a step. The page reruns at the end.
    """
    run = comparison_of(key)
    if run is None or run.done:
        return False
    st.fragment(_look, run_every=LOOK)(key, name, kept, said)
    return True


def ended(key: str) -> ComparisonRun | None:
    """Return the last run of this key, if there is one; show why it failed."""
    run = comparison_of(key)
    if run is not None and run.problem is not None:
        st.error(plain(run.problem), icon=":material/error:")
    return run


def _look(key: str, name: str, kept: str, said: Said) -> None:
    run = comparison_of(key)
    if run is None or run.done:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        share = 0.0 if run.step is None else run.step.share
        st.progress(share, plain(progress_in_words(run, said)), width="stretch")
        st.button(
            "End now",
            key=f"{name}_end",
            icon=":material/close:",
            on_click=run.end,
            disabled=run.ending,
            help=kept,
        )


def progress_in_words(run: ComparisonRun, said: Said = message_of) -> str:
    """Describe the current step, the time spent and the time left."""
    if run.ending:
        return "Ending …"
    if run.step is None:
        return "Waiting for other calculations to end …" if run.waiting else "Starting …"
    return f"{said(run.step)}, {time_in_words(run, run.step.share)}"


def time_in_words(run: ComparisonRun, share: float) -> str:
    """Describe the time spent and, once the progress is known, the time left."""
    spent = time.monotonic() - run.began
    words = seconds_in_words(spent)
    if share > 0.05:
        words += f", about {seconds_in_words(spent * (1.0 / share - 1.0))} left"
    return words


def rows_for(dataset: Dataset, most: int) -> Array:
    """Return the indices of at most `most` rows without gaps, spread evenly over the data."""
    return spread(np.flatnonzero(~np.isnan(dataset.values).any(axis=1)), most)


def spread(numbers: Array, most: int) -> Array:
    """Return at most `most` of the numbers, evenly spread."""
    return numbers[np.linspace(0, len(numbers) - 1, min(len(numbers), most)).astype(int)]


def rows_used(dataset: Dataset, rows: Array, end: str) -> str:
    """Describe how many rows are used, and why not all rows; end: the limit of the run time."""
    whole = ~np.isnan(dataset.values).any(axis=1)
    gaps, count = int(np.sum(~whole)), int(whole.sum())
    words = f"Uses {plural(len(rows), 'row')}"
    if len(rows) < count:
        words += f" out of {count:,}, to finish within {end}"
    if gaps:
        words += f"; leaves out {plural(gaps, 'row')} with missing values"
    return f"{words}."
