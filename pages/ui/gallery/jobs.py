"""The unfinished trainings, at the top of Mine."""

import streamlit as st

from gplvm_core import training
from gplvm_core.training import Snapshot
from pages.ui.shared.jobs import status_badge
from pages.ui.shared.plain import plain
from pages.ui.shared.second_stage import STEPS, in_words

LOOK = 1.0  # seconds between two updates while something trains
OPEN = ("queued", "running", "paused", "interrupted")


def running_jobs() -> None:
    """Show unfinished trainings with their progress and links; update while something trains."""
    training.recover()  # also recovers the jobs of stopped servers that used this workspace
    active = any(job.active for job in training.jobs())
    st.fragment(_jobs, run_every=LOOK if active else None)(_open_ids())


def _open_ids() -> tuple[tuple[str, str | None], ...]:
    return tuple((job.id, job.entry) for job in training.jobs() if job.status in OPEN)


def _jobs(drawn: tuple[tuple[str, str | None], ...]) -> None:
    if _open_ids() != drawn:
        st.rerun()  # a training has started or ended, or its map is ready
    for job in training.jobs():
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
