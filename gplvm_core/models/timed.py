"""What fitted models share whose latent points lie on paths over time."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gplvm_core.datasets import DataError
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Projection
from gplvm_core.prediction.paths import (
    MOST_STEPS,
    Continued,
    FoundPath,
    StepCallback,
    infer_path,
    likely_path,
)
from gplvm_core.prediction.row_terms import rows_seen
from gplvm_core.priors.temporal import Path, Timeline
from gplvm_core.statistics import Statistics

Rows = NDArray[np.intp]
EachAlone = Callable[[Sequence[Evidence]], Projection]

# Rows of a sequence that are looked at between two calls of a callback.
ROWS_AT_ONCE = 128


class Timed:
    """Times, sequences, the path (μ̄, λ) of every row, and the kernel over time."""

    times_: Any
    sequences_: Any
    path_: Any
    time_kernel_: Any

    def _so_far(self, times: Float[Array, "n P"], rows: Rows) -> tuple[Kernel, Array, Path, Array]:
        """What a path is continued from: kernel, times and path of training rows, new times."""
        if times.shape[1] != self.times_.shape[1]:
            raise DataError(
                f"times have {times.shape[1]} columns, but the model was trained with "
                f"{self.times_.shape[1]}"
            )
        path = Path(self.path_.dual[rows], self.path_.precision[rows])
        return self.time_kernel_, self.times_[rows], path, times

    def _rows_of(self, sequence: Any) -> Rows:
        """The training rows of a sequence; DataError when it is unknown or not told."""
        check_is_fitted(self)
        names = np.unique(self.sequences_)
        shown = ", ".join(str(name) for name in names[:8]) + (", …" if len(names) > 8 else "")
        if sequence is None and len(names) > 1:
            raise DataError(f"there are {len(names)} sequences ({shown}): say which, sequence=…")
        chosen = names[0] if sequence is None else sequence
        rows = np.flatnonzero(self.sequences_ == chosen)
        if len(rows) == 0:
            raise DataError(f"there is no sequence {sequence!r}; the model has {shown}")
        return rows

    def _inferred_path(
        self,
        evidence: Sequence[Evidence],
        prior: Continued,
        each_alone: EachAlone,
        callback: StepCallback | None = None,
        statistics: Sequence[Statistics] | None = None,
    ) -> FoundPath:
        """q(X*) of one sequence, from where its rows, each alone, make the likeliest path.

        statistics: the training rows', for each layer, when the new rows are to inform the mapping.
        Warns when the inference has not come to rest, unless callback ended it.
        """
        seen = np.flatnonzero(rows_seen(evidence))
        found = _looked_at(evidence, seen, each_alone, callback)
        start = likely_path(found, seen[: len(found.bound)], prior)
        most_steps = MOST_STEPS if len(found.bound) == len(seen) else 0
        path = infer_path(evidence, prior, start, callback, most_steps)
        if statistics is not None and most_steps > 0 and path.ending != "stopped":
            start = path.belief.mean
            path = infer_path(evidence, prior, start, callback, most_steps, statistics)
        if path.ending == "moving" and most_steps > 0:
            warnings.warn(
                f"the path of {len(start)} rows was still moving after {MOST_STEPS} steps: its "
                "bound may yet rise a little",
                UserWarning,
                stacklevel=4,
            )
        return path

    @property
    def _timeline(self) -> Timeline:
        return Timeline.of(self.times_, np.unique(self.sequences_, return_inverse=True)[1])


def _looked_at(
    evidence: Sequence[Evidence], rows: Rows, each_alone: EachAlone, callback: StepCallback | None
) -> Projection:
    """Explanations of rows, some at a time; of fewer when callback ends it."""
    parts = [each_alone([each.rows(rows[:0]) for each in evidence])]
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        try:
            if callback is not None:
                callback(0, -np.inf)
        except StopIteration:
            break
        some = rows[begin : begin + ROWS_AT_ONCE]
        parts.append(each_alone([each.rows(some) for each in evidence]))
    return Projection(
        np.concatenate([part.mean for part in parts]),
        np.concatenate([part.variance for part in parts]),
        np.concatenate([part.bound for part in parts]),
    )
