"""Autoregression: a regression from the last values of a series to its next one."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from gplvm_core.kernels import RBF, Kernel, Linear
from gplvm_core.models.data.series import (
    Windows,
    are_several,
    checked_series,
    checked_variances,
    checked_window,
)
from gplvm_core.models.estimators.fitted import Saved
from gplvm_core.models.estimators.forecasting import Forecasting
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.estimators.settings import Iterative, check_settings, preset
from gplvm_core.models.estimators.trained import whole
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress


@preset
class AutoregressiveGP(Iterative, Forecasting, Saved, BaseEstimator):
    """Nonlinear autoregression y_t = f(y_{t−window}, …, y_{t−1}) + noise (Damianou 2015, §4.3.2).

    `exact_` is the regression that takes the window's values for exact; `aware_`, which starts
    from its kernel, knows them to be uncertain: beliefs centred on them (§4.2.1) with a variance
    for each lag that is learnt, or with those given as `series_variance`. Forecasts feed
    predictions back into the window; with `random_state` they are the same every time.

    In the latent space of another model, say a BayesianGPLVM `model` of frames in order:
    `future = AutoregressiveGP(5).fit(model.latent_mean_, series_variance=model.latent_variance_)`,
    `mean, std = future.forecast(50, return_std=True)`, and back to frames with
    `model.inverse_transform(mean, X_variance=std**2, return_std=True)`.

    Parameters
    ----------
    window
        The number of last values that the next one depends on.
    kernel
        As for SparseGPRegression, or "rbf + linear": most series change little in a step, and the
        linear part says so.
    """

    window: int = 5
    n_inducing: int = 50
    _: KW_ONLY
    kernel: str | Kernel = "rbf + linear"

    @whole
    def fit(
        self,
        series: ArrayLike | Sequence[ArrayLike],
        y: Any = None,
        *,
        series_variance: ArrayLike | Sequence[ArrayLike] | None = None,
        callback: Callable[[Progress], None] | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train on a series (T or T × D, equally spaced), or a list of such arrays, of which the
        last is the one that forecasts continue. `y` is ignored.

        series_variance: of the series' entries, of its shape or one that broadcasts to it (a list
        if there are several); None: learnt. callback, resume: as for BayesianGPLVM,
        through both trainings.
        """
        check_settings(self)
        window, several = checked_window(self.window), are_several(series)
        given: Any = series if several else [series]
        each = [checked_series(self, s, window, reset=n == 0) for n, s in enumerate(given)]
        self.one_column_, variances = np.ndim(given[0]) == 1, None
        if series_variance is not None:
            variances = checked_variances(series_variance, each, several=several)
        data = Windows.of(each, variances, window)
        self.history_, self.history_variance_ = data.last, data.last_variance
        of_exact = resume is None or bool(np.all(resume.anchor.nodes[0].observed))
        self.exact_ = self._regression(self._kernel()).fit(
            data.inputs,
            data.outputs,
            callback=callback if of_exact else None,
            resume=resume if of_exact else None,
        )
        self.aware_ = self.exact_
        if self.exact_.result_.status != "stopped" and data.uncertain:
            self.aware_ = self._regression(self.exact_.kernel_, constrained=True).fit(
                data.inputs,
                data.outputs,
                X_variance="learned" if data.variance is None else data.variance,
                callback=callback,
                resume=None if of_exact else resume,
            )
        self.result_, self.trace_ = self.aware_.result_, self.aware_.trace_
        self.bound_, self.notes_ = self.aware_.bound_, self.aware_.notes_
        return self

    def _kernel(self) -> str | Kernel:
        if self.kernel != "rbf + linear":
            return self.kernel
        n_inputs = self.window * self.n_features_in_
        smooth = RBF(1.0, np.full(n_inputs, np.sqrt(n_inputs)))
        return smooth + Linear(np.full(n_inputs, 1.0 / n_inputs))

    def _regression(self, kernel: str | Kernel, *, constrained: bool = False) -> SparseGPRegression:
        shared = {each.name: getattr(self, each.name) for each in fields(Iterative)}
        return SparseGPRegression(self.n_inducing, kernel, constrained=constrained, **shared)
