"""One layer beside two on a curve whose points the visitor adds and takes away."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.lessons.bend import CURVES, LEAST_POINTS, LEFT, MOST_POINTS, RIGHT
from gplvm_core.wire.frame import frame, unframe
from pages.ui.learn.depth.live import Live
from pages.ui.shared.about import about
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.link import keep_in_link
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS

READY = Path(__file__).resolve().parents[4] / "assets" / "depth"
STORE = "depth_curve"  # of the bytes; and the session key of what is shown
FIGURE = "depth_bend"  # the component's key
PACE = 0.4  # seconds between two looks at the training

show_bend = component("bend", "deep/bend.html", "deep/deep.css")


@dataclass(frozen=True)
class ShownBend:
    """What the figure shows: a curve, the result, the visitor's last edit, what is in training.

    points: the visitor's, while the result is not yet theirs. before: the training that was stopped
    last, which may not have ended yet.
    """

    curve: str
    packed: bytes
    edit: int = 0
    live: Live | None = None
    told: str | None = None
    points: list[list[float]] | None = None
    before: Live | None = None


@st.cache_data(show_spinner=False)
def ready(curve: str) -> bytes:
    """The result on the curve's own points, trained beforehand (assets/depth/train.py)."""
    return (READY / f"{curve}.bin").read_bytes()


def of_edit(packed: bytes, edit: int) -> bytes:
    """A stored result as the answer to an edit."""
    header, arrays = unframe(packed)
    header.pop("arrays")
    return frame(header | {"name": STORE, "edit": edit}, arrays)


def bend() -> None:
    """The figure; it looks after its training while there is any."""
    live = shown().live
    st.fragment(_figure, run_every=PACE if live is not None else None)(live is not None)
    honest()
    about(
        "**The curves.** Thick: the mean. Shaded: where 95 % of new points should fall. Thin: "
        "functions that the model holds possible, which wander. Dashed: the truth.",
        f"**Evidence bound.** {TERMS['bound']} That of two layers lies further below what it "
        "bounds, so a small difference in favour of one layer says little.",
        "**Unseen points.** The logarithm of the density that a model gives to 200 points of the "
        "curve that it was not shown, a point on average. Higher is better; a model that is sure "
        "and wrong loses most.",
        "**Where one layer is enough.** Two layers are trained from several starts, one of which "
        "hands the inputs on as they are; the best bound is kept. So two are mostly no worse than "
        "one, but points far off the curve can mislead either.",
    )


def honest() -> None:
    """That these curves were chosen, and where to ask about other data."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            "Depth does not always help: step and chirp were chosen because it does there.",
            width="content",
        )
        if st.button(
            "Is depth worth it on real data?",
            key="depth_worth_where",
            type="tertiary",
            icon=":material/balance:",
            help="Compare judges layers beside simpler models, by rows that were kept aside.",
        ):
            st.switch_page("pages/compare.py")


def shown() -> ShownBend:
    if STORE not in st.session_state:
        asked = st.query_params.get("curve")
        curve = asked if asked in CURVES else next(iter(CURVES))
        if asked is not None and asked not in CURVES:
            st.warning(f"There is no curve “{plain(asked)}” here; this is {CURVES[curve].title}.")
        st.session_state[STORE] = ShownBend(curve, of_edit(ready(curve), 0))
    kept = st.session_state[STORE]
    assert isinstance(kept, ShownBend)
    return kept


def _figure(watching: bool) -> None:
    now = settled(shown())
    st.session_state[STORE] = now
    with room_for("bend"):
        show_bend(
            key=FIGURE,
            data={
                "store": STORE,
                "curve": now.curve,
                "curves": [
                    {"name": name, "title": curve.title, "words": curve.words}
                    for name, curve in CURVES.items()
                ],
                "edit": now.edit,
                "points": now.points,
                "busy": None if now.live is None else now.live.in_words(),
            },
            on_act_change=take_act,
        )
        hold_bytes(key="depth_bend_bytes", data=now.packed)
    # Below the figure, which then stays where it is.
    if now.told:
        st.warning(now.told, icon=":material/info:")
    keep_in_link(curve=now.curve)
    if (now.live is not None) != watching:
        st.rerun()


def settled(now: ShownBend) -> ShownBend:
    """With the result of a training that has ended."""
    live = now.live
    if live is None or live.working:
        return now
    if live.packed is not None:
        return replace(now, packed=of_edit(live.packed, live.edit), live=None, points=None)
    return replace(now, live=None, told=live.error)


def take_act() -> None:
    """Before the rerun: what the visitor did to the figure."""
    act: Any = st.session_state[FIGURE].get("act")
    if isinstance(act, dict):
        st.session_state[STORE] = after(shown(), act)


def after(now: ShownBend, act: dict[str, Any]) -> ShownBend:
    """Another curve, other points, or no more training; what cannot be is told."""
    if now.live is not None:
        now.live.stop()
    before = now.live or now.before
    edit = act.get("edit")
    edit = edit if isinstance(edit, int) else now.edit
    now = replace(now, live=None, before=before, told=None, edit=edit)
    curve = act.get("curve")
    if curve in CURVES:
        return replace(now, curve=curve, packed=of_edit(ready(curve), now.edit), points=None)
    points = act.get("points")
    if not isinstance(points, list):
        return now
    try:
        x, y = np.array(points, dtype=float).reshape(-1, 2).T
    except (ValueError, TypeError):
        return now
    if not (np.isfinite(y).all() and np.all((x >= LEFT) & (x <= RIGHT))):
        return now
    now = replace(now, points=np.column_stack([x, y]).tolist())
    if not LEAST_POINTS <= len(x) <= MOST_POINTS:
        told = f"The models need {LEAST_POINTS} to {MOST_POINTS} points; there are {len(x)} now."
        return replace(now, told=told)
    return replace(now, live=Live(now.curve, x, y, now.edit, before).start())
