"""Learn: a tour of short stops, each with a figure that the visitor changes."""

import streamlit as st

from gplvm_core.readers.errors import plural
from pages.ui.learn.course import course
from pages.ui.learn.tour import STOPS, tour
from pages.ui.shared.lead import lead
from pages.ui.shared.routes import enter_through_app

enter_through_app()
with st.container(key="learn_head"):
    st.title("Learn", anchor=False)
    stops = plural(len(course(STOPS)), "short stop")
    lead(f"A tour of {stops}. When you change a figure, it is computed again at once.")
tour()
