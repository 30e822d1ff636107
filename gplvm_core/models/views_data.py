"""Views as a user gives them: checked at the boundary, and put in a layer's units."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.datasets import DataError
from gplvm_core.models.scaling import Scaling, refuse_empty
from gplvm_core.numerics import Array

Views = dict[str, Array]


def checked_views(views: Mapping[str, ArrayLike]) -> Views:
    """Named views of the same rows as matrices of numbers (NaN: missing).

    Raises DataError when they are none, not matrices of finite numbers or NaN, or when their rows
    do not align, with every view's name and count.
    """
    if not isinstance(views, Mapping):
        raise DataError(
            f"views must be a dict of named arrays, {{'name': array}}; got {type(views).__name__}"
        )
    if not views:
        raise DataError("there are no views: give a dict of at least one named array")
    odd = [name for name in views if not isinstance(name, str)]
    if odd:
        raise DataError(f"views are named by strings; got {odd[0]!r}: use {str(odd[0])!r}")
    found = {name: _checked(name, values) for name, values in views.items()}
    counts = {name: len(values) for name, values in found.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise DataError(f"views must have the same rows in the same order, but {told}")
    return found


def _checked(name: str, values: ArrayLike) -> Float[Array, "N D"]:
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"view {name!r} must be an array of numbers: {error}") from error
    if found.ndim != 2 or 0 in found.shape:
        raise DataError(f"view {name!r} must be a matrix, rows × columns; got shape {found.shape}")
    if np.isinf(found).any():
        raise DataError(f"view {name!r} holds infinite values: leave them out (NaN: missing)")
    return found


def training_views(views: Views, how: str) -> tuple[Views, dict[str, Scaling]]:
    """Views in internal units with their scalings.

    A row may be missing from some views, not from all. Raises DataError, naming the view, when
    one has nothing that varies.
    """
    if len(next(iter(views.values()))) < 2:
        raise DataError("there is one row: a latent space needs at least two")
    refuse_empty(np.hstack([~np.isnan(values) for values in views.values()]), "row")
    internal, scalings = {}, {}
    for name, values in views.items():
        try:
            scalings[name] = Scaling.of(values, how, empty_rows=True)
        except DataError as error:
            raise DataError(f"view {name!r}: {error}") from error
        internal[name] = scalings[name].apply(values)
    return internal, scalings


def given_views(
    views: Mapping[str, ArrayLike], widths: Mapping[str, int], *, empty_rows: bool = False
) -> Views:
    """New rows in some of the trained views, whose numbers of columns are `widths`.

    Raises DataError for views that are unknown or of another width, and unless empty_rows allows
    them for rows of which no view has anything.
    """
    found = checked_views(views)
    for name, values in found.items():
        check_name(name, tuple(widths))
        if values.shape[1] != widths[name]:
            raise DataError(
                f"view {name!r} has {values.shape[1]} columns, but was trained with {widths[name]}"
            )
    seen = np.any([~np.isnan(values).all(axis=1) for values in found.values()], axis=0)
    empty = np.flatnonzero(~seen)
    if len(empty) and not empty_rows:
        raise DataError(
            f"nothing is observed in any view of row {empty[0]} (counted from 0), and in "
            f"{len(empty)} of {len(seen)} rows: leave them out; sample() draws rows from the prior"
        )
    return found


def check_name(name: str, names: Sequence[str]) -> None:
    """Raise DataError unless the model has a view of this name."""
    if name not in names:
        raise DataError(f"there is no view {name!r}; the model has {', '.join(names)}")
