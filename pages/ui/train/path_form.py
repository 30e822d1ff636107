"""The question which rows should be near each other on the map of one table."""

from typing import Any

import numpy as np
import streamlit as st

from gplvm_core import BayesianGPLVM, DeepGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.readers.names import column_words
from pages.ui.shared.inputs import lasting_multiselect
from pages.ui.shared.memory import fingerprint
from pages.ui.train.form_parts import chosen

# The prior couples all rows by dense algebra, whose cost grows with the cube of their number.
MOST_ROWS = 400
FREE, OUTPUTS, COLUMNS = "free", "outputs", "columns"
NEAR = {FREE: "No rule", OUTPUTS: "Similar rows", COLUMNS: "Near in some columns"}


def suits_paths(estimator: type, dataset: Dataset) -> bool:
    """Return whether positions can follow the rows' own values."""
    numbers = not dataset.columns and dataset.kinds is None
    few = numbers and dataset.n_points <= MOST_ROWS
    return estimator in (BayesianGPLVM, DeepGPLVM) and few and bool(complete_columns(dataset))


def complete_columns(dataset: Dataset) -> list[int]:
    """Return the numbers of the columns that have all values, and more than one."""
    values = dataset.values
    return np.flatnonzero(~np.isnan(values).any(axis=0) & (np.ptp(values, axis=0) > 0)).tolist()


def path_option(dataset: Dataset) -> dict[str, Any]:
    """Ask which rows should be near each other; return settings of the estimator."""
    columns = complete_columns(dataset)
    whole = len(columns) == dataset.n_outputs
    words = {name: title for name, title in NEAR.items() if whole or name != OUTPUTS}
    rule = chosen("Rows kept near each other", "near", words, mark=f"_{whole}")
    if rule == FREE:
        return {}
    if rule == OUTPUTS:
        st.caption(
            "Rows with similar values are near each other on the map. The rule uses the values "
            "that the model explains, so do not compare its bound with bounds without this rule."
        )
        return {"time_kernel": "rbf", "path_over": OUTPUTS}
    names = column_words(dataset)
    over = lasting_multiselect(
        "Columns",
        columns,
        format_func=names.__getitem__,
        placeholder="Such as a place: longitude and latitude",
        key=f"form_near_columns_{fingerprint(tuple(names))}",
    )
    if not over:
        st.caption("Choose at least one column; until then, no rule is used.")
        return {}
    st.caption(
        "Rows that are near in these columns are near on the map. The model also predicts these "
        "columns. Do not compare its bound with bounds without this rule."
    )
    return {"time_kernel": "rbf", "path_over": tuple(over)}
