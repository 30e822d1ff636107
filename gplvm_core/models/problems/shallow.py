"""The shallow regression (one layer), from which deep regressions start.

Also here: starting values of a deep regression's missing inputs, imputed by a shallow regression.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.kernels import Kernel
from gplvm_core.models.data.inputs import INITIAL_VARIANCE, Inputs
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.edges import Settled, relevance_of
from gplvm_core.models.problems.graph import Given
from gplvm_core.models.problems.nodes import guess_inputs
from gplvm_core.models.problems.regression import RegressionStart, regression
from gplvm_core.models.problems.starts import of_unit_scale
from gplvm_core.models.training.schedule import Training
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.impute import impute
from gplvm_core.readers.errors import plural
from gplvm_core.statistics import Executor, Targets
from gplvm_core.statistics.reduce import serial

SHALLOW_ITERATIONS = 200
# The largest factor for an input column; the factor is one over the column's lengthscale. Without
# this limit a column with few values, for which any short lengthscale fits, would dominate all
# other columns.
MOST_RELEVANT = 10.0


@dataclass(frozen=True)
class Shallow:
    """A trained regression with one layer, from which deep regressions start.

    kernel: the trained kernel with unit scale. inducing: the trained inducing inputs. answer: the
    predicted mean at the inputs. leading: the inputs, divided by the lengthscales and rotated so
    that the answer changes most along the first dimension, second most along the second, and so on.
    The axes of this rotation are the eigenvectors of the mean outer product of the answer's
    gradients (the active subspace).
    """

    inputs: Inputs
    kernel: Kernel
    inducing: Float[Array, "M Q"]
    answer: Float[Array, "N D"]
    leading: Float[Array, "N Q"]

    @classmethod
    def of(
        cls,
        inputs: Inputs,
        targets: Float[Array, "N D"],
        n_inducing: int,
        jitter: float,
        executor: Executor = serial,
        max_iter: int = SHALLOW_ITERATIONS,
    ) -> Self:
        """Train the shallow regression; deep starts can match its bound. There is no seed."""
        layer = shallow_layer(inputs, targets, n_inducing, jitter, executor, max_iter)
        mean, weights = inputs.belief.mean, layer.posterior.weights
        certain = np.zeros_like(mean)
        cross, pullback = layer.layer.kernel.psi1(mean, certain, layer.layer.inducing)
        units = np.sqrt(relevance_of(layer.layer.kernel, mean.shape[1]))
        units = np.minimum(units, MOST_RELEVANT)
        outer = np.zeros((mean.shape[1], mean.shape[1]))
        for own in weights.T:
            steps = pullback(np.tile(own, (len(mean), 1))).mean / units
            outer += steps.T @ steps
        _, turned = np.linalg.eigh(outer)
        leading = (mean * units) @ turned[:, ::-1]
        kernel = of_unit_scale(layer.layer.kernel, mean)
        return cls(inputs, kernel, layer.layer.inducing, cross @ weights, leading)


def shallow_layer(
    inputs: Inputs,
    targets: Float[Array, "N D"],
    n_inducing: int,
    jitter: float,
    executor: Executor,
    max_iter: int = SHALLOW_ITERATIONS,
) -> Settled:
    """Train the regression of one layer; the result does not depend on a seed.

    With missing inputs, the kernel is fixed except for its scale. Otherwise training would make
    inputs irrelevant to reduce the cost of their missing entries.
    """
    seen = Targets.of(targets)
    begin = Given(RegressionStart(inputs, seen, "rbf", n_inducing, jitter, executor)(0))
    graph = regression(
        inputs,
        seen,
        begin,
        n_inducing=n_inducing,
        jitter=jitter,
        executor=executor,
        kernel_held=bool(inputs.missing.any()),
    )
    most = min(max_iter, SHALLOW_ITERATIONS)
    (trained,) = Training(graph, most, jitter, 0.0).run((0,))
    (layer,) = graph.learnt(trained.parameters, (targets,)).layers
    return layer


# A shallow regression can impute the other rows if at least this number of rows is complete.
LEAST_ROWS = 3


def whole_rows(inputs: Inputs) -> Bool[BoolArray, " N"]:
    """The rows without missing inputs."""
    return np.asarray(~inputs.missing.any(axis=1))


def rows_with_inputs(inputs: Inputs) -> tuple[Bool[BoolArray, " N"], tuple[str, ...]]:
    """The rows to train on, and notes on the other rows, or on a lack of complete rows.

    If there are enough complete rows, rows without any input are left out.
    """
    n_whole, n_given = int(whole_rows(inputs).sum()), inputs.belief.n_points
    if n_whole < min(LEAST_ROWS, n_given):
        return np.ones(n_given, dtype=bool), (
            f"complete inputs are in {plural(n_whole, 'row')}, too few to impute the other rows: "
            "missing inputs start from the outputs",
        )
    kept = np.asarray(~inputs.missing.all(axis=1))
    if kept.all():
        return kept, ()
    return kept, (
        f"left out, because they have no input: {n_given - kept.sum()} of {n_given} rows",
    )


def imputed(
    inputs: Inputs,
    targets: Float[Array, "N D"],
    n_inducing: int,
    jitter: float,
    executor: Executor,
    max_iter: int = SHALLOW_ITERATIONS,
) -> Inputs:
    """The inputs, with q(X) of missing entries imputed by a regression on the complete rows.

    With too few complete rows, missing entries are copied from rows with similar outputs. Source:
    Damianou (2015), Algorithm 1.
    """
    whole = whole_rows(inputs)
    if whole.all():
        return inputs
    if whole.sum() < LEAST_ROWS:
        mean = guess_inputs(inputs, targets, np.random.default_rng(0))
        return inputs.starting_at(mean, np.full_like(mean, INITIAL_VARIANCE))
    known = inputs.rows(whole), targets[whole]
    layer = shallow_layer(*known, n_inducing, jitter, executor, max_iter)
    return imputed_by(layer, inputs, targets)


def imputed_by(layer: Settled, inputs: Inputs, targets: Float[Array, "N D"]) -> Inputs:
    """The inputs, with q(X) of missing entries imputed by the layer of the complete rows."""
    whole = whole_rows(inputs)
    known, partial = inputs.rows(whole), inputs.rows(~whole)
    # Inputs and outputs are in internal units.
    posterior = layer.as_posterior(Scaling.none(targets.shape[1]))
    incomplete = targets[~whole], partial.belief, partial.prior, partial.missing
    found = impute(posterior, *incomplete, known.belief.mean)
    mean, variance = inputs.belief.mean.copy(), inputs.belief.variance.copy()
    mean[~whole], variance[~whole] = found.mean, found.variance
    return inputs.starting_at(mean, variance)
