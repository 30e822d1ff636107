"""Divide the columns of a data set into views, by name or in blocks; add the labels as a view."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, listed
from gplvm_core.readers.joined import unique_name, with_column_names
from gplvm_core.readers.names import column_words
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
    views = tuple(
        View(view, Drawing.of_vector(len(columns)), tuple(names[d] for d in columns))
        for view, columns in groups.items()
    )
    return replace(
        dataset,
        targets=dataset.targets[:, order],
        drawing=Drawing.of_vector(len(order)),
        column_names=tuple(word for view in views for word in view.full_names),
        views=views,
        notes=(*dataset.notes, *further),
    )


def in_blocks(dataset: Dataset, names: Sequence[str], width: int) -> Dataset:
    """Make one view of each `width` neighbouring columns; the drawing of a row does not change.

    A constant block is joined to the next block that varies, and a constant last block to the
    previous block, because nothing can be learnt from a constant view. Raises DataError if fewer
    than two views are left.
    """
    values = dataset.values
    varies = np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)
    alive = [int(block) for block in np.flatnonzero(varies.reshape(-1, width).any(axis=1))]
    if len(alive) < 2:
        raise DataError(
            f"{dataset.title}: fewer than two of the {len(names)} views would vary. Use the data "
            "as one view."
        )
    ends = [*(block + 1 for block in alive[:-1]), len(names)]
    starts = [0, *ends[:-1]]
    words = column_words(dataset)
    views = tuple(
        View(
            names[block],
            Drawing.of_vector(width * (end - start)),
            words[width * start : width * end],
        )
        for block, start, end in zip(alive, starts, ends, strict=True)
    )
    still = [name for block, name in enumerate(names) if block not in alive]
    further = (f"Constant, joined to a neighbouring view: {listed(still)}.",) if still else ()
    return replace(dataset, views=views, notes=(*dataset.notes, *further))


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
    for d, column in enumerate(dataset.columns):
        if column.words and tuple(map(str, column.words)) == dataset.label_names:
            targets = dataset.values.copy()
            targets[:, d] = np.where(found < 0, np.nan, found)
            return replace(dataset, targets=targets, labels=found)
    for view in dataset.views:
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
        at = columns_of_views(dataset.views)[view.name]
        targets[:, at] = label_view(np.array(numbers), len(names))
        return replace(dataset, targets=targets, labels=found)
    return with_labels(replace(dataset, labels=found))


def with_labels(dataset: Dataset) -> Dataset:
    """Add the labels as a view, a column of ±1 per class. Raises DataError for a single class."""
    present = dataset.classes
    if dataset.labels is None or len(present) < 2:
        raise DataError(f"{dataset.title} does not have labels of at least two classes.")
    numbers = np.where(dataset.labels < 0, -1, np.searchsorted(present, dataset.labels))
    classes = tuple(dataset.label_names[n] if dataset.label_names else str(n) for n in present)
    own = dataset.views or (
        View(OWN_NAMES.get(dataset.drawing.kind, "values"), dataset.drawing, dataset.column_names),
    )
    name = unique_name("labels", [view.name for view in own])
    blocks = columns_of_views(own)
    views = {view.name: (dataset.targets[:, blocks[view.name]], view.drawing) for view in own}
    classed = (label_view(numbers, len(classes)), Drawing("bars", (len(classes),)))
    whole = Dataset.of_views(
        dataset.name,
        dataset.title,
        views | {name: classed},
        labels=dataset.labels,
        label_names=dataset.label_names,
        row_names=dataset.row_names,
        times=dataset.times,
        time_unit=dataset.time_unit,
        sequences=dataset.sequences,
        source=dataset.source,
        notes=(
            *dataset.notes,
            f"The labels are the view “{name}”: 1 for a row's class, −1 for the others.",
        ),
        covariates=dataset.covariates,
    )
    return with_column_names(whole, [*(view.column_names for view in own), classes])
