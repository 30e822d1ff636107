"""Predictions of a model of one table with columns of several kinds, in the columns' own values."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray

from gplvm_core import prediction
from gplvm_core.models.data.points import checked_levels
from gplvm_core.models.estimators.back_test import Method
from gplvm_core.models.estimators.frames import framed
from gplvm_core.models.estimators.kinds_trained import TrainedKinds
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Explained
from gplvm_core.prediction.columns import (
    Expected,
    counts_of,
    expected_at,
    expected_of,
    expected_of_others,
    words_of,
)
from gplvm_core.prediction.fills import FillMethod
from gplvm_core.prediction.paths import StepCallback


class AnyKind(TrainedKinds):
    """Predictions for one table, whose columns may be of several kinds (`columns_`).

    For a table of several kinds, predictions are tables with values of the same kinds: the mean of
    a number, the median of a count, and the most probable word. Draws contain words and counts.
    """

    def class_words(self, column: str | int) -> tuple[Any, ...]:
        """Return the words of a column, in the order of `class_probabilities`.

        Returns
        -------
        tuple
            The words.

        Raises
        ------
        ValueError
            If all columns of the model are numbers.
        """
        columns = self._mixed_columns()
        return words_of(columns.columns[columns.column(column)])

    def class_probabilities(self, Y: Any, column: str | int) -> Float[Array, "N C"]:
        """Return the probabilities of a column's words in new rows, given their other columns.

        The rows' own values in this column are not used.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.

        Returns
        -------
        ndarray of shape (n, C)
            Probabilities, in the order of `class_words`.
        """
        columns = self._mixed_columns()
        at = columns.column(column)
        words_of(columns.columns[at])
        return self._of_others(Y, at).words(at)

    def class_probabilities_at(
        self, X: ArrayLike, column: str | int, *, X_variance: ArrayLike | None = None
    ) -> Float[Array, "N C"]:
        """Return the probabilities of a column's words at latent points.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Latent points.
        X_variance : array_like, optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        ndarray of shape (n, C)
            Probabilities, in the order of `class_words`.
        """
        columns = self._mixed_columns()
        at = columns.column(column)
        words_of(columns.columns[at])
        return self._at(X, X_variance).words(at)

    def count_probabilities(self, Y: Any, column: str | int, most: int) -> Float[Array, "N C"]:
        """Return the probabilities of the counts 0 to `most`, given the other columns of new rows.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.

        Returns
        -------
        ndarray of shape (n, most + 1)
            Probabilities.

        Raises
        ------
        DataError
            If the column holds no counts.
        """
        columns = self._mixed_columns()
        at = columns.column(column)
        counts_of(columns.columns[at])
        return self._of_others(Y, at).counts(at, most)

    def column_quantiles(
        self, Y: Any, column: str | int, quantiles: ArrayLike = (0.05, 0.5, 0.95)
    ) -> NDArray[Any]:
        """Return quantiles of a column in new rows, given their other columns, with noise.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        quantiles : array_like of shape (K,), default (0.05, 0.5, 0.95)
            Probabilities between 0 and 1.

        Returns
        -------
        ndarray of shape (K, n)
            Numbers or counts; for a column of grades, words.
        """
        at, levels = self._mixed_columns().column(column), checked_levels(quantiles)
        return self._of_others(Y, at).quantile_values(at, levels)

    def complete(
        self,
        Y: Any,
        *,
        times: ArrayLike | None = None,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool | None = None,
        callback: StepCallback | None = None,
        return_std: bool = False,
        return_cov: bool = False,
        return_latent: bool = False,
        return_probability: bool = False,
        method: FillMethod | None = None,
    ) -> Any:
        """Fill in missing values: numbers with their mean, counts with their median, words with the
        most probable word.

        With times, the rows are one sequence and are inferred jointly; such rows may have no
        observed value at all. Without times, every row is inferred separately.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        return_std : bool, default False
            Whether to return standard deviations, too; words have the standard deviation NaN.
        return_cov : bool, default False
            Whether to return covariances, too; only for numbers, without times and return_std.
        return_probability : bool, default False
            Whether to return the probability of each filled word and count, too. It is 1 for an
            observed word or count, and NaN for a number. Only for a table of several kinds.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or a tuple
            The filled rows; observed values do not change. The other results that were requested
            follow, in this order: standard deviations (n, D) or covariances (n, D, D), both with
            noise; probabilities (n, D); the path and its standard deviations (n, Q each). The rows
            are data frames if Y is a data frame, or if pandas output is set.
        """
        if self.columns_ is None:
            if return_probability:
                raise ValueError(
                    "all columns are numbers, which have no probability: use return_std instead"
                )
            return super().complete(
                Y,
                times=times,
                sequence=sequence,
                coupled=coupled,
                adapt=adapt,
                callback=callback,
                return_std=return_std,
                return_cov=return_cov,
                return_latent=return_latent,
                method=method,
            )
        if method == "density":
            raise ValueError("columns of several kinds are filled by the map: leave out method")
        if return_cov:
            raise ValueError("columns of several kinds have no covariance: leave out return_cov")
        latent: tuple[Array, ...] = ()
        if times is None:
            if callback is not None or sequence is not None or adapt or return_latent:
                raise ValueError(
                    "sequence, adapt, callback and return_latent need rows in time: give times, too"
                )
            outputs = self._outputs(Y)
            expected = self._expected(outputs)
        else:
            path, outputs = self._infer_path(Y, times, sequence, coupled, bool(adapt), callback)
            points = path.beliefs[0]
            expected = self._at(points.mean, points.variance).exposed(outputs)
            latent = (points.mean, np.sqrt(points.variance)) if return_latent else ()
        whole, std, sure = expected.filled(outputs)
        found = (
            self._as_table(Y, whole),
            *(std,) * return_std,
            *(sure,) * return_probability,
            *latent,
        )
        return found if len(found) > 1 else found[0]

    def denoise(self, Y: Any, *, return_std: bool = False) -> Any:
        if self.columns_ is None:
            return super().denoise(Y, return_std=return_std)
        return self._as_values(Y, self._expected(self._outputs(Y)), return_std=return_std)

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Any:
        if self.columns_ is None:
            return super().inverse_transform(
                X, X_variance=X_variance, noise=noise, return_std=return_std
            )
        return self._as_values(X, self._at(X, X_variance), return_std=return_std)

    def sample(
        self,
        X: ArrayLike | int | None = None,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Any:
        drawn = super().sample(X, n_samples, random_state, X_variance=X_variance)
        return drawn if self.columns_ is None else self._decoded(drawn)

    def sample_completions(
        self, Y: Any, n_samples: int = 1, random_state: int | None = None
    ) -> Any:
        drawn = super().sample_completions(Y, n_samples, random_state)
        return drawn if self.columns_ is None else self._decoded(drawn)

    def alternatives(
        self, Y: Any, n_alternatives: int = 3
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Any]:
        if self.columns_ is None:
            return super().alternatives(Y, n_alternatives)
        if n_alternatives < 1:
            raise ValueError(f"n_alternatives must be at least 1; got {n_alternatives}")
        outputs = self._outputs(Y)
        explained = self._explained(outputs)
        rows, _ = self._expected(outputs, explained).alternatives(outputs)
        weights = explained.weights[:, :n_alternatives]
        weights = weights / weights.sum(axis=1, keepdims=True)
        count = weights.shape[1]
        latent = np.where(weights[:, :, None] > 0.0, explained[0].mean[:, :count], np.nan)
        return weights, latent, rows[:, :count]

    def forecast(
        self,
        times: ArrayLike,
        *,
        sequence: Any = None,
        method: Method = "auto",
        return_std: bool = False,
    ) -> Any:
        if self.columns_ is None:
            return super().forecast(times, sequence=sequence, method=method, return_std=return_std)
        path = self.forecast_latent(times, sequence=sequence)
        return self._as_values(None, self._at(*path), return_std=return_std)

    def sample_sequence(
        self,
        times: ArrayLike,
        *,
        n_samples: int = 1,
        random_state: int | None = None,
        return_latent: bool = False,
    ) -> Any:
        if self.columns_ is None:
            return super().sample_sequence(
                times, n_samples=n_samples, random_state=random_state, return_latent=return_latent
            )
        generator = np.random.default_rng(random_state)
        _, paths = super().sample_sequence(
            times,
            n_samples=n_samples,
            random_state=generator,  # type: ignore[arg-type]
            return_latent=True,
        )
        drawn = [prediction.sample(self.posterior_, each, 1, generator)[0] for each in paths]
        values = self._decoded(np.stack(drawn))
        return (values, paths) if return_latent else values

    def _expected(self, outputs: Array, explained: Explained | None = None) -> Expected:
        """Predictions of rows from their observed values."""
        found = self._explained(outputs) if explained is None else explained
        return expected_of(self._network, self._mixed_columns(), DATA, found, outputs)

    def _of_others(self, Y: Any, at: int) -> Expected:
        """Predictions of rows from their observed values in all columns but the column `at`."""
        outputs = {DATA: self._outputs(Y, all_seen=False)}
        return expected_of_others(self._network, self._mixed_columns(), DATA, outputs, at)

    def _at(self, X: ArrayLike, X_variance: ArrayLike | None) -> Expected:
        """Predictions at latent points."""
        columns, given = self._mixed_columns(), {0: self._points(X, X_variance)}
        return expected_at(self._network, columns, DATA, given)

    def _as_values(self, given: Any, expected: Expected, *, return_std: bool) -> Any:
        values, std = expected.values()
        table = self._as_table(given, values)
        return (table, std) if return_std else table

    def _as_table(self, given: Any, values: NDArray[Any]) -> Any:
        """Values as a data frame like `given`, or like the training rows."""
        columns = self._mixed_columns()
        return framed(self, given, values, columns.names, trained=columns.frame)

    def _decoded(self, drawn: Array) -> Any:
        columns = self._mixed_columns()
        if drawn.ndim == 2:
            return self._as_table(None, columns.decoded(drawn))
        return np.stack([columns.decoded(each) for each in drawn])
