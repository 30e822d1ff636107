"""What a fitted regression can be asked, of one layer or several: all that needs only those."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.inputs import new_inputs
from gplvm_core.models.data.points import checked_levels
from gplvm_core.models.data.rows import checked_outputs, checked_rows
from gplvm_core.models.estimators.fitted import FittedLayer, Optimised, Saved
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Network, Posterior


class RegressionQuestions(FittedLayer, Optimised, Saved, RegressorMixin, BaseEstimator):
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
        """Outputs at inputs X (N × Q; NaN: missing, where fit allows it), exact or with variances.

        Mean, and with return_std the standard deviation, N or N × D as Y was; noise adds the
        observation noise. X_variance: one number, (Q,) or N × Q. The first two moments of what is
        no Gaussian at uncertain inputs (Girard et al. 2003; Titsias & Lawrence 2010, §4) are passed
        from layer to layer, exactly so for one hidden layer at exact inputs.
        """
        given = {0: self._inputs(X, X_variance)}
        mean, variance = prediction.moments(self._network, given, noise=noise)[DATA]
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
        given = {0: self._inputs(X, X_variance)}
        draws = prediction.draw_jointly(self._network, given, n_samples, random_state, noise=noise)[
            DATA
        ]
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
        levels = checked_levels(quantiles)
        found = prediction.quantiles(
            self._network,
            {0: self._inputs(X, X_variance)},
            levels,
            n_samples,
            random_state,
            noise=noise,
        )[DATA]
        return found[:, :, 0] if self.one_output_ else found

    def score_samples(
        self,
        X: ArrayLike,
        Y: ArrayLike | None = None,
        n_samples: int = 200,
        random_state: int | None = 0,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Float[Array, " N"]:
        """log p(observed entries of y | x, training data) of each row in nats.

        Over n_samples draws of the hidden layers and of uncertain inputs, which are the same every
        time with random_state; exact where there are none. The inputs are given, so there is no
        difference of bounds to take in the place of draws.
        """
        given, name = self._inputs(X, X_variance), type(self).__name__
        if Y is None:
            raise ValueError(
                f"{name} has the density of outputs given inputs: call score_samples(X, Y) with "
                "the outputs of the rows"
            )
        outputs, _ = checked_outputs(Y, given.mean, name)
        if outputs.shape[1] != self.posterior_.n_outputs:
            raise ValueError(
                f"Y has {outputs.shape[1]} outputs; the model was fitted to "
                f"{self.posterior_.n_outputs}"
            )
        return prediction.log_density_below(
            self._network, {0: given}, {DATA: outputs}, n_samples, random_state
        )

    @property
    def _posteriors(self) -> tuple[Posterior, ...]:
        """The layers, the top first."""
        return (self.posterior_,)

    @property
    def _network(self) -> Network:
        return Network.chain(self._posteriors, known=(0,))

    def _inputs(self, X: ArrayLike, X_variance: ArrayLike | None) -> Belief:
        """New inputs in internal units, certain or with variances."""
        check_is_fitted(self)
        points = checked_rows(self, X, reset=False)
        return new_inputs(points, X_variance, self.input_center_, self.input_scale_)
