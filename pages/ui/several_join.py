"""Several descriptions of the same rows as one data set with views; no widgets here."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy import ndarray as Array

from gplvm_core.datasets import DataError, Dataset, Drawing, View, label_view
from gplvm_core.datasets.errors import listed
from gplvm_core.datasets.views import columns_of_views

Unequal = Literal["trim", "fill"]
OWN_NAMES = {"image": "pixels", "skeleton": "pose"}  # of a data set that becomes a view
LEFT_OUT = ("Left out, without any value", "Lines without any value")  # as the reader notes it


class RowsDifferError(DataError):
    """Files with different numbers of rows: they can be joined once it is known how."""


@dataclass(frozen=True, eq=False)
class Part:
    """What one file says of the rows.

    name: the view's; file: as its owner calls it; rows: which of the `n_rows` rows the data set
    has, None for all; the view is missing in the others.
    """

    name: str
    file: str
    dataset: Dataset
    n_rows: int
    rows: Array | None = None

    def targets(self, count: int) -> Array:
        """The first `count` rows; NaN where the view is missing."""
        values = self.dataset.targets
        if self.rows is None and self.n_rows >= count:
            return values[:count]
        rows = np.arange(self.n_rows) if self.rows is None else self.rows
        filled = np.full((max(count, self.n_rows), values.shape[1]), np.nan)
        filled[rows] = values
        return filled[:count]

    def knows_all(self, count: int) -> bool:
        """Whether what it says beside the targets is known in the first `count` rows."""
        return self.rows is None and self.n_rows >= count


def joined(parts: Sequence[Part], unequal: Unequal | None = None) -> Dataset:
    """The files' data sets as views of one.

    unequal: what happens to rows that some files do not have: "trim" leaves them out, "fill" keeps
    them as missing there. Labels and times are those of the first file that has them for all rows.
    Raises DataError for names that are empty or given twice, RowsDifferError for different numbers
    of rows unless `unequal` says what to do.
    """
    check_names([part.name for part in parts], [part.file for part in parts])
    counts = [part.n_rows for part in parts]
    if len(set(counts)) > 1 and unequal is None:
        told = ", ".join(f"{part.file} has {part.n_rows:,}" for part in parts)
        raise RowsDifferError(
            f"The files have different numbers of rows: {told}. Row n of every file describes the "
            "same thing."
        )
    count = max(counts) if unequal == "fill" else min(counts)
    names = [part.name.strip() for part in parts]
    drawn = zip(names, parts, strict=True)
    views = {name: (part.targets(count), part.dataset.drawing) for name, part in drawn}
    facts, said = facts_beside(parts, count)
    dataset = Dataset.of_views(
        "_and_".join(re.sub(r"\W+", "_", name) for name in names)[:60],
        title_of(names),
        views,
        source=" ".join(part.dataset.source for part in parts),
        notes=(*rows_in_words(parts, count), *said, *notes_of(parts)),
        **facts,
    )
    return with_column_names(dataset, [part.dataset.column_names for part in parts])


def title_of(names: Sequence[str]) -> str:
    """The views in a few words: "left, right and labels"."""
    if len(names) > 4:
        return f"{names[0]} and {len(names) - 1} other views"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def check_names(names: Sequence[str], owners: Sequence[str] = ()) -> None:
    """Raises DataError for a name that is empty or given twice; owners: what the views are of."""
    for number, name in enumerate(names):
        if not name.strip():
            whose = f"from {owners[number]}" if owners else f"number {number + 1}"
            raise DataError(f"The view {whose} has no name. Give it one.")
    repeated = [name for name, n in Counter(name.strip() for name in names).items() if n > 1]
    if repeated:
        of = [owner for owner, name in zip(owners, names, strict=False) if name in repeated[:1]]
        whose = f" ({listed(of)})" if of else ""
        raise DataError(
            f"Several views are called “{repeated[0]}”{whose}. Give each a name of its own."
        )


def unique_name(name: str, taken: Sequence[str]) -> str:
    """The name, with a number behind when it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} {number}", number + 1
    return found


def with_column_names(dataset: Dataset, names: Sequence[tuple[str, ...] | None]) -> Dataset:
    """The data set with the columns of its views named, where they are."""
    pairs = zip(dataset.views, names, strict=True)
    views = tuple(replace(view, column_names=own) for view, own in pairs)
    named = any(names)
    columns = tuple(word for view in views for word in view.full_names) if named else None
    return replace(dataset, views=views, column_names=columns)


def facts_beside(parts: Sequence[Part], count: int) -> tuple[dict[str, Any], list[str]]:
    """Labels, times and sequences of the first file that has them, and what was not used."""
    facts: dict[str, Any] = {}
    told = []
    labelled = first(parts, count, lambda dataset: dataset.labels is not None)
    if labelled is not None:
        facts["labels"] = np.asarray(labelled.dataset.labels)[:count]
        facts["label_names"] = labelled.dataset.label_names
        told.append(f"Labels: those of {labelled.file}.")
    timed = first(parts, count, lambda dataset: dataset.times is not None)
    if timed is not None:
        facts["times"] = np.asarray(timed.dataset.times)[:count]
        told.append(f"Times: those of {timed.file}.")
    # Times count within sequences: both come from one file.
    ordered = timed or first(parts, count, lambda dataset: dataset.sequences is not None)
    if ordered is not None and ordered.dataset.sequences is not None:
        facts["sequences"] = ordered.dataset.sequences[:count]
    for part in parts:
        has_facts = part.dataset.labels is not None or part.dataset.times is not None
        if has_facts and not part.knows_all(count):
            told.append(f"Labels and times of {part.file} are not used: it does not have all rows.")
    return facts, told


