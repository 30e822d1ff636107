"""Read tables of all formats as data sets, given the roles of their columns."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array, IntArray
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing, check_image_shape
from gplvm_core.readers.errors import DataError, EmptyRowsError, by_count, listed, numbered, plural
from gplvm_core.readers.kinds import LACKS, usable
from gplvm_core.readers.missing import EMPTY, check_observed
from gplvm_core.readers.proposals import in_order
from gplvm_core.readers.sources import Source, read_source, stem
from gplvm_core.readers.tables.arrays import NPY_MAGIC, ZIP_MAGIC, parse_arrays
from gplvm_core.readers.tables.codes import missing_codes, total_rows, without_codes
from gplvm_core.readers.tables.columns import Column, Table
from gplvm_core.readers.tables.dates import DateFormat, TimeUnit
from gplvm_core.readers.tables.mixed import Kinds, read_values
from gplvm_core.readers.tables.parquet import is_columnar, parse_columnar
from gplvm_core.readers.tables.roles import (
    ColumnRoles,
    find_sequences,
    parts_of_dates,
    row_names_of,
    sequences_in,
    times_in,
)
from gplvm_core.readers.tables.sheets import is_workbook, parse_workbook
from gplvm_core.readers.tables.text import parse_text

# Files of instruments by their first bytes. As text, a spectrum would be read as another table.
NOT_READ = (
    (
        re.compile(rb"FCS[23]\.\d"),
        "a flow cytometry file (FCS). Give it the ending .fcs, and it is read as such.",
        "Read it with read_fcs.",
    ),
    (
        re.compile(rb"(?:\xef\xbb\xbf)?\s*##\s*TITLE\s*=[^\n]*\n\s*(?:##|\$\$)", re.IGNORECASE),
        "a spectrum in JCAMP-DX. Save the spectra as one table (CSV, Excel), with a row for each "
        "spectrum and a column for each wavelength.",
        "",
    ),
)
NOT_LEARNT = "Not learnt: "  # in front of the columns with the names of rows
UNNAMED = ", which has no name of its own and counts the rows."
SKIP = "In a script: skip_empty_rows=True."
IF_MISSING = "If it stands for missing values, read the table with missing=[{:.10g}]."
DATES = (
    "{0} is learnt as numbers, but seems to hold dates ({1}). To read them as such: "
    "time_column={0!r}, or date_columns=[{0!r}]."
)
PANEL = (
    "{0} seems to name sequences in which {1} rises. To read them as such: sequence_column={0!r}, "
    "time_column={1!r}."
)


def read_table(
    source: Source,
    *,
    array: str | None = None,
    header: bool | None = None,
    label_column: str | None = None,
    id_columns: Iterable[str] = (),
    time_column: str | None = None,
    sequence_column: str | None = None,
    date_columns: Iterable[str] = (),
    date_formats: Mapping[str, DateFormat] | None = None,
    time_unit: TimeUnit | None = None,
    missing: Iterable[float] | None = None,
    encoding: str | None = None,
    skip_empty_rows: bool = False,
    image_shape: tuple[int, ...] | None = None,
    kinds: Kinds = None,
) -> Dataset:
    """Read the rows of a CSV, Excel (first sheet with a table), Parquet, Arrow, NPZ or NPY file.

    `array` names the array of an NPZ file if several could be the table. `header` says whether the
    first line names the columns (None: find out). Label, id and time columns are not learnt; they
    become the data set's labels, row names and times. In an NPZ file, these columns may be 1-D
    arrays. One column can be both label and time. `sequence_column` names the sequence of each row,
    such as the subject that was measured over time.

    Dates in the time column become the time since the earliest row, in `time_unit` ("days",
    "hours", "seconds"; None chooses one that suits the steps). `date_columns` become columns to
    learn: the year, the season (sine and cosine over the year) and the weekday. `date_formats`
    gives the format of a column's dates ("iso", "day first", "month first", "month name",
    "compact", "excel days", "unix seconds", "unix milliseconds"), or "numbers" for plain
    numbers, if the cells are ambiguous.

    Times of day ("14:35", "09:12:05", "2:35 pm") become hours since midnight, with a note. Numbers
    with decimal commas, with separated thousands, with a minus at their end, or with a percent sign
    or unit in every cell of their column are read, with a note. Empty cells and cells that read NA,
    N/A, n.a., n.d., k.a., <LOD, <LOQ, #N/A, <NA>, NaN, null, none, missing, "?", "-", "–" or "."
    (in any case) are missing: NaN among the targets, −1 among the labels. `missing` lists numbers
    that also stand for missing values, such as -999; a note names such numbers if they repeat.
    `encoding` is that of a text, such as "cp1252" (None: UTF-8, or else Windows-1252, with a note);
    "utf-8 twice" mends letters such as Ã¤. Empty columns at the end of a text table, empty lines,
    and comments between the rows are left out. With `skip_empty_rows`, rows without a value in any
    column to learn are also left out. image_shape: the rows are images of this height and width
    (and 3 colours), line by line.

    `kinds` (docs/kinds.md) gives the kinds of the columns to learn. None: all are numbers. "auto":
    the values decide. "robust": likewise, with robust noise for numbers. A mapping gives a kind for
    some columns ("number", "robust", "yes/no", "category", "grade", "count", or the words of a
    grade in their order), and the values decide for the others.
    Where no column has words, "auto" columns are numbers. A label column with a kind is learnt,
    too. Train with `kinds=dataset.kinds` on `dataset.in_own_values()`.

    The reader does not drop, guess or fill in anything else. Raises DataError for a row
    (EmptyRowsError) or a column without values, a cell that is not a date in a column of dates, and
    missing times.

    Examples
    --------
    >>> from gplvm_core import read_table
    >>> table = b"place,kind,height,width\\nA,oak,2.5,1\\nB,elm,NA,3\\nC,oak,4,2\\n"
    >>> trees = read_table(table, label_column="kind", id_columns=["place"])
    >>> trees.values
    array([[2.5, 1. ],
           [nan, 3. ],
           [4. , 2. ]])
    >>> trees.column_names, trees.row_names, trees.label_names
    (('height', 'width'), array(['A', 'B', 'C'], dtype='<U1'), ('elm', 'oak'))
    """
    table = parse_table(source, array, header, missing=missing or (), encoding=encoding)
    if not table.columns:
        names = listed([repr(key) for key in table.arrays], 20)
        raise DataError(
            f"{table.name} holds several tables. Choose one: {names}.", script="Name it in array=."
        )
    roles = ColumnRoles.of(
        table, label_column, time_column, id_columns, date_columns, date_formats, sequence_column
    )
    numbering = table.row_numbers
    table = _without_numbering(table, roles, kinds)
    values, notes = _to_learn(table, roles, kinds, missing)
    columns, targets, kind_notes = read_values(values, kinds, table)
    notes += kind_notes
    rows = np.arange(len(targets))
    if skip_empty_rows:
        rows, row_notes = _filled_rows(targets, usable(targets, columns), table, roles)
        targets = targets[rows]
        notes += row_notes
    check_observed(
        np.isnan(targets),
        table.name,
        lambda n: f"{table.unit} {table.places[rows[n]]}",
        lambda d: f"column {values[d].name!r}",
        SKIP,
    )
    lost = rows[np.isnan(usable(targets, columns)).all(axis=1)]
    if len(lost):
        where = numbered(table.unit, table.places[lost])
        raise EmptyRowsError(
            f"{table.name}: {plural(len(lost), 'row')} ({where}) cannot train, because {LACKS} and "
            f"there is no other value. Leave {by_count(len(lost), 'it', 'them')} out.",
            script=SKIP,
        )
    notes += _missing_notes(targets, values)
    facts, fact_notes = _facts(table, roles, rows, time_unit=time_unit, numbering=numbering)
    if image_shape is not None and columns:
        raise DataError(f"{table.name}: only rows of numbers can be pictures.")
    targets, drawing = _drawn(targets, table, image_shape)
    return Dataset(
        name=stem(table.file or table.name),
        title=stem(table.file or table.name).replace("_", " "),
        targets=targets,
        drawing=drawing,
        column_names=None if drawing.kind == "image" else tuple(column.name for column in values),
        columns=columns,
        source=f"{table.name}, a table.",
        notes=(*notes, *fact_notes),
        **facts,
    )


def _without_numbering(table: Table, roles: ColumnRoles, kinds: Kinds) -> Table:
    """Return the table without a column that only numbers its rows, unless the user named it."""
    numbers = table.row_numbers
    if numbers is None or numbers.name in (*roles.all, *(() if kinds is None else kinds)):
        return table
    note = f"{NOT_LEARNT}{numbers.name}{UNNAMED}"
    columns = tuple(column for column in table.columns if column is not numbers)
    return replace(table, columns=columns, notes=(*table.notes, note))


def _to_learn(
    table: Table, roles: ColumnRoles, kinds: Kinds, missing: Iterable[float] | None
) -> tuple[list[Column], list[str]]:
    """Return the columns to learn, and notes on what the table may mean by them."""
    given = roles.check_kinds(table, kinds)
    values = [
        column
        for column in table.columns
        if column.name not in roles.all or (column.name == roles.label and column.name in given)
    ]
    notes = list(table.notes)
    if missing is None:
        codes = missing_codes([c for c in values if c.name not in roles.formats])
        notes += [f"{code.words} {IF_MISSING.format(code.value)}" for code in codes]
    if roles.sequence is None and not table.beside:
        found = find_sequences([c for c in table.columns if c.name not in roles.ids])
        if found is not None and found[0] in [column.name for column in values]:
            notes.append(PANEL.format(*found))
    for column in values:
        dates = None if column.numbers is None else column.dates
        if dates and dates.usual and column.name not in roles.formats:
            notes.append(DATES.format(column.name, dates.reason))
    for column in roles.columns(table, roles.dates):
        parts, part_notes = parts_of_dates(column, table, roles.formats)
        values += parts
        notes += part_notes
    if not values:
        raise DataError(f"{table.name}: no column is left to learn. Give fewer columns a role.")
    if len(table.places) < 2:
        raise DataError(f"{table.name} has one row. A table needs at least two rows.")
    return values, notes


def _filled_rows(
    targets: Array, known: Array, table: Table, roles: ColumnRoles
) -> tuple[Int[IntArray, " n"], list[str]]:
    """Return the rows with a usable value in any column to learn, and notes on the others.

    known: the targets that models use.
    """
    empty, unused = np.isnan(targets).all(axis=1), np.isnan(known).all(axis=1)
    notes = []
    for left, what in ((empty, EMPTY), (unused & ~empty, f"{EMPTY} to use because {LACKS}")):
        skipped = table.places[left]
        if len(skipped) and roles.time:
            notes.append(
                f"{plural(len(skipped), 'step')} {what} ({numbered(table.unit, skipped)}) will be "
                "filled by a model over time; other models leave "
                f"{by_count(len(skipped), 'it', 'them')} out."
            )
        elif len(skipped):
            notes.append(f"Left out, {what}: {numbered(table.unit, skipped)}.")
    return np.flatnonzero(~unused), notes


def _facts(
    table: Table,
    roles: ColumnRoles,
    rows: Int[IntArray, " n"],
    *,
    time_unit: TimeUnit | None,
    numbering: Column | None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the fields of the data set that columns with a role give, and notes."""
    facts: dict[str, Any] = {}
    notes = []
    for column in roles.columns(table, [roles.label]):
        facts["labels"], facts["label_names"] = classes_of(column, rows)
        if without := np.count_nonzero(facts["labels"] < 0):
            notes.append(f"Rows without a label: {without}.")
    for column in roles.columns(table, [roles.time]):
        times, words, time_notes = times_in(column, table, roles.formats, rows, unit=time_unit)
        empty = np.setdiff1d(np.flatnonzero(np.isfinite(times)), rows)
        facts |= {"times": times[rows], "time_unit": words}
        facts |= {"empty_times": times[empty]} if len(empty) else {}
        notes += time_notes
    for column in roles.columns(table, [roles.sequence]):
        facts["sequences"], facts["sequence_names"], note = sequences_in(column, table, rows)
        notes.append(note)
        if "empty_times" in facts:
            # A sequence without any value does not exist for a model.
            called = column.words()
            number = {called[n]: int(k) for n, k in zip(rows, facts["sequences"], strict=True)}
            known = [n for n in empty if called[n] in number]
            facts["empty_times"] = times[known]
            facts["empty_sequences"] = np.array([number[called[n]] for n in known], dtype=np.int64)
    names = row_names_of(roles.columns(table, roles.ids))
    if names is None and numbering is not None and not _counts(numbering):
        names = row_names_of([numbering])
    if names is not None:
        facts["row_names"] = names[rows]
    if roles.ids:
        notes.append(f"{NOT_LEARNT}{listed(list(roles.ids))}.")
    unused = [column.name for column in table.beside if column.name not in roles.all]
    if unused:
        notes.append(f"Arrays not used: {listed(unused)}.")
    return facts, notes


