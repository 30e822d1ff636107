"""The statistics of a layer's data: sums over points (Damianou 2015, §2.3.3, §3.3.7).

Outputs are either data, or a distribution: the belief about the next layer's inputs. Data may have
missing values. Columns that are observed in the same rows form a group and share their sums over
points; the bound is a sum over groups. Complete data are one group.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from jaxtyping import Bool, Float, Int

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, BoolArray, IntArray


@dataclass(frozen=True)
class Statistics:
    """ψ0, A = Ψᵀ·targets, Φ, yy = Σ targets², N and D of every group.

    The statistics of two sets of points are added by `+`. `groups` has the group of each column of
    the targets; None means a single group. For targets with variances s, yy includes s and
    `spread` is Ψᵀ diag(Σ_d s_nd) Ψ. Adjoints of the bound have the same shape, with N = D = 0.
    """

    psi0: Float[Array, " G"]
    psi1_targets: Float[Array, "M R"]
    psi2: Float[Array, "G M M"]
    yy: float
    n_points: Int[IntArray, " G"]
    n_outputs: Int[IntArray, " G"]
    groups: Int[IntArray, " R"] | None = None
    spread: Float[Array, "M M"] | None = None

    def __post_init__(self) -> None:
        if self.groups is None:
            columns = self.psi1_targets.shape[1]
            object.__setattr__(self, "groups", np.zeros(columns, dtype=np.intp))

    def __add__(self, other: "Statistics") -> "Statistics":
        if not np.array_equal(self.n_outputs, other.n_outputs):
            raise ValueError(
                f"statistics of {self.n_outputs} and {other.n_outputs} outputs cannot be added"
            )
        return Statistics(
            self.psi0 + other.psi0,
            self.psi1_targets + other.psi1_targets,
            self.psi2 + other.psi2,
            self.yy + other.yy,
            self.n_points + other.n_points,
            self.n_outputs,
            self.groups,
            _sum(self.spread, other.spread),
        )

    @property
    def n_values(self) -> int:
        """The number of observed values."""
        return int(self.n_points @ self.n_outputs)

    def columns(self) -> list[slice | IntArray]:
        """Return the columns of psi1_targets that belong to each group."""
        if len(self.psi2) == 1:
            return [slice(None)]
        groups = np.asarray(self.groups)
        order = np.argsort(groups, kind="stable")
        edges = np.searchsorted(groups[order], np.arange(1, len(self.psi2)))
        return list(np.split(order, edges))

    def split(self, by: Int[IntArray, " D"]) -> "Statistics":
        """Return the same sums with every group split by a second grouping of its columns."""
        pairs = np.stack([np.asarray(self.groups), by])
        kinds, groups = np.unique(pairs, axis=1, return_inverse=True)
        return self._regrouped(kinds[0], groups.reshape(-1))

    def joined(self, other: "Statistics") -> "Statistics":
        """Add statistics with different groups.

        Two columns share a group in the sum if they share a group in both statistics.
        """
        pairs = np.stack([np.asarray(self.groups), np.asarray(other.groups)])
        kinds, groups = np.unique(pairs, axis=1, return_inverse=True)
        mine, others = (
            each._regrouped(own, groups.reshape(-1))
            for each, own in zip((self, other), kinds, strict=True)
        )
        return mine + others

    def _regrouped(self, own: Int[IntArray, " G2"], groups: Int[IntArray, " D"]) -> "Statistics":
        """Refine the groups. own: the present group of each new group; groups: the new group of
        each column.
        """
        return Statistics(
            self.psi0[own],
            self.psi1_targets,
            self.psi2[own],
            self.yy,
            self.n_points[own],
            np.bincount(groups),
            groups,
        )

    def of_scaled_kernel(self, factor: float) -> "Statistics":
        """Return the statistics for the kernel times a factor."""
        return Statistics(
            factor * self.psi0,
            factor * self.psi1_targets,
            factor**2 * self.psi2,
            self.yy,
            self.n_points,
            self.n_outputs,
            self.groups,
            None if self.spread is None else factor**2 * self.spread,
        )


def _sum(first: Array | None, second: Array | None) -> Array | None:
    return first if second is None else second if first is None else first + second


@dataclass(frozen=True)
class Patterns:
    """Which entries are observed: column d is observed in row n if rows[n, groups[d]] is 1.

    If entries are Gaussian factors of different precisions, `rows` holds these precisions.
    """

    groups: Int[IntArray, " D"]
    rows: Float[Array, "N G"]

    @classmethod
    def of(cls, observed: Bool[BoolArray, "N D"]) -> Self:
        """Group the columns that are observed in the same rows."""
        # Eight rows fit into a byte; a column's bytes form one item, which NumPy can sort.
        packed = np.ascontiguousarray(np.packbits(observed, axis=0).T)
        keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
        _, first, groups = np.unique(keys, return_index=True, return_inverse=True)
        return cls(groups.astype(np.intp), observed[:, first].astype(np.float64))

    @property
    def n_outputs(self) -> IntArray:
        """The number of columns of each group."""
        return np.bincount(self.groups, minlength=self.rows.shape[1])


@dataclass(frozen=True)
class Targets:
    """Centred outputs, with 0 for missing values.

    Without gaps, the values may be a square root of Y Yᵀ, which has fewer columns than D.
    patterns: None if no value is missing. variance: the variances of outputs that are a
    distribution; None for data. slope: the weights of a linear mean for outputs without gaps; the
    layer's function explains the residual. All arrays with one row per point are in one array
    library; this library computes the sums over points.
    """

    values: Float[Array, "N R"]
    n_outputs: int
    patterns: Patterns | None = None
    variance: Float[Array, "N R"] | None = None
    slope: Float[Array, "Q R"] | None = None

    @classmethod
    def of(cls, values: Float[Array, "N D"]) -> "Targets":
        """Make targets (NaN: missing), with the columns reduced to a square root of Y Yᵀ if D > N.

        The bound and its gradients do not change; the prediction weights need the true Y.
        Source: Damianou (2015), §3.3.7.
        """
        n_points, n_outputs = values.shape
        if n_outputs <= n_points or np.isnan(values).any():
            return cls.whole(values)
        # Yᵀ = QR gives Y Yᵀ = RᵀR without squaring the condition number.
        return cls(np.ascontiguousarray(np.asarray(np.linalg.qr(values.T, mode="r")).T), n_outputs)

    @classmethod
    def whole(cls, values: Float[Array, "N D"]) -> "Targets":
        """Make targets (NaN: missing) with all their columns."""
        missing = np.isnan(values)
        if not missing.any():
            return cls(values, values.shape[1])
        return cls(np.where(missing, 0.0, values), values.shape[1], Patterns.of(~missing))

    @classmethod
    def believed(cls, belief: Belief) -> "Targets":
        """Make targets that are a distribution. Training changes them, so all columns are kept."""
        return cls(belief.mean, belief.n_latent, variance=belief.variance)

    @property
    def n_points(self) -> int:
        return int(self.values.shape[0])

    @cached_property
    def squares(self) -> Float[Array, " R"]:
        """Σ_n y² of every column."""
        return np.asarray(np.sum(self.values**2, axis=0))

    @property
    def seen(self) -> Bool[BoolArray, " N"]:
        """The rows with at least one observed value."""
        if self.patterns is None:
            return np.ones(self.n_points, dtype=bool)
        return np.asarray(np.asarray(self.patterns.rows).any(axis=1))

    def chunk(self, rows: slice | IntArray) -> "Targets":
        """Return the targets of some of the points, in the same groups."""
        patterns = self.patterns and replace(self.patterns, rows=self.patterns.rows[rows, :])
        variance = None if self.variance is None else self.variance[rows, :]
        return Targets(self.values[rows, :], self.n_outputs, patterns, variance, self.slope)
