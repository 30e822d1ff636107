"""Read and build data frames of pandas, polars and Arrow."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray

from gplvm_core.readers.errors import DataError, DataTypeError, listed, shortened

Frame = nw.DataFrame[Any]

# Objects of these types are dates or time spans. pandas' timestamps are subclasses; its periods are
# not.
NESTED = (list, dict, tuple, set, np.ndarray)
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)


def frame_of(given: Any) -> Frame | None:
    """Return a data frame in narwhals' form; None for anything else.

    Raises DataError for lazy frames, for objects of anndata, and for column names that occur twice.
    """
    if type(given).__name__ == "AnnData":
        raise DataTypeError(
            "the table is an AnnData object: pass its matrix .X as a dense array "
            "(cells.X.toarray() if it is sparse), or read the file with read_h5ad"
        )
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(given, pyarrow.RecordBatch):
        given = pyarrow.Table.from_batches([given])
    try:
        found = nw.from_native(given, pass_through=True)
        if isinstance(found, nw.LazyFrame):
            raise DataError(
                f"the table is a lazy frame ({type(given).__module__.partition('.')[0]}), which "
                "holds no rows yet: call its method collect() first"
            )
        if not isinstance(found, nw.DataFrame):
            return None
        names = list(found.columns)
    except DuplicateError:
        names = list(given.column_names if hasattr(given, "column_names") else given.columns)
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"the table has more than one column of the name {listed(twice)}: rename these columns"
        )
    return found


def library_of(frame: Frame | None) -> str:
    """Return the library of a data frame, such as "polars"; "" for None."""
    return "" if frame is None else str(frame.implementation.value)


def built(values: NDArray[Any], columns: Sequence[Any], library: str, like: Any = None) -> Any:
    """Return values (N × D) as a data frame; like: a pandas frame whose index the result has."""
    if library == "pandas":
        import pandas

        index = like.index if hasattr(like, "index") else None
        frame = pandas.DataFrame(values, index=index, columns=list(columns))
        return frame.infer_objects() if values.dtype == object else frame
    return from_columns({str(name): values[:, at] for at, name in enumerate(columns)}, library)


def from_columns(columns: Mapping[str, Any], library: str) -> Any:
    """Return columns as a data frame of a library."""
    # Lists of Python values have the types of their values; arrays of objects have none.
    lists = {name: np.asarray(values).tolist() for name, values in columns.items()}
    backend: Any = library  # one of the names that narwhals knows
    return nw.from_dict(lists, backend=backend).to_native()


def numbers_in(frame: Frame, what: str) -> NDArray[Any]:
    """Return a frame as an array, N × D: float64, or objects if a column does not hold numbers.

    Missing numbers are NaN. what: the name of the frame in messages. Raises DataTypeError for
    columns of words, nested values, dates and time spans.
    """
    if all(dtype == nw.Float64 for dtype in frame.schema.values()):
        found = frame.to_numpy()
        if found.dtype == np.float64:
            return found
    return np.column_stack([_numbers(column, what) for column in frame.iter_columns()])


def _numbers(column: Any, what: str) -> NDArray[Any]:
    refuse_dates(column)
    if column.dtype.is_numeric():
        # The cast also converts decimals and integers of 128 bits, which NumPy does not have.
        return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)
    # Arrow's dictionaries lose their nulls in `to_numpy`.
    values = column.to_list()
    refuse_nested(column.name, values)
    found = np.empty(len(column), dtype=object)
    found[:] = values
    words = next((value for value in values if isinstance(value, str) and not _is_float(value)), "")
    if words:
        raise DataTypeError(
            f"{what} must be numbers: the column {column.name!r} has words, such as {words!r}. "
            'Leave it out; models with the setting kinds learn words, with kinds="auto"'
        )
    return found


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return not text.strip()
    return True


def refuse_nested(name: str, values: Iterable[Any]) -> None:
    """Raise DataTypeError for a column of lists, records or arrays."""
    nested = next((value for value in values if isinstance(value, NESTED)), None)
    if nested is not None:
        raise DataTypeError(
            f"the column {name!r} has nested values, such as {shortened(str(nested), 40)}. Give it "
            "one number or word in every cell, or make a column of each part"
        )


def refuse_dates(column: Any) -> None:
    """Raise DataTypeError for a column whose data type is dates or time spans."""
    if column.dtype.is_temporal():
        raise dates_error(f"column {column.name!r}", column.dtype)


def without_dates(values: Any, what: str) -> NDArray[Any]:
    """Return values as an array; raises DataTypeError if they are dates or time spans."""
    # Arrow's dictionaries lose their nulls as arrays.
    found = np.asarray(values.to_pylist() if hasattr(values, "to_pylist") else values)
    if found.dtype.kind in "mM":
        raise dates_error(what, found.dtype)
    date = next(filter(is_date, found.flat), None) if found.dtype == object else None
    if date is not None:
        raise dates_error(what, date)
    return found


def is_date(value: Any) -> bool:
    """Whether a value is a date, a time or a time span."""
    return isinstance(value, DATES) or type(value).__name__ == "Period"


def dates_error(what: str, found: Any) -> DataTypeError:
    """Return the error for dates; what: where they are; found: a value or a data type."""
    has = "time spans"
    if isinstance(found, nw.Duration):
        example = "hours: spans.dt.total_seconds() / 3600"
    elif isinstance(found, timedelta | np.timedelta64) or getattr(found, "kind", "") == "m":
        example = "hours: spans / numpy.timedelta64(1, 'h')"
    else:
        has = "dates"
        example = "days since the first: (dates - dates.min()) / numpy.timedelta64(1, 'D')"
    return DataTypeError(
        f"{what} has {has} ({found}), which are not numbers. Convert them to numbers of a unit, "
        f"for example {example}"
    )
