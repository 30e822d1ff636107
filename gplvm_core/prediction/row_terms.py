"""The expected log likelihood ⟨log p(y_n | f)⟩ of a row's observed outputs, with q(u) fixed.

With q(u) fixed these terms are independent for each row (Titsias & Lawrence 2010, §4). Sums leave
out missing outputs (NaN).
"""

from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
from jaxtyping import Bool, Float
from numpy.typing import NDArray

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import WeightedPsi2
from gplvm_core.likelihoods import Links, Quadratic
from gplvm_core.numerics import Array, BoolArray, fold_upper
from gplvm_core.prediction.posterior import Posterior

ROWS_PER_TILE = 32

Rows = NDArray[np.intp]


class RowTerms(Protocol):
    """The expected log likelihood of rows given posteriors of their inputs, with gradients."""

    def data(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        """Return values (r,) and gradients in mean and variance (r, Q) of rows with these
        numbers.
        """


@dataclass(frozen=True)
class UncertainTerms:
    """Terms for q(x_n) = N(mean, diag variance), computed from a single adjoint of each row's Φ."""

    posterior: Posterior
    carried: Float[Array, "N M"]  # Y Vᵀ over observed outputs
    yy: Float[Array, " N"]
    count: Float[Array, " N"]  # the number of observed outputs
    level: Float[Array, " N"]  # prior variance of the observed outputs, in units of k**
    weights: Float[
        Array, "R P"
    ]  # folded adjoint of Φ without the factor −β/2; R is 1 (shared) or N
    weighted_psi2: WeightedPsi2
    tile: int = ROWS_PER_TILE

    @classmethod
    def of(
        cls, posterior: Posterior, internal: Float[Array, "N D"], tile: int = ROWS_PER_TILE
    ) -> Self:
        v = posterior.weights
        observed = (~np.isnan(internal)).astype(np.float64)
        filled = np.where(observed > 0.0, internal, 0.0)
        if observed.all():
            total = posterior.variances.total(np.ones(posterior.n_outputs))
            weights = fold_upper(v @ v.T - total)[None]
        else:
            weights = _adjoints(posterior, observed)
        return cls(
            posterior,
            np.concatenate([filled[t] @ v.T for t in _tiles(len(filled))])[: len(filled)],
            np.sum(filled**2, axis=1),
            observed.sum(axis=1),
            posterior.variances.level(observed),
            weights,
            posterior.kernel.weighted_psi2(posterior.inducing),
            tile,
        )

    def data(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        tiles = _tiles(len(rows), self.tile)
        done = [self._tile(mean[t], variance[t], rows[t]) for t in tiles]
        value, d_mean, d_variance = (np.concatenate(part) for part in zip(*done, strict=True))
        return value[: len(rows)], d_mean[: len(rows)], d_variance[: len(rows)]

    def _tile(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        kernel, inducing = self.posterior.kernel, self.posterior.inducing
        precision, count = 1.0 / self.posterior.noise_variance, self.count[rows]
        carried, level = self.carried[rows], self.level[rows]
        weights = self.weights if len(self.weights) == 1 else self.weights[rows]
        psi0, pull_psi0 = kernel.psi0(mean, variance)
        psi1, pull_psi1 = kernel.psi1(mean, variance, inducing)
        quadratic, d_mean2, d_variance2 = self.weighted_psi2(mean, variance, weights)
        value = -0.5 * count * np.log(2.0 * np.pi / precision) - 0.5 * precision * (
            self.yy[rows] - 2.0 * np.sum(psi1 * carried, axis=1) + quadratic + level * psi0
        )
        through = pull_psi1(precision * carried)
        d_mean0, d_variance0, _ = pull_psi0(-0.5 * precision * level)
        return (
            value,
            through.mean + d_mean0 - 0.5 * precision * d_mean2,
            through.variance + d_variance0 - 0.5 * precision * d_variance2,
        )


@dataclass(frozen=True)
class MixedTerms:
    """Like `UncertainTerms`, for layers in which some outputs have Gaussian factors.

    For these entries, a term is the expectation of the bound on log p(y | f) at its best ξ. The
    term depends on the first two moments of every function (`Likelihood.expected`).
    """

    posterior: Posterior
    carried: Float[Array, "N M"]  # Y Vᵀ over the numbers that are observed
    yy: Float[Array, " N"]
    numbers: Float[Array, "N P"]  # 0 or 1
    other: Bool[BoolArray, " D"]  # which outputs are not numbers with the layer's noise
    links: Links  # of these K outputs, with the known errors of the rows
    others: Float[Array, "N K"]
    ratio: Float[Array, " D"]  # prior variance of every output, in units of k**
    base: Float[Array, " N"]
    bias: Float[Array, "N K"]  # the column's bias and known term; 0 for outputs with units
    folded_numbers: Float[Array, "P R"]  # V_d V_dᵀ − gap_d
    folded: Float[Array, "K R"]
    weighted_psi2: WeightedPsi2
    tile: int = ROWS_PER_TILE

    @classmethod
    def of(
        cls, posterior: Posterior, internal: Float[Array, "N D"], tile: int = ROWS_PER_TILE
    ) -> Self:
        links, v = posterior.row_links, posterior.weights
        assert links is not None
        variances = posterior.variances
        each = np.stack(
            [fold_upper(np.outer(own, own) - variances.gap(d)) for d, own in enumerate(v.T)]
        )
        own = internal[:, links.numbers]
        filled = np.nan_to_num(own)
        others = links.in_units(1.0 / posterior.scale).of(links.others)
        # The values of outputs with units are centred.
        bias = np.where(links.measured, 0.0, posterior.center + links.known(internal))
        return cls(
            posterior,
            filled @ v[:, links.numbers].T,
            np.sum(filled**2, axis=1),
            (~np.isnan(own)).astype(np.float64),
            links.others,
            others,
            internal[:, links.others],
            np.array([variances.ratio(d) for d in range(posterior.n_outputs)]),
            np.sum(others.log_base(internal[:, links.others]), axis=1),
            bias[:, links.others],
            each[links.numbers],
            each[links.others],
            posterior.kernel.weighted_psi2(posterior.inducing),
            tile,
        )

    def data(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        done = [self._tile(mean[t], variance[t], rows[t]) for t in _tiles(len(rows), self.tile)]
        value, d_mean, d_variance = (np.concatenate(part) for part in zip(*done, strict=True))
        return value[: len(rows)], d_mean[: len(rows)], d_variance[: len(rows)]

    def factors(self, belief: Belief) -> Quadratic:
        """Return the Gaussian factors of the outputs that are not numbers, at their best ξ for
        these q(x) of all rows, as functions of f without its bias and known term.
        """
        kernel, inducing = self.posterior.kernel, self.posterior.inducing
        psi0, _ = kernel.psi0(belief.mean, belief.variance)
        psi1, _ = kernel.psi1(belief.mean, belief.variance, inducing)
        traces = kernel.psi2_traces(belief.mean, belief.variance, inducing, self.folded)
        mean, square = self._moments(psi0, psi1, traces, self.bias)
        xi = self.links.local(self.others, mean, square)
        return self.links.factors(self.others, xi).beside(self.bias)

    def _moments(self, psi0: Array, psi1: Array, traces: Array, bias: Array) -> tuple[Array, Array]:
        """Return ⟨f⟩ and ⟨f²⟩ of the outputs that are not numbers."""
        g = psi1 @ self.posterior.weights[:, self.other]
        square = bias**2 + 2.0 * bias * g + psi0[:, None] * self.ratio[self.other] + traces
        return bias + g, np.maximum(square, (bias + g) ** 2)

    def _tile(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        kernel, inducing = self.posterior.kernel, self.posterior.inducing
        others, numbers = self.other, self.numbers[rows]
        v, bias, signal = self.posterior.weights[:, others], self.bias[rows], self.ratio[others]
        psi0, pull_psi0 = kernel.psi0(mean, variance)
        psi1, pull_psi1 = kernel.psi1(mean, variance, inducing)
        traces = kernel.psi2_traces(mean, variance, inducing, self.folded)
        first, square = self._moments(psi0, psi1, traces, bias)
        own, d_first, d_second = self.links.rows(rows).expected(self.others[rows], first, square)
        level = numbers @ self.ratio[~others]
        weights = d_second @ self.folded - 0.5 * numbers @ self.folded_numbers
        quadratic, d_mean2, d_variance2 = self.weighted_psi2(mean, variance, weights)
        carried = self.carried[rows]
        gaussian = np.sum(psi1 * carried, axis=1) - 0.5 * (
            self.yy[rows] + level * psi0 + numbers.sum(axis=1) * np.log(2.0 * np.pi)
        )
        gaussian += quadratic - np.sum(d_second * traces, axis=1)
        value = np.sum(own, axis=1) + self.base[rows] + gaussian
        through = pull_psi1(carried + (d_first + 2.0 * bias * d_second) @ v.T)
        d_mean0, d_variance0, _ = pull_psi0(d_second @ signal - 0.5 * level)
        return (
            value,
            through.mean + d_mean0 + d_mean2,
            through.variance + d_variance0 + d_variance2,
        )


@dataclass(frozen=True)
class CertainTerms:
    """Terms for exact latent points, from k(x, Z) without expectations over pairs of Z."""

    posterior: Posterior
    observed: Float[Array, "N D"]  # 0 or 1
    targets: Float[Array, "N D"]  # 0 where missing

    @classmethod
    def of(cls, posterior: Posterior, internal: Float[Array, "N D"]) -> Self:
        observed = (~np.isnan(internal)).astype(np.float64)
        return cls(posterior, observed, np.where(observed > 0.0, internal, 0.0))

    def data(self, mean: Array, variance: Array, rows: Rows) -> tuple[Array, Array, Array]:
        done = [self._tile(mean[t], rows[t]) for t in _tiles(len(rows))]
        value, d_mean = (np.concatenate(part)[: len(rows)] for part in zip(*done, strict=True))
        return value, d_mean, np.zeros_like(d_mean)

    def _tile(self, points: Array, rows: Rows) -> tuple[Array, Array]:
        posterior, observed = self.posterior, self.observed[rows]
        kernel, precision = posterior.kernel, 1.0 / posterior.noise_variance
        certain, count = np.zeros_like(points), observed.sum(axis=1)
        level = posterior.variances.level(observed)
        psi0, pull_psi0 = kernel.psi0(points, certain)
        psi1, pull_psi1 = kernel.psi1(points, certain, posterior.inducing)
        error = self.targets[rows] - observed * (psi1 @ posterior.weights)
        # −Σ_d k* gap_d k*ᵀ, the variance that the training data explain.
        explained = posterior.variances.explained(observed, psi1)
        value = -0.5 * count * np.log(2.0 * np.pi / precision) - 0.5 * precision * (
            np.sum(error**2, axis=1) + level * psi0 - np.sum(explained * psi1, axis=1)
        )
        through = pull_psi1(precision * (error @ posterior.weights.T + explained))
        d_points, _, _ = pull_psi0(-0.5 * precision * level)
        return value, through.mean + d_points


def _adjoints(posterior: Posterior, observed: Array) -> Float[Array, "N P"]:
    """Return Σ_d (V_d V_dᵀ − gap_d) over the observed outputs of every row, folded."""
    v, variances = posterior.weights, posterior.variances
    folded = np.empty((len(observed), len(v) * (len(v) + 1) // 2))
    for n, row in enumerate(observed):
        seen = row > 0.0
        folded[n] = fold_upper(v[:, seen] @ v[:, seen].T - variances.total(row))
    return folded


def _tiles(count: int, size: int = ROWS_PER_TILE) -> list[Rows]:
    """Return the rows of each tile; the last row is repeated to fill the last tile.

    All tiles have the same shape, because the last digits of a matrix product may depend on the
    shape. The digits of a row therefore do not depend on other rows.
    """
    firsts = range(0, count, size)
    return [np.minimum(np.arange(a, a + size), count - 1) for a in firsts]
