"""Rows of a map that leaves out known factors, such as batches.

The layer's inputs are the latent point (node 0) and the known factors (node 1). A row whose factors
are unknown is explained under each level of the factors, and its explanations are weighed by their
bounds and the levels' shares of the training rows. At fixed factors the layer is an ordinary layer
of the latent point: an RBF kernel is a product over dimensions.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import logsumexp, ndtri, stdtrit

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import OutputGaps
from gplvm_core.kernels import RBF
from gplvm_core.numerics import Array, BoolArray
from gplvm_core.prediction.density import log_density
from gplvm_core.prediction.generate import predict
from gplvm_core.prediction.network import Network, Outputs
from gplvm_core.prediction.posterior import Posterior
from gplvm_core.prediction.project import Explained, Projection, explain
from gplvm_core.readers import DataError

POINTS, FACTORS = 0, 1  # the nodes
# The most explanations of a row, over all levels.
MOST_EXPLANATIONS = 8


@dataclass(frozen=True, eq=False)
class AskedFactors:
    """The factors of rows (n × C; NaN: unknown; None: all unknown), and the levels with weights."""

    levels: Float[Array, "L C"]
    weights: Float[Array, " L"]
    points: Float[Array, "n C"] | None = None

    def unknown(self, count: int) -> Bool[BoolArray, " n"]:
        """Which of `count` rows have unknown factors; DataError for another number of rows."""
        if self.points is None:
            return np.ones(count, dtype=bool)
        if len(self.points) != count:
            raise DataError(
                f"the known factors are given for {len(self.points):,} rows, and {count:,} are "
                "asked about"
            )
        return np.asarray(np.isnan(self.points).any(axis=1))

    def explained(self, network: Network, rows: Outputs) -> Explained:
        """The explanations of rows at the nodes `POINTS` and `FACTORS`."""
        count = len(next(iter(rows.values())))
        unknown, asked = self.unknown(count), list[tuple[BoolArray, Array, float]]()
        if not unknown.all():
            asked.append((~unknown, self.points, 0.0))  # type: ignore[arg-type]
        if unknown.any():
            weighed = zip(self._filled(count), np.log(self.weights), strict=True)
            asked += [(unknown, own, each) for own, each in weighed]
        parts = list[tuple[Array, ...]]()
        plain = without_slopes(network)
        for which, points, log_weight in asked:
            some = shifted(network, {name: own[which] for name, own in rows.items()}, points[which])
            found = explain(plain, some, {FACTORS: points[which]})[POINTS]
            shape = count, *found.mean.shape[1:]
            mean, variance, bound = np.zeros(shape), np.ones(shape), np.full(shape[:2], -np.inf)
            mean[which], variance[which] = found.mean, found.variance
            bound[which] = found.bound + log_weight
            factors = np.repeat(np.nan_to_num(points)[:, None], shape[1], axis=1)
            parts.append((mean, variance, factors, bound))
        mean, variance, factors, bound = (
            np.concatenate(each, axis=1) for each in zip(*parts, strict=True)
        )
        order = np.argsort(-bound, axis=1, kind="stable")[:, :MOST_EXPLANATIONS]
        bound, deep = np.take_along_axis(bound, order, axis=1), order[:, :, None]
        mean, variance, factors = (
            np.take_along_axis(each, deep, axis=1) for each in (mean, variance, factors)
        )
        return _explained(mean, variance, factors, bound)

    def at(self, belief: Belief) -> Explained:
        """Points of the map at their factors, or at every level, as explanations of rows."""
        count = belief.n_points
        unknown = self.unknown(count)
        each = [self.points] if not unknown.any() else self._filled(count)
        factors = np.stack([np.asarray(own) for own in each], axis=1)
        shares = self.weights if unknown.any() else np.ones(1)
        bound = np.tile(np.log(shares), (count, 1))
        bound[~unknown, 1:] = -np.inf
        mean, variance = (
            np.repeat(own[:, None], len(shares), axis=1) for own in (belief.mean, belief.variance)
        )
        return _explained(mean, variance, factors, bound)

    def drawn(self, count: int, generator: np.random.Generator) -> Float[Array, "n C"]:
        """The factors of `count` rows, drawn from the levels where they are unknown."""
        drawn = self.levels[generator.choice(len(self.weights), count, p=self.weights)]
        if self.points is None:
            return drawn
        self.unknown(count)  # checks the number of rows
        return np.where(np.isnan(self.points), drawn, self.points)

    def in_time(self, count: int) -> dict[int, Float[Array, "n C"]]:
        """The factors of the rows of one sequence; DataError if they are unknown."""
        if self.points is None or self.unknown(count).any():
            raise DataError(
                "rows in time need their known factors: give them in their columns, or ask "
                "model.given(values)"
            )
        return {FACTORS: self.points}

    def averaged(self, answer: Callable[["AskedFactors"], Float[Array, " n"]], count: int) -> Array:
        """The log of the average over the unknown rows' levels of exp(answer)."""
        unknown = self.unknown(count)
        if not unknown.any():
            return answer(self)
        every = [answer(replace(self, points=own)) for own in self._filled(count)]
        weighed = logsumexp(np.stack(every), b=self.weights[:, None], axis=0)
        return np.where(unknown, weighed, every[0])

    def log_density(
        self, network: Network, rows: Outputs, n_samples: int, random_state: int | None
    ) -> Float[Array, " n"]:
        """log p(row | its factors), averaged over the levels if they are unknown."""

        plain = without_slopes(network)

        def answer(known: AskedFactors) -> Float[Array, " n"]:
            assert known.points is not None
            own = shifted(network, rows, known.points)
            found = explain(plain, own, {FACTORS: known.points})
            return log_density(plain, own, found, n_samples, random_state)

        return self.averaged(answer, len(next(iter(rows.values()))))

    def _filled(self, count: int) -> list[Float[Array, "n C"]]:
        """The factors of rows with each level in the place of what is unknown."""
        if self.points is None:
            return [np.tile(level, (count, 1)) for level in self.levels]
        return [np.where(np.isnan(self.points), level, self.points) for level in self.levels]


