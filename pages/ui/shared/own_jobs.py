"""The trainings that this visitor has started, and the limit on how many a visitor may have."""

from collections.abc import Callable
from itertools import chain, count
from typing import Any

import streamlit as st

from gplvm_core import training
from gplvm_core.datasets import Dataset
from pages.ui.shared.catalogue import library_items

OWN = "train_own"  # session key: ids of the jobs that were started in this visit


def begin(submit: Callable[[], str]) -> str:
    """Queue a training and store its owner. Raises JobError if the visitor has too many."""
    own = st.session_state.setdefault(OWN, set())
    active = sum(job.active for job in training.here().jobs() if job.id in own)
    training.here().limits.allow_visitor(active)
    own.add(job_id := submit())
    return job_id


def begin_and_watch(model: Any, data: Dataset, title: str) -> None:
    """Begin a training under a name that no other has, and open the page that watches it."""
    job = begin(lambda: training.here().submit(model, data, unused_name(title)))
    st.switch_page("pages/train.py", query_params={"job": job})


def unused_name(name: str) -> str:
    """Return the name; add a number if a visitor's training or model already has this name."""
    titles = (item.entry.title for item in library_items())
    known = {*(job.name for job in training.here().jobs()), *titles}
    numbered = (f"{name} ({number})" for number in count(2))
    return next(each for each in chain((name,), numbered) if each not in known)


def say_held() -> None:
    """Show a message if the server's administrator has paused all training."""
    if training.here().held:
        st.info(
            "The administrator of this server has paused all training. Trainings keep their "
            "progress and continue later.",
            icon=":material/pause_circle:",
        )
