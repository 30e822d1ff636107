"""Starting values of a deep regression's missing inputs, imputed by a shallow regression."""

import numpy as np
from jaxtyping import Bool, Float

from gplvm_core.models.data.inputs import INITIAL_VARIANCE, Inputs
from gplvm_core.models.data.scaling import Scaling
from gplvm_core.models.problems.inputs import guess_inputs
from gplvm_core.models.problems.shallow import SHALLOW_ITERATIONS, shallow_layer
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.impute import impute
from gplvm_core.readers.errors import plural
from gplvm_core.statistics import Executor

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
            "missing "
            "inputs start from the outputs",
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
    known, partial, n_outputs = inputs.rows(whole), inputs.rows(~whole), targets.shape[1]
    layer = shallow_layer(known, targets[whole], n_inducing, jitter, executor, max_iter)
    # Inputs and outputs are in internal units.
    posterior = layer.as_posterior(Scaling(np.zeros(n_outputs), np.ones(n_outputs)))
    incomplete = targets[~whole], partial.belief, partial.prior, partial.missing
    found = impute(posterior, *incomplete, known.belief.mean)
    mean, variance = inputs.belief.mean.copy(), inputs.belief.variance.copy()
    mean[~whole], variance[~whole] = found.mean, found.variance
    return inputs.starting_at(mean, variance)
