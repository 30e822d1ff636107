"""The app's entry point: Streamlit imports it once as a server, and runs it for every visit."""

from pathlib import Path

import scipy.linalg  # noqa: F401 (scipy loads its own BLAS; `one_thread_a_product` limits it)
import streamlit as st
from threadpoolctl import threadpool_limits

from pages.ui.serving.sign_in import ask_to_sign_in
from pages.ui.serving.start import before_streamlit, few_arenas
from pages.ui.shared.ahead import prepare
from pages.ui.shared.asked import open_asked
from pages.ui.shared.component import begin_at_top, remember_folds
from pages.ui.shared.first_screen import first_screen
from pages.ui.shared.last import recall
from pages.ui.shared.parcels import parcels
from pages.ui.shared.routes import PAGES, bottom_bar, route
from pages.ui.shared.trouble import start_log, tell

CONTENT_WIDTH = 1360  # pixels


@st.cache_resource(show_spinner=False)
def one_thread_a_product() -> None:
    """Limit BLAS to one thread: the core runs its own threads, and more threads would be slower."""
    threadpool_limits(limits=1, user_api="blas")


def visit() -> None:
    """Configure Streamlit, and run the page that the address names."""
    st.set_page_config(
        page_title="Manifolio",
        page_icon=str(Path(__file__).parent / "assets" / "icon.png"),
        layout="wide",
        menu_items={
            "About": "**Manifolio** shows what a latent variable model found in your data. "
            "Everything runs on this machine."
        },
    )
    ask_to_sign_in()
    one_thread_a_product()
    page = route()
    if page.title == PAGES[0][1]:
        open_asked()
    with st.container(horizontal_alignment="center"), st.container(width=CONTENT_WIDTH):
        recall()
        page.run()
    bottom_bar(page.title)
    begin_at_top(key="room_top", data={"kind": "room", "of": page.title})
    remember_folds(key="folds")


if __name__ == "__main__":  # once for every visit
    visit()
elif __name__ == "app":  # once, when the server starts
    few_arenas()
    start_log()
    prepare()
    app = st.App(
        __file__,
        middleware=before_streamlit(first_screen),
        routes=[parcels.route()],
        on_script_error=tell,
    )
