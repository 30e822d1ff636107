"""Forecasts of fitted autoregressions."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.series import are_several, checked_series, checked_variances
from gplvm_core.models.estimators.base import NOTHING, GPModel
from gplvm_core.models.estimators.settings import Seed
from gplvm_core.models.training.run import seeds_for
from gplvm_core.numerics import Array
from gplvm_core.prediction.forecast import forecast, sample_forecast
from gplvm_core.prediction.intervals import Asked, Tries, away

PROPAGATE = ("full", "moments", "none")
FUTURES = 200
# Calibration trains on this share of every series, and forecasts the rest from up to ORIGINS
# starting points.
KNOWN, ORIGINS = 0.7, 12


@dataclass(eq=False, repr=False)
class Forecasting(GPModel):
    """An estimator that predicts the next value of a series from its last values.

    Attributes
    ----------
    exact_ : SparseGPRegression
        The regression that treats the values of the window as exact.
    aware_ : SparseGPRegression
        The regression that treats the values of the window as uncertain.
    one_column_ : bool
        Whether the series was a vector; forecasts then are vectors, too.
    history_ : ndarray of shape (window, D)
        The last values of the training series.
    history_variance_ : ndarray of shape (window, D) or None
        The given variances of these values; None if the variances were learnt.
    intervals_ : Intervals or None
        The factors of the standard deviations of forecasts (`calibrate`); None before.
    bound_ : float
        The bound of `aware_`, in nats.
    result_ : Result
        How the training of `aware_` ended.
    trace_ : dict of str to ndarray
        The history of the training of `aware_`.
    notes_ : tuple of str
        The notes of `aware_`.
    n_iter_ : int
        The number of accepted iterations of `aware_`.
    n_features_in_ : int
        The number of columns of the series.
    feature_names_in_ : ndarray of str, shape (D,)
        The column names of the series; only defined for a data frame with text names.
    """

    window: int = 5
    n_inducing: int = 50
    _: KW_ONLY
    max_iter: int = 500
    n_restarts: int = 1
    jitter: float = 1e-6
    random_state: Seed = None
    n_jobs: int | None = None

    intervals_ = NOTHING

    def calibrate(
        self,
        series: Any,
        steps: int = 20,
        *,
        series_variance: Any = None,
    ) -> Self:
        """Learn from the end of the training series how wide the intervals of forecasts must be.

        A copy of the model is trained on the first 70 % of every series, and forecasts the rest
        from up to 12 starting points. Every column then gets a factor for the standard deviations
        of `forecast`; the factors are shrunk towards a common factor. With these factors, 95 % of
        the forecast values are inside their 95 % intervals. Means and drawn futures do not change.
        `intervals_` has the share of values inside their intervals, before and after calibration.
        This takes about as long as `fit`.

        Parameters
        ----------
        series : array_like of shape (T,) or (T, D), or list of them
            The training series.
        steps : int, default 20
            The number of values to predict from each time.
        series_variance : array_like or list of them, optional
            The variances of the values, if training had them.

        Returns
        -------
        self
            The estimator, with `intervals_`.

        Raises
        ------
        ValueError
            If the series are too short to hold out a part of them.
        """
        check_is_fitted(self)
        several = are_several(series)
        given: Any = list(series) if several else [series]
        each = [checked_series(self, own, self.window, reset=False) for own in given]
        cuts = [round(KNOWN * len(own)) for own in each]
        if min(cuts) <= self.window + 1 or any(
            c == len(s) for c, s in zip(cuts, each, strict=True)
        ):
            raise ValueError(
                f"the first {100 * KNOWN:.0f} % of every series must be longer than the window by "
                f"2 values; got series of {', '.join(str(len(own)) for own in each)} values and a "
                f"window of {self.window}: give longer series"
            )
        variances = None
        if series_variance is not None:
            variances = checked_variances(series_variance, each, several=several)
            known = [own[:cut] for own, cut in zip(variances, cuts, strict=True)]
        shown = [own[:, 0] if self.one_column_ else own for own in each]
        copy = clone(self).fit(
            [own[:cut] for own, cut in zip(shown, cuts, strict=True)],
            series_variance=None if variances is None else known,
        )
        spread, tries = np.std(np.vstack(each), axis=0), Tries()
        for number, (own, cut) in enumerate(zip(each, cuts, strict=True)):
            for first in np.unique(np.linspace(cut, len(own) - 1, ORIGINS).astype(int)):
                truth = own[first : first + steps]
                before = None if variances is None else variances[number][:first]
                for propagate in PROPAGATE:
                    asked = len(truth), propagate, shown[number][:first], before
                    mean, variance = (each.reshape(truth.shape) for each in copy._moments(*asked))
                    error = away(mean, variance, truth, spread)
                    # Forecasts from nearby times overlap.
                    groups = np.full(len(truth), f"{number} {(first - cut) // steps}")
                    tries.add(Asked("forecast", how=propagate), error, groups)
        self.intervals_ = tries.intervals()
        return self

    def forecast(
        self,
        steps: int,
        *,
        propagate: Literal["full", "moments", "none"] = "full",
        history: ArrayLike | None = None,
        history_variance: ArrayLike | None = None,
        return_std: bool = False,
    ) -> Any:
        """Predict the next values after the training series, or after `history`.

        Parameters
        ----------
        steps : int
            The number of values to predict.
        propagate : {"full", "moments", "none"}, default "full"
            How uncertainty enters later predictions. "full" samples futures with `aware_`,
            including the uncertainty of the series, the predictions and the function. "moments"
            feeds means and variances of predictions into the window of `exact_`, as if the values
            were independent (Girard et al. 2003; Damianou 2015, §4.3.2). "none" feeds only means
            into the window, so that each standard deviation covers only a single step.
        history : array_like of shape (T,) or (T, D), optional
            A series to continue, at least as long as the window. None: the training series.
        history_variance : array_like, optional
            The variances of the values of `history`.

        Returns
        -------
        ndarray of shape (steps,) or (steps, D), or two of them
            The means, and with return_std the standard deviations with observation noise,
            calibrated after `calibrate`.

        Raises
        ------
        ValueError
            If an argument is out of range, or if `history` does not match the training series.
        """
        check_is_fitted(self)
        if propagate not in PROPAGATE:
            raise ValueError(f"propagate must be one of {', '.join(PROPAGATE)}; got {propagate!r}")
        mean, spread = self._moments(steps, propagate, history, history_variance)
        if self.intervals_ is not None:
            asked = Asked("forecast", how=propagate)
            spread = self.intervals_.widen(asked, spread.reshape(steps, -1)).reshape(spread.shape)
        elif return_std:
            warnings.warn(
                "these standard deviations are not calibrated and may be too small: call "
                "calibrate(series) with the training series",
                UserWarning,
                stacklevel=2,
            )
        return (mean, np.sqrt(spread)) if return_std else mean

    def _moments(
        self,
        steps: int,
        propagate: str,
        history: ArrayLike | None,
        history_variance: ArrayLike | None,
    ) -> tuple[Array, Array]:
        """Means and variances of forecasts, before calibration."""
        if propagate == "full":
            drawn = self.sample_forecast(
                steps,
                FUTURES,
                seeds_for(self.random_state, 1)[0],
                history=history,
                history_variance=history_variance,
            )
            return drawn.mean(axis=0), drawn.var(axis=0)
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
        return (mean[:, 0], spread[:, 0]) if self.one_column_ else (mean, spread)

    def sample_forecast(
        self,
        steps: int,
        n_samples: int = 100,
        random_state: int | None = None,
        *,
        history: ArrayLike | None = None,
        history_variance: ArrayLike | None = None,
    ) -> Float[Array, "..."]:
        """Draw complete futures with `aware_`; each future has its own draw of the function.

        The draws include the uncertainty of the series.

        Parameters
        ----------
        steps : int
            The number of values to predict.
        n_samples : int, default 100
            The number of futures S.
        history : array_like of shape (T,) or (T, D), optional
            A series to continue, at least as long as the window. None: the training series.
        history_variance : array_like, optional
            The variances of the values of `history`.

        Returns
        -------
        ndarray of shape (S, steps) or (S, steps, D)
            The draws.
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
        """The number of accepted iterations of `aware_`."""
        return self.aware_.n_iter_

    def _begin(
        self, steps: int, history: ArrayLike | None, variance: ArrayLike | None
    ) -> tuple[Array, Array]:
        """The first window of a forecast, and the variances of its values."""
        if not (isinstance(steps, int | np.integer) and steps >= 1):
            raise ValueError(f"steps must be a whole number of at least 1; got {steps!r}")
        # Learnt variances depend only on the lag, so they are valid for any window.
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
