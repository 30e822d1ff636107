"""The expected time and memory of a training on very many rows, shown before the start."""

from typing import Any

import streamlit as st

from gplvm_core import BayesianGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.models.problems.many_rows import SAMPLES, are_many
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.training.foresee import Foreseen, foreseen
from pages.ui.shared.plain import plain
from pages.ui.shared.words import about_bytes_in_words, seconds_in_words

SOME = 2000  # number of rows in the trial


def say_foreseen(model: Any, dataset: Dataset) -> None:
    """Show the expected rows, time and memory, for models that train on a sample.

    The trial that measures the time knows only numbers, so words and counts have no estimate.
    """
    stored = isinstance(dataset, TableDataset)
    n_rows = dataset.n_rows if isinstance(dataset, TableDataset) else dataset.n_points
    if stored and dataset.columns and are_many(n_rows):
        worded = Foreseen(SAMPLES[-1], SAMPLES[-1], n_rows, 0.0, 0)
        st.info(f"**What this will take.** {rows_in_words(worded)}", icon=":material/schedule:")
        return
    sampled = type(model) is BayesianGPLVM and not dataset.columns
    if not sampled or ERRORS in dataset.covariates or not (stored or are_many(n_rows)):
        return
    try:
        found = tried(model, dataset, n_rows, stored, _key(model, dataset))
    except ValueError as error:
        st.warning(
            f"The training time could not be estimated: {plain(error)}",
            icon=":material/warning:",
        )
        return
    st.info(in_words(found), icon=":material/schedule:")


@st.cache_data(max_entries=64, show_spinner="Trying a few steps to estimate the time …")
def tried(_model: Any, _dataset: Dataset, n_rows: int, stored: bool, key: str) -> Foreseen:
    """Return the estimate from a trial; key: identifies model and data in the cache."""
    some = _dataset.values[:: max(1, _dataset.n_points // SOME)][:SOME]
    return foreseen(_model, some, n_rows, stored=stored, known=_all_rows(_dataset))


def _all_rows(dataset: Dataset) -> bool:
    """Whether all rows train, also many: with known factors or known errors of cells."""
    return bool(dataset.known) or ERRORS in dataset.covariates


def _key(model: Any, dataset: Dataset) -> str:
    return f"{dataset.name}|{_all_rows(dataset)}|{model.get_params()}"


def rows_in_words(found: Foreseen) -> str:
    """Describe how the rows are used."""
    rows = f"All {found.total:,} rows train the map."
    if found.trained < found.total:
        rows = f"About {found.trained:,} of {found.total:,} rows train the map"
        rows += ": first a few, later more." if found.placed else "."
    if found.placed:
        rows += f" Then {found.placed:,} more rows are placed on the map."
    if found.passed_by:
        rows += (
            f" The other {found.passed_by:,} rows are streamed once: they improve what the map "
            "generates, but the map does not show them."
        )
    return rows


def in_words(found: Foreseen) -> str:
    """Describe how the rows are used, the time and the memory."""
    rows, seconds = rows_in_words(found), seconds_in_words(found.seconds)
    return (
        f"**What this will take.** {rows} The training takes about {seconds} and "
        f"{about_bytes_in_words(found.bytes)} of memory if it needs all steps. This estimate is "
        "from a few steps on this machine; the training takes longer while others use the machine."
    )
