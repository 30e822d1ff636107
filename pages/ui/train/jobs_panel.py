"""One training job, live, with its controls."""

from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import training
from gplvm_core.figures.dimensions import dimensions_on, joint_relevance
from gplvm_core.figures.latent_map import latent_map_figure, leading_pair
from gplvm_core.figures.relevance import relevance_figure
from gplvm_core.figures.trace import trace_figure
from gplvm_core.readers.errors import plural
from gplvm_core.training import Snapshot
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.jobs import status_badge
from pages.ui.shared.plain import plain
from pages.ui.shared.words import (
    OWN_NOISE,
    TERMS,
    bound_in_words,
    model_words,
    seconds_in_words,
)
from pages.ui.train.job_controls import ENDED, WAITING, controls
from pages.ui.train.job_words import on_the_page
from pages.ui.train.verdicts import show_verdicts, verdicts_of


def job_view(job_id: str) -> None:
    """Everything about one job: name, state, controls, and the live figures."""
    job = training.snapshot(job_id)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(job.name), anchor=False, width="content")
        status_badge(job.status)
    if job.model_class:  # none is known of a job whose file is broken
        st.caption(
            " · ".join(
                [f"{model_words(job.model_class)} on {plain(job.dataset_name)}", *settings_of(job)]
            )
        )
    controls(job)
    # Polling only while something can change; each fragment starts the page anew when it does.
    active = job.active
    # A job that waits may be resumed in another tab.
    pace = 1.0 if active else 5.0 if job.status in WAITING else None
    st.fragment(live_numbers, run_every=pace)(job_id, state_of(job))
    st.fragment(live_figures, run_every=2.0 if active else None)(job_id)


def state_of(job: Snapshot) -> tuple[str, str | None, str | None]:
    """What the page outside the live fragments depends on."""
    return job.status, job.request, job.entry


def settings_of(job: Snapshot) -> list[str]:
    """The settings that matter most, for the caption."""
    words = []
    if "n_components" in job.parameters:
        widths = job.parameters["n_components"]
        if isinstance(widths, tuple):
            words.append(f"{len(widths)} layers of {' and '.join(map(str, widths))} dimensions")
        else:
            words.append(plural(int(widths), "latent dimension"))
    if job.parameters.get("n_inducing") is not None:
        words.append(plural(int(job.parameters["n_inducing"]), "inducing point"))
    if int(job.parameters.get("n_restarts") or 1) > 1:
        words.append(f"best of {job.parameters['n_restarts']} starts")
    if job.parameters.get("noise") == "per_output":
        words.append(OWN_NOISE)
    return words


def live_numbers(job_id: str, drawn: tuple[str, str | None, str | None]) -> None:
    """Bound, noise, steps and time left; reruns the page when the state has changed."""
    try:
        job = training.snapshot(job_id)
    except ValueError:  # removed in another browser
        st.rerun()
    if state_of(job) != drawn:
        st.rerun()
    if job.error:
        st.error(f"The training failed: {plain(job.error)}", icon=":material/error:")
    if job.warning:
        st.warning(plain(job.warning), icon=":material/warning:")
    verdicts = verdicts_of(job)
    doubts = [note for note in job.notes if note.startswith(verdicts)]
    for note in job.notes:
        words = on_the_page(note)
        if words and note not in doubts:  # those are told with the layers
            st.caption(f":material/info: {plain(words)}")
    progress = job.progress
    if progress is None:
        if not job.error:
            st.info(waiting_words(job.status), icon=":material/hourglass_top:")
        return
    left = progress.seconds_left
    if job.status not in ENDED and left is not None:
        st.progress(progress.share, text=doing_in_words(progress.phase, progress.message))
    elif job.reason and job.status == "finished":
        st.caption(f"Why it ended: {plain(on_the_page(job.reason))}.".replace("..", "."))
    on = int(dimensions_on(progress.information).sum())
    deep = isinstance(job.parameters.get("n_components"), tuple)
    # Of a deep model these are the top's: what became of the others, the verdicts tell.
    if job.status == "finished" and on == 0 and not deep:
        st.info(NOTHING_FOUND, icon=":material/info:")
    show_verdicts(verdicts, doubtful=bool(doubts))
    with st.container(horizontal=True, key="job_numbers"):
        number("Bound", bound_in_words(progress.bound), TERMS["bound"])
        number("Noise", f"{progress.noise_variance:.3g}", TERMS["noise"])
        which = "Top dimensions on" if deep else "Dimensions on"
        number(which, f"{on} of {len(progress.information)}", TERMS["effective"])
        number("Steps", f"{progress.iteration:,}", "Accepted steps of the optimiser.")
        if job.status == "running" and left is not None:
            number("Time left", f"about {seconds_in_words(left)}", TIME_LEFT)
        else:
            number("Time", seconds_in_words(progress.seconds), "Time spent training.")


