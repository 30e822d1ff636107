"""Convert moments to times since the first, and to columns to learn."""

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array
from gplvm_core.readers.tables.dates import (
    SECOND,
    SECONDS,
    Moments,
    TimeUnit,
)


def unit_for(moments: Moments) -> TimeUnit:
    """Return a unit for the median step between neighbouring moments: days, hours or seconds."""
    steps = np.diff(np.unique(moments[~np.isnat(moments)])) / SECOND
    step = float(np.median(steps)) if len(steps) else SECONDS["days"]
    if step >= SECONDS["days"] / 4:
        return "days"
    return "hours" if step >= SECONDS["hours"] / 100 else "seconds"


def times_since_first(moments: Moments, unit: TimeUnit | None = None) -> tuple[Array, str]:
    """Return times since the earliest moment, and their unit in words: "days since 2024-01-03".

    unit: None chooses one that suits the steps. Missing moments give NaN.
    """
    unit = unit or unit_for(moments)
    earliest = np.nanmin(moments) if len(moments) else np.datetime64(0, "ms")
    times = (moments - earliest) / SECOND / SECONDS[unit]
    whole_day = earliest == earliest.astype("datetime64[D]")
    start = str(earliest.astype("datetime64[D]" if whole_day else "datetime64[s]"))
    return times, f"{unit} since {start.replace('T', ' ')}"


def date_columns(name: str, moments: Moments) -> dict[str, Float[Array, " N"]]:
    """Return columns to learn from dates: year, season (two columns), weekday (Monday is 1).

    The season is the sine and cosine of 2π times the elapsed fraction of the year.
    """
    years = moments.astype("datetime64[Y]")
    starts = years.astype(moments.dtype)
    ends = (years + np.timedelta64(1, "Y")).astype(moments.dtype)
    angle = 2.0 * np.pi * ((moments - starts) / (ends - starts))
    days = moments.astype("datetime64[D]")
    monday = np.datetime64("1970-01-05", "D")
    return {
        f"{name} year": _float(years) + 1970.0,
        f"{name} season sine": np.sin(angle),
        f"{name} season cosine": np.cos(angle),
        f"{name} weekday": _float(days - monday) % 7.0 + 1.0,
    }


def _float(values: NDArray[np.datetime64] | NDArray[np.timedelta64]) -> Array:
    """Convert moments or durations to numbers, NaN where missing."""
    return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(float))
