"""The deep GP-LVM: Gaussian-process layers on top of each other, above them latent inputs."""

from typing import Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.kernels import Kernel
from gplvm_core.models.data.points import checked_points, checked_variance
from gplvm_core.models.data.scaling import Noise, Scaling, observed_counts
from gplvm_core.models.estimators.deep import LAYERED, Layered, checked_layer, for_layers, widths
from gplvm_core.models.estimators.trained import TrainedModel
from gplvm_core.models.problems.deep import Family, chain
from gplvm_core.models.problems.deep_starts import Embedded
from gplvm_core.models.problems.doctor import doubts, examined
from gplvm_core.models.problems.edges import targets_for
from gplvm_core.models.problems.graph import Graph, Parameters
from gplvm_core.models.problems.nodes import LatentNode
from gplvm_core.numerics import Array
from gplvm_core.prediction import Projection
from gplvm_core.statistics import Executor


class DeepGPLVM(Layered, TrainedModel):
    """Deep Gaussian-process latent variable model (Damianou 2015, ch. 6).

    Latent inputs X ~ N(0, I) at the top, layers of Gaussian-process functions with noise below
    each other, the data at the bottom; all of it integrated out approximately, so that `bound_` is
    a lower bound on log p(Y) in nats, for the data as given. `layers_` holds every layer, the top
    first, with the belief about its inputs (`latent_mean_`, `latent_variance_`, `information_`,
    `relevance_`) and a verdict on it in words (`verdict_`); `latent_mean_` and the like of the
    model are the top's, `kernel_`, `noise_std_` and the like the last layer's. Trained with the
    noise of the hidden layers held until the layers below depend on them, since a free one would
    explain itself as noise.

    n_components : widths of the layers' inputs, the top first; one number is the shallow model.
    n_inducing, kernel : one for all layers, or a tuple with one for each, the top first.
    family : "marginalised" (inducing outputs integrated out given the hidden layers; never lower)
        or "mean_field" (independent of them).
    init : means of the lowest hidden layer, or their recipe; those above are principal components.
    noise : of the data, "shared" or "per_output", as in BayesianGPLVM.
    """

    _layered = LAYERED

    def __init__(
        self,
        n_components: int | tuple[int, ...] = (5, 10),
        n_inducing: int | tuple[int, ...] = 50,
        kernel: str | Kernel | tuple[str | Kernel, ...] = "rbf",
        family: Family = "marginalised",
        init: str | ArrayLike = "pca",
        scaling: Literal["global", "columns", "none"] = "global",
        max_iter: int = 800,
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
        self.family = family
        self.init = init
        self.scaling = scaling
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.noise = noise

    def _begin(self, targets: Float[Array, "N D"]) -> Embedded:
        wide = widths(self.n_components)
        n_inducing = for_layers("n_inducing", self.n_inducing, len(wide))
        kernels = for_layers("kernel", self.kernel, len(wide))
        return Embedded(targets, wide, n_inducing, kernels, self.init)

    def _problem(self, begin: Embedded, run: Executor) -> Graph:
        return chain(
            LatentNode(),
            targets_for(begin.outputs, self.noise),
            begin,
            len(begin.n_latent) - 1,
            family=self.family,
            jitter=self.jitter,
            run=run,
            per_output=self.noise == "per_output",
        )

    def _settle(
        self, problem: Graph, parameters: Parameters, targets: Array, scaling: Scaling
    ) -> tuple[str, ...]:
        learnt = problem.learnt(parameters, (targets,))
        self.layers_ = examined(problem, learnt, scaling)
        top = self.layers_[0]
        self.latent_mean_, self.latent_variance_ = top.latent_mean_, top.latent_variance_
        self.information_, self.relevance_ = top.information_, top.relevance_
        self.posterior_ = self.layers_[-1].posterior_
        self.bound_ = learnt.bound + scaling.log_jacobian(observed_counts(targets))
        return learnt.notes + doubts(self.layers_)

    def generate(
        self,
        H: ArrayLike,
        layer: int = 0,
        *,
        H_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Outputs at inputs H of a layer, counted as in `layers_`: 0 is the top.

        Mean, and with return_std the standard deviation, in the user's units; noise adds the
        observation noise. Moments are handed on from layer to layer.
        """
        check_is_fitted(self)
        posteriors = self._posteriors[checked_layer(layer, self.layers_) :]
        points = checked_points(H, posteriors[0].n_latent)
        spread = checked_variance(H_variance, points)
        mean, variance = prediction.through(posteriors, points, spread, noise=noise)
        return (mean, np.sqrt(variance)) if return_std else mean

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Outputs at latent points X of the top (N × Q), certain or with variances of their own.

        As `generate` from the top.
        """
        return self.generate(X, H_variance=X_variance, noise=noise, return_std=return_std)

    def sample(
        self,
        X: ArrayLike | int | None = None,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Float[Array, "..."]:
        """Draws of outputs y in the user's units, through draws of every layer.

        sample(n_samples): n × D, latent points drawn from the prior. sample(X, n_samples):
        n × N × D joint draws at the latent points X, certain or with variances of their own.
        """
        check_is_fitted(self)
        if X is None or np.ndim(X) == 0:
            count = n_samples if X is None else int(np.asarray(X))
            return prediction.sample_prior_through(self._posteriors, count, random_state)
        points = self._points(X)
        spread = checked_variance(X_variance, points)
        return prediction.sample_through(
            self._posteriors, points, n_samples, random_state, points_variance=spread
        )

    def transform(
        self, Y: ArrayLike, *, return_std: bool = False
    ) -> Float[Array, "N Q"] | tuple[Float[Array, "N Q"], Float[Array, "N Q"]]:
        """Latent mean of new rows (NaN: missing) at the top, with return_std its deviation.

        Each row is inferred on its own, in all layers together, from what is observed of it.
        """
        belief = self._explained(self._outputs(Y))[0].best
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

    def alternatives(
        self, Y: ArrayLike, n_alternatives: int = 3
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Float[Array, "N K D"]]:
        """The explanations of ambiguous rows, best first: weights, latent means of the top,
        completed rows.

        Weights of a row sum to 1; a row with fewer explanations has weight 0 and NaN in their
        place.
        """
        if n_alternatives < 1:
            raise ValueError(f"n_alternatives must be at least 1; got {n_alternatives}")
        outputs = self._outputs(Y)
        found = self._explained(outputs)
        weights, _, rows = prediction.alternatives(
            self.posterior_, outputs, found[-1], n_alternatives
        )
        top = found[0].mean[:, : weights.shape[1]]
        return weights, np.where(weights[:, :, None] > 0.0, top, np.nan), rows

    def score_samples(
        self, Y: ArrayLike, n_samples: int | None = None, random_state: int | None = 0
    ) -> Float[Array, " N"]:
        """log p(observed entries of y | training data) of each row in nats, approximately.

        The difference of the bounds with and without the row in every layer: each is a lower
        bound, their difference bounds nothing (Damianou 2015, §3.4). With n_samples by importance
        sampling over the row's points in all layers: low on average, the more draws the less.
        """
        outputs = self._outputs(Y)
        found = self._explained(outputs)
        if n_samples is not None:
            return prediction.log_density_sampled(
                self._posteriors, outputs, found, n_samples, random_state
            )
        return prediction.log_density_deep(
            self._posteriors,
            [layer.statistics_ for layer in self.layers_],
            outputs,
            found,
            mean_field=self.family == "mean_field",
        )

    def _project(self, outputs: Array) -> Projection:
        """Of the last layer's inputs: what it needs to fill in and to draw rows."""
        return self._explained(outputs)[-1]

    def _explained(self, outputs: Array) -> tuple[Projection, ...]:
        """The explanations of rows at every node, the top first."""
        beliefs = [Belief(each.latent_mean_, each.latent_variance_) for each in self.layers_]
        return prediction.project_deep(self._posteriors, outputs, beliefs)

    def _points(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return checked_points(X, self._n_features_out)

    @property
    def _n_features_out(self) -> int:
        return self.layers_[0].posterior_.n_latent