# What the phases of training are called here.
PHASES = {
    "noise held": "laying out a first map",
    "1,000 rows, noise held": "laying out a first map with 1,000 rows",
    "all free": "improving map and noise together",
    "refining": "polishing",
    "noise held everywhere": "laying out the layers",
    "hidden noise held": "making the layers depend on each other",
    "hidden noise held, refined": "making the layers depend on each other",
}


def doing_in_words(phase: str, message: str) -> str:
    """What training is at; of several starts, which. The message, if any, names the phase."""
    # Of very many rows a growing sample trains, by which its phases are called.
    usual = f"improving the map with {phase}" if phase.endswith(" rows") else phase
    words = (message or phase).replace(phase, PHASES.get(phase, usual))
    return words[:1].upper() + words[1:]


NOTHING_FOUND = (
    "No dimension carries information: as far as this model can tell, the columns vary "
    "independently of each other."
)
TIME_LEFT = (
    "An estimate: training may end earlier, when nothing improves any more, and it gives way to "
    "whoever looks at a page."
)


def waiting_words(status: str) -> str:
    """What is going on while there is nothing to show."""
    if status == "queued":
        return "Waiting: another training runs first."
    if status == "running":
        return "Preparing the data …"
    if status == "finished":
        return "Solved at once: there was nothing to watch."
    return "Nothing was trained yet."


def number(label: str, value: str, help: str) -> None:
    st.metric(label, value, help=help, width="content")


def live_figures(job_id: str) -> None:
    """Bound curve, ARD bars and latent map of the job: live, or those of the model it saved."""
    try:
        job = training.snapshot(job_id)
    except ValueError:
        return
    state = figures_state(job)
    if state is None:
        return
    latent_mean, relevance, information = state
    left, right = st.columns(2, gap="medium")
    with left:
        st.markdown("**Map so far**" if job.active else "**Map**", help=TERMS["latent"])
        labels, names, row_names = stored_words(job.id)
        pair = leading_pair(relevance)
        st.plotly_chart(
            latent_map_figure(
                latent_mean, labels, names, dimensions=pair, height=460, row_names=row_names
            ),
            key="job_map",
            config={"displayModeBar": False},
            alt=f"Latent map of {plural(len(latent_mean), 'point')} in the dimensions "
            f"{pair[0] + 1} and {pair[1] + 1}, coloured by label.",
        )
    with right:
        if len(job.trace["bound"]) > 1:
            st.markdown("**Bound**", help=TERMS["bound"])
            st.plotly_chart(
                trace_figure(job.trace, height=200),
                key="job_trace",
                config={"displayModeBar": False},
                alt=f"The bound over time; it is {job.trace['bound'][-1]:,.0f} nats now.",
            )
        st.markdown("**Dimensions**", help=f"{TERMS['relevance']}\n\n{TERMS['information']}")
        st.plotly_chart(
            relevance_figure(relevance, information, height=290),
            key="job_relevance",
            config={"displayModeBar": False},
            alt=relevance_in_words(relevance, information),
        )


def figures_state(job: Snapshot) -> tuple[Array, Array, Array] | None:
    """Latent mean, relevance and information: of the saved model, else of the last step."""
    if job.status in ENDED and job.entry is not None:
        try:
            model = open_item(f"library:{job.entry}").model
        except (ValueError, OSError):
            pass  # deleted in the Library: the last step still shows what there was
        else:
            if model.capabilities.layers and not model.capabilities.views:
                # One that is off has all rows in one place.
                layer = next((each for each in model.layers_ if not each.doubt_), model.layers_[-1])
                width = layer.latent_mean_.shape[1]
                return layer.latent_mean_, layer.relevance_[:width], layer.information_
            relevance = joint_relevance(model.relevance_)
            information = getattr(model, "information_", np.full(len(relevance), np.nan))
            return model.latent_mean_, relevance, information
    if job.progress is None:
        return None
    return job.progress.latent_mean, job.progress.relevance, job.progress.information


def relevance_in_words(relevance: Any, information: Any) -> str:
    """The bars as a sentence, for those who cannot see them."""
    on = np.flatnonzero(dimensions_on(information)) + 1
    order = np.argsort(-np.asarray(relevance)) + 1
    return (
        f"Dimensions by falling relevance: {', '.join(map(str, order))}. "
        f"On: {', '.join(map(str, on)) or 'none'}."
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def stored_words(job_id: str) -> tuple[Any, tuple[str, ...], Any]:
    """Labels, their names and the rows' names. Read once: a job's data never change."""
    dataset = training.dataset(job_id)
    return dataset.labels, dataset.label_names, dataset.row_names
