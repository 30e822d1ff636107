"""How typical are new rows: log p(observed outputs of y* | Y), by a difference of bounds."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from scipy.special import logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import gram_factor
from gplvm_core.numerics import Array
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Projection
from gplvm_core.prediction.row_terms import Evidence
from gplvm_core.priors import StandardNormal
from gplvm_core.statistics import Statistics

Turn = Callable[[Array], Array]


def log_density(
    evidence: Sequence[Evidence], statistics: Sequence[Statistics], found: Projection
) -> Float[Array, " N"]:
    """log p(y* | Y) ≈ F(q(X, x*)) − F(q(X)) of each row on its own, in nats, in the user's units.

    Only the columns that a row observes (not NaN) get it. `statistics` are the training data's in
    each layer; because they add, only the new row's are computed. Explanations of a row count
    together. An approximation: the difference of two lower bounds bounds nothing (Titsias &
    Lawrence 2010, eq. 20).
    """
    n_latent = found.mean.shape[2]
    every = Belief(found.mean.reshape(-1, n_latent), found.variance.reshape(-1, n_latent))
    kl = StandardNormal().kl_terms(every).sum(axis=1).reshape(found.bound.shape)
    told = np.where(np.isfinite(found.bound), -kl, -np.inf)
    for each, known in zip(evidence, statistics, strict=True):
        told += gains(each, known, found)
    return np.asarray(logsumexp(told, axis=1))


def log_density_at(
    posterior: Posterior, outputs: Float[Array, "N D"], points: Float[Array, "N Q"]
) -> Float[Array, " N"]:
    """log p(observed y | x*, Y) + log p(x*) of each row at a latent point, in nats (user's units).

    A joint density at a point, not an integral over x*.
    """
    mean, variance = predict(posterior, points, noise=True)
    terms = np.log(2.0 * np.pi * variance) + (outputs - mean) ** 2 / variance
    prior = np.sum(points**2 + np.log(2.0 * np.pi), axis=1)
    return np.asarray(-0.5 * (np.nansum(terms, axis=1) + prior))


def gains(evidence: Evidence, statistics: Statistics, found: Projection) -> Float[Array, "N K"]:
    """By how much each row's outputs in one layer raise F_data, 0 where there is no explanation."""
    posterior, internal = evidence.posterior, evidence.internal
    gram = gram_factor(posterior.kernel, posterior.inducing, posterior.jitter, relative=False)
    observed = ~np.isnan(internal)

    def bound(known: Statistics, seen: Bool[NDArray[np.bool_], " D"]) -> float:
        return posterior.bound(known, gram, seen).value

    raised = np.zeros(found.bound.shape)
    before: dict[bytes, tuple[Statistics, Turn, float]] = {}
    for n, k in zip(*np.nonzero(np.isfinite(found.bound)), strict=True):
        seen, pattern = observed[n], observed[n].tobytes()
        if not seen.any():
            continue
        if pattern not in before:
            alone = _of_columns(statistics, seen)
            alone, turn = _turned(alone) if posterior.each is None else (alone, _as_they_are)
            before[pattern] = alone, turn, bound(alone, seen)
        alone, turn, value = before[pattern]
        belief = Belief(found.mean[n, k][None], found.variance[n, k][None])
        together = alone + _of_row(posterior, belief, turn(internal[n, seen]), alone)
        raised[n, k] = bound(together, seen) - value
    jacobian = observed.astype(np.float64) @ np.log(posterior.scale)
    return raised - jacobian[:, None]


def _of_columns(statistics: Statistics, chosen: Bool[NDArray[np.bool_], " D"]) -> Statistics:
    """The statistics of some columns alone; yy, which differences do not need, is left out."""
    used, groups = np.unique(np.asarray(statistics.groups)[chosen], return_inverse=True)
    return Statistics(
        statistics.psi0[used],
        statistics.psi1_targets[:, chosen],
        statistics.psi2[used],
        0.0,
        statistics.n_points[used],
        np.bincount(groups),
        groups,
    )


def _as_they_are(values: Array) -> Array:
    return values


def _turned(statistics: Statistics) -> tuple[Statistics, Turn]:
    """The same statistics in few columns, and what takes one more row's outputs to these.

    With one noise the bound does not change when a group's outputs are rotated. In a basis of the
    training data's A = Ψᵀ·targets, M columns hold all of A; one more takes what a row has beside.
    """
    most = len(statistics.psi1_targets)
    columns = statistics.columns()
    targets = [statistics.psi1_targets[:, each] for each in columns]
    bases = [np.linalg.qr(each.T)[0] if each.shape[1] > most + 1 else None for each in targets]
    few = [
        each if basis is None else np.hstack([each @ basis, np.zeros((most, 1))])
        for each, basis in zip(targets, bases, strict=True)
    ]

    def turn(values: Array) -> Array:
        parts = []
        for each, basis in zip(columns, bases, strict=True):
            part = values[each]
            if basis is not None:
                inside = part @ basis
                part = np.append(inside, np.linalg.norm(part - basis @ inside))
            parts.append(part)
        return np.concatenate(parts)

    groups = np.repeat(np.arange(len(few)), [each.shape[1] for each in few])
    return replace(statistics, psi1_targets=np.hstack(few), groups=groups), turn


def _of_row(posterior: Posterior, belief: Belief, values: Array, like: Statistics) -> Statistics:
    """The statistics of one more row in the same columns and groups."""
    kernel, inducing = posterior.kernel, posterior.inducing
    psi0, _ = kernel.psi0(belief.mean, belief.variance)
    psi1, _ = kernel.psi1(belief.mean, belief.variance, inducing)
    psi2, _ = kernel.psi2(belief.mean, belief.variance, inducing)
    return Statistics(
        np.full_like(like.psi0, psi0[0]),
        np.outer(psi1[0], values),
        np.broadcast_to(psi2, like.psi2.shape),
        float(values @ values),
        np.ones_like(like.n_points),
        like.n_outputs,
        like.groups,
    )
