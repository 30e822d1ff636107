"""The export of the outputs at the chosen point as numbers (CSV, NPZ) and as a picture (PNG)."""

import io
import re
from collections.abc import Iterable

import numpy as np
import streamlit as st
from numpy import ndarray as Array
from PIL import Image

from gplvm_core.figures.thumbnails import common_frame, row_picture
from gplvm_core.readers.names import names_of
from gplvm_core.readers.tables.csv_text import csv_text
from gplvm_core.wire.views import ViewRows
from pages.ui.shared.as_text import ask_as_text
from pages.ui.shared.catalogue import Item
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
    marked = ask_as_text(named, "views")
    with st.container(horizontal=True):
        st.download_button(
            "Outputs (CSV)",
            lambda: outputs_csv(item, point, marked),
            f"{stem}-outputs.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/table:",
            key="views_csv",
            help="All views at the ring on the map, with standard deviations.",
        )
        st.download_button(
            "Outputs (NPZ)",
            lambda: outputs_npz(item, point),
            f"{stem}-outputs.npz",
            "application/octet-stream",
            on_click="ignore",
            icon=":material/data_array:",
            key="views_npz",
        )
        st.download_button(
            "Picture (PNG)",
            lambda: outputs_png(item, outputs, point),
            f"{stem}-outputs.png",
            "image/png",
            on_click="ignore",
            icon=":material/image:",
            key="views_png",
        )


def outputs_csv(item: Item, point: tuple[float, ...], as_text: bool = True) -> bytes:
    """Write a line per column of a view: view, column, mean, standard deviation."""
    lines: list[Iterable[object]] = [("view", "column", "mean", "std")]
    means, stds = item.model.inverse_transform(np.array(point)[None], return_std=True)
    rows = rows_of_views(item.dataset)
    for view in item.views:
        for column, mean, std in zip(
            names_of(rows[view]), means[view][0], stds[view][0], strict=True
        ):
            lines.append((view, column, f"{mean:.8g}", f"{std:.8g}"))
    return csv_text(lines, as_text=as_text).encode()


def outputs_npz(item: Item, point: tuple[float, ...]) -> bytes:
    """Write the latent point, and the mean ("left") and deviations ("left_std") of every view.

    Underscores are added to names that are equal, or invalid as file names.
    """
    means, stds = item.model.inverse_transform(np.array(point)[None], return_std=True)
    arrays: dict[str, Array] = {"latent": np.array(point)}
    for view in item.views:
        name = re.sub(r"[^\w .-]", "_", view).strip(". ") or "_"
        while {name, f"{name}_std"} & {*arrays, *TAKEN}:
            name += "_"
        arrays[name], arrays[f"{name}_std"] = means[view][0], stds[view][0]
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def outputs_png(item: Item, outputs: tuple[str, ...], point: tuple[float, ...]) -> bytes:
    """Draw the outputs that are shown beside the map, on a white background."""
    means = generated(item.model, np.array(point)[None])
    rows: dict[str, ViewRows] = rows_of_views(item.dataset)
    pictures = [
        row_picture(
            rows[view].drawing,
            means[view][0],
            common_frame(rows[view].drawing, rows[view].values),
            PNG_SIZE,
        )
        for view in outputs
    ]
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
