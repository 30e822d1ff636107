"""Autoregression: regression from the last values of a series to the next one."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metadata_routing import UNUSED

from gplvm_core.kernels import RBF, Kernel, Linear
from gplvm_core.models.data.series import (
    Windows,
    are_several,
    checked_series,
    checked_variances,
    checked_window,
)
from gplvm_core.models.estimators.forecasting import Forecasting
from gplvm_core.models.estimators.regression import SparseGPRegression
from gplvm_core.models.estimators.settings import check_settings, preset
from gplvm_core.models.estimators.trained import whole
from gplvm_core.models.training.run import Run
from gplvm_core.optimise import Progress
from gplvm_core.readers.frames import taken

# Settings of both regressions.
SHARED = ("max_iter", "n_restarts", "jitter", "random_state", "n_jobs")


@preset
class AutoregressiveGP(Forecasting):
    """Nonlinear autoregression y_t = f(y_{t−window}, …, y_{t−1}) + noise (Damianou 2015, §4.3.2).

    The regression `exact_` treats the values of the window as exact. The regression `aware_`
    starts from the kernel of `exact_` and treats these values as uncertain (§4.2.1). Their variance
    is learnt for each lag, or is the given `series_variance`. Forecasts feed predictions back into
    the window; with `random_state` they are reproducible.

    The series can be the latent points of another model, such as a BayesianGPLVM `model` of video
    frames. Train on `series = model.latent_mean_` with `series_variance = model.latent_variance_`.
    Then forecast the latent points: `mean, std = future.forecast(50, return_std=True)`. Finally,
    predict the frames: `model.inverse_transform(mean, X_variance=std**2)`.

    Parameters
    ----------
    window
        The number of previous values on which the next value depends.
    kernel
        The kernel, as for SparseGPRegression, or "rbf + linear". The linear part is suitable for
        series that change little from one value to the next.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import AutoregressiveGP
    >>> series = np.sin(np.linspace(0.0, 6.0, 30))
    >>> model = AutoregressiveGP(3, 8, max_iter=20, random_state=0).fit(series)
    >>> model.forecast(3).round(1)
    array([-0.1,  0.1,  0.3])
    """

    # scikit-learn takes all arguments except X, Y and y for metadata.
    __metadata_request__fit: ClassVar[dict[str, Any]] = {"series": UNUSED}

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
        """Train both regressions.

        Parameters
        ----------
        series : array_like of shape (T,) or (T, D), or list of them
            Equally spaced series. Forecasts continue the last series of a list.
        series_variance : array_like or list of them, optional
            The variances of the values, in a shape that broadcasts to the series. None: the
            variances are learnt.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range, or if the series is too short for the window.
        """
        check_settings(self)
        self.intervals_ = None
        window, several = checked_window(self.window), are_several(series)
        given: Any = series if several else [series]
        each = [checked_series(self, s, window, reset=n == 0) for n, s in enumerate(given)]
        self.one_column_, variances = np.ndim(taken(given[0])) == 1, None
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
        shared = {name: getattr(self, name) for name in SHARED}
        return SparseGPRegression(self.n_inducing, kernel, constrained=constrained, **shared)
