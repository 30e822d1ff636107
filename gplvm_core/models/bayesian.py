"""The Bayesian GP-LVM: latent inputs integrated out, dimensions switched off by ARD."""

from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Kernel
from gplvm_core.models.encoded import EncodedProblem
from gplvm_core.models.latent import LatentProblem
from gplvm_core.models.layers import OneLayer, Start, relevance_of
from gplvm_core.models.scaling import Scaling, observed_counts
from gplvm_core.models.trained import TrainedModel
from gplvm_core.numerics import Array
from gplvm_core.prediction import Evidence, Projection, log_density, project
from gplvm_core.priors import StandardNormal
from gplvm_core.priors.encoder import Encoder
from gplvm_core.statistics import Executor, Statistics, Targets


class BayesianGPLVM(TrainedModel):
    """Bayesian Gaussian-process latent variable model (Titsias & Lawrence 2010).

    Outputs are Gaussian-process functions, plus noise, of latent inputs X ~ N(0, I) that are
    integrated out approximately: `bound_` is a lower bound on log p(Y) in nats, for the data as
    given. `relevance_` orders the latent dimensions, `information_` (nats per point) says which
    are on. Trained by phases with the noise variance and the kernel's scale at their optimum.

    encoder : None, or q(X) as a function of the outputs, learnt together with the layer, so that
        transform of a whole row needs no inference: "kernel", a linear map and an RBF expansion
        (Lawrence & Quiñonero-Candela 2006), or "network", a linear map and a hidden layer
        (Damianou 2015, §6.2.5). `bound_` stays a lower bound, over fewer beliefs. The encoder
        answers in transform and denoise; new rows with gaps, and score_samples, are inferred
        iteratively as without it.
    """

    encoder_: Encoder | None

    def __init__(
        self,
        n_components: int = 10,
        n_inducing: int = 50,
        kernel: str | Kernel = "rbf",
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
        encoder: Literal["kernel", "network"] | None = None,
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
        self.encoder = encoder

    def _problem(self, begin: Start, run: Executor) -> LatentProblem | EncodedProblem:
        data = OneLayer(begin, Targets.of(begin.targets), self.jitter, run)
        if self.encoder is None:
            return LatentProblem(data)
        return EncodedProblem.of(data, self.encoder)

    def _settle(
        self,
        problem: Any,
        parameters: Any,
        targets: Array,
        scaling: Scaling,
    ) -> tuple[str, ...]:
        notes: tuple[str, ...] = ()
        self.encoder_ = None
        if isinstance(problem, EncodedProblem):
            self.encoder_, notes = problem.encoder(parameters), problem.notes()
            parameters = problem.decoded(parameters)
        settled, belief = problem.data.settled(parameters, targets), parameters.belief
        kl_terms = StandardNormal().kl_terms(belief)
        self.latent_mean_, self.latent_variance_ = belief.mean, belief.variance
        self.information_ = kl_terms.mean(axis=0)
        self.relevance_ = relevance_of(settled.layer.kernel, belief.n_latent)
        offset = scaling.log_jacobian(observed_counts(targets))
        self.bound_ = settled.posterior.value - float(kl_terms.sum()) + offset
        self.statistics_: Statistics = settled.statistics
        self.posterior_ = settled.as_posterior(scaling)
        return notes + settled.notes

    def score_samples(self, Y: ArrayLike) -> Float[Array, " N"]:
        """log p(observed entries of y | training data) of each row in nats, approximately.

        The difference of the bounds with and without the row: each is a lower bound, their
        difference bounds nothing. Source: Damianou (2015), §3.4.
        """
        outputs = self._outputs(Y)
        return log_density(
            (Evidence(self.posterior_, outputs),), (self.statistics_,), self._inferred(outputs)
        )

    def _project(self, outputs: Array) -> Projection:
        whole = ~np.isnan(outputs).any(axis=1)
        if self.encoder is None or self.encoder_ is None or not whole.any():
            return self._inferred(outputs)
        found = None if whole.all() else self._inferred(outputs[~whole])
        # Rows that the encoder answers have one explanation, however many others have.
        shape = (len(outputs), 1 if found is None else found.bound.shape[1])
        bound = np.full(shape, -np.inf)
        mean = np.zeros((*shape, self.posterior_.n_latent))
        variance = np.ones_like(mean)
        if found is not None:
            mean[~whole], variance[~whole], bound[~whole] = found.mean, found.variance, found.bound
        told = self.encoder_.belief(self.posterior_.to_internal(outputs[whole]))
        mean[whole, 0], variance[whole, 0], bound[whole, 0] = told.mean, told.variance, 0.0
        return Projection(mean, variance, bound)

    def _inferred(self, outputs: Array) -> Projection:
        evidence = (Evidence(self.posterior_, outputs),)
        return project(evidence, self.latent_mean_, self.latent_variance_)


class BayesianPCA(BayesianGPLVM):
    """Bayesian PCA: the Bayesian GP-LVM with a linear ARD kernel (Damianou 2015, §3.2).

    That kernel has rank Q, so it gets as many inducing inputs as latent dimensions.
    """

    def __init__(
        self,
        n_components: int = 10,
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_components=n_components,
            n_inducing=n_components,
            kernel="linear",
            init=init,
            scaling=scaling,
            max_iter=max_iter,
            n_restarts=n_restarts,
            jitter=jitter,
            optimiser=optimiser,
            random_state=random_state,
            n_jobs=n_jobs,
        )

    def _n_inducing(self, n_points: int) -> int:
        return self.n_components
