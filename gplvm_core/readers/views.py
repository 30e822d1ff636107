"""Views: several descriptions of the same items, side by side in one table of targets."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers.checks import mixed_units
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, listed, plural
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.missing import varies


@dataclass(frozen=True)
class View:
    """A named block of neighbouring columns with its own drawing.

    `column_names` are the names of the block's columns, or None. `columns` are the columns with
    their kinds and words; empty if all are numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Dataset, Drawing, View
    >>> views = (View("face", Drawing("image", (2, 2))), View("pose", Drawing("bars", (1,))))
    >>> people = Dataset("people", "Faces", np.eye(5), Drawing("bars", (5,)), views=views)
    >>> people.view_values["pose"].shape
    (5, 1)
    """

    name: str
    drawing: Drawing
    column_names: tuple[str, ...] | None = None
    columns: tuple[TableColumn, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise DataError(f"A view needs a name, got {self.name!r}.")
        if self.column_names is not None and len(self.column_names) != self.n_outputs:
            raise DataError(
                f"The view {self.name!r} has {plural(len(self.column_names), 'column name')} for "
                f"{plural(self.n_outputs, 'column')}."
            )
        if all(column.kind == "number" for column in self.columns):
            object.__setattr__(self, "columns", ())
        names = tuple(column.name for column in self.columns)
        if names and names != self.column_names:
            raise DataError(
                f"The view {self.name!r} has the columns {listed(names)} of several kinds, so its "
                "column names must be the same."
            )

    @property
    def n_outputs(self) -> int:
        return self.drawing.n_outputs

    @property
    def full_names(self) -> tuple[str, ...]:
        """A name for every column, preceded by the view's name."""
        word = "pixel" if self.drawing.kind == "image" else "column"
        own = self.column_names or tuple(f"{word} {d}" for d in range(self.n_outputs))
        return tuple(f"{self.name}: {name}" for name in own)


def columns_of_views(views: Sequence[View]) -> dict[str, slice]:
    """Return the slice of columns of each view, by the view's name."""
    ends = list(accumulate(view.n_outputs for view in views))
    return {
        view.name: slice(end - view.n_outputs, end) for view, end in zip(views, ends, strict=True)
    }


def check_views(views: Sequence[View], n_outputs: int, what: str) -> None:
    """Raise a DataError unless the views have different names and cover all columns."""
    repeated = [name for name, count in Counter(view.name for view in views).items() if count > 1]
    if repeated:
        raise DataError(
            f"{what}: several of the {len(views)} views are called {repeated[0]!r}; "
            "give each a different name."
        )
    total = sum(view.n_outputs for view in views)
    if views and total != n_outputs:
        parts = " + ".join(f"{view.n_outputs} ({view.name})" for view in views)
        raise DataError(
            f"{what}: the views have {parts} = {plural(total, 'column')}, the targets {n_outputs}. "
            "Every column must be in exactly one view."
        )


def side_by_side(blocks: dict[str, NDArray[Any]], what: str) -> NDArray[Any]:
    """Join the targets of the views into one table, of type uint8 if all targets are, and float64
    otherwise.

    Raises DataError if there is no view, a view is not a table, or the numbers of rows differ.
    """
    if not blocks:
        raise DataError(f"{what}: no views were given; pass at least one.")
    for name, block in blocks.items():
        if block.ndim != 2:
            raise DataError(
                f"{what}: the view {name!r} must be a table of N rows; got an array of shape "
                f"{block.shape}. For images: array.reshape(len(array), -1)."
            )
    if len({len(block) for block in blocks.values()}) > 1:
        counts = ", ".join(f"{name} has {len(block)}" for name, block in blocks.items())
        raise DataError(
            f"{what}: the views have different numbers of rows: {counts}. Row n of every view "
            "describes the same item; write a missing description as a row of NaN."
        )
    if all(block.dtype == np.uint8 for block in blocks.values()):
        return np.hstack(list(blocks.values()))
    try:
        return np.hstack([block.astype(np.float64) for block in blocks.values()])
    except (TypeError, ValueError) as error:
        raise DataError(f"{what}: the views must hold numbers: {error}.") from error


