"""A shift of rows: a layer whose outputs are the next rows of the same sequences."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import IntArray


@dataclass(frozen=True)
class Shift:
    """Pairs of rows: row before[i] is an input of the layer, and row after[i] is its output."""

    before: Int[IntArray, " P"]
    after: Int[IntArray, " P"]

    @staticmethod
    def taken(belief: Belief, rows: Int[IntArray, " P"]) -> Belief:
        """The belief about some rows."""
        return Belief(belief.mean[rows], belief.variance[rows])

    @staticmethod
    def returned(slope: Belief, rows: Int[IntArray, " P"], count: int) -> Belief:
        """Put the gradients of some rows in their places among `count` rows; 0 elsewhere.

        Every row must occur at most once.
        """
        mean, variance = np.zeros((2, count, slope.n_latent))
        mean[rows], variance[rows] = slope.mean, slope.variance
        return Belief(mean, variance)
