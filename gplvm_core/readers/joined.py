"""Join files that describe the same rows into one data set; each file is a view."""

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.numerics import IntArray
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.errors import DataError, in_digits, listed, numbered, plural
from gplvm_core.readers.views import View

Unequal = Literal["trim", "fill"]
# The beginnings of the readers' notes on empty rows.
LEFT_OUT = ("Left out, without any value", "Lines without any value", "Rows without any value")

BY_IDS = "The rows were joined by their ids"  # the beginning of the note


class RowsDifferError(DataError):
    """The files have different numbers of rows, or ids, and `unequal` was not given."""


@dataclass(frozen=True, eq=False)
class FileView:
    """One file, as one view of the rows.

    name: the name of the view; file: the name of the file, for messages; rows: which of the
    `n_rows` rows are in `dataset`, None for all. In the other rows the view is missing.
    """

    name: str
    file: str
    dataset: Dataset
    n_rows: int
    rows: Int[IntArray, " n"] | None = None

    def targets(self, count: int) -> NDArray[Any]:
        """Return the first `count` rows; NaN where the view is missing."""
        values = self.dataset.targets
        if self.rows is None and self.n_rows >= count:
            return values[:count]
        rows = np.arange(self.n_rows) if self.rows is None else self.rows
        filled = np.full((max(count, self.n_rows), values.shape[1]), np.nan)
        filled[rows] = values
        return filled[:count]

    @property
    def ids(self) -> list[str] | None:
        """The names of all rows; None if the file has none, or not for every row."""
        names = self.dataset.row_names
        return None if names is None or self.rows is not None else names.tolist()

    def in_order_of(self, ids: Sequence[str]) -> "FileView":
        """Return the view with the rows of these ids; the view is missing where it lacks one."""
        own = {name: n for n, name in enumerate(self.ids or ())}
        at = np.array([n for n, name in enumerate(ids) if name in own], dtype=np.intp)
        rows = np.array([own[name] for name in ids if name in own], dtype=np.intp)
        some = None if len(at) == len(ids) else at
        return replace(self, dataset=self.dataset.taken(rows), n_rows=len(ids), rows=some)

    def knows_all(self, count: int) -> bool:
        """Whether the labels, times and other facts of the file are known for all of the first
        `count` rows.
        """
        return self.rows is None and self.n_rows >= count


def joined(parts: Sequence[FileView], unequal: Unequal | None = None) -> Dataset:
    """Join the data sets of the files as views of one data set.

    unequal: the treatment of rows that some files lack. "trim" leaves such rows out, "fill" marks
    them as missing in these files. Labels and times come from the first file that has them for all
    rows. Files whose rows have the same ids in another order are joined by them. Raises DataError
    for empty or repeated names, and RowsDifferError for different numbers of rows or different ids
    if `unequal` is None.
    """
    check_names([part.name for part in parts], [part.file for part in parts])
    parts, id_notes, kept = by_ids(parts, unequal)
    counts = [part.n_rows for part in parts]
    if len(set(counts)) > 1 and unequal is None:
        numbers = ", ".join(f"{part.file} has {part.n_rows:,}" for part in parts)
        raise RowsDifferError(
            f"The files have different numbers of rows: {numbers}. Row n of every "
            "file describes the same item."
        )
    count = max(counts) if unequal == "fill" else min(counts)
    names = [part.name.strip() for part in parts]
    drawn = zip(names, parts, strict=True)
    views = {
        name: (part.targets(count), View(name, own.drawing, own.column_names, own.columns))
        for name, part in drawn
        for own in [part.dataset]
    }
    facts, fact_notes = facts_beside(parts, count)
    if kept is not None:
        facts["row_names"] = np.array(kept)
    row_notes = rows_in_words(parts, count, facts.get("row_names"))
    return Dataset.of_views(
        "_and_".join(re.sub(r"\W+", "_", name) for name in names)[:60],
        title_of(names),
        views,
        source=" ".join(part.dataset.source for part in parts),
        notes=(*id_notes, *row_notes, *fact_notes, *notes_of(parts)),
        **facts,
    )


