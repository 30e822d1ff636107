"""The painter as a Streamlit component: visitors hide parts of a row, and the model fills them.

Visitors paint in the browser, which sends the mask when a stroke ends. Python first sends the
completion, then alternatives, samples and charts. When the tab opens, Python sends only the
completion, and everything else after the browser has drawn it. Rows and results are sent as bytes.
"""

from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.cells import error_units
from gplvm_core.readers.errors import told
from gplvm_core.readers.new_rows import NewRows
from gplvm_core.wire.completion import (
    Question,
    RowItem,
    pack_completion,
    pack_items,
    pack_possibilities,
    pack_problem,
)
from pages.ui.explore.fill.items import (
    board,
    chosen_item,
    data_items,
    hidden_row,
    keep,
    masks_of,
    own_items,
    question_of,
)
from pages.ui.explore.fill.model import Completion, completed, possibilities
from pages.ui.explore.fill.panels import panels
from pages.ui.shared.catalogue import Item
from pages.ui.shared.component import component, hold_bytes, room_for, sent_by
from pages.ui.shared.density import HELD_OUT, density_of, how_filled

show_painter = component("painter", "painter/painter.html", "painter/painter.css")


@st.fragment
def painter(item: Item, name: str, own: NewRows | None) -> None:
    """Show the strip of rows, brush, panels, possibilities and charts of one model.

    name: the model's key and version, unique on the page. own: the visitor's rows, or None for rows
    of the data.
    """
    with room_for("painter"):
        current, question, drawn = ask(item, name, own)
        row = hidden_row(current, question.mask, item.dataset)
        answer = send_answer(item, name, current, question, row)
        if drawn and answer is not None and np.isnan(row).any():
            send_possibilities(item, name, question, row)
    with room_for("panels"):
        if drawn and answer is not None:
            words = how_filled(item, name, row)
            st.caption(words, help=HELD_OUT if "against" in words else None)
            panels(item, name, current, row, answer)


def stores(name: str) -> dict[str, str]:
    """Return the names under which the component finds its bytes."""
    return {part: f"{part}|{name}" for part in ("rows", "answer", "possibilities")}


def ask(item: Item, name: str, own: NewRows | None) -> tuple[RowItem, Question, bool]:
    """Show the painter; return the chosen row, its mask, and whether the browser has drawn one."""
    dataset, kept = item.dataset, board(name)
    mark, turn = "" if own is None else own.mark, kept.turn[kept.source]
    rows = (
        data_items(dataset, turn)
        if own is None
        else own_items(own.values, mark, turn, own.row_names)
    )
    batch = f"{kept.source}|{turn}|{mark}"
    masks, current = masks_of(kept, rows, dataset), chosen_item(kept, rows)
    view = show_painter(
        key=f"painter|{name}",
        data={
            "stores": stores(name),
            "batch": batch,
            "current": current.id,
            "masks": masks,
            "touched": [each.id for each in rows if each.id in kept.masks],
            "number": kept.number,
        },
        on_act_change=partial(take_act, name, rows, dataset),
        on_drawn_change=lambda: None,  # the next run reads the state
    )
    drawn = bool(view.drawn)
    key = stores(name)["rows"]
    more = len(rows) < (dataset.n_points if own is None else len(own.values))
    hold_bytes(key=key, data=_packed(dataset, rows, batch, key, more))
    return current, Question(current.id, masks[current.id], kept.number), drawn


def send_answer(
    item: Item, name: str, current: RowItem, question: Question, row: Array
) -> Completion | None:
    """Send the completion, or the reason for its absence, to the browser; return the completion."""
    key = stores(name)["answer"]
    try:
        answer = checked_completion(item, name, row)
    except ValueError as error:
        hold_bytes(key=key, data=pack_problem(question, told(error), key))
        return None
    noise, unit = noise_of(item.model, row), error_units(item.dataset.drawing, item.dataset.values)
    numbers = summary(answer, current, row, noise, unit[0])
    hold_bytes(key=key, data=pack_completion(question, answer.mean, answer.std, numbers, key))
    return answer


def send_possibilities(item: Item, name: str, question: Question, row: Array) -> None:
    key = stores(name)["possibilities"]
    found = possibilities(item.model, name, row, item.dataset)
    hold_bytes(
        key=key,
        data=pack_possibilities(question, found.weights, found.rows, found.samples, key),
    )


def take_act(name: str, rows: list[RowItem], dataset: Dataset) -> None:
    """Keep the painted mask, or offer other rows, as the browser asks.

    Streamlit calls this before the rerun, so that the mask is not lost if the rerun is interrupted.
    """
    act = sent_by(f"painter|{name}", "act")
    if isinstance(act, dict) and act.get("more"):
        keep(name, board(name).shuffled())
    elif (asked := question_of(act, rows, dataset)) is not None:
        keep(name, board(name).painted(asked))


@st.cache_data(max_entries=16, show_spinner=False)
def _packed(_dataset: Dataset, _rows: list[RowItem], batch: str, store: str, more: bool) -> bytes:
    return pack_items(_dataset, _rows, batch, store, more=more)


def checked_completion(item: Item, name: str, row: Array) -> Completion:
    """Return the completion. Raises ValueError if every cell is hidden."""
    if np.isnan(row).all():
        raise ValueError(
            "Everything is hidden, but the model needs some visible values. Show a part again, or "
            "press Undo."
        )
    return completed(item.model, name, row, item.dataset)


def noise_of(model: Any, row: Array) -> Array | None:
    """Return the noise of the map; None if the density, with correlated noise, fills the row."""
    by_map = density_of(model) is None or model.completion_methods(row[None])[0] == "map"
    return model.noise_std_ if by_map else None


def summary(
    answer: Completion, current: RowItem, row: Array, noise_std: Array | None, unit: Array
) -> dict[str, float | int]:
    """Return the captions' numbers: root mean square errors of hidden cells, range of the std.

    unit: what the errors of each column are divided by.
    """
    hidden = np.isnan(row)
    where = hidden if hidden.any() else ~hidden
    numbers: dict[str, float | int] = {"hidden": int(hidden.sum())}
    if not np.isnan(current.values[where]).any():
        error = ((answer.mean - current.values) / unit)[where]
        numbers["error"] = float(np.sqrt(np.mean(error**2)))
    if answer.std is not None:
        spread = answer.std[where]
        numbers["expected"] = float(np.sqrt(np.mean((spread / unit[where]) ** 2)))
        if noise_std is not None:
            numbers["noise"] = float(np.sqrt(np.mean((noise_std / unit)[where] ** 2)))
        numbers |= {"least": float(spread.min()), "most": float(spread.max())}
    return numbers
