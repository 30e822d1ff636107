"""Autoregression: a regression from the last values of a series to its next one."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from gplvm_core.datasets import DataError
from gplvm_core.kernels import RBF, Kernel, Linear
from gplvm_core.models.estimator import seeds_for
from gplvm_core.models.fitted import Saved
from gplvm_core.models.regression import SparseGPRegression
from gplvm_core.models.run import Run
from gplvm_core.numerics import Array
from gplvm_core.optimise import Progress
from gplvm_core.prediction.forecast import forecast, sample_forecast

PROPAGATE = ("full", "moments", "none")
FUTURES = 200


class AutoregressiveGP(Saved, BaseEstimator):
    """Nonlinear autoregression y_t = f(y_{t−window}, …, y_{t−1}) + noise (Damianou 2015, §4.3.2).

    `exact_` is the regression that takes the window's values for exact; `aware_`, which starts
    from its kernel, knows them to be uncertain: beliefs centred on them (§4.2.1) with a variance
    for each lag that is learnt, or with those given as `series_variance`. Forecasts feed
    predictions back into the window; with `random_state` they are the same every time.

    In the latent space of another model, say a BayesianGPLVM `model` of frames in order:
    `future = AutoregressiveGP(5).fit(model.latent_mean_, series_variance=model.latent_variance_)`,
    `mean, std = future.forecast(50, return_std=True)`, and back to frames with
    `model.inverse_transform(mean, X_variance=std**2, return_std=True)`.

    kernel "rbf + linear": most series change little in a step, and the linear part says so.
    """

    def __init__(
        self,
        window: int = 5,
        n_inducing: int = 50,
        kernel: str | Kernel = "rbf + linear",
        max_iter: int = 500,
        n_restarts: int = 1,
        jitter: float = 1e-6,
        optimiser: Literal["lbfgs", "scg"] = "lbfgs",
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.window = window
        self.n_inducing = n_inducing
        self.kernel = kernel
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.jitter = jitter
        self.optimiser = optimiser
        self.random_state = random_state
        self.n_jobs = n_jobs

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
        if not (isinstance(self.window, int | np.integer) and self.window >= 1):
            raise ValueError(f"window must be a whole number of at least 1; got {self.window!r}")
        several = _several(series)
        each = [self._checked(s, reset=n == 0) for n, s in enumerate(several or [series])]
        first: Any = several[0] if several else series
        self.one_column_ = np.ndim(first) == 1
        inputs = np.concatenate([_windows(s, self.window) for s in each])
        outputs = np.concatenate([s[self.window :] for s in each])
        spread: Any = "learned"
        self.history_, self.history_variance_ = each[-1][-self.window :], None
        if series_variance is not None:
            given: Any = series_variance if several else [series_variance]
            if len(given) != len(each):
                raise ValueError(
                    f"series_variance must be a list of one for each of the {len(each)} series; "
                    f"got {len(given)}"
                )
            variances = [_variance(v, s) for v, s in zip(given, each, strict=True)]
            spread = np.concatenate([_windows(v, self.window) for v in variances])
            self.history_variance_ = variances[-1][-self.window :]
        of_exact = resume is None or bool(np.all(resume.anchor.belief.observed))
        self.exact_ = self._regression(self._kernel()).fit(
            inputs,
            outputs,
            callback=callback if of_exact else None,
            resume=resume if of_exact else None,
        )
        self.aware_ = self.exact_
        if self.exact_.result_.status != "stopped" and not _is_zero(spread):
            self.aware_ = self._regression(self.exact_.kernel_, constrained=True).fit(
                inputs,
                outputs,
                X_variance=spread,
                callback=callback,
                resume=None if of_exact else resume,
            )
        self.result_, self.trace_ = self.aware_.result_, self.aware_.trace_
        self.bound_, self.notes_ = self.aware_.bound_, self.aware_.notes_
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

    def _kernel(self) -> str | Kernel:
        if self.kernel != "rbf + linear":
            return self.kernel
        n_inputs = self.window * self.n_features_in_
        smooth = RBF(1.0, np.full(n_inputs, np.sqrt(n_inputs)))
        return smooth + Linear(np.full(n_inputs, 1.0 / n_inputs))

    def _regression(self, kernel: str | Kernel, *, constrained: bool = False) -> SparseGPRegression:
        return SparseGPRegression(
            n_inducing=self.n_inducing,
            kernel=kernel,
            constrained=constrained,
            max_iter=self.max_iter,
            n_restarts=self.n_restarts,
            jitter=self.jitter,
            optimiser=self.optimiser,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )

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
        given = self._checked(history, reset=False)[-self.window :]
        if variance is not None:
            return given, _variance(variance, self._checked(history, reset=False))[-self.window :]
        return given, learned if self.history_variance_ is None else np.zeros_like(given)

    def _checked(self, series: ArrayLike, *, reset: bool) -> Array:
        """One series as T × D, long enough to hold a window (and, to train, a value after it)."""
        table = series
        if np.ndim(series) == 1:
            table = np.asarray(series)[:, None]
        try:
            values = np.asarray(validate_data(self, table, reset=reset, dtype=np.float64))
        except ValueError as error:
            if "NaN" in str(error) or "infinity" in str(error):
                raise DataError(
                    f"{error}\nA series must be whole: fill its gaps in, or give the stretches "
                    "between them as a list of series."
                ) from error
            raise
        least = self.window + (2 if reset else 0)
        if len(values) < least:
            raise DataError(
                f"a series of n_samples = {len(values)} is too short for window = {self.window}: "
                f"at least {least} values are needed; give a longer series or a shorter window"
            )
        return values


def _several(series: Any) -> list[Any]:
    """The series of a list of arrays; nothing for a single series."""
    if isinstance(series, list | tuple):
        arrays = [np.ndim(s) == 2 or (isinstance(s, np.ndarray) and s.ndim == 1) for s in series]
        if arrays and all(arrays):
            return list(series)
    return []


def _is_zero(variance: Any) -> bool:
    return not isinstance(variance, str) and not np.any(variance)


def _windows(series: Float[Array, "T D"], window: int) -> Float[Array, "N Q"]:
    """All stretches of the series that have a value after them, oldest entry first."""
    stretches = [series[lag : len(series) - window + lag] for lag in range(window)]
    return np.concatenate(stretches, axis=1)


def _variance(variance: ArrayLike, series: Float[Array, "T D"]) -> Float[Array, "T D"]:
    given = np.asarray(variance, dtype=np.float64)
    if given.ndim == 1 and given.shape == (len(series),) and series.shape[1] == 1:
        given = given[:, None]
    try:
        spread = np.broadcast_to(given, series.shape)
    except ValueError:
        raise ValueError(
            f"variances must be of the series' shape {series.shape}; got shape {given.shape}"
        ) from None
    if not (np.isfinite(spread) & (spread >= 0.0)).all():
        raise ValueError("variances of a series may not be negative, infinite or NaN")
    return np.asarray(spread)
