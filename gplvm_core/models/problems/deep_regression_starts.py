"""Where the training of a deep regression starts: from the inputs down.

Every recipe is made of the shallow regression: its lengthscales, or its answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from jaxtyping import Float

from gplvm_core.beliefs import Belief
from gplvm_core.kernels import RBF, Kernel, kernel_named
from gplvm_core.models.problems.deep_starts import STRAIGHT, straight
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.models.problems.graph import Begun, Recipes
from gplvm_core.models.problems.initialise import initial_latent
from gplvm_core.models.problems.shallow import Shallow
from gplvm_core.models.problems.starts import start_layer
from gplvm_core.numerics import Array

# Of a layer that starts as (nearly) the identity, and of one that starts as the answer.
LEAST_NOISE, RELATIVE_NOISE = 0.01, 0.1
# Of a layer that hands its inputs on, whose hidden dimensions have unit variance.
# The next one has more, beside which that of its inputs counts for little.
NO_NOISE, NOISIER = 1e-5, 10.0
# What is off by this share is no linear map.
LEAST_LIKE = 1e-3
# Points closer than this are one place.
LEAST_SPREAD = 1e-10
# With more inputs than this, hidden layers that start as the inputs stay as they are.
FEW_INPUTS = 3
# Of the hidden layers of a regression: linear maps that stay, none, or the better.
Mean = Literal["compared", "zero", "linear"]
MEANS = get_args(Mean)


@dataclass(frozen=True)
class Unbent:
    """Hidden layers that hand the inputs on as they are, for the last to explain the data from.

    The inputs are taken in units of the shallow regression's lengthscales, turned to where its
    answer changes most, so that hidden layers may be narrower or wider. n_latent: of the hidden
    nodes; n_inducing, kernels: of every layer, the first of them on the inputs. connected: the
    others see the inputs as well.
    """

    shallow: Shallow
    n_latent: tuple[int, ...]
    n_inducing: tuple[int, ...]
    kernels: tuple[str | Kernel, ...]
    connected: bool = False

    @property
    def in_lengthscales(self) -> bool:
        """Whether hidden layers have lengthscales for units, beside which their noise is small."""
        return False

    def __call__(self, seed: int, /) -> Begun:
        generator, belief = np.random.default_rng(seed), self.shallow.inputs.belief
        scaled = self.shallow.leading[:, : self.n_latent[0]]
        # The widest component is given unit variance: this is the last lengthscale then.
        values = np.linalg.svd(scaled - scaled.mean(axis=0), compute_uv=False)
        last = np.sqrt(len(scaled)) / max(float(values[0]), LEAST_SPREAD)
        noise = min((RELATIVE_NOISE * last) ** 2, LEAST_NOISE)
        means = self.means(scaled, generator)
        if self.in_lengthscales:
            means, last = tuple(mean / last for mean in means), 1.0
        # Columns that are sums of others add no direction.
        known = min(int(np.sum(values > LEAST_SPREAD * values[0])), *self.n_latent)
        unbent = (straight(belief.n_latent), *(straight(n) for n in self.n_latent[:-1]))
        scales = (*unbent, _told(last, known, self.n_latent[-1]))
        return _begun(self, belief, means, noise, scales, generator)

    def means(self, scaled: Array, generator: np.random.Generator) -> tuple[Array, ...]:
        """Of the hidden points, from the scaled inputs."""
        return _narrowed(scaled, self.n_latent, generator)


@dataclass(frozen=True)
class InputsPassedOn(Unbent):
    """The same, the first layer with a slope that does it, and little noise: with one hidden layer
    as wide as the inputs this is the shallow regression, to which it may add what it likes.

    everywhere: so do the hidden layers below it, where their kernel is an RBF.
    """

    everywhere: bool = False

    @property
    def in_lengthscales(self) -> bool:
        return self.everywhere or len(self.n_latent) == 1

    def __call__(self, seed: int, /) -> Begun:
        begun = super().__call__(seed)
        beliefs, layers = list(begun.beliefs), list(begun.layers)
        slope = whole = _linear_map(beliefs[0].mean, beliefs[1].mean)
        for at, below in enumerate(begun.beliefs[1:]):
            layer, noise = layers[at], min(NO_NOISE * NOISIER**at, float(below.variance.flat[0]))
            if at:
                slope = np.eye(self.n_latent[at - 1], self.n_latent[at])
                whole = whole @ slope
            if at == 0 or (self.everywhere and isinstance(layer.kernel, RBF)):
                unseen = layer.inducing.shape[1] - len(slope)  # of inputs that are connected
                own = np.pad(slope, ((0, unseen), (0, 0)))
                layers[at] = replace(layer, noise_variance=noise, slope=own)
                beliefs[at + 1] = Belief(below.mean, np.full_like(below.mean, noise))
        last = layers[-1]
        if len(last.inducing) == len(self.shallow.inducing):
            places = self.shallow.inducing @ whole
            seen = np.hstack([places, self.shallow.inducing]) if self.connected else places
            layers[-1] = replace(last, inducing=seen)
        return Begun(tuple(beliefs), tuple(layers))

    def means(self, scaled: Array, generator: np.random.Generator) -> tuple[Array, ...]:
        """Linear in the inputs, 0 where there are more dimensions than directions."""
        inputs = self.shallow.inputs.belief.mean
        (first,) = _narrowed(scaled, self.n_latent[:1], generator)
        first = inputs @ _linear_map(inputs, first)
        return tuple(first @ np.eye(first.shape[1], width) for width in self.n_latent)


@dataclass(frozen=True)
class Answered(Unbent):
    """The first hidden layer holds the shallow regression's answer, and the others hand it on."""

    def __call__(self, seed: int, /) -> Begun:
        generator, belief = np.random.default_rng(seed), self.shallow.inputs.belief
        means = _narrowed(self.shallow.answer, self.n_latent, generator)
        own = 1.0 / np.sqrt(relevance_of(self.shallow.kernel, belief.n_latent))
        known = min(self.shallow.answer.shape[1], *self.n_latent)
        scales = (own, *(_told(1.0, known, n) for n in self.n_latent))
        return _begun(self, belief, means, LEAST_NOISE, scales, generator)


