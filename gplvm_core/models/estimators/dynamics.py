"""The dynamical GP-LVM (VGPDS): a Gaussian-process prior over time on the latent space."""

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.data.timeline import checked_timeline, timeline_notes
from gplvm_core.models.estimators.bayesian import BayesianGPLVM
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.models.estimators.sequences import SequenceQueries
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.paths import PathNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array, to_numpy
from gplvm_core.optimise import Progress


class DynamicalGPLVM(SequenceQueries, BayesianGPLVM):
    """Variational Gaussian-process dynamical system (Damianou, Titsias & Lawrence 2011).

    A BayesianGPLVM whose latent points lie on smooth paths: every latent dimension is a Gaussian
    process over time (or over any observed inputs), independent between sequences. time_kernel:
    "rbf" (smooth), "matern52", "matern32" (a little rough), "matern12" (rough), "periodic", each
    with a little white noise; or a kernel object, of which the first variance stays as it is, and
    what it holds: (Periodic(1.0) + RBF(0.1)).holding("variance") + White(0.01) repeats nearly, with
    a given share of anything smooth (§3.5.4).
    transform, score_samples, denoise, and complete without times take every row alone, x ~ N(0, I).
    Source: Damianou (2015), §3.2.1 and §3.3.6.
    """

    def __init__(
        self,
        n_components: int = 10,
        n_inducing: int = 50,
        kernel: str | Kernel = "rbf",
        time_kernel: str | Kernel = "matern32",
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
        noise: Noise = "shared",
    ) -> None:
        super().__init__(
            n_components=n_components,
            n_inducing=n_inducing,
            kernel=kernel,
            init=init,
            scaling=scaling,
            max_iter=max_iter,
            n_restarts=n_restarts,
            jitter=jitter,
            optimiser=optimiser,
            random_state=random_state,
            n_jobs=n_jobs,
            noise=noise,
        )
        self.time_kernel = time_kernel

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(timed=True)

    def fit(  # type: ignore[override]  # rows that hang together do not pass by
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on outputs Y (N × D), NaN for missing ones. `y` is ignored.

        times: of each row, N or (vector inputs) N × P; by default 0, 1, 2, … within a sequence.
        sequences: N labels; rows with the same one lie on one path, different paths are
        independent. callback and resume as for BayesianGPLVM. Raises DataError for times and
        sequences that do not fit the rows.
        """
        shape = np.asarray(to_numpy(Y)).shape
        count = shape[0] if shape else 0
        self.times_, self.sequences_ = checked_timeline(times, sequences, count)
        return super().fit(Y, callback=callback, resume=resume)

    def _node(self, begin: Start) -> PathNode:
        return PathNode(self._timeline, self.time_kernel)

    def _settle(
        self, problem: Graph, parameters: Parameters, targets: Array, scaling: Scaling
    ) -> tuple[str, ...]:
        (node,), (own,) = problem.nodes, parameters.nodes
        assert isinstance(node, PathNode)
        self.path_, self.time_kernel_ = node.path(own), own.kernel
        odd = timeline_notes(self.times_, self.sequences_, self.time_kernel_)
        return odd + super()._settle(problem, parameters, targets, scaling)
