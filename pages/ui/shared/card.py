"""A model's card: its latent map, a point that moves on the map, and the outputs at the point."""

from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy import ndarray as Array
from PIL import Image

from gplvm_core.comparison.one_column import predicted_by, task_of
from gplvm_core.datasets import Dataset
from gplvm_core.figures.light import dots
from gplvm_core.figures.thumbnails import (
    beside,
    common_frame,
    map_picture,
    picture_uri,
    reel,
    row_picture,
    table_card,
    unit_positions,
)
from gplvm_core.readers.bodies.parts import whole_body
from gplvm_core.readers.errors import plural
from gplvm_core.wire.model import shown_pair
from gplvm_core.wire.views import ViewRows
from pages.ui.shared.catalogue import Item, Listed, at_level, calibration, open_item
from pages.ui.shared.kept import kept
from pages.ui.shared.outputs import first_outputs, generated, rows_of_views
from pages.ui.shared.plain import plain
from pages.ui.shared.words import OWN_NOISE, classes_of, percent, rows_in_words, to_fill_in_words

FRAMES = 40
ANCHORS = 7
LOOP_SECONDS = 5
SIZE, SMALL = 150, 110  # pixels: the width of a single picture, and of each of several pictures


@dataclass(frozen=True)
class ModelCard:
    """The content of a model's card: HTML, the number of dimensions in use, further facts."""

    html: str
    effective: int
    facts: tuple[str, ...] = ()


def card_of(listed: Listed, *, film: bool = True) -> ModelCard:
    """Return the card of a model, cached per stored file; film=False: without motion."""
    entry = listed.entry
    return made_card(listed.key, f"{entry.title}|{entry.created}|{entry.bytes}", film)


@kept(64)
def made_card(key: str, version: str, film: bool) -> ModelCard:
    """Draw the card; `version` identifies the file's content in the cache."""
    item = at_level(open_item(key))
    if item.dataset.task is not None:
        return regression_card(item)
    html = moving_picture(item) if film else still_picture(item)
    own = OWN_NOISE if item.own_noise else None
    to_fill = to_fill_in_words(item.model, item.dataset)
    facts = (own, rows_in_words(item.model), to_fill, calibration(key))
    return ModelCard(html, int(item.model.n_effective_), tuple(filter(None, facts)))


def regression_card(item: Item) -> ModelCard:
    """Plot the predictions for held-out rows against their true values."""
    _, _, held = task_of(item.dataset)
    found, task = predicted_by(item.model, held), item.dataset.task
    assert task is not None
    drawn = quote(dots(np.column_stack([found.truth, found.mean])))
    html = (
        f'<div class="mf-picture"><div class="mf-panel"><img src="data:image/svg+xml,{drawn}" '
        f'alt="Predictions of {escape(task.target)} against the true values, for held-out rows.">'
        "</div></div>"
    )
    facts = (
        f"predicts {plain(task.target)} from {plural(len(task.inputs), 'input')}",
        f"{percent(float(found.inside.mean()))} of unseen rows inside the error bars",
    )
    return ModelCard(html, 0, facts)


def shown_points(model: Any, dataset: Dataset) -> Array:
    """Return the training points in the two dimensions that the map in Explore opens with (N, 2).

    With a single dimension, the second coordinate is the row's order.
    """
    latent = np.asarray(model.latent_mean_, dtype=float)
    first, second = shown_pair(model, dataset)
    if first == second:
        return np.column_stack([latent[:, first], np.linspace(-1.0, 1.0, len(latent))])
    return latent[:, [first, second]]


def tour(model: Any, dataset: Dataset) -> tuple[Array, Array]:
    """Return a path over the map: latent points (frames, Q), map positions (frames, 2).

    For sequences, the path follows the first sequence. For other data, it is a smooth closed loop
    through a few training points around the middle.
    """
    latent = np.asarray(model.latent_mean_, dtype=float)
    both = np.hstack([latent, shown_points(model, dataset)])
    if dataset.sequences is not None:
        rows = np.flatnonzero(dataset.sequences == dataset.sequences[0])
        rows = rows[np.linspace(0, len(rows) - 1, FRAMES).round().astype(int)]
        walk = both[rows]
    else:
        walk = closed_curve(both[loop_anchors(both[:, -2:])], FRAMES)
    return walk[:, :-2], walk[:, -2:]


def loop_anchors(points: Array) -> Array:
    """Return the row numbers of a few points around the middle, ordered by angle."""
    centred = (points - points.mean(axis=0)) / np.maximum(points.std(axis=0), 1e-12)
    angles = np.arctan2(centred[:, 1], centred[:, 0])
    radii = np.hypot(centred[:, 0], centred[:, 1])
    wanted = np.linspace(-np.pi, np.pi, min(ANCHORS, len(points)), endpoint=False)
    chosen: list[int] = []
    for angle in wanted:
        turned = np.abs(np.angle(np.exp(1j * (angles - angle))))
        chosen.append(int(np.argmin(turned + np.abs(radii - 1.0))))
    return np.array(list(dict.fromkeys(chosen)))


