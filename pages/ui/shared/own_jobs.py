"""The trainings that this visitor has started, and their limit."""

from collections.abc import Callable

import streamlit as st

from gplvm_core import training

OWN = "train_own"  # session key: ids of the jobs that were started in this visit


def begin(submit: Callable[[], str]) -> str:
    """Queue a training and store its owner. Raises JobError if there are too many."""
    own = st.session_state.setdefault(OWN, set())
    active = sum(job.active for job in training.jobs() if job.id in own)
    training.limits().allow_visitor(active)
    own.add(job_id := submit())
    return job_id


def say_held() -> None:
    """Show that the server's administrator has stopped all training, if so."""
    if training.held():
        st.info(
            "The administrator of this server has paused all training. Trainings keep their "
            "progress and continue later.",
            icon=":material/pause_circle:",
        )
