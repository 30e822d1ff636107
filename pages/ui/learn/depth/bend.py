"""One layer beside two layers on a curve whose points the visitor adds and removes.

Also here: draws from priors of one to ten layers; the browser computes the draws.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from gplvm_core.lessons.bend import CURVES, LEAST_POINTS, LEFT, MOST_POINTS, RIGHT
from gplvm_core.wire.frame import frame, unframe
from pages.ui.learn.depth.live import Live
from pages.ui.shared.about import about
from pages.ui.shared.component import component, hold_bytes, room_for, sent_by
from pages.ui.shared.link import keep_in_link, whole_number
from pages.ui.shared.plain import plain
from pages.ui.shared.words import TERMS

READY = Path(__file__).resolve().parents[4] / "assets" / "depth"  # what assets/depth/train.py wrote
STORE = "depth_curve"  # name of the bytes in the browser, and session key of the ShownBend
FIGURE = "depth_bend"  # the component's key
PACE = 0.4  # seconds between two updates during the training

show_bend = component("bend", "deep/bend.html", "deep/deep.css")


@dataclass(frozen=True)
class ShownBend:
    """The figure's content: curve, packed result, number of the visitor's last edit, and training.

    points: the visitor's points, until their result is ready. before: the last stopped training,
    which may still be ending.
    """

    curve: str
    packed: bytes
    edit: int = 0
    live: Live | None = None
    message: str | None = None
    points: list[list[float]] | None = None
    before: Live | None = None


@st.cache_data(show_spinner=False)
def ready(curve: str) -> bytes:
    """Read the shipped result for the curve's default points; assets/depth/train.py wrote it."""
    return (READY / f"{curve}.bin").read_bytes()


def of_edit(packed: bytes, edit: int) -> bytes:
    """Return the result with the number of the edit that it answers."""
    header, arrays = unframe(packed)
    header.pop("arrays")
    return frame(header | {"name": STORE, "edit": edit}, arrays)


def bend() -> None:
    """Show the figure, and update it while a training runs."""
    live = shown().live
    st.fragment(_figure, run_every=PACE if live is not None else None)(live is not None)
    about(
        "**The curves.** The thick line is the mean, and the shaded band holds 95 % of new "
        "points. Thin moving lines are possible functions; the dashed line is the truth.",
        f"**Evidence bound.** {TERMS['bound']} The bound of two layers is less tight, so a "
        "slightly higher bound of one layer means little.",
        "**Unseen points.** The mean log density of 200 points of the curve that the model never "
        "saw. Higher is better; a model that is certain and wrong scores lowest.",
        "**Where one layer is enough.** Two layers are rarely worse than one, because one of "
        "their trainings starts with a hidden layer that copies the inputs. Points far off the "
        "curve can mislead both models.",
    )


def shown() -> ShownBend:
    if STORE not in st.session_state:
        wanted = st.query_params.get("curve")
        curve = wanted if wanted in CURVES else next(iter(CURVES))
        if wanted is not None and wanted not in CURVES:
            st.warning(
                f"There is no curve “{plain(wanted)}”. The figure shows {CURVES[curve].title}."
            )
        st.session_state[STORE] = ShownBend(curve, of_edit(ready(curve), 0))
    stored = st.session_state[STORE]
    assert isinstance(stored, ShownBend)
    return stored


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
    # The message is below the figure, so that the figure does not move.
    if now.message:
        st.warning(now.message, icon=":material/info:")
    keep_in_link(curve=now.curve)
    if (now.live is not None) != watching:
        st.rerun()


def settled(now: ShownBend) -> ShownBend:
    """Return the state with the result of a training that has ended."""
    live = now.live
    if live is None or live.working:
        return now
    if live.packed is not None:
        return replace(now, packed=of_edit(live.packed, live.edit), live=None, points=None)
    return replace(now, live=None, message=live.error)


def take_act() -> None:
    """Apply the visitor's action on the figure; Streamlit calls this before the rerun."""
    act = sent_by(FIGURE, "act")
    if isinstance(act, dict):
        st.session_state[STORE] = after(shown(), act)


def after(now: ShownBend, act: dict[str, Any]) -> ShownBend:
    """Apply an action: another curve, other points, or stop. Invalid points give a message."""
    if now.live is not None:
        now.live.stop()
    before = now.live or now.before
    edit = act.get("edit")
    edit = edit if isinstance(edit, int) else now.edit
    now = replace(now, live=None, before=before, message=None, edit=edit)
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
        needed = f"The models need {LEAST_POINTS} to {MOST_POINTS} points."
        return replace(now, message=f"{needed} There are {len(x)} points now.")
    return replace(now, live=Live(now.curve, x, y, now.edit, before).start())


MOST_LAYERS, FIRST_DEPTH, FIRST_DRAW = 10, 6, 3

show_prior = component("prior", "deep/prior.html", "deep/deep.css")


def prior() -> None:
    """Show the figure with the settings from the link."""
    query = st.query_params
    with room_for("prior"):
        show_prior(
            key="depth_prior",
            data={
                "depth": whole(query.get("depth"), FIRST_DEPTH, 1, MOST_LAYERS),
                "draw": whole(query.get("draw"), FIRST_DRAW, 0, 10**6),
                "sees": query.get("sees") == "1",
            },
        )
    about(
        "Every layer is a random function, applied to the output of the layer before it; grey "
        "lines show the layers before the last. The slope of the result is the product of the "
        "layers' slopes. A product of ten slopes is mostly near zero and sometimes huge, which "
        "gives plateaus and steps. This is why trained deep models switch layers off.",
        "If every layer also receives the input, no information is lost.",
    )


def whole(text: str | None, usual: int, least: int, most: int) -> int:
    """Return a number from the link, clipped to its range; the default if there is none."""
    number = whole_number(text)
    return usual if number is None else min(max(number, least), most)
