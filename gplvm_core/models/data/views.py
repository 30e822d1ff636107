"""Check user-given views and convert them to internal units."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.kinds import Tables, units_of_numbers
from gplvm_core.models.data.rows import finite_rows, refuse_unseen
from gplvm_core.models.data.scaling import AUTO, Scaling, observed_counts, refuse_empty
from gplvm_core.numerics import Array
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import DataTypeError, plural
from gplvm_core.readers.frames import taken

Views = dict[str, Array]


def checked_views(views: Mapping[str, ArrayLike]) -> Views:
    """Named views of the same rows as matrices of numbers (NaN: missing).

    Raises DataError if there are no views, if a view is not a matrix of numbers or has infinite
    values, and if the numbers of rows differ.
    """
    views = named_views(views)
    if not views:
        raise DataError("there are no views: give a dict of at least one named array")
    odd = [name for name in views if not isinstance(name, str)]
    if odd:
        raise DataError(f"views are named by strings; got {odd[0]!r}: use {str(odd[0])!r}")
    found = {name: _checked(name, values) for name, values in views.items()}
    counts = {name: len(values) for name, values in found.items()}
    if len(set(counts.values())) > 1:
        sizes = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise DataError(f"views must have the same rows in the same order, but {sizes}")
    return found


def table_or_views(values: Any, what: str) -> Any:
    """One table of numbers (NaN: missing), or a dict of views of the same rows.

    what: the name of the table in messages. Raises DataError for values that are not finite rows of
    numbers, and for views with different numbers of rows.
    """
    values = taken(values)
    return checked_views(values) if isinstance(values, Mapping) else finite_rows(values, what)


def named_views(views: Any, first: str = "") -> Mapping[str, Any]:
    """Views by name, also of a Dataset of views; raises DataError for anything else.

    first: the name of a single table, which then is a view, too.
    """
    found = taken(views)
    if isinstance(found, Mapping):
        return found
    if first:
        return {first: views}
    raise DataError(
        f"views must be a dict of named arrays, {{'name': array}}; got {type(views).__name__}"
    )


def _checked(name: str, values: ArrayLike) -> Float[Array, "N D"]:
    try:
        found = finite_rows(values, f"view {name!r}")
    except DataTypeError as error:
        if "must be numbers" not in error.plain:  # dates
            raise
        raise DataTypeError(
            f'{error}. ManifoldRelevance accepts views of words: kinds={{{name!r}: "auto"}}'
        ) from error
    if 0 in found.shape:
        raise DataError(f"view {name!r} has no rows or no columns; got shape {found.shape}")
    return found


def training_views(
    views: Views, how: str | Mapping[str, str], tables: Tables | None = None
) -> tuple[Views, dict[str, Scaling]]:
    """Views in internal units, and their scalings; tables: views with columns of several kinds.

    how: the scaling of all views, or by view name. Raises DataError if a row is missing from all
    views, and if all columns of a view are constant.
    """
    if len(next(iter(views.values()))) < 2:
        raise DataError("there is one row: a latent space needs at least two")
    refuse_empty(np.hstack([~np.isnan(values) for values in views.values()]), "row")
    internal, scalings = {}, {}
    for name, values in views.items():
        try:
            if tables and name in tables:
                scalings[name] = units_of_numbers(tables[name], values)
            else:
                own = how if isinstance(how, str) else how[name]
                scalings[name] = Scaling.of(values, own, empty_rows=True)
        except DataError as error:
            raise DataError(f"view {name!r}: {error}") from error
        internal[name] = scalings[name].apply(values)
    return internal, scalings


def noise_by_view(noise: Any, names: tuple[str, ...]) -> dict[str, str]:
    """The setting `noise` of every view: one for all, or a dict by name; "auto" for other views.

    Raises ValueError for an unknown view.
    """
    if not isinstance(noise, Mapping):
        return dict.fromkeys(names, noise)
    unknown = [name for name in noise if name not in names]
    if unknown:
        raise ValueError(f"noise has no view {unknown[0]!r}; the views are {list(names)}")
    return {name: noise.get(name, AUTO) for name in names}


def log_jacobians(internal: Views, scalings: Mapping[str, Scaling]) -> dict[str, float]:
    """log p(view in original units) − log p(scaled view) of every view, in nats."""
    return {
        name: scalings[name].log_jacobian(observed_counts(values))
        for name, values in internal.items()
    }


def given_views(
    views: Mapping[str, ArrayLike], widths: Mapping[str, int], *, empty_rows: bool = False
) -> Views:
    """New rows in some of the trained views; widths: the number of columns of each trained view.

    Raises DataError for unknown views, for views of another width, and (unless empty_rows) for rows
    without any observed value.
    """
    found = checked_views(views)
    for name, values in found.items():
        check_name(name, tuple(widths))
        if values.shape[1] != widths[name]:
            raise DataError(
                f"view {name!r} has {plural(values.shape[1], 'column')}, but was trained with "
                f"{widths[name]}"
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
    """Raise DataError or ValueError unless these options of a transfer are valid.

    count: the number of alternatives or matches. timed: times are given.
    """
    check_name(to, names)
    if count < 1:
        raise ValueError(f"the number of alternatives or matches must be at least 1; got {count}")
    if private not in ("nearest", "prior"):
        raise ValueError(f"private must be 'nearest' or 'prior'; got {private!r}")
    if count > 1 and (private == "prior" or timed):
        raise ValueError(
            "several alternatives need private='nearest' and rows without times: change these, or "
            "choose a single alternative"
        )


def kernel_of_view(
    kernel: str | Kernel | Mapping[str, str | Kernel], name: str, names: Sequence[str]
) -> str | Kernel:
    """The kernel of one view; kernel: a common kernel or a dict of kernels by view.

    Raises ValueError if the dict lacks a view or has an unknown view.
    """
    if not isinstance(kernel, Mapping):
        return kernel
    if set(names) != set(kernel):
        raise ValueError(
            f"kernel must have an entry for each of {', '.join(names)}; got entries for "
            f"{', '.join(map(str, kernel)) or 'none'}"
        )
    return kernel[name]


def notes_by_view(notes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Notes on each view, with its name."""
    return tuple(f"view {name!r}: {note}" for name, own in notes.items() for note in own)
