"""q of the conditional families as a chain of Gaussians, for Monte Carlo values of the bound.

The chain has three layers on latent inputs, with four points. In every family q is a special case
of v^l ~ N(Rv^(l−1) + r, Θ), h^l ~ N(Tv^l + Fh^(l−1) + m, S), u = Lv.
"""

from dataclasses import dataclass

import numpy as np

from gplvm_core import RBF
from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer, evaluate_layer, gram_factor
from gplvm_core.bounds.layer import Scales
from gplvm_core.models.families.chained import InducingGivenAbove, chained, chained_to_data
from gplvm_core.models.families.correlated import Correlated, to_data
from gplvm_core.models.families.given_inducing import GivenInducing, InducingSites, given_inducing
from gplvm_core.models.families.given_inputs import GivenInputs, given_inputs
from gplvm_core.models.families.joint import JointlyGivenInducing, JointSites, joint
from gplvm_core.models.families.together import FullyGivenInputs, given_inputs_full
from gplvm_core.statistics import Targets

N, M, D, JITTER, N_DRAWS = 4, 3, 2, 1e-6, 10_000
EYE = np.eye(D)


@dataclass(frozen=True)
class Step:
    """Parameters of q for one layer.

    T (D × DM) and F (D × D⁻) have one matrix per point. The layer to data has only v.
    """

    layer: Layer
    mean: np.ndarray
    covariance: np.ndarray
    across: np.ndarray | None = None  # the matrix R
    transfer: np.ndarray | float = 0.0
    follows: np.ndarray | float = 0.0
    m: np.ndarray | float = 0.0
    spread: np.ndarray | None = None


def layers(n_layers: int = 3) -> list[Layer]:
    generator = np.random.default_rng(0)
    return [
        Layer(
            RBF(1.2, generator.uniform(0.9, 1.4, D)),
            generator.normal(size=(M, D)),
            0.3,
        )
        for _ in range(n_layers)
    ]


def top() -> Belief:
    generator = np.random.default_rng(1)
    return Belief(generator.normal(size=(N, D)), generator.uniform(0.1, 0.4, (N, D)))


Y = 0.7 * np.random.default_rng(2).normal(size=(N, 2))