def by_ids(
    parts: Sequence[FileView], unequal: Unequal | None
) -> tuple[Sequence[FileView], list[str], list[str] | None]:
    """Return the files with their rows in the order of the first file's ids, notes, and these ids
    if the files were joined by them.

    Files are joined by position if at most one has ids, if their ids agree row by row, only count
    the rows, or have nothing in common. Raises DataError for repeated ids, and for a file without
    ids beside files whose ids are in different orders.
    """
    ids = {part.file: part.ids for part in parts if part.ids is not None}
    (first, own), *others = ids.items() or [("", [])]
    if all(_agree(own, other) for _, other in others) or all(map(_counts, ids.values())):
        alike = len(ids) == len(parts) > 1 and not all(map(_counts, ids.values()))
        equal = alike and all(len(own) == len(other) for _, other in others)
        return parts, [f"{BY_IDS}: {_shared(ids)}."] if equal else [], None
    apart = [file for file, other in others if not set(own) & set(other)]
    if len(apart) == len(others):
        return (
            parts,
            [
                f"The ids of {listed([first, *apart])} have nothing in common: row n of one "
                "file was joined with row n of the other."
            ],
            None,
        )
    without = [part.file for part in parts if part.ids is None]
    repeats = [file for file, names in ids.items() if len(set(names)) < len(names)]
    if without or repeats or apart:
        reason = "ids that occur twice" if repeats else "other ids" if apart else "no ids"
        raise DataError(
            f"The ids of {listed(list(ids))} are in different orders, and "
            f"{listed(repeats or apart or without)} has {reason}, so the rows cannot be joined. "
            "Correct the ids, or bring the rows into the same order and delete the ids."
        )
    every = dict.fromkeys(name for names in ids.values() for name in names)
    common = set[str].intersection(*map(set, ids.values()))
    if len(common) < len(every) and unequal is None:
        only = listed([name for name in every if name not in common], 5)
        raise RowsDifferError(
            f"Rows are joined by their ids: {_shared(ids)} ({only}). Rows with an id that not all "
            "files have can be left out, or kept as missing."
        )
    kept = [name for name in every if unequal == "fill" or name in common]
    notes = [f"{BY_IDS}, which are not in the same order in all files: {_shared(ids)}."]
    if unequal == "trim" and len(kept) < len(every):
        notes.append(f"Left out: {plural(len(every) - len(kept), 'id')} that some files lack.")
    return [part.in_order_of(kept) for part in parts], notes, kept


def _shared(ids: dict[str, list[str]]) -> str:
    """Say how many ids are in all files, and how many are only in one or in some of them."""
    files = Counter(name for names in ids.values() for name in set(names))
    everywhere = sum(n == len(ids) for n in files.values())
    counts = [f"{everywhere:,} in {'both' if len(ids) == 2 else 'all'} files"]
    only = {file: sum(files[name] == 1 for name in names) for file, names in ids.items()}
    counts += [f"{count:,} only in {file}" for file, count in only.items() if count]
    if some := len(files) - everywhere - sum(only.values()):
        counts.append(f"{some:,} in some files")
    return ", ".join(counts)


