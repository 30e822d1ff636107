"""The face of all latent variable models of one table, in scikit-learn's style."""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.likelihoods import TableColumns
from gplvm_core.models.answers.fitted import Fitted
from gplvm_core.models.answers.over_time import Paths, States
from gplvm_core.models.data.errors import checked_errors
from gplvm_core.models.data.fractions import Fractions
from gplvm_core.models.data.rows import checked_belief, checked_rows, refuse_unseen, take_names
from gplvm_core.models.data.scaling import Noise, Scaling
from gplvm_core.models.estimators import attributes, exported, in_time, with_density
from gplvm_core.models.estimators.attributes import framed
from gplvm_core.models.estimators.base import NOTHING, GPModel
from gplvm_core.models.estimators.second_stage import in_two_stages
from gplvm_core.models.estimators.settings import Scale, Seed
from gplvm_core.models.estimators.trained import Callback, Ended, fit_table
from gplvm_core.models.estimators.with_density import Method
from gplvm_core.models.estimators.with_handles import fit_to
from gplvm_core.models.estimators.with_known import (
    check_one_map,
    factors_of,
    fit_transform,
    of_rows,
)
from gplvm_core.models.problems.starts import Start
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Network
from gplvm_core.prediction.factors import with_factors, without_slopes
from gplvm_core.prediction.fills import FillMethod
from gplvm_core.prediction.paths import StepCallback
from gplvm_core.readers.frames import taken
from gplvm_core.statistics import Executor


