"""The choice of a dynamical model's kernel over time, with a small picture of its paths."""

import base64
from dataclasses import dataclass, replace
from html import escape

import streamlit as st

from gplvm_core.datasets import Dataset
from gplvm_core.figures.time_paths import longest_sequence, paths_svg
from gplvm_core.kernels import Kernel, Periodic, Sum, time_kernel_named
from gplvm_core.models.problems.paths import AUTO
from gplvm_core.readers.errors import in_digits
from pages.ui.shared.inputs import lasting_number, lasting_radio
from pages.ui.shared.words import TERMS
from pages.ui.train.form_parts import chosen

COUNTS = {"auto": "Count less", "full": "Count fully"}


@dataclass(frozen=True)
class Shape:
    """A kind of path over time: title and one-line description."""

    title: str
    line: str


SHAPES = {
    AUTO: Shape(
        "Chosen by the data",
        "Begins with smooth, nearly smooth and a little rough paths, and continues with those that "
        "explain the data best.",
    ),
    "rbf": Shape("Smooth", "For slow, rounded movements without corners (RBF)."),
    "matern32": Shape(
        "A little rough", "For most movements, whose speed may change quickly (Matérn 3/2)."
    ),
    "matern12": Shape(
        "Rough", "For jitter, whose direction may change at any moment (Matérn 1/2)."
    ),
    "periodic": Shape("Repeating", "For movements that repeat after each period (periodic)."),
    "changing": Shape(
        "Repeating, with changes",
        "For movements that repeat a little differently each time, such as steps (periodic + RBF).",
    ),
}
REPEATING = ("periodic", "changing")


def time_kernel_form(dataset: Dataset) -> str | Kernel:
    """Ask for the kernel over time beside a picture of its paths; return a name or a kernel."""
    assert dataset.times is not None  # the model form shows this only for data with times
    times = longest_sequence(dataset.times, dataset.sequences)
    span = float(times.max() - times.min())
    name: str = lasting_radio(
        "Paths over time",
        list(SHAPES),
        format_func=lambda name: SHAPES[name].title,
        captions=[shape.line for shape in SHAPES.values()],
        key="form_time_kernel",
        help=TERMS["time_kernel"],
    )
    if not span > 0:
        st.warning(
            "All rows have the same time, so they cannot form a path. Choose another time column, "
            "or another model.",
            icon=":material/warning:",
        )
        return name
    if name == AUTO:
        return name  # no picture: the paths are not known yet
    kernel = time_kernel_named("periodic" if name in REPEATING else name, span)
    if name in REPEATING:
        kernel = repeating(kernel, period_question(dataset.name, span))
    if name == "changing":
        kernel = with_changes(kernel, span, share_question())
    words = (
        f"Three samples of “{SHAPES[name].title}” over the data's times, "
        f"{in_digits(times.min())} to "
        f"{in_digits(times.max())}"
    )
    uri = "data:image/svg+xml;base64," + base64.b64encode(paths_svg(kernel, times)).decode()
    st.html(
        '<figure style="margin:0">'
        f'<img src="{uri}" alt="{escape(words)}" style="display:block;width:min(100%,30rem)">'
        f'<figcaption class="mf-facts" style="margin-top:.3rem">{escape(words)} (marks)'
        "</figcaption></figure>"
    )
    return kernel if name in REPEATING else name


def period_question(dataset_name: str, span: float) -> float:
    """Ask for the period in the unit of the data's times; warn if it exceeds the data."""
    period = float(
        lasting_number(
            "Period, in the unit of the times",
            min_value=span / 1000,
            value=span / 4,
            step=span / 100,
            format="%.4g",
            key=f"form_period_{dataset_name}",
            help=TERMS["period"],
        )
    )
    if period > span:
        st.warning(
            f"The period of {in_digits(period)} is longer than the time span of the data, "
            f"{in_digits(span)}, so "
            "nothing repeats. Choose a shorter period, or another kind of path.",
            icon=":material/warning:",
        )
    return period


def share_question() -> float:
    """Ask for the share of the changes in the variance of a path that repeats."""
    percent = st.slider(
        "Share of the changes",
        1,
        50,
        10,
        format="%d %%",
        key="form_changes",
        help=TERMS["changes"],
        persist_state="session",
        width=320,
    )
    return percent / 100


def with_changes(kernel: Sum, span: float, share: float) -> Sum:
    """Add an RBF kernel with this share of the variance; training holds the share (Damianou 2015,
    §3.5.1).
    """
    periodic, white = kernel.parts
    smooth, _ = time_kernel_named("rbf", span).parts
    parts = (periodic.scaled(1.0 - share), smooth.scaled(share))
    return Sum.of(*(part.holding("variance") for part in parts), white)


def repeating(kernel: Sum, period: float) -> Sum:
    """Return a periodic kernel plus white noise, with another period."""
    parts = tuple(
        replace(part, period=period) if isinstance(part, Periodic) else part
        for part in kernel.parts
    )
    return replace(kernel, parts=parts)


def weight_option(usual: str | float, mark: str) -> str | float:
    """Ask how much wide rows count beside the prior over time; usual, mark: a found setting."""
    first = usual if isinstance(usual, str) else "full"
    mark = f"_{first}{mark}"
    weight = chosen("Columns that repeat others", "data_weight", COUNTS, usual=first, mark=mark)
    return weight if weight == "auto" else 1.0
