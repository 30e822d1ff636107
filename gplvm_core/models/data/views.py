"""Views as a user gives them: checked at the boundary, and put in a layer's units."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.rows import as_floats, refuse_unseen
from gplvm_core.models.data.scaling import Scaling, observed_counts, refuse_empty
from gplvm_core.numerics import Array
from gplvm_core.readers import DataError

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
    found = as_floats(values, f"view {name!r}")
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


def log_jacobians(internal: Views, scalings: Mapping[str, Scaling]) -> dict[str, float]:
    """log p of every view as given − log p of it scaled, in nats."""
    return {
        name: scalings[name].log_jacobian(observed_counts(values))
        for name, values in internal.items()
    }


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
    if not empty_rows:
        seen = np.any([~np.isnan(values).all(axis=1) for values in found.values()], axis=0)
        refuse_unseen(seen, where="any view of ")
    return found


def check_name(name: str, names: Sequence[str]) -> None:
    """Raise DataError unless the model has a view of this name."""
    if name not in names:
        raise DataError(f"there is no view {name!r}; the model has {', '.join(names)}")


def check_transfer(
    to: str, names: Sequence[str], count: int, private: str = "nearest", *, timed: bool = False
) -> None:
    """Raise unless so many alternatives (or matches) of this view can be asked for, thus."""
    check_name(to, names)
    if count < 1:
        raise ValueError(f"at least one alternative or match must be asked for; got {count}")
    if private not in ("nearest", "prior"):
        raise ValueError(f"private must be 'nearest' or 'prior'; got {private!r}")
    if count > 1 and (private == "prior" or timed):
        raise ValueError(
            "several alternatives come from neighbours of single rows: leave out times and "
            "private='prior', or ask for one"
        )


def kernel_of_view(
    kernel: str | Kernel | Mapping[str, str | Kernel], name: str, names: Sequence[str]
) -> str | Kernel:
    """The kernel of one of the views: that of all, or its own; ValueError unless each has one."""
    if not isinstance(kernel, Mapping):
        return kernel
    if set(names) != set(kernel):
        raise ValueError(
            f"kernel must name a kernel for each of {', '.join(names)}; got them for "
            f"{', '.join(map(str, kernel)) or 'none'}"
        )
    return kernel[name]


def notes_by_view(notes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """What is to be said about each view, with its name."""
    return tuple(f"view {name!r}: {note}" for name, own in notes.items() for note in own)
