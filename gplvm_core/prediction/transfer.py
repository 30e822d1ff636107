"""View → view: predict one view of a row from others (Damianou 2015, §5.2.4, Algorithm 2).

The given views determine the latent dimensions that they use. Dimensions that only the wanted view
uses are private to it. Their values are taken from training points that are near in the shared
dimensions.
"""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.prediction.complete import NEGLIGIBLE, functions, reconstructed
from gplvm_core.prediction.forward import moments
from gplvm_core.prediction.network import Network
from gplvm_core.prediction.paths import Continued, likely_path
from gplvm_core.prediction.project import Explained, Projection, spread_out

# For K alternatives, K times this number of neighbours are considered; the most different
# neighbours are chosen.
NEIGHBOURS = 8
# The number of neighbours that may provide the private dimensions. They determine the variance of a
# single row, and the path of a sequence.
LENDERS = 10

Private = Literal["nearest", "prior"]
PRIVATE: tuple[Private, ...] = ("nearest", "prior")


@dataclass(frozen=True)
class Roles:
    """Dimensions that the wanted view shares with the given views, and its private dimensions."""

    shared: Bool[BoolArray, " Q"]
    private: Bool[BoolArray, " Q"]
    relevance: Float[Array, " Q"]  # ARD weights of the wanted view, which define distances

    @classmethod
    def of(
        cls,
        given: Bool[BoolArray, " Q"],
        wanted: Bool[BoolArray, " Q"],
        relevance: Float[Array, " Q"],
    ) -> Self:
        """Make the roles from the dimensions that the given views, and the wanted view, use."""
        return cls(wanted & given, wanted & ~given, relevance)


@dataclass(frozen=True)
class Wanted:
    """The view to predict, and the training points of the rows for which it was observed.

    node: the node of the shared points. Rows in which the view is missing say nothing about its
    private dimensions, so they are left out.
    """

    network: Network
    view: str
    node: int
    training: Belief
    roles: Roles

    def at(
        self, belief: Belief, *, noise: bool = True
    ) -> tuple[Float[Array, "N D"], Float[Array, "N D"]]:
        """Return mean and variance of the view, or of its functions, at points of the shared
        node.
        """
        return moments(self.network, {self.node: belief}, noise=noise, ends=(self.view,))[self.view]


def transfer(
    wanted: Wanted, found: Projection, count: int = 1, private: Private = "nearest"
) -> tuple[Float[Array, "N *K D"], Float[Array, "N *K D"]]:
    """Return mean and variance with noise of the wanted view, separately for each row.

    found: the rows' explanations from other views. private: "nearest" takes the private dimensions
    from the training points that are nearest in the shared dimensions (Algorithm 2); "prior"
    integrates them out, with all explanations of the row. count: if above 1, the result has up to
    this many alternatives from different neighbours (N × K × D), the best first; NaN where a row
    has fewer.

    A single prediction by "nearest" is the best alternative. Its variance is the expected squared
    error if the truth is one of the LENDERS best alternatives, with probabilities in proportion to
    their weights.
    """
    if _by_prior(wanted, count, private):
        explained = Explained.at(wanted.node, found)
        return reconstructed(wanted.network, explained, noise=True, ends=(wanted.view,))[
            wanted.view
        ]
    if count > 1:
        chosen = candidates(found, wanted.training, wanted.roles, count)
        return generate_candidates(wanted, chosen)
    every = candidates(found, wanted.training, wanted.roles, LENDERS, different=False)
    mean, variance = generate_candidates(wanted, every.likely(NEGLIGIBLE))
    weights, best = every.weights[:, :, None], mean[:, 0]
    missed = np.where(np.isfinite(mean), variance + (mean - best[:, None]) ** 2, 0.0)
    return best, np.sum(weights * missed, axis=1)


def transfer_functions(
    wanted: Wanted, found: Projection, count: int = 1, private: Private = "nearest"
) -> tuple[Float[Array, "N K"], Float[Array, "N K D"], Float[Array, "N K D"]]:
    """Compute `transfer` for the functions of the wanted view.

    Returns the weights of the explanations or alternatives (0 where a row has fewer), and the means
    and variances in each.
    """
    if _by_prior(wanted, count, private):
        return functions(wanted.network, Explained.at(wanted.node, found), wanted.view)
    chosen = candidates(found, wanted.training, wanted.roles, count)
    mean, variance = generate_candidates(wanted, chosen, noise=False)
    there = np.isfinite(chosen.bound)[:, :, None]
    # Unused slots for alternatives get finite moments and weight 0.
    return chosen.weights, np.where(there, mean, 0.0), np.where(there, variance, 1.0)


def _by_prior(wanted: Wanted, count: int, private: Private) -> bool:
    """Whether private dimensions are integrated out under their prior."""
    # If there are no shared dimensions, distances to neighbours are not defined.
    return private == "prior" or (count == 1 and not wanted.roles.shared.any())


