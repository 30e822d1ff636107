"""Check user-given rows with scikit-learn, and raise readable errors.

Also here: check user-given latent points, variances and dimensions.

Also here: the rows that a model was trained on, and the rows that it stores.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike
from sklearn.utils import get_tags
from sklearn.utils.validation import check_array, check_consistent_length, validate_data

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import AnyNDArray, Array, BoolArray, IntArray
from gplvm_core.readers import DataError
from gplvm_core.readers.checks import refuse_infinite, refuse_overflow
from gplvm_core.readers.errors import DataTypeError
from gplvm_core.readers.frames import (
    Frame,
    not_for_numpy,
    numbers_in,
    one_table,
    without_dates,
)
from gplvm_core.readers.kinds import LACKS
from gplvm_core.readers.missing import unmasked, without_na


def readable(values: Any, what: str = "the rows") -> Any:
    """Convert values to an array that NumPy and scikit-learn read without loss.

    Masked entries, None and `pandas.NA` become NaN; complex numbers are returned unchanged. what:
    the name of the values in messages. Raises DataTypeError for dates, for objects that are not
    numbers, for arrays that NumPy cannot read, and for a dict, because a dict contains several
    views.
    """
    given = one_table(values)
    if isinstance(given, Frame):
        return _as_numbers(numbers_in(given, what), what)
    try:
        found = np.asarray(unmasked(given))
    except ValueError as error:  # rows of different lengths
        raise DataError(
            f"{what} must be numbers: {error}. Give every row the same length"
        ) from error
    except (TypeError, RuntimeError) as error:  # a list of tensors, for example
        raise not_for_numpy(what, error) from error
    return _as_numbers(found, what)


def _as_numbers(found: AnyNDArray, what: str) -> AnyNDArray:
    """Convert objects and text to float64; raise DataTypeError for what is not numbers."""
    if found.dtype.kind in "fiubc":
        return found
    known = without_na(without_dates(found, what))
    try:
        return np.asarray(known).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"{what} must be numbers: {error}") from error
    except OverflowError:
        raise DataError(
            f"{what} have whole numbers beyond 1e308, which have no floating-point number: change "
            "the units"
        ) from None


def as_floats(values: Any, what: str) -> Float[Array, "..."]:
    """Values as float64, NaN where missing; raises DataError unless they are real numbers.

    what: the name of the values in messages.
    """
    found = readable(values, what)
    # NumPy would drop the imaginary parts with no more than a warning.
    if np.iscomplexobj(found):
        raise DataError(
            f"{what} must be real numbers; got complex ones: pass the real and the imaginary parts "
            "as separate columns"
        )
    found = found.astype(np.float64, order="C")
    refuse_overflow(np.where(np.isinf(found), 0.0, found), what)
    return found


def finite_rows(values: Any, what: str) -> Float[Array, "N D"]:
    """Rows of finite numbers (NaN: missing); raises DataError for other values.

    what: the name of the rows in messages.
    """
    rows = as_floats(values, what)
    if rows.ndim != 2:
        raise DataError(f"{what} must be a matrix, rows × columns; got shape {rows.shape}")
    refuse_infinite(rows, what=f"{what}, ")
    return rows


def variances_of(
    variance: ArrayLike, shape: tuple[int, ...], what: str, wanted: str
) -> Float[Array, "..."]:
    """Variances of known entries, broadcast to their shape; raises ValueError for other variances.

    what: the name of the variances in messages. wanted: the shapes that they may have.
    """
    given = as_floats(variance, what)
    try:
        spread = np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(f"{what} must be {wanted}; got shape {given.shape}") from None
    if not (np.isfinite(spread) & (spread >= 0.0)).all():
        raise ValueError(
            f"{what} holds variances: none may be negative, infinite or NaN (0 = that entry is "
            "exact)"
        )
    return spread


def checked_rows(
    estimator: Any, rows: ArrayLike, *, reset: bool, least: int | None = None
) -> Float[Array, "N D"]:
    """Rows as a matrix; it may have gaps (NaN) if the estimator's tags allow gaps.

    reset: True for training rows, False for new rows with the same columns. least: the smallest
    allowed number of rows; by default two training rows or one new row. Raises ValueError as
    scikit-learn's validate_data does, and DataError for values that are too large to square.
    """
    given = one_table(rows)
    values = readable(given)
    checks: Any = {
        "dtype": np.float64,
        "order": "C",  # sums, and so all answers, do not depend on the kind of frame
        "ensure_min_samples": 1 + reset if least is None else least,
        "ensure_all_finite": "allow-nan" if get_tags(estimator).input_tags.allow_nan else True,
    }
    framed = isinstance(given, Frame)
    if values.dtype.kind == "f":
        refuse_infinite(values, given.columns if framed else None)
    if framed:
        take_names(estimator, given, reset=reset)
        values = np.asarray(check_array(values, estimator=estimator, input_name="X", **checks))
    else:
        values = np.asarray(validate_data(estimator, values, reset=reset, **checks))
    refuse_overflow(values)
    return values


def take_names(estimator: Any, rows: Any, *, reset: bool) -> None:
    """Store the width and the column names of training rows (reset), or check those of new rows."""
    given = one_table(rows)
    native = given.to_native() if isinstance(given, Frame) else given
    validate_data(estimator, native, reset=reset, skip_check_array=True)


def refuse_unseen(seen: Bool[BoolArray, " N"], *, where: str = "", fractions: bool = False) -> None:
    """Raise DataError if a row has no usable value; where: words before "row" in the message.

    fractions: whether the rows have fractions, of which a row may lack only one.
    """
    empty = np.flatnonzero(~seen)
    if len(empty):
        or_lost = f" (or {LACKS})" if fractions else ""
        raise DataError(
            f"nothing is observed{or_lost} in {where}row {empty[0] + 1}, and in {len(empty)} of "
            f"{len(seen)} rows altogether: leave such rows out",
            script=f"(Counted from 0, it is row {empty[0]}.) sample() draws rows from the prior.",
        )


def checked_outputs(
    outputs: ArrayLike, rows: Float[Array, "N Q"], name: str
) -> tuple[Float[Array, "N D"], bool]:
    """Outputs (N or N × D; NaN = missing) as N × D, and whether the given array was a vector.

    name: the name of the estimator, for messages. Raises ValueError if the outputs are None, or if
    there are more or fewer outputs than rows.
    """
    if outputs is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    given = readable(outputs, "y")
    if isinstance(given, np.ndarray) and given.dtype.kind == "f":
        refuse_infinite(given, what="y, ")
    found = check_array(
        given,
        ensure_2d=False,
        dtype=np.float64,
        ensure_all_finite="allow-nan",
        input_name="y",
    )
    check_consistent_length(rows, found)
    refuse_overflow(found, "the outputs y")
    return (found[:, None], True) if found.ndim == 1 else (found, False)


# With fewer rows, more inducing inputs cost seconds, and make some regressions much better
# (`benchmarks/README.md`).
FEW_ROWS, MANY_INDUCING, USUAL_INDUCING = 2_000, 200, 50


def inducing_count(n_inducing: int | str, n_points: int, many: int = MANY_INDUCING) -> int:
    """The number of inducing inputs; for "auto", the number for a table with so many rows.

    many: the number for few rows.
    """
    if isinstance(n_inducing, str):
        return min(n_points, many if n_points < FEW_ROWS else USUAL_INDUCING)
    return n_inducing


def capped_notes(n_inducing: int, n_points: int) -> tuple[str, ...]:
    """A note if there are more inducing inputs than points."""
    if n_inducing <= n_points:
        return ()
    return (f"n_inducing = {n_inducing} is capped at the number of points, {n_points}",)


def checked_points(points: ArrayLike, n_latent: int) -> Float[Array, "N Q"]:
    """Latent points as a finite matrix N × Q; raises DataError for anything else."""
    found = as_floats(points, "latent points")
    if found.ndim != 2 or found.shape[1] != n_latent:
        raise DataError(f"latent points must be N × {n_latent}; got shape {found.shape}")
    if not np.isfinite(found).all():
        raise DataError("latent points must be finite; got NaN or infinity")
    return found


def checked_variance(
    variance: ArrayLike | None, points: Float[Array, "N Q"]
) -> Float[Array, "N Q"] | None:
    """Variances broadcast to the points' shape (None: exact); raises ValueError if negative."""
    if variance is None:
        return None
    spread = np.broadcast_to(as_floats(variance, "X_variance"), points.shape)
    if not (spread >= 0).all():
        raise ValueError("X_variance holds variances: none may be negative or NaN")
    return spread


