"""The player as a Streamlit component: a sequence and its latent path, played in the browser.

A whole sequence travels once, as bytes; playing, scrubbing and turning need nothing from here.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.wire.model import Chart
from gplvm_core.wire.sequence import Cue, Reel, pack_reel, pack_stage
from pages.ui.explore.time.export import export
from pages.ui.explore.time.fill import filling
from pages.ui.explore.time.model import drawn, filled, played, with_gap
from pages.ui.explore.time.plan import Plan, Task, ask, keep
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.dimension_names import names_data, space_of
from pages.ui.shared.plain import plain

show_player = component("player", "player/player.html", "player/player.css")
WAITING = {
    "play": "Following the path …",
    "sample": "Drawing a new sequence …",
    "fill": "Filling the gap …",
}
LEAD_IN = 5  # frames that are seen again before what is new


@dataclass(frozen=True)
class OnScreen:
    """What a visitor has on the screen; id: of the reel."""

    task: Task
    sequence: Any
    id: str


def stores(name: str) -> dict[str, str]:
    """Under which names the view finds its bytes."""
    return {part: f"{part}|{name}" for part in ("stage", "reel")}


@st.fragment
def player(item: Item, name: str) -> None:
    """What to see, the player, and what to take home; name: key and version of the model."""
    before = st.session_state.get(f"dynamics_seen|{name}")
    # Containers of their own: the player keeps its place on the page and is not built anew.
    with st.container():
        plan = ask(item.model, item.dataset, name)
    with st.container():
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
    """What the model says to the visitor's question; of a gap that is being filled, the gap."""
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
    """An answer that was just asked for is played from shortly before what is new in it.

    The page's first picture stands still; so does one where nothing new is to be seen.
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
