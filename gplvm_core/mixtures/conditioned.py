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

from gplvm_core.numerics import Array, BoolArray, Factor, factorise

Seen = Bool[BoolArray, " D"]


@dataclass(frozen=True, eq=False)
class Noise:
    """N = diag v + G Gᵀ in the observed columns (`seen`) and the missing columns.

    variances: v. common: G; None means no columns.
    """

    variances: Float[Array, " D"]
    common: Float[Array, "D T"] | None
    seen: Seen

    @cached_property
    def own(self) -> Float[Array, " S"]:
        """The variances v of the observed columns."""
        return self.variances[self.seen]

    @cached_property
    def factor(self) -> Factor | None:
        """L_M; None without G."""
        if self.common is None:
            return None
        own = self.common[self.seen]
        return factorise(np.eye(own.shape[1]) + own.T @ (own / self.own[:, None]))

    @cached_property
    def log_determinant(self) -> float:
        """log |Nₛ|."""
        more = 0.0 if self.factor is None else self.factor.log_determinant
        return float(np.sum(np.log(self.own))) + more

    @cached_property
    def across(self) -> Float[Array, "T H"]:
        """L_M⁻¹ G_hᵀ."""
        if self.common is None or self.factor is None:
            return np.zeros((0, int((~self.seen).sum())))
        return self.factor.solve_lower(self.common[~self.seen].T)

    @cached_property
    def hidden_variances(self) -> Float[Array, " H"]:
        """The variances of the noise of the missing columns, given that of the observed ones."""
        return self.variances[~self.seen] + np.sum(self.across**2, axis=0)

    def crossed(self, right: Float[Array, "S n"]) -> Float[Array, "T n"]:
        """Return X = L_M⁻¹ Gₛᵀ Vₛ⁻¹ right, so that rightᵀ Nₛ⁻¹ right = rightᵀ Vₛ⁻¹ right − Xᵀ X.

        If right is the noise of the observed columns, Xᵀ L_M⁻¹ G_hᵀ is the expected noise of the
        missing ones.
        """
        if self.common is None or self.factor is None:
            return np.zeros((0, right.shape[1]))
        own = self.common[self.seen]
        return self.factor.solve_lower(own.T @ (right / self.own[:, None]))

    def solve(self, right: Float[Array, "S n"]) -> Float[Array, "S n"]:
        """Return Nₛ⁻¹ right."""
        return right / self.own[:, None] - self.half.T @ self.crossed(right)

    @cached_property
    def half(self) -> Float[Array, "T S"]:
        """L_M⁻¹ Gₛᵀ Vₛ⁻¹."""
        if self.common is None or self.factor is None:
            return np.zeros((0, len(self.own)))
        return self.factor.solve_lower((self.common[self.seen] / self.own[:, None]).T)

    def sample_hidden(self, count: int, generator: np.random.Generator) -> Float[Array, "n H"]:
        """Draw the noise of the missing columns around its expectation."""
        alone = self.variances[~self.seen]
        found = np.sqrt(alone) * generator.standard_normal((count, len(alone)))
        if self.common is None:
            return found
        return found + generator.standard_normal((count, len(self.across))) @ self.across


