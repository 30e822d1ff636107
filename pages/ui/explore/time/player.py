"""The player of the tab Time and its exports; it shows the answer to the visitor's plan."""

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from gplvm_core.wire.sequence import Cue, Reel
from pages.ui.explore.inference import filling
from pages.ui.explore.time.back_test import forecasts_judged
from pages.ui.explore.time.export import export
from pages.ui.explore.time.model import by_rule, drawn, filled, played, with_gap
from pages.ui.explore.time.own import ask_own
from pages.ui.explore.time.own_screen import show_own
from pages.ui.explore.time.plan import Plan, ask, keep
from pages.ui.explore.time.screen import OnScreen, before, screen
from pages.ui.explore.time.series import series
from pages.ui.shared.catalogue import Item
from pages.ui.shared.density import named
from pages.ui.shared.intervals import FORECAST, GAPS, inside_in_words
from pages.ui.shared.plain import plain

WAITING = {
    "play": "Following the path …",
    "sample": "Inventing a sequence …",
    "fill": "Filling the gap …",
}
LEAD_IN = 5  # known frames that are played before the new frames


@st.fragment
def player(item: Item, name: str) -> None:
    """The choices, the player, and the exports; name: key and version of the model."""
    last = before(name)
    # Separate containers: the player keeps its position on the page and is not rebuilt.
    with st.container():
        plan = ask(item.model, item.dataset, name)
        brought = ask_own(item, name) if plan.task == "own" else None
    if plan.task == "own":
        if brought is not None:
            show_own(item, name, brought)
        return
    with st.container(gap=None):  # without a gap, nothing moves when the spinner disappears
        try:
            with st.spinner(WAITING[plan.task], show_time=True):
                reel = answer(item, name, plan)
        except ValueError as error:
            st.error(plain(error), icon=":material/error:")
            return
        done = plan.task != "fill" or reel.spread is not None
        seen = OnScreen(plan.task, plan.sequence, f"{plan.question}{'' if done else ' open'}")
        screen(item, name, reel, seen, cue_for(seen, reel, last))
    ahead = plan.task == "play" and bool(reel.forecast.any())
    chosen = getattr(item.model, "forecaster_", None)
    if ahead and chosen is not None:
        st.caption(plain(chosen.reason))
    ruled = chosen is not None and by_rule(item.model, plan.sequence) > 0
    asked = {"play": FORECAST if ahead and not ruled else (), "fill": () if reel.note else GAPS}
    sure = inside_in_words(item.model, asked.get(plan.task, ()), new=False)
    for words in filter(None, (reel.note, sure)):
        st.caption(plain(words))
    series(item, name, reel)
    export(item, reel, seen.id)
    if plan.task == "play":
        forecasts_judged(item, name)


def answer(item: Item, name: str, plan: Plan) -> Reel:
    """Return the model's result for the plan; while a gap is filled, the unfilled sequence."""
    model, dataset = item.model, item.dataset
    if plan.task == "play":
        return played(model, named(model, name), dataset, plan.sequence, plan.ahead)
    if plan.task == "sample":
        return drawn(model, name, dataset, plan.sequence, plan.length, plan.draw)
    gap = with_gap(model, dataset, plan.sequence, plan.part, plan.stretch)
    if not plan.asked:
        return gap
    found = filling(
        f"{name}|{plan.question}",
        # The map knows the frames of this sequence, so they do not update it a second time.
        partial(filled, model, dataset, gap, adapt=False),
        partial(keep, name, replace(plan, asked=False)),
    )
    return gap if found is None else found


def cue_for(seen: OnScreen, reel: Reel, before: OnScreen | None) -> Cue:
    """Return where to play from: shortly before the first new frame of a new result.

    The page's first sequence does not play, and neither does a result without new frames.
    """
    if before is None or before == seen:
        return Cue()
    if seen.task == "sample":
        return Cue(float(reel.times[0]), play=True)
    new = np.flatnonzero(reel.forecast if seen.task == "play" else reel.hidden)
    if len(new) == 0:
        return Cue()
    if seen.task == "fill" and reel.spread is None:
        return Cue(float(reel.times[new[len(new) // 2]]))
    if (before.task, before.sequence) != (seen.task, seen.sequence):
        return Cue()
    return Cue(float(reel.times[max(new[0] - LEAD_IN, 0)]), play=True)
