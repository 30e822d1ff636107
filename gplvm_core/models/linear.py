"""Probabilistic PCA in closed form (Tipping & Bishop 1999), primal or dual."""

from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from scipy import linalg

from gplvm_core.kernels import Linear
from gplvm_core.models.estimator import LatentVariableModel
from gplvm_core.numerics import Array
from gplvm_core.optimise import Result
from gplvm_core.prediction import Posterior


class ProbabilisticPCA(LatentVariableModel):
    """y = W x + center + noise with x ~ N(0, I): the maximum likelihood W and noise variance.

    method "primal" takes the eigenvectors of the D × D covariance, "dual" those of the N × N
    inner products (the GP-LVM with a linear kernel, Lawrence 2005); "auto" the smaller. They give
    the same model. `bound_` is the exact log likelihood in nats.
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
        """Fit to outputs Y (N × D). `y` is ignored."""
        targets, scaling = self._training_data(Y, self.scaling)
        n_points, n_outputs = targets.shape
        if not (isinstance(self.n_components, int | np.integer) and self.n_components >= 1):
            raise ValueError(
                f"n_components must be a whole number of at least 1; got {self.n_components!r}"
            )
        values, directions = _principal(targets, self.method)
        # One direction at least is left for the noise, else its variance is 0.
        most = max(min(n_outputs - 1, len(values) - (n_outputs > len(values))), 1)
        kept = min(self.n_components, most, len(values))
        notes = scaling.notes
        if kept < self.n_components:
            notes += (f"n_components = {self.n_components} is capped at {kept} for these data",)
        left_over = max(
            float(np.mean(np.sum(targets**2, axis=1))) - float(values[:kept].sum()), 0.0
        )
        noise = left_over / max(n_outputs - kept, 1)
        noise = max(noise, 1e-12 * float(values[0]))
        gains = np.sqrt(np.maximum(values[:kept] - noise, 0.0))
        weights = gains[:, None] * directions[:, :kept].T
        inner = np.eye(kept) * noise + weights @ weights.T
        self.latent_mean_ = targets @ weights.T @ np.linalg.inv(inner)
        variance = noise * np.diagonal(np.linalg.inv(inner))
        self.latent_variance_ = np.tile(variance, (n_points, 1))
        self.relevance_ = gains**2
        self.information_ = 0.5 * np.log1p(gains**2 / noise)
        # A linear kernel whose Q inducing inputs are the unit vectors, q(u) a point.
        self.posterior_ = Posterior(
            Linear(np.ones(kept)),
            np.eye(kept),
            weights,
            np.eye(kept),
            noise,
            0.0,
            scaling.center,
            scaling.scale,
        )
        self.bound_ = float(np.sum(self._log_density(targets)))
        self.result_ = Result("converged", "solved in closed form", 0, 1, 0, 0.0)
        self.trace_: dict[str, Any] = {}
        self._note(notes)
        return self

    def transform(
        self, Y: ArrayLike, *, return_std: bool = False
    ) -> Float[Array, "N Q"] | tuple[Float[Array, "N Q"], Float[Array, "N Q"]]:
        """Posterior mean of x for each row, and with return_std the standard deviation."""
        internal = self.posterior_.to_internal(self._outputs(Y))
        weights, noise = self.posterior_.weights, self.noise_variance_
        inner = np.linalg.inv(noise * np.eye(len(weights)) + weights @ weights.T)
        mean = internal @ weights.T @ inner
        spread = np.broadcast_to(np.sqrt(noise * np.diagonal(inner)), mean.shape)
        return (mean, spread) if return_std else mean

    def score_samples(self, Y: ArrayLike) -> Float[Array, " N"]:
        """log p(y) of each row in nats, exact."""
        return self._log_density(self.posterior_.to_internal(self._outputs(Y)))

    def _log_density(self, internal: Array) -> Array:
        # Woodbury: WᵀW + σ²I is D × D, but only its Q × Q companion is ever formed.
        weights, noise = self.posterior_.weights, self.noise_variance_
        n_latent, n_outputs = weights.shape
        inner = noise * np.eye(n_latent) + weights @ weights.T
        carried = internal @ weights.T
        explained = np.sum((carried @ np.linalg.inv(inner)) * carried, axis=1)
        quadratic = (np.sum(internal**2, axis=1) - explained) / noise
        log_determinant = np.linalg.slogdet(inner)[1] + (n_outputs - n_latent) * np.log(noise)
        log_scale = float(np.sum(np.log(self.posterior_.scale)))
        constant = n_outputs * np.log(2.0 * np.pi) + log_determinant
        return np.asarray(-0.5 * (quadratic + constant) - log_scale)


def _principal(targets: Array, method: str) -> tuple[Array, Array]:
    """Eigenvalues of the covariance, largest first, with unit eigenvectors (D × K)."""
    n_points, n_outputs = targets.shape
    if method not in ("auto", "primal", "dual"):
        raise ValueError(f"method must be auto, primal or dual; got {method!r}")
    if method == "primal" or (method == "auto" and n_outputs <= n_points):
        values, vectors = linalg.eigh(targets.T @ targets / n_points)
        return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    values, scores = linalg.eigh(targets @ targets.T / n_points)
    values, scores = np.maximum(values[::-1], 0.0), scores[:, ::-1]
    kept = values > 1e-12 * values[0]
    values, scores = values[kept], scores[:, kept]
    return values, targets.T @ scores / np.sqrt(n_points * values)
