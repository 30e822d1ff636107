"""The visitor's choices in the tab Time and their widgets; the session stores them per model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core import StateSpaceGPLVM
from gplvm_core.datasets import Dataset
from gplvm_core.readers.calendar_steps import dates_at
from gplvm_core.wire.sequence import usual_step
from pages.ui.explore.time.model import (
    OWN_GAPS,
    by_rule,
    missing_times,
    parts_of,
    rows_of,
    sequence_titles,
    step_word,
    steps_of,
    times_of,
)
from pages.ui.shared.inputs import one_of

Task = Literal["play", "sample", "fill", "own"]
TASKS: dict[Task, str] = {
    "play": "Play and forecast",
    "sample": "Invent",
    "fill": "Fill a gap",
    "own": "New sequence",
}
# Initial lengths of the forecast as fractions of the sequence: of a path, and of a learnt rule,
# which can continue for longer.
FIRST_AHEAD, FIRST_BY_RULE = 0.1, 0.5
MOST_FIRST_AHEAD = 30  # steps
MOST_DRAWN = 400  # rows
FIRST_DRAWN = 120


@dataclass(frozen=True)
class Plan:
    """The chosen task, with the last settings of the other tasks.

    ahead: steps beyond the end. length: the number of rows of a new sequence. draw:
    counts the new sequences that were requested. part, stretch: the hidden part and interval.
    asked: whether the model fills the gap.
    """

    sequence: Any
    task: Task = "play"
    ahead: int = 0
    length: int = FIRST_DRAWN
    draw: int = 1
    part: str = ""
    stretch: tuple[float, float] = (0.0, 0.0)
    asked: bool = False

    @property
    def question(self) -> tuple[Any, ...]:
        """Return a key of everything on which the result depends."""
        return {
            "play": ("play", self.sequence, self.ahead),
            "sample": ("sample", self.sequence, self.length, self.draw),
            "fill": ("fill", self.sequence, self.part, self.stretch, self.asked),
            "own": ("own",),  # the result also depends on the visitor's rows
        }[self.task]


def first_plan(model: Any, dataset: Dataset, sequence: Any, task: Task = "play") -> Plan:
    """Return the initial plan: a short forecast; for gaps, the middle of the sequence."""
    times = sequence_times(model, sequence)
    share = FIRST_BY_RULE if isinstance(model, StateSpaceGPLVM) else FIRST_AHEAD
    ahead = min(max(round(share * len(times)), 1), MOST_FIRST_AHEAD)
    start, end = times[len(times) * 2 // 5], times[len(times) * 3 // 5]
    length = min(max(len(times), 2), FIRST_DRAWN)
    return Plan(
        sequence,
        task,
        ahead=ahead,
        length=length,
        part=parts_of(dataset, lacks(model, dataset, sequence))[0],
        stretch=(float(start), float(end)),
    )


def lacks(model: Any, dataset: Dataset, sequence: Any) -> bool:
    """Whether a sequence lacks steps that the model can fill."""
    return len(missing_times(model, dataset, sequence)) > 0


def sequence_times(model: Any, sequence: Any) -> Array:
    return times_of(model)[rows_of(model, sequence)]


def plan_of(model: Any, dataset: Dataset, name: str) -> Plan:
    """Return the visitor's plan for a model; name: the model's key and version."""
    kept = st.session_state.get(f"dynamics_plan|{name}")
    first = next(iter(sequence_titles(model, dataset)))
    return kept if isinstance(kept, Plan) else first_plan(model, dataset, first)


def keep(name: str, plan: Plan) -> None:
    st.session_state[f"dynamics_plan|{name}"] = plan


def ask(model: Any, dataset: Dataset, name: str) -> Plan:
    """Show the widgets, and return the plan that the visitor chose."""
    plan = plan_of(model, dataset, name)
    titles = sequence_titles(model, dataset)
    widget = f"dynamics_task|{name}"
    upcoming = st.session_state.get(widget, plan.task)
    # Drawn and uploaded sequences need no choice of a sequence; the choices for a gap and for a new
    # sequence are in separate lines below.
    several = len(titles) > 1 and upcoming in ("play", "fill")
    wide = [1.7, *([1.6] if several else []), *([] if upcoming in ("fill", "own") else [1.0])]
    places = iter(st.columns(wide, gap="medium"))
    with next(places):
        task = one_of("What to see", TASKS, widget, usual=plan.task, lasts=False)
    sequence = plan.sequence
    if several:
        with next(places):
            sequence = st.selectbox(
                "Sequence",
                list(titles),
                index=list(titles).index(plan.sequence),
                format_func=lambda sequence: titles[sequence],
                key=f"dynamics_sequence|{name}",
            )
    if sequence != plan.sequence:
        plan = replace(first_plan(model, dataset, sequence), draw=plan.draw, length=plan.length)
    plan = replace(plan, task=task)
    if task == "fill":
        plan = ask_fill(model, dataset, name, plan)
    elif task != "own":
        with next(places):
            ask_more = ask_play if task == "play" else ask_sample
            plan = ask_more(model, dataset, name, plan)
    keep(name, plan)
    return plan


def ask_play(model: Any, dataset: Dataset, name: str, plan: Plan) -> Plan:
    steps = steps_of(model, dataset, plan.sequence)
    most = max(len(steps.times), 10)
    if reach := by_rule(model, plan.sequence):
        # Business days are more than one step of the rule apart.
        end = steps.times[-1] + (reach + 0.5) * steps.step
        most = int(np.sum(steps.after(most) < end))
    ahead = st.slider(
        "Forecast beyond the end",
        0,
        most,
        min(plan.ahead, most),
        format=f"%d {step_word(dataset)}s",
        key=f"dynamics_ahead|{name}|{plan.sequence}",
        help=f"How far the sequence continues after the last training {step_word(dataset)}; the "
        "tube widens as the future becomes less certain.",
    )
    return replace(plan, ahead=ahead)


def ask_sample(model: Any, dataset: Dataset, name: str, plan: Plan) -> Plan:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if st.button(
            "Another sequence",
            type="primary",
            icon=":material/casino:",
            key=f"dynamics_another|{name}",
            help="Draws a random path from the model's prior over time; the same number always "
            "gives the same path.",
        ):
            plan = replace(plan, draw=plan.draw + 1)
        length = st.slider(
            "Length",
            10,
            MOST_DRAWN,
            plan.length,
            step=10,
            format=f"%d {step_word(dataset)}s",
            key=f"dynamics_length|{name}",
        )
    return replace(plan, length=length)


def ask_stretch(times: Array, dates: Sequence[str], name: str, plan: Plan) -> tuple[float, float]:
    """Ask for the hidden interval; dates: of the times, if they have any."""
    key = f"dynamics_stretch|{name}|{plan.sequence}"
    if dates:
        written = dict(zip(times.tolist(), dates, strict=True))
        begin, end = st.select_slider(
            "From … to", list(written), plan.stretch, format_func=lambda at: written[at], key=key
        )
        return begin, end
    decimals = max(0, int(np.ceil(-np.log10(usual_step(times)) - 1e-9)))
    return st.slider(
        "From time … to time",
        float(times[0]),
        float(times[-1]),
        plan.stretch,
        step=usual_step(times),
        format=f"%.{decimals}f",
        key=key,
    )


def ask_fill(model: Any, dataset: Dataset, name: str, plan: Plan) -> Plan:
    times = sequence_times(model, plan.sequence)
    parts = parts_of(dataset, lacks(model, dataset, plan.sequence))
    part_place, stretch_place, button_place = st.columns([1.1, 2, 0.8], vertical_alignment="bottom")
    with part_place:
        part = st.selectbox(
            "Hide",
            parts,
            index=parts.index(plan.part) if plan.part in parts else 0,
            key=f"dynamics_part|{name}",
        )
    with stretch_place:
        stretch = plan.stretch
        if part != OWN_GAPS:
            stretch = ask_stretch(times, dates_at(times, dataset.time_unit), name, plan)
    same = (part, stretch) == (plan.part, plan.stretch)
    plan = replace(plan, part=part, stretch=stretch, asked=same and plan.asked)
    with button_place:
        st.button(
            "Fill it in",
            type="primary",
            icon=":material/auto_fix_high:",
            key=f"dynamics_fill|{name}",
            width="stretch",
            disabled=plan.asked,
            on_click=keep,
            args=(name, replace(plan, asked=True)),
        )
    return plan