def checked_belief(points: ArrayLike, variance: ArrayLike | None, n_latent: int) -> Belief:
    """Latent points with their variances; without variances, the points are exact."""
    found = checked_points(points, n_latent)
    spread = checked_variance(variance, found)
    return Belief.certain(found) if spread is None else Belief(found, spread)


def checked_dimensions(dimensions: ArrayLike, n_latent: int) -> Int[IntArray, " K"]:
    """Indices of latent dimensions; raises ValueError unless they are whole numbers in range."""
    chosen = np.asarray(dimensions)
    whole = chosen.ndim == 1 and (chosen.dtype.kind in "iu" or chosen.size == 0)
    if not whole or not np.isin(chosen, np.arange(n_latent)).all():
        raise ValueError(
            f"dimensions must be a list of whole numbers among 0 … {n_latent - 1}; got "
            f"{dimensions!r}"
        )
    return chosen.astype(np.intp)


def checked_levels(quantiles: ArrayLike) -> Float[Array, " K"]:
    """Levels of quantiles as a vector; raises ValueError unless all are between 0 and 1."""
    levels = np.atleast_1d(as_floats(quantiles, "quantiles"))
    if levels.ndim != 1 or not ((levels > 0.0) & (levels < 1.0)).all():
        raise ValueError(f"quantiles must lie between 0 and 1; got {quantiles!r}")
    return levels


@dataclass(frozen=True)
class TrainingRows:
    """The rows that a fitted model knows (its attribute `rows_`).

    count: the number of rows that the mapping and the bound use. trained: the rows used for
    training; None: all rows. kept: the file's row number of each row of `latent_mean_`; None: all
    rows. in_files: the number of rows in the files; None: the model was not trained from files, or
    it read the files completely.
    """

    count: int
    trained: Int[IntArray, " T"] | None = None
    kept: Int[IntArray, " K"] | None = None
    in_files: int | None = None

    @classmethod
    def sampled(
        cls, files: int, kept: Int[IntArray, " K"], trained: Int[IntArray, " T"] | None
    ) -> Self:
        """The rows of a model that was trained on a sample of the rows of files.

        trained: the rows of the sample that were used for training; None: all rows of the sample.
        """
        return cls(len(kept), kept if trained is None else kept[trained], kept, files)

    def more(self, count: int) -> Self:
        """Add `count` rows for which the model stores only summed statistics."""
        return replace(self, count=self.count + count)

    def with_beliefs(self, count: int) -> Self:
        """Add `count` untrained rows at the end of `latent_mean_`."""
        trained = np.arange(self.count) if self.trained is None else self.trained
        kept = self.kept
        if kept is not None:
            # The numbers start after the last row of the files, because rows that were not read
            # also have numbers.
            first = max(self.in_files or self.count, int(kept[-1]) + 1)
            kept = np.append(kept, first + np.arange(count))
        return replace(self.more(count), trained=trained, kept=kept)
