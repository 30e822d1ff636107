"""Find the latent points that explain wanted outputs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import ArrayLike

from gplvm_core.likelihoods import Count, TableColumns
from gplvm_core.models.data.rows import as_floats
from gplvm_core.models.estimators.with_known import check_one_map
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.handles import Answers, Handles, Reached
from gplvm_core.prediction.handles import fit_to as reached
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import listed
from gplvm_core.readers.frames import is_date

Targets = ArrayLike | Mapping[Any, Any]
# The default tolerance, in units of the noise's standard deviation.
TOLERANCE = 0.1
# The function of a count of 0 is that of half an event.
LEAST_COUNT = 0.5


def fit_to(
    self: Any,
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
        values of some columns, by number or name; in a table of several kinds, these may be
        words and counts. With `through`, the wanted value of every combination.
    tolerance : float or array_like, optional
        The standard deviation of the targets' errors, in the units of the data: a number, or a
        number for each target. Default: a tenth of the noise's standard deviation. In a table
        of several kinds: one number, for the targets of columns of numbers.
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
        If a target is not a finite number or a word of its column, if there is no target, or if
        the model has several layers or several views.

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
    check_one_map(self, "fit_to")
    fitted = self.fitted_
    network = fitted.network
    if len(network.nodes) > 1 or len(network.ends) > 1:
        raise DataError(
            "fit_to needs a model of one table and one layer. For a model of several views, "
            "call of_view(name).fit_to; for other models, use complete, which fills gaps with "
            "every model"
        )
    (edge,), (belief,) = network.ends.values(), network.beliefs
    posterior = edge.posterior
    relevance = np.asarray(self.relevance_, dtype=np.float64)
    if posterior.links is not None:
        held = _held_columns(
            fitted.tables[str(edge.target)], posterior, targets, tolerance, through
        )
        return reached(posterior, belief, relevance, *held)
    parts = self._fractions
    width = posterior.n_outputs if parts is None else len(parts.names)
    if isinstance(targets, Mapping):
        names = list(getattr(self, "feature_names_in_", []))
        targets = _row_of(targets, names, width)
    handles = _handles(targets, tolerance, through, width)
    if parts is not None:
        if through is None:
            parts.check_wanted(as_floats(targets, "targets"))
        matrix, shift = parts.blend
        goals = handles.targets - handles.functionals @ shift
        handles = Handles(handles.functionals @ matrix.T, goals, handles.tolerance)
    noise = np.sqrt(posterior.noise_variance) * posterior.scale
    if tolerance is None:
        own = TOLERANCE * np.sqrt(handles.functionals**2 @ noise**2)
        handles = Handles(handles.functionals, handles.targets, own)
    found = reached(posterior, belief, relevance, handles)
    if parts is None:
        return found
    moments = [parts.moments(each.outputs, each.std) for each in found]
    return [
        replace(each, outputs=mean, std=std)
        for each, (mean, std) in zip(found, moments, strict=True)
    ]


def _held_columns(
    table: TableColumns, posterior: Posterior, targets: Any, tolerance: Any, through: Any
) -> tuple[Handles, Answers]:
    """Convert wanted numbers, counts and words of a table of several kinds.

    A count is one observation: its function has the mode log(y/r) and the variance 1/y + 1/r
    (Laplace's approximation of the negative binomial). A word counts as five observations.
    """
    if through is not None or not isinstance(targets, Mapping):
        raise DataError(
            "in a table of several kinds, targets must be a dict of columns and values, and "
            "through None"
        )
    error = None if tolerance is None else _tolerances(tolerance, ())
    if not targets:
        raise DataError("there is no target: give at least one")
    outputs: list[int] = []
    wanted: list[tuple[float, float, float]] = []  # target, tolerance, noise
    answers: list[tuple[int, float]] = []
    for name, value in targets.items():
        at = table.column(name)
        column, start = table.columns[at], table.places[at].start
        if column.is_words:
            if value not in column.words:
                raise DataError(
                    f"column {column.name!r} has no word {value!r}; its words are "
                    f"{listed([repr(word) for word in column.words], 10)}"
                )
            code = column.words.index(value)
            sticks = range(min(code + 1, len(column.words) - 1))
            answers += [(start + k, 1.0 if k == code else -1.0) for k in sticks]
            continue
        number = _wanted_number(column.name, column.kind, value)
        outputs.append(start)
        own = posterior.links.columns[start]  # type: ignore[union-attr]
        if isinstance(own, Count):
            size = float(own.size)
            mode = max(number, LEAST_COUNT)
            wanted.append((np.log(mode / size), np.sqrt(1.0 / mode + 1.0 / size), 0.0))
        else:
            noise = float(np.sqrt(posterior.noise[start]))
            wanted.append((number, TOLERANCE * noise if error is None else float(error), 1.0))
    functionals = np.eye(posterior.n_outputs)[np.array(outputs, dtype=int)]
    goals, spread, noisy = np.array(wanted).reshape(-1, 3).T
    places = np.array([output for output, _ in answers], dtype=np.int64)
    signs = np.array([sign for _, sign in answers], dtype=np.float64)
    return Handles(functionals, goals, spread, noisy), Answers(places, signs)


def _handles(
    targets: Targets, tolerance: ArrayLike | None, through: ArrayLike | None, width: int
) -> Handles:
    """Check targets, tolerance and combinations, and convert them to handles."""
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
    used = ~np.isnan(wanted)
    if not used.any():
        raise DataError("all targets are NaN: give at least one target")
    if not (np.isfinite(wanted[used]).all() and np.isfinite(combined[used]).all()):
        raise DataError(
            "targets and through must be finite numbers; a target of NaN means a free column"
        )
    spread = np.zeros(()) if tolerance is None else _tolerances(tolerance, wanted.shape, used)
    return Handles(combined[used], wanted[used], np.broadcast_to(spread, wanted[used].shape))


def _row_of(targets: Mapping[Any, float], names: list[str], width: int) -> Float[Array, " D"]:
    """Convert targets by number or name of their columns to a row; NaN for other columns."""
    row = np.full(width, np.nan)
    for column, wanted in targets.items():
        value = as_floats(wanted, f"the target of column {column!r}")
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


def _tolerances(
    given: ArrayLike, shape: tuple[int, ...], used: Bool[BoolArray, " H"] | None = None
) -> Float[Array, "..."]:
    """Check a tolerance, or the tolerances of targets of this shape; return those that are used."""
    found = as_floats(given, "tolerance")
    if found.shape not in {(), shape}:
        several = f", or one number for each of the {shape[0]} targets" if shape else ""
        raise DataError(f"tolerance must be one number{several}; got shape {found.shape}")
    if found.ndim and used is not None:
        found = found[used]
    if not (np.isfinite(found).all() and (found >= 0.0).all()):
        raise DataError(f"a tolerance must be a finite number of at least 0; got {found.min()}")
    return found


def _wanted_number(name: str, kind: str, value: Any) -> float:
    """Return a wanted number or count. Raises DataError for other values."""
    if kind == "exposure":
        raise DataError(f"column {name!r} is an exposure, which is given and never predicted")
    try:
        number = np.nan if is_date(value) else float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number) or (kind == "count" and (number < 0.0 or number % 1.0)):
        needed = "a count of 0, 1, 2, …" if kind == "count" else "a finite number"
        raise DataError(f"column {name!r} needs {needed}; got {value!r}")
    return number
