"""What fitted models share whose latent points lie on paths over time."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.timeline import checked_times, rows_of_sequence
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Projection
from gplvm_core.prediction.paths import (
    MOST_STEPS,
    Continued,
    FoundPath,
    StepCallback,
    continued,
    forecast,
)
from gplvm_core.prediction.sequence import infer_sequence
from gplvm_core.priors.temporal import Path, Timeline
from gplvm_core.readers import DataError
from gplvm_core.statistics import Statistics

Rows = NDArray[np.intp]


class Timed:
    """Times, sequences, the path (μ̄, λ) of every row, and the kernel over time."""

    # None where a model has no kernel over time, and in files of before it could have one.
    times_: Any = None
    sequences_: Any = None
    path_: Any = None
    time_kernel_: Any = None

    def forecast_latent(
        self, times: ArrayLike, *, sequence: Any = None
    ) -> tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Mean and variance of the latent path at new times of a trained sequence."""
        rows = self._rows_of(sequence)
        found = forecast(*self._so_far(checked_times(times, None), rows))
        return found.mean, found.variance

    def _continued(self, times: ArrayLike, count: int | None, sequence: Any) -> Continued:
        """The prior of so many new rows: a trained sequence's continuation, or that over time."""
        self._check_timed()
        rows = np.empty(0, dtype=np.intp) if sequence is None else self._rows_of(sequence)
        return continued(*self._so_far(checked_times(times, count), rows))

    def _inferred_path(
        self,
        evidence: Sequence[Evidence],
        prior: Continued,
        callback: StepCallback | None = None,
        statistics: Sequence[Statistics] | None = None,
    ) -> FoundPath:
        """q(X*) of the rows of one sequence (see infer_sequence), with a warning if it moves."""
        path = self._infer(evidence, prior, callback, statistics)
        if path.ending == "moving":
            warnings.warn(
                f"the path of {path.belief.n_points} rows was still moving after {MOST_STEPS} "
                "steps: its bound may yet rise a little",
                UserWarning,
                stacklevel=4,
            )
        return path

    def _infer(
        self,
        evidence: Sequence[Evidence],
        prior: Continued,
        callback: StepCallback | None,
        statistics: Sequence[Statistics] | None,
    ) -> FoundPath:
        return infer_sequence(evidence, prior, self._each_alone, callback, statistics)

    def _each_alone(self, evidence: Sequence[Evidence]) -> Projection:
        """The explanations of rows, each on its own."""
        raise NotImplementedError

    def _so_far(
        self, times: Float[Array, "n P"], rows: Int[Rows, " r"]
    ) -> tuple[Kernel, Array, Path, Array]:
        """What a path is continued from: kernel, times and path of training rows, new times."""
        if times.shape[1] != self.times_.shape[1]:
            raise DataError(
                f"times have {times.shape[1]} columns, but the model was trained with "
                f"{self.times_.shape[1]}"
            )
        path = Path(self.path_.dual[rows], self.path_.precision[rows])
        return self.time_kernel_, self.times_[rows], path, times

    def _rows_of(self, sequence: Any) -> Int[Rows, " r"]:
        """The training rows of a sequence; DataError when it is unknown or not told."""
        self._check_timed()
        return rows_of_sequence(self.sequences_, sequence)

    def _check_timed(self) -> None:
        check_is_fitted(self)
        if self.time_kernel_ is None:
            raise DataError("the model was trained without a kernel over time: it has no sequences")

    @property
    def _timeline(self) -> Timeline:
        return Timeline.of(self.times_, np.unique(self.sequences_, return_inverse=True)[1])
