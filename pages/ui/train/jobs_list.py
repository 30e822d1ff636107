"""Lists of the training jobs on this machine, with links."""

import streamlit as st

from gplvm_core import training
from gplvm_core.readers.errors import plural
from pages.ui.shared.jobs import status_badge
from pages.ui.shared.plain import plain
from pages.ui.shared.words import bound_in_words


def active_banner() -> None:
    """Show the running trainings with links, above the form."""
    for job in training.jobs():
        if job.status == "running":
            with st.container(border=True, horizontal=True, vertical_alignment="center"):
                status_badge(job.status)
                st.markdown(f"**{plain(job.name)}**", width="content")
                if st.button("Watch", key=f"watch_{job.id}", icon=":material/monitoring:"):
                    st.query_params["job"] = job.id
                    st.rerun()


def job_list(chosen: str | None) -> None:
    """Show all jobs, newest first; a click opens a job."""
    jobs = training.jobs()[::-1]
    if not jobs:
        return
    st.divider()
    waiting = sum(job.status == "queued" for job in jobs)
    st.header("Trainings", anchor=False)
    if waiting:
        at_once = training.limits().at_once
        runs = "one runs" if at_once == 1 else f"{at_once} run"
        st.caption(f"{plural(waiting, 'training')} waiting; {runs} at a time.")
    for job in jobs:
        with st.container(
            border=job.id == chosen, horizontal=True, vertical_alignment="center", gap="small"
        ):
            status_badge(job.status)
            st.markdown(f"**{plain(job.name)}**", width="content")
            if job.progress is not None:
                st.caption(f"bound {bound_in_words(job.progress.bound)}", width="content")
            if job.id != chosen and st.button("Show", key=f"show_{job.id}", type="tertiary"):
                st.query_params["job"] = job.id
                st.rerun()
