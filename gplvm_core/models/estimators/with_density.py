"""The density of rows that is derived from a fitted map, and the answers that use this density."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from gplvm_core import prediction
from gplvm_core.models.answers.fitted import Fitted, Found
from gplvm_core.models.estimators.second_stage import (
    DENSITY,
    has_known_errors,
    refuse_known_errors,
    warn_uncalibrated,
)
from gplvm_core.models.estimators.with_known import apart_from_known, check_apart, of_rows
from gplvm_core.numerics import Array, one_thread_a_product
from gplvm_core.prediction import DerivedDensity, Explained, Network
from gplvm_core.prediction.candidates import Report
from gplvm_core.prediction.density import DRAWS as FEW_DRAWS
from gplvm_core.prediction.derivation import SIZES, STRENGTHS
from gplvm_core.prediction.derived import Recipe
from gplvm_core.prediction.fills import FillMethod
from gplvm_core.prediction.forward import Moments
from gplvm_core.readers import DataError
from gplvm_core.readers.errors import plural

Method = Literal["bound", "sampling", "density"]
M = TypeVar("M")
# The default number of draws of a row's latent points.
DRAWS = 1000

FEWEST = 3  # training rows of a density


def can_have_density(self: Any) -> bool:
    """Whether `fit_density` is possible: all columns are numbers, and no input is observed."""
    if has_known_errors(self) or not apart_from_known(self):
        return False
    try:
        prediction.refuse_density(self.fitted_.network)
    except DataError:
        return False
    return True


@one_thread_a_product()
def fit_density(
    self: M,
    Y: Any,
    components: int | Literal["validated"] = "validated",
    *,
    residual: bool = True,
    prior_strength: float | Literal["validated"] = "validated",
    folds: int = 0,
    random_state: int = 0,
    recipe: Recipe | None = None,
    callback: Report | None = None,
) -> M:
    """Derive an exact density of rows from the map, after training.

    `fit` does this as its second stage, with folds=5.

    A mixture of Gaussians is fitted to the latent points. The map turns each Gaussian of latent
    points into a Gaussian of rows. These Gaussians are the prior of a mixture that is fitted to
    the rows. A fit finds a local optimum, so the density is the mean of two such fits, and of
    two fits that start from clusters of rows in the place of the map. The result is the exact
    density of a mixture; it is neither a bound on the model's density nor an estimate of the
    model's density. A wide Gaussian with weight 0.01
    models rows that are unlike all other rows. The bound and the map do not change.
    `score_samples` and `complete` use the density.

    Parameters
    ----------
    Y : array_like of shape (N, D), or dict of them
        The training rows, in the same order; NaN marks missing values.
    components : int or "validated", default "validated"
        The number of Gaussians of each fit. "validated": the number from 1 to 40 that gives a
        held-out fifth of the rows the highest density.
    residual : bool, default True
        Whether the map's residuals may be correlated between outputs.
    prior_strength : float or "validated", default "validated"
        The weight of a covariance from the map or from clusters, as a number of rows. 0 gives
        it no weight, and ∞ fixes the covariances.
    folds : int, default 0
        The number of folds of the training rows for `density_.typicality`. Each fold is scored
        by a density that was fitted without this fold, and `gplvm_core.apply` compares the
        scores of new rows with these scores. 0: no scores are computed. 5 is usual.
    random_state : int, default 0
        The seed of all draws.
    recipe : Recipe, optional
        The attribute `density_.recipe` from an earlier call for the same model and rows. Its
        choices replace components and prior_strength. No rows are held out then, so the call is
        several times faster.
    callback : callable, optional
        Called as callback(fraction of the work that is done) after each step. If it raises an
        exception, the work ends and the model's density does not change.

    Returns
    -------
    self
        The estimator, with `density_`.

    Raises
    ------
    DataError
        If Y does not have as many rows as the training data, if there are fewer than three, or
        if columns are not numbers.
    """
    model: Any = self
    check_apart(model, "fit_density")
    refuse_known_errors(model, "a density of the rows")
    outputs, network = model._rows(Y), model.fitted_.network
    trained = check_training_rows(network, outputs)
    if trained < FEWEST:
        raise DataError(
            f"A density needs at least {FEWEST} training rows, and this map has {trained}: "
            "every new row would look typical."
        )
    model.density_ = prediction.derived(
        network,
        outputs,
        SIZES if components == "validated" else (checked_components(components),),
        STRENGTHS if prior_strength == "validated" else (checked_strength(prior_strength),),
        with_residual=residual,
        folds=checked_folds(folds, trained),
        random_state=random_state,
        recipe=recipe,
        report=callback,
    )
    return self


@of_rows
def completion_methods(self: Any, Y: Any) -> NDArray[np.str_]:
    """Return which method `complete` uses for each row: "map" or "density".

    Without `density_`, the method is always "map". With `density_`, it is the method that
    filled gaps of the same kind better in held-out rows (`density_.fills`).

    Parameters
    ----------
    Y : array_like of shape (n, D), or dict of them
        Rows; NaN marks missing values.

    Returns
    -------
    ndarray of str, shape (n,)
        The methods.
    """
    outputs = self._rows(Y)
    if self.density_ is None:
        return np.full(len(next(iter(outputs.values()))), "map")
    rows = self.density_.beside(outputs)
    return np.array([fill.method for fill in self.density_.chosen_fills(rows)], dtype=str)


def scored(
    fitted: Fitted,
    rows: Mapping[str, Array],
    method: Method | None,
    n_samples: int | None,
    random_state: int | None,
) -> Float[Array, " N"]:
    """log p of rows by a method.

    None: the density; without it, the difference of bounds. If n_samples is given, importance
    samples with the prior N(0, I).
    """
    density = fitted.density
    if method is None and n_samples is None and density is not None:
        method = "density"
    if method not in (None, "bound", "sampling", "density"):
        raise ValueError(f'method must be "bound", "sampling" or "density"; got {method!r}')
    if method == "density":
        return derived(fitted).score_samples(rows)
    if method == "bound" and n_samples is not None:
        raise ValueError('method="bound" does not use samples: leave out n_samples')
    network = fitted.network
    if method == "bound" and not all(network.ends[name].has_bound for name in rows):
        raise ValueError(
            "the difference of bounds is not defined for columns of several kinds, for known "
            'errors of cells, and for maps without known factors: leave out method="bound"'
        )
    if fitted.factors is not None:
        draws = n_samples or (DRAWS if method == "sampling" else FEW_DRAWS)
        return fitted.factors.log_density(network, rows, draws, random_state)
    latent = None
    if method == "sampling":
        n_samples = n_samples or DRAWS
        latent = None if density is None else density.latent
    found = fitted.explained(rows)
    return prediction.log_density(network, rows, found, n_samples, random_state, latent=latent)


def only_density(fitted: Fitted, rows: Mapping[str, Array], method: str) -> Float[Array, " N"]:
    """log p of rows, for a model without a bound and without sampled points."""
    if method != "density":
        raise ValueError(f'method must be "density" or None for this model; got {method!r}')
    return derived(fitted).score_samples(rows)


def filled(
    fitted: Fitted, rows: Mapping[str, Array], method: FillMethod | None
) -> dict[str, Found]:
    """Fill the gaps of rows: numbers with their means, counts with medians, words with the most
    probable word.
    """
    numbers = fitted.numbers(rows)
    if len(numbers) < len(rows) and method == "density":
        raise ValueError("columns of several kinds are filled by the map: leave out method")
    explained = fitted.for_filling(rows) if fitted.tables else None
    found: dict[str, Found] = {
        name: (mean, np.sqrt(variance), None)
        for name, (mean, variance) in completed(fitted, numbers, method, explained).items()
    }
    for name in rows.keys() - numbers.keys():
        found[name] = fitted.expected(rows, explained, name).filled(rows[name])
    return {name: found[name] for name in rows}


@one_thread_a_product()
def completed(
    fitted: Fitted,
    rows: Mapping[str, Array],
    method: FillMethod | None,
    explained: Explained | None = None,
) -> Moments:
    """Fill the gaps of rows of numbers; returns rows and variances by name.

    explained: the posteriors of the rows and of given data with words or counts, if there are any.
    """
    if method not in (None, "map", "density"):
        raise ValueError(f'method must be "map" or "density"; got {method!r}')
    if method == "density":
        derived(fitted)
    density = fitted.density
    if density is None or method == "map":
        found = fitted.reconstructed(rows, explained, ends=rows) if rows else {}
        return {name: prediction.complete(own, *found[name]) for name, own in rows.items()}
    whole = density.beside(rows)
    fills = density.chosen_fills(whole, method)
    mean, variance = whole.copy(), np.zeros_like(whole)
    theirs = np.array([fill.method == "map" for fill in fills])
    if theirs.any():
        found = fitted.reconstructed({name: own[theirs] for name, own in rows.items()})
        names = [name for name, _ in density.data]
        mean[theirs], variance[theirs] = prediction.complete(
            whole[theirs], *(np.hstack([found[name][at] for name in names]) for at in range(2))
        )
    if not theirs.all():
        mean[~theirs], variance[~theirs] = density.rows.complete(whole[~theirs])
    variance *= density.factors(fills) ** 2
    means, variances = density.apart(mean), density.apart(variance)
    return {name: (means[name], variances[name]) for name in rows}


def drawn(
    fitted: Fitted,
    rows: Mapping[str, Array],
    n_samples: int,
    generator: np.random.Generator,
) -> Mapping[str, Float[Array, "S N _D"]]:
    """Draw the gaps of rows, by the method that `complete` uses for the same row.

    The draws of the density are widened to its calibrated intervals.
    """
    density = fitted.density
    if density is None:
        found = fitted.drawn(rows, n_samples, generator)
        return {name: np.where(np.isnan(own), found[name], own) for name, own in rows.items()}
    given = density.beside(rows)
    fills = density.chosen_fills(given, None)
    theirs = np.array([fill.method == "map" for fill in fills])
    whole = np.repeat(given[None], n_samples, axis=0)
    if theirs.any():
        names = [name for name, _ in density.data]
        parts = fitted.drawn(
            {name: own[theirs] for name, own in rows.items()}, n_samples, generator
        )
        by_map = np.concatenate([parts[name] for name in names], axis=2)
        whole[:, theirs] = np.where(np.isnan(given[theirs]), by_map, given[theirs])
    if not theirs.all():
        mean = density.rows.complete(given[~theirs])[0]
        by_density = density.rows.sample_completions(given[~theirs], n_samples, generator)
        widened = density.factors(fills)[~theirs]
        whole[:, ~theirs] = mean + widened * (by_density - mean)
    parts = density.apart(whole)
    return {name: parts[name] for name in rows}


def warn_by_map(model: Any, rows: Mapping[str, Array], method: FillMethod | None) -> None:
    """Warn if the standard deviations of filled gaps come from the map, uncalibrated."""
    if model.density_ is not None or method is not None or not model.can_have_density:
        return
    if any(np.isnan(own).any() for own in rows.values()):
        warn_uncalibrated(model, DENSITY, 1)  # `of_rows` is between


def derived(fitted: Fitted) -> DerivedDensity:
    """The density of rows; ValueError if the model has none."""
    if fitted.has_errors:
        raise ValueError(
            "the density of the rows takes no known errors: leave out method, so that the map "
            "answers, or errors"
        )
    if fitted.density is None:
        raise ValueError(
            "the model has no density: call fit_density with the training rows, or fit it with "
            'second_stage="auto"'
        )
    return fitted.density


def check_training_rows(network: Network, outputs: Mapping[str, Array]) -> int:
    """The number of training rows; DataError if some of their data or some rows are missing."""
    missing = [name for name in network.ends if name not in outputs]
    if missing:
        raise DataError(f"the training rows of {', '.join(missing)} are not given: add them")
    count, trained = len(next(iter(outputs.values()))), network.beliefs[0].n_points
    if count != trained:
        raise DataError(
            f"the model has the latent points of {plural(trained, 'training row')}, and Y has "
            f"{plural(count, 'row')}: give the training rows, in the same order"
        )
    return trained


def checked_components(components: Any) -> int:
    if isinstance(components, bool) or not isinstance(components, int) or components < 1:
        raise ValueError(
            f'components must be "validated" or a whole number from 1; got {components!r}'
        )
    return components


def checked_folds(folds: Any, rows: int) -> int:
    whole = isinstance(folds, int) and not isinstance(folds, bool)
    if not whole or not (folds == 0 or 2 <= folds <= rows):
        raise ValueError(
            f"folds must be 0 or a whole number from 2 to the number of rows, {rows:,}; got "
            f"{folds!r}"
        )
    return int(folds)


def checked_strength(strength: Any) -> float:
    if not isinstance(strength, int | float) or not strength >= 0.0:
        raise ValueError(f'prior_strength must be "validated" or a number from 0; got {strength!r}')
    return float(strength)
