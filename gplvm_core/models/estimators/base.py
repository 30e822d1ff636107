"""The base class of all estimators: fitted attributes, capabilities, notes, and saving.

Also here: the features that a model has beyond a latent map; pages and libraries query them.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.timeline import TIMES
from gplvm_core.numerics import Array
from gplvm_core.optimise import Result
from gplvm_core.prediction import DerivedDensity, Posterior
from gplvm_core.prediction.intervals import Intervals


@dataclass(frozen=True)
class Capabilities:
    """The features of an estimator with its settings, fitted or not.

    Attributes
    ----------
    timed : bool
        Whether the latent points are on paths over time, so that the model can forecast, sample and
        infer sequences.
    views : bool
        Whether the model generates several views from one latent space, and predicts one view from
        another.
    layers : bool
        Whether the model has several layers, each with a latent space.
    predicts : bool
        Whether the model predicts columns from inputs. Such a model has no latent map.
    """

    timed: bool = False
    views: bool = False
    layers: bool = False
    predicts: bool = False


# The default of fitted attributes that are None before `fit`, and in files of earlier versions.
NOTHING: Any = None


class GPModel(BaseEstimator):
    """An estimator of this package; a subclass is a face: tables, views, regressions, graphs.

    For type checkers, it names the fitted attributes and settings that functions read.
    """

    if TYPE_CHECKING:
        bound_: float
        notes_: tuple[str, ...]
        result_: Result
        trace_: dict[str, Any]
        restarts_: tuple[Any, ...]
        latent_mean_: Array
        latent_variance_: Array
        information_: Array
        relevance_: Any
        posterior_: Posterior
        data_weight_: float
        density_: DerivedDensity | None
        intervals_: Intervals | None
        columns_: Any
        kinds_: Any
        view_weights_: Any
        family_: Any
        missing_states_: Any
        encoder_: Any
        times_: Any
        sequences_: Any
        path_: Any
        time_kernel_: Any
        layers_: Any
        rows_: Any
        # Settings that training reads, where an estimator has them.
        max_iter: int
        n_restarts: Any
        jitter: float
        random_state: Any
        n_jobs: int | None

    # Fitted attributes that other estimators have and this one lacks, each with the reason.
    _absent: ClassVar[Mapping[str, str]] = {}
    # Whether starts that fit hidden layers to single points rank below all others.
    _ranks_sound: ClassVar[bool] = False
    # What the estimator can do with any settings.
    _can: ClassVar[Capabilities] = Capabilities()

    # type checkers do not see this method, so that they still report unknown attributes
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise an error that explains why a fitted attribute is missing."""
            if name.endswith("_") and not name.startswith("_"):
                if name in self._absent:
                    raise AttributeError(
                        f"{type(self).__name__} has no {name}: {self._absent[name]}"
                    )
                if not _is_fitted(self):
                    raise NotFittedError(
                        f"This {type(self).__name__} instance is not fitted yet: call fit before "
                        f"asking for {name}"
                    )
            return object.__getattribute__(self, name)  # raises the original AttributeError

    @property
    def capabilities(self) -> Capabilities:
        """The features of the model beyond its latent map: time, views, layers."""
        return replace(self._can, timed=self._can.timed or self._over_time)

    @property
    def _over_time(self) -> bool:
        """Whether the settings put the latent points on paths over time."""
        over = getattr(self, "path_over", TIMES)
        return getattr(self, "time_kernel", None) is not None and bool(np.array_equal(over, TIMES))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file; `gplvm_core.load` reads it back.

        Parameters
        ----------
        path : str or PathLike
            The file to write.

        Raises
        ------
        NotFittedError
            If `fit` has not been called.
        StoreError
            If the model has a part that files cannot store, such as a kernel of your own.
        """
        # This is the only import from a package of a higher level; the public method
        # `model.save(path)` needs it.
        from gplvm_core.store.file import save

        check_is_fitted(self)
        save(self, path)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True  # converted to dense arrays
        return tags

    def _note(self, notes: tuple[str, ...]) -> None:
        """Store the notes, and issue each as a warning."""
        self.notes_ = notes
        for note in notes:
            warnings.warn(note, UserWarning, stacklevel=3)


def _is_fitted(model: Any) -> bool:
    return any(name.endswith("_") and not name.startswith("_") for name in vars(model))
