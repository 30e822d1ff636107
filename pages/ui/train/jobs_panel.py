"""The live view of a training job, with its buttons.

Also here: the lists of trainings with links, the verdicts on the layers of a deep model, and the
messages of training without the names of Python arguments.
"""

import re
from collections.abc import Sequence

import streamlit as st

from gplvm_core import training
from gplvm_core.figures.dimensions import dimensions_on
from gplvm_core.models.problems.doctor import ADVICE
from gplvm_core.readers.errors import in_digits, listed, plural
from gplvm_core.store import StoreError
from gplvm_core.training import Snapshot
from pages.ui.shared.catalogue import open_item
from pages.ui.shared.jobs import status_badge
from pages.ui.shared.plain import plain
from pages.ui.shared.second_stage import FOLLOWS, STEPS
from pages.ui.shared.words import (
    OWN_NOISE,
    TERMS,
    bound_in_words,
    model_words,
    seconds_in_words,
)
from pages.ui.train.column_live import is_regression
from pages.ui.train.job_controls import ENDED, WAITING, controls
from pages.ui.train.job_figures import live_figures


def job_view(job_id: str) -> None:
    """Show everything about one job: name, state, buttons, and live figures."""
    job = training.here().snapshot(job_id)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.subheader(plain(job.name), anchor=False, width="content")
        status_badge(job.status)
    if job.model_class:  # "" if the job's file is broken
        st.caption(
            " · ".join(
                [f"{model_words(job.model_class)} on {plain(job.dataset_name)}", *settings_of(job)]
            )
        )
    controls(job)
    # The fragments poll only while something can change, and rerun the page after a change.
    active = job.active
    # A paused job may be resumed in another tab.
    pace = 5.0 if job.status in WAITING else None
    if active:
        pace = 1.0 if job.request is None else 0.4
    st.fragment(live_numbers, run_every=pace)(job_id, state_of(job))
    st.fragment(live_figures, run_every=2.0 if active else None)(job_id)


def state_of(job: Snapshot) -> tuple[str, str | None, str | None]:
    """Return the state on which the page outside the live fragments depends."""
    return job.status, job.request, job.entry


def settings_of(job: Snapshot) -> list[str]:
    """Return the settings that matter most, for the caption."""
    words = []
    if "n_components" in job.parameters:
        widths = job.parameters["n_components"]
        if isinstance(widths, tuple) and is_regression(job):
            words.append(f"{len(widths) + 1} layers, {' and '.join(map(str, widths))} hidden")
        elif isinstance(widths, tuple):
            words.append(f"{len(widths)} layers of {' and '.join(map(str, widths))} dimensions")
        else:
            words.append(plural(int(widths), "latent dimension"))
    inducing = job.parameters.get("n_inducing")  # "auto", or one number a layer, in jobs of scripts
    if isinstance(inducing, int):
        words.append(plural(inducing, "inducing point"))
    starts = job.parameters.get("n_restarts")
    if starts not in (None, 1, "auto"):
        words.append(f"best of {starts} starts")
    if job.parameters.get("kinds"):
        words.append("columns of several kinds")
    noise = job.parameters.get("noise")
    if noise == "per_output":
        words.append(OWN_NOISE)
    elif isinstance(noise, dict) and "per_output" in noise.values():
        own = [name for name, each in noise.items() if each == "per_output"]
        words.append(f"{OWN_NOISE} in {listed(own)}")
    return words


def live_numbers(job_id: str, drawn: tuple[str, str | None, str | None]) -> None:
    """Show bound, noise, steps and time left; rerun the page when the state has changed."""
    try:
        job = training.here().snapshot(job_id)
    except ValueError:  # the job was removed in another browser
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
        if words and note not in doubts:  # `show_verdicts` shows doubtful notes
            st.caption(f":material/info: {plain(words)}")
    progress = job.progress
    if progress is None:
        if not job.error:
            st.info(waiting_words(job.status), icon=":material/hourglass_top:")
        return
    left = progress.seconds_left
    if job.status not in ENDED and left is not None:
        words = doing_in_words(progress.phase, progress.message)
        if progress.phase in STEPS and job.entry is not None:
            words = f"The map is ready. {FOLLOWS}: {STEPS[progress.phase]}"
        elif not is_regression(job) and job.parameters.get("second_stage") != "off":
            words = f"{words}. {FOLLOWS} when the map is open"
        st.progress(progress.share, text=words)
    elif job.reason and job.status == "finished":
        st.caption(f"Why it ended: {plain(on_the_page(job.reason))}.".replace("..", "."))
    regression = is_regression(job)
    on = int(dimensions_on(progress.information).sum())
    deep = isinstance(job.parameters.get("n_components"), tuple)
    # In a deep model, these are the top layer's dimensions; the verdicts describe the other layers.
    if job.status == "finished" and on == 0 and not deep and not regression:
        st.info(NOTHING_FOUND, icon=":material/info:")
    show_verdicts(verdicts, doubtful=bool(doubts))
    with st.container(horizontal=True, key="job_numbers"):
        number("Bound", bound_in_words(progress.bound), TERMS["bound"])
        if not job.parameters.get("kinds"):  # words and counts have no noise
            number("Noise", in_digits(progress.noise_variance, 3), TERMS["noise"])
        if not regression:
            which = "Top dimensions on" if deep else "Dimensions on"
            number(which, f"{on} of {len(progress.information)}", TERMS["effective"])
        number(
            "Steps",
            f"{progress.iteration:,}",
            "The number of steps that the optimiser has accepted.",
        )
        if job.status == "running" and left is not None:
            what = "Time left" if regression or progress.phase in STEPS else "Map in"
            number(what, f"about {seconds_in_words(left)}", TIME_LEFT)
        else:
            number(
                "Time", seconds_in_words(progress.seconds), "The time that the training has taken."
            )


