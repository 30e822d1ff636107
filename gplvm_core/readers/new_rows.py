"""Read new rows for a model, from a table or one picture, in the columns of its data set."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.numerics import Array, Int64Array, IntArray
from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.error_columns import ERRORS, error_columns
from gplvm_core.readers.errors import (
    DataError,
    by_count,
    in_digits,
    listed,
    numbered,
    parsing,
    plural,
)
from gplvm_core.readers.files import ENDINGS, ending_of
from gplvm_core.readers.kinds import LACKS, NO_VALUE, TableColumn, usable
from gplvm_core.readers.limits import MEGABYTE
from gplvm_core.readers.misfits import (
    WHOLE,
    Mends,
    Misfit,
    mended,
    name_misfits,
    numbers_in,
    words_in,
)
from gplvm_core.readers.names import Drawn, column_words, names_of
from gplvm_core.readers.packages import require_packages
from gplvm_core.readers.pictures.picture import NEEDS, open_picture
from gplvm_core.readers.sources import NamedBytes, Source, read_source
from gplvm_core.readers.tables.arrays import parse_arrays
from gplvm_core.readers.tables.columns import Column, Table, reading_notes, text_column
from gplvm_core.readers.tables.dates import date_columns
from gplvm_core.readers.tables.mixed import coded_cells
from gplvm_core.readers.tables.records import parse_records
from gplvm_core.readers.tables.report import identifiers
from gplvm_core.readers.tables.roles import moments_in, row_names_of
from gplvm_core.readers.tables.table import parse_table
from gplvm_core.readers.views import View

TABLES = tuple(ending for ending, kind in ENDINGS.items() if kind == "table")
PICTURES = ("png", "jpg", "jpeg", "bmp", "gif", "webp")
MOST_MEGABYTES = 50
MOST_ROWS = 5000  # rows that a page shows
RECORDS = "The rows"  # stands for the file in messages


@dataclass(frozen=True)
class FileColumn:
    """A column of the file: the number of the model's column, or the cells of a column that the
    model lacks, with the decimal sign of the file.
    """

    name: str
    output: int | None = None
    cells: tuple[str, ...] = ()
    decimal: str = "."


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows (n, D) in the columns and units of the data set, NaN where missing.

    notes: what the reader changed; mark: a short digest that identifies the file; row_names: the
    names of the rows, if the file has any; columns: the columns of the file in their order, empty
    if they are the model's columns in the same order; numbers: the numbers of the rows in the file,
    from 1, if some were left out; misfits: what did not fit, column by column; errors: the known
    standard deviations of the values, NaN where unknown, if the model was trained with errors and
    the file has them; trained: the numbers, from 0, of the rows that are training rows, −1 for the
    others.
    """

    values: Float[Array, "n D"]
    notes: tuple[str, ...]
    mark: str = ""
    row_names: NDArray[np.str_] | None = None
    columns: tuple[FileColumn, ...] = ()
    numbers: Int[Int64Array, " n"] | None = None
    misfits: tuple[Misfit, ...] = ()
    errors: Float[Array, "n D"] | None = None
    trained: Int[IntArray, " n"] | None = None

    def number(self, row: int) -> int:
        """Return the number of a row in its file, from 1."""
        return row + 1 if self.numbers is None else int(self.numbers[row])

    def some(self, chosen: Int[IntArray, " m"]) -> "NewRows":
        """Return the chosen rows."""
        return replace(
            self,
            values=self.values[chosen],
            errors=None if self.errors is None else self.errors[chosen],
            trained=None if self.trained is None else self.trained[chosen],
            row_names=None if self.row_names is None else self.row_names[chosen],
            columns=tuple(
                replace(column, cells=tuple(column.cells[n] for n in chosen))
                if column.cells
                else column
                for column in self.columns
            ),
            numbers=np.array([self.number(n) for n in chosen]),
        )


def formats(drawing: Drawing) -> list[str]:
    """Return the file extensions that can hold such rows."""
    return [*TABLES, *(PICTURES if drawing.kind == "image" else ())]