def hidden(at: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    generator = np.random.default_rng(10 + at)
    mean = generator.normal(size=(N, D))
    return mean, generator.uniform(0.1, 0.4, (N, D)), generator


def blocks(transfer: np.ndarray) -> np.ndarray:
    """Convert T from one matrix per dimension (D, N, M) to one for all dimensions (N, D, DM)."""
    return np.einsum("de,dnm->ndem", EYE, transfer).reshape(N, D, D * M)


def kl(step: Step, mean: np.ndarray) -> np.ndarray:
    """Return the KL divergence of q(v | v⁻) from N(0, I), at draws of its mean."""
    level = np.trace(step.covariance) - len(step.covariance)
    return 0.5 * (level - np.linalg.slogdet(step.covariance)[1] + np.sum(mean**2, axis=1))


def drawn(steps: list[Step]) -> tuple[float, float]:
    """Estimate ⟨Σ E_l⟩ − KL(q(v)) + entropies by Monte Carlo; return it with its standard error."""
    generator, belief = np.random.default_rng(3), top()
    shape = (N_DRAWS, N, D)
    h = belief.mean + np.sqrt(belief.variance) * generator.standard_normal(shape)
    v, found = None, np.zeros(N_DRAWS)
    for step in steps:
        layer, noise = step.layer, float(step.layer.noise_variance)
        mean = np.broadcast_to(step.mean, (N_DRAWS, len(step.mean)))
        if step.across is not None:
            mean = mean + v @ step.across.T
        found -= kl(step, mean)
        root = np.linalg.cholesky(step.covariance)
        v = mean + generator.standard_normal(mean.shape) @ root.T
        outputs = np.broadcast_to(Y, (N_DRAWS, *Y.shape))
        if step.spread is not None:
            unit = generator.standard_normal(shape)
            outputs = step.m + np.einsum("nde,sne->snd", np.linalg.cholesky(step.spread), unit)
            if np.ndim(step.transfer):
                outputs = outputs + np.einsum("ndp,sp->snd", step.transfer, v)
            if np.ndim(step.follows):
                outputs = outputs + np.einsum("ndq,snq->snd", step.follows, h)
            found += 0.5 * np.sum(np.linalg.slogdet(2.0 * np.pi * np.e * step.spread)[1])
        gram = layer.kernel.K(layer.inducing)
        lower = np.linalg.cholesky(gram + JITTER * np.mean(np.diag(gram)) * np.eye(M))
        cross = layer.kernel.K(h.reshape(-1, D), layer.inducing)
        alpha = np.linalg.solve(lower, cross.T).T.reshape(N_DRAWS, N, M)
        each = v.reshape(N_DRAWS, -1, M)
        left = layer.kernel.variance - np.sum(alpha**2, axis=2)
        squares = (outputs - np.einsum("snm,sdm->snd", alpha, each)) ** 2 + left[:, :, None]
        found -= 0.5 * np.sum(np.log(2.0 * np.pi * noise) + squares / noise, axis=(1, 2))
        h = outputs
    return float(found.mean()), float(found.std() / np.sqrt(N_DRAWS))


def integrated(steps: list[Step]) -> float:
    """Compute the same value by quadrature over the inputs x of each point.

    Given x, the expectation has a closed form, because (v, h, x) of a point is Gaussian.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(30)
    grid = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, D)
    weights = np.outer(weights, weights).ravel() / (2.0 * np.pi)
    belief, found, size = top(), 0.0, D * M
    means = [np.r_[np.zeros(size), mean] for mean in belief.mean]
    covariances = [np.diag(np.r_[np.zeros(size), variance]) for variance in belief.variance]
    for step in steps:
        layer, noise = step.layer, float(step.layer.noise_variance)
        across = np.zeros((size, size)) if step.across is None else step.across
        spread = np.zeros((N, D, D)) if step.spread is None else step.spread
        outputs = Y if step.spread is None else step.m
        found -= 0.5 * np.log(2.0 * np.pi * noise) * N * D
        if step.spread is not None:
            found += 0.5 * np.sum(np.linalg.slogdet(2.0 * np.pi * np.e * spread)[1])
        for n in range(N):
            transfer = step.transfer[n] if np.ndim(step.transfer) else np.zeros((D, size))
            follows = step.follows[n] if np.ndim(step.follows) else np.zeros((D, D))
            # This is the map from (v⁻, x) to (v, h, x).
            to = np.zeros((size + 2 * D, size + D))
            to[:size, :size], to[size + D :, size:] = across, np.eye(D)
            to[size : size + D] = transfer @ to[:size] + np.c_[np.zeros((D, size)), follows]
            noise_to = np.r_[np.eye(size), transfer, np.zeros((D, size))]
            own = noise_to @ step.covariance @ noise_to.T
            own[size : size + D, size : size + D] += spread[n]
            shift = np.r_[step.mean, transfer @ step.mean + outputs[n], np.zeros(D)]
            mean, covariance = to @ means[n] + shift, to @ covariances[n] @ to.T + own
            vh, x = slice(0, size + D), slice(size + D, None)
            root = np.linalg.cholesky(covariance[x, x])
            slopes = np.linalg.solve(covariance[x, x], covariance[x, vh]).T
            left = covariance[vh, vh] - slopes @ covariance[x, vh]
            away = grid @ root.T
            cross = layer.kernel.K(mean[x] + away, layer.inducing)
            alpha = np.linalg.solve(lower_of(layer), cross.T).T
            given = mean[vh] + away @ slopes.T
            for d in range(D):
                pick = np.zeros((len(grid), size + D))
                pick[:, d * M : (d + 1) * M], pick[:, size + d] = -alpha, 1.0
                square = np.sum(pick * given, axis=1) ** 2 + np.sum((pick @ left) * pick, axis=1)
                square += layer.kernel.variance - np.sum(alpha**2, axis=1)
                found -= 0.5 * float(weights @ square) / noise
            means[n], covariances[n] = mean[vh], covariance[vh, vh]
        mean, covariance = means[0][:size], covariances[0][:size, :size]
        prior = np.trace(covariance) + mean @ mean - size
        found -= 0.5 * (prior - np.linalg.slogdet(step.covariance)[1])
    return found


def lower_of(layer: Layer) -> np.ndarray:
    return gram_factor(layer.kernel, layer.inducing, JITTER, relative=True).lower


def stacked(covariance: np.ndarray) -> np.ndarray:
    """Return a block per output, or one block for all outputs."""
    if len(covariance) == 1:
        covariance = np.repeat(covariance, D, axis=0)
    return np.einsum("de,dij->diej", EYE, covariance).reshape(D * M, D * M)


def last(layer: Layer, belief: Belief) -> tuple[float, Step]:
    """Return F_data and its optimal q(v)."""
    at = evaluate_layer(layer, belief, Targets.whole(Y), jitter=JITTER)
    v_mean = (lower_of(layer).T @ at.posterior.weights).T.ravel()
    return at.value, Step(layer, v_mean, stacked(at.posterior.inverse))


def of_conditional(kind: str) -> tuple[float, list[Step]]:
    """Return the steps of 6.2 and of diagonal 6.5, with the bound of the tested code."""
    belief, value, steps = top(), 0.0, []
    *above, below = layers()
    for at, layer in enumerate(above):
        mean, variance, generator = hidden(at)
        if kind == "diagonal":
            follows = 0.5 * generator.normal(size=(N, D))
            own = GivenInputs(mean, variance, follows)
            found = given_inputs(layer, belief, own, Scales(), jitter=JITTER)
            what = {"follows": follows[:, :, None] * EYE, "m": mean - follows * belief.mean}
        else:
            gate = np.array([0.6, -0.3]) if kind != "free" else None
            free = 0.4 * generator.normal(size=(D, N, M)) if kind == "free" else None
            half = 0.4 * generator.normal(size=(D, M, M))
            sites = InducingSites(
                0.5 * generator.normal(size=(D, M)), -half @ np.swapaxes(half, 1, 2)
            )
            own = GivenInducing(mean, variance, gate, free, sites if kind == "sites" else None)
            found = given_inducing(layer, belief, own, jitter=JITTER)
            psi1, _ = layer.kernel.psi1(belief.mean, belief.variance, layer.inducing)
            alpha = np.linalg.solve(lower_of(layer), psi1.T).T
            what = {"transfer": blocks(own.transfers(alpha)), "m": mean}
        v_mean = (lower_of(layer).T @ found.posterior.weights).T.ravel()
        spread = variance[:, :, None] * EYE
        covariance = stacked(found.posterior.inverse)
        steps.append(Step(layer, v_mean, covariance, spread=spread, **what))
        value, belief = value + found.posterior.value + found.entropy, found.belief
    own_value, step = last(below, belief)
    return value + own_value, [*steps, step]


def jointly(at: int, strength: float = 0.4, *, gated: bool = False) -> JointlyGivenInducing:
    """Return q(h | u) of 6.3 with a free T or gates, and with sites."""
    mean, variance, generator = hidden(at)
    mixes = 0.3 * generator.normal(size=(N, D * (D - 1) // 2))
    half = 0.3 * generator.normal(size=(D * M, D * M))
    sites = JointSites(0.5 * generator.normal(size=D * M), -half @ half.T)
    if gated:
        gate = strength * generator.normal(size=(D, D))
        return JointlyGivenInducing(mean, variance, mixes, gate, sites=sites)
    transfer = strength * generator.normal(size=(N, D, D * M))
    return JointlyGivenInducing(mean, variance, mixes, transfer=transfer, sites=sites)


def of_correlated(kind: str) -> tuple[float, list[Step]]:
    """Return the steps of 6.3 and of full 6.5, with the bound of the tested code."""
    source, value, steps = Correlated.of(top()), 0.0, []
    *above, below = layers()
    for at, layer in enumerate(above):
        if kind == "full":
            mean, variance, generator = hidden(at)
            follows = 0.5 * generator.normal(size=(N, D, D))
            full = FullyGivenInputs(mean, variance, follows)
            found = given_inputs_full(layer, source, full, Scales(), jitter=JITTER)
            v_mean = (lower_of(layer).T @ found.posterior.weights).T.ravel()
            covariance = stacked(found.posterior.inverse)
            m = mean - np.einsum("nde,ne->nd", follows, source.mean)
            what = {"follows": follows, "m": m, "spread": variance[:, :, None] * EYE}
        else:
            own = jointly(at, gated=kind == "gates")
            found = joint(layer, source, own, jitter=JITTER)
            v_mean, covariance = found.belief.above.mean, found.belief.above.covariance
            transfer = found.belief.above.transfer
            what = {"transfer": transfer, "m": own.mean, "spread": own.covariance}
        steps.append(Step(layer, v_mean, covariance, **what))
        value, source = value + found.posterior.value + found.entropy, found.belief
    final = to_data(below, source, Targets.whole(Y), Scales(), jitter=JITTER)
    v_mean = (lower_of(below).T @ final.posterior.weights).T.ravel()
    return value + final.value, [*steps, Step(below, v_mean, stacked(final.posterior.inverse))]


def of_chain(strength: float = 0.5) -> tuple[float, list[Step]]:
    """Return the steps of 6.6, with the bound of the tested code.

    strength: the size of R.
    """
    source, value, steps, above = Correlated.of(top()), 0.0, [], None
    generator = np.random.default_rng(20)
    for at, layer in enumerate(layers()):
        across, own = strength * generator.normal(size=(D * M, D * M)), jointly(at)
        if above is None:
            found, follows = joint(layer, source, own, jitter=JITTER), None
        elif at == 1:
            follows = InducingGivenAbove(across)
            found = chained(layer, source, follows, own, jitter=JITTER)
        else:
            follows = InducingGivenAbove(None, across[:, :2], across[:2])
            across = follows.across
            found = chained_to_data(layer, source, follows, Y, jitter=JITTER)
        v_mean = (lower_of(layer).T @ found.posterior.weights).T.ravel()
        covariance, what = stacked(found.posterior.inverse), {}
        if at < 2:
            covariance = found.belief.above.covariance
            transfer = found.belief.above.transfer
            what = {"transfer": transfer, "m": own.mean, "spread": own.covariance}
        if above is not None:
            v_mean = v_mean - across @ above.mean
            covariance = covariance - across @ above.covariance @ across.T
            if at == 2:
                # For data, Θ has one covariance per output, because the outputs are independent.
                covariance = stacked(
                    np.stack([covariance[d * M : (d + 1) * M, d * M : (d + 1) * M] for d in (0, 1)])
                )
        steps.append(Step(layer, v_mean, covariance, None if above is None else across, **what))
        value = value + found.posterior.value + found.entropy
        source, above = found.belief, at < 2 and found.belief.above
    return value, steps
