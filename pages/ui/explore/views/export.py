"""The export of the outputs at the chosen point as numbers (CSV, NPZ) and as a picture (PNG)."""

import io
import re
from collections.abc import Iterable
from functools import partial

import numpy as np
import streamlit as st
from numpy import ndarray as Array
from PIL import Image

from gplvm_core.readers.names import names_of
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.views import ViewRows
from pages.ui.explore.views.strip import Pictures
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
from pages.ui.shared.download import download
from pages.ui.shared.outputs import generated, rows_of_views
from pages.ui.shared.words import file_stem

PNG_SIZE = 480
GAP = 16
GROUND = "#FFFFFF"
TAKEN = ("file", "allow_pickle")  # np.savez has arguments with these names


def export(item: Item, outputs: tuple[str, ...], point: tuple[float, ...]) -> None:
    """Show buttons that export the outputs at the chosen point."""
    stem = file_stem(item.title)
    rows = rows_of_views(item.dataset)
    named = [word for view in item.views for word in (view, *names_of(rows[view]))]
    columns = (column for view in item.views for column in rows[view].columns)
    named += [str(word) for column in columns for word in column.words]
    marked = ask_as_text(named, "views")
    with st.container(horizontal=True):
        download(
            "Outputs (CSV)",
            lambda: outputs_csv(item, point, marked),
            f"{stem}-outputs.csv",
            icon="table",
            key="views_csv",
            help="All views at the ring on the map, with standard deviations.",
        )
        arrays, picture = partial(outputs_npz, item, point), partial(outputs_png, item, outputs)
        name = f"{stem}-outputs"
        download("Outputs (NPZ)", arrays, f"{name}.npz", icon="data_array", key="views_npz")
        drawn = partial(picture, point)
        download("Picture (PNG)", drawn, f"{name}.png", icon="image", key="views_png")


def outputs_csv(item: Item, point: tuple[float, ...], as_text: bool = True) -> bytes:
    """Write a line per column of a view: view, column, mean, standard deviation.

    For a word, the standard deviation is empty, and a further column has its probability.
    """
    worded = any(view.columns for view in item.dataset.views)
    header = ("view", "column", "mean", "std", *["probability"] * worded)
    lines: list[Iterable[object]] = [header]
    means, stds = item.model.inverse_transform(np.array(point)[None], return_std=True)
    rows = rows_of_views(item.dataset)
    for view in item.views:
        names, values = names_of(rows[view]), np.asarray(means[view])[0]
        for d, (column, value, std) in enumerate(zip(names, values, stds[view][0], strict=True)):
            if rows[view].columns and rows[view].columns[d].is_words:
                model = item.model.of_view(view)
                chance = model.class_probabilities_at(np.array(point)[None], d).max()
                lines.append((view, column, value, "", f"{chance:.4g}"))
                continue
            lines.append((view, column, f"{value:.8g}", f"{std:.8g}", *[""] * worded))
    return csv_text(lines, as_text=as_text).encode()


def outputs_npz(item: Item, point: tuple[float, ...]) -> bytes:
    """Write the latent point, and the mean ("left") and deviations ("left_std") of every view.

    Views with words are arrays of text.

    Underscores are added to names that are equal, or invalid as file names.
    """
    means, stds = item.model.inverse_transform(np.array(point)[None], return_std=True)
    arrays: dict[str, Array] = {"latent": np.array(point)}
    for view in item.views:
        name = re.sub(r"[^\w .-]", "_", view).strip(". ") or "_"
        while {name, f"{name}_std"} & {*arrays, *TAKEN}:
            name += "_"
        values = np.asarray(means[view])[0]
        # A file of arrays has a row of words and numbers as text.
        arrays[name] = values.astype(str) if values.dtype == object else values
        arrays[f"{name}_std"] = stds[view][0]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def outputs_png(item: Item, outputs: tuple[str, ...], point: tuple[float, ...]) -> bytes:
    """Draw the outputs that are shown beside the map, on a white background."""
    means = generated(item.model, item.dataset, np.array(point)[None])
    rows: dict[str, ViewRows] = rows_of_views(item.dataset)
    pictures = [Pictures(rows).image(view, means[view][0], PNG_SIZE) for view in outputs]
    width = sum(picture.width for picture in pictures) + GAP * (len(pictures) + 1)
    height = max(picture.height for picture in pictures) + 2 * GAP
    ground = Image.new("RGBA", (width, height), GROUND)
    left = GAP
    for picture in pictures:
        ground.alpha_composite(picture, (left, GAP))
        left += picture.width + GAP
    buffer = io.BytesIO()
    ground.save(buffer, format="PNG")
    return buffer.getvalue()
