"""For each model: the rows that a visitor can choose, the chosen row, and its hidden cells."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import streamlit as st
from numpy import ndarray as Array

from gplvm_core.datasets import Dataset
from gplvm_core.figures.cells import cells_of, choices, columns_of, n_cells
from gplvm_core.wire.completion import Question, RowItem, mask_of_text, mask_text
from pages.ui.shared.words import words_of_row

STRIP = 10  # rows that are offered at the same time
Source = Literal["data", "own"]


@dataclass(frozen=True)
class Board:
    """A visitor's state of the tab: the source of the rows, the offered rows, and hidden cells.

    turn: how often the visitor asked for other rows, per source. current: the id of the chosen
    item; None: the first offered item. masks: each item's mask as text, by id. latest: the mask
    painted last. number: the number of the browser's last question.
    """

    source: Source = "data"
    turn: dict[Source, int] = field(default_factory=lambda: {"data": 0, "own": 0})
    current: str | None = None
    masks: dict[str, str] = field(default_factory=dict)
    latest: str | None = None
    number: int = 0

    def shuffled(self) -> "Board":
        """Offer other rows, and choose the first of them."""
        turn = self.turn | {self.source: self.turn[self.source] + 1}
        return replace(self, turn=turn, current=None)

    def on(self, source: Source) -> "Board":
        """Switch to the rows of this source, and keep the state of the other source."""
        return self if source == self.source else replace(self, source=source, current=None)

    def painted(self, asked: Question) -> "Board":
        masks = self.masks | {asked.item: asked.mask}
        return replace(
            self, current=asked.item, masks=masks, latest=asked.mask, number=asked.number
        )


def board(name: str) -> Board:
    """Return the visitor's board for a model; name: the model's key and version."""
    kept = st.session_state.get(f"complete_board|{name}")
    return kept if isinstance(kept, Board) else Board()


def keep(name: str, changed: Board) -> None:
    st.session_state[f"complete_board|{name}"] = changed


def data_items(dataset: Dataset, turn: int) -> list[RowItem]:
    """Return some training rows in random order; each turn continues where the last turn ended."""
    rows = _turned(_order(dataset), turn)
    # `dataset.values` would convert all rows.
    shown = dataset.targets[rows].astype(np.float64)
    return [
        RowItem(f"row {row}", words_of_row(dataset, row), values)
        for row, values in zip(rows, shown, strict=True)
    ]


def own_items(values: Array, mark: str, turn: int, row_names: Array | None = None) -> list[RowItem]:
    """Return some of a visitor's rows (n, D), in order.

    mark: the part of an item's id that identifies the upload.
    """
    rows = _turned(np.arange(len(values)), turn)
    called = ["" if row_names is None else f", {row_names[row]}" for row in rows]
    return [
        RowItem(f"own {row} {mark}", f"your row {row + 1}{word}", values[row])
        for row, word in zip(rows, called, strict=True)
    ]


def show_row(name: str, dataset: Dataset, row: int) -> None:
    """Choose a training row, and offer it together with others."""
    before = board(name)
    place = int(np.flatnonzero(_order(dataset) == row)[0])
    turn = before.turn | {"data": place // min(STRIP, dataset.n_points)}
    keep(name, replace(before, source="data", turn=turn, current=f"row {row}"))
    st.session_state[f"complete_source|{name}"] = "data"
    st.session_state[f"fill_row|{name}|data"] = row


def _order(dataset: Dataset) -> Array:
    return np.random.default_rng(0).permutation(dataset.n_points)


def _turned(order: Array, turn: int) -> list[int]:
    """Return the row numbers of one turn, taken from `order`, which repeats from its start."""
    count = min(STRIP, len(order))
    return [int(order[(turn * count + i) % len(order)]) for i in range(count)]


def row_of(item: str) -> int | None:
    """Return the number of the training row with this item id; None for a visitor's row."""
    source, number, *_ = item.split(" ")
    return int(number) if source == "row" else None


def chosen_item(kept: Board, items: list[RowItem]) -> RowItem:
    return next((item for item in items if item.id == kept.current), items[0])


def masks_of(kept: Board, items: list[RowItem], dataset: Dataset) -> dict[str, str]:
    """Return the mask of every offered item.

    A complete row that the visitor has not painted gets the last mask, or a default mask, so that
    the page shows a completion immediately. Rows with gaps start without a mask.
    """
    drawing = dataset.drawing
    first = kept.latest or mask_text(next(iter(choices(drawing).values())))
    none = nothing_hidden(dataset)
    return {
        item.id: kept.masks.get(item.id, none if np.isnan(item.values).any() else first)
        for item in items
    }


def nothing_hidden(dataset: Dataset) -> str:
    """Return the mask that hides no cell."""
    return mask_text(np.zeros(n_cells(dataset.drawing), dtype=bool))


def hidden_row(item: RowItem, mask: str, dataset: Dataset) -> Array:
    """Return the row as the model receives it: NaN where a value is missing or hidden."""
    hidden = columns_of(dataset.drawing, mask_of_text(mask, dataset.drawing))
    return np.where(hidden, np.nan, item.values)


def question_of(act: Any, items: list[RowItem], dataset: Dataset) -> Question | None:
    """Check the browser's message; return None if it does not match the offered items."""
    if not isinstance(act, dict) or act.get("item") not in {item.id for item in items}:
        return None
    try:
        mask = mask_text(mask_of_text(str(act.get("mask")), dataset.drawing))
    except ValueError:
        return None
    number = act.get("number")
    return Question(str(act["item"]), mask, number if isinstance(number, int) else 0)


def n_hidden(row: Array, dataset: Dataset) -> int:
    """Return the number of hidden or missing cells."""
    return int(cells_of(dataset.drawing, np.isnan(row)).sum())
