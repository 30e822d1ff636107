"""The test "Is there anything here?": whether the columns of a table are related at all."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison import Evidence, Step, is_anything_here
from gplvm_core.datasets import Dataset
from gplvm_core.readers.errors import plural
from gplvm_core.readers.kinds import FRACTION, in_own_values, kinds_of
from gplvm_core.training import begin_comparison
from pages.ui.shared.memory import fingerprint
from pages.ui.shared.plain import plain
from pages.ui.shared.running import ended, running, spread

# These numbers limit the waiting time. Larger tables are thinned evenly, and the page says so.
MOST_ROWS, MOST_COLUMNS, COPIES = 400, 60, 2
OPEN = "anything_open"  # session key: the data whose dialog is open
TITLE = "Is there anything here?"


@dataclass(frozen=True)
class Question:
    """A table, with the rows and columns that the test uses."""

    dataset: Dataset
    rows: Array
    columns: Array

    @property
    def shown(self) -> Array:
        return self.dataset.targets[np.ix_(self.rows, self.columns)]

    @property
    def key(self) -> str:
        """Return a key that identifies the question, the values and the kinds of columns."""
        data = self.dataset
        sums = np.nansum(self.shown, axis=0) + 0.0
        kinds = (repr(column) for column in data.all_columns if data.kinds is not None)
        return f"anything|{fingerprint((data.name, str(self.shown.shape), str(sums), *kinds))}"

    def begin(self) -> None:
        """Start the test in a thread."""
        begin_comparison(self.key, self.asked)

    def asked(self, callback: Callable[[Step], None]) -> Evidence:
        """Compute the answer; callback: see is_anything_here."""
        columns = self.dataset.all_columns
        if self.dataset.kinds is None:
            kinds = ["number"] * len(self.columns)
            return is_anything_here(self.shown, kinds, n_shuffles=COPIES, callback=callback)
        chosen = [columns[at] for at in self.columns]
        table = in_own_values(chosen, self.shown)
        return is_anything_here(table, kinds_of(chosen), n_shuffles=COPIES, callback=callback)

    @property
    def used(self) -> str:
        """Describe which rows and columns the test uses; "" if it uses all."""
        rows, columns = self.dataset.targets.shape
        parts = []
        if len(self.rows) < rows:
            parts.append(f"{len(self.rows):,} of {plural(rows, 'row')}")
        if len(self.columns) < columns:
            parts.append(f"{len(self.columns)} of {plural(columns, 'column')}")
        return f"To finish within minutes, the test uses {' and '.join(parts)}." if parts else ""


def question(dataset: Dataset) -> Question:
    """Choose evenly spread rows, and evenly spread columns among those that vary in these rows."""
    n_rows = len(dataset.targets)
    rows = spread(np.arange(n_rows), MOST_ROWS)
    shown = dataset.targets[rows]
    known = [at for at, column in enumerate(dataset.all_columns) if column.kind == "exposure"]
    varying = [
        at
        for at, each in enumerate(shown.T)
        if at not in known and len(np.unique(each[~np.isnan(each)])) > 1
    ]
    used = spread(np.array(varying, dtype=int), MOST_COLUMNS)
    return Question(dataset, rows, np.sort([*used, *known]).astype(int))


def anything_button(dataset: Dataset) -> None:
    """Show the button that opens the dialog, below the preview of a table without fractions: these
    are related, because they have one sum.
    """
    if any(column.kind == FRACTION for column in dataset.all_columns):
        return
    if st.button(
        TITLE,
        key="anything",
        type="tertiary",
        icon=":material/search_insights:",
        help="Tests whether the columns are related at all, before you train a model.",
    ):
        st.session_state[OPEN] = dataset.name
    # The page reruns when the answer is ready; the dialog should then still be open.
    if st.session_state.get(OPEN) == dataset.name:
        anything_dialog(dataset)


def closed() -> None:
    """Remember that the visitor has closed the dialog."""
    st.session_state.pop(OPEN, None)


@st.dialog(TITLE, on_dismiss=closed)
def anything_dialog(dataset: Dataset) -> None:
    """Show the dialog above the form."""
    anything(dataset)


def anything(dataset: Dataset) -> None:
    """Show the explanation, the button that starts the test, its progress, and the answer."""
    st.markdown(
        "The test hides some values, and predicts them from the rest of their rows. It also does "
        "this with shuffled copies of the table, in which columns are not related."
    )
    asked = question(dataset)
    if running(asked.key, "anything", "Ends the test without an answer."):
        return
    run = ended(asked.key)
    if run is not None and run.result is not None:
        answer(run.result)
    if asked.used:
        st.caption(asked.used)
    st.button(
        "Find out" if run is None else "Test again",
        key="anything_start",
        type="primary" if run is None else "secondary",
        icon=":material/search_insights:",
        help="The test continues when you close this window.",
        on_click=asked.begin,
    )


def answer(found: Evidence) -> None:
    """Show the answer, its consequence, and the numbers in an expander."""
    if not found.complete:
        st.info("The test was stopped before its end, so there is no answer.")
        return
    if found.found:
        st.success(plain(found.words), icon=":material/check:")
        if found.found_by_model:
            st.markdown("A map of these rows will show real relations.")
        else:
            st.markdown("A map of these rows may show chance. Predict single columns instead.")
    else:
        st.warning(plain(found.words), icon=":material/shuffle:")
        st.markdown(
            "A map of these rows would show only chance. More rows, or more related columns, may "
            "help."
        )
    with st.expander("Details", icon=":material/info:"):
        names = ["This table", *(f"Shuffled copy {at + 1}" for at in range(len(found.shuffled)))]
        gains = [f"{gain:.3f}" for gain in (found.gain, *found.shuffled)]
        gains[0] += f" ± {found.error:.3f}"
        shown = {"table": names, "gain in nats per value": gains}
        forest = found.forest
        if forest is not None:
            each = [f"{gain:.3f}" for gain in (forest.gain, *forest.shuffled)]
            each[0] += f" ± {forest.error:.3f}"
            shown["gain of random forests"] = each
        st.dataframe(pd.DataFrame(shown), hide_index=True)
        st.caption(
            "The gain is how much the mean log probability of a hidden value rises above its "
            "column's base rate; a nat is 1.44 bits. The answer is yes if the gain minus two "
            "standard errors is above zero, and above the gain of every shuffled copy."
        )
