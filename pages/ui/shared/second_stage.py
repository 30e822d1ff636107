"""The second stage of a training, while its map is already open."""

from typing import Any

import streamlit as st

from gplvm_core import training
from gplvm_core.models.estimators.second_stage import (
    DENSITY,
    FORECASTER,
    HIDDEN,
    INTERVALS,
    can_hide_values,
)
from gplvm_core.training import Snapshot
from gplvm_core.training.progress import ENDED
from pages.ui.shared.catalogue import Item
from pages.ui.shared.words import percent

LOOK = 1.0  # seconds between two updates
FOLLOWS = "Intervals and odd rows follow"
# The page's words for the steps of the second stage.
STEPS = {
    DENSITY: "learning how typical rows are",
    HIDDEN: "testing its predictions on hidden values",
    INTERVALS: "learning how wide intervals must be",
    FORECASTER: "testing its forecasts",
}


def following(item: Item) -> Snapshot | None:
    """Return the unfinished training that will replace the open map by a model with a second stage.

    None if the model has it already, or if its training has ended.
    """
    return _training_of(item.key) if lacks_second_stage(item.model) else None


def lacks_second_stage(model: Any) -> bool:
    """Return whether a model could have a density or calibrated intervals, and has not."""
    density = getattr(model, "can_have_density", False) and model.density_ is None
    density = density or (can_hide_values(model) and not model.columns_.widths)
    return bool(density or (getattr(model, "can_calibrate", False) and model.intervals_ is None))


def show_following(item: Item) -> None:
    """Show below the model's title that its second stage follows; rerun the page at the end."""
    job = following(item)
    if job is not None:
        st.fragment(_look, run_every=LOOK)(item.key)


def _training_of(key: str) -> Snapshot | None:
    place, _, entry = key.partition(":")
    if place != "library":
        return None
    every = (job for job in training.here().jobs() if job.entry == entry)
    return next((job for job in every if job.status not in ENDED), None)


def _look(key: str) -> None:
    job = _training_of(key)
    if job is None:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", key="second_stage"):
        st.caption(f":material/hourglass_top: {in_words(job)}", width="content")
        if st.button("Watch", key="second_stage_watch", type="tertiary"):
            st.switch_page("pages/train.py", query_params={"job": job.id})


def in_words(job: Snapshot) -> str:
    """Describe what follows the map, and how far it is."""
    if not job.active:
        return f"{FOLLOWS} when the training continues."
    progress = job.progress
    if progress is None or progress.phase not in STEPS:
        return f"{FOLLOWS}."
    return f"{FOLLOWS}: {STEPS[progress.phase]}, {percent(progress.share)}."
