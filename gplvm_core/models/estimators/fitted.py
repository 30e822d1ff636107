"""Base classes of all fitted models: saving, the layer, the latent points."""

import warnings
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.numerics import Array
from gplvm_core.optimise import Result
from gplvm_core.prediction import Posterior

# A latent dimension is on if its information about a point is larger than this, in nats.
ON = 0.05


class Saved:
    """An estimator that can be written to disk, and whose notes report automatic choices."""

    notes_: tuple[str, ...]
    # Fitted attributes that other estimators have and this one lacks, each with the reason.
    _absent: ClassVar[Mapping[str, str]] = {}

    # type checkers do not see this method, so that they still report unknown attributes
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an error that explains why a fitted attribute is missing."""
            if name.endswith("_") and not name.startswith("_"):
                if name in self._absent:
                    raise AttributeError(
                        f"{type(self).__name__} has no {name}: {self._absent[name]}"
                    )
                if not _is_fitted(self):
                    raise NotFittedError(
                        f"This {type(self).__name__} instance is not fitted yet: call fit before "
                        f"asking for {name}"
                    )
            return object.__getattribute__(self, name)  # raises the original AttributeError

    @property
    def capabilities(self) -> Capabilities:
        """The features of the model beyond its latent map: time, views, layers."""
        return Capabilities()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file; `gplvm_core.load` reads it back.

        Parameters
        ----------
        path : str or PathLike
            The file to write.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        StoreError
            If the model has a part that files cannot store, such as a kernel of your own.
        """
        # This is the only import from a package of a higher level; the public method
        # `model.save(path)` needs it.
        from gplvm_core.store.file import save

        check_is_fitted(self)
        save(self, path)

    def _note(self, notes: tuple[str, ...]) -> None:
        """Store the notes, and issue each as a warning."""
        self.notes_ = notes
        for note in notes:
            warnings.warn(note, UserWarning, stacklevel=3)


def _is_fitted(model: Any) -> bool:
    return any(name.endswith("_") and not name.startswith("_") for name in vars(model))


class Optimised:
    """An estimator that was fitted iteratively.

    Attributes
    ----------
    bound_ : float
        The bound on the log density of the data, in nats, in the units of the given data.
    notes_ : tuple of str
        Notes on the data and on automatic choices during training.
    result_ : Result
        How training ended: its status and the reason in words, and the numbers of iterations and
        evaluations.
    trace_ : dict of str to ndarray
        The history of quantities such as `bound`, with one entry for each accepted iteration.
    n_iter_ : int
        The number of accepted iterations of the start that was used.
    """

    result_: Result

    @property
    def n_iter_(self) -> int:
        """The number of accepted iterations of the start that was used."""
        return max(self.result_.iterations, 1)


class LatentRows:
    """An estimator whose training rows have latent points with a posterior q(X).

    Attributes
    ----------
    latent_mean_ : ndarray of shape (N, Q)
        The posterior means of the latent points of the training rows.
    latent_variance_ : ndarray of shape (N, Q)
        The posterior variances of these latent points.
    information_ : ndarray of shape (Q,)
        The information of each latent dimension about a training point, in nats per row. A
        dimension is on above 0.05.
    relevance_ : ndarray of shape (Q,)
        The ARD weight of each latent dimension, an inverse squared lengthscale.
    latent_scale_ : ndarray of shape (Q,)
        The square roots of the relevances: the factors from latent points to lengthscales, the
        units in which distances have a meaning.
    n_effective_ : int
        The number of latent dimensions that are on.
    """

    latent_mean_: Float[Array, "N Q"]
    latent_variance_: Float[Array, "N Q"]
    information_: Float[Array, " Q"]
    relevance_: Any

    def _placed(self, belief: Belief, scaled: bool, return_std: bool) -> Any:
        """Latent means, and with return_std standard deviations; scaled: in lengthscale units."""
        scale = self.latent_scale_ if scaled else 1.0
        mean = belief.mean * scale
        return (mean, np.sqrt(belief.variance) * scale) if return_std else mean

    @property
    def latent_scale_(self) -> Float[Array, " Q"]:
        """√relevance, the factors that express latent points in lengthscales.

        With several views the relevances of all views are added, just as the squared distances are.
        """
        relevance: Any = self.relevance_
        if isinstance(relevance, Mapping):
            relevance = sum(relevance.values())
        return np.sqrt(np.asarray(relevance, dtype=np.float64))

    @property
    def n_effective_(self) -> int:
        """The number of latent dimensions that are on: information above 0.05 nats per row."""
        return int(np.sum(self.information_ > ON))

    @property
    def _belief(self) -> Belief:
        """q(X) of the training rows."""
        return Belief(self.latent_mean_, self.latent_variance_)


class FittedLayer:
    """An estimator that predicts with the posterior of one layer; in deep models, the last layer.

    Attributes
    ----------
    posterior_ : Posterior
        The layer that generates the outputs: kernel, inducing inputs, q(u) and units.
    kernel_ : Kernel
        The trained kernel of this layer, in internal units.
    inducing_ : ndarray of shape (M, Q)
        The inducing inputs of this layer.
    noise_variance_ : float
        The noise variance of this layer in internal units; 1 with noise="per_output".
    noise_std_ : ndarray of shape (D,)
        The standard deviations of the observation noise, in the units of the outputs.
    center_ : ndarray of shape (D,)
        The values of the outputs, in the units of the outputs, that are 0 in internal units.
    scale_ : ndarray of shape (D,)
        The factors from internal units to the units of the outputs. With noise="per_output"
        these are the standard deviations of the noise.
    """

    posterior_: Posterior

    @property
    def inducing_(self) -> Float[Array, "M Q"]:
        """The inducing inputs."""
        return self.posterior_.inducing

    @property
    def kernel_(self) -> Any:
        """The trained kernel, in internal units."""
        return self.posterior_.kernel

    @property
    def noise_variance_(self) -> float:
        """The noise variance σ² in internal units; 1 with noise="per_output"."""
        return self.posterior_.noise_variance

    @property
    def noise_std_(self) -> Float[Array, " D"]:
        """Standard deviations of the observation noise, in the user's units."""
        posterior = self.posterior_
        std = np.sqrt(posterior.noise_variance) * posterior.scale
        if posterior.links is None:
            return std
        return np.where(posterior.links.measured, np.sqrt(posterior.noise), std)

    @property
    def center_(self) -> Float[Array, " D"]:
        """The values, in the user's units, that are 0 in internal units."""
        return self.posterior_.center

    @property
    def scale_(self) -> Float[Array, " D"]:
        """Factors from internal units to the user's units."""
        return self.posterior_.scale