def closed_curve(anchors: Array, count: int) -> Array:
    """Return points (count, d) of a closed Catmull–Rom curve, dense near its anchors (k, d)."""
    number = len(anchors)
    place = np.linspace(0, number, count, endpoint=False)
    step, t = place.astype(int), (place % 1.0)[:, None]
    t = t * t * (3 - 2 * t)  # more time is spent near the anchors, which are rows of the data
    before, start, end, after = (anchors[(step + shift) % number] for shift in (-1, 0, 1, 2))
    return 0.5 * (
        2 * start
        + (end - before) * t
        + (2 * before - 5 * start + 4 * end - after) * t**2
        + (3 * start - before - 3 * end + after) * t**3
    )


def outputs_of(item: Item) -> dict[str, Dataset | ViewRows]:
    """Return the outputs on the card by name: some views, or one output named ""."""
    if not item.views:
        return {"": item.dataset}
    if (whole := whole_body(item.dataset)) is not None:
        return {"": whole.dataset(item.dataset)}
    rows = rows_of_views(item.dataset)
    return {name: rows[name] for name in first_outputs(item.model, item.dataset)}


def pictures_of(item: Item, rows: dict[str, Array], size: int) -> list[Image.Image]:
    """Draw one picture per row, with all outputs side by side; rows: (n, D) by output's name."""
    lines = []
    for name, output in outputs_of(item).items():
        if output.columns:
            cards = (table_card(output.columns, output.values, row, size) for row in rows[name])
            lines.append([*cards])
            continue
        frame = common_frame(output.drawing, output.values)
        lines.append([row_picture(output.drawing, row, frame, size) for row in rows[name]])
    return [beside(pictures) for pictures in zip(*lines, strict=True)]


def moving_picture(item: Item) -> str:
    """Return HTML of map and outputs side by side; both move under the pointer."""
    latent_walk, map_walk = tour(item.model, item.dataset)
    whole = whole_body(item.dataset)
    if item.views:
        outputs = generated(item.model, item.dataset, latent_walk)
        if whole is not None:
            body = whole.rows([outputs[view.name] for view in item.dataset.views])
            outputs = {"": body.reshape(len(body), -1)}
    elif item.dataset.columns:
        outputs = {"": item.dataset.coded(item.model.inverse_transform(latent_walk))}
    else:
        outputs = {"": np.asarray(item.model.inverse_transform(latent_walk), dtype=float)}
    points = shown_points(item.model, item.dataset)
    map_image, offset, scale = map_picture(points, item.dataset.labels)
    pictures = pictures_of(item, outputs, SMALL if item.views and whole is None else SIZE)
    film = reel(pictures)
    width, height = pictures[0].size
    name = "".join(letter if letter.isalnum() else "-" for letter in item.key)
    places = 100 * unit_positions(map_walk, offset, scale)
    # The loop is closed, so its end (100 %) equals its start and is left out.
    moments = 100 * np.arange(len(places)) / len(places)
    steps = "".join(
        f"{moment:.4g}%{{left:{x:.2f}%;top:{y:.2f}%}}"
        for moment, (x, y) in zip(moments, places, strict=True)
    )
    timing = f"{LOOP_SECONDS}s"
    title = escape(item.title)
    return (
        '<div class="mf-picture">'
        f'<div class="mf-panel"><img src="{picture_uri(map_image)}" '
        f'alt="Map of {title}: every dot is one row of the data, coloured by its label.">'
        f'<span class="mf-dot mf-move" style="left:{places[0, 0]:.2f}%;top:{places[0, 1]:.2f}%;'
        f"animation-name:mf-dot-{name};animation-duration:{timing};"
        'animation-timing-function:linear"></span></div>'
        '<div class="mf-panel">'
        f'<div class="mf-reel mf-move" role="img" aria-label="What the model of {title} '
        f'generates at the marked point." style="aspect-ratio:{width}/{height};'
        f"background-image:url({picture_uri(film)});background-size:100% {100 * len(pictures)}%;"
        f"animation-name:mf-reel;animation-duration:{timing};"
        f'animation-timing-function:steps({len(pictures)},jump-none)"></div></div>'
        f"<style>@keyframes mf-dot-{name}{{{steps}}}</style></div>"
    )


def still_picture(item: Item) -> str:
    """Return HTML of map and one row of the data side by side, for lists."""
    map_image, _, _ = map_picture(
        shown_points(item.model, item.dataset), classes_of(item.dataset)[0], size=120
    )
    middle = item.dataset.n_points // 2
    rows = {name: output.values[middle][None] for name, output in outputs_of(item).items()}
    (picture,) = pictures_of(item, rows, 120)
    title = escape(item.title)
    return (
        '<div class="mf-picture">'
        f'<div class="mf-panel"><img src="{picture_uri(map_image)}" alt="Map of {title}"></div>'
        f'<div class="mf-panel"><img src="{picture_uri(picture)}" alt="One row of {title}"></div>'
        "</div>"
    )
