"""Methods for sequences of rows: forecasts, completions and samples along paths over time."""

from typing import Any, Self, get_args

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.data.rows import checked_rows
from gplvm_core.models.data.timeline import checked_times
from gplvm_core.models.estimators.back_test import Method
from gplvm_core.models.estimators.estimator import LatentVariableModel
from gplvm_core.models.estimators.forecaster import Forecaster, choose_forecaster
from gplvm_core.models.estimators.with_intervals import WithIntervals
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA
from gplvm_core.prediction.candidates import Report
from gplvm_core.prediction.fills import FillMethod
from gplvm_core.prediction.held_out import HeldOut
from gplvm_core.prediction.intervals import Asked, Tries, parts_of_sequences
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.prediction.sequence import FoundPath, sample_paths
from gplvm_core.readers import DataError


class SequenceQueries(LatentVariableModel, WithIntervals):
    """Methods for rows in time; these methods need only fitted attributes.

    Attributes
    ----------
    forecaster_ : Forecaster or None
        Who continues the training sequences, and why (`choose_forecaster`); None if `fit` did not
        test it.
    """

    # A default, since files of older versions do not store it.
    forecaster_: Forecaster | None = None

    @property
    def can_calibrate(self) -> bool:
        """Whether `calibrate` is possible: the model has paths over time, and columns of numbers.

        Paths that follow the rows' own values (`path_over`) have neither gaps along time nor
        forecasts.
        """
        return self.capabilities.timed and super().can_calibrate

    @property
    def can_choose_forecaster(self) -> bool:
        """Whether `choose_forecaster` is possible: a table of numbers over a single time."""
        numbers = all(edge.posterior.links is None for edge in self._network.ends.values())
        timed = self.capabilities.timed and self.times_ is not None
        return bool(timed and numbers and np.shape(self.times_)[1] == 1 and hasattr(self, "fit"))

    def choose_forecaster(self, Y: ArrayLike, *, callback: Report | None = None) -> Self:
        """Choose by a short back-test who continues the training sequences, after training.

        `fit` does this as a step of its second stage. Copies of the model are trained twice without
        the last frames and forecast them. Unless the model's error is below 95 % of that of the
        best simple rule (the last value, the value one period before, trend and season, linear
        autoregression), `forecast` uses the rule after the end of a sequence. `forecaster_.reason`
        has the choice and the errors in words.

        Parameters
        ----------
        Y : array_like of shape (N, D)
            The training rows, in the same order; NaN marks missing values.
        callback : callable, optional
            Called as callback(fraction of the work that is done). An exception raised in it ends
            the work; the model then has the forecaster it had before.

        Returns
        -------
        self
            The estimator, with `forecaster_`.
        """
        rows = self._to_calibrate(Y)[DATA]
        self.forecaster_ = choose_forecaster(
            self, rows, self.times_[:, 0], self.sequences_, callback or (lambda share: None)
        )
        return self

    def forecast(
        self,
        times: ArrayLike,
        *,
        sequence: Any = None,
        method: Method = "auto",
        return_std: bool = False,
    ) -> Any:
        """Predict outputs at new times of a trained sequence (Damianou 2015, §3.4.2).

        The uncertainty of the latent path is propagated through the mapping. A state-space model
        averages over 200 sampled futures; its times are those of training rows, of rows that are
        missing between them, or whole steps after the last one.

        Parameters
        ----------
        times : array_like of shape (n,) or (n, P)
            New times: after, between or before the times of the sequence.
        sequence : label, optional
            The trained sequence; required if there are several.
        method : {"auto", "model"}, default "auto"
            Who predicts times after the end of the sequence: the best forecast of a back-test
            (`forecaster_`), or the model.

        Returns
        -------
        ndarray of shape (n, D), or two of them
            The means, and with return_std the standard deviations with noise, in the units of the
            outputs. After `calibrate` they are calibrated at times before and after the sequence;
            those of a simple rule come from its errors in the past.

        Raises
        ------
        DataError
            If the model has no kernel over time, if the sequence is unknown, or if a time is
            neither trained nor whole steps later (state-space models), or after the last step of
            the simple rule.
        """
        if method not in get_args(Method):
            raise ValueError(f'method must be "auto" or "model"; got {method!r}')
        rows, when = self._rows_of(sequence), checked_times(times, None)
        by_rule, label = np.zeros(len(when), dtype=bool), self.sequences_[rows[0]]
        if method == "auto" and self.forecaster_ is not None:
            by_rule = self.forecaster_.continues(label, when[:, 0])
        mean, std = np.empty((2, len(when), self.n_features_in_))
        if not by_rule.all() or not len(when):
            own = self._own_forecast(when[~by_rule], sequence, shown=return_std)
            mean[~by_rule], std[~by_rule] = own[0], np.sqrt(own[1])
        if by_rule.any() and self.forecaster_ is not None:
            found = self.forecaster_.ahead(label, when[by_rule, 0])
            mean[by_rule], std[by_rule] = found
        return (mean, std) if return_std else mean

    def _own_forecast(
        self, times: Float[Array, "n P"], sequence: Any, *, shown: bool
    ) -> tuple[Float[Array, "n D"], Float[Array, "n D"]]:
        """The model's means and calibrated variances; shown: whether a user sees the latter."""
        path = Belief(*self.forecast_latent(times, sequence=sequence))
        mean, variance = prediction.moments(self._network, {0: path}, noise=True)[DATA]
        return mean, self._calibrated_outside(times, sequence, variance, shown=shown)

    def _calibrated_outside(
        self, times: ArrayLike, sequence: Any, variance: Float[Array, "n D"], *, shown: bool
    ) -> Float[Array, "n D"]:
        """Variances of forecasts, calibrated before and after the sequence."""
        new = self._outside(times, sequence)
        variance[new] = self._calibrated(Asked("forecast"), variance[new], shown=shown)
        return variance

    def complete(
        self,
        Y: ArrayLike,
        *,
        times: ArrayLike | None = None,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool | None = None,
        callback: StepCallback | None = None,
        return_std: bool = False,
        return_cov: bool = False,
        return_latent: bool = False,
        method: FillMethod | None = None,
    ) -> Any:
        """Fill in missing values with their predictive means.

        With times the rows are one sequence and are inferred jointly; rows without any observed
        value are allowed in this case. Without times every row is inferred separately. After
        `calibrate` the standard deviations of a new sequence are calibrated, if coupled=True.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        times : array_like of shape (n,) or (n, P), optional
            The times of the rows, for a model with a time_kernel.
        coupled : bool, default True
            Whether the rows inform each other through the prior (Damianou 2015, App. B.4, with the
            training rows fixed). False is cheaper: each row has the prior at its time.
        adapt : bool, optional
            Whether the rows also update the mapping q(u). Such an update suits a sequence that
            differs from the trained sequences and has some rows without gaps. False is cheaper. By
            default True for a new sequence if `calibrate` found smaller errors, otherwise False.
        callback : callable, optional
            Called as callback(step, bound in nats) after each step, and as callback(0, −inf) while
            rows are examined separately. If it raises StopIteration, inference ends with the best
            path so far.
        return_cov : bool, default False
            Whether to return covariances, too; only without times and return_std.
        return_latent : bool, default False
            Whether to return the latent path and its standard deviations, too; only with times.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or a tuple
            The filled rows; observed values do not change. The other results that were requested
            follow, in this order: standard deviations (n, D) or covariances (n, D, D), both with
            noise; the path and its standard deviations (n, Q each). The rows are data frames if Y
            is a data frame, or if pandas output is set.
        """
        if times is None:
            if callback is not None or sequence is not None or adapt or return_latent:
                raise ValueError(
                    "sequence, adapt, callback and return_latent need rows in time: give times, too"
                )
            return super().complete(Y, return_std=return_std, return_cov=return_cov, method=method)
        if method == "density":
            raise ValueError("rows in time are filled by the map: leave out method or times")
        if return_cov:
            raise ValueError("return_cov is only for independent rows: leave out times")
        new = sequence is None and coupled
        frames, values = (self._decided(Asked(what), adapt, new) for what in ("frames", "values"))
        path, outputs = self._infer_path(Y, times, sequence, coupled, values.adapted, callback)
        mean, spread = prediction.moments(path.network, path.beliefs, noise=True)[DATA]
        if new:
            empty = np.isnan(outputs).all(axis=1)
            spread[empty] = self._calibrated(frames, spread[empty], shown=return_std)
            spread[~empty] = self._calibrated(values, spread[~empty], shown=return_std)
        whole, variance = prediction.complete(outputs, mean, spread)
        completed = self._as_given(Y, whole, np.sqrt(variance) if return_std else None)
        found: tuple[Any, ...] = completed if return_std else (completed,)
        if return_latent:
            found += (path.beliefs[0].mean, np.sqrt(path.beliefs[0].variance))
        return found if len(found) > 1 else completed

    def transform_sequence(
        self,
        Y: ArrayLike,
        *,
        times: ArrayLike,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool | None = None,
        callback: StepCallback | None = None,
        return_std: bool = False,
    ) -> Float[Array, "n Q"] | tuple[Float[Array, "n Q"], Float[Array, "n Q"]]:
        """Infer the latent path of the rows of one sequence jointly.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        times : array_like of shape (n,) or (n, P)
            The times of the rows.
        sequence, coupled, adapt, callback
            As for `complete`.

        Returns
        -------
        ndarray of shape (n, Q), or two of them
            The posterior means, and with return_std the standard deviations.
        """
        asked = self._decided(Asked("values"), adapt, sequence is None and coupled)
        path, _ = self._infer_path(Y, times, sequence, coupled, asked.adapted, callback)
        belief = path.beliefs[0]
        return (belief.mean, np.sqrt(belief.variance)) if return_std else belief.mean

    def sample_sequence(
        self,
        times: ArrayLike,
        *,
        n_samples: int = 1,
        random_state: int | None = None,
        return_latent: bool = False,
    ) -> Float[Array, "S n D"] | tuple[Float[Array, "S n D"], Float[Array, "S n Q"]]:
        """Draw new sequences: paths from the prior over time, and the outputs along them.

        Parameters
        ----------
        times : array_like of shape (n,) or (n, P)
            The times of the new rows.
        n_samples : int, default 1
            The number of sequences S.
        return_latent : bool, default False
            Whether to return the latent paths, too.

        Returns
        -------
        ndarray of shape (S, n, D), or with the paths of shape (S, n, Q)
            Draws of the outputs without observation noise, and with return_latent the paths.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples must be at least 1; got {n_samples}")
        prior = self._continued(times, None, None)
        paths, drawn = sample_paths(self._network, prior, n_samples, random_state)
        return (drawn[DATA], paths) if return_latent else drawn[DATA]

    def _to_calibrate(self, Y: ArrayLike) -> dict[str, Array]:
        if not self.capabilities.timed:
            raise DataError(
                "this model has no paths over time, so it has neither gaps along time nor "
                "forecasts: fit_density calibrates the intervals of complete"
            )
        return {DATA: self._rows_in_time(Y)}

    def _try(self, held: HeldOut, groups: None, seed: int, report: Report) -> Tries:
        tries, generator = Tries(), np.random.default_rng(seed)
        held.try_forecasts(tries)
        parts = parts_of_sequences(held.sequences, held.times, generator)
        for number, part in enumerate(parts, 1):
            report(number / (len(parts) + 1))
            held.try_gaps(part, generator, tries)
        return tries

    def _outside(self, times: ArrayLike, sequence: Any) -> NDArray[np.bool_]:
        """Whether each of the times is before or after all times of a trained sequence."""
        new, known = checked_times(times, None), self.times_[self._rows_of(sequence)]
        return np.asarray(np.any((new < known.min(axis=0)) | (new > known.max(axis=0)), axis=1))

    def _rows_in_time(self, Y: ArrayLike) -> Array:
        """Check rows of a sequence; all values of a row may be missing."""
        return checked_rows(self, Y, reset=False)

    def _infer_path(
        self,
        Y: ArrayLike,
        times: ArrayLike,
        sequence: Any,
        coupled: bool,
        adapt: bool,
        callback: StepCallback | None,
    ) -> tuple[FoundPath, Array]:
        check_is_fitted(self)
        outputs = self._rows_in_time(Y)
        prior = self._continued(times, len(outputs), sequence)
        prior = prior if coupled else prior.independent
        return self._inferred_path({DATA: outputs}, prior, callback, adapt=adapt), outputs
