"""Is a regression worth it? Compare its errors on held-out rows with simpler predictions."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float
from scipy.stats import norm

from gplvm_core.comparison.baselines import WithNoise
from gplvm_core.comparison.result import Difference
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.intervals import NORMAL
from gplvm_core.readers import Dataset
from gplvm_core.readers.column_task import ColumnRows, ColumnTask

TREES, LINE, MEAN = "Boosted trees", "A linear model", "Always the mean"
CLEAR = 2.0  # standard errors beyond which a difference is unlikely to be chance
MOST_ROWS = 20_000  # largest number of rows that train the simpler predictions


@dataclass(frozen=True, eq=False)
class Predicted:
    """Predictions of held-out rows: means, standard deviations and true values."""

    name: str
    mean: Float[Array, " H"]
    std: Float[Array, " H"]
    truth: Float[Array, " H"]

    @property
    def squares(self) -> Float[Array, " H"]:
        """The squared error of each row."""
        return (self.truth - self.mean) ** 2

    @property
    def error(self) -> float:
        """The root of the mean squared error, in the target's unit."""
        return float(np.sqrt(np.mean(self.squares)))

    @property
    def log_density(self) -> float:
        """The mean log density of the true values, in nats; higher is better."""
        return float(np.mean(norm.logpdf(self.truth, self.mean, self.std)))

    @property
    def inside(self) -> Bool[BoolArray, " H"]:
        """Whether the true value of each row is inside its 95 % interval."""
        return np.abs(self.truth - self.mean) <= NORMAL * self.std


def task_of(dataset: Dataset) -> tuple[ColumnTask, ColumnRows, ColumnRows]:
    """The column to predict in a data set, the training rows, and the held-out rows."""
    task = dataset.task
    if task is None:
        raise ValueError(
            f"{dataset.title} has no column to predict: call gplvm_core.readers.ask_column first"
        )
    names, values = dataset.column_names or (), dataset.values
    train, held = task.rows(dataset.n_points)
    return task, task.of(names, values, train), task.of(names, values, held)


def predicted_by(model: Any, rows: ColumnRows, name: str = "This model") -> Predicted:
    """Predictions of a fitted regression for rows with known targets."""
    mean, std = answers(model, rows.inputs, rows.variance)
    return Predicted(name, mean, std, rows.target)


def answers(
    model: Any, inputs: Float[Array, "n Q"], variance: Float[Array, "n Q"] | None = None
) -> tuple[Float[Array, " n"], Float[Array, " n"]]:
    """Means and standard deviations of new observations; NaN marks missing inputs.

    A missing input becomes a Gaussian with the mean and the variance of its training values, and
    the prediction averages over this Gaussian. Raises ValueError if an input is missing and the
    kernel has no expectations under Gaussian inputs.
    """
    missing = np.isnan(inputs)
    if not missing.any() and variance is None:
        mean, std = model.predict(inputs, return_std=True)
        return np.asarray(mean).reshape(-1), np.asarray(std).reshape(-1)
    filled = np.where(missing, model.input_center_, inputs)
    known = np.zeros_like(inputs) if variance is None else variance
    spread = np.where(missing, model.input_scale_**2, known)
    uncertain = (spread > 0).any(axis=1)
    mean, std = np.empty((2, len(inputs)))
    for rows, given in ((uncertain, spread[uncertain]), (~uncertain, None)):
        if rows.any():
            own = model.predict(filled[rows], X_variance=given, return_std=True)
            mean[rows], std[rows] = (np.asarray(each).reshape(-1) for each in own)
    return mean, std


def simpler_predictions(dataset: Dataset) -> tuple[Predicted, ...]:
    """Predict the held-out rows by boosted trees, a linear model and the mean.

    Each prediction has Gaussian noise with the variance of its residuals in cross-validation.
    """
    from sklearn.dummy import DummyRegressor
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    _, train, held = task_of(dataset)
    some = slice(None, None, max(1, -(-len(train.target) // MOST_ROWS)))
    line = make_pipeline(
        SimpleImputer(keep_empty_features=True), StandardScaler(), LinearRegression()
    )
    found = []
    for name, regressor in (
        (TREES, HistGradientBoostingRegressor(random_state=0)),
        (LINE, line),
        (MEAN, make_pipeline(SimpleImputer(keep_empty_features=True), DummyRegressor())),
    ):
        fitted = WithNoise(regressor, 0).fit(train.inputs[some], train.target[some, None])
        mean = np.asarray(fitted.predict(held.inputs), dtype=float).reshape(-1)
        found.append(Predicted(name, mean, np.full(len(mean), float(fitted.std_[0])), held.target))
    return tuple(found)


def worth_it(model: Predicted, others: tuple[Predicted, ...], target: str) -> str:
    """State in plain words whether the model predicts better than simpler models."""
    kept = f"{len(model.truth):,} rows kept aside"
    named = {other.name: other for other in others}
    if _better(model, named[MEAN]) <= CLEAR:
        return (
            f"Not worth it: on {kept}, the mean as a constant prediction is as good. The inputs "
            f"contain little information about {target}."
        )
    rivals = (named[TREES], named[LINE])
    scores = [_better(model, rival) for rival in rivals]
    worse = [rival for rival, score in zip(rivals, scores, strict=True) if score < -CLEAR]
    beaten = [rival for rival, score in zip(rivals, scores, strict=True) if score > CLEAR]
    if worse:
        best = min(worse, key=lambda each: each.error)
        them = "them" if best.name == TREES else "it"
        return f"{best.name} {_verb(best)} better on {kept}. Use {them}, or train another model."
    if len(beaten) == 2:
        return (
            f"Worth it: on {kept}, this model predicts better than boosted trees and a linear "
            "model."
        )
    if named[LINE] not in beaten:
        return (
            f"A linear model does as well: on {kept}, the difference may be chance. The "
            "intervals of this model are wider where it knows less."
        )
    return (
        f"As good as boosted trees on {kept}, and better than a linear model. The intervals of "
        "this model are wider where it knows less."
    )


def _verb(one: Predicted) -> str:
    return "predict" if one.name == TREES else "predicts"


def _better(one: Predicted, other: Predicted) -> float:
    """The gain of `one` over `other` in squared error, in standard errors of the gain."""
    return Difference.of(other.squares - one.squares).in_errors
