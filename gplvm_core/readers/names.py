"""A name for every column, including columns that have none in the data."""

from typing import Protocol

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.kinds import TableColumn


class Drawn(Protocol):
    """Rows that can be drawn: a `Dataset`, or one view of it."""

    @property
    def drawing(self) -> Drawing: ...
    @property
    def column_names(self) -> tuple[str, ...] | None: ...
    @property
    def columns(self) -> tuple[TableColumn, ...]: ...


def names_of(rows: Drawn) -> tuple[str, ...]:
    """Return the columns' own names, or their numbers from 1."""
    if rows.column_names is not None:
        return rows.column_names
    word = "pixel value" if rows.drawing.kind == "image" else "column"
    return tuple(f"{word} {d + 1}" for d in range(rows.drawing.n_outputs))


def column_words(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of `names_of`; a column of a view has the view's name in front."""
    if dataset.column_names is None and dataset.views:
        return tuple(word for view in dataset.views for word in view.full_names)
    return names_of(dataset)
