"""Divide the columns of a data set into views, by name or in blocks; add the labels as a view."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.readers.cells import Cells
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, listed
from gplvm_core.readers.joined import unique_name
from gplvm_core.readers.kinds import coded_column, columns_of
from gplvm_core.readers.missing import varies
from gplvm_core.readers.names import column_words
from gplvm_core.readers.proposals import MOST_WORDS
from gplvm_core.readers.views import View, columns_of_views, label_view

OWN_NAMES = {"image": "pixels", "skeleton": "pose"}  # a view's name if the data had no views


def name_groups(names: Sequence[str]) -> dict[str, list[int]]:
    """Group columns by the beginning of their names.

    The beginning ends at the first separator, or before a number at the end of the name. The result
    is empty if there would be a single group, or one group per column.
    """
    groups: dict[str, list[int]] = {}
    for d, name in enumerate(names):
        begins = re.match(r"(.*?\w)[\s_.:,;/|-]", name)
        head = begins.group(1) if begins else re.sub(r"\d+$", "", name)
        groups.setdefault(head or name, []).append(d)
    return groups if 2 <= len(groups) < len(names) else {}


def in_groups(dataset: Dataset, groups: Mapping[str, Sequence[int]]) -> Dataset:
    """Make each group of columns (numbers from 0) a view; a note lists the columns that are left
    out.

    Raises DataError for a view without columns and for a column in two views.
    """
    names = column_words(dataset)
    for view, columns in groups.items():
        if not len(columns):
            raise DataError(f"The view “{view}” has no columns. Choose at least one.")
    counts = Counter(d for columns in groups.values() for d in columns)
    twice = [d for d, n in counts.items() if n > 1]
    if twice:
        where = [view for view, columns in groups.items() if twice[0] in columns]
        raise DataError(
            f"The column “{names[twice[0]]}” is in {' and in '.join(f'“{v}”' for v in where)}. "
            "A column can be in only one view."
        )
    left = [name for d, name in enumerate(names) if d not in counts]
    further = (f"Columns in no view, left out: {listed(left, 12)}.",) if left else ()
    order = [d for columns in groups.values() for d in columns]
    views = tuple(_view(dataset, view, names, columns) for view, columns in groups.items())
    return dataset.with_columns(
        order,
        names,
        column_names=tuple(word for view in views for word in view.full_names),
        columns=(),
        views=views,
        notes=(*dataset.notes, *further),
    )


def _view(dataset: Dataset, view: str, names: Sequence[str], columns: Sequence[int]) -> View:
    """Return a view of some columns; names: those of all columns.

    Raises DataError for an exposure without counts.
    """
    own = tuple(dataset.columns[d] for d in columns if dataset.columns)
    exposures = [f"“{column.name}”" for column in own if column.kind == "exposure"]
    if exposures and all(column.kind != "count" for column in own):
        raise DataError(
            f"The view “{view}” has no counts for {listed(exposures)}. Put an exposure in the view "
            "with the counts that it multiplies."
        )
    return View(view, Drawing.of_vector(len(columns)), tuple(names[d] for d in columns), own)


def in_blocks(dataset: Dataset, names: Sequence[str], width: int) -> Dataset:
    """Make one view of each `width` neighbouring columns; the drawing of a row does not change.

    A constant block is joined to the next block that varies, and a constant last block to the
    previous block, because nothing can be learnt from a constant view. Raises DataError if fewer
    than two views are left.
    """
    alive = np.flatnonzero(varies(dataset.values).reshape(-1, width).any(axis=1)).tolist()
    if len(alive) < 2:
        raise DataError(
            f"{dataset.title}: fewer than two of the {len(names)} views would vary. Use the data "
            "as one view."
        )
    ends = [*(block + 1 for block in alive[:-1]), len(names)]
    starts = [0, *ends[:-1]]
    words = column_words(dataset)
    views = tuple(
        _view(dataset, names[block], words, range(width * start, width * end))
        for block, start, end in zip(alive, starts, ends, strict=True)
    )
    still = [name for block, name in enumerate(names) if block not in alive]
    further = (f"Constant, joined to a neighbouring view: {listed(still)}.",) if still else ()
    return replace(
        dataset,
        # With words, a column has its name in its view, and one with the view's name in the table.
        column_names=tuple(word for view in views for word in view.full_names)
        if dataset.columns
        else dataset.column_names,
        columns=(),
        views=views,
        notes=(*dataset.notes, *further),
    )


def label_column(dataset: Dataset) -> int | None:
    """Return the number of the column whose words are the labels; None if there is none."""
    if not dataset.label_names:
        return None
    words = (tuple(map(str, column.words)) for column in dataset.all_columns)
    return next((d for d, own in enumerate(words) if own == dataset.label_names), None)


def relabelled(dataset: Dataset, labels: ArrayLike) -> Dataset:
    """Return the data set with other labels, −1 for none.

    A view of labels (`with_labels`) and a column with the labels' words get the same labels. If
    there is neither, the labels become a view. A model of the result learns them.

    Raises
    ------
    DataError
        If there are no labels of at least two classes, or if the view has no column for a class.
    """
    found = np.asarray(labels, dtype=np.int64)
    column = label_column(dataset)
    if column is not None:
        targets = dataset.values.copy()
        targets[:, column] = np.where(found < 0, np.nan, found)
        return replace(dataset, targets=targets, labels=found)
    blocks = columns_of_views(dataset.views)
    for view in dataset.views:
        # The view of a file of an older version: one number, 1 or −1, for each class.
        names = view.column_names or ()
        if len(names) < 2 or not set(names) <= set(dataset.label_names):
            continue
        unknown = [n for n in np.unique(found[found >= 0]) if dataset.label_names[n] not in names]
        if unknown:
            raise DataError(
                f"The model knows no label “{dataset.label_names[unknown[0]]}”: no row had it in "
                "training. Download the labels, and train with the new table."
            )
        numbers = [names.index(dataset.label_names[n]) if n >= 0 else -1 for n in found]
        targets = dataset.values.copy()
        targets[:, blocks[view.name]] = label_view(np.array(numbers), len(names))
        return replace(dataset, targets=targets, labels=found)
    return with_labels(replace(dataset, labels=found))


def with_labels(dataset: Dataset) -> Dataset:
    """Add the labels as a view with one category; a row without a label has a gap in it.

    Raises DataError for fewer than two classes, and for more than a category can have.
    """
    present = dataset.classes
    if dataset.labels is None or len(present) < 2:
        raise DataError(f"{dataset.title} does not have labels of at least two classes.")
    if len(present) > MOST_WORDS:
        raise DataError(
            f"{dataset.title} has labels of {len(present):,} classes. A view of labels can have "
            f"at most {MOST_WORDS}."
        )
    words = dataset.label_names or tuple(map(str, range(max(present) + 1)))
    known = dataset.labels >= 0
    labels = np.array([words[n] for n in dataset.labels], dtype=object)
    labels[~known] = None
    (column,), _ = columns_of([own := Cells("label", labels, "words")], ["category"])
    codes = coded_column(column, own)
    views = dataset.views or (
        View(
            OWN_NAMES.get(dataset.drawing.kind, "values"),
            dataset.drawing,
            dataset.column_names,
            dataset.columns,
        ),
    )
    name = unique_name("labels", [view.name for view in views])
    views = (*views, View(name, Drawing.of_vector(1), (column.name,), (column,)))
    return replace(
        dataset,
        targets=np.column_stack([dataset.values, codes]),
        drawing=Drawing.of_vector(dataset.n_outputs + 1),
        column_names=tuple(word for view in views for word in view.full_names),
        columns=(),
        views=views,
        # The numbers of the labels are those of the words, so both have the same colours.
        labels=np.where(known, codes, -1).astype(np.int64),
        label_names=column.words,
        notes=(
            *dataset.notes,
            f"The labels are the view “{name}”, a category. A row without a label has a gap there.",
        ),
    )
