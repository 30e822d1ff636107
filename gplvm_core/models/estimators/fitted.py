"""What fitted models offer, whatever they model: saving, their layer, their latent points."""

import warnings
from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.training_rows import FORMER
from gplvm_core.models.estimators.capabilities import Capabilities
from gplvm_core.numerics import Array
from gplvm_core.optimise import Result
from gplvm_core.prediction import Posterior

# A latent dimension is on when it carries more than this much information about a point.
ON = 0.05


class Saved:
    """An estimator that can be written to disk, and says what was decided for its user."""

    notes_: tuple[str, ...]
    # Fitted attributes that others have and this estimator has not: name → why.
    _absent: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # so that a type checker still knows which attributes there are

        def __getattr__(self, name: str) -> Any:
            """The reason why a fitted attribute is not there."""
            if name in FORMER and "rows_" in vars(self):
                warnings.warn(
                    f"{name} is now rows_.{FORMER[name]}, and will be removed",
                    FutureWarning,
                    stacklevel=2,
                )
                return getattr(self.rows_, FORMER[name])
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
            return object.__getattribute__(self, name)  # raises the AttributeError again

    @property
    def capabilities(self) -> Capabilities:
        """What the model can do beyond its latent map."""
        return Capabilities()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file; gplvm_core.load reads it back."""
        # The one upward import of the house: the public interface promises this method.
        from gplvm_core.store.file import save

        check_is_fitted(self)
        save(self, path)

    def _note(self, notes: tuple[str, ...]) -> None:
        """Keep what was decided for the user, and say it."""
        self.notes_ = notes
        for note in notes:
            warnings.warn(note, UserWarning, stacklevel=3)


def _is_fitted(model: Any) -> bool:
    return any(name.endswith("_") and not name.startswith("_") for name in vars(model))


class Optimised:
    """An estimator that was fitted iteratively."""

    result_: Result

    @property
    def n_iter_(self) -> int:
        """Accepted iterations of the start that was kept."""
        return max(self.result_.iterations, 1)


class LatentRows:
    """An estimator whose training rows have beliefs about latent points."""

    latent_mean_: Float[Array, "N Q"]
    latent_variance_: Float[Array, "N Q"]
    information_: Float[Array, " Q"]
    relevance_: Any

    def _placed(self, belief: Belief, scaled: bool, return_std: bool) -> Any:
        """Latent means, and with return_std standard deviations, in lengthscales if `scaled`."""
        scale = self.latent_scale_ if scaled else 1.0
        mean = belief.mean * scale
        return (mean, np.sqrt(belief.variance) * scale) if return_std else mean

    @property
    def latent_scale_(self) -> Float[Array, " Q"]:
        """√relevance: latent points times it are in lengthscales, so that distances compare.

        With several views the relevances of all views are added, as squared distances are.
        """
        relevance: Any = self.relevance_
        if isinstance(relevance, Mapping):
            relevance = sum(relevance.values())
        return np.sqrt(np.asarray(relevance, dtype=np.float64))

    @property
    def n_effective_(self) -> int:
        """How many latent dimensions are on: information above 0.05 nats a point."""
        return int(np.sum(self.information_ > ON))

    @property
    def _belief(self) -> Belief:
        """q(X) of the training rows."""
        return Belief(self.latent_mean_, self.latent_variance_)


class FittedLayer:
    """An estimator whose knowledge is a layer's posterior."""

    posterior_: Posterior

    @property
    def inducing_(self) -> Float[Array, "M Q"]:
        return self.posterior_.inducing

    @property
    def kernel_(self) -> Any:
        return self.posterior_.kernel

    @property
    def noise_variance_(self) -> float:
        """σ² in internal units; with noise per output 1, since those are units of the noise."""
        return self.posterior_.noise_variance

    @property
    def noise_std_(self) -> Float[Array, " D"]:
        """Standard deviation of the observation noise in the user's units."""
        return np.sqrt(self.posterior_.noise_variance) * self.posterior_.scale

    @property
    def center_(self) -> Float[Array, " D"]:
        return self.posterior_.center

    @property
    def scale_(self) -> Float[Array, " D"]:
        """Internal units in the user's: with noise per output, every output's noise."""
        return self.posterior_.scale
