"""Manifolio: the entry point that Streamlit runs; it only sets the stage and routes."""

from pathlib import Path

import scipy.linalg  # noqa: F401 (brings a BLAS of its own, which is told below)
import streamlit as st
from threadpoolctl import threadpool_limits

from pages.ui.shared.routes import route
from pages.ui.shared.style import page_style

st.set_page_config(
    page_title="Manifolio",
    page_icon=str(Path(__file__).parent / "assets" / "icon.png"),
    layout="wide",
    menu_items={
        "About": "**Manifolio** shows what a latent variable model found in your data. "
        "Everything runs on this machine."
    },
)


@st.cache_resource(show_spinner=False)
def one_thread_a_product() -> None:
    """The core has threads of its own; those of BLAS beside them make thin products crawl."""
    threadpool_limits(limits=1, user_api="blas")


one_thread_a_product()
page = route()
page_style()
page.run()
