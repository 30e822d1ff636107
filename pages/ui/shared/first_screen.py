"""The first screen, before a page's scripts run: the map of a ready model and one output.

The server writes both into the page's HTML as images. The page's first drawing replaces the images
in the same position.
"""

import os
from html import escape
from urllib.parse import parse_qs, quote

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.palette import COLOURS, label_colour
from gplvm_core.figures.thumbnails import common_frame, picture_uri, row_picture, table_card
from gplvm_core.prediction import predict
from gplvm_core.wire.model import Chart
from pages.ui.shared.asked import ASKED
from pages.ui.shared.catalogue import Item, Listed, open_item
from pages.ui.shared.kept import kept
from pages.ui.shared.words import classes_of

HERO = "gallery:people"
OWN = "With a table of your own: fill gaps, find odd rows, predict a column, or continue a series."
SENTENCE = f"Walk through what a model imagines: every place on the map is a face. {OWN}"
SIZE = 416  # pixels of the first picture
MARGIN = 0.2  # margin around the data, relative to their range, as in the browser's map

_drawn: dict[str, str] = {}  # first screens of Explore by the model's key; "" is the Gallery's


def draw_ahead(listed: Listed) -> None:
    """Draw and store the first screen of a ready model with one map."""
    can = listed.entry.capabilities
    if can.views or can.layers or listed.entry.n_latent < 2:
        return
    version = open_item(listed.key).version
    images = first_pictures(listed.key, version)
    body = open_item(listed.key).dataset.drawing.kind == "skeleton"
    room = "explore mf-first-body" if body else "explore"
    _drawn[listed.key] = _screen(room, listed.entry.title, "", images)
    if listed.key == HERO:
        _drawn[""] = _screen("gallery", "Manifolio", SENTENCE, images)


def first_screen(path: str, query: str) -> str:
    """Return HTML of the first screen at an address; "" if the screen does not exist yet."""
    asked = parse_qs(query)
    if path.strip("/") == "explore" and asked.keys() == {"model"}:
        return _drawn.get(asked["model"][-1] or "none", "")
    gallery = path.strip("/") == "" and not asked and not os.environ.get(ASKED)
    return _drawn.get("", "") if gallery else ""


def _screen(room: str, title: str, sentence: str, images: tuple[str, str]) -> str:
    """Return HTML of the text and the images, in the positions of the page's content."""
    places, picture = images
    words = f"<p>{escape(sentence)}</p>" if sentence else ""
    return (
        f'<div id="mf-first" class="mf-first-{room}" aria-hidden="true"><div>'
        f"<b>{escape(title)}</b>{words}"
        f'<i style="background-image:url(&quot;{places}&quot;)"></i>'
        f'<i style="background-image:url(&quot;{picture}&quot;)"></i></div></div>'
    )


@kept(12)
def first_pictures(key: str, version: str) -> tuple[str, str]:
    """Draw the map and the output at its first point; they are shown until the model arrives."""
    item = open_item(key)
    chart = Chart.of(item.model, item.dataset)
    data = item.dataset
    if data.columns:
        card = table_card(data.columns, data.values, data.values[chart.middle], SIZE)
        return dots(item, chart), picture_uri(card)
    row = predict(chart.posterior, chart.latent_mean[[chart.middle]])[0][0]
    frame = common_frame(data.drawing, data.values)
    picture = picture_uri(row_picture(data.drawing, row, frame, SIZE))
    return dots(item, chart), picture


def dots(item: Item, chart: Chart) -> str:
    """Draw the rows as dots in the colours of their labels; the image fits a map of any size."""
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
    """Scale points to places (N, 2) in a square of side 1000; the second axis points upwards."""
    low, high = points.min(axis=0), points.max(axis=0)
    half = np.maximum((high - low) / 2, 1e-6) * (1 + MARGIN)
    share = (points - (low + high) / 2) / (2 * half) + 0.5
    return 1000 * np.column_stack([share[:, 0], 1.0 - share[:, 1]])


def by_label(dataset: Dataset) -> list[tuple[str, Array]]:
    """Return pairs of a colour and the rows that have this colour."""
    labels, _ = classes_of(dataset)
    if labels is None:
        return [(COLOURS[0], np.arange(dataset.n_points))]
    return [
        (label_colour(label), np.flatnonzero(labels == label))
        for label in np.unique(labels).tolist()
    ]
