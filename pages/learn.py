"""Learn: a tour of short stops, each with a figure that the visitor changes."""

import streamlit as st

from pages.ui.learn.tour import tour
from pages.ui.shared.lead import lead
from pages.ui.shared.routes import enter_through_app

enter_through_app()
with st.container(key="learn_head"):
    st.title("Learn", anchor=False)
    lead("A tour of short stops. When you change a figure, it is computed again at once.")
tour()
