"""What is said when the user's folder cannot be written."""

import streamlit as st

from gplvm_core.store import workspace_problem


def say_problem() -> None:
    """On the pages that keep things: why nothing can be kept, if that is so."""
    problem = workspace_problem()
    if problem is not None:
        st.warning(problem, icon=":material/lock:")
