"""A warning that the user's folder cannot be written."""

import streamlit as st

from gplvm_core.store import workspace_problem


def say_problem() -> None:
    """Show a warning if the folder cannot be written; called by pages that store models."""
    problem = workspace_problem()
    if problem is not None:
        st.warning(problem, icon=":material/lock:")
