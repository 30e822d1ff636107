"""Rows sampled from every layer of a deep model."""

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float
from numpy import ndarray as Array

from gplvm_core import prediction
from gplvm_core.datasets import Dataset
from gplvm_core.figures.cells import column_std
from gplvm_core.figures.thumbnails import common_frame, picture_uri, row_picture
from pages.ui.shared.catalogue import Item
from pages.ui.shared.layer_map import place_in_words

N_DRAWN, N_SHOWN, SIZE = 60, 6, 132


@dataclass(frozen=True, eq=False)
class DrawnRows:
    """Rows (S, D) drawn from a layer; away: their relative distance to the data."""

    rows: Float[Array, "S D"]
    away: float


def draws(item: Item, name: str) -> None:
    """Show a strip of pictures for every layer."""
    st.header(
        "Drawn from each layer",
        anchor=False,
        help="The hidden numbers of a layer are drawn at random, independently of each other. "
        "The layers below convert these numbers into rows.",
    )
    turn = st.session_state.setdefault("depth_turn", 0)
    for at, drawn in enumerate(_drawn(item.model, item.dataset, name, turn)):
        place = place_in_words(at, len(item.model.layers_))
        st.html(strip(item.dataset, place, drawn))
    if st.button("Draw again", key="depth_draw", icon=":material/casino:"):
        st.session_state["depth_turn"] = turn + 1
        st.rerun()


def strip(dataset: Dataset, place: str, drawn: DrawnRows) -> str:
    frame = common_frame(dataset.drawing, dataset.values)
    pictures = "".join(
        f'<figure><img src="{picture_uri(row_picture(dataset.drawing, row, frame, SIZE))}" '
        f'alt="{escape(f"A row drawn from {place}")}"></figure>'
        for row in drawn.rows[:N_SHOWN]
    )
    words = f"{drawn.away:.1f} × as far from the data as neighbouring rows are from each other"
    return (
        f'<div class="mf-line"><span>{escape(place)}<br><small class="mf-facts">{words}</small>'
        f'</span><div style="grid-template-columns:repeat({N_SHOWN},minmax(0,1fr))">{pictures}'
        "</div></div>"
    )


@st.cache_data(max_entries=16, show_spinner=False)
def _drawn(_model: Any, _dataset: Dataset, name: str, turn: int) -> list[DrawnRows]:
    return [drawn_from(_model, _dataset, at, turn) for at in range(len(_model.layers_))]


def drawn_from(model: Any, dataset: Dataset, at: int, seed: int) -> DrawnRows:
    """Generate rows from random points of a layer; points of the top layer come from its prior."""
    generator = np.random.default_rng(seed)
    latent = model.layers_[at].latent_mean_
    points = generator.standard_normal((N_DRAWN, latent.shape[1]))
    if at:
        points = latent.mean(axis=0) + latent.std(axis=0) * points
    # If a layer also receives the model's inputs, the inputs are sampled independently, too.
    width = model.layers_[0].latent_mean_.shape[1]
    above = {0: generator.standard_normal((1, N_DRAWN, width))} if at else {}
    network = prediction.Network.chain([layer.posterior_ for layer in model.layers_])
    rows = prediction.draws(network, above | {at: points[None]}, generator, noise=False)[
        prediction.DATA
    ][0]
    return DrawnRows(rows, distance(rows, dataset.values))


def distance(rows: Float[Array, "S D"], data: Float[Array, "N D"]) -> float:
    """Return the median distance from rows to data, relative to the distance within the data."""
    std = column_std(data)
    scale = np.where(std > 0, std, 1.0)
    known = np.nan_to_num((data - np.nanmean(data, axis=0)) / scale)
    new = (rows - np.nanmean(data, axis=0)) / scale
    usual = np.sort(_squares(known, known), axis=1)[:, 1]
    return float(np.sqrt(np.median(_squares(new, known).min(axis=1)) / np.median(usual)))


def _squares(rows: Array, others: Array) -> Float[Array, "S N"]:
    lengths = np.sum(rows**2, axis=1)[:, None] + np.sum(others**2, axis=1)
    return np.maximum(lengths - 2.0 * rows @ others.T, 0.0)
