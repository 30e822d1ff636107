"""The GP-LVM with latent points: maximum a posteriori, all data or inducing inputs."""

from dataclasses import replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.scaling import Noise, Scaling, observed_counts
from gplvm_core.models.estimators.trained import TrainedModel
from gplvm_core.models.problems.edges import relevance_of, to_data
from gplvm_core.models.problems.full import FullProblem, check_room
from gplvm_core.models.problems.graph import Graph
from gplvm_core.models.problems.nodes import PointNode
from gplvm_core.models.problems.starts import Start
from gplvm_core.numerics import Array
from gplvm_core.prediction import log_density_at
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Executor, Targets


class GPLVM(TrainedModel):
    """Gaussian-process latent variable model with MAP latent points (Lawrence 2005).

    n_inducing None: the full model, exact and cubic in N; else the sparse variational one
    (Titsias 2009). `bound_` is log p(Y, X) or its lower bound: a joint density of points that
    were fitted, not an evidence, so it does not compare with BayesianGPLVM's and over-fitting
    does not lower it. There is no KL: `information_` is nan and `n_effective_` the rank of the
    fitted map. noise: as for BayesianGPLVM; "per_output" needs inducing inputs.

    kernel: "rbf", "linear", "matern12", "matern32", "matern52", or any kernel object, sums and
    products too: latent points are known exactly, so that no expectations are needed.
    """

    def __init__(
        self,
        n_components: int = 10,
        n_inducing: int | None = None,
        kernel: str | Kernel = "rbf",
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
        self.n_components = n_components
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.init = init
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.noise = noise

    def _begin(self, targets: Float[Array, "N D"]) -> Start:
        return replace(super()._begin(targets), exact=True)

    def _problem(self, begin: Start, run: Executor) -> Graph | FullProblem:
        if self.n_inducing is not None:
            layer = to_data(begin.outputs[0], run, self.noise)
            return Graph((PointNode(),), (layer,), begin, self.jitter)
        if self.noise != "shared":
            raise ValueError(
                f"the full model has one noise for all outputs; for noise={self.noise!r} "
                "give it inducing inputs (n_inducing=50)"
            )
        compressed = Targets.of(begin.outputs[0])
        check_room(compressed)
        return FullProblem(begin, compressed, self.jitter)

    def _settle(
        self,
        problem: Graph | FullProblem,
        parameters: Any,
        targets: Array,
        scaling: Scaling,
    ) -> tuple[str, ...]:
        notes: tuple[str, ...] = ()
        if isinstance(problem, FullProblem):
            points = parameters.latent
            value, self.posterior_ = problem.settled(parameters, targets, scaling)
        else:
            learnt = problem.learnt(parameters, (targets,))
            (node,), (layer,) = learnt.nodes, learnt.layers
            points, value, notes = node.belief.mean, layer.posterior.value, learnt.notes
            self.posterior_ = layer.as_posterior(scaling)
        self.latent_mean_, self.latent_variance_ = points, np.zeros_like(points)
        self.relevance_ = relevance_of(self.kernel_, self.n_components)
        self.information_ = np.full(self.n_components, np.nan)
        offset = scaling.log_jacobian(observed_counts(targets))
        self.bound_ = value + StandardNormal().log_density(points)[0] + offset
        return notes

    @property
    def n_effective_(self) -> int:
        """Rank of the fitted map: directions of the latent points that move the output."""
        spread = self.latent_mean_ * np.sqrt(self.relevance_)
        values = np.linalg.svd(spread - spread.mean(axis=0), compute_uv=False)
        return int(np.sum(values > 1e-3 * values[0]))

    def score_samples(  # type: ignore[override]  # points have no density to sample
        self, Y: ArrayLike
    ) -> Float[Array, " N"]:
        """log p(observed y | x*, training data) + log p(x*) of each row at its best x*, in nats.

        A joint density at a point, not an integral over x*.
        """
        outputs = self._outputs(Y)
        return log_density_at(self.posterior_, outputs, self._project(outputs).best.mean)
