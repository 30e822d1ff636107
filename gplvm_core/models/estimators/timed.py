"""Methods of fitted models whose latent points are on paths over time."""

import warnings
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.timeline import checked_times, rows_of_sequence
from gplvm_core.numerics import Array, IntArray
from gplvm_core.prediction import Network
from gplvm_core.prediction.network import Outputs
from gplvm_core.prediction.paths import MOST_STEPS, Continued, StepCallback, continued, forecast
from gplvm_core.prediction.project import Inputs
from gplvm_core.prediction.sequence import FoundPath, infer_sequence
from gplvm_core.priors.temporal import Path, Timeline
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural


class Timed:
    """Methods of a model with latent paths over time.

    Attributes
    ----------
    times_ : ndarray of shape (N, P) or None
        The times of the training rows; None without a kernel over time.
    sequences_ : ndarray of shape (N,) or None
        The labels of the training rows' sequences; None without a kernel over time.
    path_ : Path or None
        The parameters (μ̄, λ) of the latent path, each of shape (N, Q); None without a kernel over
        time.
    time_kernel_ : Kernel or None
        The trained kernel over time, or None.
    """

    # None without a kernel over time, and for models in files of versions without such kernels.
    times_: Any = None
    sequences_: Any = None
    path_: Any = None
    time_kernel_: Any = None

    @property
    def _network(self) -> Network:
        """The trained graph; the points of its first node are on the paths."""
        raise NotImplementedError

    @property
    def _paths(self) -> dict[int, tuple[Kernel, Path]]:
        """The kernel and the training rows' path of every node over time."""
        return {} if self.time_kernel_ is None else {0: (self.time_kernel_, self.path_)}

    def forecast_latent(
        self, times: ArrayLike, *, sequence: Any = None
    ) -> tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Predict the latent path at new times of a trained sequence.

        Parameters
        ----------
        times : array_like of shape (n,) or (n, P)
            New times: after, between or before the times of the sequence.
        sequence : label, optional
            The trained sequence; required if there are several.

        Returns
        -------
        mean, variance : ndarray of shape (n, Q)
            The posterior means and variances of the path.
        """
        found = self._forecast(times, sequence)[0]
        return found.mean, found.variance

    def _forecast(self, times: ArrayLike, sequence: Any) -> dict[int, Belief]:
        """The paths at new times of a trained sequence, by node."""
        rows = self._rows_of(sequence)
        known = self._so_far(checked_times(times, None), rows)
        return {at: forecast(*own) for at, own in known.items()}

    def _continued(self, times: ArrayLike, count: int | None, sequence: Any) -> Continued:
        """The prior of `count` new rows at all nodes over time; the nodes' dimensions are
        concatenated.

        The rows continue a trained sequence. If `sequence` is None, they are a new sequence.
        """
        self._check_timed()
        rows = np.empty(0, dtype=np.intp) if sequence is None else self._rows_of(sequence)
        known = self._so_far(checked_times(times, count), rows)
        return Continued.beside([continued(*own) for own in known.values()])

    def _inferred_path(
        self,
        outputs: Outputs,
        prior: Continued,
        callback: StepCallback | None = None,
        *,
        inputs: Inputs | None = None,
        adapt: bool = False,
    ) -> FoundPath:
        """q(x) of the rows of one sequence (`infer_sequence`); warns if it has not converged."""
        network = self._network
        if adapt and len(network.nodes) > 1:
            raise ValueError("adapt=True is only for models of one layer: leave adapt out")
        if adapt and any(edge.posterior.links is not None for edge in network.edges):
            raise ValueError("adapt=True needs a table of numbers: leave adapt out")
        path = infer_sequence(
            network,
            outputs,
            prior,
            tops=tuple(self._paths),
            inputs=inputs,
            callback=callback,
            adapt=adapt,
        )
        if path.ending == "moving":
            warn_of_moving(len(prior.mean))
        return path

    def _so_far(
        self, times: Float[Array, "n P"], rows: Int[IntArray, " r"]
    ) -> dict[int, tuple[Kernel, Array, Path, Array]]:
        """For each node over time: the kernel, the training rows' times and path, the new times."""
        if times.shape[1] != self.times_.shape[1]:
            raise DataError(
                f"times have {plural(times.shape[1], 'column')}, but the model was trained with "
                f"{self.times_.shape[1]}"
            )
        return {
            at: (kernel, self.times_[rows], Path(path.dual[rows], path.precision[rows]), times)
            for at, (kernel, path) in self._paths.items()
        }

    def _rows_of(self, sequence: Any) -> Int[IntArray, " r"]:
        """The training rows of a sequence; DataError if the sequence is unknown or ambiguous."""
        self._check_timed()
        return rows_of_sequence(self.sequences_, sequence)

    def _check_timed(self) -> None:
        check_is_fitted(self)
        if not self._paths:
            raise DataError("the model was trained without a kernel over time: it has no sequences")

    def _timeline(self) -> Timeline:
        return Timeline.of(self.times_, np.unique(self.sequences_, return_inverse=True)[1])


def warn_of_moving(count: int) -> None:
    """Warn that the path of this number of rows has not converged."""
    warnings.warn(
        f"the path of {count} rows has not converged after {MOST_STEPS} steps: its bound may still "
        "rise a little",
        UserWarning,
        stacklevel=5,
    )
