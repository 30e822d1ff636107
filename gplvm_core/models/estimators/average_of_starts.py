"""The average prediction of several trainings, which differ only in their start."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.views import named_views
from gplvm_core.models.estimators.attributes import framed
from gplvm_core.models.estimators.base import GPModel
from gplvm_core.models.estimators.documentation import documented
from gplvm_core.models.estimators.settings import Seed
from gplvm_core.models.estimators.trained import whole
from gplvm_core.models.training.run import as_random_state
from gplvm_core.numerics import Array
from gplvm_core.readers.frames import Frame, taken

# Options of an estimator's methods that several models cannot answer together.
WITHOUT_AVERAGE = {"callback", "return_cov", "return_latent", "return_probability"}


@documented
class AverageOfStarts(GPModel):
    """Several trainings of a model from different starts, and the average of their predictions.

    Training ends at a local maximum of the bound, and a higher bound does not mean better
    predictions of new sequences. The average of several starts is usually better than one of them,
    and its standard deviations also include how far the starts differ. The maps of the starts
    differ, so there is no average map; `estimators_` has the models with their maps. Training and
    predictions take n_starts times as long. Only numbers are averaged.

    Parameters
    ----------
    estimator : estimator
        An unfitted model of this package with a random_state and without target columns.
    n_starts : int, default 3
        The number of trainings.
    random_state : int or Generator or RandomState or None, default None
        The seed that chooses the random_state of each training.

    Attributes
    ----------
    estimators_ : tuple of estimators
        The fitted models.
    notes_ : tuple of str
        The notes of all models, each once.
    n_features_in_ : int
        The number of columns of the training data; not for several views.
    feature_names_in_ : ndarray of str, shape (D,)
        The column names of the training data; only defined for a data frame with text names.

    Examples
    --------
    >>> import numpy as np
    >>> from gplvm_core import AverageOfStarts, BayesianGPLVM
    >>> rng = np.random.default_rng(0)
    >>> Y = np.outer(rng.standard_normal(30), [1.0, -2.0, 0.5, 1.0])
    >>> Y += 0.02 * rng.standard_normal((30, 4))
    >>> model = AverageOfStarts(BayesianGPLVM(2, 8, max_iter=50), random_state=0).fit(Y)
    >>> model.complete([[1.0, np.nan, 0.5, 1.0]]).round(1)
    array([[ 1. , -2. ,  0.5,  1. ]])
    """

    def __init__(self, estimator: Any, n_starts: int = 3, random_state: Seed = None) -> None:
        self.estimator = estimator
        self.n_starts = n_starts
        self.random_state = random_state

    @whole
    def fit(self, Y: Any, y: Any = None, **options: Any) -> Self:
        """Train all models.

        Parameters
        ----------
        Y : array_like of shape (N, D), or dict of them
            The rows, as for the estimator.
        y : ignored
            Not used; scikit-learn expects this argument.
        options : any
            Further arguments of the estimator's `fit`, such as times and sequences.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        ValueError
            If n_starts is below 1, or if the estimator has no random_state.
        """
        if self.n_starts < 1:
            raise ValueError(f"n_starts must be at least 1; got {self.n_starts!r}")
        if "random_state" not in self.estimator.get_params(deep=False):
            kind = type(self.estimator).__name__
            raise ValueError(f"a {kind} has no random_state, so all of its trainings are equal")
        generator = as_random_state(self.random_state)
        seeds = [generator.randint(2**31 - 1) for _ in range(self.n_starts)]
        self.estimators_ = tuple(
            clone(self.estimator).set_params(random_state=seed).fit(Y, **options) for seed in seeds
        )
        first = self.estimators_[0]
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
        notes = (note for each in self.estimators_ for note in getattr(each, "notes_", ()))
        self.notes_ = tuple(dict.fromkeys(notes))  # the models have already issued them as warnings
        return self

    def calibrate(self, Y: Any, **options: Any) -> Self:
        """Calibrate the intervals of every model by its own `calibrate`.

        Parameters
        ----------
        Y : array_like of shape (N, D), or dict of them
            The training rows, in the same order.
        options : any
            Further arguments of the estimator's `calibrate`.

        Returns
        -------
        self
            The estimator, with calibrated models.
        """
        check_is_fitted(self)
        for each in self.estimators_:
            each.calibrate(Y, **options)
        return self

    def complete(self, Y: Any, *, return_std: bool = False, **options: Any) -> Any:
        """Fill gaps by the average of the models' predictions.

        Parameters
        ----------
        Y : array_like of shape (n, D), or dict of them
            Rows; NaN marks missing values.
        options : any
            Further arguments of the estimator's `complete`, such as times.

        Returns
        -------
        ndarray or DataFrame of shape (n, D), or dict of them, or two of them
            The means, and with return_std the standard deviations of the mixture of all models.
            Data frames if Y is a data frame.
        """
        found = self._average("complete", (Y,), options, return_std=True)
        if isinstance(found[0], Mapping):
            views = named_views(Y)
            shown = tuple({k: framed(self, views[k], v) for k, v in each.items()} for each in found)
        else:
            shown = tuple(framed(self, Y, each) for each in found)
        return shown if return_std else shown[0]

    def transfer(
        self, views: Mapping[str, Any], to: str, *, return_std: bool = False, **options: Any
    ) -> Any:
        """Predict one view from other views by the average of the models' predictions.

        Parameters
        ----------
        views : dict of str to array_like
            One or several of the trained views by name; NaN marks missing values.
        to : str
            The name of the view to predict.
        options : any
            Further arguments of the estimator's `transfer`, such as times.

        Returns
        -------
        ndarray of shape (n, D), or two of them
            The means, and with return_std the standard deviations of the mixture of all models.
        """
        return self._average("transfer", (views, to), options, return_std=return_std)

    def forecast(self, times: Any, *, return_std: bool = False, **options: Any) -> Any:
        """Predict rows at further times by the average of the models' predictions.

        Parameters
        ----------
        times : array_like of shape (n,) or (n, P), or int
            The times, or the number of steps, as for the estimator's `forecast`.
        options : any
            Further arguments of the estimator's `forecast`, such as sequence.

        Returns
        -------
        ndarray of shape (n, D), or dict of them, or two of them
            The means, and with return_std the standard deviations of the mixture of all models.
        """
        return self._average("forecast", (times,), options, return_std=return_std)

    def _average(
        self, method: str, given: tuple[Any, ...], options: Mapping[str, Any], *, return_std: bool
    ) -> Any:
        check_is_fitted(self)
        kind = type(self.estimator).__name__
        if not hasattr(self.estimators_[0], method):
            raise ValueError(f"a {kind} has no method {method}")
        refused = sorted(WITHOUT_AVERAGE & set(options))
        if refused or options.get("n_alternatives", 1) != 1:
            names = ", ".join(refused) or "n_alternatives"
            raise ValueError(f"several models have no average with {names}: leave this out")
        found = [
            getattr(each, method)(*given, return_std=True, **options) for each in self.estimators_
        ]
        if not isinstance(taken(found[0][0]), Mapping):
            mean, std = _mixture([_numbers(own) for own in found])
            return (mean, std) if return_std else mean
        mixtures = {
            name: _mixture([_numbers((mean[name], std[name])) for mean, std in found])
            for name in found[0][0]
        }
        means = {name: mean for name, (mean, _) in mixtures.items()}
        return (means, {name: std for name, (_, std) in mixtures.items()}) if return_std else means

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata that `fit` passes to the estimator, for scikit-learn's pipelines.

        Returns
        -------
        MetadataRouter
            The requests of the estimator.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Tags:
        tags, own = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags = own.input_tags
        tags.target_tags = own.target_tags
        return tags


def _numbers(found: tuple[Any, Any]) -> tuple[Array, Array]:
    tables = map(taken, found)
    mean, std = (each.to_numpy() if isinstance(each, Frame) else each for each in tables)
    if mean.dtype.kind not in "fiu":
        raise ValueError("only numbers can be averaged: ask the models of estimators_ one by one")
    return mean, std


def _mixture(
    parts: Sequence[tuple[Float[Array, "*N"], Float[Array, "*N"]]],
) -> tuple[Float[Array, "*N"], Float[Array, "*N"]]:
    """Mean and standard deviation of an equal mixture: Var = ⟨variances⟩ + Var(means)."""
    means, stds = (np.stack(each) for each in zip(*parts, strict=True))
    apart = means - means[0]  # values that were observed stay as they are
    mean = means[0] + apart.mean(axis=0)
    return mean, np.sqrt(np.mean(stds**2, axis=0) + apart.var(axis=0))
