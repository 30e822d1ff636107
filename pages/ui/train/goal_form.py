"""The first question of Train: make a map, predict a column, or continue a series."""

import streamlit as st

from gplvm_core.datasets import Dataset
from pages.ui.shared.inputs import one_of

MAP, COLUMN, SERIES = "map", "column", "series"
GOALS = {MAP: "A map", COLUMN: "A column from others", SERIES: "Continue a series"}
GOAL = "train_goal"  # key of the question
LEADS = {
    MAP: "Give the model the rows of a table, pictures or movements; it finds a map of them.",
    COLUMN: "Give the model a table; it learns to predict one column from others, with an "
    "interval for every answer.",
    SERIES: "Give the model rows with times; it learns how they continue. In Explore, the tab Time "
    "shows the next steps.",
}


def goal_question() -> str:
    """Ask what the visitor wants, and return the answer.

    A link may choose the first answer: `?goal=series`.
    """
    linked = st.query_params.pop("goal", None)
    if linked in GOALS:
        st.session_state[GOAL] = linked
    return one_of("What do you want?", GOALS, GOAL, usual=MAP)


def want_map() -> None:
    """Change the answer to a map; called before the page runs."""
    st.session_state[GOAL] = MAP


def has_steps_to_fill(dataset: Dataset) -> bool:
    """Return whether a series has steps without any value, which only a model over time fills."""
    return dataset.empty_times is not None


def lead_to_time(dataset: Dataset) -> None:
    """Preselect the model with time, or explain what the data lack."""
    if dataset.times is None:
        st.info(
            "These data have no times, so no model can continue them. Choose a column of times "
            "above, or data such as Poses.",
            icon=":material/schedule:",
        )
        return
    asked = "train_series_of"
    # Preselect only once, since the visitor may choose another model.
    if st.session_state.get(asked) != dataset.name:
        st.session_state[asked] = dataset.name
        st.session_state["form_model"] = "Dynamical GP-LVM"
