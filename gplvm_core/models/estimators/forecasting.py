"""The future of a series: what a fitted autoregression can be asked."""

from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.series import checked_series, checked_variances
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.training.run import seeds_for
from gplvm_core.numerics import Array
from gplvm_core.prediction.forecast import forecast, sample_forecast

PROPAGATE = ("full", "moments", "none")
FUTURES = 200


class Forecasting:
    """An estimator that holds regressions from the last values of a series to its next one."""

    window: int
    random_state: Any
    exact_: SparseGPRegression  # takes the window's values for exact
    aware_: SparseGPRegression  # knows them to be uncertain
    one_column_: bool
    history_: Float[Array, "W D"]
    history_variance_: Float[Array, "W D"] | None

    def forecast(
        self,
        steps: int,
        *,
        propagate: Literal["full", "moments", "none"] = "full",
        history: ArrayLike | None = None,
        history_variance: ArrayLike | None = None,
        return_std: bool = False,
    ) -> Any:
        """The next values after the training series' end, or after `history`: steps or steps × D.

        Mean, and with return_std the standard deviation, both of the observation.

        propagate: "full": mean and spread of sampled futures, in which all uncertainty lives on:
        about the series, the predictions and the function, by the regression that knows of
        uncertain inputs; "moments": the variances of predictions enter the window as if its
        entries were independent, by the regression trained on exact inputs (Girard et al. 2003;
        Damianou 2015, §4.3.2); "none": means alone enter it, and the standard deviation is that
        of a single step.
        """
        check_is_fitted(self)
        if propagate not in PROPAGATE:
            raise ValueError(f"propagate must be one of {', '.join(PROPAGATE)}; got {propagate!r}")
        if propagate == "full":
            drawn = self.sample_forecast(
                steps,
                FUTURES,
                seeds_for(self.random_state, 1)[0],
                history=history,
                history_variance=history_variance,
            )
            mean, spread = drawn.mean(axis=0), drawn.var(axis=0)
        else:
            window, _ = self._begin(steps, history, history_variance)
            model, certain = self.exact_, np.zeros_like(window)
            mean, spread = forecast(
                model.posterior_,
                model.input_center_,
                model.input_scale_,
                window,
                certain if propagate == "moments" else None,
                steps,
            )
            if self.one_column_:
                mean, spread = mean[:, 0], spread[:, 0]
        return (mean, np.sqrt(spread)) if return_std else mean

    def sample_forecast(
        self,
        steps: int,
        n_samples: int = 100,
        random_state: int | None = None,
        *,
        history: ArrayLike | None = None,
        history_variance: ArrayLike | None = None,
    ) -> Float[Array, "..."]:
        """Draws of the whole future, n_samples × steps (× D), each along one function.

        By the regression that knows of uncertain inputs; the series' own uncertainty is drawn too.
        """
        check_is_fitted(self)
        window, variance = self._begin(steps, history, history_variance)
        model, generator = self.aware_, np.random.default_rng(random_state)
        drawn = sample_forecast(
            model.posterior_,
            model.input_center_,
            model.input_scale_,
            window,
            variance,
            steps,
            n_samples,
            generator,
        )
        return drawn[:, :, 0] if self.one_column_ else drawn

    @property
    def n_iter_(self) -> int:
        """Accepted iterations of the regression that knows of uncertain inputs."""
        return self.aware_.n_iter_

    def _begin(
        self, steps: int, history: ArrayLike | None, variance: ArrayLike | None
    ) -> tuple[Array, Array]:
        """The window that a forecast starts from, and the variances of its entries."""
        if not (isinstance(steps, int | np.integer) and steps >= 1):
            raise ValueError(f"steps must be a whole number of at least 1; got {steps!r}")
        # Learnt variances belong to lags, so they are those of any window.
        learned = self.aware_.input_noise_variance_[-1].reshape(self.history_.shape)
        if history is None:
            known = learned if self.history_variance_ is None else self.history_variance_
            return self.history_, known
        given = checked_series(self, history, self.window, reset=False)
        if variance is not None:
            known = checked_variances(variance, [given], several=False)[0]
        elif self.history_variance_ is None:
            return given[-self.window :], learned
        else:
            known = np.zeros_like(given)
        return given[-self.window :], known[-self.window :]