def regression_starts(
    shallow: Shallow,
    n_latent: tuple[int, ...],
    n_inducing: tuple[int, ...],
    kernels: tuple[str | Kernel, ...],
    *,
    mean: Mean,
    connected: bool,
    everywhere: bool,
) -> Recipes:
    """Every recipe that suits the inputs and the mean of the hidden layers; everywhere: of
    all, not of the first of them alone.

    Raises ValueError for a mean that there is not, or that inputs of some uncertainty cannot have.
    """
    if mean not in MEANS:
        raise ValueError(f"mean must be one of {', '.join(MEANS)}; got {mean!r}")
    known = bool(shallow.inputs.exact.all())
    if mean == "linear" and not known:
        raise ValueError(
            "mean='linear' needs inputs that are known exactly, without gaps or X_variance"
        )
    settings = shallow, n_latent, n_inducing, kernels, connected
    recipes = dict[str, Unbent]()
    if mean != "linear":
        if shallow.inputs.belief.n_latent <= FEW_INPUTS:
            recipes["hidden layers as the inputs"] = Unbent(*settings)
        recipes["hidden layers with the answer"] = Answered(*settings)
    if known and mean != "zero":
        recipes["first layer linear"] = InputsPassedOn(*settings)
        if everywhere and len(n_latent) > 1:
            # Level with the shallow one, where the other may fall below it, but it bends less.
            recipes["hidden layers linear"] = InputsPassedOn(*settings, everywhere=True)
    return Recipes(recipes)


def _begun(
    start: Unbent,
    top: Belief,
    means: Sequence[Array],
    noise: float,
    lengthscales: Sequence[Array],
    generator: np.random.Generator,
) -> Begun:
    """Hidden beliefs with as much variance as the layers have noise; kernels by name get their
    lengthscales, objects stay as they are.
    """
    beliefs = (top, *(Belief(mean, np.full_like(mean, noise)) for mean in means))
    layers = []
    for at, (belief, kind) in enumerate(zip(beliefs, start.kernels, strict=True)):
        seen, scales = belief.mean, lengthscales[at]
        if start.connected and at:
            seen = np.hstack([seen, top.mean])
            # Depth is to explain what it can before the inputs themselves do.
            scales = np.concatenate([scales, straight(top.n_latent)])
        kernel = kernel_named(kind, scales) if isinstance(kind, str) else kind
        exact, count = at == 0 and top.known, start.n_inducing[at]
        layer, _ = start_layer(kernel, seen, count, noise, generator, exact=exact)
        layers.append(layer)
    return Begun(beliefs, tuple(layers))


def _narrowed(
    points: Array, widths: Sequence[int], generator: np.random.Generator
) -> tuple[Array, ...]:
    """Principal components of points, then of those, of so many dimensions; at random where points
    have no spread.
    """
    means = list[Array]()
    for width in widths:
        points = points - points.mean(axis=0)
        if np.linalg.norm(points) < LEAST_SPREAD:
            points = generator.standard_normal((len(points), width))
        points, _ = initial_latent((points,), width, "pca", generator)
        means.append(points)
    return tuple(means)


def _linear_map(inputs: Array, outputs: Array) -> Float[Array, "Q D"]:
    """The outputs from the inputs, 0 for those that are no linear map of them: where there are more
    hidden dimensions than directions, some start at random, and are nothing to hand on.
    """
    slope, *_ = np.linalg.lstsq(inputs, outputs, rcond=None)
    wrong = np.linalg.norm(outputs - inputs @ slope, axis=0)
    like = wrong < LEAST_LIKE * np.linalg.norm(outputs, axis=0)
    return np.asarray(np.where(like, slope, 0.0), dtype=np.float64)


def _told(lengthscale: float, known: int, n_latent: int) -> Array:
    """One lengthscale for the dimensions that start from something, and long ones for the rest."""
    return np.where(np.arange(n_latent) < known, lengthscale, STRAIGHT * np.sqrt(n_latent))
