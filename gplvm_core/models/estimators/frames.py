"""Convert results to data frames if the given rows are a data frame."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import get_config


def framed(model: Any, given: Any, values: Any, columns: Sequence[Any] | None = None) -> Any:
    """Convert values to a pandas data frame, if `given` is a data frame or pandas output is set.

    Otherwise the values are returned unchanged. The frame has the index of the given rows. columns:
    the names of the trained outputs; None: the column names of the given rows, or "x0", "x1", ….
    """
    frame = _is_frame(given)
    if np.ndim(values) != 2 or not (frame or _wants_pandas(model)):
        return values
    import pandas

    if columns is None and frame and given.shape[1] == values.shape[1]:
        columns = given.columns
    if columns is None:
        columns = [f"x{number}" for number in range(values.shape[1])]
    index: Any = given.index if frame else None
    return pandas.DataFrame(values, index=index, columns=list(columns))


def names_of(given: Any) -> tuple[str, ...] | None:
    """The column names of a data frame; None for other data, or if a name is not text."""
    names = tuple(given.columns) if _is_frame(given) else ()
    return names if names and all(isinstance(name, str) for name in names) else None


def _is_frame(given: Any) -> bool:
    return hasattr(given, "iloc") and hasattr(given, "columns")


def _wants_pandas(model: Any) -> bool:
    own = getattr(model, "_sklearn_output_config", {}).get("transform")
    return bool((own or get_config()["transform_output"]) == "pandas")
