"""Read new rows for a model, from a table or one picture, in the columns of its data set."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.readers.dataset import Dataset
from gplvm_core.readers.drawing import Drawing
from gplvm_core.readers.errors import DataError, listed, parsing, plural
from gplvm_core.readers.files import ENDINGS, ending_of
from gplvm_core.readers.kinds import TableColumn
from gplvm_core.readers.limits import MEGABYTE
from gplvm_core.readers.names import Drawn, names_of
from gplvm_core.readers.pictures.picture import open_picture, require_pillow
from gplvm_core.readers.sources import NamedBytes, Source, read_source
from gplvm_core.readers.tables.arrays import parse_arrays
from gplvm_core.readers.tables.columns import Column, Table
from gplvm_core.readers.tables.dates import date_columns
from gplvm_core.readers.tables.mixed import coded_cells
from gplvm_core.readers.tables.report import identifiers
from gplvm_core.readers.tables.roles import moments_in, row_names_of
from gplvm_core.readers.tables.table import parse_table

Array = NDArray[np.float64]
TABLES = tuple(ending for ending, kind in ENDINGS.items() if kind == "table")
PICTURES = ("png", "jpg", "jpeg", "bmp", "gif", "webp")
MOST_MEGABYTES = 10
MOST_ROWS = 5000


@dataclass(frozen=True)
class FileColumn:
    """A column of the file: the number of the model's column, or the cells of a column that the
    model lacks.
    """

    name: str
    output: int | None = None
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows (n, D) in the columns and units of the data set, NaN where missing.

    notes: what the reader changed; mark: a short digest that identifies the file; row_names: the
    names of the rows, if the file has any; columns: the columns of the file in their order, empty
    if they are the model's columns in the same order.
    """

    values: Float[Array, "n D"]
    notes: tuple[str, ...]
    mark: str = ""
    row_names: NDArray[np.str_] | None = None
    columns: tuple[FileColumn, ...] = ()


def formats(drawing: Drawing) -> list[str]:
    """The file extensions that can hold such rows."""
    return [*TABLES, *(PICTURES if drawing.kind == "image" else ())]


def read_rows(source: Source, dataset: Drawn) -> NewRows:
    """Read the rows of a file for a model whose columns and drawing are those of `dataset`.

    Raises DataError for rows that such a model cannot use.
    """
    data, name = read_source(source, "a file with at least one row")
    if len(data) > MOST_MEGABYTES * MEGABYTE:
        raise DataError(
            f"{name} has {len(data) / MEGABYTE:.0f} MB; up to {MOST_MEGABYTES} MB are read here. "
            "Use fewer rows."
        )
    if ending_of(name) in PICTURES:
        rows = _read_picture(name, data, dataset.drawing)
    else:
        rows = _read_table(name, data, dataset)
    _check(name, rows.values, dataset)
    notes = (*rows.notes, *_units_note(rows.values, dataset.drawing))
    return replace(rows, notes=notes, mark=hashlib.sha256(data).hexdigest()[:12])


def _check(name: str, values: Array, dataset: Drawn) -> None:
    if len(values) > MOST_ROWS:
        raise DataError(
            f"{name} has {len(values):,} rows; up to {MOST_ROWS:,} are read here. Use fewer rows.",
            script="Or pass an array to the model's complete().",
        )
    infinite = np.isinf(values)
    if infinite.any():
        row, column = (int(i) for i in np.argwhere(infinite)[0])
        raise DataError(
            f"{name}: row {row + 1} is infinite in {_column_name(dataset, column)}. Correct it, or "
            "leave the cell empty: an empty cell is a gap that the model fills."
        )
    empty = np.flatnonzero(np.isnan(values).all(axis=1))
    if len(empty):
        rows = listed([str(row + 1) for row in empty])
        raise DataError(
            f"{name}: row {rows} has no values. The model needs at least one value in every row; "
            "leave out rows without any."
        )


def _units_note(values: Array, drawing: Drawing) -> tuple[str, ...]:
    """A note if the pixels seem to range from 0 to 1, whereas the model's pixels range to 255."""
    if drawing.kind != "image" or drawing.value_range is None:
        return ()
    low, high = drawing.value_range
    if np.nanmax(values) > low + 0.02 * (high - low):
        return ()
    return (
        f"These pixels are at most {np.nanmax(values):.3g}, but the model's run from {low:g} to "
        f"{high:g}, so the picture is almost black. Are the units different?",
    )


