"""The inputs of a regression: known exactly, with noise of known or learnt size, or missing.

Everything here is in internal units, in which every column of the inputs is standardised.
"""

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.models.scaling import Scaling
from gplvm_core.numerics import Array
from gplvm_core.priors import UncertainInputs

# Where learnt input noise starts, in variances of the column: a tenth of its spread.
INITIAL_NOISE = 0.01
# Where the belief about an input that nothing tells of starts.
INITIAL_VARIANCE = 0.3

Variance = Float[Array, "N Q"] | Literal["learned"] | None
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Inputs:
    """What is known of the inputs: where q(X) starts, what of it moves, and the prior p(X).

    groups: which noise variance an entry shares and learns, -1 where there is none to learn.
    """

    belief: Belief
    prior: UncertainInputs
    missing: Bool[Flags, "N Q"]
    free_mean: Bool[Flags, "N Q"]
    free_variance: Bool[Flags, "N Q"]
    groups: Int[NDArray[np.intp], "N Q"]

    @classmethod
    def of(
        cls,
        points: Float[Array, "N Q"],
        variance: Variance,
        *,
        constrained: bool = False,
    ) -> Self:
        """Inputs as observed (NaN = missing) with the variance of their noise (0 = exact).

        A missing entry has the prior N(0, 1), a noisy one N(z, variance) (Damianou 2015,
        eq. 4.1). constrained: q(x) of a noisy entry stays centred on z (§4.2.1), with the
        variance that is given, or one of its own when that is learnt, one for each column.
        """
        missing = np.isnan(points)
        learned = isinstance(variance, str)
        if variance is None or isinstance(variance, str):
            spread = np.full(points.shape, INITIAL_NOISE if learned else 0.0)
        else:
            spread = variance
        exact = ~missing & (spread == 0.0)
        noisy = ~missing & ~exact
        observed = np.where(missing, 0.0, points)
        groups = np.where(noisy & learned, np.arange(points.shape[1]), -1)
        start = np.where(missing, INITIAL_VARIANCE, spread)
        return cls(
            Belief(observed, start, exact),
            # Not the N(0, 1) of Damianou's §4.2.1 for noisy entries too: for every z that cost of
            # knowing it outweighs what a few outputs tell, and the best is to know nothing.
            UncertainInputs(observed, np.where(missing, 1.0, spread)),
            missing,
            missing | (False if constrained else noisy),
            missing | (noisy if learned or not constrained else False),
            groups,
        )

    @property
    def exact(self) -> Bool[Flags, "N Q"]:
        """Which entries are known exactly."""
        return np.asarray(self.belief.observed)

    def starting_at(self, mean: Float[Array, "N Q"], variance: Float[Array, "N Q"]) -> Self:
        """The same, with q(X) of the missing entries starting elsewhere."""
        belief = Belief(
            np.where(self.missing, mean, self.belief.mean),
            np.where(self.missing, variance, self.belief.variance),
            self.belief.observed,
        )
        return replace(self, belief=belief)

    def rows(self, chosen: Bool[Flags, " N"]) -> Self:
        """What is known of some of the points."""
        belief, prior = self.belief, self.prior
        return type(self)(
            Belief(belief.mean[chosen], belief.variance[chosen], self.exact[chosen]),
            UncertainInputs(prior.center[chosen], prior.variance[chosen]),
            self.missing[chosen],
            self.free_mean[chosen],
            self.free_variance[chosen],
            self.groups[chosen],
        )


def input_scaling(points: Float[Array, "N Q"]) -> Scaling:
    """Each column's mean and standard deviation over its observed entries.

    A constant column keeps its units; one that is missing altogether is in internal units.
    """
    observed = ~np.isnan(points)
    count = np.maximum(observed.sum(axis=0), 1)
    center = np.where(observed, points, 0.0).sum(axis=0) / count
    deviation = np.where(observed, points - center, 0.0)
    spread = np.sqrt((deviation**2).sum(axis=0) / count)
    constant = spread <= 1e-12 * np.maximum(np.abs(center), np.finfo(float).tiny)
    n_constant = int((constant & observed.any(axis=0)).sum())
    notes: tuple[str, ...] = ()
    if n_constant:
        notes = (f"{n_constant} of {len(center)} input columns are constant: they tell nothing",)
    return Scaling(center, np.where(constant, 1.0, spread), notes)


def internal_variance(
    variance: ArrayLike | None, shape: tuple[int, int], scale: Float[Array, " Q"]
) -> Variance:
    """Variances of inputs in internal units, from a number, (Q,) or (N, Q) in the user's.

    "learned" and None stay as they are. Raises ValueError for anything else.
    """
    if variance is None:
        return None
    if isinstance(variance, str):
        if variance == "learned":
            return "learned"
        raise ValueError(
            f"X_variance must be None, 'learned' or variances (a number, one for each of the "
            f"{shape[1]} columns, or one for each entry); got {variance!r}"
        )
    given = np.asarray(variance, dtype=np.float64)
    try:
        spread = np.broadcast_to(given, shape)
    except ValueError:
        raise ValueError(
            f"X_variance must be a number, of shape ({shape[1]},) or of X's shape {shape}; "
            f"got shape {given.shape}"
        ) from None
    if not (np.isfinite(spread) & (spread >= 0.0)).all():
        raise ValueError(
            "X_variance holds variances: none may be negative, infinite or NaN "
            "(0 = that entry is exact)"
        )
    return np.asarray(spread / scale**2)
