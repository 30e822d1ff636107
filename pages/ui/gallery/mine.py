"""The shelf Mine: running trainings, and the user's models with their actions."""

import streamlit as st

from gplvm_core import training
from gplvm_core.readers.errors import plural
from gplvm_core.store import Library
from gplvm_core.training import Snapshot
from pages.ui.gallery.rows import (
    deleted_list,
    import_form,
    model_rows,
    report_deleted_elsewhere,
)
from pages.ui.shared.catalogue import Listed, library_items, user_library
from pages.ui.shared.home import say_problem
from pages.ui.shared.jobs import status_badge
from pages.ui.shared.lead import lead
from pages.ui.shared.plain import plain
from pages.ui.shared.second_stage import STEPS, in_words
from pages.ui.shared.words import bytes_in_words


def mine() -> None:
    """Show the shelf Mine."""
    library = user_library()
    models = library_items()
    say_problem()
    report_deleted_elsewhere(models)
    running_jobs()
    if models:
        _found(library, models)
    else:
        model_rows(library, ())
        lead("There are no models yet. Models that you train appear here and are stored on disk.")
        if st.button("Train a model", type="primary", icon=":material/model_training:"):
            st.switch_page("pages/train.py")
    import_form(library)
    deleted_list(library)


def _found(library: Library, models: tuple[Listed, ...]) -> None:
    """Show the search field and the models that match."""
    st.caption(
        f"{plural(len(models), 'model')} · {bytes_in_words(library.disk_use().models)} on this "
        "computer's disk."
    )
    tags = sorted({tag for listed in models for tag in listed.entry.tags})
    wanted = st.text_input(
        "Search",
        placeholder="Search titles, data and tags",
        key="library_search",
        label_visibility="collapsed",
        icon=":material/search:",
        persist_state="session",
    )
    kept: list[str] = []
    if tags:
        kept = st.pills(
            "Tags",
            tags,
            selection_mode="multi",
            format_func=plain,
            key="library_tags",
            label_visibility="collapsed",
        )
    found = [
        listed
        for listed in models
        if all(tag in listed.entry.tags for tag in kept)
        and (wanted or "").strip().lower()
        in " ".join((listed.entry.title, listed.entry.dataset_name, *listed.entry.tags)).lower()
    ]
    if not found:
        st.info("No model matches. Clear the search to see all models.")
    model_rows(library, found)


LOOK = 1.0  # seconds between two updates while something trains
OPEN = ("queued", "running", "paused", "interrupted")


def running_jobs() -> None:
    """Show unfinished trainings with their progress and links; update while something trains."""
    training.here().recover()  # also recovers the jobs of stopped servers that used this workspace
    active = any(job.active for job in training.here().jobs())
    st.fragment(_jobs, run_every=LOOK if active else None)(_open_ids())


def _open_ids() -> tuple[tuple[str, str | None], ...]:
    return tuple((job.id, job.entry) for job in training.here().jobs() if job.status in OPEN)


def _jobs(drawn: tuple[tuple[str, str | None], ...]) -> None:
    if _open_ids() != drawn:
        st.rerun()  # a training has started or ended, or its map is ready
    for job in training.here().jobs():
        if job.status in OPEN:
            _job(job)


def _job(job: Snapshot) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        status_badge(job.status)
        st.markdown(f"**{plain(job.name)}**", width="content")
        if job.progress is not None and job.progress.phase in STEPS:
            st.progress(job.progress.share, in_words(job), width="stretch")
        elif job.progress is not None and job.parameters.get("max_iter"):
            most = int(job.parameters["max_iter"])
            done = min(job.progress.iteration / most, 1.0)
            st.progress(done, f"Step {job.progress.iteration} of at most {most}", width="stretch")
        if st.button("Watch", key=f"watch_{job.id}", icon=":material/monitoring:"):
            st.switch_page("pages/train.py", query_params={"job": job.id})
