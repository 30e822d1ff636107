"""Outputs → latent points: the points that explain some outputs, or combinations of them.

A handle is a linear functional of the outputs (a column, a coordinate on a screen) with a target
and a tolerance. Words are held as answers of yes/no outputs. assets/canvas/pull/solver.js
implements the same for the browser.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from scipy.spatial import KDTree
from scipy.special import expit, log_expit, logsumexp

from gplvm_core.beliefs import Belief
from gplvm_core.numerics import Array, Int64Array
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.posterior import Posterior

# Settings of the density near the data: the share of N(0, I), which neighbour counts (k for the
# k-th nearest), and the width of a Gaussian in units of the distance to this neighbour.
BACKGROUND = 0.02
NEIGHBOUR = 5
WIDTH = 0.5
LEAST_VARIANCE = 1e-6

# Levenberg–Marquardt: the first damping, and its factors after failures and successes.
DAMPING, WORSE, BETTER = 0.01, 6.0, 0.2
MOST_STEPS = 100
LEAST_GAIN = 1e-6  # in nats

SEEDS = 6
APART = 3.0  # the distance of two seeds, in units of the median distance to the fifth neighbour
SAME = 0.05  # in standard deviations; end points whose outputs differ less count as one


# p(yes) = ⟨σ(f)⟩ for f ~ N(m, v) is about σ(m/√(1 + π v/8)) (MacKay 1992).
SPREAD = np.pi / 8.0
# A held word counts as so many observations. The density near the data varies by several nats, so a
# single observation would hardly matter; with many, the search would leave the data.
OBSERVATIONS = 5.0


@dataclass(frozen=True)
class Handles:
    """Linear functionals of the outputs with their targets, in the user's units.

    tolerance: the standard deviation of a target's error; 0 is an exact target. noise: 1 if the
    target is an observation of a number, with the model's noise; 0 for the functions of counts,
    whose tolerance includes the noise.
    """

    functionals: Float[Array, "H D"]
    targets: Float[Array, " H"]
    tolerance: Float[Array, " H"]
    noise: Float[Array, " H"] | float = 1.0


@dataclass(frozen=True)
class Answers:
    """Yes/no outputs with known answers, such as those of a word.

    outputs: their numbers; signs: 1 for yes, −1 for no.
    """

    outputs: Int[Int64Array, " A"]
    signs: Float[Array, " A"]


@dataclass(frozen=True)
class NearData:
    """A density of latent points that is large near the training points.

    The density is 0.98 · mean_n N(x_n, S_n + c² ρ_n² / w) + 0.02 · N(0, I). ρ_n is the distance of
    x_n to its fifth neighbour, weighted by the relevances w; c = 0.5 is the width. Variances are at
    most 1.
    """

    points: Float[Array, "N Q"]
    variance: Float[Array, "N Q"]

    @classmethod
    def of(cls, belief: Belief, relevance: Float[Array, " Q"]) -> "NearData":
        mean = belief.mean
        width = widths(mean * np.sqrt(relevance))
        with np.errstate(divide="ignore", invalid="ignore"):
            added = (WIDTH * width[:, None]) ** 2 / relevance
        # A dimension without relevance has an infinite width, also where points coincide.
        added = np.where(relevance > 0.0, added, np.inf)
        return cls(mean, np.clip(belief.variance + added, LEAST_VARIANCE, 1.0))

    def at(
        self, point: Float[Array, " Q"]
    ) -> tuple[float, Float[Array, " Q"], Float[Array, "Q Q"]]:
        """Return the log density, its gradient, and a positive semi-definite curvature of −log
        p.
        """
        centers = np.vstack([self.points, np.zeros_like(point)])
        precision = np.vstack([1.0 / self.variance, np.ones_like(point)])
        away = point - centers
        parts = 0.5 * np.sum(np.log(precision / (2.0 * np.pi)) - precision * away**2, axis=1)
        parts += np.append(np.full(len(self.points), self._share), np.log(BACKGROUND))
        value = float(logsumexp(parts))
        share = np.exp(parts - value)
        return value, -(share @ (precision * away)), np.diag(share @ precision)

    @property
    def _share(self) -> float:
        return float(np.log((1.0 - BACKGROUND) / len(self.points)))


@dataclass(frozen=True)
class Pull:
    """The objective F(x): how well a latent point explains handles, and how near it is to data.

    F(x) = −½ Σ_h [log τ_h + r_h² / τ_h] + 5 Σ_d log p(answer_d | x) + log p̃(x), with
    r_h = t_h − a_hᵀ m(x) and τ_h = Σ_d a_hd² s_d² (v_d(x) + σ²) + σ_h². m and v are mean and
    variance of the functions, s the scale of the outputs, σ² the noise, σ_h the tolerance and p̃
    the density near the data. An answer has the probability σ(±m_d/√(1 + π v_d/8)).
    """

    posterior: Posterior
    handles: Handles
    near: NearData
    answers: Answers | None = None

    def value(self, point: Float[Array, " Q"]) -> float:
        """Return F at a latent point, in nats."""
        return self._likelihood(point[None])[0] + self.near.at(point)[0]

    def at(
        self, point: Float[Array, " Q"]
    ) -> tuple[float, Float[Array, " Q"], Float[Array, "Q Q"]]:
        """Return F with its gradient, and a positive semi-definite curvature of −F.

        The handles' curvature is the Gauss–Newton approximation, without second derivatives of mean
        and variance.
        """
        (left,), (tau,) = self._residuals(point[None])
        slope = slopes(self.posterior, point, self.handles.functionals)
        spread = self._variance_slopes(point, self._levels, self._gaps)
        value, gradient, curvature = self.near.at(point)
        value -= 0.5 * float(np.sum(np.log(tau) + left**2 / tau))
        gradient = gradient + slope.T @ (left / tau)
        gradient -= 0.5 * spread.T @ (1.0 / tau - (left / tau) ** 2)
        curvature = curvature + slope.T @ (slope / tau[:, None])
        relative = spread / tau[:, None]
        curvature = curvature + 0.5 * relative.T @ relative
        if self.answers is None:
            return value, gradient, curvature
        (arguments,), steps = self._arguments(point[None]), self._argument_slopes(point)
        chance = expit(arguments)
        value += OBSERVATIONS * float(np.sum(log_expit(arguments)))
        gradient = gradient + OBSERVATIONS * (1.0 - chance) @ steps
        weights = OBSERVATIONS * chance * (1.0 - chance)
        return value, gradient, curvature + steps.T @ (weights[:, None] * steps)

    def likelihoods(self, points: Float[Array, "N Q"]) -> Float[Array, " N"]:
        """Return the part of F from handles and answers at many points."""
        return self._likelihood(points)

    def _likelihood(self, points: Array) -> Array:
        left, tau = self._residuals(points)
        found = -0.5 * np.sum(np.log(tau) + left**2 / tau, axis=1)
        if self.answers is not None:
            found = found + OBSERVATIONS * np.sum(log_expit(self._arguments(points)), axis=1)
        return np.asarray(found)

    def _residuals(self, points: Array) -> tuple[Array, Array]:
        """Return r and τ of every handle at points, N × H."""
        handles, functionals = self.handles, self.handles.functionals
        mean, variance = predict(self.posterior, points)
        noise = handles.noise * np.sum(self._weights, axis=1) * self.posterior.noise_variance
        tau = variance @ functionals.T**2 + noise + handles.tolerance**2
        return handles.targets - mean @ functionals.T, np.maximum(tau, 1e-300)

    def _arguments(self, points: Array) -> Float[Array, "N A"]:
        """Return ±m/√(1 + π v/8) of every answer."""
        assert self.answers is not None
        mean, variance = (each[:, self.answers.outputs] for each in predict(self.posterior, points))
        return np.asarray(self.answers.signs * mean / np.sqrt(1.0 + SPREAD * variance))

    def _argument_slopes(self, point: Array) -> Float[Array, "A Q"]:
        """Return the derivatives of `_arguments`."""
        assert self.answers is not None
        outputs, signs = self.answers.outputs, self.answers.signs
        (mean,), (variance,) = (each[:, outputs] for each in predict(self.posterior, point[None]))
        own = np.eye(self.posterior.n_outputs)[outputs]
        weights, variances = own * self.posterior.scale**2, self.posterior.variances
        gaps = [variances.total(each) for each in weights]
        spread = self._variance_slopes(point, variances.level(weights), gaps)
        wide = 1.0 + SPREAD * variance
        inner = slopes(self.posterior, point, own)
        inner = inner - (0.5 * SPREAD * mean / wide)[:, None] * spread
        return np.asarray((signs / np.sqrt(wide))[:, None] * inner)

    def _variance_slopes(
        self, point: Array, levels: Array, gaps: list[Array]
    ) -> Float[Array, "H Q"]:
        """Return the derivatives of the variances of functionals."""
        posterior = self.posterior
        kernel, inducing = posterior.kernel, posterior.inducing
        at = point[None]
        cross = kernel.K(at, inducing)[0]
        (prior,), _, _ = kernel.psi0(at, np.zeros_like(at))[1](np.ones(1))
        if not gaps:
            return np.zeros((0, len(point)))
        adjoint = np.stack([-2.0 * (gap @ cross) for gap in gaps])
        repeated = np.repeat(at, len(adjoint), axis=0)
        carried = kernel.between_pullback(repeated, inducing, adjoint)[0]
        return np.asarray(carried + levels[:, None] * prior)

    @cached_property
    def _weights(self) -> Float[Array, "H D"]:
        return self.handles.functionals**2 * self.posterior.scale**2

    @cached_property
    def _levels(self) -> Float[Array, " H"]:
        return self.posterior.variances.level(self._weights)

    @cached_property
    def _gaps(self) -> list[Float[Array, "M M"]]:
        return [self.posterior.variances.total(weights) for weights in self._weights]


@dataclass(frozen=True)
class Reached:
    """A latent point that explains handles.

    Attributes
    ----------
    point : ndarray of shape (Q,)
        The latent point.
    outputs : ndarray of shape (D,)
        The mean of all outputs at this point, in the user's units. For a table with words or
        counts: the functions behind its columns; `inverse_transform` gives the row.
    std : ndarray of shape (D,)
        The outputs' standard deviations, noise included: how free every output still is.
    errors : ndarray of shape (H,)
        Target minus mean of every functional.
    score : float
        How good the explanation is, in nats. Only differences between explanations are meaningful.
    """

    point: Float[Array, " Q"]
    outputs: Float[Array, " D"]
    std: Float[Array, " D"]
    errors: Float[Array, " H"]
    score: float


def slopes(
    posterior: Posterior, point: Float[Array, " Q"], functionals: Float[Array, "H D"]
) -> Float[Array, "H Q"]:
    """Return the derivatives of functionals of the mean, in the user's units."""
    if not len(functionals):
        return np.zeros((0, len(point)))
    scaled = functionals * posterior.scale
    repeated = np.repeat(point[None], len(scaled), axis=0)
    adjoint = scaled @ posterior.weights.T
    found = posterior.kernel.between_pullback(repeated, posterior.inducing, adjoint)[0]
    return found if posterior.slope is None else found + scaled @ posterior.slope.T


