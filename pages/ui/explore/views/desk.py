"""The visitor's choices in the tab Views, which the session stores per model."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st

from gplvm_core.figures.view_parts import Part
from gplvm_core.models.problems.several import LEAST_DROP, LEAST_WEIGHT
from pages.ui.explore.views.model import Private
from pages.ui.shared.inputs import one_of
from pages.ui.shared.place import MapPlace
from pages.ui.shared.plain import plain

Measure = Literal["drops", "weights"]
How = Literal["chance", "way"]


@dataclass(frozen=True)
class Desk:
    """The visitor's choices in the tab Views.

    measure, threshold, delta: settings of the segmentation. outputs: the views that are drawn.
    row, given, to, count, private: settings of the transfer between views. part, how, draw:
    settings of the variations. trail: the previous and the present chosen point.
    """

    measure: Measure = "drops"
    threshold: float = LEAST_DROP
    delta: float = LEAST_WEIGHT
    groups: int = 4
    outputs: tuple[str, ...] = ()
    row: int = 0
    given: tuple[str, ...] = ()
    to: str = ""
    count: int = 4
    private: Private = "nearest"
    part: str = ""
    how: How = "chance"
    draw: int = 0
    trail: tuple[tuple[float, ...] | None, tuple[float, ...]] | None = None

    def at(self, place: MapPlace) -> "Desk":
        """Return a copy in which the point of this position was chosen last."""
        point = place.point
        if point is None or (self.trail is not None and self.trail[1] == point):
            return self
        return replace(self, trail=(None if self.trail is None else self.trail[1], point))


def desk(name: str) -> Desk:
    """Return the visitor's choices for a model; name: the model's key and version."""
    kept = st.session_state.get(f"views_desk|{name}")
    return kept if isinstance(kept, Desk) else Desk()


def keep(name: str, **changes: Any) -> Desk:
    """Change and return the stored choices."""
    changed = replace(desk(name), **changes)
    st.session_state[f"views_desk|{name}"] = changed
    return changed


def choose(
    words: str,
    options: dict[Any, str],
    current: Any,
    key: str,
    *,
    help: str | None = None,
) -> Any:
    """Show a few options side by side, and return the visitor's choice."""
    shown = {option: plain(title) for option, title in options.items()}
    usual = current if current in options else next(iter(options))
    return one_of(words, shown, key, usual=usual, lasts=False, help=help)


def part_named(parts: tuple[Part, ...], id: str) -> Part:
    """Return the part with this id.

    If this part no longer exists, return the first private part, or else a shared part.
    """
    there = [part for part in parts if part.used and part.dimensions]
    return min(there, key=lambda part: (part.id != id, part.shared), default=parts[0])
