"""The search for good settings: train candidates on parts of the rows, and test on the others."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from gplvm_core import BayesianGPLVM, DynamicalGPLVM, ManifoldRelevance, StateSpaceGPLVM
from gplvm_core.comparison import Choice, Step, choose
from gplvm_core.comparison.settings import in_words
from gplvm_core.datasets import Dataset
from gplvm_core.readers.error_columns import ERRORS
from gplvm_core.readers.errors import plural
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.training import begin_comparison, comparison_of
from pages.ui.shared.inputs import lasting_selectbox
from pages.ui.shared.memory import fingerprint
from pages.ui.shared.plain import plain
from pages.ui.shared.running import running
from pages.ui.shared.words import percent

MODELS = (BayesianGPLVM, DynamicalGPLVM, ManifoldRelevance, StateSpaceGPLVM)
# These limit the waiting time. With fewer rows, a split says little.
MOST_ROWS, FEWEST_ROWS = 600, 30
# Session key: the accepted settings by the key of their search, with the number of presses.
FOUND = "train_found_settings"
EVERY = "each view from the others"
QUESTIONS = {
    "fill": "Hidden halves of held-out rows are filled in.",
    "transfer": "In held-out rows, each view is predicted from the others.",
    "forecast": "The last frames of every sequence are forecast.",
}


def accepted_settings(dataset: Dataset, title: str) -> tuple[dict[str, Any], str]:
    """Return the found settings that the visitor uses for these data; title: of the model.

    Also return a mark for the keys of widgets: with a new key, a widget begins with these settings.
    """
    found, turn = st.session_state.get(FOUND, {}).get(_key(dataset, title), ({}, 0))
    return dict(found), f"_found{turn}" if turn else ""


def good_settings(dataset: Dataset, model: Any, title: str) -> None:
    """Show the button that starts the search, its progress, and the result."""
    if type(model) not in MODELS or dataset.kinds is not None or isinstance(dataset, TableDataset):
        return
    if dataset.n_points < FEWEST_ROWS or dataset.n_outputs < 2 or dataset.known:
        return  # the search knows no factors to take out
    if ERRORS in dataset.covariates:
        return  # and no errors of cells
    kernels = (str(model.kernel), str(getattr(model, "time_kernel", None)))
    to = _view_that_matters(dataset) if model.capabilities.views else None
    key = _key(dataset, title, *kernels, to or "")
    if running(key, "settings", "Uses the trainings that are finished.", _said):
        return
    run = comparison_of(key)
    if run is not None and run.problem is not None:
        (st.info if run.ending else partial(st.error, icon=":material/error:"))(plain(run.problem))
    if run is not None and isinstance(run.result, Choice):
        show(run.result, _key(dataset, title), model)

    def begin() -> None:
        begin_comparison(key, _task(dataset, model, to))

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Find good settings" if run is None else "Search again",
            key="settings_start",
            type="secondary" if run is None else "tertiary",
            icon=":material/tune:",
            help="Trains twelve combinations of settings, such as dimensions and noise, on parts "
            "of the rows, and tests them on the other rows. It takes as long as about thirty "
            "trainings, and continues if you leave.",
            on_click=begin,
        )
        if dataset.n_points > MOST_ROWS:
            which = "the first ones" if model.capabilities.timed else "spread evenly"
            st.caption(f"The search uses {MOST_ROWS} of the {dataset.n_points:,} rows, {which}.")


def _key(dataset: Dataset, *choices: str) -> str:
    shape, sums = str(dataset.targets.shape), str(np.nansum(dataset.targets, axis=0) + 0.0)
    views = str([view.name for view in dataset.views])
    return f"settings|{fingerprint((dataset.name, *choices, shape, sums, views))}"


def _view_that_matters(dataset: Dataset) -> str | None:
    """Ask which view the model will predict; None: all of them."""
    names = [view.name for view in dataset.views]
    found = lasting_selectbox(
        "Good settings for predicting",
        [EVERY, *names],
        key=f"settings_view_{fingerprint(tuple(names))}",
        help="If you will predict one view, such as poses from pictures, choose it. The search "
        "then compares only the predictions of this view.",
    )
    return None if found == EVERY else str(found)


def _task(
    dataset: Dataset, model: Any, to: str | None
) -> Callable[[Callable[[Step], None]], Choice]:
    """Return the search on the first frames for a model over time, otherwise on spread rows."""
    several, timed = model.capabilities.views, model.capabilities.timed
    count = min(dataset.n_points, MOST_ROWS)
    rows = np.arange(count) if timed else np.linspace(0, dataset.n_points - 1, count).astype(int)
    values = {name: each[rows] for name, each in dataset.view_values.items()}
    times = dataset.times[rows] if timed and dataset.times is not None else None
    sequences = None if dataset.sequences is None else dataset.sequences[rows]
    if sequences is not None and not timed and len(np.unique(sequences)) < 2:
        sequences = None  # a single sequence cannot be held out as a whole
    shared_unit = dataset.drawing.kind in ("image", "skeleton") or several

    def task(callback: Callable[[Step], None]) -> Choice:
        return choose(
            model,
            values if several else dataset.values[rows],
            to=to,
            times=times,
            sequences=sequences,
            scaling="global" if shared_unit else None,
            callback=callback,
        )

    return task


def _said(step: Step) -> str:
    return "Training combinations of settings"


def show(found: Choice, key: str, model: Any) -> None:
    """Show the result and the button that uses it. model: with the settings of the form."""
    st.markdown(f"**{plain(found.sentence())}**")
    question = QUESTIONS[found.task]
    if found.to is not None:
        question += f" Only predictions of “{found.to}” count."
    notes = [question, *found.notes]

    def use() -> None:
        accepted = st.session_state.setdefault(FOUND, {})
        accepted[key] = (found.settings, accepted.get(key, ({}, 0))[1] + 1)

    known = model.get_params(deep=False)
    if in_words({name: known[name] for name in found.settings}) == in_words(found.settings):
        st.caption(":material/check: The form above has these settings.")
    else:
        st.button("Use these settings", key="settings_use", icon=":material/check:", on_click=use)
    with st.expander(f"What was tried ({plural(len(found.tried), 'training')})"):
        st.dataframe(_table(found), hide_index=True)
        st.caption(plain(" ".join(notes)))


def _table(found: Choice) -> pd.DataFrame:
    rows = [
        {
            "Settings": in_words(each.settings),
            "Steps, at most": each.iterations,
            "Error": each.problem or found.measure.in_words(each.score),
            "Inside 95 %": "–" if np.isnan(each.inside) else percent(each.inside),
            "CPU seconds": f"{each.seconds:.2g}",
        }
        for each in found.tried
    ]
    return pd.DataFrame(rows)
