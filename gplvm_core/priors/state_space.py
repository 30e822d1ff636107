"""Matérn kernels over time as linear systems: filter, smoother and score in O(N).

A Matérn-½, 3⁄2 or 5⁄2 process is the first component of a Markov process ξ of 1, 2 or 3 dimensions
(Hartikainen & Särkkä 2010, §3). The filter processes the sites exp(ν x − ½ λ x²) in gain form,
which is valid for λ = 0 and for repeated times. The smoother is the backward recursion of de Jong
(1989), which needs no inverse. The recursion's r and N are also the adjoints of the filter, so the
score needs no additional pass (Koopman & Shephard 1992).

Every operation is analytic in ν and λ: complex sites give complex results, whose imaginary parts
are exact directional derivatives (Squire & Trapp 1998).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int, Shaped

from gplvm_core.numerics import AnyNDArray, Array, IntArray

# A step of this length separates two sequences: e^{−800} is 0 in double precision.
FORGOTTEN = 800.0
# The number of steps whose transitions are computed together.
BLOCK = 1024
# Derivatives of x are in units of the rate, x⁽ᵏ⁾/rateᵏ, so results do not depend on the unit of
# time. The drift has ones above the diagonal, and LAST_ROW as its last row. The stationary
# covariances are for a variance of 1.
LAST_ROW = {1: [-1.0], 2: [-1.0, -2.0], 3: [-1.0, -3.0, -3.0]}
STATIONARY = {
    1: np.eye(1),
    2: np.eye(2),
    3: np.array([[1.0, 0.0, -1.0 / 3.0], [0.0, 1.0 / 3.0, 0.0], [-1.0 / 3.0, 0.0, 1.0]]),
}


@dataclass(frozen=True)
class Chain:
    """A process of 1, 2 or 3 components at successive times.

    steps: rate × time since the previous row; FORGOTTEN (or more) at the start of a sequence.
    """

    order: int
    variance: float
    steps: Float[Array, " N"]


@dataclass(frozen=True)
class SmoothedChain:
    """The posterior of a chain given the sites, for every column of sites.

    mean, variance: marginals of x. dual: μ̄ = ν − λ mean, so that mean = K μ̄. inner: the diagonal
    of B̂ = λ − λ² S. log_determinant: log|I + Λ^½ K Λ^½|. d_variance, d_log_rate: derivatives of
    log 𝒵 = ½ νᵀmean − ½ log_determinant for fixed sites.
    """

    mean: Shaped[AnyNDArray, "N C"]
    variance: Shaped[AnyNDArray, "N C"]
    dual: Shaped[AnyNDArray, "N C"]
    inner: Shaped[AnyNDArray, "N C"]
    log_determinant: Shaped[AnyNDArray, " C"]
    d_variance: Shaped[AnyNDArray, " C"]
    d_log_rate: Shaped[AnyNDArray, " C"]


def smooth(
    chain: Chain, linear: Shaped[AnyNDArray, "N C"], precision: Shaped[AnyNDArray, "N C"]
) -> SmoothedChain:
    """Return the marginals given the sites (ν = linear, λ = precision); columns are independent."""
    return _backward(chain, precision, _filter(chain, linear, precision))


def covariance(
    chain: Chain, precision: Float[Array, "N C"], rows: Int[IntArray, " n"]
) -> Float[Array, "C n n"]:
    """Return the covariance of x at n rows, in ascending order, given the sites' λ, in O(N + n²).

    For row s before t: Cov(x_s, x_t) = eᵀ𝓟_s Mᵀ(I − N_t 𝓟_t)e with the filtered 𝓟 and N_t of the
    rows after t. M is the filter's transition of an error from s to t. Source: de Jong (1989).
    """
    d, n_columns = chain.order, precision.shape[1]
    forward = _filter(chain, np.zeros_like(precision), precision)
    cross = forward.filtered[rows, 1]
    weight = -np.einsum("nijc,njc->nic", _information(chain, precision, forward, rows), cross)
    weight[:, 0] += 1.0
    found = np.empty((len(rows), len(rows), n_columns))
    # 𝓟_s e of each earlier row, propagated to the present row.
    carried = np.empty((d, len(rows), n_columns))
    for k, row in enumerate(rows):
        if k > 0:
            passage = _passage(chain, forward, rows[k - 1] + 1, row + 1)
            carried[:, :k] = np.einsum("ijc,jkc->ikc", passage, carried[:, :k])
        carried[:, k] = cross[k]
        found[k, : k + 1] = np.einsum("ikc,ic->kc", carried[:, : k + 1], weight[k])
        found[:k, k] = found[k, :k]
    return np.moveaxis(found, 2, 0)


def transitions(order: int, steps: Float[Array, " n"]) -> Float[Array, "n d d"]:
    """Return exp(drift · step) in closed form."""
    u = np.minimum(steps, FORGOTTEN)
    one = np.ones_like(u)
    if order == 1:
        rows = [[one]]
    elif order == 2:
        rows = [[1.0 + u, u], [-u, 1.0 - u]]
    else:
        half = 0.5 * u**2
        rows = [
            [1.0 + u + half, u + u**2, half],
            [-half, 1.0 + u - u**2, u - half],
            [half - u, u**2 - 3.0 * u, 1.0 - 2.0 * u + half],
        ]
    return np.asarray(np.moveaxis(np.array(rows, dtype=np.float64) * np.exp(-u), 2, 0))


@dataclass(frozen=True)
class _Forward:
    """The filter's results; a state is [ξ; rows of its covariance], (d + 1) × d per column."""

    filtered: AnyNDArray  # (N, d + 1, d, C)
    factor: AnyNDArray  # [(ν − λ ξ̂₁)/e; −gain], (N, d + 1, C)
    evidence: AnyNDArray  # e = 1 + λ 𝓟₁₁, (N, C)