def read_rows(
    source: Source, dataset: Drawn, mends: Mends = (), *, empty_rows: bool = False
) -> NewRows:
    """Read the rows of a file for a model whose columns and drawing are those of `dataset`.

    mends: the chosen remedies for misfits. Cells that are no numbers, and unknown words that
    resemble no known one, become gaps. Rows without any
    value are left out, unless `empty_rows` keeps them as frames of a sequence. Misfits and notes
    name these cells and rows. Raises DataError for files without usable rows.
    """
    data, name = read_source(source, "a file with at least one row")
    if len(data) > MOST_MEGABYTES * MEGABYTE:
        raise DataError(
            f"{name} has {len(data) / MEGABYTE:.0f} MB; up to {MOST_MEGABYTES} MB are uploaded. On "
            "one's own machine, the tab New rows answers a file of any size from disk; so does "
            "gplvm_core.apply() in a script."
        )
    if ending_of(name) in PICTURES:
        rows = _read_picture(name, data, dataset.drawing)
    else:
        rows = _read_table(name, data, dataset, mends, empty_rows)
    names = names_of(dataset)
    values = mended(rows.values, names, mends)
    if rows.errors is not None:
        rows = replace(rows, errors=mended(rows.errors, names, mends))
    rows = replace(rows, values=values, mark=hashlib.sha256(data).hexdigest()[:12])
    misfits = (*rows.misfits, *_picture_misfits(values, dataset.drawing))
    return without_empty(name, replace(rows, misfits=misfits), dataset.columns, keep=empty_rows)


def read_records(records: Sequence[Mapping[str, Any]], dataset: Dataset) -> NewRows:
    """Return records, one mapping from column names to values for each row, in the columns of a
    model's data set.

    Columns are matched only by name, as `names_of` and `column_words` give them. All else is as in
    `read_rows`. Raises DataError if no column has a known name, or no row has a value.
    """
    names = column_words(dataset)
    table = parse_records(records, RECORDS)
    given = [column.name for column in table.columns]
    # A column of dates has only the beginning of the names of its parts.
    if not any(wanted == own or wanted.startswith(f"{own} ") for wanted in names for own in given):
        raise DataError(
            f"{RECORDS} have none of the model's columns ({listed(list(names))}); they have "
            f"{listed(given) or 'no column'}. Use the model's names."
        )
    known = View(RECORDS, dataset.drawing, names, dataset.columns)
    table = _like_training(table, names, dataset.values)
    rows = _by_name(table, {column.name: column for column in table.columns}, known, None)
    return without_empty(RECORDS, rows, dataset.columns)


def without_empty(
    name: str, rows: NewRows, columns: Sequence[TableColumn] = (), *, keep: bool = False
) -> NewRows:
    """Leave out the rows without a usable value, and name them in notes; DataError if none remains.

    columns: of the rows, if some are not numbers. keep: leave out nothing; only check that at least
    one row has values.
    """
    blank = np.isnan(rows.values).all(axis=1)
    empty = np.isnan(usable(rows.values, columns)).all(axis=1)
    if not empty.any() or (keep and not empty.all()):
        return rows
    if empty.all():
        raise DataError(
            f"{name}: no row has a value in the model's columns. The model needs at least one "
            "value in a row; check the names of the columns."
            if blank.all()
            else f"{name}: {LACKS} in every row, and there is no other value. Give rows with at "
            "most one missing fraction."
        )
    lost = [
        (np.flatnonzero(blank), NO_VALUE),
        (np.flatnonzero(empty & ~blank), f"{LACKS}, and there is no other value"),
    ]
    return leaving_out(rows, [each for each in lost if len(each[0])])


def leaving_out(rows: NewRows, lost: Sequence[tuple[IntArray, str]]) -> NewRows:
    """Leave out rows, by their places and with the reasons; notes name them.

    Raises DataError if no row remains.
    """
    notes = [
        f"{numbered('Row', [rows.number(n) for n in own], 10)} {by_count(len(own), 'is', 'are')} "
        f"left out: {why}."
        for own, why in lost
    ]
    kept = np.setdiff1d(np.arange(len(rows.values)), np.concatenate([own for own, _ in lost]))
    if not len(kept):
        raise DataError(f"No row can be used. {' '.join(notes)}")
    return replace(rows.some(kept), notes=(*notes, *rows.notes))


