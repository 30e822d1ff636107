"""The face of all regressions, of one or several layers: predictions, draws, densities."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from gplvm_core import prediction
from gplvm_core.beliefs import Belief
from gplvm_core.models.answers.fitted import Fitted
from gplvm_core.models.data.inputs import Inputs, input_scaling, internal_variance, new_inputs
from gplvm_core.models.data.rows import (
    as_floats,
    checked_levels,
    checked_outputs,
    checked_rows,
    take_names,
)
from gplvm_core.models.data.scaling import Noise, Scaling, units_for
from gplvm_core.models.estimators import attributes
from gplvm_core.models.estimators.base import NOTHING, Capabilities, GPModel
from gplvm_core.models.estimators.settings import Scale, Seed
from gplvm_core.numerics import Array
from gplvm_core.prediction import DATA, Network
from gplvm_core.readers import DataError
from gplvm_core.readers.column_task import InputColumns
from gplvm_core.readers.errors import listed
from gplvm_core.readers.frames import frame_of


@dataclass(eq=False, repr=False)
class RegressionModel(RegressorMixin, GPModel):
    """The face of regressions of one or several layers: their settings and predictions.

    Attributes
    ----------
    one_output_ : bool
        Whether Y was a vector; predictions then are vectors, too.
    input_center_ : ndarray of shape (Q,)
        The means of the columns of the inputs.
    input_scale_ : ndarray of shape (Q,)
        The standard deviations of the columns of the inputs, which are the internal units.
    n_features_in_ : int
        The number of inputs Q.
    feature_names_in_ : ndarray of str, shape (Q,)
        The column names of the inputs; only defined for a data frame with text names.
    input_columns_ : InputColumns or None
        The columns of the inputs with their kinds and words, and the `names` of the columns that
        the kernel sees; None if all are numbers. Arrays of shape (…, Q) then have an entry for
        each of these names.
    """

    _: KW_ONLY
    max_iter: int = 500
    n_restarts: int = 1
    jitter: float = 1e-6
    random_state: Seed = None
    n_jobs: int | None = None
    scaling: Scale = "columns"
    noise: Noise = "shared"
    kinds: str | Sequence[Any] | Mapping[Any, Any] | None = None

    _can = Capabilities(predicts=True)
    _attributes: ClassVar[str] = "bound_ notes_ result_ trace_ restarts_ posterior_"
    input_columns_ = NOTHING  # of models in files of older versions
    kernel_, inducing_ = property(attributes.kernel), property(attributes.inducing)
    center_, scale_ = property(attributes.center), property(attributes.scale)
    noise_variance_ = property(attributes.noise_variance)
    noise_std_ = property(attributes.noise_std)
    n_iter_ = property(attributes.n_iter)

    def predict(
        self,
        X: ArrayLike,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = True,
        return_std: bool = False,
    ) -> Any:
        """Predict the outputs at new inputs.

        The first two moments are propagated from layer to layer (Girard et al. 2003; Titsias &
        Lawrence 2010, §4). At uncertain inputs, outputs are not Gaussian. The moments are exact for
        one hidden layer at exact inputs.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Inputs; NaN marks missing values, where `fit` accepts them.
        X_variance : float or array_like of shape (Q,) or (n, Q), optional
            The variances of the inputs in squared units of X; None for exact inputs.
        noise : bool, default True
            Whether standard deviations include the observation noise: True for the outputs of new
            rows, False for the function alone.
        return_std : bool, default False
            Whether to return standard deviations, too.

        Returns
        -------
        ndarray of shape (n,) or (n, D), or two of them
            The means, and with return_std the standard deviations, shaped like Y.
        """
        given = {0: self._inputs(X, X_variance)}
        mean, variance = prediction.moments(self._network, given, noise=noise)[DATA]
        if self.one_output_:
            mean, variance = mean[:, 0], variance[:, 0]
        return (mean, np.sqrt(variance)) if return_std else mean

    def sample(
        self,
        X: ArrayLike,
        n_samples: int = 1,
        random_state: int | None = None,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = True,
    ) -> Float[Array, "..."]:
        """Draw the outputs at all inputs jointly.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Inputs; NaN marks missing values, where `fit` accepts them.
        n_samples : int, default 1
            The number of draws S.
        random_state : int or None, default None
            The seed of the draws.
        X_variance : float or array_like of shape (Q,) or (n, Q), optional
            The variances of the inputs in squared units of X; None for exact inputs.
        noise : bool, default True
            Whether to add observation noise. The noise of hidden layers is always included.

        Returns
        -------
        ndarray of shape (S, n) or (S, n, D)
            The draws.
        """
        given = {0: self._inputs(X, X_variance)}
        draws = prediction.draw_jointly(self._network, given, n_samples, random_state, noise=noise)[
            DATA
        ]
        return draws[:, :, 0] if self.one_output_ else draws

    def predict_quantiles(
        self,
        X: ArrayLike,
        quantiles: ArrayLike = (0.05, 0.5, 0.95),
        n_samples: int = 200,
        random_state: int | None = 0,
        *,
        X_variance: ArrayLike | None = None,
        noise: bool = True,
    ) -> Float[Array, "..."]:
        """Predict quantiles of the outputs at new inputs.

        The quantiles come from draws of the hidden layers, so they show skewed and two-peaked
        distributions; `predict` returns only means and standard deviations.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Inputs; NaN marks missing values, where `fit` accepts them.
        quantiles : array_like of shape (K,), default (0.05, 0.5, 0.95)
            The probabilities, between 0 and 1.
        n_samples : int, default 200
            The number of draws of the hidden layers.
        random_state : int or None, default 0
            The seed of the draws.
        X_variance : float or array_like of shape (Q,) or (n, Q), optional
            The variances of the inputs in squared units of X; None for exact inputs.
        noise : bool, default True
            Whether to include observation noise. The noise of hidden layers is always included.

        Returns
        -------
        ndarray of shape (K, n) or (K, n, D)
            The quantiles.
        """
        levels = checked_levels(quantiles)
        found = prediction.quantiles(
            self._network,
            {0: self._inputs(X, X_variance)},
            levels,
            n_samples,
            random_state,
            noise=noise,
        )[DATA]
        return found[:, :, 0] if self.one_output_ else found

    def score_samples(
        self,
        X: ArrayLike,
        Y: ArrayLike | None = None,
        n_samples: int = 200,
        random_state: int | None = 0,
        *,
        X_variance: ArrayLike | None = None,
    ) -> Float[Array, " N"]:
        """Return log p(observed outputs | inputs, training data) of each row.

        The density is averaged over draws of the hidden layers and of uncertain inputs. It is exact
        without hidden layers and uncertain inputs.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Inputs; NaN marks missing values, where `fit` accepts them.
        Y : array_like of shape (n,) or (n, D)
            Outputs; NaN marks missing values.
        n_samples : int, default 200
            The number of draws.
        random_state : int or None, default 0
            The seed of the draws.
        X_variance : float or array_like of shape (Q,) or (n, Q), optional
            The variances of the inputs in squared units of X; None for exact inputs.

        Returns
        -------
        ndarray of shape (n,)
            Log densities in nats.

        Raises
        ------
        ValueError
            If Y is left out, or has another number of columns than in training.
        """
        given, name = self._inputs(X, X_variance), type(self).__name__
        if Y is None:
            raise ValueError(
                f"{name} computes the density of outputs given inputs: call score_samples(X, Y) "
                "with the outputs of the rows"
            )
        outputs, _ = checked_outputs(Y, given.mean, name)
        if outputs.shape[1] != self.posterior_.n_outputs:
            raise ValueError(
                f"Y has {outputs.shape[1]} outputs; the model was fitted to "
                f"{self.posterior_.n_outputs} outputs"
            )
        return prediction.log_density_below(
            self._network, {0: given}, {DATA: outputs}, n_samples, random_state
        )

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the coefficient of determination R² of the predictions.

        Parameters
        ----------
        X : array_like of shape (n, Q)
            Inputs; NaN marks missing values, where `fit` accepts them.
        y : array_like of shape (n,) or (n, D)
            Outputs without gaps.
        sample_weight : array_like of shape (n,), optional
            The weights of the rows.

        Returns
        -------
        float
            1 for exact predictions, 0 for those of the mean.
        """
        weights = None if sample_weight is None else as_floats(sample_weight, "sample_weight")
        return float(super().score(X, as_floats(y, "y"), weights))

    @property
    def fitted_(self) -> Fitted:
        """The trained graph."""
        return Fitted(self._network)

    @property
    def _network(self) -> Network:
        return Network.chain((self.posterior_,), known=(0,))

    def _given(
        self,
        X: ArrayLike,
        Y: ArrayLike,
        X_variance: ArrayLike | Literal["learned"] | None,
        *,
        constrained: bool = False,
    ) -> tuple[Inputs, Float[Array, "N D"], Scaling, Scaling]:
        """Check inputs (exact, or with variances) and outputs; convert them to internal units.

        Returns inputs and outputs in internal units, and the units of both.
        """
        points, notes = self._learnt_points(X)
        outputs, self.one_output_ = checked_outputs(Y, points, type(self).__name__)
        units = input_scaling(points)
        units = replace(units, notes=(*notes, *units.notes))
        scaling = Scaling.of(outputs, units_for(self.scaling, self.noise))
        spread = self._spread(X_variance, len(points))
        variance = internal_variance(spread, points.shape, units.scale)
        inputs = Inputs.of(units.apply(points), variance, constrained=constrained)
        return inputs, scaling.apply(outputs), units, scaling

    def _inputs(self, X: ArrayLike, X_variance: ArrayLike | None) -> Belief:
        """Convert new inputs to internal units, as exact points or with variances."""
        check_is_fitted(self)
        columns = self.input_columns_
        if columns is None:
            points = checked_rows(self, X, reset=False)
        else:
            points = self._checked_words(columns, self._in_order(X))
            X_variance = self._variances_in_order(X, X_variance)
        spread = self._spread(X_variance, len(points))
        return new_inputs(points, spread, self.input_center_, self.input_scale_)

    def _learnt_points(self, X: Any) -> tuple[Float[Array, "N Q"], tuple[str, ...]]:
        """Training inputs as numbers, and notes on their kinds; sets `input_columns_`."""
        self.input_columns_ = None
        if self.kinds is None:
            return checked_rows(self, X, reset=True), ()
        take_names(self, X, reset=True)
        columns, notes = InputColumns.learnt(X, self.kinds)
        if not any(column.is_words for column in columns.columns):
            return checked_rows(self, X, reset=True), notes
        self.input_columns_ = columns
        return self._checked_words(columns, X), notes

    def _in_order(self, X: Any) -> Any:
        """The columns of a data frame by their names, in the order of training."""
        frame, names = frame_of(X), getattr(self, "feature_names_in_", None)
        if frame is None or names is None:
            return X
        absent = [name for name in names if name not in frame.columns]
        if absent:
            raise DataError(
                f"the table has no column {listed([repr(name) for name in absent])}; the model was "
                f"trained with {listed([repr(name) for name in names], 20)}"
            )
        return frame.select(*names).to_native()

    def _variances_in_order(self, X: Any, variance: Any) -> Any:
        """Variances in the order of the training columns, as `_in_order` puts the inputs."""
        frame, names = frame_of(X), getattr(self, "feature_names_in_", None)
        if frame is None or names is None or variance is None or isinstance(variance, str):
            return variance
        own = frame_of(variance)
        if own is not None and set(names) <= set(own.columns):
            return own.select(*names).to_native()
        found = as_floats(variance, "X_variance")
        if found.ndim and found.shape[-1] == len(frame.columns):
            return found[..., [frame.columns.index(name) for name in names]]
        return found

    def _checked_words(self, columns: InputColumns, X: Any) -> Float[Array, "N Q"]:
        """Inputs with words as numbers. Raises DataError for gaps that the model does not allow."""
        coded = columns.coded(X)
        missing = np.argwhere(np.isnan(coded))
        if len(missing) and not get_tags(self).input_tags.allow_nan:
            row, at = missing[0]
            raise DataError(
                f"row {row} (counted from 0) has no value in the column "
                f"{columns.columns[at].name!r}: SemiDescribedGPRegression accepts gaps"
            )
        return columns.expanded(coded)

    def _spread(self, variance: Any, count: int) -> Any:
        """Variances of all inputs of the kernel; words are exact."""
        columns = self.input_columns_
        if columns is None or variance is None:
            return variance
        if isinstance(variance, str):
            raise DataError(
                "X_variance='learned' needs inputs of numbers: give variances, which are used for "
                "the numbers beside the words"
            )
        found, shape = as_floats(variance, "X_variance"), (count, len(columns.columns))
        try:
            return columns.spread(np.broadcast_to(found, shape))
        except ValueError:
            raise DataError(
                f"X_variance must be a number, of shape ({shape[1]},) or of X's shape {shape}; got "
                f"shape {found.shape}"
            ) from None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
