"""The question "Is depth worth it here?": tests one to three layers on held-out rows."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.comparison import Comparison, Step, is_depth_worth_it
from gplvm_core.datasets import Dataset
from gplvm_core.training import begin_comparison
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.download import download
from pages.ui.shared.plain import plain
from pages.ui.shared.running import ended, rows_for, rows_used, running
from pages.ui.shared.telling import errors_told
from pages.ui.shared.words import file_stem

# The first number limits the rows, and thereby the waiting time. If there are more rows, an even
# sample is used, and the page says so.
MOST_ROWS, N_INDUCING, MAX_ITER, SPLITS = 400, 40, 200, 5
# Tables with more columns than this do not offer to predict one column from the others.
MOST_COLUMNS = 40
OPEN = "depth_worth_open"  # session key: the model whose dialog is open
WHOLE = "Whole rows"


@dataclass(frozen=True)
class DepthQuestion:
    """A question about depth: predict `column` from the other columns; None: whole rows."""

    dataset: Dataset
    column: int | None
    rows: Array  # numbers of the rows without missing values

    @property
    def key(self) -> str:
        """Return a key that identifies the question and the data."""
        data = self.dataset
        level = float(np.nanmean(data.targets))
        return f"depth|{data.name}|{data.targets.shape}|{level:.12g}|{self.column}"

    def begin(self) -> None:
        """Start the comparison in a thread."""
        begin_comparison(self.key, self.asked)

    def asked(self, callback: Callable[[Step], None]) -> Comparison:
        """Compute the answer; callback: see is_depth_worth_it."""
        values = self.dataset.values[self.rows]
        settings: dict[str, Any] = {"cv": SPLITS, "n_inducing": N_INDUCING, "max_iter": MAX_ITER}
        if self.column is None:
            one_unit = self.dataset.drawing.kind in ("image", "skeleton")
            settings["scaling"] = "global" if one_unit else "columns"
            return is_depth_worth_it(values, callback=callback, **settings)
        others = np.delete(values, self.column, axis=1)
        return is_depth_worth_it(others, values[:, self.column], callback=callback, **settings)


def depth_worth_button(key: str) -> None:
    """Show the button that opens the dialog for the data of a stored model."""
    if st.button(
        "Is depth worth it here?",
        key=f"depth_worth_{key}",
        type="tertiary",
        icon=":material/layers:",
        help="Tests models with one, two and three layers, and simpler models, on new rows.",
    ):
        st.session_state[OPEN] = key
    # The page reruns when the answer is ready; the dialog should then still be open.
    if st.session_state.get(OPEN) == key:
        depth_worth_dialog(key)


def closed() -> None:
    """Remember that the visitor has closed the dialog."""
    st.session_state.pop(OPEN, None)


@st.dialog("Is depth worth it here?", width="large", on_dismiss=closed)
def depth_worth_dialog(key: str) -> None:
    """Show the dialog for the data of a stored model, above any page."""
    dataset = None
    with errors_told():
        dataset = open_item(key).dataset
    if dataset is None:
        return
    if dataset.columns:
        st.info(
            "These rows contain words or counts, but models with several layers learn only numbers."
        )
        return
    depth_worth(dataset)


def depth_worth(dataset: Dataset) -> None:
    """Show the explanation, the button that starts the test, its progress, and the answer."""
    st.markdown(
        "This test trains models with one, two and three layers, and simpler models, on parts of "
        "the rows. It tests them on the other rows."
    )
    question = asked_for(dataset)
    if running(question.key, "depth_worth", "Uses the random splits that are finished."):
        return
    run = ended(question.key)
    if run is not None and run.result is not None:
        answer_panel(run.result, dataset)
    st.caption(rows_used(dataset, question.rows, "minutes"))
    st.button(
        "Ask again" if run is not None else "Find out",
        key="depth_worth_start",
        type="primary" if run is None else "secondary",
        icon=":material/balance:",
        help=f"Trains every model on {SPLITS} random splits, each with a fifth of the rows held "
        "out. The test takes minutes, and continues when you close this window.",
        on_click=question.begin,
    )


def asked_for(dataset: Dataset) -> DepthQuestion:
    """Ask what to predict, whole rows or one column of a table, and return the question."""
    rows = rows_for(dataset, MOST_ROWS)
    names, column = dataset.column_names, None
    if names is not None and 2 <= len(names) <= MOST_COLUMNS and not dataset.views:
        chosen = st.selectbox(
            "What to predict",
            range(-1, len(names)),
            format_func=lambda at: WHOLE if at < 0 else f"{names[at]} from the other columns",
            key="depth_worth_column",
            help="“Whole rows” tests how probable new rows are. If you choose a column, the test "
            "is how well this column is predicted.",
        )
        column = None if chosen < 0 else int(chosen)
    return DepthQuestion(dataset, column, rows)


def answer_panel(found: Comparison, dataset: Dataset) -> None:
    """Show the answer, the table behind the answer, and buttons that export both."""
    st.info(plain(found.answer), icon=":material/balance:")
    if not found.n_splits:
        return
    st.dataframe(found.rows(), hide_index=True, width="stretch")
    for note in found.notes:
        st.caption(plain(note))
    stem = f"depth-{file_stem(dataset.title)}"
    with st.container(horizontal=True):
        table_help = "The results of every model on every split."
        download("Table as CSV", found.to_csv(), f"{stem}.csv", help=table_help)
        text_help = "The answer and the table in Markdown."
        download("As text", found.to_markdown(), f"{stem}.md", help=text_help)
