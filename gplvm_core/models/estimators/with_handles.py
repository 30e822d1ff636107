"""Find the latent points that explain wanted outputs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gplvm_core.models.data.rows import as_floats
from gplvm_core.numerics import Array
from gplvm_core.prediction import Network
from gplvm_core.prediction.generate import refuse_kinds
from gplvm_core.prediction.handles import Handles, Reached, fit_to
from gplvm_core.readers import DataError

Targets = ArrayLike | Mapping[Any, float]
# The default tolerance, in units of the noise's standard deviation.
TOLERANCE = 0.1


class WithHandles:
    """A model that finds latent points for wanted outputs, if it has one table and one layer."""

    @property
    def _network(self) -> Network:
        raise NotImplementedError

    def fit_to(
        self,
        targets: Targets,
        tolerance: ArrayLike | None = None,
        *,
        through: ArrayLike | None = None,
    ) -> list[Reached]:
        """Find the latent points whose outputs reach some targets.

        The latent points determine all other outputs, too. A few targets do not determine a latent
        point, so the search prefers points near the training rows, and there may be several
        explanations. The search starts from the six training rows that explain the targets best.

        Parameters
        ----------
        targets : array_like of shape (D,) or (H,), or dict
            The wanted value of every output; NaN for a free output. Or a dict with the wanted
            values of some columns, by number or name. With `through`, the wanted value of every
            combination.
        tolerance : float or array_like, optional
            The standard deviation of the targets' errors, in the units of the data: a number, or a
            number for each target. Default: a tenth of the noise's standard deviation.
        through : array_like of shape (H, D), optional
            Linear combinations of the outputs, for example the coordinates on a screen.

        Returns
        -------
        list of Reached
            The explanations, the best first: latent point, outputs with standard deviations,
            errors of the targets, and score.

        Raises
        ------
        DataError
            If a target is not a finite number, if there is no target, or if the model has several
            layers, several views, or columns that are not numbers.

        Examples
        --------
        The rows are on a circle, so one coordinate has two explanations.

        >>> import numpy as np
        >>> from gplvm_core import BayesianGPLVM
        >>> angle = np.linspace(0.0, 2.0 * np.pi, 40, endpoint=False)
        >>> Y = np.column_stack([np.cos(angle), np.sin(angle)])
        >>> Y += 0.02 * np.random.default_rng(0).standard_normal(Y.shape)
        >>> model = BayesianGPLVM(2, 20, max_iter=50, random_state=0).fit(Y)
        >>> found = model.fit_to({0: 0.6})
        >>> sorted(float(round(each.outputs[1], 1)) for each in found)
        [-0.8, 0.7]
        """
        check_is_fitted(self)
        network = self._network
        if len(network.nodes) > 1 or len(network.ends) > 1 or network.known:
            raise DataError(
                "fit_to needs a model of one table and one layer. For a model of several views, "
                "call of_view(name).fit_to; for other models, use complete, which fills gaps with "
                "every model"
            )
        (edge,), (belief,) = network.ends.values(), network.beliefs
        posterior = edge.posterior
        refuse_kinds(posterior, "fit_to")
        handles = self._handles(targets, tolerance, through, posterior.n_outputs)
        noise = np.sqrt(posterior.noise_variance) * posterior.scale
        if tolerance is None:
            own = TOLERANCE * np.sqrt(handles.functionals**2 @ noise**2)
            handles = Handles(handles.functionals, handles.targets, own)
        model: Any = self
        return fit_to(posterior, belief, np.asarray(model.relevance_, dtype=np.float64), handles)

    def _handles(
        self, targets: Targets, tolerance: ArrayLike | None, through: ArrayLike | None, width: int
    ) -> Handles:
        """Check targets, tolerance and combinations, and convert them to handles."""
        if isinstance(targets, Mapping):
            targets = self._row_of(targets, width)
        wanted = as_floats(targets, "targets")
        if through is None:
            if wanted.shape != (width,):
                raise DataError(
                    f"targets need one number for each of the {width} columns (NaN for a free "
                    f"column); got shape {wanted.shape}. To give only some columns, use a dict"
                )
            combined = np.eye(width)
        else:
            combined = as_floats(through, "through")
            if combined.shape != (len(np.atleast_1d(wanted)), width) or wanted.ndim != 1:
                raise DataError(
                    f"through needs a row of {width} weights for every target; got shape "
                    f"{combined.shape} for targets of shape {wanted.shape}"
                )
        spread = as_floats(0.0 if tolerance is None else tolerance, "tolerance")
        if spread.shape not in {(), wanted.shape}:
            raise DataError(
                f"tolerance must be one number, or one number for each of the {len(wanted)} "
                f"targets; got shape {spread.shape}"
            )
        used = ~np.isnan(wanted)
        spread = np.broadcast_to(spread, wanted.shape)[used]
        if not used.any():
            raise DataError("all targets are NaN: give at least one target")
        if not (np.isfinite(wanted[used]).all() and np.isfinite(combined[used]).all()):
            raise DataError(
                "targets and through must be finite numbers; a target of NaN means a free column"
            )
        if not (np.isfinite(spread).all() and (spread >= 0.0).all()):
            raise DataError(
                f"a tolerance must be a finite number of at least 0; got {spread.min()}"
            )
        return Handles(combined[used], wanted[used], spread)

    def _row_of(self, targets: Mapping[Any, float], width: int) -> Float[Array, " D"]:
        """Convert targets by number or name of their columns to a row; NaN for other columns."""
        names = list(getattr(self, "feature_names_in_", []))
        row = np.full(width, np.nan)
        for column, value in targets.items():
            if column in names:
                row[names.index(column)] = value
            elif isinstance(column, int | np.integer) and 0 <= column < width:
                row[column] = value
            else:
                known = f"the columns are {', '.join(map(str, names))}" if names else ""
                raise DataError(
                    f"the model has no column {column!r}; "
                    + (known or f"its columns have the numbers 0 to {width - 1}")
                )
        return row
