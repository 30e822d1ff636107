"""The first screen: the name, one sentence, and a live map of a ready model."""

from urllib.parse import quote

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.palette import COLOURS
from gplvm_core.figures.thumbnails import common_frame, picture_uri, row_picture
from gplvm_core.wire.model import Chart
from pages.ui.shared.catalogue import Item, gallery_items, open_item
from pages.ui.shared.component import component, hold_bytes, room_for
from pages.ui.shared.doors import MAP
from pages.ui.shared.kept import kept
from pages.ui.shared.lead import lead
from pages.ui.shared.packed import packed_map

SHOWN = "gallery:people"
SIZE = 416  # pixels of the first picture
MARGIN = 0.2  # of the data's range, around them, as the map in the browser has it

show_hero = component("hero", "hero/hero.html", "hero/hero.css")


def hero() -> None:
    """Show the name and the sentence, and the map where there is that model."""
    key = SHOWN if SHOWN in {each.key for each in gallery_items()} else None
    with st.container(horizontal=True, vertical_alignment="bottom", key="hero_head"):
        with st.container(gap="xxsmall"):
            st.title("Manifolio", anchor=False)
            lead("Walk through what a model imagines: every place on the map is a face."
                 if key else "Walk through what a model imagines.")  # fmt: skip
        if key and st.button("Explore this map", type="primary", key="hero_open", icon=MAP.icon):
            MAP.open(key)
    if key is not None:
        _live(key)


def _live(key: str) -> None:
    """The map, which answers the pointer in the browser."""
    try:
        item = open_item(key)
    except (ValueError, OSError):  # which its card below says
        return
    name = f"{key}|{item.version}"
    first_map, picture = first_pictures(key, item.version)
    with room_for("hero"):
        show_hero(
            key=f"hero|{name}",
            data={"store": name, "map": first_map, "picture": picture},
        )
        hold_bytes(key=f"bytes|{name}", data=packed_map(Chart.of(item.model, item.dataset), name))


@kept(2)
def first_pictures(key: str, version: str) -> tuple[str, str]:
    """The map and its first row as images, to see before the model is in the browser."""
    item = open_item(key)
    chart = Chart.of(item.model, item.dataset)
    row = item.dataset.values[chart.middle]
    frame = common_frame(item.dataset.drawing, item.dataset.values)
    picture = picture_uri(row_picture(item.dataset.drawing, row, frame, SIZE))
    return dots(item, chart), picture


def dots(item: Item, chart: Chart) -> str:
    """The rows as dots in their labels' colours, where the map will draw them at any size."""
    places = unit_square(np.asarray(chart.latent_mean)[:, list(chart.pair)])
    marks = "".join(
        f'<path stroke="{colour}" d="{"".join(f"M{x:.1f} {y:.1f}h0" for x, y in places[rows])}"/>'
        for colour, rows in by_label(item.dataset)
    )
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 1000" '
        'preserveAspectRatio="none" stroke-width="7" stroke-linecap="round">'
        f"<style>path{{vector-effect:non-scaling-stroke}}</style>{marks}</svg>"
    )
    return f"data:image/svg+xml,{quote(svg)}"


def unit_square(points: Array) -> Array:
    """Places (N, 2) on a square of 1000, the second axis upwards."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-6) * (1 + MARGIN)
    share = (points - (low + high) / 2) / (2 * half) + 0.5
    return 1000 * np.column_stack([share[:, 0], 1.0 - share[:, 1]])


def by_label(dataset: Dataset) -> list[tuple[str, Array]]:
    """A colour and the rows that have it."""
    if dataset.labels is None:
        return [(COLOURS[0], np.arange(dataset.n_points))]
    names = list(dict.fromkeys(dataset.labels.tolist()))
    return [
        (COLOURS[place % len(COLOURS)], np.flatnonzero(dataset.labels == name))
        for place, name in enumerate(names)
    ]
