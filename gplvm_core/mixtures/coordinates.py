"""Coordinates for mixtures of full Gaussians: few numbers per row, in comparable units."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from jaxtyping import Float

from gplvm_core.mixtures.derived import LocalGaussians
from gplvm_core.mixtures.gaussians import Gaussians
from gplvm_core.numerics import Array

# The number of principal axes of wide rows; all other directions share one variance.
MOST_AXES = 256
ROWS_AN_AXIS = 3
# The weight of a wide Gaussian for rows that are unlike all others. This Gaussian costs at most
# 0.01 nats per row.
BACKGROUND = 0.01
# The wide Gaussian's variances as multiples of the rows' variances, and the factor by which its
# correlations are smaller than those of the rows.
WIDER = 8.0
CORRELATED = 0.5


@dataclass(frozen=True)
class Axes:
    """Rows are middle + directions · z + e, with e ~ N(0, around) orthogonal to the directions."""

    directions: Float[Array, "D E"]
    middle: Float[Array, " D"]
    around: float

    @classmethod
    def of(cls, rows: Float[Array, "N D"]) -> Self:
        """Fit the principal axes of wide rows."""
        middle = rows.mean(axis=0)
        _, values, axes = np.linalg.svd(rows - middle, full_matrices=False)
        width = max(1, min(MOST_AXES, len(rows) // ROWS_AN_AXIS))
        # The axes are fitted to these rows, so the residuals are too small: divide by the degrees
        # of freedom.
        free = max(1, len(rows) - width) * (rows.shape[1] - width)
        return cls(axes[:width].T, middle, float(np.sum(values[width:] ** 2)) / free)


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
            whole = whole.along(axes.directions).in_units(axes.middle, np.ones_like(self.scale))
        return whole.in_units(self.center, self.scale)