def _column_name(dataset: Drawn, column: int) -> str:
    """The name of a column, in quotation marks if the data set names it."""
    name = names_of(dataset)[column]
    return name if dataset.column_names is None else f"“{name}”"


def _read_table(name: str, data: bytes, dataset: Drawn) -> NewRows:
    width = dataset.drawing.n_outputs
    table = parse_table(NamedBytes(name, data), None, None)
    if not table.columns:
        table = _array_that_fits(name, data, table, dataset)
    wanted = dataset.column_names or ()
    kinds = _kinds_of(dataset)
    named = {column.name: column for column in table.columns}
    if any(column in named for column in wanted):
        return _by_name(table, named, wanted, kinds)
    numeric = [column for column in table.columns if column.numbers is not None]
    # Text in a needed column raises an error that names its cell; other columns of text are left
    # out.
    columns = list(table.columns) if len(table.columns) == width or kinds else numeric
    if len(columns) != width:
        names = f" ({listed(list(wanted))})" if wanted else ""
        of_numbers = "" if kinds else " of numbers"
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
    read = [
        _values(table, column, kinds.get(n))
        for n, column in zip(wanted or range(width), columns, strict=True)
    ]
    values = np.column_stack(read)
    places = {column.name: d for d, column in enumerate(columns)}
    return NewRows(
        values, tuple(notes), row_names=_called(table, columns), columns=_in_order(table, places)
    )


def _in_order(table: Table, places: dict[str, int]) -> tuple[FileColumn, ...]:
    """The columns of the file; places: the numbers of the model's columns, by name."""
    if [places.get(column.name) for column in table.columns] == [*range(len(table.columns))]:
        return ()
    count = len(table.places)
    return tuple(
        FileColumn(column.name, places[column.name])
        if column.name in places
        else FileColumn(column.name, cells=column.first_words(count))
        for column in table.columns
    )


def _called(table: Table, used: Iterable[Column]) -> NDArray[np.str_] | None:
    """The names of the rows, from columns that the model does not use."""
    names = {column.name for column in used}
    return row_names_of([column for column in identifiers(table) if column.name not in names])


def _array_that_fits(name: str, data: bytes, table: Table, dataset: Drawn) -> Table:
    """The only array of an NPZ file whose rows have as many values as the model has columns."""
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
    table: Table, named: dict[str, Column], wanted: tuple[str, ...], kinds: dict[Any, TableColumn]
) -> NewRows:
    """The model's columns by name; columns that the table lacks are missing in every row."""
    notes = list(table.notes)
    named, of_dates = _with_dates(table, named, wanted)
    absent = [column for column in wanted if column not in named]
    if absent:
        notes.append(
            f"{plural(len(absent), 'column')} of the model are not in the table and count as "
            f"missing in every row: {listed(absent)}."
        )
    unused = [name for name in named if name not in wanted and name not in of_dates]
    row_names = _called(table, [named[name] for name in named if name in wanted])
    if unused:
        notes.append(f"Columns that the model does not have were not used: {listed(unused)}.")
    values = np.full((len(table.places), len(wanted)), np.nan)
    for number, column in enumerate(wanted):
        if column in named:
            values[:, number] = _values(table, named[column], kinds.get(column))
    places = {name: number for number, name in enumerate(wanted)}
    return NewRows(values, tuple(notes), row_names=row_names, columns=_in_order(table, places))


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


def _kinds_of(dataset: Drawn) -> dict[Any, TableColumn]:
    """The columns of words and counts by name; empty if all are numbers."""
    columns = dataset.columns if isinstance(dataset, Dataset) else ()
    return {column.name: column for column in columns if column.kind != "number"}


def _values(table: Table, column: Column, kind: TableColumn | None) -> Array:
    """A column as numbers, in which a word is its number."""
    return _numbers(table, column) if kind is None else coded_cells(kind, column, table)


def _numbers(table: Table, column: Column) -> Array:
    if column.numbers is not None:
        return np.asarray(column.numbers, dtype=float)
    first = column.problem or 0
    cell = (column.texts or ("",))[first]
    kind = "a time of day like the other cells" if column.of_day else "a number"
    raise DataError(
        f"{table.name}, {table.unit} {table.places[first]}, column “{column.name}”: “{cell}” is "
        f"not {kind}. Correct it, or leave the cell empty: an empty cell is a gap."
    )


def _read_picture(name: str, data: bytes, drawing: Drawing) -> NewRows:
    """One picture in the data's size; transparent pixels are gaps."""
    require_pillow()
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