def first(parts: Sequence[Part], count: int, has: Callable[[Dataset], bool]) -> Part | None:
    return next((part for part in parts if part.knows_all(count) and has(part.dataset)), None)


def clash_of_times(parts: Sequence[Part]) -> str | None:
    """A sentence when two files give the same rows different times: they may not align."""
    timed = [part for part in parts if part.dataset.times is not None and part.rows is None]
    for part in timed[1:]:
        count = min(part.n_rows, timed[0].n_rows)
        one, other = (np.asarray(p.dataset.times)[:count] for p in (timed[0], part))
        apart = np.flatnonzero(~np.isclose(one, other, rtol=1e-6, atol=1e-9))
        if len(apart):
            n = int(apart[0])
            return (
                f"The times differ: in row {n + 1}, {timed[0].file} says {one[n]:.4g} and "
                f"{part.file} {other[n]:.4g}. If the rows are not of the same moments, the views "
                f"do not align. The times of {timed[0].file} are used."
            )
    return None


def rows_in_words(parts: Sequence[Part], count: int) -> list[str]:
    """What was done to rows that some files do not have."""
    longer = [f"{part.file} has {part.n_rows:,}" for part in parts if part.n_rows > count]
    told = [f"Trimmed to the first {count:,} rows: {', '.join(longer)}."] if longer else []
    for part in parts:
        gaps = max(0, count - part.n_rows)
        if gaps:
            told.append(f"{part.file} ends {gaps:,} rows early; the view is missing there.")
        if part.rows is not None:
            absent = np.setdiff1d(np.arange(min(part.n_rows, count)), part.rows)
            places = listed([str(n + 1) for n in absent])
            told.append(f"{part.file}: the view is missing in row {places}.")
    return told


def notes_of(parts: Sequence[Part]) -> list[str]:
    """What the loaders did, with the view's name in front."""
    return [
        f"{part.name.strip()}: {note}"
        for part in parts
        for note in part.dataset.notes
        # Said in other words: these rows are missing in the view, not left out.
        if part.rows is None or not note.startswith(LEFT_OUT)
    ]


def column_words(dataset: Dataset) -> tuple[str, ...]:
    """A name for every column."""
    if dataset.column_names is not None:
        return dataset.column_names
    if dataset.views:
        return tuple(word for view in dataset.views for word in view.full_names)
    return tuple(f"column {d + 1}" for d in range(dataset.n_outputs))


def name_groups(names: Sequence[str]) -> dict[str, list[int]]:
    """Columns by how their names begin: up to a separator, else without the number at the end.

    Nothing when that tells no groups.
    """
    groups: dict[str, list[int]] = {}
    for d, name in enumerate(names):
        begins = re.match(r"(.*?\w)[\s_.:,;/|-]", name)
        head = begins.group(1) if begins else re.sub(r"\d+$", "", name)
        groups.setdefault(head or name, []).append(d)
    return groups if 2 <= len(groups) < len(names) else {}


def in_groups(dataset: Dataset, groups: Mapping[str, Sequence[int]]) -> Dataset:
    """Columns of a table (numbers from 0) as views; columns of no group are left out, as noted.

    Raises DataError for a view without columns and for a column in two.
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
            "A column belongs to one view."
        )
    left = [name for d, name in enumerate(names) if d not in counts]
    told = (f"Columns in no view, left out: {listed(left, 12)}.",) if left else ()
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
        notes=(*dataset.notes, *told),
    )


def in_blocks(dataset: Dataset, names: Sequence[str], width: int) -> Dataset:
    """Every `width` neighbouring columns as a view with a name; the row is drawn as before.

    A block in which nothing varies joins the next one that does (the last: the one before), since
    alone it would be a view with nothing to learn. Raises DataError when fewer than two are left.
    """
    values = dataset.values
    varies = np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)
    alive = [int(block) for block in np.flatnonzero(varies.reshape(-1, width).any(axis=1))]
    if len(alive) < 2:
        raise DataError(
            f"{dataset.title}: fewer than two of the {len(names)} views would vary. Take the data "
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
    told = (f"Constant, joined to a neighbouring view: {listed(still)}.",) if still else ()
    return replace(dataset, views=views, notes=(*dataset.notes, *told))


def with_labels(dataset: Dataset) -> Dataset:
    """The labels as a further view, ±1 a class. Raises DataError without labels of two kinds."""
    if dataset.labels is None or len(np.unique(dataset.labels)) < 2:
        raise DataError(f"{dataset.title} has no labels of two kinds or more.")
    present, numbers = np.unique(dataset.labels, return_inverse=True)
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
        times=dataset.times,
        sequences=dataset.sequences,
        source=dataset.source,
        notes=(*dataset.notes, f"The labels are the view “{name}”: 1 for a row's class, −1 else."),
        covariates=dataset.covariates,
    )
    return with_column_names(whole, [*(view.column_names for view in own), classes])