@dataclass(frozen=True, eq=False)
class Basis:
    """Columns of B, or axes U that Gaussians with B = U F share, and the noise."""

    columns: Float[Array, "D E"]
    noise: Noise

    @cached_property
    def scaled(self) -> Float[Array, "S E"]:
        """Vₛ⁻¹ Uₛ."""
        return self.columns[self.noise.seen] / self.noise.own[:, None]

    @cached_property
    def crossed(self) -> Float[Array, "T E"]:
        """L_M⁻¹ Gₛᵀ Vₛ⁻¹ Uₛ."""
        return self.noise.crossed(self.columns[self.noise.seen])

    @cached_property
    def gram(self) -> Float[Array, "E E"]:
        """Uₛᵀ Nₛ⁻¹ Uₛ."""
        return self.columns[self.noise.seen].T @ self.scaled - self.crossed.T @ self.crossed

    @cached_property
    def hidden(self) -> Float[Array, "H E"]:
        """U_h less the noise that the observed columns explain: U_h − G_h Gₛᵀ Nₛ⁻¹ Uₛ."""
        return self.columns[~self.noise.seen] - self.noise.across.T @ self.crossed

    @cached_property
    def solved(self) -> Float[Array, "S E"]:
        """Nₛ⁻¹ Uₛ."""
        return self.noise.solve(self.columns[self.noise.seen])

    def of(self, rows: Float[Array, "n S"]) -> tuple[Float[Array, "E n"], Float[Array, "T n"]]:
        """Return Uₛᵀ Nₛ⁻¹ y and L_M⁻¹ Gₛᵀ Vₛ⁻¹ y, for rows y."""
        crossed = self.noise.crossed(rows.T)
        return self.scaled.T @ rows.T - self.crossed.T @ crossed, crossed


@dataclass(frozen=True, eq=False)
class Conditioned:
    """One Gaussian, given the observed columns of some rows.

    log: log (w p) of the observed values. log_determinant: that of their covariance. factor: L.
    white: L⁻¹ Bₛᵀ Nₛ⁻¹ (y − m). away: y − m. crossed: L_M⁻¹ Gₛᵀ Vₛ⁻¹ (y − m). mean: m of the
    missing columns. inner: F; None means I. ratio: r; the noise is r N.
    """

    log: Float[Array, " n"]
    log_determinant: float
    factor: Factor
    white: Float[Array, "R n"]
    away: Float[Array, "n S"]
    crossed: Float[Array, "T n"]
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
        away: Float[Array, "n S"],
        projected: tuple[Float[Array, "E n"], Float[Array, "T n"]],
    ) -> Self:
        """Condition one Gaussian. away: y − m of the observed columns. projected: `basis.of`."""
        noise, (along, crossed) = basis.noise, projected
        gram, along = basis.gram / ratio, along / ratio
        if inner is not None:
            gram, along = inner.T @ gram @ inner, inner.T @ along
        factor = factorise(np.eye(len(gram)) + gram)
        white = factor.solve_lower(along)
        squares = np.sum(away**2 / noise.own, axis=1) - np.sum(crossed**2, axis=0)
        squares = squares / ratio - np.sum(white**2, axis=0)
        count = away.shape[1]
        determinant = count * np.log(ratio) + noise.log_determinant + factor.log_determinant
        with np.errstate(divide="ignore"):
            log = np.log(weight) - 0.5 * (squares + count * np.log(2.0 * np.pi) + determinant)
        return cls(
            log, determinant, factor, white, away, crossed, mean[~noise.seen], basis, inner, ratio
        )

    def means(self) -> Float[Array, "n H"]:
        """Return the conditional means of the missing columns."""
        noise = self.crossed.T @ self.basis.noise.across
        return self.mean + noise + self.white.T @ self._across

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
        return np.asarray(self.mean + self.crossed[:, rows].T @ noise.across + along + around)

    def precisions(self) -> tuple[Float[Array, "n S"], Float[Array, " S"]]:
        """Return P (y − m), and the diagonal of P, the precision of the observed columns."""
        noise = self.basis.noise
        solved = self.basis.solved if self.inner is None else self.basis.solved @ self.inner
        half = self.factor.solve_lower(solved.T / self.ratio)
        slope = noise.solve(self.away.T).T / self.ratio - self.white.T @ half
        alone = 1.0 / noise.own - np.sum(noise.half**2, axis=0)
        return slope, alone / self.ratio - np.sum(half**2, axis=0)

    @cached_property
    def _across(self) -> Float[Array, "R H"]:
        """L⁻¹ of the factors of the missing columns, less what their noise explains."""
        hidden = self.basis.hidden
        return self.factor.solve_lower((hidden if self.inner is None else hidden @ self.inner).T)
