"""Interactive figures with static pictures of the same numbers.

A new browser needs seconds to load the code of the interactive figures. Until then, the page shows
the static picture.
"""

import base64
from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from gplvm_core.figures.light import line
from gplvm_core.figures.trace import onward, thinned
from gplvm_core.training import Snapshot


def drawn(name: str, figure: go.Figure, picture: Callable[[], str], alt: str) -> None:
    """Show an interactive figure above its static picture, which the style sheet hides later."""
    with st.container(key=f"job_figure_{name}"):
        light(picture(), int(figure.layout.height), alt)
        st.plotly_chart(figure, key=f"job_{name}", config={"displayModeBar": False}, alt=alt)


def light(picture: str, height: int, alt: str) -> None:
    """Show a picture (SVG) of full width."""
    data = base64.b64encode(picture.encode()).decode()
    st.html(
        f'<img class="mf-light" style="height: {height}px" alt="{alt}" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def bound_picture(job: Snapshot) -> str:
    """Draw the bound over the seconds of training."""
    seconds, bound = (job.trace[key] for key in ("seconds", "bound"))
    some = thinned(len(bound))
    return line(onward(seconds)[some], bound[some])