# The page's words for the phases of training.
PHASES = {
    "noise held": "laying out a first map",
    "1,000 rows, noise held": "laying out a first map with 1,000 rows",
    "all free": "improving map and noise together",
    "refining": "polishing",
    "noise held everywhere": "laying out the layers",
    "hidden noise held": "making the layers depend on each other",
    "hidden noise held, refined": "making the layers depend on each other",
    **STEPS,
}


def doing_in_words(phase: str, message: str) -> str:
    """Describe the phase of training and the number of the start, from the message if any."""
    # With very many rows, phases are named after the growing samples of rows.
    usual = f"improving the map with {phase}" if phase.endswith(" rows") else phase
    words = (message or phase).replace(phase, PHASES.get(phase, usual))
    return words[:1].upper() + words[1:]


NOTHING_FOUND = (
    "No dimension contains information: this model found no relation between the columns."
)
TIME_LEFT = (
    "The time for all remaining steps at the present speed. Training ends earlier if nothing "
    "improves, and later if others use the machine. A map opens when it is trained; learning its "
    "intervals and how typical rows are may take as long again."
)


def waiting_words(status: str) -> str:
    """Return the message that is shown while there are no numbers."""
    if status == "queued":
        return "Waiting until another training has ended."
    if status == "running":
        return "Preparing the data …"
    if status == "finished":
        return "This model was solved directly, without training steps."
    return "Nothing was trained yet."


def number(label: str, value: str, help: str) -> None:
    st.metric(label, value, help=help, width="content")


def show_verdicts(verdicts: Sequence[str], *, doubtful: bool) -> None:
    """Show the verdicts of a deep model in one line; add advice if a verdict is doubtful."""
    if verdicts:
        advice = f"; {ADVICE}" if doubtful else ""
        words = plain(f"{'; '.join(verdicts)}{advice}.")
        st.caption(
            f":material/{'layers_clear' if doubtful else 'layers'}: {words[:1].upper()}{words[1:]}",
            help=TERMS["verdict"],
        )


def verdicts_of(job: Snapshot) -> tuple[str, ...]:
    """Return the verdicts of the saved model, else the last verdicts of the training."""
    if job.status in ENDED and job.entry is not None:
        try:
            model = open_item(f"library:{job.entry}").model
        except (ValueError, OSError, StoreError):
            return ()  # the model was deleted in the Gallery
        if hasattr(model, "layers_"):
            layers = list(model.layers_)
            if model.capabilities.views:
                layers += [layer for own in model.own_layers_.values() for layer in own]
                layers += model.view_layers_.values()
            return tuple(layer.verdict_ for layer in layers)
    return () if job.progress is None else job.progress.verdicts


SAID: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (
            r"times and sequences are not used: the model has no time_kernel",
            "This model does not use the times of the rows; a dynamical model would use them",
        ),
        (
            r"the map does not use times and sequences: the model has no time_kernel",
            "The map does not use the times of the rows; a dynamical model would use them",
        ),
        (r"reached max_iter = (\d+) iterations", r"the training used all \1 steps"),
        (
            r"n_inducing = (\d+) is capped at the number of points, (\d+)",
            r"\2 inducing points are used instead of \1, since there are \2 rows",
        ),
        (
            r"the density of the rows was not learnt: (.*)\. The map alone fills gaps.*",
            r"The density of the rows was not learnt: \1. It will be learnt when first needed",
        ),
        (
            r"the kernel over time is (\w+)",
            r"The paths over time are of the kind \1",
        ),
        (r"\brbf\b", "RBF"),
        (r"\bmatern(\d)2\b", r"Matérn \1/2"),
        (
            r"n_components = (\d+) is capped at (\d+) for these data",
            r"\2 latent dimensions are used instead of \1: the data do not have more",
        ),
    )
)
MEANINGLESS = re.compile(r"latent dimensions? starts? at random: PCA found")


def on_the_page(said: str) -> str:
    """Return a note or reason without names of arguments; "" if it is irrelevant to users."""
    if MEANINGLESS.search(said):
        return ""
    for pattern, words in SAID:
        said = pattern.sub(words, said)
    return said


def active_banner() -> None:
    """Show the running trainings with links, above the form."""
    for job in training.here().jobs():
        if job.status == "running":
            with st.container(border=True, horizontal=True, vertical_alignment="center"):
                status_badge(job.status)
                st.markdown(f"**{plain(job.name)}**", width="content")
                if st.button("Watch", key=f"watch_{job.id}", icon=":material/monitoring:"):
                    st.query_params["job"] = job.id
                    st.rerun()


def job_list(chosen: str | None) -> None:
    """Show all jobs, newest first; a click opens a job."""
    jobs = training.here().jobs()[::-1]
    if not jobs:
        return
    st.divider()
    waiting = sum(job.status == "queued" for job in jobs)
    st.header("Trainings", anchor=False)
    if waiting:
        at_once = training.here().limits.at_once
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
