"""Figures with a static picture of the same numbers.

The code of the interactive figures takes seconds to load in a new browser. Until then the static
picture is shown.
"""

import base64
from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from gplvm_core.figures.light import line
from gplvm_core.figures.trace import onward, thinned
from gplvm_core.training import Snapshot


def drawn(name: str, figure: go.Figure, picture: Callable[[], str], alt: str) -> None:
    """An interactive figure above its static picture, which the stylesheet hides later."""
    with st.container(key=f"job_figure_{name}"):
        light(picture(), int(figure.layout.height), alt)
        st.plotly_chart(figure, key=f"job_{name}", config={"displayModeBar": False}, alt=alt)


def light(picture: str, height: int, alt: str) -> None:
    """A picture (SVG) of full width."""
    data = base64.b64encode(picture.encode()).decode()
    st.html(
        f'<img class="mf-light" style="height: {height}px" alt="{alt}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def bound_picture(job: Snapshot) -> str:
    """The bound over seconds."""
    seconds, bound = (job.trace[key] for key in ("seconds", "bound"))
    some = thinned(len(bound))
    return line(onward(seconds)[some], bound[some])
