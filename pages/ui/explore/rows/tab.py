"""The tab New rows: the rows' places on the map, values for their gaps, and odd rows."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st

from gplvm_core.readers.errors import plural, told
from gplvm_core.readers.new_rows import MOST_MEGABYTES, MOST_ROWS, NewRows
from gplvm_core.training import comparison_of
from pages.ui.explore.ask_rows import asked_rows
from pages.ui.explore.bring import CHOSEN
from pages.ui.explore.head import turn_to
from pages.ui.explore.rows.all_rows import all_uploaded, ask_disk
from pages.ui.explore.rows.canvas import rows_canvas
from pages.ui.explore.rows.export import export
from pages.ui.explore.rows.files import example
from pages.ui.explore.rows.stay import stay
from pages.ui.explore.rows.work import Work, begin, key_of, prepared, step, work_on
from pages.ui.shared.about import about
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import can_learn
from pages.ui.shared.doors import FILL
from pages.ui.shared.plain import plain
from pages.ui.shared.running import running
from pages.ui.shared.second_stage import following
from pages.ui.shared.words import TERMS


def new_rows(item: Item, name: str) -> None:
    """Show the tab for one model."""
    with st.container():  # the map below keeps its place in the page, so it is drawn only once
        own = asked_rows(item, name, example, from_disk=partial(ask_disk, item, name))
    many = own is not None and len(own.values) > MOST_ROWS
    answered(item, name, own.some(np.arange(MOST_ROWS)) if own is not None and many else own)
    if own is not None and many:
        all_uploaded(item, name, own)
    about(
        "**What happens.** The model looks for the place on its map that explains each row, and "
        "fills the gaps from this place. It then compares the row with its training rows. The "
        "training rows do not move.",
        "**Diamonds** are new rows; an orange diamond is an odd row. The ellipse is two standard "
        "deviations of the row's position. A diamond at the edge is beyond the visible map.",
        "**How typical.** Each training row is scored by a model that was trained without this "
        "row. *p* is the share of training rows that were at least as odd as the new row. With "
        "the limit p ≤ 0.01, ten of 1,000 ordinary rows are called odd by chance; with fewer than "
        "300 training rows, the limit is 0.05 unless you choose another. p does not say "
        "what is wrong. Rows with words or counts are compared with at most 200 training rows. "
        "An unlikely word makes a row odd, in tables with up to eight columns of words. "
        "If known factors were taken out, at most 200 training rows are compared, "
        "each at its own value of the factors.",
        "**Why.** Each column is compared with what the row's other columns predict. The most "
        "surprising columns are removed one by one, until the rest of the row is ordinary. If "
        "three columns are not enough, the row is odd as a whole.",
        "**Unlike all**: the row is odder than every training row. Do not rely on such a row's "
        "place and filled values.",
        f"**Larger tables.** The map shows up to {MOST_ROWS:,} rows of a file of up to "
        f"{MOST_MEGABYTES} MB; *Answer all rows* writes the answers about all of them to a file. "
        "On your own machine, *A file of this machine* does the same for a file of any size.",
        f"**The map.** {TERMS['latent']}",
        title="About new rows",
    )


@st.fragment
def answered(item: Item, name: str, own: NewRows | None) -> None:
    """Show the map and the answers so far, and compute the next step.

    The map is there before the visitor brings rows. The first rows are computed before it is drawn
    again, all others after it.
    """
    place = st.empty()  # one place for all progress: a second one would stay until the page is done
    work = None if own is None else work_on(name, own)
    if own is not None and work is not None and work.answers() is None and not work.halted:
        _step(item, name, own, work, place.progress(0.0, "Placing rows …").progress)
    found = None if work is None else work.answers()
    wanted = None
    try:
        wanted = rows_canvas(item, name, own, found)
    except ValueError as error:  # the browser cannot draw the kernel
        st.info(plain(error))
    if own is None or work is None:
        return
    if found is not None:
        if work.halted or len(found.places) == len(own.values):  # a file lacks no row in silence
            export(item, name, own, found)
        stay(item, name, own, found)
    if wanted is not None:
        st.session_state[CHOSEN] = (name, wanted)
        turn_to(item.key, FILL.tab)
        st.rerun()
    with place.container():
        if work.stopped:
            _stopped(work, len(own.values))
        elif work.problem:
            st.error(plain(work.problem), icon=":material/error:")
        elif not _working(item, name, own, work):
            _compare(item, name, own)


def _stopped(work: Work, count: int) -> None:
    """Show how many rows are answered, and the button that continues."""

    def go_on() -> None:
        work.stopped = False

    done = max(work.done(False), work.done(True))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"Stopped after {done:,} of {plural(count, 'row')}.", width="content")
        st.button("Continue", icon=":material/play_arrow:", on_click=go_on)


def _working(item: Item, name: str, own: NewRows, work: Work) -> bool:
    """Compute one step; return whether there was anything to do."""
    model = prepared(item, name)
    if work.done(model is not None) >= len(own.values):
        return False

    def stop() -> None:
        work.stopped = True

    with st.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, "Placing rows …", width="stretch")
        st.button("Stop", icon=":material/stop:", on_click=stop)
    _step(item, name, own, work, bar.progress)
    st.rerun()
    return True


def _step(
    item: Item, name: str, own: NewRows, work: Work, say: Callable[[float, str], object]
) -> None:
    """Compute one step; note why it failed."""
    try:
        step(item, name, own, work, say)
    except ValueError as error:
        work.problem = told(error)


def _compare(item: Item, name: str, own: NewRows) -> None:
    """Offer the comparison with training rows, or show its progress; it runs once for a model."""
    if prepared(item, name) is not None:
        return
    if not can_learn(item.model):
        st.caption(
            "This model cannot judge how typical many rows are. Places and filled values are "
            "below; their intervals are not calibrated, and may be too narrow. The tab *Fill in* "
            "compares a single row."
        )
        return
    if following(item):
        st.caption("How typical the rows are is shown when the training has learnt it.")
        return
    key = key_of(name)
    run = comparison_of(key)
    if run is None:
        begin(item, name)
    if running(key, "new_rows", "Keeps the places and filled values; you can compare later."):
        return
    run = comparison_of(key)
    if run is None or run.result is not None:
        st.rerun()
    ended = run.ending or run.problem == "StopIteration"
    with st.container(horizontal=True, vertical_alignment="center"):
        words = "Not compared with the training rows yet." if ended else plain(run.problem)
        st.markdown(f":material/balance: {words}", width="content")
        st.button(
            "Compare",
            icon=":material/balance:",
            on_click=begin,
            args=(item, name),
            help="Measures how odd the training rows are, once for this model.",
        )
