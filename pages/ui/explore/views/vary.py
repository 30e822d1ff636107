"""Variations of the chosen point: some dimensions are fixed; others are random or on a path."""

import streamlit as st

from gplvm_core.figures.view_parts import Part
from gplvm_core.wire.views import WHOLE, ViewRows
from pages.ui.explore.views.desk import Desk, How, choose, desk, keep, part_named
from pages.ui.explore.views.model import on_the_way, varied
from pages.ui.explore.views.strip import Pictures, Tile
from pages.ui.shared.catalogue import Item
from pages.ui.shared.outputs import MOST_OUTPUTS, draws_whole, generated, rows_of_views
from pages.ui.shared.plain import plain

COUNT = 6
HOWS: dict[How, str] = {"chance": "By chance", "way": "From the previous place"}


def variations(item: Item, name: str, parts: tuple[Part, ...], point: tuple[float, ...]) -> None:
    """Show the controls, and one column of pictures per variation."""
    offered = {part.id: part.title for part in parts if part.used and part.dimensions}
    if not offered:
        return
    st.header(
        "Vary one part",
        anchor=False,
        help="The dimensions of one part change; all others are fixed at the ring on the map. "
        "Private dimensions change only one view, shared dimensions change several.",
    )
    kept = desk(name)
    with st.container(horizontal=True, vertical_alignment="bottom", key="views_vary"):
        part_id = choose(
            "Vary", offered, part_named(parts, kept.part).id, f"views_part|{name}|{tuple(offered)}"
        )
        how = choose("How", HOWS, kept.how, f"views_how|{name}")
        if how == "chance" and st.button(
            "Others", icon=":material/casino:", key=f"views_draw|{name}"
        ):
            kept = keep(name, draw=kept.draw + 1)
    kept = keep(name, part=part_id, how=how)
    part = part_named(parts, kept.part)
    if how == "way" and (kept.trail is None or kept.trail[0] is None):
        st.info(
            "Click a second place on the map. The path leads from the first place to the second."
        )
        return
    shown_views = drawn_views(item, part)
    show(item, name, kept, part, point, shown_views)
    numbers = ", ".join(str(q + 1) for q in sorted(part.dimensions))
    which = "dimension" if len(part.dimensions) == 1 else "dimensions"
    said = (
        "drawn at random from all training points; everything else is fixed."
        if how == "chance"
        else (
            "on the path from the previous place to the ring; all other dimensions are fixed at "
            "the ring."
        )
    )
    st.caption(f"“{plain(part.title)}” ({which} {numbers}), {said}")


def drawn_views(item: Item, part: Part) -> tuple[str, ...]:
    """Return the views to draw: all if they are few, else the part's own views come first."""
    if len(item.views) <= MOST_OUTPUTS:
        return item.views
    if draws_whole(item.dataset):
        return (WHOLE,)
    return (*part.views, *(view for view in item.views if view not in part.views))[:MOST_OUTPUTS]


def show(
    item: Item,
    name: str,
    kept: Desk,
    part: Part,
    point: tuple[float, ...],
    views: tuple[str, ...],
) -> None:
    """Show the pictures: one line per view, one column per variation."""
    rows: dict[str, ViewRows] = rows_of_views(item.dataset)
    if kept.how == "chance":
        points = varied(item.model, name, point, part.dimensions, COUNT, kept.draw)
        words = [""] * COUNT
    else:
        assert kept.trail is not None and kept.trail[0] is not None  # checked by the caller
        before = kept.trail[0][: len(point)]
        points = on_the_way(before, point, part.dimensions, COUNT)
        words = ["start", *[""] * (COUNT - 2), "ring"]
    outputs = generated(item.model, item.dataset, points)
    columns = [
        [Tile(view, outputs[view][number], words[number]) for view in views]
        for number in range(COUNT)
    ]
    st.html(Pictures({view: rows[view] for view in views}).table(columns, views))