def transfer_path(
    wanted: Wanted, belief: Belief, prior: Continued, private: Private = "nearest"
) -> Belief:
    """Return the path at which the wanted view is predicted, for the rows of one sequence.

    belief: the path found from the given views; prior: the prior over this path. The neighbours
    that provide the private dimensions are chosen as a probable path in time. The variances of
    these dimensions include the distances to the other neighbours.
    """
    if private == "nearest" and wanted.roles.private.any():
        return _with_private_path(wanted, belief, prior)
    return belief


def _with_private_path(wanted: Wanted, belief: Belief, prior: Continued) -> Belief:
    one = (belief.n_points, 1)
    single = Projection(belief.mean[:, None], belief.variance[:, None], np.zeros(one))
    near = candidates(single, wanted.training, wanted.roles, LENDERS, different=False)
    every = np.arange(belief.n_points)
    path = likely_path(near, every, prior)
    chosen = np.argmin(np.sum((near.mean - path[:, None]) ** 2, axis=2), axis=1)
    mean, weights = near.mean[every, chosen], near.weights[:, :, None]
    missed = np.sum(weights * (near.variance + (near.mean - mean[:, None]) ** 2), axis=1)
    spread = np.where(wanted.roles.private, missed, near.variance[every, chosen])
    return Belief(mean, spread)


def shared_distances(
    points: Float[Array, "N Q"], training_mean: Float[Array, "T Q"], roles: Roles
) -> Float[Array, "N T"]:
    """Return squared distances in the shared dimensions, in lengthscales of the wanted view."""
    weight = np.sqrt(roles.relevance[roles.shared])
    new, known = points[:, roles.shared] * weight, training_mean[:, roles.shared] * weight
    squared = np.sum(new**2, axis=1)[:, None] + np.sum(known**2, axis=1) - 2.0 * new @ known.T
    return np.maximum(squared, 0.0)


def candidates(
    found: Projection, training: Belief, roles: Roles, count: int, *, different: bool = True
) -> Projection:
    """Return latent points of the wanted view for each row.

    The private dimensions come from neighbours. The best point comes first. Its score is the weight
    of the explanation times exp(−½ distance²), with the distance of the neighbour. different:
    choose the best point, then the most different of the nearest points. Source: Algorithm 2.
    """
    n_rows, n_latent = len(found.bound), found.mean.shape[2]
    mean = np.zeros((n_rows, count, n_latent))
    variance, bound = np.ones_like(mean), np.full((n_rows, count), -np.inf)
    if not roles.private.any():
        used = min(count, found.bound.shape[1])
        mean[:, :used], variance[:, :used] = found.mean[:, :used], found.variance[:, :used]
        likely = found.weights[:, :used] > NEGLIGIBLE
        bound[:, :used] = np.where(likely, found.bound[:, :used], -np.inf)
        return Projection(mean, variance, bound)
    places = np.sqrt(roles.relevance) * (roles.shared | roles.private)
    for n, weights in enumerate(found.weights):
        explanations = np.flatnonzero(weights > NEGLIGIBLE)
        distance = shared_distances(found.mean[n, explanations], training.mean, roles)
        score = np.log(weights[explanations])[:, None] - 0.5 * distance
        most = count * NEIGHBOURS if different else count
        near = np.argsort(-score, axis=None, kind="stable")[:most]
        which, lender = np.unravel_index(near, score.shape)
        which = explanations[which]
        own = np.where(roles.private, training.mean[lender], found.mean[n, which])
        spread = np.where(roles.private, training.variance[lender], found.variance[n, which])
        chosen = np.sort(spread_out(own * places, np.arange(len(near))[None], count)[0])
        used = len(chosen)
        mean[n, :used], variance[n, :used] = own[chosen], spread[chosen]
        bound[n, :used] = score.flat[near[chosen]]
    return Projection(mean, variance, bound)


def generate_candidates(
    wanted: Wanted, found: Projection, *, noise: bool = True
) -> tuple[Float[Array, "N K D"], Float[Array, "N K D"]]:
    """Return mean and variance of the view, or of its functions, for every candidate; NaN where a
    row has fewer.
    """
    width = wanted.network.ends[wanted.view].posterior.n_outputs
    mean, variance = np.full((2, *found.bound.shape, width), np.nan)
    for k in range(found.bound.shape[1]):
        rows = np.flatnonzero(np.isfinite(found.bound[:, k]))
        mean[rows, k], variance[rows, k] = wanted.at(
            Belief(found.mean[rows, k], found.variance[rows, k]), noise=noise
        )
    return mean, variance


def correspond(
    wanted: Wanted, points: Float[Array, "N Q"], count: int
) -> tuple[Int[IntArray, "N K"], Float[Array, "N K"]]:
    """Return the nearest training points in the shared dimensions, and their distances.

    Distances are in lengthscales of the wanted view. Source: Damianou (2015), §5.3.2.
    """
    distance = np.sqrt(shared_distances(points, wanted.training.mean, wanted.roles))
    nearest = np.argsort(distance, axis=1, kind="stable")[:, :count]
    return nearest, np.take_along_axis(distance, nearest, axis=1)