def widths(points: Float[Array, "N Q"]) -> Float[Array, " N"]:
    """Return each point's distance to its fifth neighbour; ∞ for a single point."""
    rank = min(NEIGHBOUR, len(points) - 1)
    if rank < 1:
        return np.full(len(points), np.inf)
    return np.asarray(KDTree(points).query(points, [rank + 1])[0])[:, 0]


def climb(
    pull: Pull, start: Float[Array, " Q"]
) -> tuple[Float[Array, " Q"], float, Float[Array, "Q Q"]]:
    """Find a local maximum of F by Levenberg–Marquardt; return the point, F and the curvature."""
    point, damping = start, DAMPING
    value, gradient, curvature = pull.at(point)
    for _ in range(MOST_STEPS):
        damped = curvature + damping * np.diag(np.diag(curvature))
        step = np.linalg.lstsq(damped, gradient, rcond=None)[0]
        found = pull.value(point + step)
        if not found > value:
            damping *= WORSE
            if damping > 1e9:
                break
            continue
        damping *= BETTER
        point, gain = point + step, found - value
        value, gradient, curvature = pull.at(point)
        if gain < LEAST_GAIN:
            break
    return point, value, curvature


def fit_to(
    posterior: Posterior,
    belief: Belief,
    relevance: Float[Array, " Q"],
    handles: Handles,
    answers: Answers | None = None,
) -> list[Reached]:
    """Return the explanations of handles and answers, the best first.

    belief: the training rows' points.
    """
    near = NearData.of(belief, relevance)
    noise = posterior.noise
    # Handles and answers are about the functions.
    posterior = replace(posterior, links=None)
    pull = Pull(posterior, handles, near, answers)
    ends = [climb(pull, belief.mean[n]) for n in seeds(pull, relevance)]
    found = []
    for point, value, curvature in ends:
        score = value - 0.5 * float(np.linalg.slogdet(curvature)[1])
        mean, variance = predict(posterior, point[None])
        slope = slopes(posterior, point, np.eye(posterior.n_outputs))
        spread = np.sum(slope * np.linalg.lstsq(curvature, slope.T, rcond=None)[0].T, axis=1)
        left = handles.targets - handles.functionals @ mean[0]
        std = np.sqrt(spread + variance[0] + noise)
        found.append(Reached(point, mean[0], std, left, score))
    found.sort(key=lambda each: -each.score)
    return _different(found)


def seeds(pull: Pull, relevance: Float[Array, " Q"]) -> list[int]:
    """Return training points that explain the handles best and are far from each other."""
    points = pull.near.points
    scaled = points * np.sqrt(relevance)
    order = np.argsort(-pull.likelihoods(points), kind="stable")
    radius = APART * float(np.median(widths(scaled)))
    chosen: list[int] = []
    for n in order:
        if all(np.linalg.norm(scaled[n] - scaled[other]) > radius for other in chosen):
            chosen.append(int(n))
        if len(chosen) == SEEDS:
            break
    return chosen


def _different(found: list[Reached]) -> list[Reached]:
    """Remove explanations whose outputs equal the outputs of a better explanation."""
    kept: list[Reached] = []
    for each in found:
        changes = [np.max(np.abs(each.outputs - other.outputs) / other.std) for other in kept]
        if all(change > SAME for change in changes):
            kept.append(each)
    return kept
