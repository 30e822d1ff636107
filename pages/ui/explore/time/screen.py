"""The player on the page, and what it showed last."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from gplvm_core.wire.model import Chart
from gplvm_core.wire.sequence import Cue, Reel, pack_reel, pack_stage
from pages.ui.explore.shown_player import show_player, stores
from pages.ui.explore.time.plan import Task
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import hold_bytes, room_for
from pages.ui.shared.dimension_names import names_data, space_of


@dataclass(frozen=True)
class OnScreen:
    """The state of the player; id: the id of the reel."""

    task: Task
    sequence: Any
    id: str


def before(name: str) -> OnScreen | None:
    """Return the player's last state, None before the first sequence."""
    seen = st.session_state.get(f"dynamics_seen|{name}")
    return seen if isinstance(seen, OnScreen) else None


def screen(item: Item, name: str, reel: Reel, seen: OnScreen, cue: Cue) -> None:
    """Show a sequence in the player."""
    names = names_data(item, space_of(item, 0))
    with room_for("player"):
        show_player(key=f"player|{name}", data={"stores": stores(name), "names": names})
        hold_bytes(key=stores(name)["stage"], data=_stage(item, name))
        key = stores(name)["reel"]
        hold_bytes(key=key, data=pack_reel(reel, item.dataset, key, seen.id, cue))
    st.session_state[f"dynamics_seen|{name}"] = seen


@st.cache_data(max_entries=8, show_spinner=False)
def _stage(_item: Item, name: str) -> bytes:
    return pack_stage(Chart.of_top(_item.model, _item.dataset), stores(name)["stage"])
