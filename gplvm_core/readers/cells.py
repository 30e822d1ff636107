"""Read a table into columns of Python values, with None for missing values."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from gplvm_core.readers.errors import DataError
from gplvm_core.readers.frames import Frame, one_table, refuse_dates, refuse_nested, without_dates


@dataclass(frozen=True)
class Cells:
    """One column: its name, its values and its data type.

    values: objects, None where missing, or float64, NaN where missing. dtype: "bool", "int",
    "float", "words" (strings or mixed values), "category" or "ordered"; levels: for "category" and
    "ordered", the categories in their order. places: the numbers of the rows in their file, for
    messages; unit: what they count.
    """

    name: str
    values: NDArray[Any]
    dtype: str
    levels: tuple[Any, ...] = ()
    places: Sequence[int] | NDArray[np.int64] = ()
    unit: str = "row"

    def place(self, row: int) -> str:
        """Return the description of a row in a message."""
        if len(self.places):
            return f"{self.unit} {self.places[row]}"
        return f"row {row} (counted from 0)"

    @property
    def observed(self) -> NDArray[np.bool_]:
        if self.values.dtype == np.float64:
            return ~np.isnan(self.values)
        return np.array([value is not None for value in self.values], dtype=bool)

    @property
    def seen(self) -> list[Any]:
        """The values that are not missing."""
        found: list[Any] = self.values[self.observed].tolist()
        return found


def cells_of(table: Any) -> list[Cells]:
    """Return the columns of a table (see `taken`), or of a list of rows.

    None, NaN, pandas' NA and blank text count as missing. Raises DataError for other shapes, and
    DataTypeError for dates.
    """
    given = one_table(table)
    if isinstance(given, Frame):
        return [cells_in(str(column.name), column) for column in given.iter_columns()]
    given = given if isinstance(given, np.ndarray) else _as_array(given)
    without_dates(given, "the table")
    if given.ndim != 2:
        raise DataError(
            f"a table has rows and columns; got {given.ndim} dimension(s). Pass a data frame, or a "
            "list of rows"
        )
    kind = {"b": "bool", "i": "int", "u": "int", "f": "float"}.get(given.dtype.kind)
    # Masked values are None in these lists.
    return [_cells(str(at), column.tolist(), kind or "") for at, column in enumerate(given.T)]


def _as_array(rows: Any) -> NDArray[Any]:
    rows = [
        list(row) if isinstance(row, Iterable) and not isinstance(row, str) else row for row in rows
    ]
    widths = {len(row) if isinstance(row, list) else -1 for row in rows}
    if len(widths) != 1 or -1 in widths:
        raise DataError("all rows of a table need the same number of values: pass a list of rows")
    found = np.empty((len(rows), widths.pop()), dtype=object)
    for at, row in enumerate(rows):
        found[at] = row
    return found


def cells_in(name: str, series: Any) -> Cells:
    """Return a column of a data frame (in narwhals' form) as cells."""
    refuse_dates(series)
    dtype, missing = series.dtype, series.is_null().to_list()
    values = [
        None if gone else value for gone, value in zip(missing, series.to_list(), strict=True)
    ]
    if isinstance(dtype, nw.Categorical | nw.Enum):
        native = series.to_native()
        own = native.dtype if hasattr(native, "dtype") else native.type  # pandas, polars; Arrow
        ordered = isinstance(dtype, nw.Enum) or getattr(own, "ordered", False)
        return _cells(name, values, "ordered" if ordered else "category", _levels(native))
    if dtype.is_integer():
        return _cells(name, values, "int")
    return _cells(name, values, "float" if dtype.is_numeric() else "bool" * (dtype == nw.Boolean))


def _levels(series: Any) -> tuple[Any, ...]:
    """Return the categories of a column in their order; polars' Categorical has no order."""
    if hasattr(series, "unify_dictionaries"):
        chunks = series.unify_dictionaries().chunks
        return tuple(chunks[0].dictionary.to_pylist()) if chunks else ()
    levels = series.dtype.categories
    return tuple(map(_plain, levels.to_list())) if hasattr(levels, "to_list") else ()


def _cells(name: str, values: list[Any], dtype: str, levels: tuple[Any, ...] = ()) -> Cells:
    refuse_nested(name, values)
    found = np.empty(len(values), dtype=object)
    for at, value in enumerate(values):
        found[at] = _plain(value)
    without_dates(found, f"column {name!r}")
    seen = [value for value in found if value is not None]
    if not dtype:
        if seen and all(isinstance(value, bool) for value in seen):
            dtype = "bool"
        elif seen and all(type(value) is int for value in seen):
            dtype = "int"
        elif seen and all(isinstance(value, int | float) for value in seen):
            dtype = "float"
        else:
            dtype = "words"
    return Cells(name, found, dtype, levels)


def _plain(value: Any) -> Any:
    """Return the value as a Python object; None if it is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Decimal):
        value = float(value)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, str) and not value.strip():
        return None
    return value