def _drawn(
    targets: Array, table: Table, image_shape: tuple[int, ...] | None
) -> tuple[NDArray[Any], Drawing]:
    """Return the targets and how a row is drawn. image_shape: the shape that the user gave."""
    width = targets.shape[1]
    if image_shape is not None:
        check_image_shape(image_shape, width, table.name)
        shape = tuple(image_shape)
    elif table.image_shape is not None and width == len(table.columns):
        shape = table.image_shape
    else:
        return targets, Drawing.of_vector(width)
    low, high = float(np.nanmin(targets)), float(np.nanmax(targets))
    if table.is_bytes and high > 1:
        return targets.astype(np.uint8), Drawing("image", shape, (0.0, 255.0))
    return targets, Drawing("image", shape, (low, high) if high > low else None)


def rows_with_values(
    source: Source,
    *,
    array: str | None = None,
    header: bool | None = None,
    missing: Iterable[float] | None = None,
    encoding: str | None = None,
    **of_columns: Any,
) -> tuple[Int[IntArray, " n"], int]:
    """Return the numbers of rows with a value in any column to learn, and the number of all rows.

    The arguments are those of `read_table`; of_columns: the roles of columns. Here, lines with only
    delimiters count as rows if a row with a value follows. Otherwise, row n would no longer
    describe the same item as row n of another file.
    """
    table = parse_table(source, array, header, missing=missing or (), encoding=encoding)
    roles = ColumnRoles.of(table, **of_columns)
    columns = [column for column in table.columns if column.name not in roles.all]
    for column in roles.columns(table, roles.dates):
        columns += parts_of_dates(column, table, roles.formats)[0]
    values = [column.numbers for column in columns if column.numbers is not None]
    if not values:
        raise DataError(
            f"{table.name} has no column of numbers to learn. Add one, or choose its array."
        )
    empty = np.isnan(np.column_stack(values)).all(axis=1)
    places = np.sort([*table.places, *table.blank])
    return np.searchsorted(places, table.places[~empty]), len(places)