def _picture_misfits(values: Array, drawing: Drawing) -> tuple[Misfit, ...]:
    """Return a misfit if the pixels seem to run from 0 to 1 where the model's pixels run to 255."""
    if drawing.kind != "image" or drawing.value_range is None or np.isnan(values).all():
        return ()
    low, high = drawing.value_range
    most = float(np.nanmax(values))
    if most > low + 0.02 * (high - low):
        return ()
    words = (
        f"These pixels are at most {in_digits(most, 3)}, but the model's run from {low:g} to "
        f"{high:g}, so the picture is almost black. Are the units different?"
    )
    fits = 0.0 < most <= 1.0 < high
    mend = ("times", WHOLE, repr(float(high))) if fits else None
    return (Misfit("pixels", words, mend, f"Multiply by {high:g}" if fits else ""),)


def _read_table(name: str, data: bytes, dataset: Drawn, mends: Mends, empty_rows: bool) -> NewRows:
    table = parse_table(NamedBytes(name, data), None, None)
    if table.header is False and _names_are_first(table, dataset.column_names or ()):
        table = parse_table(NamedBytes(name, data), None, True)
    if not table.columns:
        table = _array_that_fits(name, data, table, dataset)
    table = _like_training(table, names_of(dataset), getattr(dataset, "values", None))
    rows = _matched(name, table, dataset, mends)
    return _with_blank_lines(rows, table) if empty_rows else rows


def _like_training(table: Table, names: Sequence[str], known: Array | None) -> Table:
    """Return the table with its dots read so that the numbers are like the training rows, if no
    number of the file decides what they mean. names: of the columns of the training rows, `known`.
    """
    if not table.doubt or known is None:
        return table
    sign, means = (
        (".", "decimal points") if table.decimal == "," else (",", "separators of thousands")
    )
    other = tuple(
        column if column.numbers is None or not column.texts
        else text_column(column.name, column.texts, sign)
        for column in table.columns
    )  # fmt: skip
    own = dict(zip(names, known.T, strict=True))
    if _unlike(other, own) >= _unlike(table.columns, own):
        return table
    gone = {table.doubt, *reading_notes(table.columns)}
    kept = [note for note in table.notes if note not in gone]
    kept.append(f"Dots were read as {means}, because the numbers then are like the training rows.")
    return replace(
        table, columns=other, decimal=sign, doubt="", notes=(*kept, *reading_notes(other))
    )


def _unlike(columns: Sequence[Column], own: Mapping[str, Array]) -> int:
    """Return how many numbers are outside the range of the training rows."""
    count = 0
    for column in columns:
        known = own.get(column.name, np.zeros(0))
        known = known[np.isfinite(known)]
        if column.numbers is not None and len(known):
            given = column.numbers[np.isfinite(column.numbers)]
            count += int(np.sum((given < known.min()) | (given > known.max())))
    return count


def _names_are_first(table: Table, wanted: tuple[str, ...]) -> bool:
    """Whether the first row has most names of the model's columns, such as wavelengths."""
    first = {cell for column in table.columns for cell in column.first_words(1)}
    return 2 * len(first.intersection(wanted)) > len(wanted)


def _with_blank_lines(rows: NewRows, table: Table) -> NewRows:
    """Return lines without any cell as empty rows, unless another column could hold their times."""
    if not table.blank or any(column.cells for column in rows.columns):
        return rows
    lines = np.sort([*table.places, *table.blank])
    there = np.searchsorted(lines, table.places)
    values = np.full((len(lines), rows.values.shape[1]), np.nan)
    values[there] = rows.values
    begin = f"{table.unit.capitalize()}s without any value"
    notes = [note for note in rows.notes if not note.startswith(begin)]
    blank = listed([str(line) for line in table.blank], 10)
    notes.append(f"{begin} are empty rows: {blank}.")
    return replace(rows, values=values, notes=tuple(notes))


