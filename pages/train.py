"""Train: pick or upload data, see them, choose a model, and watch the training."""

import os
from typing import Any

import streamlit as st

from gplvm_core import training
from gplvm_core.datasets import Dataset
from gplvm_core.readers.rows.folders import has_own_files
from gplvm_core.readers.rows.table import TableDataset
from gplvm_core.readers.views import constant_views
from pages.ui.shared.component import begin_at_top
from pages.ui.shared.home import say_problem
from pages.ui.shared.inputs import lasting_text, one_of
from pages.ui.shared.lead import lead
from pages.ui.shared.own_jobs import begin, say_held, unused_name
from pages.ui.shared.plain import plain
from pages.ui.shared.routes import enter_through_app
from pages.ui.shared.words import model_words
from pages.ui.train.anything import anything_button
from pages.ui.train.column_form import (
    TABLES,
    column_question,
    quick_regression,
    regression_form,
)
from pages.ui.train.coordinates import coordinates_offer
from pages.ui.train.data_view import data_view, has_mixed_units
from pages.ui.train.foreseen import end_trial, say_foreseen
from pages.ui.train.goal_form import (
    COLUMN,
    LEADS,
    MAP,
    SERIES,
    goal_question,
    has_steps_to_fill,
    lead_to_time,
)
from pages.ui.train.isolated_question import isolated_question, slips_question
from pages.ui.train.jobs_panel import active_banner, job_list, job_view
from pages.ui.train.kinds_form import what_is_learnt
from pages.ui.train.model_choices import quicker_for
from pages.ui.train.model_form import model_form
from pages.ui.train.several_choice import views_choice
from pages.ui.train.several_files import several_files_form
from pages.ui.train.source_form import built_in_form, tables_form, upload_form
from pages.ui.train.table_form import has_folders, own_file_form, table_form
from pages.ui.train.take_out_form import can_take_out, take_out_question

SOURCES = {
    "built-in": "Ready-made data",
    "upload": "My own file",
    "several": "Several files as views",
    "own": "A file of this machine",
    "table": "A table of this server",
}
FORMS = {
    "built-in": built_in_form,
    "upload": upload_form,
    "several": several_files_form,
    "own": own_file_form,
    "table": table_form,
}


def chosen_data(goal: str) -> Dataset | None:
    """Ask for the data (step one); return None until a data set is chosen."""
    # Other pages may have chosen the source, which a default would contradict.
    st.session_state.setdefault("train_source", "built-in")
    there = {"own": has_own_files(os.environ), "table": has_folders()}
    sources = {key: words for key, words in SOURCES.items() if there.get(key, True)}
    source = one_of("Source of the data", sources, "train_source", hidden=True)
    if goal == COLUMN and source == "built-in":
        return tables_form(TABLES)
    dataset = FORMS[str(source)]()
    if dataset is None or isinstance(dataset, TableDataset):
        return dataset
    if goal == COLUMN:
        return dataset
    divided = views_choice(dataset)
    if source == "several" and divided is not None and len(divided.views) < 2:
        st.info(
            "One view so far. Add another file that describes the same rows, or turn the labels "
            "into a view. Until then, only models of one view are offered.",
            icon=":material/info:",
        )
    return divided


def set_up() -> None:
    """Show the form: data, model, start."""
    goal = goal_question()
    lead(f"{LEADS[goal]} Training runs in the background and continues when you close the browser.")
    st.header("1 · Data", anchor=False)
    dataset = chosen_data(goal)
    if dataset is None:
        return
    dataset = slips_question(isolated_question(dataset))
    if goal == MAP:
        coordinates_offer(dataset)
    warnings = dataset.warnings
    data_view(dataset, warnings)
    if goal == COLUMN:
        set_up_column(dataset)
        return
    anything_button(dataset)
    if goal == SERIES or has_steps_to_fill(dataset):
        lead_to_time(dataset)
    dataset, possible = take_out_question(dataset)
    if dataset.kinds is not None:
        st.markdown(what_is_learnt(dataset))
    st.header("2 · Model", anchor=False)
    model = model_form(dataset, differ=has_mixed_units(warnings), series=goal == SERIES)
    possible = can_take_out(model, dataset) and possible
    still = constant_views(dataset.values, dataset.views) if model.capabilities.views else ()
    if still:
        st.error(
            f"Nothing varies in {plain(' and '.join(f'“{name}”' for name in still))}, so the model "
            "cannot learn. Leave out views that never vary, or choose another model.",
            icon=":material/error:",
        )
    st.header("3 · Start", anchor=False)
    if not still:
        say_foreseen(model, dataset, quicker_for(model, dataset))
    start(model, dataset, possible=possible and not still)


def set_up_column(dataset: Dataset) -> None:
    """Show the form for predicting one column from others: question, model, start."""
    st.header("2 · Question", anchor=False)
    asked = column_question(dataset)
    if asked is None:
        return
    st.header("3 · Model", anchor=False)
    model = regression_form(asked)
    st.header("4 · Start", anchor=False)
    assert asked.task is not None
    say_foreseen(model, asked, [quick_regression(asked)])
    start(model, asked, of=f"{asked.task.target}, ")


def start(model: Any, dataset: Dataset, *, of: str = "", possible: bool = True) -> None:
    """Show the name field and the button that starts the training; of: the name's first words."""
    title = model_words(type(model).__name__)
    name = lasting_text(
        "Name",
        value=f"{of}{dataset.title}, {title}",
        max_chars=80,
        key=f"train_name_{of}{dataset.name}_{title}",
    )
    if st.button(
        "Start training", type="primary", icon=":material/play_arrow:", disabled=not possible
    ):
        end_trial()
        try:
            called = unused_name((name or "").strip() or dataset.title)
            job_id = begin(lambda: training.here().submit(model, dataset, called))
        except (ValueError, OSError) as error:
            st.error(f"The training could not start. {plain(error)}", icon=":material/error:")
            return
        st.query_params["job"] = job_id
        st.rerun()


enter_through_app()
st.title("Train", anchor=False)
say_problem()
say_held()
wanted = st.query_params.get("job")
training.here().recover()  # also recovers the jobs of stopped servers that used this workspace
known = {job.id for job in training.here().jobs()}
if wanted is not None and wanted not in known:
    if training.here().elsewhere(wanted):
        st.info(
            "Another running copy of this program does this training; watch it there. Its model "
            "will also appear here, in the Gallery under Mine.",
            icon=":material/lan:",
        )
    else:
        st.warning(
            "That training is no longer in the list. If it produced a model, the model is in the "
            "Gallery under Mine."
        )
    wanted = None
if wanted is None:
    active_banner()
    set_up()
else:
    if st.button("Train another model", icon=":material/add:", type="tertiary"):
        st.query_params.pop("job", None)
        st.rerun()
    job_view(wanted)
    begin_at_top(key="top", data={"kind": "training", "of": wanted})
job_list(wanted)