def _agree(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether ids agree row by row, as far as both go."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _counts(names: Sequence[str]) -> bool:
    """Whether ids only count the rows."""
    return names[0].isdecimal() and list(names) == [
        str(int(names[0]) + n) for n in range(len(names))
    ]


def title_of(names: Sequence[str]) -> str:
    """Return the views in a few words: "left, right and labels"."""
    if len(names) > 4:
        return f"{names[0]} and {len(names) - 1} other views"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def check_names(names: Sequence[str], owners: Sequence[str] = ()) -> None:
    """Raise a DataError for an empty or repeated view name; owners: the files, for the message."""
    for number, name in enumerate(names):
        if not name.strip():
            whose = f"from {owners[number]}" if owners else f"number {number + 1}"
            raise DataError(f"The view {whose} has no name. Give it one.")
    repeated = [name for name, n in Counter(name.strip() for name in names).items() if n > 1]
    if repeated:
        of = [owner for owner, name in zip(owners, names, strict=False) if name in repeated[:1]]
        whose = f" ({listed(of)})" if of else ""
        raise DataError(
            f"Several views are called “{repeated[0]}”{whose}. Give each a different name."
        )


def unique_name(name: str, taken: Sequence[str]) -> str:
    """Return the name, with a number appended if it is taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name} {number}", number + 1
    return found


def facts_beside(parts: Sequence[FileView], count: int) -> tuple[dict[str, Any], list[str]]:
    """Return labels, times, row names and sequences, each from the first file that has it.

    Also return notes.
    """
    facts: dict[str, Any] = {}
    notes = []
    for what, words in (("labels", "label_names"), ("times", "time_unit"), ("row_names", None)):
        part = first(parts, count, what)
        if part is None:
            continue
        facts[what] = getattr(part.dataset, what)[:count]
        if words is not None:
            facts[words] = getattr(part.dataset, words)
            notes.append(f"{what.capitalize()}: those of {part.file}.")
    # Times are relative to sequences, so both must come from the same file.
    ordered = first(parts, count, "times") or first(parts, count, "sequences")
    if ordered is not None:
        own = ordered.dataset
        facts |= {} if own.sequences is None else {"sequences": own.sequences[:count]}
        facts["sequence_names"] = own.sequence_names
        facts |= {"empty_times": own.empty_times, "empty_sequences": own.empty_sequences}
    for part in parts:
        has_facts = part.dataset.labels is not None or part.dataset.times is not None
        if has_facts and not part.knows_all(count):
            notes.append(
                f"Labels and times of {part.file} are not used: it does not have all rows."
            )
    return facts, notes


def first(parts: Sequence[FileView], count: int, what: str) -> FileView | None:
    """Return the first file that has this fact for the first `count` rows."""
    known = (part for part in parts if part.knows_all(count))
    return next((part for part in known if getattr(part.dataset, what) is not None), None)


def clash_of_times(parts: Sequence[FileView]) -> str | None:
    """Return a warning if two files give a row different times, because they may not align."""
    with suppress(DataError):  # `joined` reports it
        parts = by_ids(parts, "trim")[0]
    timed = [part for part in parts if part.dataset.times is not None and part.rows is None]
    for part in timed[1:]:
        count = min(part.n_rows, timed[0].n_rows)
        one, other = (np.asarray(p.dataset.times)[:count] for p in (timed[0], part))
        apart = np.flatnonzero(~np.isclose(one, other, rtol=1e-6, atol=1e-9))
        if len(apart):
            n = int(apart[0])
            return (
                f"The times differ: in row {n + 1}, {timed[0].file} has {in_digits(one[n])} and "
                f"{part.file} has {in_digits(other[n])}. If the rows were not recorded at the same "
                f"times, the views do not align. The times of {timed[0].file} are used."
            )
    return None


def rows_in_words(parts: Sequence[FileView], count: int, ids: Any) -> list[str]:
    """Return notes on the treatment of rows that some files lack; ids: of all rows, or None."""
    longer = [f"{part.file} has {part.n_rows:,}" for part in parts if part.n_rows > count]
    notes = [f"Trimmed to the first {plural(count, 'row')}: {', '.join(longer)}."] if longer else []
    for part in parts:
        gaps = max(0, count - part.n_rows)
        if gaps:
            notes.append(
                f"{part.file} ends {plural(gaps, 'row')} early; the view is missing there."
            )
        if part.rows is not None:
            absent = np.setdiff1d(np.arange(min(part.n_rows, count)), part.rows)
            where = numbered("row", absent + 1 if ids is None else ids[absent])
            notes.append(f"{part.file}: the view is missing in {where}.")
    return notes


def notes_of(parts: Sequence[FileView]) -> list[str]:
    """Return the readers' notes, each preceded by the view's name."""
    return [
        f"{part.name.strip()}: {note}"
        for part in parts
        for note in part.dataset.notes
        # Here, rows without values are not left out. The view is missing in these rows, and
        # rows_in_words reports them.
        if part.rows is None or not note.startswith(LEFT_OUT)
    ]
