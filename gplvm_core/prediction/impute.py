"""Outputs → missing inputs of the same rows, with q(u) fixed at its optimum.

`explain` infers either all inputs of a node or none. This module is for rows that lack different
inputs; their other inputs are exact or uncertain. Both modules use the same terms of the bound
(`UncertainTerms`).
"""

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.optimise import minimise_rows
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.row_terms import UncertainTerms
from gplvm_core.priors import UncertainInputs

MAX_ITERATIONS = 200
TOLERANCE = 1e-6
# The number of complete rows whose inputs serve as starts; one more start is the prior mean.
NEIGHBOURS = 2


def impute(
    posterior: Posterior,
    outputs: Float[Array, "N D"],
    belief: Belief,
    prior: UncertainInputs,
    missing: Bool[BoolArray, "N Q"],
    whole: Float[Array, "T Q"],
) -> Belief:
    """Return q(x_n), with each row's missing inputs inferred from its outputs (user's units).

    belief: the other inputs, which are fixed, and the starting variances of the missing inputs. The
    search for the means of the missing inputs starts from the nearest complete inputs, and from
    0. The result is the end point with the highest bound. Source: Damianou (2015), Algorithm 1,
    step 6, and §3.4.1.
    """
    terms = UncertainTerms.of(posterior, posterior.to_internal(outputs))
    n_latent = posterior.n_latent

    def unpack(vector: Array, rows: NDArray[np.intp]) -> Belief:
        free = missing[rows]
        return Belief(
            np.where(free, vector[:, :n_latent], belief.mean[rows]),
            np.where(free, np.exp(2.0 * vector[:, n_latent:]), belief.variance[rows]),
            ~free,
        )

    def negative_bound(vector: Array, rows: NDArray[np.intp]) -> tuple[Array, Array]:
        # A step that is too long may overflow; the row's evaluation is then rejected.
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            at = unpack(vector, rows)
            value, d_mean, d_variance = terms.data(at.mean, at.variance, rows)
            own = UncertainInputs(prior.center[rows], prior.variance[rows])
            _, d_kl = own.kl(at)
            d_mean, d_variance = d_mean - d_kl.mean, d_variance - d_kl.variance
            gradient = np.hstack([d_mean, 2.0 * at.variance * d_variance])
            kl = own.kl_terms(at).sum(axis=1)
        return kl - value, -np.where(np.hstack([missing[rows]] * 2), gradient, 0.0)

    spread = 0.5 * np.log(np.where(missing, belief.variance, 1.0))
    runs = [
        minimise_rows(negative_bound, np.hstack([start, spread]), MAX_ITERATIONS, TOLERANCE)
        for start in _starts(posterior, outputs, belief, missing, whole)
    ]
    chosen = np.argmin([run.values for run in runs], axis=0)
    every = np.arange(len(missing))
    end = np.stack([run.x for run in runs])[chosen, every]
    best = unpack(end, every)
    return Belief(best.mean, best.variance, belief.observed)


def distance_observed(
    rows: Float[Array, "N D"], others: Float[Array, "T D"]
) -> Float[Array, "N T"]:
    """Return the mean squared distance over each row's observed entries (0 if it has none)."""
    known = ~np.isnan(rows)
    filled = np.where(known, rows, 0.0)
    square = np.sum(filled**2, axis=1)[:, None] - 2.0 * filled @ others.T + known @ (others**2).T
    return np.asarray(square / np.maximum(known.sum(axis=1), 1)[:, None])


def _starts(
    posterior: Posterior,
    outputs: Array,
    belief: Belief,
    missing: Bool[BoolArray, "N Q"],
    whole: Array,
) -> Float[Array, "K N Q"]:
    """Return starts for missing inputs: complete rows with similar outputs and observed inputs."""
    generated, _ = predict(posterior, whole)
    near = distance_observed(outputs, generated)
    near = near + distance_observed(np.where(missing, np.nan, belief.mean), whole)
    order = np.argsort(near, axis=1, kind="stable")[:, :NEIGHBOURS]
    starts = [whole[column] for column in order.T]
    return np.stack([*starts, np.zeros_like(starts[0])])