@dataclass(eq=False, repr=False)
class LatentVariableModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GPModel):
    """Base class of the estimators of one table: its settings, and its methods.

    The methods translate between the user's tables and the answers of `fitted_`. An estimator adds
    the graph (`_problem`) and sets the fitted attributes (`_settle`).
    """

    n_components: Any = 10
    n_inducing: Any = 50
    _: KW_ONLY
    max_iter: int = 500
    n_restarts: int | Literal["auto"] = 1
    jitter: float = 1e-6
    random_state: Seed = None
    n_jobs: int | None = None
    scaling: Scale = "auto"
    noise: Noise | Literal["auto"] = "auto"
    kernel: Any = "rbf"
    init: str | ArrayLike = "pca"
    second_stage: Literal["auto", "off"] = "auto"

    _attributes: ClassVar[str] = (
        "bound_ notes_ result_ trace_ restarts_ more_inducing_ latent_mean_ latent_variance_ "
        "information_ relevance_ posterior_ n_features_in_ feature_names_in_"
    )
    # Whether the settings require one noise variance for all outputs.
    _one_noise = False
    # Defaults for models in files of earlier versions.
    data_weight_ = 1.0
    density_ = NOTHING

    n_iter_, n_effective_ = property(attributes.n_iter), property(attributes.n_effective)
    latent_scale_ = property(attributes.latent_scale)
    kernel_, inducing_ = property(attributes.kernel), property(attributes.inducing)
    center_, scale_ = property(attributes.center), property(attributes.scale)
    noise_variance_ = property(attributes.noise_variance)
    noise_std_ = property(attributes.noise_std)
    can_have_density = property(with_density.can_have_density)
    fit_density = with_density.fit_density
    completion_methods, fit_to = with_density.completion_methods, fit_to
    fit_transform = fit_transform
    to_xarray, to_arviz = exported.to_xarray, exported.to_arviz
    _belief = property(attributes.belief)
    _n_features_out = property(attributes.n_features_out)

    @in_two_stages
    def fit(
        self,
        Y: ArrayLike,
        y: Any = None,
        *,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callback | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the model.

        Parameters
        ----------
        Y : array_like of shape (N, D)
            Outputs; NaN marks missing values. Data frames of all libraries, sparse matrices, and
            arrays of PyTorch and CuPy are taken, too (docs/kinds.md).

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If Y is not suitable for training, or if times or sequences do not match its rows.
        """
        fit_table(self, Y, times, sequences, callback, resume)
        return self

    @property
    def fitted_(self) -> Fitted:
        """The trained graph with the columns of its data, and what was learnt after training."""
        columns, network = self._columns, self._network
        return Fitted(
            network,
            tables={} if columns is None else {DATA: columns},
            fractions={} if self._fractions is None else {DATA: self._fractions},
            over_time=self._over(network),
            density=self.density_,
            widths=getattr(self, "intervals_", None),
            encoder=getattr(self, "encoder_", None),
            factors=factors_of(self),
        )

    @property
    def _network(self) -> Network:
        """The trained graph; its first node has the latent points."""
        statistics, beliefs = getattr(self, "statistics_", None), [self._belief]
        chain = Network.chain([self.posterior_], beliefs, [statistics], weight=self.data_weight_)
        known = getattr(self, "known_", None)
        return chain if known is None else with_factors(chain, known.points)

    def _over(self, network: Network) -> Paths | States | None:
        """The training rows over time; None for independent rows."""
        kernel = getattr(self, "time_kernel_", None)
        if kernel is None:
            return None
        if getattr(self, "known_", None) is not None:
            network = without_slopes(network)
        return Paths(network, {0: (kernel, self.path_)}, self.times_, self.sequences_)

    @property
    def _columns(self) -> TableColumns | None:
        """The columns of a table with words or counts; None if all columns are numbers."""
        return getattr(self, "columns_", None)

    @property
    def _fractions(self) -> Fractions | None:
        """The fractions of the table; None if there are none."""
        return getattr(self, "fractions_", None)

    @of_rows
    def transform(
        self,
        Y: ArrayLike,
        *,
        errors: ArrayLike | None = None,
        return_std: bool = False,
        scaled: bool = False,
    ) -> Any:
        """Infer the latent points of new rows (Titsias & Lawrence 2010, §4).

        Each row is inferred separately from its observed values, jointly in all layers. The
        posterior of the training rows is in `latent_mean_` and `latent_variance_`. A model with an
        encoder encodes rows without gaps.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        scaled : bool, default False
            Whether to express every dimension in units of its lengthscale. Distances between latent
            points (nearest neighbours, clusters, classifiers) have a meaning only in these units.
            The training rows have the scaled points `latent_mean_ * latent_scale_`.
            `inverse_transform` needs unscaled points.

        Returns
        -------
        ndarray of shape (n, Q), or two of them
            The posterior means, and with return_std the standard deviations.
        """
        rows, fitted = self._asked(Y, errors)
        found = fitted.placed(rows).best
        return attributes.placed(self, found, scaled, return_std)

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Any:
        """Predict the outputs at latent points (Titsias & Lawrence 2010, §4).

        Means and variances are propagated from layer to layer.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Latent points.
        X_variance : array_like, optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or two of them
            The means, and with return_std the standard deviations, in the units of the outputs.
            Data frames if X is a data frame, or if pandas output is set.
        """
        values, std, _ = self.fitted_.at({0: self._points(X, X_variance)}, noise=noise)[DATA]
        shown = self._shown(X, values, std, of_rows=False)
        return shown if return_std else shown[0]

    def sample(
        self,
        X: ArrayLike | int | None = None,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Any:
        """Draw outputs; every layer's function is drawn from its posterior.

        Parameters
        ----------
        X : array_like of shape (N, Q), int or None, default None
            Latent points. If X is None or a number of rows, latent points are drawn from the prior.
        n_samples : int, default 1
            Without X, the number of rows; with X, the number of joint draws at X.
        X_variance : array_like, optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        ndarray of shape (n_samples, D), or with X (n_samples, N, D)
            Draws in the units of the outputs.
        """
        check_is_fitted(self)
        X = taken(X)
        if X is None or np.ndim(X) == 0:
            count = n_samples if X is None else int(np.asarray(X))
            return self._decoded(self.fitted_.drawn_rows(count, random_state)[DATA])
        check_one_map(self, "sample")
        given = {0: self._points(X, X_variance)}
        drawn = prediction.draw_jointly(self._network, given, n_samples, random_state)
        return self._decoded(drawn[DATA])

    @of_rows
    def complete(
        self,
        Y: ArrayLike,
        *,
        errors: ArrayLike | None = None,
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

        If several latent points explain a row, the prediction is a mixture of their predictions.
        With times, the rows are one sequence and are inferred jointly; such rows may have no
        observed value at all. Without times, every row is inferred separately. After `calibrate`
        the standard deviations of a new sequence are calibrated, if coupled=True.
        `comparison.fill_sequence` also tries the simple rule that forecasts a series for rows
        without any value. Sources: Titsias & Lawrence (2010), §4; Damianou (2015), §3.4.1.

        Parameters
        ----------
        Y : array_like or DataFrame of shape (n, D)
            Rows; NaN or None marks missing values.
        times : array_like of shape (n,) or (n, P), optional
            The times of the rows, for a model over time.
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
        return_std : bool, default False
            Whether to return standard deviations, too; words have the standard deviation NaN.
        return_cov : bool, default False
            Whether to return covariances, too, always from the map; only for numbers, without times
            and return_std.
        return_latent : bool, default False
            Whether to return the latent path and its standard deviations, too; only with times.
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
        rows, fitted = self._asked(Y, errors, all_seen=times is None)
        if fitted.has_errors and times is not None:
            raise ValueError("rows in time take no known errors: leave out times or errors")
        self._check_asked(return_std, return_cov, return_probability, method)
        latent: tuple[Array, ...] = ()
        if times is None:
            if callback is not None or sequence is not None or adapt or return_latent:
                raise ValueError(
                    "sequence, adapt, callback and return_latent need rows in time: give times, too"
                )
            if return_cov:
                return self._with_covariance(Y, rows, fitted)
            if return_std and self._columns is None:
                with_density.warn_by_map(self, rows, method)
            values, std, sure = with_density.filled(fitted, rows, method)[DATA]
        else:
            if method == "density":
                raise ValueError("rows in time are filled by the map: leave out method or times")
            if return_cov:
                raise ValueError("return_cov is only for independent rows: leave out times")
            known = (rows[DATA], times, sequence, coupled, adapt, callback)
            (values, std, sure), path = in_time.filled(self, *known, shown=return_std)
            latent = (path.mean, np.sqrt(path.variance)) if return_latent else ()
        table = self._shown(Y, values, std, filled=True)
        found = (*table[: 1 + return_std], *(sure,) * return_probability, *latent)
        return found if len(found) > 1 else found[0]

    @of_rows
    def sample_completions(
        self,
        Y: ArrayLike,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        errors: ArrayLike | None = None,
    ) -> Any:
        """Fill in missing values with random draws.

        Each row is drawn by the method that `complete` uses for it.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        n_samples : int, default 1
            The number of draws S of each row.

        Returns
        -------
        ndarray of shape (S, n, D)
            The rows with observed values unchanged.
        """
        rows, fitted = self._asked(Y, errors)
        generator = np.random.default_rng(random_state)
        drawn = with_density.drawn(fitted, rows, n_samples, generator)[DATA]
        return self._kept(Y, self._decoded(drawn))

    @of_rows
    def alternatives(
        self, Y: ArrayLike, n_alternatives: int = 3, *, errors: ArrayLike | None = None
    ) -> tuple[Float[Array, "N K"], Float[Array, "N K Q"], Any]:
        """Return several explanations of ambiguous rows, the best first.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        n_alternatives : int, default 3
            The largest number of explanations K.

        Returns
        -------
        weights : ndarray of shape (n, K)
            The weights of the explanations. The weights of a row sum to 1; a weight of 0 means that
            the row has fewer explanations.
        points : ndarray of shape (n, K, Q)
            The latent means; NaN where a row has fewer explanations.
        rows : ndarray of shape (n, K, D)
            The completed rows; NaN where a row has fewer explanations.
        """
        if n_alternatives < 1:
            raise ValueError(f"n_alternatives must be at least 1; got {n_alternatives}")
        rows, fitted = self._asked(Y, errors)
        explained = fitted.for_filling(rows)
        weights, nodes, whole = prediction.alternatives(
            fitted.network, rows, explained, n_alternatives
        )
        if fitted.tables:
            values, _ = fitted.expected(rows, explained).alternatives(rows[DATA])
            return weights, nodes[0], values[:, : weights.shape[1]]
        found = whole[DATA]
        if self._fractions is not None:
            found = self._kept(Y, fitted.decoded(DATA, found).swapaxes(0, 1)).swapaxes(0, 1)
        return weights, nodes[0], found

    @of_rows
    def denoise(
        self, Y: ArrayLike, *, errors: ArrayLike | None = None, return_std: bool = False
    ) -> Any:
        """Reconstruct all values of rows, observed and missing, without noise.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or two of them
            The means, and with return_std the standard deviations. Data frames if Y is a data
            frame, or if pandas output is set.
        """
        rows, fitted = self._asked(Y, errors)
        if fitted.tables:
            values, std = fitted.expected(rows).values()
        else:
            values, variance = fitted.reconstructed(rows, noise=False)[DATA]
            std = np.sqrt(variance)
        shown = self._shown(Y, values, std)
        return shown if return_std else shown[0]

    @of_rows
    def score_samples(
        self,
        Y: ArrayLike,
        n_samples: int | None = None,
        random_state: int | None = 0,
        *,
        method: Method | None = None,
        errors: ArrayLike | None = None,
    ) -> Float[Array, " N"]:
        """Return log p(observed entries | training data) of each row, approximately.

        By default this is the exact density that the second stage of `fit` derived from the map,
        or without it, the difference between the bounds with and without the row. Both are lower
        bounds; their difference is not a bound (Damianou 2015, §3.4). For a table of several
        kinds, the method always draws importance samples (by default 200) and integrates over the
        functions by quadrature. The value is then the log density of the numbers plus the log
        probability of the other entries. Unlike a density, this probability does not depend on the
        units of the data.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        n_samples : int or None, default None
            None, or the number of importance samples of the row's latent points in all layers.
            The sampled estimate is too low on average; the bias shrinks as the number grows.
        random_state : int or None, default 0
            The seed of the samples.
        method : {"bound", "sampling", "density"}, optional
            "bound": the difference of bounds. "sampling": importance samples, by default 1000.
            With a density, "sampling" replaces the prior N(0, I) of the latent points by the
            density of the training points. "density": the exact density. The methods estimate
            different quantities: do not compare their values. Default: "density" if the model has
            one, otherwise "bound"; with n_samples, samples with the prior N(0, I).

        Returns
        -------
        ndarray of shape (n,)
            Log densities in nats.
        """
        rows, fitted = self._asked(Y, errors)
        return with_density.scored(fitted, rows, method, n_samples, random_state)

    def score(self, Y: ArrayLike, y: Any = None) -> float:
        """Return the mean log density of rows, in nats per row.

        Parameters
        ----------
        Y : array_like of shape (n, D)
            Rows; NaN marks missing values.
        y : ignored
            Not used; scikit-learn expects this argument.

        Returns
        -------
        float
            The mean of `score_samples`.
        """
        return float(np.mean(self.score_samples(Y)))

    def _with_covariance(
        self, Y: ArrayLike, rows: Mapping[str, Array], fitted: Fitted
    ) -> tuple[Any, Array]:
        """Filled rows, and the covariances of their values."""
        found = fitted.reconstructed_jointly(rows)
        whole, covariance = prediction.complete(rows[DATA], *found)
        return framed(self, Y, whole), covariance

    def _check_asked(
        self, return_std: bool, return_cov: bool, return_probability: bool, method: Any
    ) -> None:
        """Raise ValueError for results that this table does not have."""
        if self._columns is None:
            if return_probability:
                raise ValueError(
                    "all columns are numbers, which have no probability: use return_std instead"
                )
        elif method == "density":
            raise ValueError("columns of several kinds are filled by the map: leave out method")
        if return_cov and (self._columns or self._fractions):
            raise ValueError(
                "fractions and columns of several kinds have no covariance: leave out return_cov"
            )
        if return_std and return_cov:
            raise ValueError(
                "return_std and return_cov cannot be combined: use return_cov; the variances are "
                "its diagonal"
            )
        if return_cov and method == "density":
            raise ValueError(
                "covariances always come from the map: leave out method='density' or return_cov"
            )

    def _shown(
        self,
        given: Any,
        values: Any,
        std: Array,
        *,
        of_rows: bool = True,
        filled: bool = False,
    ) -> tuple[Any, Any]:
        """Values and standard deviations, as data frames if `given` is a data frame.

        of_rows: whether `given` has the columns of the table; otherwise these are latent points.
        filled: whether values that `given` has do not change.
        """
        columns, parts = self._columns, self._fractions
        if parts is not None:
            values, std = parts.moments(values, std)
            if filled:
                values, std = parts.kept(checked_rows(self, given, reset=False), values, std)
        if columns is not None:
            return framed(self, given, values, columns.names, trained=columns.frame), std
        names = getattr(self, "feature_names_in_", None)
        if names is None and not of_rows:
            names = [f"x{number}" for number in range(values.shape[1])]
        return framed(self, given, values, names), framed(self, given, std, names)

    def _decoded(self, drawn: Array) -> Any:
        """Draws in the values of the columns, a single draw of words as a data frame."""
        values, columns = self.fitted_.decoded(DATA, drawn), self._columns
        if columns is None or drawn.ndim > 2:
            return values
        return framed(self, None, values, columns.names, trained=columns.frame)

    def _kept(self, Y: Any, drawn: Any) -> Any:
        """Draws of rows; missing fractions share what the observed ones leave."""
        if self._fractions is None:
            return drawn
        given = checked_rows(self, Y, reset=False)
        return self._fractions.kept(given, drawn, np.zeros_like(drawn))[0]

    def _rows(self, Y: Any, *, all_seen: bool = True) -> dict[str, Array]:
        """Check new rows; DataError if all values of a row are missing, unless this is allowed."""
        check_is_fitted(self)
        columns = self._columns
        if columns is None:
            outputs = checked_rows(self, Y, reset=False)
        else:
            take_names(self, Y, reset=False)
            outputs = columns.encoded(Y)
        if self._fractions is not None:
            outputs = self._fractions.encoded(outputs)
        if all_seen:
            seen = np.asarray(~np.isnan(outputs).all(axis=1))
            refuse_unseen(seen, fractions=self._fractions is not None)
        return {DATA: outputs}

    def _asked(
        self, Y: Any, errors: Any, *, all_seen: bool = True
    ) -> tuple[dict[str, Array], Fitted]:
        """Check new rows with their known errors; return the rows, and what answers about them."""
        if errors is not None and self._fractions is not None:
            raise ValueError("fractions have no known errors of cells: leave errors out")
        rows, columns = self._rows(Y, all_seen=all_seen), self._columns
        names = getattr(self, "feature_names_in_", ()) if columns is None else columns.names
        known = checked_errors(errors, rows[DATA], list(names), columns)
        return rows, self.fitted_.with_errors(None if known is None else {DATA: known})

    def _points(self, X: ArrayLike, X_variance: ArrayLike | None = None) -> Belief:
        """Check latent points and their variances; without variances, the points are exact."""
        check_is_fitted(self)
        return checked_belief(X, X_variance, self.latent_mean_.shape[1])

    def _begin(self, targets: Float[Array, "N D"]) -> Any:
        """The function from a seed to the start of training."""
        count = len(targets) if self.n_inducing is None else self.n_inducing
        return Start((targets,), self.n_components, count, (self.kernel,), self.init)

    def _problem(self, begin: Any, executor: Executor, further: int) -> Any:
        """The training problem: a graph, or another problem with notes on its start."""
        raise NotImplementedError

    def _settle(
        self, ended: Ended, targets: Float[Array, "N D"], scaling: Scaling, offset: float
    ) -> tuple[str, ...]:
        """Set the fitted attributes; return notes. offset: added to the bound, in nats."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
