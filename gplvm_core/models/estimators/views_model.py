"""The face of all models of several views on a shared latent space."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.answers.fitted import Fitted
from gplvm_core.models.answers.over_time import Paths
from gplvm_core.models.data.kinds import Parts, Tables, encoded_tables
from gplvm_core.models.data.rows import (
    as_floats,
    checked_belief,
    checked_dimensions,
    checked_points,
    finite_rows,
)
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.data.views import Views, given_views, named_views
from gplvm_core.models.estimators import (
    attributes,
    exported,
    in_time,
    views_transfer,
    with_density,
    with_intervals,
    with_known,
)
from gplvm_core.models.estimators.attributes import framed, names_of
from gplvm_core.models.estimators.base import NOTHING, Capabilities, GPModel
from gplvm_core.models.estimators.second_stage import in_two_stages
from gplvm_core.models.estimators.settings import Scale, Seed
from gplvm_core.models.estimators.trained import Callback, Ended, whole
from gplvm_core.models.estimators.trained_views import fit_views
from gplvm_core.models.estimators.with_density import Method
from gplvm_core.models.estimators.with_handles import fit_to
from gplvm_core.models.estimators.with_known import factors_of, of_rows, take_known
from gplvm_core.models.problems.graph import Learnt
from gplvm_core.models.training.run import Run
from gplvm_core.numerics import Array
from gplvm_core.prediction import Network
from gplvm_core.prediction.factors import with_factors
from gplvm_core.prediction.fills import FillMethod
from gplvm_core.prediction.generate import interpolate, vary
from gplvm_core.statistics import Executor

VIEWS: Any = {"views": UNUSED}
OF_TRAINING = ("rows_", "notes_", "result_", "trace_", "restarts_")


@dataclass(eq=False, repr=False)
class ViewsModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, GPModel):
    """Base class of the estimators of several views: their settings, and their methods.

    Arguments with views are dicts of arrays in the user's units, with one or several of the trained
    views by name and NaN for missing values. `_shared_node` is the node of the shared points.

    Attributes
    ----------
    views_ : tuple of str
        The names of the views.
    rows_ : TrainingRows
        The rows of the model. `count`: the number of rows. `trained`: the rows that training used
        (None: all rows).
    bounds_ : dict of str to float
        The contribution of each view to `bound_`, in nats.
    columns_ : dict of str to tuple of str
        The column names of each view of numbers that was passed as a data frame.
    kinds_ : dict of str to TableColumns
        The columns, kinds and words of the views with columns of several kinds.
    fractions_ : dict of str to Fractions
        The columns and the sum of the views with fractions.
    posteriors_ : dict of str to Posterior
        The layer of each view: kernel, inducing inputs, q(u), noise and units.
    statistics_ : dict of str to Statistics
        The sums over the rows that determine q(u) of each view of numbers.
    view_weights_ : dict of str to float
        How much each view counts when latent points are inferred. None in deep models, where all
        views count 1.
    relevance_ : dict of str to ndarray of shape (Q,)
        The ARD weights of the latent dimensions for each view, inverse squared lengthscales.
    latent_scale_ : ndarray of shape (Q,)
        The square roots of the sums of the relevances over the views. Latent points times these
        factors are in units of the lengthscales, so that distances between them have a meaning.
    seen_ : dict of str to ndarray of bool, shape (N,)
        For each view, whether a training row has an observed value in this view.
    drops_ : dict of str to ndarray of shape (Q,)
        For each view and latent dimension, the fall of the view's bound F_v without this dimension,
        in nats per row.
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
    noise: Any = "auto"
    kernel: Any = "rbf"
    init: str | ArrayLike = "pca"
    second_stage: Literal["auto", "off"] = "auto"

    # scikit-learn takes all arguments except X, Y and y for metadata.
    __metadata_request__fit = __metadata_request__transform = VIEWS
    __metadata_request__score = VIEWS
    _can = Capabilities(views=True)
    _attributes: ClassVar[str] = (
        "bound_ notes_ result_ trace_ restarts_ more_inducing_ latent_mean_ latent_variance_ "
        "information_"
    )
    # The node of the graph whose points all views share.
    _shared_node = 0
    # Whether the settings require one noise variance for all columns of a view.
    _one_noise = False
    # Defaults for models in files of earlier versions.
    columns_ = kinds_ = fractions_ = view_weights_ = density_ = intervals_ = NOTHING
    known_ = given_ = NOTHING
    times_ = sequences_ = path_ = time_kernel_ = NOTHING

    n_iter_, n_effective_ = property(attributes.n_iter), property(attributes.n_effective)
    latent_scale_ = property(attributes.latent_scale)
    can_have_density = property(with_density.can_have_density)
    fit_density = with_density.fit_density
    completion_methods, fit_to = with_density.completion_methods, fit_to
    to_xarray, to_arviz = exported.to_xarray, exported.to_arviz
    given, unseen = with_known.given, with_known.unseen
    fit_transform = with_known.fit_transform
    calibrate, can_calibrate = with_intervals.calibrate, property(with_intervals.can_calibrate)
    forecast_latent, transfer = in_time.forecast_latent, views_transfer.transfer
    segmentation, correspondences = views_transfer.segmentation, views_transfer.correspondences
    segmentation_by_weight = views_transfer.segmentation_by_weight
    count_parts = views_transfer.count_parts
    can_count_parts = property(views_transfer.can_count_parts)
    agreement, _try = views_transfer.agreement, views_transfer.try_transfers
    _belief = property(attributes.belief)
    _n_features_out = property(attributes.n_features_out)

    @in_two_stages
    @whole
    def fit(
        self,
        views: Mapping[str, ArrayLike],
        y: Any = None,
        *,
        known: Any = None,
        times: ArrayLike | None = None,
        sequences: ArrayLike | None = None,
        callback: Callback | None = None,
        resume: Run | None = None,
    ) -> Self:
        """Train the model.

        Parameters
        ----------
        views : dict of str to array_like or DataFrame of shape (N, D_v)
            Views of the same N rows by name; NaN marks missing values. Views with words or counts
            need `kinds`.
        known : array_like or DataFrame of shape (N,) or (N, C), optional
            Known factors, such as batches, that the map leaves out. Not in deep models.
        resume : Run, optional
            A `progress.run` to continue, with the same views in the same order and the same
            settings; max_iter may be larger.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If a setting is out of range.
        DataError
            If the views differ in the number of rows, or if all columns of a view are constant.
        """
        take_known(self, views, known)
        fit_views(self, views, times, sequences, callback, resume)
        return self

    @property
    def fitted_(self) -> Fitted:
        """The trained graph with the columns of its data, and what was learnt after training."""
        network = self._network
        return Fitted(
            network,
            self._shared_node,
            tables=self._tables,
            fractions=self._fractions,
            over_time=self._over(network),
            density=self.density_,
            widths=self.intervals_,
            factors=factors_of(self),
        )

    @property
    def _network(self) -> Network:
        weights, known = self.view_weights_, self.known_
        star = Network.star(self.posteriors_, self._belief, self.statistics_, weights)
        return star if known is None else with_factors(star, known.points)

    def _over(self, network: Network) -> Paths | None:
        """The training rows over time; None for independent rows."""
        if self.time_kernel_ is None:
            return None
        nodes = {0: (self.time_kernel_, self.path_)}
        return Paths(network, nodes, self.times_, self.sequences_)

    @property
    def _tables(self) -> Tables:
        """The columns of the views with columns of several kinds."""
        return self.kinds_ or {}

    @property
    def _fractions(self) -> Parts:
        """The fractions of the views that have any."""
        return self.fractions_ or {}

    @of_rows
    def transform(
        self,
        views: Mapping[str, ArrayLike],
        *,
        return_std: bool = False,
        scaled: bool = False,
    ) -> Any:
        """Infer the latent points of new rows from one or several views (Damianou 2015, §5.2.4).

        Each row is inferred separately, with the prior x ~ N(0, I). In dimensions that none of the
        given views uses, the posterior is this prior.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        scaled : bool, default False
            Whether to multiply points by `latent_scale_`, so that distances have a meaning.

        Returns
        -------
        ndarray of shape (n, Q), or two of them
            The posterior means, and with return_std the standard deviations.
        """
        found = self.fitted_.placed(self._rows(views)).best
        return attributes.placed(self, found, scaled, return_std)

    def inverse_transform(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = False,
        return_std: bool = False,
    ) -> Any:
        """Predict all views at latent points.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Latent points.
        X_variance : array_like of shape (n, Q), optional
            Variances of the latent points; None for exact points.

        Returns
        -------
        dict of str to ndarray or DataFrame of shape (n, D_v), or two of them
            The means by view, and with return_std the standard deviations. Data frames if X is a
            data frame, or if pandas output is set.
        """
        fitted = self.fitted_
        at = checked_belief(X, X_variance, self.latent_mean_.shape[1])
        found = fitted.at({fitted.node: at}, noise=noise)
        shown = {name: self._shown(name, X, *own[:2], of_rows=False) for name, own in found.items()}
        means = {name: mean for name, (mean, _) in shown.items()}
        return (means, {name: std for name, (_, std) in shown.items()}) if return_std else means

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> dict[str, Any]:
        """Draw rows of all views jointly from the prior.

        Parameters
        ----------
        n_samples : int, default 1
            The number of rows.

        Returns
        -------
        dict of str to ndarray of shape (n_samples, D_v)
            The draws by view, with noise.
        """
        fitted = self.fitted_
        drawn = fitted.drawn_rows(n_samples, random_state)
        values = {name: fitted.decoded(name, rows) for name, rows in drawn.items()}
        return values | {name: self._as_table(name, None, values[name]) for name in self._tables}

    def vary(
        self,
        X: ArrayLike,
        dimensions: ArrayLike,
        n_samples: int = 1,
        random_state: int | None = None,
    ) -> Float[Array, "S N Q"]:
        """Redraw some dimensions of latent points.

        The dimensions are drawn jointly from the average of the training points' posteriors, so
        that dependent dimensions remain consistent. Redrawing the private dimensions of a view
        changes only that view.

        Parameters
        ----------
        X : array_like of shape (N, Q)
            Latent points.
        dimensions : array_like of int
            The dimensions to redraw.
        n_samples : int, default 1
            The number of draws S.

        Returns
        -------
        ndarray of shape (S, N, Q)
            Latent points with all other dimensions unchanged.
        """
        points = self._points(X)
        chosen = checked_dimensions(dimensions, points.shape[1])
        return vary(points, chosen, self._belief, n_samples, random_state)

    def interpolate(
        self, start: ArrayLike, end: ArrayLike, dimensions: ArrayLike, steps: int = 10
    ) -> Float[Array, "S Q"]:
        """Return a straight latent path between two points that changes only some dimensions.

        Parameters
        ----------
        start, end : array_like of shape (Q,)
            Latent points.
        dimensions : array_like of int
            The dimensions that move from `start` to `end`; all others have the values of `start`.
        steps : int, default 10
            The number of points S.

        Returns
        -------
        ndarray of shape (S, Q)
            The path.
        """
        points = self._points(np.stack([as_floats(each, "start and end") for each in (start, end)]))
        chosen = checked_dimensions(dimensions, points.shape[1])
        return interpolate(points[0], points[1], chosen, steps)

    @of_rows
    def complete(
        self,
        views: Mapping[str, ArrayLike],
        *,
        return_std: bool = False,
        return_probability: bool = False,
        method: FillMethod | None = None,
    ) -> Any:
        """Fill in the missing values of the given views: numbers with their predictive means,
        counts with their medians, words with the most probable word.

        The observed values of all given views are used for every view.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        return_std : bool, default False
            Whether to return standard deviations, too; words have the standard deviation NaN.
        return_probability : bool, default False
            Whether to return the probability of each filled word and count, too. It is 1 for an
            observed word or count, and NaN for a number. Only for the views with columns of several
            kinds.

        Returns
        -------
        dict of str to ndarray or DataFrame of shape (n, D_v), or a tuple of them
            The filled views; observed values do not change. The other results that were requested
            follow: standard deviations with noise (0 for observed values), then probabilities. A
            view is a data frame if the given view is a data frame, or if pandas output is set.
        """
        if return_probability and not self._tables:
            raise ValueError(
                "all columns are numbers, which have no probability: use return_std instead"
            )
        fitted, views = self.fitted_, named_views(views)
        rows = self._rows(views)
        if return_std:
            with_density.warn_by_map(self, fitted.numbers(rows), method)
        found = with_density.filled(fitted, rows, method)
        shown = {name: self._shown(name, views[name], *own[:2]) for name, own in found.items()}
        means = {name: mean for name, (mean, _) in shown.items()}
        deviations = {name: std for name, (_, std) in shown.items()}
        sure = {name: found[name][2] for name in rows if name in self._tables}
        results = (means, *(deviations,) * return_std, *(sure,) * return_probability)
        return results if len(results) > 1 else means

    @of_rows
    def score_samples(
        self,
        views: Mapping[str, ArrayLike],
        n_samples: int | None = None,
        random_state: int | None = 0,
        *,
        method: Method | None = None,
    ) -> Float[Array, " N"]:
        """Return log p(observed values of a row in these views | training data), approximately.

        By default this is the exact density that the second stage of `fit` derived from the map,
        or without it, the difference between the bounds with and without the row; the difference
        is not a bound. For views with columns of several kinds, the method always draws
        importance samples (by default 200). The value is then the log density of the numbers plus
        the log probability of the other entries.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        n_samples : int or None, default None
            None, or the number of importance samples. The sampled estimate is too low on average;
            the bias shrinks as the number grows.
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
        rows = self._rows(views)
        return with_density.scored(self.fitted_, rows, method, n_samples, random_state)

    def score(self, views: Mapping[str, ArrayLike], y: Any = None) -> float:
        """Return the mean log density of rows, in nats per row.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        y : ignored
            Not used; scikit-learn expects this argument.

        Returns
        -------
        float
            The mean of `score_samples`.
        """
        return float(np.mean(self.score_samples(views)))

    def _rows(self, views: Mapping[str, ArrayLike], *, all_seen: bool = True) -> Views:
        """Check new rows of some views; all values of a row may be missing if this is allowed."""
        self._check_fitted()
        widths = {name: posterior.n_outputs for name, posterior in self.posteriors_.items()}
        given = encoded_tables(named_views(views), self._tables, self._fractions)
        return given_views(given, widths, empty_rows=not all_seen)

    def _to_calibrate(self, views: Mapping[str, ArrayLike]) -> Views:
        return self._rows(views, all_seen=False)

    def _shown(
        self, name: str, given: Any, values: Any, std: Array, *, of_rows: bool = True
    ) -> tuple[Any, Any]:
        """Values of a view and standard deviations, as data frames if `given` is a data frame."""
        if name in self._tables:
            return self._as_table(name, given, values), std
        if name in self._fractions:
            values, std = self._fractions[name].moments(values, std)
            if of_rows:
                values, std = self._fractions[name].kept(
                    finite_rows(given, "fractions"), values, std
                )
        # Rows of a view have the names of its columns; latent points have not.
        own = of_rows and names_of(given)
        columns = None if own else self._columns_of(name, values.shape[1])
        return framed(self, given, values, columns), framed(self, given, std, columns)

    def _as_table(self, name: str, given: Any, values: Any) -> Any:
        """Values of a view of several kinds as a data frame like `given`, or like its training."""
        columns = self._tables[name]
        return framed(self, given, values, columns.names, trained=columns.frame)

    def _points(self, X: ArrayLike) -> Array:
        self._check_fitted()
        return checked_points(X, self.latent_mean_.shape[1])

    def _columns_of(self, name: str, width: int) -> Sequence[str]:
        """The column names of the view in training; without names, "x0", "x1", …."""
        known = (self.columns_ or {}).get(name)
        return known or [f"x{number}" for number in range(width)]

    def _problem(self, internal: Views, executor: Executor) -> Any:
        """The training problem."""
        raise NotImplementedError

    def _examined(
        self, ended: Ended, learnt: Learnt, scalings: Mapping[str, Scaling]
    ) -> tuple[str, ...]:
        """Set the fitted attributes of deep models; return notes."""
        return ()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.dict = True
        tags.input_tags.two_d_array = False
        return tags

    def _check_fitted(self) -> None:
        check_is_fitted(self, "posteriors_")


def take_shared(model: Any, views: ViewsModel) -> None:
    """Set what the model of one view has from the model of all views."""
    for name in (*("times_", "sequences_", "path_", "time_kernel_"), *OF_TRAINING):
        setattr(model, name, getattr(views, name))
    model.encoder_, model.n_features_in_ = None, model.posterior_.n_outputs
