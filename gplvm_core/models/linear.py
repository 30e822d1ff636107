"""Probabilistic PCA (Tipping & Bishop 1999): closed form, or with gaps by its exact likelihood."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.kernels import Linear
from gplvm_core.models.estimator import LatentVariableModel
from gplvm_core.models.principal import (
    Factors,
    at_least_noise,
    draw_rows,
    fit_partial,
    infer,
    reconstruct,
    reconstruct_jointly,
)
from gplvm_core.models.scaling import gaps_in_words, observed_counts
from gplvm_core.numerics import Array
from gplvm_core.optimise import Result
from gplvm_core.prediction import Posterior, Projection


class ProbabilisticPCA(LatentVariableModel):
    """y = W x + center + noise with x ~ N(0, I): the maximum likelihood W and noise variance.

    method "primal" takes the eigenvectors of the D × D covariance, "dual" those of the N × N
    inner products (the GP-LVM with a linear kernel, Lawrence 2005); "auto" the smaller. They give
    the same model. Where entries are missing (NaN) the likelihood of the observed ones has no
    closed form and is maximised numerically, center included; `result_` says how that ended.
    `bound_` is the exact log likelihood of the observed entries in nats.
    """

    def __init__(
        self,
        n_components: int = 10,
        scaling: Literal["global", "columns", "none"] = "global",
        method: Literal["auto", "primal", "dual"] = "auto",
    ) -> None:
        self.n_components = n_components
        self.scaling = scaling
        self.method = method

    def fit(self, Y: ArrayLike, y: Any = None) -> Self:
        """Fit to outputs Y (N × D; NaN where missing). `y` is ignored."""
        targets, scaling = self._training_data(Y, self.scaling)
        if not (isinstance(self.n_components, int | np.integer) and self.n_components >= 1):
            raise ValueError(
                f"n_components must be a whole number of at least 1; got {self.n_components!r}"
            )
        missing = np.isnan(targets)
        notes = scaling.notes
        if missing.any():
            # One row less than there are: through as many points as rows any plane fits.
            factors, self.result_ = fit_partial(targets, min(self.n_components, len(targets) - 1))
            if self.result_.status != "converged":
                notes += (f"the likelihood's maximum was not reached: {self.result_.reason}",)
            if at_least_noise(factors, targets):
                notes += (
                    "the noise variance ended at the least allowed: the components can fit every "
                    "observed entry; use fewer",
                )
        else:
            factors = Factors.whole(targets, self.n_components, self.method)
            self.result_ = Result("converged", "solved in closed form", 0, 1, 0, 0.0)
        weights, noise = factors.weights, factors.noise_variance
        kept = len(weights)
        if kept < self.n_components:
            notes += (f"n_components = {self.n_components} is capped at {kept} for these data",)
        inferred = infer(factors, targets)
        self.latent_mean_, self.latent_variance_ = inferred.mean, inferred.variance
        self.relevance_ = np.sum(weights**2, axis=1)
        self.information_ = -0.5 * np.mean(np.log(inferred.variance), axis=0)
        # A linear kernel whose Q inducing inputs are the unit vectors, q(u) a point.
        self.posterior_ = Posterior(
            Linear(np.ones(kept)),
            np.eye(kept),
            weights,
            np.eye(kept),
            noise,
            0.0,
            scaling.center + scaling.scale * factors.center,
            scaling.scale,
        )
        offset = scaling.log_jacobian(observed_counts(targets))
        self.bound_ = float(inferred.log_density.sum()) + offset
        self.trace_: dict[str, Any] = {}
        self._note(notes)
        self.notes_ += gaps_in_words(targets)
        return self

    def score_samples(self, Y: ArrayLike) -> Float[Array, " N"]:
        """log p of the observed entries of each row in nats, exact."""
        outputs = self._outputs(Y)
        inferred = infer(self._factors, self.posterior_.to_internal(outputs))
        log_scale = np.where(np.isnan(outputs), 0.0, np.log(self.posterior_.scale))
        return inferred.log_density - log_scale.sum(axis=1)

    def complete(
        self, Y: ArrayLike, *, return_std: bool = False, return_cov: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "..."]]:
        """Whole rows: observed entries as given, missing ones (NaN) at their conditional mean.

        With return_std also the standard deviation of the missing entries (N × D, 0 where
        observed), with return_cov their covariance (N × D × D); noise included, in the user's
        units. Exact: the rest of a Gaussian vector given a part of it.
        """
        if return_std and return_cov:
            raise ValueError("ask for return_std or return_cov, not both: std² is cov's diagonal")
        outputs, noise = self._outputs(Y), self.noise_variance_
        internal, scale = self.posterior_.to_internal(outputs), self.scale_
        missing = np.isnan(outputs)
        if return_cov:
            mean, covariance = reconstruct_jointly(self._factors, internal)
            covariance += noise * np.eye(len(scale))
            both = missing[:, :, None] & missing[:, None, :]
            spread = np.where(both, covariance * np.outer(scale, scale), 0.0)
        else:
            mean, variance = reconstruct(self._factors, internal)
            spread = np.where(missing, scale * np.sqrt(variance + noise), 0.0)
        whole = np.where(missing, self.center_ + scale * mean, outputs)
        return (whole, spread) if return_std or return_cov else whole

    def sample_completions(
        self, Y: ArrayLike, n_samples: int = 1, random_state: int | None = None
    ) -> Float[Array, "S N D"]:
        """Whole rows whose missing entries (NaN) are drawn, observed ones as given: S × N × D."""
        outputs = self._outputs(Y)
        internal = self.posterior_.to_internal(outputs)
        draws = draw_rows(self._factors, internal, n_samples, np.random.default_rng(random_state))
        return np.where(np.isnan(outputs), self.center_ + self.scale_ * draws, outputs)

    def denoise(
        self, Y: ArrayLike, *, return_std: bool = False
    ) -> Float[Array, "N D"] | tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Every entry of the rows as the model reconstructs it, without noise; NaN: missing."""
        mean, variance = reconstruct(self._factors, self.posterior_.to_internal(self._outputs(Y)))
        whole = self.center_ + self.scale_ * mean
        return (whole, self.scale_ * np.sqrt(variance)) if return_std else whole

    def _project(self, outputs: Array) -> Projection:
        inferred = infer(self._factors, self.posterior_.to_internal(outputs))
        mean, variance = inferred.mean[:, None], inferred.variance[:, None]
        return Projection(mean, variance, np.zeros(mean.shape[:2]))

    @property
    def _factors(self) -> Factors:
        """The model in internal units, centred."""
        posterior = self.posterior_
        return Factors(posterior.weights, np.zeros(posterior.n_outputs), posterior.noise_variance)
