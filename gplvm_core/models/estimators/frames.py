"""Data frames in, data frames out: answers that have a row for each row that was given."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn import get_config


def framed(model: Any, given: Any, values: Any, columns: Sequence[Any] | None = None) -> Any:
    """Values as a pandas data frame where the user works with those, else as they are.

    That is where the rows given are a data frame, whose index is kept, and after
    `set_output(transform="pandas")`. columns: the names of the outputs that the model was trained
    on; None: those of the rows given, or "x0", "x1", ….
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
    """The names of a data frame's columns; None where there are none, or not all are text."""
    names = tuple(given.columns) if _is_frame(given) else ()
    return names if names and all(isinstance(name, str) for name in names) else None


def _is_frame(given: Any) -> bool:
    return hasattr(given, "iloc") and hasattr(given, "columns")


def _wants_pandas(model: Any) -> bool:
    own = getattr(model, "_sklearn_output_config", {}).get("transform")
    return bool((own or get_config()["transform_output"]) == "pandas")