def _matched(name: str, table: Table, dataset: Drawn, mends: Mends) -> NewRows:
    """The rows of a table in the model's columns, by name or in order."""
    width = dataset.drawing.n_outputs
    wanted = dataset.column_names or ()
    mixed = not all(column.is_number for column in dataset.columns)
    same = {there: wish for kind, wish, there in mends if kind == "use"}
    renamed = [replace(column, name=same.get(column.name, column.name)) for column in table.columns]
    table = replace(table, columns=tuple(renamed))
    named = {column.name: column for column in table.columns}
    if any(column in named for column in wanted) or name_misfits(wanted, [*named]):
        return _by_name(table, named, dataset, mends)
    numeric = [column for column in table.columns if column.numbers is not None]
    # Text in a needed column raises an error that names the cell; other columns of text are left
    # out.
    columns = list(table.columns) if len(table.columns) == width or mixed else numeric
    if len(columns) != width:
        names = f" ({listed(list(wanted))})" if wanted else ""
        of_numbers = "" if mixed else " of numbers"
        raise DataError(
            f"{name} has {plural(len(columns), 'column')}{of_numbers}, but this model has "
            f"{width:,}{names}. Use a table with the model's columns; write NA where "
            "a value is missing."
        )
    notes = list(table.notes)
    left_out = [column.name for column in table.columns if column not in columns]
    if left_out:
        notes.append(f"Columns that the model does not have were not used: {listed(left_out)}.")
    if wanted and table.header:
        notes.append("The column names differ from the model's; the columns were used in order.")
    return _rows(table, dict(enumerate(columns)), dataset, notes=notes, mends=mends)


def _rows(
    table: Table,
    used: dict[int, Column],
    dataset: Drawn,
    *,
    notes: list[str],
    misfits: Sequence[Misfit] = (),
    mends: Mends | None,
) -> NewRows:
    """Return the rows; used: the columns by their numbers in the model.

    mends: None: an unknown word raises DataError.
    """
    values = np.full((len(table.places), dataset.drawing.n_outputs), np.nan)
    found = list(misfits)
    for number, column in used.items():
        kind = dataset.columns[number] if dataset.columns else None
        if kind is None or kind.is_number:
            values[:, number], misfit = numbers_in(column, table)
            found += [] if misfit is None else [misfit]
            continue
        if mends is None or not kind.is_words:
            values[:, number] = coded_cells(kind, column, table)
        else:
            values[:, number], unknown = words_in(kind, column, table, mends)
            found += unknown
        notes += kind.slips_in(column.first_words(len(table.places))) if kind.slips else ()
    return NewRows(
        values,
        tuple(notes),
        row_names=_called(table, used.values()),
        columns=_in_order(table, {column.name: number for number, column in used.items()}),
        misfits=tuple(found),
    )


def _in_order(table: Table, places: dict[str, int]) -> tuple[FileColumn, ...]:
    """Return the columns of the file; places: the numbers of the model's columns, by name."""
    if [places.get(column.name) for column in table.columns] == [*range(len(table.columns))]:
        return ()
    count = len(table.places)
    return tuple(
        FileColumn(column.name, places[column.name])
        if column.name in places
        else FileColumn(column.name, cells=column.first_words(count), decimal=table.decimal)
        for column in table.columns
    )


def _called(table: Table, used: Iterable[Column]) -> NDArray[np.str_] | None:
    """Return the names of the rows, from columns that the model does not use."""
    names = {column.name for column in used}
    return row_names_of([column for column in identifiers(table) if column.name not in names])


def _array_that_fits(name: str, data: bytes, table: Table, dataset: Drawn) -> Table:
    """Return the only array of an NPZ file whose rows have one value per column of the model."""
    width = dataset.drawing.n_outputs
    candidates = [parse_arrays(data, name, array) for array in table.arrays]
    fitting = [each for each in candidates if len(each.columns) == width]
    if len(fitting) == 1:
        return fitting[0]
    raise DataError(
        f"{name} holds several arrays ({listed(list(table.arrays))}), and "
        f"{'more than one' if fitting else 'none'} has the model's {width:,} values per row. "
        "Save only the array to complete."
    )


