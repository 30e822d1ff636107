"""The trainings that this visitor has begun, and whether another one may begin."""

from collections.abc import Callable

import streamlit as st

from gplvm_core import training

OWN = "train_own"  # session key: ids of the jobs that were begun in this visit


def begin(submit: Callable[[], str]) -> str:
    """Queue a training and remember whose it is; JobError, in words, where there are too many."""
    own = st.session_state.setdefault(OWN, set())
    active = sum(job.active for job in training.jobs() if job.id in own)
    training.limits().allow_visitor(active)
    own.add(job_id := submit())
    return job_id


def say_held() -> None:
    """That nothing trains, where whoever runs the server has said so."""
    if training.held():
        st.info(
            "Whoever runs this server has stopped all training for now. What has been reached is "
            "kept; trainings go on from there later.",
            icon=":material/pause_circle:",
        )
