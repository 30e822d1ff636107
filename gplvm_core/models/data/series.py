"""Check user-given series and convert them to the windows of an autoregression."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.models.data.rows import as_floats, checked_rows, readable, variances_of
from gplvm_core.numerics import Array
from gplvm_core.readers import DataError
from gplvm_core.readers.frames import taken


@dataclass(frozen=True)
class Windows:
    """All windows of some series, oldest entry first, and the value after each window.

    variance: the noise variance of the windows' entries; None if the variance is learnt. last: the
    last window of the last series, from which forecasts continue.
    """

    inputs: Float[Array, "N Q"]
    outputs: Float[Array, "N D"]
    variance: Float[Array, "N Q"] | None
    last: Float[Array, "W D"]
    last_variance: Float[Array, "W D"] | None

    @classmethod
    def of(
        cls,
        series: Sequence[Float[Array, "T D"]],
        variances: Sequence[Float[Array, "T D"]] | None,
        window: int,
    ) -> Self:
        """Make the windows; no window spans two series."""
        inputs = np.concatenate([_windows(each, window) for each in series])
        outputs = np.concatenate([each[window:] for each in series])
        last = series[-1][-window:]
        if variances is None:
            return cls(inputs, outputs, None, last, None)
        spread = np.concatenate([_windows(each, window) for each in variances])
        return cls(inputs, outputs, spread, last, variances[-1][-window:])

    @property
    def uncertain(self) -> bool:
        """Whether any entry of the windows has noise."""
        return self.variance is None or bool(self.variance.any())


def _windows(series: Float[Array, "T D"], window: int) -> Float[Array, "N Q"]:
    """All windows of a series, except the last one, which has no next value; oldest entry first."""
    stretches = [series[lag : len(series) - window + lag] for lag in range(window)]
    return np.concatenate(stretches, axis=1)


def checked_window(window: Any) -> int:
    """The length of a window; raises ValueError unless it is a whole number of at least 1."""
    if not (isinstance(window, int | np.integer) and window >= 1):
        raise ValueError(f"window must be a whole number of at least 1; got {window!r}")
    return int(window)


def checked_series(
    estimator: Any, series: ArrayLike, window: int, *, reset: bool
) -> Float[Array, "T D"]:
    """One series (T or T × D) as T × D; raises DataError if it is too short or has gaps.

    reset: whether this is the first training series.
    """
    given = taken(series)
    table = np.asarray(readable(given))[:, None] if np.ndim(given) == 1 else given
    try:
        values = checked_rows(estimator, table, reset=reset, least=1)
    except ValueError as error:
        if "NaN" in str(error) or "infinity" in str(error):
            raise DataError(
                f"{error}\nA series must be complete: fill its gaps in, or pass the parts "
                "between the gaps as a list of series."
            ) from error
        raise
    # Training needs values that follow a window.
    least = window + (2 if reset else 0)
    if len(values) < least:
        raise DataError(
            f"a series of n_samples = {len(values)} is too short for window = {window}: "
            f"at least {least} values are needed; give a longer series or a shorter window"
        )
    return values


def checked_variances(
    variances: Any, series: Sequence[Float[Array, "T D"]], *, several: bool
) -> list[Float[Array, "T D"]]:
    """Variances of the entries of each series; raises ValueError for wrong shapes or values."""
    given = variances if several else [variances]
    if len(given) != len(series):
        raise ValueError(
            f"series_variance must be a list with an entry for each of the {len(series)} series; "
            f"got {len(given)} entries"
        )
    return [series_variance(each, own) for each, own in zip(given, series, strict=True)]


def series_variance(variance: ArrayLike, series: Float[Array, "T D"]) -> Float[Array, "T D"]:
    """Variances of a series' entries, broadcast to its shape; raises ValueError if invalid."""
    given = as_floats(variance, "series_variance")
    if given.shape == (len(series),) and series.shape[1] == 1:
        given = given[:, None]
    wanted = f"a number, or of the series' shape {series.shape}"
    return variances_of(given, series.shape, "series_variance", wanted)


def are_several(series: Any) -> bool:
    """Whether the argument is a list of series (arrays or tables), not one series as a list."""
    if not isinstance(series, list | tuple) or not series:
        return False
    each = [(np.ndim(taken(one)), isinstance(one, list | tuple)) for one in series]
    return all(ndim == 2 or (ndim == 1 and not is_list) for ndim, is_list in each)
