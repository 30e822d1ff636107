"""Take in tables of every library, and build data frames of the same library."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time, timedelta
from typing import Any

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy.sparse import issparse

from gplvm_core.readers.errors import DataError, DataTypeError, listed, shortened

Frame = nw.DataFrame

# The largest number of dimensions of a table of xarray, by its class.
_DIMENSIONS = {"DataArray": 2, "Dataset": 1}
# Objects of these types are dates or time spans. pandas' timestamps are subclasses; its periods are
# not.
NESTED = (list, dict, tuple, set, np.ndarray)
DATES = (date, time, timedelta, np.datetime64, np.timedelta64)


def taken(given: Any) -> Any:
    """Return a table in the form in which models read it: a data frame of narwhals, or an array.

    Frames of pandas, polars, Arrow and xarray, and a `Dataset` with column names, become frames; a
    `Dataset` of views becomes a dict. Sparse matrices and the arrays of other libraries become
    arrays of NumPy. Anything else, such as a list, is returned unchanged. Raises DataError for lazy
    frames, arrays of xarray with three dimensions, objects of anndata, and repeated column names.
    """
    if hasattr(given, "views_in_own_values"):  # a Dataset, which this module cannot import
        if given.views:
            return given.views_in_own_values()
        return _frame_or_same(given.in_own_values()) if given.column_names else given.values
    if issparse(given):
        return _dense(given)
    if hasattr(given, "__dlpack__") and not isinstance(given, np.ndarray | np.generic):
        return _as_numpy(given)
    if _of_xarray(given):
        if len(given.dims) > _DIMENSIONS[type(given).__name__]:
            raise DataError(
                f"the {type(given).__name__} of xarray has the dimensions "
                f"{listed([str(name) for name in given.dims])}, but a table has rows and columns: "
                "reshape it, for example with stack(column=[...]), so that the first dimension is "
                "the rows"
            )
        # Coordinates beside the rows are no columns; a Dataset would make columns of them.
        return _frame_or_same(given.reset_coords(drop=True).to_pandas())
    return _frame_or_same(given)


def one_table(given: Any) -> Any:
    """Return one table as `taken` does; raises DataTypeError for several tables in a dict."""
    found = taken(given)
    if isinstance(found, Mapping):
        raise DataTypeError(
            f"expected one table of rows; got a dict of {len(found)} tables. Use "
            "ManifoldRelevance (or DeepManifoldRelevance) for several views of the same rows; to "
            "train on one of them, pass only that array"
        )
    return found


def frame_of(given: Any) -> Frame | None:
    """Return a data frame in narwhals' form; None for anything else. Errors: see `taken`."""
    found = taken(given)
    return found if isinstance(found, nw.DataFrame) else None


def _dense(given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given.toarray())
    except (MemoryError, ValueError) as error:  # NumPy's error for more bytes than an address has
        raise DataError(
            f"the sparse matrix has the shape {given.shape}, which does not fit in memory as a "
            "dense array: choose fewer columns"
        ) from error


def _as_numpy(given: Any) -> NDArray[Any]:
    """Convert an array of another library, such as PyTorch."""
    try:
        return np.asarray(given)
    except Exception as error:  # each library raises errors of its own
        library = type(given).__module__.partition(".")[0]
        kind = f"an array of {library} of type {getattr(given, 'dtype', 'unknown')}"
        raise not_for_numpy(f"the table, {kind},", error) from error


def not_for_numpy(what: str, error: Exception) -> DataTypeError:
    """Return the error for an array that NumPy cannot read; what: its name in the message."""
    return DataTypeError(
        f"{what} cannot be read by NumPy: {str(error).rstrip('.')}. Pass numbers in main memory as "
        "float64 or float32, such as Y.detach().cpu().resolve_neg().double() (PyTorch; "
        "torch.stack(Y) for a list of tensors) or Y.get() (CuPy)"
    )


def _of_xarray(given: Any) -> bool:
    """Whether this is an array of xarray, or a Dataset of xarray, whose variables are columns."""
    module = type(given).__module__.partition(".")[0]
    return module == "xarray" and type(given).__name__ in _DIMENSIONS


def _frame_or_same(given: Any) -> Any:
    """Return a data frame in narwhals' form, and anything else unchanged."""
    if type(given).__name__ == "AnnData":
        raise DataTypeError(
            "the table is an AnnData object: pass its matrix .X, or read the file with read_h5ad"
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
            return given
        names = list(found.columns)
    except DuplicateError:
        names = list(given.column_names if hasattr(given, "column_names") else given.columns)
    twice = [repr(name) for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(
            f"the table has more than one column of the name {listed(twice)}: rename these columns"
        )
    return found


def library_of(given: Any) -> str:
    """Return the library of a data frame, such as "polars"; "" for anything else.

    A frame of xarray has the name of its class: "DataArray" or "Dataset".
    """
    if _of_xarray(given):
        return type(given).__name__
    frame = frame_of(given)
    return "" if frame is None else str(frame.implementation.value)


def built(values: NDArray[Any], columns: Sequence[Any], library: str, like: Any = None) -> Any:
    """Return values (N × D) as a data frame of a library.

    like: the given frame, whose index, or coordinates of rows, the result has.
    """
    if library == "pandas" or library in _DIMENSIONS:
        import pandas

        given = frame_of(like)
        own = None if given is None else given.to_native()
        names = pandas.Index(list(columns), name=None if own is None else own.columns.name)
        frame = pandas.DataFrame(values, index=None if own is None else own.index, columns=names)
        frame = frame.infer_objects() if values.dtype == object else frame
        return frame if library == "pandas" else _in_xarray(frame, library)
    return from_columns({str(name): values[:, at] for at, name in enumerate(columns)}, library)


def _in_xarray(frame: Any, library: str) -> Any:
    import xarray

    if library != "Dataset":
        return xarray.DataArray(frame)
    if frame.index.nlevels == 1:
        return frame.to_xarray()
    # to_xarray would make a grid of the levels, and fill it with NaN
    rows = xarray.Coordinates.from_pandas_multiindex(frame.index, "row")
    return xarray.Dataset({name: ("row", frame[name].to_numpy()) for name in frame}, coords=rows)


def from_columns(columns: Mapping[str, Any], library: str, like: Any = None) -> Any:
    """Return columns of several types as a data frame of a library; of pandas for "".

    like: the given frame, whose index, or coordinates of rows, the result has. Both classes of
    xarray become a Dataset.
    """
    if library in ("", "pandas") or library in _DIMENSIONS:
        import pandas

        given = frame_of(like)
        index = None if given is None else getattr(given.to_native(), "index", None)
        frame = pandas.DataFrame(columns, index=index)
        return _in_xarray(frame, "Dataset") if library in _DIMENSIONS else frame
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
    kind = "time spans"
    if isinstance(found, nw.Duration):
        example = "hours: spans.dt.total_seconds() / 3600"
    elif isinstance(found, timedelta | np.timedelta64) or getattr(found, "kind", "") == "m":
        example = "hours: spans / numpy.timedelta64(1, 'h')"
    elif isinstance(found, time | nw.Time):
        kind, example = "times of day", "hours: [t.hour + t.minute / 60 for t in times]"
    else:
        kind = "dates"
        example = "days since the first: (dates - dates.min()) / numpy.timedelta64(1, 'D')"
    return DataTypeError(
        f"{kind} ({found}) in {what} are not numbers. Convert them to numbers of a unit, for "
        f"example {example}"
    )
