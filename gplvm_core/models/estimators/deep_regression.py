"""What a fitted deep regression can be asked: everything that needs only its layers."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.inputs import new_inputs
from gplvm_core.models.data.rows import checked_outputs, checked_rows
from gplvm_core.models.estimators.deep import Layered
from gplvm_core.models.estimators.fitted import FittedLayer
from gplvm_core.numerics import Array
from gplvm_core.prediction import (
    log_density_through,
    quantiles_through,
    sample_through,
    through,
)


class DeepRegression(Layered, FittedLayer):
    """Questions about outputs at new inputs, by moments or by draws through the layers."""

    one_output_: bool
    input_center_: Float[Array, " Q"]
    input_scale_: Float[Array, " Q"]

    def predict(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Any:
        """Outputs at inputs X (N × Q; NaN: missing), exact or with variances (as in fit).

        Mean, and with return_std the standard deviation, N or N × D as Y was; noise adds the
        observation noise. The first two moments are handed on from layer to layer, exactly so for
        one hidden layer at exact inputs.
        """
        mean, variance = through(self._posteriors, *self._inputs(X, X_variance), noise=noise)
        if self.one_output_:
            mean, variance = mean[:, 0], variance[:, 0]
        return (mean, np.sqrt(variance)) if return_std else mean

    def sample(
        self,
        X: ArrayLike,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = True,
    ) -> Float[Array, "..."]:
        """Joint draws of the outputs at all inputs X together, S × N or S × N × D.

        noise: of observations, else of the function under the noise of the hidden layers.
        """
        points, variance = self._inputs(X, X_variance)
        draws = sample_through(
            self._posteriors,
            points,
            n_samples,
            random_state,
            points_variance=variance,
            noise=noise,
        )
        return draws[:, :, 0] if self.one_output_ else draws

    def predict_quantiles(
        self,
        X: ArrayLike,
        quantiles: ArrayLike = (0.05, 0.5, 0.95),
        n_samples: int = 200,
        random_state: int | None = 0,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = True,
    ) -> Float[Array, "..."]:
        """Quantiles of the outputs at inputs X, K × N or K × N × D as Y was.

        noise: of observations, else of the function under the noise of the hidden layers. Over
        n_samples draws of those, the same every time with random_state, so what is skewed or has
        two peaks is seen as such, where `predict` has its mean and standard deviation alone.
        """
        levels = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
        if levels.ndim != 1 or not ((levels > 0.0) & (levels < 1.0)).all():
            raise ValueError(f"quantiles must lie between 0 and 1; got {quantiles!r}")
        points, variance = self._inputs(X, X_variance)
        found = quantiles_through(
            self._posteriors,
            points,
            levels,
            n_samples,
            random_state,
            points_variance=variance,
            noise=noise,
        )
        return found[:, :, 0] if self.one_output_ else found

    def score_samples(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        n_samples: int = 200,
        random_state: int | None = 0,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Float[Array, " N"]:
        """log p(observed entries of y | x, training data) of each row in nats.

        Over n_samples draws of the hidden layers, which are the same every time with random_state.
        """
        points, variance = self._inputs(X, X_variance)
        outputs, _ = checked_outputs(Y, points, type(self).__name__)
        if outputs.shape[1] != self.posterior_.n_outputs:
            raise ValueError(
                f"Y has {outputs.shape[1]} outputs; the model was fitted to "
                f"{self.posterior_.n_outputs}"
            )
        return log_density_through(
            self._posteriors, points, outputs, n_samples, random_state, points_variance=variance
        )

    def _inputs(self, X: ArrayLike, X_variance: ArrayLike | None) -> tuple[Array, Array | None]:
        """New inputs in internal units, and their variances where they have any."""
        check_is_fitted(self)
        points = checked_rows(self, X, reset=False)
        belief = new_inputs(points, X_variance, self.input_center_, self.input_scale_)
        return belief.mean, belief.variance if belief.variance.any() else None
