"""Posterior variances of a layer's functions at new inputs, by group or by output."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from gplvm_core.bounds import OutputGaps
from gplvm_core.numerics import Array, IntArray

Columns = NDArray[Any]


class Variances(Protocol):
    """The prior variance of every function f_d, and its reduction by the data (the gap)."""

    def at(self, prior: Float[Array, " N"], cross: Float[Array, "N M"]) -> Float[Array, "N D"]:
        """Return the variances at exact inputs, from k** and k*."""

    def expected(self, psi0: float, psi2: Float[Array, "M M"]) -> Float[Array, " D"]:
        """Return expected variances at one uncertain input, from its kernel expectations."""

    def alike(self) -> list[Columns]:
        """Return groups of outputs with the same variance."""

    def ratio(self, output: int) -> float:
        """Return the prior variance of an output, in units of k**."""

    def gap(self, output: int) -> Float[Array, "M M"]:
        """Return the matrix that data subtract from the prior of one output."""

    def total(self, weights: Float[Array, " D"]) -> Float[Array, "M M"]:
        """Return the weighted sum of the outputs' gaps."""

    def level(self, observed: Float[Array, "N D"]) -> Float[Array, " N"]:
        """Return the summed prior variance of a row's observed outputs, in units of k**."""

    def explained(
        self, observed: Float[Array, "N D"], cross: Float[Array, "N M"]
    ) -> Float[Array, "N M"]:
        """Return Σ_d gap_d k* over the observed outputs of each row."""


@dataclass(frozen=True)
class SharedVariances:
    """Outputs that were observed in the same rows share their variance."""

    gaps: Float[Array, "G M M"]
    groups: Int[IntArray, " D"]

    def at(self, prior: Float[Array, " N"], cross: Float[Array, "N M"]) -> Float[Array, "N D"]:
        explained = np.stack([np.sum((cross @ gap) * cross, axis=1) for gap in self.gaps], axis=1)
        return np.maximum(prior[:, None] - explained, 0.0)[:, self.groups]

    def expected(self, psi0: float, psi2: Float[Array, "M M"]) -> Float[Array, " D"]:
        explained = np.sum(self.gaps * psi2, axis=(1, 2))
        return np.asarray(np.maximum(psi0 - explained, 0.0)[self.groups])

    def alike(self) -> list[Columns]:
        return [np.flatnonzero(self.groups == g) for g in range(len(self.gaps))]

    def ratio(self, output: int) -> float:
        return 1.0

    def gap(self, output: int) -> Float[Array, "M M"]:
        return np.asarray(self.gaps[self.groups[output]])

    def total(self, weights: Float[Array, " D"]) -> Float[Array, "M M"]:
        counts = np.bincount(self.groups, weights, minlength=len(self.gaps))
        used = np.flatnonzero(counts)
        return np.asarray(np.tensordot(counts[used], self.gaps[used], axes=1))

    def level(self, observed: Float[Array, "N D"]) -> Float[Array, " N"]:
        return np.asarray(observed.sum(axis=1))

    def explained(
        self, observed: Float[Array, "N D"], cross: Float[Array, "N M"]
    ) -> Float[Array, "N M"]:
        counts, found = observed @ np.eye(len(self.gaps))[self.groups], np.zeros_like(cross)
        for share, gap in zip(counts.T, self.gaps, strict=True):
            found += share[:, None] * (cross @ gap)
        return found


@dataclass(frozen=True)
class OwnVariances:
    """Variances of outputs with separate signal and noise variances."""

    each: OutputGaps
    groups: Int[IntArray, " D"]

    def at(self, prior: Float[Array, " N"], cross: Float[Array, "N M"]) -> Float[Array, "N D"]:
        found = prior[:, None] * self.each.ratio
        for g, columns in self._columns():
            found[:, columns] -= (cross @ self.each.basis[g]) ** 2 @ self.each.shares[columns].T
        return np.maximum(found, 0.0)

    def expected(self, psi0: float, psi2: Float[Array, "M M"]) -> Float[Array, " D"]:
        found = psi0 * self.each.ratio
        for g, columns in self._columns():
            basis = self.each.basis[g]
            found[columns] -= self.each.shares[columns] @ np.sum((psi2 @ basis) * basis, axis=0)
        return np.maximum(found, 0.0)

    def alike(self) -> list[Columns]:
        return list(np.arange(len(self.groups))[:, None])

    def ratio(self, output: int) -> float:
        return float(self.each.ratio[output])

    def gap(self, output: int) -> Float[Array, "M M"]:
        basis = self.each.basis[self.groups[output]]
        return np.asarray((basis * self.each.shares[output]) @ basis.T)

    def total(self, weights: Float[Array, " D"]) -> Float[Array, "M M"]:
        found = np.zeros(self.each.basis.shape[1:])
        for g, columns in self._columns():
            basis, share = self.each.basis[g], weights[columns] @ self.each.shares[columns]
            found += (basis * share) @ basis.T
        return found

    def level(self, observed: Float[Array, "N D"]) -> Float[Array, " N"]:
        return observed @ self.each.ratio

    def explained(
        self, observed: Float[Array, "N D"], cross: Float[Array, "N M"]
    ) -> Float[Array, "N M"]:
        found = np.zeros_like(cross)
        for g, columns in self._columns():
            basis = self.each.basis[g]
            found += (cross @ basis * (observed[:, columns] @ self.each.shares[columns])) @ basis.T
        return found

    def _columns(self) -> Iterator[tuple[int, Columns]]:
        for g in range(len(self.each.basis)):
            yield g, np.flatnonzero(self.groups == g)