def _filter(chain: Chain, linear: AnyNDArray, precision: AnyNDArray) -> _Forward:
    n_points, n_columns = linear.shape
    d = chain.order
    kind = np.result_type(linear, precision)
    filtered = np.empty((n_points, d + 1, d, n_columns), kind)
    factor = np.empty((n_points, d + 1, n_columns), kind)
    evidence = np.empty((n_points, n_columns), kind)
    state = np.zeros(((d + 1) * d, n_columns), kind)
    for start in range(0, n_points, BLOCK):
        lifted, gained = _lifted(chain, chain.steps[start : start + BLOCK], kind)
        for n, (move, gain) in enumerate(zip(lifted, gained, strict=True), start):
            # Predict ξ and its covariance together, then update with the site.
            predicted = move @ state
            predicted += gain
            shaped = predicted.reshape(d + 1, d, n_columns)
            cross, here, own = shaped[1], precision[n], factor[n]
            e = here * cross[0]
            e += 1.0
            evidence[n] = e
            np.multiply(cross, here / -e, out=own[1:])
            own[0] = (linear[n] - here * predicted[0]) / e
            np.add(shaped, own[:, None] * cross, out=filtered[n])
            state = filtered[n].reshape(-1, n_columns)
    return _Forward(filtered, factor, evidence)


def _backward(chain: Chain, precision: AnyNDArray, forward: _Forward) -> SmoothedChain:
    n_points, n_columns = precision.shape
    d = chain.order
    kind = forward.filtered.dtype
    mean, variance, dual = np.empty((3, n_points, n_columns), kind)
    inner = precision / forward.evidence
    score = np.zeros((2, n_columns), kind)
    # r and N summarise the later rows. They are stored as [r; N], in the layout of the states.
    after = np.zeros((d + 1, d, n_columns), kind)
    for start in reversed(range(0, n_points, BLOCK)):
        steps = chain.steps[start : start + BLOCK]
        stop, lifted = start + len(steps), _lifted(chain, steps, kind)[0]
        behind = np.empty((len(lifted), d + 1, d, n_columns), kind)
        ahead = np.empty_like(behind)
        for n in range(stop - 1, start - 1, -1):
            ahead[n - start] = after
            own = forward.factor[n]
            back = behind[n - start]
            back[...] = after
            # (I − gain e₁ᵀ)ᵀ (r, N) (I − gain e₁ᵀ), plus the site's own part.
            carried = np.einsum("ijc,jc->ic", after, own[1:])
            dual[n] = own[0] + carried[0]
            inner[n] += np.einsum("ic,ic->c", own[1:], carried[1:])
            back[0, 0] += dual[n]
            back[1] += carried[1:]
            back[1:, 0] += carried[1:]
            back[1, 0] += inner[n]
            after = (lifted[n - start].T @ back.reshape(-1, n_columns)).reshape(after.shape)
        filtered = forward.filtered[start:stop]
        cross = filtered[:, 1]
        mean[start:stop] = filtered[:, 0, 0] + np.einsum("njc,njc->nc", cross, ahead[:, 0])
        inside = np.einsum("nijc,njc->nic", ahead[:, 1:], cross)
        variance[start:stop] = cross[:, 0] - np.einsum("nic,nic->nc", cross, inside)
        # The first step of a chain does not depend on the state before it, so any state is valid.
        before = forward.filtered[np.maximum(np.arange(start - 1, stop - 1), 0)]
        score += _score(chain, steps, before, behind)
    log_determinant = np.log(forward.evidence).sum(axis=0)
    return SmoothedChain(mean, variance, dual, inner, log_determinant, score[0], score[1])


