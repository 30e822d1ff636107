"""The expected rows, time and memory of a training, shown before the start."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.training import begin_comparison, comparison_of
from gplvm_core.training.foresee import Foreseen, foreseen
from pages.ui.shared.memory import fingerprint
from pages.ui.shared.plain import plain
from pages.ui.shared.running import LOOK
from pages.ui.shared.words import about_bytes_in_words, model_words, seconds_in_words

HOUR = 3600.0
TRIAL = "train_trial"  # the session's key of the last trial
SOON = 0.3  # seconds that the page waits for the trial


def say_foreseen(model: Any, dataset: Dataset, others: Sequence[Any]) -> None:
    """Show the expected rows, time and memory, after a trial in the background.

    others: models to name if this one takes more than an hour; the first that does not is named.
    """
    key = _key(model, dataset)

    def words(ask: Any) -> str:
        found = foreseen(model, dataset, ask)
        return in_words(found, dataset) + _quicker(found, dataset, others)

    if (before := st.session_state.get(TRIAL, key)) != key:
        end_trial(before)
    st.session_state[TRIAL] = key
    run = comparison_of(key)
    if run is None or (run.done and run.ending):  # an ended trial has no estimate
        run = begin_comparison(key, words)
    run.wait(SOON)
    if not run.done or run.ending:
        st.fragment(_look, run_every=LOOK)(key)
    elif run.problem is not None:
        st.warning(
            f"The training time could not be estimated: {plain(run.problem)}",
            icon=":material/warning:",
        )
    else:
        st.info(run.result, icon=":material/schedule:")


def end_trial(key: str | None = None) -> None:
    """End the trial of this key, by default the visitor's last one: nobody waits for it."""
    run = comparison_of(key or st.session_state.get(TRIAL, ""))
    if run is not None and not run.done:
        run.end()


def _look(key: str) -> None:
    run = comparison_of(key)
    if run is None or run.done:
        st.rerun()
    st.info("Trying a few steps to estimate the time …", icon=":material/schedule:")


def _key(model: Any, dataset: Dataset) -> str:
    n_rows = dataset.n_rows if isinstance(dataset, TableDataset) else dataset.n_points
    data = dataset.name, n_rows, str(dataset.all_columns), [*dataset.known], dataset.task
    views, about = [view.name for view in dataset.views], [*dataset.covariates]
    facts = str(data), str(views), str(about), repr(model), str(model.get_params())
    return f"foreseen|{fingerprint(facts)}"


def rows_in_words(found: Foreseen, *, on_map: bool) -> str:
    """Describe how the rows are used."""
    rows = f"All {found.total:,} rows train the model."
    if found.trained < found.total:
        rows = f"About {found.trained:,} of {found.total:,} rows train the model."
    if found.placed:
        where = "on the map" if on_map else "in the hidden layers"
        rows += f" Then {found.placed:,} more rows are placed {where}."
    if found.passed_by:
        rows += (
            f" The other {found.passed_by:,} rows are streamed once: they improve what the map "
            "generates, but the map does not show them."
        )
    return rows


def in_words(found: Foreseen, dataset: Dataset) -> str:
    """Describe how the rows are used, the time and the memory."""
    rows = rows_in_words(found, on_map=dataset.task is None)
    parts = [f"{name} {seconds_in_words(own)}" for name, own in found.parts.items()]
    each = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    time, memory = seconds_in_words(max(found.seconds, 1.0)), about_bytes_in_words(found.bytes)
    return (
        f"**What this will take.** {rows} The training takes about {time}{each} and {memory} of "
        "memory if it needs all steps. This estimate is from a few steps on this machine; the "
        "training takes longer while others use the machine."
    )


def _quicker(found: Foreseen, dataset: Dataset, others: Sequence[Any]) -> str:
    """Name a model that takes less than an hour, if this one takes more."""
    if found.seconds <= HOUR:
        return ""
    for model in others:
        seconds = foreseen(model, dataset).seconds
        if seconds <= HOUR:
            name = model_words(type(model).__name__)
            return f" Shorter than an hour: a {name} takes about {seconds_in_words(seconds)}."
    return " No model learns all these data in an hour. Use fewer rows or columns."
