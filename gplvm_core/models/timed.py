"""What fitted models share whose latent points lie on paths over time."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.datasets import DataError
from gplvm_core.kernels import Kernel
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence
from gplvm_core.prediction.paths import MOST_STEPS, Continued, continued, infer_path
from gplvm_core.priors.temporal import Path, Timeline

Rows = NDArray[np.intp]


class Timed:
    """Times, sequences, the path (μ̄, λ) of every row, and the kernel over time."""

    times_: Any
    sequences_: Any
    path_: Any
    time_kernel_: Kernel | None

    def _continued(self, times: Float[Array, "n P"], rows: Rows) -> Continued:
        """The prior of rows at new times, given the path of some of the training rows."""
        if self.time_kernel_ is None:
            raise DataError("the model was trained without a kernel over time: leave out times")
        if times.shape[1] != self.times_.shape[1]:
            raise DataError(
                f"times have {times.shape[1]} columns, but the model was trained with "
                f"{self.times_.shape[1]}"
            )
        path = Path(self.path_.dual[rows], self.path_.precision[rows])
        return continued(self.time_kernel_, self.times_[rows], path, times)

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
        self, evidence: Sequence[Evidence], prior: Continued, start: Float[Array, "n Q"]
    ) -> Belief:
        """q(X*) of one sequence; warns when the inference has not come to rest."""
        belief, settled = infer_path(evidence, prior, start)
        if not settled:
            warnings.warn(
                f"the path of {len(start)} rows was still moving after {MOST_STEPS} steps: its "
                "bound may yet rise a little",
                UserWarning,
                stacklevel=4,
            )
        return belief

    @property
    def _timeline(self) -> Timeline:
        return Timeline.of(self.times_, np.unique(self.sequences_, return_inverse=True)[1])