def _information(
    chain: Chain, precision: Array, forward: _Forward, rows: Int[IntArray, " n"]
) -> Float[Array, "n d d C"]:
    """Return N, the information of the later rows about a row's state, at some rows in ascending
    order.
    """
    d, n_columns = chain.order, precision.shape[1]
    found = np.zeros((len(rows), d, d, n_columns))
    after, k, stop = np.zeros((d, d, n_columns)), len(rows) - 1, len(precision)
    while k >= 0:
        start = max(stop - BLOCK, 0)
        pairs = _lifted(chain, chain.steps[start:stop], np.dtype(float))[0][:, d:, d:]
        for n in range(stop - 1, start - 1, -1):
            if n == rows[k]:
                found[k] = after
                k -= 1
                if k < 0:
                    break
            own = forward.factor[n, 1:]
            seen = np.einsum("ijc,jc->ic", after, own)
            after[0] += seen
            after[:, 0] += seen
            after[0, 0] += np.einsum("ic,ic->c", own, seen) + precision[n] / forward.evidence[n]
            after = (pairs[n - start].T @ after.reshape(d * d, n_columns)).reshape(after.shape)
        stop = start
    return found


def _passage(chain: Chain, forward: _Forward, start: int, stop: int) -> Float[Array, "d d C"]:
    """Return the matrix that carries an error of the filter from row `start` − 1 to `stop` − 1."""
    d, n_columns = chain.order, forward.factor.shape[2]
    whole = np.repeat(np.eye(d)[:, :, None], n_columns, axis=2).reshape(d, -1)
    for n, move in zip(range(start, stop), transitions(d, chain.steps[start:stop]), strict=True):
        whole = move @ whole
        shaped = whole.reshape(d, d, n_columns)
        shaped += forward.factor[n, 1:, None] * shaped[0]
    return whole.reshape(d, d, n_columns)


def _score(chain: Chain, steps: Array, before: AnyNDArray, behind: AnyNDArray) -> AnyNDArray:
    """Return the contribution of some steps to ∂log 𝒵 / ∂(variance, log rate), for each column.

    The adjoint of a predicted mean is r; the adjoint of a predicted covariance is G = ½(rrᵀ − N).
    """
    d = chain.order
    stationary = STATIONARY[d]
    move = transitions(d, steps)
    r = behind[:, 0]
    adjoint = 0.5 * (r[:, :, None] * r[:, None, :] - behind[:, 1:])
    # 𝓟 = P∞ + 𝓐 (𝓟_filtered − P∞) 𝓐ᵀ.
    through = np.einsum("nki,nklc,nlj->nijc", move, adjoint, move, optimize=True)
    d_variance = np.einsum("nijc,ij->c", adjoint - through, stationary)
    # ∂𝓐 = r ξᵀ + 2 G 𝓐 (𝓟_filtered − P∞), and d𝓐/d log rate = step · 𝓐 · drift.
    drift = np.diag(np.ones(d - 1), 1)
    drift[-1] = LAST_ROW[d]
    excess = before[:, 1:] - chain.variance * stationary[:, :, None]
    turned = np.einsum("nki,nkc->nic", move, r)
    d_drift = np.einsum("nic,njc->nijc", turned, before[:, 0])
    d_drift += 2.0 * np.einsum("nikc,nkjc->nijc", through, excess)
    scale = np.where(steps < FORGOTTEN, steps, 0.0)
    d_log_rate = np.einsum("n,nijc,ij->c", scale, d_drift, drift, optimize=True)
    return np.array([d_variance, d_log_rate])


def _lifted(chain: Chain, steps: Array, kind: np.dtype[Any]) -> tuple[AnyNDArray, AnyNDArray]:
    """Return the transitions of a state [ξ; 𝓟], and its process noise, for some steps."""
    d = chain.order
    stationary = chain.variance * STATIONARY[d]
    move = transitions(d, steps)
    lifted = np.zeros((len(move), (d + 1) * d, (d + 1) * d), kind)
    lifted[:, :d, :d] = move
    lifted[:, d:, d:] = np.einsum("nik,njl->nijkl", move, move).reshape(-1, d * d, d * d)
    gained = np.zeros((len(move), (d + 1) * d, 1), kind)
    noise = stationary - move @ stationary @ np.swapaxes(move, 1, 2)
    gained[:, d:, 0] = noise.reshape(-1, d * d)
    return lifted, gained
