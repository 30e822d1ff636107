"""Manifolio: the entry point that Streamlit runs; it only routes."""

from pathlib import Path

import streamlit as st

from pages.ui.routes import route
from pages.ui.style import page_style

st.set_page_config(
    page_title="Manifolio",
    page_icon=str(Path(__file__).parent / "assets" / "icon.png"),
    layout="wide",
    menu_items={
        "About": "**Manifolio** shows what a latent variable model found in your data. "
        "Everything runs on this machine."
    },
)
page = route()
page_style()
page.run()
