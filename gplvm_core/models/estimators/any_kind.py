"""A model of one table whose columns may be of any kind: its answers in their own values."""

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

# Draws of a row's latent point for its density, where the user says nothing.
DENSITY_DRAWS = 200


class AnyKind(TrainedKinds):
    """Answers of a model of numbers alone, or (`columns_`) of columns of several kinds."""

    def class_words(self, column: str | int) -> tuple[Any, ...]:
        """The words of a column, in the order of `class_probabilities`."""
        return words_of(self._columns.columns[self._columns.column(column)])

    def class_probabilities(self, Y: Any, column: str | int) -> Float[Array, "N C"]:
        """Probabilities of the words of a column (`class_words`) in every row of Y, from the other
        columns alone: what the row says of this column is left out.
        """
        at = self._columns.column(column)
        words_of(self._columns.columns[at])
        return self._of_others(Y, at).classes(at)

    def class_probabilities_at(
        self, X: ArrayLike, column: str | int, *, X_variance: ArrayLike | None = None
    ) -> Float[Array, "N C"]:
        """The same at latent points X (N × Q), certain or with variances of their own."""
        at = self._columns.column(column)
        words_of(self._columns.columns[at])
        return self._at(X, X_variance).classes(at)

    def count_probabilities(self, Y: Any, column: str | int, most: int) -> Float[Array, "N C"]:
        """Probabilities of the counts 0 … most in a column in every row of Y, from the others."""
        at = self._columns.column(column)
        if self._columns.columns[at].kind != "count":
            raise DataError(
                f"column {column!r} is of kind {self._columns.columns[at].kind}, not of counts"
            )
        return self._of_others(Y, at).counts(at, most)

    def column_quantiles(
        self, Y: Any, column: str | int, quantiles: ArrayLike = (0.05, 0.5, 0.95)
    ) -> NDArray[Any]:
        """Quantiles of a column of numbers, counts or grades (K × N) in every row of Y, from the
        other columns; noise included. Those of grades are words.
        """
        at, levels = self._columns.column(column), checked_levels(quantiles)
        found, own = self._of_others(Y, at).quantiles(at, levels), self._columns.columns[at]
        if own.kind != "grade":
            return found
        return np.array(own.words, dtype=object)[found.astype(int)]

    def score_samples(
        self, Y: Any, n_samples: int | None = None, random_state: int | None = 0
    ) -> Float[Array, " N"]:
        """log p(observed entries of y | training data) of each row in nats, approximately.

        The difference of the bounds with and without the row: each is a lower bound, their
        difference bounds nothing (Damianou 2015, §3.4). With n_samples by importance sampling over
        the row's latent points: low on average; the bias shrinks as the number of draws grows.
        With columns of several kinds always by importance sampling (200 draws), with quadrature
        over the functions: the sum of the log density of the numbers in their units and the log
        probability of the others, which depends on no unit and has no Jacobian.
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
        """Whole rows, n × D: observed entries as given, missing ones (NaN) at their mean.

        With times the rows are one sequence, inferred together; rows with nothing observed are
        allowed then. sequence: the trained one that they belong to, None for one of its own.
        coupled: rows inform each other through the prior (Damianou 2015, App. B.4, with the
        training rows held); else each row has its own prior at its time, which is cheaper. adapt:
        they inform the mapping as well, which suits a sequence unlike the trained ones of which
        some rows are whole; else q(u) is held, which is cheaper.
        callback(step, bound in nats) is called after each step, and with step 0 and −inf while
        rows are looked at one by one; StopIteration raised in it ends with the best path so far.
        Without times every row stands alone. return_std: also the standard deviations, n × D, 0
        where observed; return_cov, without times: the covariances; return_latent, with times: the
        inferred path and its standard deviations, n × Q each.

        With columns of several kinds the answer is a table of their own values: numbers at their
        mean, counts at their median, words at the likeliest. return_probability adds the
        probability of each word and count that was filled in (1 where observed, NaN for numbers);
        return_std the standard deviations of numbers and counts (NaN for words).
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
                    "sequence, adapt, callback and return_latent are about rows in time: give "
                    "times, too"
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
        """Every entry of the rows as the model reconstructs it, without noise; NaN: missing. With
        columns of several kinds a table of their own values, as `complete` fills them in.
        """
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
        """Outputs at latent points X (N × Q), certain or with variances of their own.

        Mean, and with return_std the standard deviation, in the user's units; noise adds the
        observation noise. With columns of several kinds a table of their own values, as `complete`
        fills them in, whose standard deviations include the noise. Source: Titsias & Lawrence
        (2010), §4.
        """
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
        """Draws of outputs y in the user's units, through draws of every layer.

        sample(n_samples): n × D, latent points drawn from the prior. sample(X, n_samples):
        n × N × D joint draws at the latent points X, certain or with variances of their own. With
        columns of several kinds the draws are of their own values.
        """
        drawn = super().sample(X, n_samples, random_state, X_variance=X_variance)
        return drawn if self.columns_ is None else self._decoded(drawn)

    def sample_completions(
        self, Y: Any, n_samples: int = 1, random_state: int | None = None
    ) -> Any:
        """Whole rows whose missing entries (NaN) are drawn, observed ones as given: S × N × D."""
        drawn = super().sample_completions(Y, n_samples, random_state)
        return drawn if self.columns_ is None else self._decoded(drawn)

    def alternatives(
        self, Y: Any, n_alternatives: int = 3
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Any]:
        """The explanations of ambiguous rows, best first: weights, latent means, completed rows.

        Weights of a row sum to 1; a row with fewer explanations has weight 0 and NaN in their
        place (None in a table of several kinds).
        """
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
        """Outputs at times after, between or before those of a trained sequence.

        Mean, and with return_std the standard deviation, noise included, in the user's units: the
        uncertainty of the path is carried through the mapping. sequence: its label, needed where
        there are several. With columns of several kinds a table of their own values, as `complete`
        fills them in; `class_probabilities_at` the points of `forecast_latent` has the
        probabilities. Source: Damianou (2015), §3.4.2.
        """
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
        """New sequences: a path drawn from the prior over time, then the outputs along it.

        Outputs are draws of the mapping without observation noise, S × n × D, but for columns of
        several kinds draws of their own values, noise included; return_latent adds the paths,
        S × n × Q.
        """
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
        """What is expected of rows from what is observed of them."""
        found = self._explained(outputs) if explained is None else explained
        parts = prediction.functions(self._network, found, DATA)
        return Expected(self._columns, self.posterior_, *parts)

    def _of_others(self, Y: Any, at: int) -> Expected:
        """What is expected of rows when nothing is known of a column."""
        outputs = self._outputs(Y, all_seen=False)
        outputs[:, self._columns.places[at]] = np.nan
        if np.isnan(outputs).all():
            # Nothing to infer from: the prior of the latent points.
            nowhere = np.zeros((len(outputs), self._n_features_out))
            return self._at(nowhere, nowhere + 1.0)
        return self._expected(outputs)

    def _at(self, X: ArrayLike, X_variance: ArrayLike | None) -> Expected:
        """What is expected at latent points."""
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
