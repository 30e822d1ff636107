"""Coordinates for mixtures of full Gaussians: few numbers per row, in comparable units."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.mixtures.derived import LocalGaussians
from gplvm_core.mixtures.gaussians import Gaussians
from gplvm_core.numerics import Array

# The number of principal axes of wide rows along which Gaussians differ, and of all axes.
MOST_AXES = 256
ROWS_AN_AXIS = 3
MOST_COMMON = 512
# Candidates for the variance in all directions, as shares of the columns' mean variance.
AROUND = np.geomspace(1e-6, 1.0, 61)
# The weight of a wide Gaussian for rows that are unlike all others. This Gaussian costs at most
# 0.01 nats per row.
BACKGROUND = 0.01
# The wide Gaussian's variances as multiples of the rows' variances, and the factor by which its
# correlations are smaller than those of the rows.
WIDER = 8.0
CORRELATED = 0.5


@dataclass(frozen=True)
class Axes:
    """Rows are middle + U z + G g + e, with g ~ N(0, I) and e ~ N(0, around).

    directions: U, the leading principal axes of the rows; e is orthogonal to them. common: G, the
    other axes, each times its standard deviation in the rows.
    """

    directions: Float[Array, "D E"]
    middle: Float[Array, " D"]
    around: float
    common: Float[Array, "D T"]

    @classmethod
    def of(cls, rows: Float[Array, "N D"]) -> Self:
        """Fit the principal axes of wide rows.

        The variance `around` is chosen for one Gaussian, whose covariance is that of the rows plus
        this variance: it maximises the density of each row given the others.
        """
        middle = rows.mean(axis=0)
        along, values, axes = np.linalg.svd(rows - middle, full_matrices=False)
        most = max(1, min(MOST_COMMON, len(rows) - 1, rows.shape[1]))
        width = max(1, min(MOST_AXES, len(rows) // ROWS_AN_AXIS))
        mean = float(np.sum(values**2)) / rows.size
        tried = max(mean, np.finfo(float).tiny) * AROUND
        scores = [left_out(along, values, most, rows.shape[1], each) for each in tried]
        common = axes[width:most].T * (values[width:most] / np.sqrt(len(rows)))
        return cls(axes[:width].T, middle, float(tried[np.argmax(scores)]), common)


def left_out(
    along: Float[Array, "N R"], values: Float[Array, " R"], most: int, width: int, around: float
) -> float:
    """Return the mean log density of each row under one Gaussian of the other rows, in nats.

    The Gaussian has the covariance of the other rows along the first `most` principal axes, plus
    the variance `around` in all directions. along, values: the singular vectors and values of the
    centred rows; width: the number of columns. The axes are those of all rows.

    With c = N/(N − 1), the other rows have the mean m − x/(N − 1) and the covariance
    c S − c/(N − 1) x xᵀ for S and x of all rows, so the inverse follows from that of c S + v I.
    """
    count = len(along)
    more = count / (count - 1.0)
    spread = more * values**2 / count + around
    spread[most:] = around
    inside = (along[:, :most] * values[:most]) ** 2 @ (1.0 / spread[:most])
    outside = (along[:, most:] * values[most:]) ** 2 @ (1.0 / spread[most:])
    less = more / (count - 1.0)
    left = np.maximum(1.0 - less * inside, np.finfo(float).eps)
    squares = more**2 * (inside + outside + less * inside**2 / left)
    constant = width * np.log(2.0 * np.pi * around) + np.sum(np.log(spread / around))
    return float(np.mean(-0.5 * (squares + constant + np.log(left))))


@dataclass(frozen=True)
class Coordinates:
    """Rows in units of the outputs' scales, along principal axes if the rows are wide."""

    center: Float[Array, " D"]
    scale: Float[Array, " D"]
    axes: Axes | None = None

    def fitted(self, rows: Float[Array, "N D"]) -> Self:
        """Return the coordinates, with principal axes if the rows are wide."""
        if rows.shape[1] <= MOST_AXES:
            return self
        return replace(self, axes=Axes.of((rows - self.center) / self.scale))

    def of(self, rows: Float[Array, "N D"]) -> Float[Array, "N E"]:
        """Return the coordinates of rows."""
        own = (rows - self.center) / self.scale
        return own if self.axes is None else (own - self.axes.middle) @ self.axes.directions

    def covariance(self, variances: Float[Array, " D"]) -> Float[Array, "E E"]:
        """Return the covariance of the coordinates for independent outputs with these variances."""
        own = variances / self.scale**2
        if self.axes is None:
            return np.diag(own)
        return (self.axes.directions.T * own) @ self.axes.directions

    def density(self, found: LocalGaussians, rows: Float[Array, "N E"]) -> Gaussians:
        """Return the density of rows in the user's units, with a wide background.

        rows: the coordinates of the rows to which the density was fitted.
        """
        spread, axes = np.atleast_2d(np.cov(rows.T, bias=True)), self.axes
        # A column may be constant in the rows; the Gaussians' own variances are positive.
        within = found.weights @ np.diagonal(found.covariances, axis1=1, axis2=2)
        alone = np.maximum(spread.diagonal(), within) - CORRELATED * spread.diagonal()
        wide = WIDER * (CORRELATED * spread + np.diag(alone))
        around = (None, None) if axes is None else (axes.around, WIDER * axes.around)
        whole = Gaussians.mixed(
            (
                Gaussians.full(found.weights, found.means, found.covariances, around[0]),
                Gaussians.full(np.ones(1), rows.mean(axis=0)[None], wide[None], around[1]),
            ),
            np.array([1.0 - BACKGROUND, BACKGROUND]),
        )
        if axes is not None:
            whole = whole.along(axes.directions, axes.common)
            whole = whole.in_units(axes.middle, np.ones_like(self.scale))
        return whole.in_units(self.center, self.scale)
