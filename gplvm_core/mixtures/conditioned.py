"""A Gaussian N(m, B Bᵀ + N) with noise N = diag v + G Gᵀ, given some columns of a row.

With s the observed and h the missing columns, Nₛ⁻¹ follows from M = I + Gₛᵀ Vₛ⁻¹ Gₛ, and the
Gaussian from L Lᵀ = I + Bₛᵀ Nₛ⁻¹ Bₛ.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.numerics import Array, Factor, factorise

Seen = Bool[NDArray[np.bool_], " D"]


@dataclass(frozen=True, eq=False)
class Noise:
    """N = diag v + G Gᵀ in the observed columns (`seen`) and the missing columns.

    variances: v. common: G; None means 0.
    """

    variances: Float[Array, " D"]
    common: Float[Array, "D T"] | None
    seen: Seen

    @cached_property
    def own(self) -> Float[Array, " S"]:
        """The variances v of the observed columns."""
        return self.variances[self.seen]

    @cached_property
    def half(self) -> Float[Array, "T S"] | None:
        """L_M⁻¹ Gₛᵀ Vₛ⁻¹."""
        if self.common is None or self._factor is None:
            return None
        return self._factor.solve_lower((self.common[self.seen] / self.own[:, None]).T)

    @cached_property
    def log_determinant(self) -> float:
        """log |Nₛ|."""
        more = 0.0 if self._factor is None else self._factor.log_determinant
        return float(np.sum(np.log(self.own))) + more

    @cached_property
    def precisions(self) -> Float[Array, " S"]:
        """The diagonal of Nₛ⁻¹."""
        alone = 1.0 / self.own
        return alone if self.half is None else alone - np.sum(self.half**2, axis=0)

    @cached_property
    def hidden_variances(self) -> Float[Array, " H"]:
        """The variances of the noise of the missing columns, given that of the observed ones."""
        alone = self.variances[~self.seen]
        return alone if self._across is None else alone + np.sum(self._across**2, axis=0)

    def solve(self, right: Float[Array, "S n"]) -> Float[Array, "S n"]:
        """Return Nₛ⁻¹ right."""
        found = right / self.own[:, None]
        return found if self.half is None else found - self.half.T @ (self.half @ right)

    def squares(self, rows: Float[Array, "n S"]) -> Float[Array, " n"]:
        """Return yᵀ Nₛ⁻¹ y of each row."""
        found = np.sum(rows**2 / self.own, axis=1)
        return found if self.half is None else found - np.sum((rows @ self.half.T) ** 2, axis=1)

    def hidden(self, rows: Float[Array, "n S"]) -> Float[Array, "n H"]:
        """Return G_h Gₛᵀ Nₛ⁻¹ y: the expected noise of the missing columns, if y is the observed
        noise.
        """
        if self.half is None or self._across is None:
            return np.zeros((len(rows), int((~self.seen).sum())))
        # Gₛᵀ Nₛ⁻¹ = M⁻¹ Gₛᵀ Vₛ⁻¹
        return (rows @ self.half.T) @ self._across

    def sample_hidden(self, count: int, generator: np.random.Generator) -> Float[Array, "n H"]:
        """Draw the noise of the missing columns around its expectation."""
        alone = self.variances[~self.seen]
        found = np.sqrt(alone) * generator.standard_normal((count, len(alone)))
        if self._across is None:
            return found
        return found + generator.standard_normal((count, len(self._across))) @ self._across

    @cached_property
    def _factor(self) -> Factor | None:
        """L_M."""
        if self.common is None:
            return None
        own = self.common[self.seen]
        return factorise(np.eye(own.shape[1]) + own.T @ (own / self.own[:, None]))

    @cached_property
    def _across(self) -> Float[Array, "T H"] | None:
        """L_M⁻¹ G_hᵀ."""
        if self.common is None or self._factor is None:
            return None
        return self._factor.solve_lower(self.common[~self.seen].T)


@dataclass(frozen=True, eq=False)
class Basis:
    """Columns of B, or axes U that Gaussians with B = U F share, beside the noise."""

    columns: Float[Array, "D E"]
    noise: Noise

    @cached_property
    def solved(self) -> Float[Array, "S E"]:
        """Nₛ⁻¹ Uₛ."""
        return self.noise.solve(self.columns[self.noise.seen])

    @cached_property
    def gram(self) -> Float[Array, "E E"]:
        """Uₛᵀ Nₛ⁻¹ Uₛ."""
        return self.columns[self.noise.seen].T @ self.solved

    @cached_property
    def hidden(self) -> Float[Array, "H E"]:
        """U_h less the noise that the observed columns explain: U_h − G_h Gₛᵀ Nₛ⁻¹ Uₛ."""
        seen = self.noise.seen
        return self.columns[~seen] - self.noise.hidden(self.columns[seen].T).T


@dataclass(frozen=True, eq=False)
class Conditioned:
    """One Gaussian, given the observed columns of some rows.

    log: log (w p) of the observed values. log_determinant: that of their covariance. factor: L.
    white: L⁻¹ Bₛᵀ Nₛ⁻¹ (y − m). away: y − m. mean: m of the missing columns. inner: F; None means
    I. ratio: r; the noise is r N.
    """

    log: Float[Array, " n"]
    log_determinant: float
    factor: Factor
    white: Float[Array, "R n"]
    away: Float[Array, "n S"]
    mean: Float[Array, " H"]
    basis: Basis
    inner: Float[Array, "E R"] | None
    ratio: float

    @classmethod
    def of(
        cls,
        weight: float,
        mean: Float[Array, " D"],
        basis: Basis,
        inner: Float[Array, "E R"] | None,
        ratio: float,
        rows: Float[Array, "n S"],
    ) -> Self:
        """Condition one Gaussian on the observed values of rows."""
        noise = basis.noise
        away, gram = rows - mean[noise.seen], basis.gram / ratio
        along = basis.solved.T @ (away / ratio).T
        if inner is not None:
            gram, along = inner.T @ gram @ inner, inner.T @ along
        factor = factorise(np.eye(len(gram)) + gram)
        white = factor.solve_lower(along)
        squares = noise.squares(away) / ratio - np.sum(white**2, axis=0)
        count = away.shape[1]
        determinant = count * np.log(ratio) + noise.log_determinant + factor.log_determinant
        with np.errstate(divide="ignore"):
            log = np.log(weight) - 0.5 * (squares + count * np.log(2.0 * np.pi) + determinant)
        return cls(log, determinant, factor, white, away, mean[~noise.seen], basis, inner, ratio)

    def means(self) -> Float[Array, "n H"]:
        """Return the conditional means of the missing columns."""
        return self.mean + self.basis.noise.hidden(self.away) + self.white.T @ self._across

    def variances(self) -> Float[Array, " H"]:
        """Return the conditional variances of the missing columns."""
        around = self.ratio * self.basis.noise.hidden_variances
        return np.asarray(around + np.sum(self._across**2, axis=0))

    def sample(self, rows: NDArray[np.intp], generator: np.random.Generator) -> Float[Array, "n H"]:
        """Draw the missing columns of the rows with these numbers."""
        unit = generator.standard_normal((len(self.white), len(rows)))
        along = (self.white[:, rows] + unit).T @ self._across
        noise = self.basis.noise
        around = np.sqrt(self.ratio) * noise.sample_hidden(len(rows), generator)
        return np.asarray(self.mean + noise.hidden(self.away[rows]) + along + around)

    def precisions(self) -> tuple[Float[Array, "n S"], Float[Array, " S"]]:
        """Return P (y − m), and the diagonal of P, the precision of the observed columns."""
        solved = self.basis.solved / self.ratio
        half = self.factor.solve_lower((solved if self.inner is None else solved @ self.inner).T)
        noise = self.basis.noise
        slope = noise.solve(self.away.T).T / self.ratio - self.white.T @ half
        return slope, noise.precisions / self.ratio - np.sum(half**2, axis=0)

    @cached_property
    def _across(self) -> Float[Array, "R H"]:
        """L⁻¹ of the factors of the missing columns, less what their noise explains."""
        hidden = self.basis.hidden
        return self.factor.solve_lower((hidden if self.inner is None else hidden @ self.inner).T)
