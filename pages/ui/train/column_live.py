"""The live figures of a training for one column: the test on held-out rows, and the bound."""

import time
from dataclasses import dataclass

import numpy as np
import streamlit as st

from gplvm_core import training
from gplvm_core.comparison.one_column import Predicted, predicted_by, task_of
from gplvm_core.datasets import Dataset
from gplvm_core.figures.light import dots
from gplvm_core.figures.predicted import predicted_figure
from gplvm_core.figures.trace import trace_figure
from gplvm_core.training import Snapshot
from gplvm_core.training.comparing import model_of, present_predictions
from gplvm_core.training.progress import ENDED
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.words import TERMS
from pages.ui.shared.worth import show_worth, simpler
from pages.ui.train.light_figures import bound_picture, drawn

HEIGHT = 320  # pixels
MOST_LIVE = 5000  # with more training rows, the model is tested only at the end
REST = 6  # tests may take the fraction 1 / REST of the time


@dataclass(frozen=True)
class Look:
    """The last test of a job: its step, the time of its end, and its duration."""

    step: int
    found: Predicted
    ended: float
    took: float


def is_regression(job: Snapshot) -> bool:
    """Return whether a job trains a model that predicts one column."""
    model = model_of(job)
    return model is not None and bool(model.capabilities.predicts)


def column_figures(job: Snapshot) -> None:
    """Show the verdict and its numbers, the predictions for held-out rows, and the bound."""
    dataset = asked_of(job.id)
    assert dataset.task is not None
    found = tested(job, dataset)
    if found is not None:
        if job.status not in ENDED:
            st.caption("The last test so far:")
        show_worth(found, simpler(dataset, f"job|{job.id}"), dataset.task.target)
    elif job.progress is not None:
        st.caption("The model is tested on held-out rows when its training ends.")
    left, right = st.columns(2, gap="medium")
    with left:
        if found is not None:
            st.markdown(
                "**Held-out rows**", help="Points on the dotted line are correct predictions."
            )
            drawn(
                "predicted",
                predicted_figure(
                    found.truth, found.mean, found.std, target=dataset.task.target, height=HEIGHT
                ),
                lambda: dots(np.column_stack([found.truth, found.mean])),
                "Predictions for held-out rows against their true values.",
            )
    with right:
        bound = job.trace["bound"]
        if len(bound) > 1:
            st.markdown("**Bound**", help=TERMS["bound"])
            drawn(
                "trace",
                trace_figure(job.trace, height=HEIGHT),
                lambda: bound_picture(job),
                f"The bound over time; it is {bound[-1]:,.0f} nats now.",
            )


def tested(job: Snapshot, dataset: Dataset) -> Predicted | None:
    """Return the saved model's predictions; during training, those of the last or of a new test."""
    if job.status in ENDED and job.entry is not None:
        try:
            return _final(job.entry, open_item(f"library:{job.entry}").version)
        except (ValueError, OSError):
            pass  # the model was deleted in the Gallery: use the last step
    key = f"column_look|{job.id}"
    last: Look | None = st.session_state.get(key)
    if job.progress is None or job.progress.run is None:
        return None
    step = len(job.trace["bound"]) and int(job.trace["iteration"][-1])
    rested = last is None or time.monotonic() - last.ended > REST * last.took
    if dataset.n_points <= MOST_LIVE and rested and (last is None or step != last.step):
        begun = time.monotonic()
        found = present_predictions(job, dataset)
        if found is not None:
            last = Look(step, found, time.monotonic(), time.monotonic() - begun)
            st.session_state[key] = last
    return None if last is None else last.found


@st.cache_resource(max_entries=8, show_spinner=False)
def _final(entry: str, version: str) -> Predicted:
    item = open_item(f"library:{entry}")
    _, _, held = task_of(item.dataset)
    return predicted_by(item.model, held)


@st.cache_resource(max_entries=16, show_spinner=False)
def asked_of(job_id: str) -> Dataset:
    """Return the data set of a job; it never changes."""
    return training.here().dataset(job_id)
