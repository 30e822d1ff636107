"""Answers of a model of one table with columns of several kinds, in the columns' own values."""

from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray

from gplvm_core import prediction
from gplvm_core.models.data.points import checked_levels
from gplvm_core.models.estimators.kinds_trained import TrainedKinds
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA
from gplvm_core.prediction.columns import Expected, words_of
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.readers import DataError

# The default number of importance samples of a row's latent point for its density.
DENSITY_DRAWS = 200


class AnyKind(TrainedKinds):
    """Answer questions about one table, whose columns may be of several kinds (`columns_`).

    For a table of several kinds the answers are tables with values of the same kinds: numbers at
    their mean, counts at their median, and the most probable word. Draws contain words and counts.
    """

    def class_words(self, column: str | int) -> tuple[Any, ...]:
        """Return the words of a column, in the order of `class_probabilities`.

        Parameters
        ----------
        column : str or int
            The name or the number of the column.

        Returns
        -------
        tuple
            The words.

        Raises
        ------
        ValueError
            If all columns of the model are numbers.
        """
        return words_of(self._columns.columns[self._columns.column(column)])

    def class_probabilities(self, Y: Any, column: str | int) -> Float[Array, "N C"]:
        """Return the probabilities of a column's words in new rows, given their other columns.

        The rows' own values in this column are not used.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        column : str or int
            The name or the number of the column.

        Returns
        -------
        ndarray of shape (n, C)
            Probabilities, in the order of `class_words`.
        """
        at = self._columns.column(column)
        words_of(self._columns.columns[at])
        return self._of_others(Y, at).classes(at)

    def class_probabilities_at(
        self, X: ArrayLike, column: str | int, *, X_variance: ArrayLike | None = None
    ) -> Float[Array, "N C"]:
        """Return the probabilities of a column's words at latent points.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Latent points.
        column : str or int
            The name or the number of the column.
        X_variance : array_like, optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        ndarray of shape (n, C)
            Probabilities, in the order of `class_words`.
        """
        at = self._columns.column(column)
        words_of(self._columns.columns[at])
        return self._at(X, X_variance).classes(at)

    def count_probabilities(self, Y: Any, column: str | int, most: int) -> Float[Array, "N C"]:
        """Return the probabilities of the counts 0 to `most`, given the other columns of new rows.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        column : str or int
            The name or the number of the column.
        most : int
            The largest count.

        Returns
        -------
        ndarray of shape (n, most + 1)
            Probabilities.

        Raises
        ------
        DataError
            If the column holds no counts.
        """
        at = self._columns.column(column)
        if self._columns.columns[at].kind != "count":
            raise DataError(
                f"column {column!r} is of kind {self._columns.columns[at].kind}, not of counts"
            )
        return self._of_others(Y, at).counts(at, most)

    def column_quantiles(
        self, Y: Any, column: str | int, quantiles: ArrayLike = (0.05, 0.5, 0.95)
    ) -> NDArray[Any]:
        """Return quantiles of a column in new rows, given their other columns, with noise.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        column : str or int
            The name or the number of the column.
        quantiles : array_like of shape (K,), default (0.05, 0.5, 0.95)
            Probabilities between 0 and 1.

        Returns
        -------
        ndarray of shape (K, n)
            Numbers or counts; for a column of grades, words.
        """
        at, levels = self._columns.column(column), checked_levels(quantiles)
        found, own = self._of_others(Y, at).quantiles(at, levels), self._columns.columns[at]
        if own.kind != "grade":
            return found
        return np.array(own.words, dtype=object)[found.astype(int)]

    def score_samples(
        self, Y: Any, n_samples: int | None = None, random_state: int | None = 0
    ) -> Float[Array, " N"]:
        """Return log p(observed entries | training data) of each row, approximately.

        By default this is the difference between the bounds with and without the row. Each of the
        two is a lower bound; their difference is not a bound (Damianou 2015, §3.4). A table of
        several kinds always uses importance samples, by default 200, with quadrature over the
        functions. The result is then the log density of the numbers plus the log probability of
        the other entries, which has no unit.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        n_samples : int or None, default None
            None, or the number of importance samples of the row's latent points in all layers.
            The sampled estimate is too low on average; the bias shrinks as the number grows.
        random_state : int or None, default 0
            The seed of the samples.

        Returns
        -------
        ndarray of shape (n,)
            Log densities in nats.
        """
        draws = DENSITY_DRAWS if self.columns_ is not None and n_samples is None else n_samples
        return super().score_samples(Y, draws, random_state)

    def complete(
        self,
        Y: Any,
        *,
        times: ArrayLike | None = None,
        sequence: Any = None,
        coupled: bool = True,
        adapt: bool = False,
        callback: StepCallback | None = None,
        return_std: bool = False,
        return_cov: bool = False,
        return_latent: bool = False,
        return_probability: bool = False,
    ) -> Any:
        """Fill in missing values: numbers at their mean, counts at their median, words at the
        most probable one.

        With times the rows are one sequence and are inferred jointly; rows without any observed
        value are then allowed. Without times every row is inferred separately.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        times : array_like of shape (n,) or (n, P), optional
            The times of the rows, for a model with a time_kernel.
        sequence : label, optional
            The trained sequence that the rows belong to; None for a new sequence.
        coupled : bool, default True
            Whether the rows inform each other through the prior (Damianou 2015, App. B.4, with the
            training rows fixed). False, which is cheaper: each row has the prior at its time.
        adapt : bool, default False
            Whether the rows also update the mapping q(u). This suits a sequence that differs from
            the trained ones and has some complete rows. False is cheaper.
        callback : callable, optional
            Called as callback(step, bound in nats) after each step, and as callback(0, −inf) while
            rows are examined separately. StopIteration raised in it ends inference with the best
            path so far.
        return_std : bool, default False
            Whether to return standard deviations, too; NaN for words.
        return_cov : bool, default False
            Whether to return covariances, too; only for numbers, without times and return_std.
        return_latent : bool, default False
            Whether to return the latent path and its standard deviations, too; only with times.
        return_probability : bool, default False
            Whether to return the probability of each filled word and count, too: 1 where observed,
            NaN for numbers. Only for a table of several kinds.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or a tuple
            The rows with observed values unchanged; then, as selected, standard deviations (n, D)
            or covariances (n, D, D) with noise, probabilities (n, D), and the path and its standard
            deviations, (n, Q) each. Data frames if Y is a data frame, or if pandas output is set.
        """
        if self.columns_ is None:
            if return_probability:
                raise ValueError("all columns are numbers, which have no probability: return_std")
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
            )
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
            path, outputs = self._infer_path(Y, times, sequence, coupled, adapt, callback)
            points = path.beliefs[0]
            expected = self._at(points.mean, points.variance)
            latent = (points.mean, np.sqrt(points.variance)) if return_latent else ()
        likeliest, std, sure = expected.likeliest()
        whole = np.where(np.isnan(outputs), likeliest, outputs)
        first = [place.start for place in self._columns.places]
        seen = ~np.isnan(outputs[:, first])
        found: tuple[Any, ...] = (self._columns.as_table(self._columns.decoded(whole)),)
        if return_std:
            found += (np.where(seen & ~np.isnan(std), 0.0, std),)
        if return_probability:
            found += (np.where(seen & ~np.isnan(sure), 1.0, sure),)
        found += latent
        return found if len(found) > 1 else found[0]

    def denoise(self, Y: Any, *, return_std: bool = False) -> Any:
        if self.columns_ is None:
            return super().denoise(Y, return_std=return_std)
        return self._as_values(self._expected(self._outputs(Y)), return_std=return_std)

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
        return self._as_values(self._at(X, X_variance), return_std=return_std)

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
        expected = self._expected(outputs, explained)
        weights = explained.weights[:, :n_alternatives]
        weights = weights / weights.sum(axis=1, keepdims=True)
        there, rows = weights > 0.0, []
        for k in range(weights.shape[1]):
            whole = np.where(np.isnan(outputs), expected.explanation(k).likeliest()[0], outputs)
            values = self._columns.decoded(whole)
            values[~there[:, k]] = None
            rows.append(values)
        latent = np.where(there[:, :, None], explained[0].mean[:, : weights.shape[1]], np.nan)
        return weights, latent, np.stack(rows, axis=1)

    def forecast(self, times: ArrayLike, *, sequence: Any = None, return_std: bool = False) -> Any:
        if self.columns_ is None:
            return super().forecast(times, sequence=sequence, return_std=return_std)
        path = self.forecast_latent(times, sequence=sequence)
        return self._as_values(self._at(*path), return_std=return_std)

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

    def _expected(self, outputs: Array, explained: Any = None) -> Expected:
        """The distribution of the rows' entries, given their observed entries."""
        found = self._explained(outputs) if explained is None else explained
        parts = prediction.functions(self._network, found, DATA)
        return Expected(self._columns, self.posterior_, *parts)

    def _of_others(self, Y: Any, at: int) -> Expected:
        """The distribution of the rows' entries, given all columns but one."""
        outputs = self._outputs(Y, all_seen=False)
        outputs[:, self._columns.places[at]] = np.nan
        if np.isnan(outputs).all():
            # Without observed entries the latent points have their prior.
            nowhere = np.zeros((len(outputs), self._n_features_out))
            return self._at(nowhere, nowhere + 1.0)
        return self._expected(outputs)

    def _at(self, X: ArrayLike, X_variance: ArrayLike | None) -> Expected:
        """The distribution of the entries at latent points."""
        columns = self._columns
        points = self._points(X, X_variance)
        mean, variance = prediction.moments(self._network, {0: points}, noise=False)[DATA]
        weights = np.ones((len(mean), 1))
        return Expected(columns, self.posterior_, weights, mean[:, None], variance[:, None])

    def _as_values(self, expected: Expected, *, return_std: bool) -> Any:
        outputs, std, _ = expected.likeliest()
        values = self._columns.as_table(self._columns.decoded(outputs))
        return (values, std) if return_std else values

    def _decoded(self, drawn: Array) -> Any:
        if drawn.ndim == 2:
            return self._columns.as_table(self._columns.decoded(drawn))
        return np.stack([self._columns.decoded(each) for each in drawn])
