"""The inputs of a regression: exact, with noise of known or learnt size, or missing.

All quantities of this module are in internal units, in which every column of the inputs is
standardised.

Also here: scaling of a regression's inputs and of their variances.
"""

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.models.data.rows import variances_of
from gplvm_core.models.data.scaling import Scaling, column_units
from gplvm_core.numerics import Array, BoolArray, IntArray
from gplvm_core.priors import UncertainInputs
from gplvm_core.readers.errors import by_count

Variance = Float[Array, "N Q"] | Literal["learned"] | None


def input_scaling(points: Float[Array, "N Q"]) -> Scaling:
    """Each column's mean and standard deviation over its observed entries.

    A constant column is only centred; a completely missing column has center 0 and scale 1.
    """
    center, spread, constant = column_units(points)
    n_constant = int((constant & ~np.isnan(points).all(axis=0)).sum())
    notes: tuple[str, ...] = ()
    if n_constant:
        verb = by_count(n_constant, "is constant and has", "are constant and have")
        notes = (f"{n_constant} of {len(center)} input columns {verb} no effect",)
    return Scaling(center, np.where(constant, 1.0, spread), notes)


def internal_variance(
    variance: ArrayLike | None, shape: tuple[int, int], scale: Float[Array, " Q"]
) -> Variance:
    """Convert variances of inputs, a number, (Q,) or (N, Q), from user units to internal units.

    "learned" and None are returned unchanged. Raises ValueError for anything else.
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
    wanted = f"a number, of shape ({shape[1]},) or of X's shape {shape}"
    return np.asarray(variances_of(variance, shape, "X_variance", wanted) / scale**2)


# Initial variance of learnt input noise: the square of a tenth of the column's standard deviation.
INITIAL_NOISE = 0.01
# Initial variance of q for a missing input.
INITIAL_VARIANCE = 0.3


@dataclass(frozen=True)
class Inputs:
    """The inputs of a regression: the start of q(X), its free entries, and the prior p(X).

    groups: for each entry, the index of its learnt noise variance; -1 if its noise is not learnt.
    """

    belief: Belief
    prior: UncertainInputs
    missing: Bool[BoolArray, "N Q"]
    free_mean: Bool[BoolArray, "N Q"]
    free_variance: Bool[BoolArray, "N Q"]
    groups: Int[IntArray, "N Q"]

    @classmethod
    def of(
        cls,
        points: Float[Array, "N Q"],
        variance: Variance,
        *,
        constrained: bool = False,
    ) -> Self:
        """Make inputs from observed points (NaN = missing) and their noise variance (0 = exact).

        A missing entry has the prior N(0, 1). A noisy entry with the observed value z has the prior
        N(z, variance) (Damianou 2015, eq. 4.1). constrained: q(x) of a noisy entry has the fixed
        mean z (§4.2.1) and the given variance. If the noise is learnt, training finds one variance
        per column.
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
            # Damianou (2015), §4.2.1, uses the prior N(0, 1) for noisy entries, too. If there are
            # few outputs, the KL divergence to that prior exceeds the information of the outputs.
            # The optimum then ignores the observed inputs.
            UncertainInputs(observed, np.where(missing, 1.0, spread)),
            missing,
            missing | (False if constrained else noisy),
            missing | (noisy if learned or not constrained else False),
            groups,
        )

    @property
    def exact(self) -> Bool[BoolArray, "N Q"]:
        """True for the entries that are known exactly."""
        return np.asarray(self.belief.observed)

    def starting_at(self, mean: Float[Array, "N Q"], variance: Float[Array, "N Q"]) -> Self:
        """Replace the start of q(X) for the missing entries."""
        belief = Belief(
            np.where(self.missing, mean, self.belief.mean),
            np.where(self.missing, variance, self.belief.variance),
            self.belief.observed,
        )
        return replace(self, belief=belief)

    def rows(self, chosen: Bool[BoolArray, " N"] | Int[IntArray, " n"]) -> Self:
        """The inputs of some of the points."""
        belief, prior = self.belief, self.prior
        return type(self)(
            Belief(belief.mean[chosen], belief.variance[chosen], self.exact[chosen]),
            UncertainInputs(prior.center[chosen], prior.variance[chosen]),
            self.missing[chosen],
            self.free_mean[chosen],
            self.free_variance[chosen],
            self.groups[chosen],
        )


def new_inputs(
    points: Float[Array, "N Q"],
    variance: ArrayLike | None,
    center: Float[Array, " Q"],
    scale: Float[Array, " Q"],
) -> Belief:
    """Convert new inputs from user units to internal units; missing entries become N(0, 1)."""
    spread = internal_variance(variance, points.shape, scale)
    if isinstance(spread, str):
        raise ValueError("X_variance of new inputs must be variances; got 'learned'")
    prior = Inputs.of((points - center) / scale, spread).prior
    return Belief(prior.center, prior.variance)
