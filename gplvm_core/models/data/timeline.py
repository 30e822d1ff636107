"""Check user-given times and sequences of rows, and write notes about them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int, Shaped
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.kernels.periodic import Periodic
from gplvm_core.models.data.rows import as_floats
from gplvm_core.numerics import AnyNDArray, Array, BoolArray, IntArray
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import by_count, in_digits, plural
from gplvm_core.readers.frames import without_dates

# What the latent paths follow: the rows' times, or all of the rows' own values.
TIMES, OUTPUTS = "times", "outputs"
# Training is poor if the prior's standard deviation differs from 1 by more than this factor.
MOST_WIDTH = 4.0
# The largest deviation of a step in time from the usual step, as a share of the usual step.
UNEVEN = 0.01
EXACT = 1e-6  # the same for equal steps, up to rounding
MONTH = 365.2425 / 12.0  # days
CALENDAR = 0.15  # the same for months and quarters: months differ by up to three days


def checked_times(times: ArrayLike, count: int | None) -> Float[Array, "N P"]:
    """Times (N,) or vector inputs (N, P) as N × P; raises DataError unless all are finite."""
    found = as_floats(times, "times (seconds, days since a start)")
    found = found[:, None] if found.ndim == 1 else found
    if found.ndim != 2 or (count is not None and len(found) != count) or found.shape[1] == 0:
        wanted = "N" if count is None else str(count)
        raise DataError(
            f"times must have an entry for each row, shape ({wanted},) or ({wanted}, P); got "
            f"shape {np.shape(times)}"
        )
    if not np.isfinite(found).all():
        row = int(np.argwhere(~np.isfinite(found))[0, 0])
        raise DataError(
            f"times must be finite; the first NaN or infinity is in row {row} (counted from 0): "
            "leave the row out, or give its time"
        )
    return found


def checked_timeline(
    times: ArrayLike | None, sequences: ArrayLike | None, count: int
) -> tuple[Float[Array, "N P"], Shaped[AnyNDArray, " N"]]:
    """Times (by default the row's index in its sequence) and sequence labels of `count` rows.

    Raises DataError for a wrong number of times or labels, and for times that are not finite.
    """
    labels: AnyNDArray = np.zeros(count, dtype=np.int64)
    if sequences is not None:
        labels = checked_sequences(sequences, count)
    if times is None:
        found = np.empty((count, 1))
        for label in np.unique(labels):
            rows = np.flatnonzero(labels == label)
            found[rows, 0] = np.arange(len(rows))
        return found, labels
    return checked_times(times, count), labels


def checked_sequences(sequences: ArrayLike, count: int) -> Shaped[AnyNDArray, " N"]:
    """The labels of the sequences of `count` rows.

    Raises DataError for a wrong number of labels, for rows without one, and for labels of several
    kinds.
    """
    labels = without_dates(sequences, "sequences")
    if labels.shape != (count,):
        raise DataError(
            f"sequences must have one label for each of the {count} rows; got shape {labels.shape}"
        )
    # NumPy makes the word "nan" of NaN in a list of words.
    given = sequences if isinstance(sequences, list | tuple) else labels.tolist()
    unknown = [n for n, each in enumerate(given) if _is_unknown(each)]
    if unknown:
        raise DataError(
            f"sequences must be known for every row; the first row without a label is row "
            f"{unknown[0]} (counted from 0)"
        )
    if labels.dtype == object:
        try:
            np.unique(labels)
        except TypeError as error:
            raise DataError(
                "the labels of sequences must be of one kind: all words or all numbers"
            ) from error
    return labels


def _is_unknown(label: Any) -> bool:
    # pandas' NA cannot be compared, and only NaN differs from itself.
    return label is None or type(label).__name__ == "NAType" or bool(label != label)


def over_times(path_over: Any) -> bool:
    """Whether the latent paths follow the times of the rows.

    Raises ValueError unless path_over is "times", "outputs" or a sequence of column numbers.
    """
    if isinstance(path_over, str) and path_over in (TIMES, OUTPUTS):
        return path_over == TIMES
    columns = isinstance(path_over, Sequence) and not isinstance(path_over, str)
    whole = columns and all(isinstance(each, int | np.integer) and each >= 0 for each in path_over)
    if whole and len(path_over) > 0:
        return False
    raise ValueError(
        f'path_over must be "times", "outputs" or the numbers of some columns, counted from 0; got '
        f"{path_over!r}"
    )


def inputs_from(
    outputs: Float[Array, "N D"], path_over: str | Sequence[int]
) -> Float[Array, "N P"]:
    """The standardised columns that the paths follow.

    Raises ValueError for columns that the outputs do not have, and DataError for gaps in these
    columns and for columns that are all constant.
    """
    width = outputs.shape[1]
    columns = list(range(width) if isinstance(path_over, str) else dict.fromkeys(path_over))
    if max(columns) >= width:
        raise ValueError(
            f"path_over names column {max(columns)} (counted from 0), but the number of columns "
            f"is {width}"
        )
    chosen = outputs[:, columns]
    if np.isnan(chosen).any():
        row, column = np.argwhere(np.isnan(chosen))[0].tolist()
        raise DataError(
            f"paths that follow the rows' own values need these values in every row; row {row} has "
            f"none in column {columns[column]} (both counted from 0): fill it, or choose other "
            "columns"
        )
    spread = chosen.std(axis=0)
    varying = spread > 0.0
    if not varying.any():
        raise DataError("the columns that the paths should follow are constant: choose others")
    return (chosen[:, varying] - chosen[:, varying].mean(axis=0)) / spread[varying]


def checked_even_times(
    times: Float[Array, "N P"], sequences: Shaped[AnyNDArray, " N"], *, least: int = 2
) -> float:
    """Return the step between the rows of all sequences; rows may be missing.

    Months and quarters count as equal: their step is the mean one. least: the number of rows that
    the longest sequence must have. Raises DataError if the times are not whole steps apart, if most
    rows are more than one step apart, or if every sequence is shorter.
    """
    if times.shape[1] != 1:
        raise DataError(f"a state has one time; got {times.shape[1]} columns of times")
    parts = [np.sort(times[sequences == label, 0]) for label in np.unique(sequences)]
    if max(map(len, parts)) < least:
        raise DataError(
            f"every one of the {len(parts)} sequences has only one row, but a transition leads "
            "from one row to the next: check the labels of the sequences"
        )
    steps = np.concatenate([np.diff(part) for part in parts])
    if not len(steps):
        return 1.0
    step = float(np.median(steps))
    count = np.round(steps / step) if step > 0.0 else np.zeros(1)
    if not count.all() or np.any(np.abs(steps - count * step) > UNEVEN * step):
        calendar = _calendar_step([part for part in parts if len(part) > 1])
        if calendar is not None:
            return calendar
        raise DataError(
            f"the rows of a sequence must be equally spaced in time, apart from missing rows; got "
            f"steps from {steps.min():g} to {steps.max():g}. DynamicalGPLVM allows any times"
        )
    return step


def _calendar_step(parts: Sequence[Float[Array, " _n"]]) -> float | None:
    """The mean month or quarter, if all times fit one in any unit; rows may be missing."""
    least = min((float(np.diff(part).min()) for part in parts), default=0.0)
    if least <= 0.0:
        return None
    for months, shortest in ((3, range(89, 93)), (1, range(28, 32))):
        for days in shortest:
            since = [(part - part[0]) * days / least for part in parts]
            count = [np.round(each / (months * MONTH)) for each in since]
            at, number = np.concatenate(since), np.concatenate(count)
            gaps, steps = (np.concatenate([np.diff(e) for e in each]) for each in (since, count))
            single = steps == 1.0
            if (
                steps.min() >= 1.0
                and single.mean() >= 0.5
                and np.isin(np.round(gaps[single]), shortest).all()
                and np.abs(at - np.round(at)).max() < 0.05  # a clock change is an hour
                and np.abs(at - number * months * MONTH).max() < 4.0
            ):
                return months * MONTH * least / days
    return None


def steps_after(
    times: Float[Array, " n"], start: float, step: float, near: float = UNEVEN
) -> tuple[Int[IntArray, " n"], Bool[BoolArray, " n"]]:
    """The number of whole steps from a time to other times, and whether they are whole.

    near: the largest fraction of a step by which a time may differ from whole steps.
    """
    exact = (times - start) / step
    count = np.round(exact).astype(np.intp)
    return count, np.abs(exact - count) <= near


def rows_of_sequence(sequences: Shaped[AnyNDArray, " N"], sequence: Any) -> Int[IntArray, " r"]:
    """The rows of a sequence.

    Raises DataError if there is no such sequence, or if `sequence` is None and there are several
    sequences.
    """
    names = np.unique(sequences)
    shown = ", ".join(str(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
    if sequence is None and len(names) > 1:
        raise DataError(f"there are {len(names)} sequences ({shown}): choose one, sequence=…")
    rows = np.flatnonzero(sequences == (names[0] if sequence is None else sequence))
    if len(rows) == 0:
        raise DataError(f"there is no sequence {sequence!r}; the model has {shown}")
    return rows


def timeline_notes(
    times: Float[Array, "N P"], sequences: Shaped[AnyNDArray, " N"], kernel: Kernel
) -> tuple[str, ...]:
    """Notes on unusual times and sequences, one sentence each."""
    notes = []
    width = float(np.sqrt(np.mean(kernel.diag(times))))
    if not 1.0 / MOST_WIDTH < width < MOST_WIDTH:
        notes.append(
            f"the time kernel gives paths of standard deviation {width:.1e}, but training starts "
            "from latent points of about 1: choose variances that add up to about 1"
        )
    names, counts = np.unique(sequences, return_counts=True)
    if (counts == 1).any():
        single = names[counts == 1]
        have, their = by_count(len(single), "has", "have"), by_count(len(single), "its", "their")
        notes.append(
            f"{len(single)} of {len(names)} sequences {have} only one row (the first: "
            f"{single[0]}): {their} time has no effect"
        )
    steps = [np.diff(times[sequences == name, 0]) for name in names]
    if times.shape[1] == 1:
        if any((step < 0).any() for step in steps):
            notes.append("rows are not in the order of their times: they were sorted by time")
        repeated = sum(
            len(t) - len(np.unique(t)) for t in (times[sequences == name, 0] for name in names)
        )
        if repeated:
            notes.append(
                f"{plural(repeated, 'row has', 'rows have')} the same time as another row of "
                "their sequence: rows of the same time share a latent point, except for the white "
                "noise of the prior"
            )
        span = max(float(np.ptp(times[sequences == name, 0])) for name in names)
        period = _period(kernel)
        if period is not None and period > span:
            notes.append(
                f"the period {in_digits(period, 3)} is longer than the longest sequence, "
                f"{in_digits(span, 3)}: the data show no repetition"
            )
    return tuple(notes)


def _period(kernel: Any) -> float | None:
    if isinstance(kernel, Periodic):
        return float(kernel.period)
    found = [_period(part) for part in getattr(kernel, "parts", ())]
    return next((period for period in found if period is not None), None)