def parse_table(
    source: Source,
    array: str | None = None,
    header: bool | None = None,
    *,
    missing: Iterable[float] = (),
    encoding: str | None = None,
) -> Table:
    """Return the columns of a file. Raises DataError for files that cannot be read."""
    data, name = read_source(source, "a CSV, Excel, Parquet, Arrow, NPZ or NPY file")
    table = without_codes(_parsed(data, name, array, header, encoding), missing)
    return replace(table, notes=(*table.notes, *total_rows(table)))


def _parsed(
    data: bytes, name: str, array: str | None, header: bool | None, encoding: str | None
) -> Table:
    sheet = is_workbook(data, name)
    if data.startswith((ZIP_MAGIC, NPY_MAGIC)) and not sheet:
        return parse_arrays(data, name, array)
    if array is not None:
        raise DataError(
            f"{name} is a single table without an array {array!r}.", script="Leave array out."
        )
    if is_columnar(data):
        return parse_columnar(data, name)
    for first, what, script in NOT_READ:
        if first.match(data):
            raise DataError(f"{name} is not a table but {what}", script=script)
    return parse_workbook(data, name, header) if sheet else parse_text(data, name, header, encoding)


def _counts(column: Column) -> bool:
    """Whether a column of numbers rises by one in each row."""
    return column.numbers is not None and bool((np.diff(column.numbers) == 1.0).all())


def _missing_notes(targets: Array, columns: list[Column]) -> list[str]:
    counts = np.isnan(targets).sum(axis=0)
    which = [int(d) for d in np.argsort(-counts, kind="stable") if counts[d]]
    if not which:
        return []
    spellings = sorted(set().union(*(columns[d].missing_spellings() for d in which)))
    words = listed([f"“{text}”" if text else "empty" for text in spellings], 20)
    where = listed([f"{columns[d].name} ({counts[d]})" for d in which], 8)
    return [f"Cells read as missing values ({words}): {counts.sum()}, in the columns {where}."]


def classes_of(
    column: Column, rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return class numbers of the rows (−1 for blank cells), and class names.

    The names are sorted by number or in natural order.
    """
    cells = column.words()
    words = [cells[n] for n in rows]
    if column.numbers is None:
        names = list(in_order({word for word in words if word}))
    else:
        order = np.argsort(column.numbers[rows], kind="stable")
        names = list(dict.fromkeys(word for i in order if (word := words[i])))
    number = {name: i for i, name in enumerate(names)}
    return np.array([number.get(word or "", -1) for word in words], dtype=np.int64), tuple(names)
