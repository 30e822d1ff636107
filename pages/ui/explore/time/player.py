"""The player of the tab Time, which shows the answer to the visitor's plan, and its exports."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.wire.model import Chart
from gplvm_core.wire.sequence import Cue, Reel, pack_reel, pack_stage
from pages.ui.explore.inference import filling
from pages.ui.explore.shown_player import show_player, stores
from pages.ui.explore.time.export import export
from pages.ui.explore.time.model import drawn, filled, played, with_gap
from pages.ui.explore.time.plan import Plan, Task, ask, keep
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import hold_bytes, room_for
from pages.ui.shared.dimension_names import names_data, space_of
from pages.ui.shared.plain import plain

WAITING = {
    "play": "Following the path …",
    "sample": "Drawing a new sequence …",
    "fill": "Filling the gap …",
}
LEAD_IN = 5  # known frames that are played before the new frames


@dataclass(frozen=True)
class OnScreen:
    """The state of the player; id: identifies the shown reel."""

    task: Task
    sequence: Any
    id: str


@st.fragment
def player(item: Item, name: str) -> None:
    """Show the choices, the player and the exports; name: the model's key and version."""
    before = st.session_state.get(f"dynamics_seen|{name}")
    # In separate containers, the player keeps its position on the page and is not rebuilt.
    with st.container():
        plan = ask(item.model, item.dataset, name)
    with st.container(gap=None):  # gap=None: nothing moves when the spinner disappears
        try:
            with st.spinner(WAITING[plan.task], show_time=True):
                reel = answer(item, name, plan)
        except ValueError as error:
            st.error(plain(error), icon=":material/error:")
            return
        done = plan.task != "fill" or reel.spread is not None
        seen = OnScreen(plan.task, plan.sequence, f"{plan.question}{'' if done else ' open'}")
        cue = cue_for(seen, reel, before)
        names = names_data(item, space_of(item, 0))
        with room_for("player"):
            show_player(key=f"player|{name}", data={"stores": stores(name), "names": names})
            hold_bytes(key=stores(name)["stage"], data=_stage(item, name))
            key = stores(name)["reel"]
            hold_bytes(key=key, data=pack_reel(reel, item.dataset, key, seen.id, cue))
    st.session_state[f"dynamics_seen|{name}"] = seen
    export(item, reel, seen.id)


def answer(item: Item, name: str, plan: Plan) -> Reel:
    """Return the model's result for the plan; while a gap is filled, the unfilled sequence."""
    model, dataset = item.model, item.dataset
    if plan.task == "play":
        return played(model, name, dataset, plan.sequence, plan.ahead)
    if plan.task == "sample":
        return drawn(model, name, dataset, plan.sequence, plan.length, plan.draw)
    gap = with_gap(model, dataset, plan.sequence, plan.part, plan.stretch)
    if not plan.asked:
        return gap
    found = filling(
        f"{name}|{plan.question}",
        partial(filled, model, dataset, gap),
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


@st.cache_data(max_entries=8, show_spinner=False)
def _stage(_item: Item, name: str) -> bytes:
    return pack_stage(Chart.of_top(_item.model, _item.dataset), stores(name)["stage"])