def _by_name(
    table: Table, named: dict[str, Column], dataset: Drawn, mends: Mends | None
) -> NewRows:
    """Return the model's columns by name; columns that the table lacks are missing in every row."""
    notes, wanted = list(table.notes), dataset.column_names or ()
    named, of_dates = _with_dates(table, named, wanted)
    absent = [column for column in wanted if column not in named and column not in table.empty]
    if absent:
        notes.append(
            f"The table lacks {plural(len(absent), 'column')} of the model, which "
            f"{'counts' if len(absent) == 1 else 'count'} as missing in every row: "
            f"{listed(absent)}."
        )
    errors, of_errors = _known_errors(table, named, dataset)
    unused = [name for name in named if name not in (*wanted, *of_dates, *of_errors)]
    if of_errors:
        notes.append(f"Known errors of values, as in training: {listed(of_errors)}.")
    if unused:
        notes.append(f"Columns that the model does not have were not used: {listed(unused)}.")
    used = {number: named[name] for number, name in enumerate(wanted) if name in named}
    odd = name_misfits(wanted, [*named])
    rows = _rows(table, used, dataset, notes=notes, misfits=odd, mends=mends)
    return replace(rows, errors=errors)


def _known_errors(
    table: Table, named: dict[str, Column], dataset: Drawn
) -> tuple[Array | None, list[str]]:
    """Return the known errors of the values, if the data set has errors and the table columns for
    them; and the names of these columns. Raises DataError for negative errors.
    """
    wanted = dataset.column_names or ()
    if ERRORS not in getattr(dataset, "covariates", ()):
        return None, []
    pairs = error_columns((*wanted, *(name for name in named if name not in wanted)))
    pairs = {of: own for of, own in pairs.items() if of in wanted and own not in wanted}
    found = np.full((len(table.places), len(wanted)), np.nan)
    for of, own in pairs.items():
        errors, misfit = numbers_in(named[own], table)
        if (errors < 0.0).any():
            raise DataError(
                f"the errors “{own}” must be at least 0; got {np.nanmin(errors):g}. Correct them, "
                "or rename the column"
            )
        if misfit is not None:
            raise DataError(misfit.words)
        found[:, wanted.index(of)] = errors
    return (found if pairs else None), [*pairs.values()]


def _with_dates(
    table: Table, named: dict[str, Column], wanted: tuple[str, ...]
) -> tuple[dict[str, Column], list[str]]:
    """Add the columns that the data set derived from dates; also return the names of the date
    columns.
    """
    found, used = dict(named), []
    for name, column in named.items():
        if not any(each.startswith(f"{name} ") and each not in named for each in wanted):
            continue
        moments = moments_in(column, table, {})
        if moments is None:
            continue
        parts = date_columns(name, moments[0])
        found |= {key: Column(key, part) for key, part in parts.items() if key in wanted}
        used.append(name)
    return found, used


def _read_picture(name: str, data: bytes, drawing: Drawing) -> NewRows:
    """Return one picture in the data's size; transparent pixels are gaps."""
    require_packages(*NEEDS)
    from PIL import Image, ImageOps

    height, width = drawing.shape[:2]
    notes = []
    picture = open_picture(data, name)
    if picture is None:
        raise DataError(f"{name} is not a picture that can be read. Save it as PNG.")
    with parsing(name):
        upright = ImageOps.exif_transpose(picture)
        has_gaps = upright.has_transparency_data
        whole = upright.convert("RGBA")
    if whole.size != (width, height):
        notes.append(
            f"Resized from {whole.width} × {whole.height} to the model's {width} × {height} pixels."
        )
    # Resize colour and opacity separately, so that no average includes the colour of a gap.
    opaque = np.asarray(whole.getchannel("A").resize((width, height), Image.Resampling.BOX))
    colour = len(drawing.shape) == 3
    resize = Image.Resampling.BOX if has_gaps else Image.Resampling.LANCZOS
    pixels = np.asarray(
        whole.convert("RGB" if colour else "L").resize((width, height), resize), dtype=float
    )
    low, high = drawing.value_range or (0.0, 255.0)
    values = low + (high - low) * pixels.reshape(height * width, -1) / 255.0
    values[opaque.ravel() < 255] = np.nan
    if has_gaps:
        notes.append("Transparent pixels are gaps.")
    return NewRows(values.reshape(1, -1), tuple(notes))
