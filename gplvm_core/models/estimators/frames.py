"""Convert results to data frames if the given rows are a data frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import get_config

from gplvm_core.readers.frames import built, frame_of, library_of


def framed(
    model: Any,
    given: Any,
    values: Any,
    columns: Sequence[Any] | None = None,
    *,
    trained: str | bool = "",
) -> Any:
    """Convert values to a data frame like `given`, or of the library of `set_output`.

    Otherwise the values are returned unchanged. A pandas frame has the index of the given rows.
    columns: the names of the trained outputs; None: the column names of the given rows, or "x0",
    "x1", …. trained: the library of the training rows, for values that belong to no rows; True is
    pandas, in files of older versions.
    """
    if np.ndim(values) != 2:
        return values
    frame = frame_of(given)
    library = library_of(given) or _wanted(model) or ("pandas" if trained is True else trained)
    if not library:
        return values
    if columns is None and frame is not None and frame.shape[1] == values.shape[1]:
        columns = frame.columns
    if columns is None:
        columns = [f"x{number}" for number in range(values.shape[1])]
    return built(values, columns, library, given)


def names_of(given: Any) -> tuple[str, ...] | None:
    """The column names of a data frame; None for other data, or if a name is not text."""
    frame = frame_of(given)
    names = () if frame is None else tuple(frame.columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def _wanted(model: Any) -> str:
    """The library that `set_output` chose; "" for arrays."""
    own = getattr(model, "_sklearn_output_config", {}).get("transform")
    chosen = own or get_config()["transform_output"]
    return chosen if chosen in ("pandas", "polars") else ""