def constant_views(targets: Float[Array, "N D"], views: Sequence[View]) -> tuple[str, ...]:
    """Return the names of the views whose columns are all constant."""
    varied = varies(targets)
    return tuple(name for name, at in columns_of_views(views).items() if not varied[at].any())


def unlinked_views(views: Mapping[str, Float[Array, "N _D"]]) -> tuple[str, ...]:
    """Return a warning about views that no row links to the first one, NaN where missing.

    Two views are linked if a row has values in both, or through further views.
    """
    known = {
        name: set(np.flatnonzero(~np.isnan(values).all(axis=1)).tolist())
        for name, values in views.items()
    }
    rest, linked = list(known), set[int]()
    while near := [name for name in rest if not linked or linked & known[name]]:
        linked |= known[near[0]]
        rest.remove(near[0])
    if not rest:
        return ()
    others = listed([repr(name) for name in known if name not in rest])
    return (
        f"No row has values both in {listed(list(map(repr, rest)))} and in {others}: nothing links "
        "these views, so one does not predict the other. Check that row n of each describes the "
        "same item.",
    )


def oddities_of_views(targets: Float[Array, "N D"], views: Sequence[View]) -> tuple[str, ...]:
    """Return warnings about views that are constant, not linked, or whose columns differ in
    units.
    """
    still, at = constant_views(targets, views), columns_of_views(views)
    found = list(unlinked_views({name: targets[:, columns] for name, columns in at.items()}))
    for view, columns in zip(views, columns_of_views(views).values(), strict=True):
        if view.name in still:
            found.append(f"The view {view.name!r} is constant: there is nothing to learn in it.")
        elif view.drawing.kind not in ("image", "skeleton") and not view.columns:
            found += [
                f"In the view {view.name!r}: {sentence}"
                for sentence in mixed_units(targets[:, columns], view.full_names)
            ]
    return tuple(found)


def label_view(labels: ArrayLike, n_classes: int) -> Float[Array, "N C"]:
    """Encode class labels as targets: 1 in the columns of a row's classes, −1 elsewhere.

    labels: N class numbers from 0, or −1 for rows without a label; the targets of such rows are
    missing (NaN). Alternatively, N × C booleans, if a row may have several classes or none. Raises
    DataError for other values. Source: Damianou (2015), §5.3.4.

    Examples
    --------
    >>> from gplvm_core import label_view
    >>> label_view([0, 2, 1], n_classes=3)
    array([[ 1., -1., -1.],
           [-1., -1.,  1.],
           [-1.,  1., -1.]])
    """
    hidden, given = np.ma.getmaskarray(np.ma.asarray(labels)), np.asarray(labels)
    if given.ndim == 1 and given.dtype.kind in "iu":
        given = np.where(hidden, -1, given.astype(np.int64))  # without a label where masked
    if given.ndim == 2 and given.dtype == bool:
        if given.shape[1] != n_classes:
            raise DataError(
                f"The labels have {plural(given.shape[1], 'column')} for "
                f"{plural(n_classes, 'class', 'classes')}."
            )
        return np.where(hidden, np.nan, np.where(given, 1.0, -1.0))
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise DataError(
            "Labels are one whole number per row, or N × C booleans; got an array of shape "
            f"{given.shape} and dtype {given.dtype}."
        )
    if len(given) and not -1 <= given.min() <= given.max() < n_classes:
        raise DataError(
            f"Labels run from {given.min()} to {given.max()}; with "
            f"{plural(n_classes, 'class', 'classes')} they are 0 "
            f"to {n_classes - 1}, or −1 for rows without a label."
        )
    found = np.where(given[:, None] == np.arange(n_classes), 1.0, -1.0)
    found[given < 0] = np.nan
    return found