def with_factors(network: Network, points: Float[Array, "N C"]) -> Network:
    """A graph of one node whose layers have the known factors as further inputs."""
    wide = tuple(replace(edge, sources=(POINTS, FACTORS)) for edge in network.edges)
    beliefs = (*network.beliefs, Belief.certain(points))
    return Network((*network.nodes, "known"), wide, (FACTORS,), beliefs)


def without_slopes(network: Network) -> Network:
    """The graph without the part of its outputs that is linear in the factors."""
    edges = (replace(edge, posterior=replace(edge.posterior, slope=None)) for edge in network.edges)
    return replace(network, edges=tuple(edges))


def shifted(
    network: Network, rows: Outputs, points: Float[Array, "n C"], sign: float = -1.0
) -> dict[str, Array]:
    """Rows without (sign −1) or with (sign 1) the linear part of their factors."""
    found = {}
    for name, own in rows.items():
        posterior = network.ends[name].posterior
        assert posterior.slope is not None  # every map without factors has one
        part = posterior.scale * (points @ posterior.slope[-points.shape[1] :])
        found[name] = own + sign * part
    return found


def at_level(posterior: Posterior, level: Float[Array, " C"]) -> Posterior:
    """The layer at fixed factors, the last C inputs: a layer of the other inputs."""
    return _averaged(posterior, level[None], np.ones(1))


def at_unseen(
    posterior: Posterior,
    levels: Float[Array, "L C"],
    count: int,
    points: Float[Array, "N Q"],
) -> Posterior:
    """The layer at factors that were not in training: its average over the levels, all alike.

    The levels, of `count` values, are a sample of the population to which an unseen value belongs.
    The variance of one further draw, (count + 1)/(count − 1) times that of the levels, averaged
    over latent points, is added to the noise of outputs with units. It is widened to the 95 %
    interval of Student's t with count − 1 degrees of freedom, because few values tell little about
    their variance.
    """
    each = np.stack([predict(at_level(posterior, level), points)[0] for level in levels])
    between = each.var(axis=0).mean(axis=0)
    wider = (stdtrit(count - 1, 0.975) / ndtri(0.975)) ** 2
    further = between * wider * (count + 1) / (count - 1)
    if posterior.links is not None:
        further = np.where(posterior.links.numbers, further, 0.0)
    alike = np.full(len(levels), 1.0 / len(levels))
    return _noisier(_averaged(posterior, levels, alike), further)


def _averaged(
    posterior: Posterior, levels: Float[Array, "L C"], weights: Float[Array, " L"]
) -> Posterior:
    """The average of a layer over levels of its last C inputs: a layer of the other inputs."""
    kernel, fixed = _apart(posterior, levels.shape[1])
    own = posterior.n_latent - levels.shape[1]
    # The average has the prior variance `share` of one level, so that k* shrinks by this factor.
    share = float(weights @ fixed.K(levels) @ weights)
    fade = weights @ fades(posterior, levels) / share
    each, center = posterior.each, posterior.center
    if posterior.slope is not None:
        center = center + posterior.scale * (weights @ levels @ posterior.slope[own:])
    if each is not None:
        each = replace(each, basis=each.basis * fade[:, None])
    return replace(
        posterior,
        kernel=replace(kernel, variance=kernel.variance * share),
        inducing=posterior.inducing[:, :own],
        weights=posterior.weights * fade[:, None],
        gap=posterior.gap * np.outer(fade, fade),
        each=each,
        center=center,
        slope=None,
    )


def fades(posterior: Posterior, levels: Float[Array, "L C"]) -> Float[Array, "L M"]:
    """The factors of k(Z, x) of the other inputs at levels of a layer's last C inputs."""
    return _apart(posterior, levels.shape[1])[1].K(
        levels, posterior.inducing[:, posterior.n_latent - levels.shape[1] :]
    )


def _apart(posterior: Posterior, count: int) -> tuple[RBF, RBF]:
    """The kernel of a layer as the product of one of the other inputs and one of the factors."""
    kernel, own = posterior.kernel, posterior.n_latent - count
    assert isinstance(kernel, RBF)  # the only kernel that maps without factors have
    scales = np.broadcast_to(kernel.lengthscale, posterior.n_latent)
    factors = replace(kernel, variance=1.0, lengthscale=scales[own:])
    return replace(kernel, lengthscale=scales[:own]), factors


def _noisier(posterior: Posterior, variance: Float[Array, " D"]) -> Posterior:
    """The layer with this variance (in the user's units) added to the noise of every output."""
    noise = posterior.noise_variance * posterior.scale**2
    own = np.sqrt(posterior.noise_variance * (1.0 + variance / noise))
    each = posterior.each
    if each is None:
        values, basis = np.linalg.eigh(posterior.gap)
        each = OutputGaps(np.ones(len(own)), basis, values[posterior.groups])
    each = replace(each, ratio=each.ratio / own**2, shares=each.shares / own[:, None] ** 2)
    return replace(
        posterior,
        weights=posterior.weights / own,
        noise_variance=1.0,
        scale=posterior.scale * own,
        each=each,
    )


def _explained(mean: Array, variance: Array, factors: Array, bound: Array) -> Explained:
    """Explanations at both nodes; the factors are exact."""
    each = Projection(mean, variance, bound), Projection(factors, 0.0 * factors, bound)
    return Explained((POINTS, FACTORS), each, np.ones((len(bound), 2), dtype=bool), {})
