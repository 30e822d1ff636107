"""A data set: the targets to learn, further facts about the rows, and how to draw a row."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.readers.cells import cells_of
from gplvm_core.readers.checks import as_array, check_targets, describe
from gplvm_core.readers.column_task import ColumnTask
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, plural
from gplvm_core.readers.kinds import (
    TableColumn,
    check_coded,
    coded_table,
    columns_of,
    in_own_values,
    kinds_of,
)
from gplvm_core.readers.missing import missing_entries
from gplvm_core.readers.views import (
    View,
    check_views,
    columns_of_views,
    oddities_of_views,
    side_by_side,
)

# The type of each field of one value per row, and the kinds of arrays that become it.
PER_ROW: dict[str, tuple[type, str]] = {
    "labels": (np.int64, "iu"),
    "times": (np.float64, "fiu"),
    "sequences": (np.int64, "iu"),
    "empty_times": (np.float64, "fiu"),
    "empty_sequences": (np.int64, "iu"),
    "row_names": (np.str_, "U"),
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """The rows to learn from, with further facts about them.

    targets        N × D, uint8 (pixels) or floating; NaN and masked entries are missing
    labels         N class numbers, indices into `label_names`; −1 for rows without a label
    column_names   D names of columns, or None
    row_names      N names of rows, such as identifiers or file names
    times          N times in seconds, or in the unit of the column they came from
    time_unit      that unit in words, such as "days since 2024-01-03", if it is known
    sequences      N numbers: rows with the same number follow each other in time
    sequence_names names of the sequences, indexed by these numbers, if they have names
    empty_times    M times of rows of the file without a value, which models over time fill
    empty_sequences  M numbers of the sequences of these rows, if there are sequences
    source         origin of the data, their licence, and whom to credit
    notes          everything that the reader changed: rescaled, dropped, subsampled
    covariates     further facts about each row, first axis N; never trained on
    views          blocks of columns that describe the same things, each with its own drawing
    columns        the D columns with their kinds and words; empty if all are numbers. A word is
                   stored among the targets as its number in the column's `words`
    task           the column to predict and its inputs, for a regression; None for a map
    known          known factors that a map takes out (`take_out`): by name, N words or numbers

    Labels and sequences are stored as int64, times as float64, all arrays as read-only views.
    Raises DataError if the fields do not fit together.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import Dataset, Drawing
    >>> values = np.array([[21.5, 0.4], [19.0, np.nan], [23.1, 0.7]])
    >>> names = ("temperature", "humidity")
    >>> days = Dataset("days", "Weather", values, Drawing("bars", (2,)), column_names=names)
    >>> days.values.shape
    (3, 2)
    """

    name: str
    title: str
    targets: NDArray[Any]
    drawing: Drawing
    labels: NDArray[Any] | None = None
    label_names: tuple[str, ...] = ()
    column_names: tuple[str, ...] | None = None
    times: NDArray[Any] | None = None
    sequences: NDArray[Any] | None = None
    source: str = ""
    notes: tuple[str, ...] = ()
    covariates: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    views: tuple[View, ...] = ()
    row_names: NDArray[np.str_] | None = None
    time_unit: str = ""
    columns: tuple[TableColumn, ...] = ()
    task: ColumnTask | None = None
    known: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    empty_times: NDArray[Any] | None = None
    empty_sequences: NDArray[Any] | None = None
    sequence_names: tuple[str, ...] = ()

    @classmethod
    def of_table(
        cls, name: str, title: str, table: Any, kinds: Any = "auto", **others: Any
    ) -> "Dataset":
        """Make a data set from a data frame or rows of values, with columns of any kind
        (docs/kinds.md).

        kinds: the argument `kinds` of a model. others: the remaining fields. Raises DataError for
        values that a column of its kind cannot have.
        """
        columns, chosen = columns_of(cells_of(table), kinds, fractions=True)
        return cls(
            name=name,
            title=title,
            targets=coded_table(columns, table),
            drawing=Drawing.of_vector(len(columns)),
            column_names=tuple(column.name for column in columns),
            columns=columns,
            **others | {"notes": (*others.get("notes", ()), *chosen)},
        )

    @classmethod
    def of_views(
        cls,
        name: str,
        title: str,
        views: "Mapping[str, tuple[Any, Drawing | View] | Dataset]",
        **others: Any,
    ) -> "Dataset":
        """Join several descriptions of the same items into one data set; row n is item n in each.

        views: by name, the targets and their Drawing or View; or a data set, whose targets,
        drawing, column names and kinds of columns are used. others: the remaining fields. Targets
        are uint8 if the targets of all views are uint8, and float64 otherwise. Raises DataError if
        the numbers of rows differ.
        """
        blocks: dict[str, NDArray[Any]] = {}
        parts: list[View] = []
        for key, given in views.items():
            if isinstance(given, Dataset):
                view = View(key, given.drawing, given.column_names, given.columns)
                targets = given.targets
            else:
                targets, drawn = given
                view = View(key, drawn) if isinstance(drawn, Drawing) else replace(drawn, name=key)
            blocks[key] = as_array(targets)
            parts.append(view)
        targets = side_by_side(blocks, name)
        named = any(part.column_names for part in parts)
        column_names = tuple(word for part in parts for word in part.full_names) if named else None
        return cls(
            name=name,
            title=title,
            targets=targets,
            drawing=Drawing.of_vector(targets.shape[1]),
            column_names=column_names,
            views=tuple(parts),
            **others,
        )

    def __post_init__(self) -> None:
        targets = as_array(self.targets)
        object.__setattr__(self, "views", tuple(self.views))
        check_targets(targets, column_names=self._names_of(targets))
        if targets.dtype != np.uint8 and targets.dtype.kind != "f":
            raise DataError(
                f"{self.name}: targets must be uint8 or floating, got {targets.dtype}; "
                "convert them with .astype(float)."
            )
        self._check_columns(targets.shape[1])
        self._check_kinds(targets)
        self._keep("targets", targets)
        empty = 0 if self.empty_times is None else np.size(self.empty_times)
        for name in PER_ROW:
            count = empty if name.startswith("empty") else len(targets)
            self._keep(name, self._per_row(name, getattr(self, name), count))
        self._check_labels()
        self._order_labels()
        if self.sequence_names and self.sequences is not None:
            low, high = int(self.sequences.min()), int(self.sequences.max())
            if low < 0 or high >= len(self.sequence_names):
                raise DataError(
                    f"{self.name}: sequences run from {low} to {high}, but there are "
                    f"{len(self.sequence_names)} names of sequences; sequences are their indices."
                )
        for name in ("covariates", "known"):
            self._check_facts(name)
        if self.task is not None:
            self.task.check(self.column_names or (), self.values)

    @property
    def classes(self) -> tuple[int, ...]:
        """The sorted labels that occur, without −1."""
        own = () if self.labels is None else np.unique(self.labels).tolist()
        return tuple(label for label in own if label >= 0)

    def label_word(self, row: int) -> str | None:
        """Return the name of a row's label, else its number; None for a row without a label."""
        label = -1 if self.labels is None else int(self.labels[row])
        if label < 0:
            return None
        return self.label_names[label] if self.label_names else str(label)

    @property
    def n_points(self) -> int:
        return int(self.targets.shape[0])

    @property
    def n_outputs(self) -> int:
        return int(self.targets.shape[1])

    @property
    def values(self) -> Float[Array, "N D"]:
        """The targets as float64, NaN where missing."""
        return self.targets.astype(np.float64, copy=False)

    @property
    def kinds(self) -> list[Any] | dict[str, list[Any]] | None:
        """The argument `kinds` of a model for these columns, or for the views by name; None if all
        columns are numbers.
        """
        if self.columns:
            return kinds_of(self.columns)
        return {view.name: kinds_of(view.columns) for view in self.views if view.columns} or None

    def with_kinds(self, columns: Sequence[TableColumn]) -> "Dataset":
        """Return a table of numbers with the kinds of a model's columns of numbers.

        A table with other kinds of its own, and rows that do not fit such columns, are returned as
        they are.
        """
        known = self.columns or self.views or len(columns) != self.n_outputs
        if known or not all(column.is_number for column in columns):
            return self
        own = zip(columns, self.all_columns, strict=True)
        return replace(self, columns=tuple(replace(kind, name=each.name) for kind, each in own))

    @functools.cached_property
    def all_columns(self) -> tuple[TableColumn, ...]:
        """Every column with its kind and words, of a table or of the views side by side."""
        if self.columns:
            return self.columns
        names = self._names_of(self.targets) or tuple(map(str, range(self.n_outputs)))
        found = [TableColumn(name, "number") for name in names]
        for view, at in zip(self.views, columns_of_views(self.views).values(), strict=True):
            found[at] = view.columns or found[at]
        return tuple(found)

    def in_own_values(self, values: Float[Array, "n D"] | None = None) -> Any:
        """Return rows as a data frame of words, counts and numbers; None: all rows.

        values: rows in the form of the property `values`, in which a word is its number. To fit a
        model to the data frame, pass `kinds=dataset.kinds`.
        """
        return in_own_values(self.all_columns, self.values if values is None else values)

    def views_in_own_values(self, values: Float[Array, "n D"] | None = None) -> dict[str, Any]:
        """Return rows by view: a data frame for a view with words or counts, else an array.

        values: rows of all views side by side, as the property `values` has them; None: all rows.
        To fit a model to the views, pass `kinds=dataset.kinds`.
        """
        rows, places = self.values if values is None else values, columns_of_views(self.views)
        parts = {view.name: (view.columns, rows[:, places[view.name]]) for view in self.views}
        return {
            name: in_own_values(columns, part) if columns else part
            for name, (columns, part) in parts.items()
        }

    def coded(self, table: Any) -> Float[Array, "n D"]:
        """Return rows of the columns' own values as numbers, in which a word is its number; the
        inverse of `in_own_values`, and of `views_in_own_values` for a dict of all views.

        Raises DataError for values that a column cannot have.
        """
        if not isinstance(table, Mapping):
            return coded_table(self.all_columns, table)
        parts = ((view.columns, table[view.name]) for view in self.views)
        return np.hstack([coded_table(own, part) if own else part for own, part in parts])

    @property
    def missing(self) -> Bool[BoolArray, "N D"] | None:
        """Which targets are missing; None if the data are complete."""
        return missing_entries(self.targets)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about unusual properties of the targets (`describe`)."""
        # Views may differ in units, so each view has its own scale.
        one_unit = bool(self.views or self.columns) or self.drawing.kind in ("image", "skeleton")
        names = self._names_of(self.targets)
        found = describe(self.targets, names, one_unit=one_unit, times=self.times)
        return found + oddities_of_views(self.values, self.views)

    @property
    def view_values(self) -> dict[str, Float[Array, "N Dv"]]:
        """The targets of every view as float64, by the view's name; empty without views."""
        values = self.values
        return {key: values[:, at] for key, at in columns_of_views(self.views).items()}

    def view(self, name: str) -> "Dataset":
        """Return one view as a separate data set, with the same labels, times and other facts.

        Raises DataError for an unknown name, and EmptyRowsError if the view is missing in some
        rows.
        """
        part = next((part for part in self.views if part.name == name), None)
        if part is None:
            known = ", ".join(each.name for each in self.views)
            there = f"; choose one of {known}" if known else ": it has no views"
            raise DataError(f"{self.name} has no view {name!r}{there}.")
        return replace(
            self,
            name=f"{self.name}_{name}",
            title=f"{self.title}: {name}",
            targets=self.targets[:, columns_of_views(self.views)[name]],
            drawing=part.drawing,
            column_names=part.column_names,
            columns=part.columns,
            views=(),
        )

    def with_columns(self, kept: Sequence[int], names: Sequence[str], **changed: Any) -> "Dataset":
        """Return a table of these columns, by their numbers; names: of all columns. changed: other
        fields that change.
        """
        own: dict[str, Any] = {
            "targets": self.targets[:, kept],
            "drawing": Drawing.of_vector(len(kept)),
            "column_names": tuple(names[at] for at in kept),
            "columns": tuple(self.columns[at] for at in kept) if self.columns else (),
        }
        return replace(self, **own | changed)

    def taken(self, rows: Int[IntArray, " n"]) -> "Dataset":
        """Return the data set of these rows, in this order."""
        names = ("labels", "times", "sequences", "row_names")
        facts: dict[str, Any] = {
            name: own[rows] for name in names if (own := getattr(self, name)) is not None
        }
        for each in ("covariates", "known"):
            facts[each] = {name: own[rows] for name, own in getattr(self, each).items()}
        return replace(self, targets=self.targets[rows], **facts)

    def _names_of(self, targets: NDArray[Any]) -> tuple[str, ...] | None:
        """Return a name for each column, or None; other checks report a wrong number of names."""
        width = targets.shape[1] if targets.ndim == 2 else 0
        if self.column_names is not None and len(self.column_names) == width:
            return self.column_names
        if self.views and sum(part.n_outputs for part in self.views) == width:
            return tuple(name for part in self.views for name in part.full_names)
        if self.drawing.kind == "image":
            return tuple(f"pixel {d}" for d in range(width))
        return None

    def _check_kinds(self, targets: NDArray[Any]) -> None:
        columns = tuple(self.columns)
        if all(column.kind == "number" for column in columns):
            columns = ()
        object.__setattr__(self, "columns", columns)
        for view, at in zip(self.views, columns_of_views(self.views).values(), strict=True):
            if view.columns:
                check_coded(view.columns, targets[:, at], self.name)
        if not columns:
            return
        names = tuple(column.name for column in columns)
        if self.column_names is None:
            object.__setattr__(self, "column_names", names)
        if self.column_names != names or self.views or targets.dtype.kind != "f":
            raise DataError(
                f"{self.name}: columns of several kinds need floating targets and the same column "
                "names. In a data set of views, each View has its own columns."
            )
        check_coded(columns, targets, self.name)

    def _keep(self, attribute: str, array: NDArray[Any] | None) -> None:
        if array is None:
            return
        view = array.view()
        view.flags.writeable = False
        object.__setattr__(self, attribute, view)

    def _check_columns(self, n_outputs: int) -> None:
        if self.drawing.n_outputs != n_outputs:
            raise DataError(
                f"{self.name}: a row has {plural(n_outputs, 'value')}, but its drawing is a "
                f"{self.drawing.kind} of shape {self.drawing.shape}."
            )
        if self.column_names is not None and len(self.column_names) != n_outputs:
            raise DataError(
                f"{self.name}: {plural(len(self.column_names), 'column name')} for "
                f"{plural(n_outputs, 'column')}."
            )
        check_views(self.views, n_outputs, self.name)

    def _per_row(
        self, field_name: str, array: NDArray[Any] | None, count: int
    ) -> NDArray[Any] | None:
        if array is None:
            return None
        what, (dtype, kinds) = field_name.replace("_", " "), PER_ROW[field_name]
        array = np.asarray(array, dtype=dtype if kinds == "U" else None)
        one = "name" if kinds == "U" else "number"
        if array.shape != (count,):
            raise DataError(
                f"{self.name}: {what} must be one {one} per row, shape ({count},); "
                f"got shape {array.shape}."
            )
        if array.dtype.kind not in kinds or not (kinds == "U" or np.isfinite(array).all()):
            wanted = "finite numbers" if "f" in kinds else "whole numbers"
            raise DataError(f"{self.name}: {what} must be {wanted}; got dtype {array.dtype}.")
        return array.astype(dtype, copy=False)

    def _check_labels(self) -> None:
        if self.labels is None:
            if self.label_names:
                raise DataError(f"{self.name}: there are label names, but no labels.")
            return
        low, high = int(self.labels.min()), int(self.labels.max())
        if low < -1 or (self.label_names and high >= len(self.label_names)):
            raise DataError(
                f"{self.name}: labels run from {low} to {high}, but there are "
                f"{len(self.label_names)} label names; labels are their indices, from 0, or −1 for "
                "rows without a label."
            )

    def _order_labels(self) -> None:
        """If the labels are the words of a column, number them as the column does.

        Labels and words then have the same colours.
        """
        if not self.label_names:
            return
        own_columns = (*self.columns, *(each for view in self.views for each in view.columns))
        columns = [tuple(map(str, each.words)) for each in own_columns if each.is_words]
        same = (own for own in columns if set(own) == set(self.label_names))
        words = next(same, self.label_names)
        if self.labels is None or words == self.label_names:
            return
        # The last number, −1, is for rows without a label.
        numbers = np.array([*(words.index(name) for name in self.label_names), -1])
        self._keep("labels", numbers[self.labels])
        object.__setattr__(self, "label_names", words)

    def _check_facts(self, which: str) -> None:
        kept: dict[str, NDArray[Any]] = {}
        what = "covariate" if which == "covariates" else "known factor"
        for name, array in getattr(self, which).items():
            view = np.asarray(array).view()
            if view.ndim == 0 or len(view) != len(self.targets):
                raise DataError(
                    f"{self.name}: {what} {name!r} has the shape {view.shape}; its first axis "
                    f"must be the {plural(len(self.targets), 'row')}."
                )
            view.flags.writeable = False
            kept[name] = view
        object.__setattr__(self, which, kept)
