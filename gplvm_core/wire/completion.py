"""Pack rows with hidden parts, and a model's predictions for them, for the painter."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray as Array

from gplvm_core.figures.cells import cell_word, choices, n_cells
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.wire.frame import frame
from gplvm_core.wire.model import data_spread, drawing_header


@dataclass(frozen=True, eq=False)
class RowItem:
    """A row that the user can choose: its id, title and values (D,); NaN is missing."""

    id: str
    title: str
    values: Float[Array, " D"]


def mask_text(cells: Bool[Array, " C"]) -> str:
    """Return a mask over the cells as text: bits, first cell first, in base64."""
    return base64.b64encode(np.packbits(cells).tobytes()).decode()


def mask_of_text(text: str, drawing: Drawing) -> Bool[Array, " C"]:
    """Read the text of `mask_text`. Raises ValueError if the text is no mask of such a row."""
    count = n_cells(drawing)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if len(data) != (count + 7) // 8:
        raise ValueError(f"The text is not a mask of {count} {cell_word(drawing)[1]}.")
    return np.unpackbits(np.frombuffer(data, np.uint8), count=count).astype(bool)


def pack_items(
    dataset: Dataset, items: Sequence[RowItem], batch: str, name: str, *, more: bool = True
) -> bytes:
    """Pack the rows to choose from, with their drawing; more: whether there are further rows.

    batch: an identifier that differs for different rows; name: key of the bytes in the browser.
    """
    one, many = cell_word(dataset.drawing)
    header = {
        "name": name,
        "batch": batch,
        "more": more,
        "drawing": drawing_header(dataset),
        "spread": data_spread(dataset.values),
        "cells": n_cells(dataset.drawing),
        "cell_word": [one, many],
        "choices": [
            {"name": label, "mask": mask_text(cells)}
            for label, cells in choices(dataset.drawing).items()
        ],
        "items": [{"id": item.id, "title": item.title} for item in items],
    }
    rows = np.stack([item.values for item in items]).astype(np.float32)
    return frame(header, {"rows": rows})


@dataclass(frozen=True)
class Question:
    """A question from the painter: the row's id, its mask, and the question's number.

    The number makes the bytes of an answer unique: Streamlit would not send equal bytes again.
    """

    item: str
    mask: str
    number: int = 0

    def header(self, name: str) -> dict[str, Any]:
        return {"name": name, "item": self.item, "mask": self.mask, "number": self.number}


def pack_completion(
    question: Question,
    mean: Float[Array, " D"],
    std: Float[Array, " D"] | None,
    summary: dict[str, float | int],
    name: str,
) -> bytes:
    """Pack a completed row with its standard deviations (None: the model has none).

    summary: numbers for the captions.
    """
    arrays = {"mean": mean.astype(np.float32)}
    if std is not None:
        arrays["std"] = std.astype(np.float32)
    return frame({**question.header(name), "summary": summary}, arrays)


def pack_problem(question: Question, words: str, name: str) -> bytes:
    """Pack the words that explain why there is no completion."""
    return frame({**question.header(name), "problem": words}, {})


def pack_possibilities(
    question: Question,
    weights: Float[Array, " K"],
    rows: Float[Array, "K D"],
    samples: Float[Array, "S D"],
    name: str,
) -> bytes:
    """Pack alternatives with their weights, and samples of the hidden part; both may be empty."""
    header = {**question.header(name), "weights": weights.tolist()}
    arrays = {"alternatives": rows.astype(np.float32), "samples": samples.astype(np.float32)}
    return frame(header, arrays)
