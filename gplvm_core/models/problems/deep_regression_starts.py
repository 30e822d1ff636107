"""Starts for deep regressions, built from the inputs down.

Every start uses the lengthscales or the predictions of a trained shallow regression.
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

# At the start, a hidden layer's noise variance is at most START_NOISE, and its noise standard
# deviation is at most RELATIVE_NOISE lengthscales of the last layer.
START_NOISE, RELATIVE_NOISE = 0.01, 0.1
# NO_NOISE is the noise variance of a first layer with a linear mean, for hidden dimensions of unit
# variance. The noise variance grows by the factor NOISIER from layer to layer, so that the noise
# of a layer's inputs matters little.
NO_NOISE, NOISIER = 1e-5, 10.0
# A map with a larger relative residual is not linear.
LEAST_LIKE = 1e-3
# Points closer than this count as equal.
LEAST_SPREAD = 1e-10
# With more inputs than this number, training does not improve hidden layers that start as the
# inputs.
FEW_INPUTS = 3
# The mean function of the hidden layers of a regression; "compared" tries both others.
Mean = Literal["compared", "zero", "linear"]
MEANS = get_args(Mean)


@dataclass(frozen=True)
class Unbent:
    """Hidden layers that start as the identity, so that the last layer explains the data.

    The inputs are divided by the shallow regression's lengthscales and rotated so that its
    predictions change most along the first dimension. Hidden layers may therefore be narrower or
    wider. n_latent: widths of the hidden nodes. n_inducing, kernels: an entry for every layer,
    first the layer on the inputs. connected: every further layer also depends on the regression's
    inputs.
    """

    shallow: Shallow
    n_latent: tuple[int, ...]
    n_inducing: tuple[int, ...]
    kernels: tuple[str | Kernel, ...]
    connected: bool = False

    @property
    def in_lengthscales(self) -> bool:
        """Whether hidden dimensions are in units of the last layer's lengthscale."""
        return False

    def __call__(self, seed: int, /) -> Begun:
        generator, belief = np.random.default_rng(seed), self.shallow.inputs.belief
        scaled = self.shallow.leading[:, : self.n_latent[0]]
        # The component with the largest variance is scaled to unit variance. `last` is the
        # lengthscale of the last layer in these units.
        values = np.linalg.svd(scaled - scaled.mean(axis=0), compute_uv=False)
        last = np.sqrt(len(scaled)) / max(float(values[0]), LEAST_SPREAD)
        noise = min((RELATIVE_NOISE * last) ** 2, START_NOISE)
        means = self.means(scaled, generator)
        if self.in_lengthscales:
            means, last = tuple(mean / last for mean in means), 1.0
        # Input columns that are sums of other columns add no direction.
        known = min(int(np.sum(values > LEAST_SPREAD * values[0])), *self.n_latent)
        unbent = (straight(belief.n_latent), *(straight(n) for n in self.n_latent[:-1]))
        scales = (*unbent, _lengthscales(last, known, self.n_latent[-1]))
        return _begun(self, belief, means, noise, scales, generator)

    def means(self, scaled: Array, generator: np.random.Generator) -> tuple[Array, ...]:
        """The means of the hidden points, from the scaled inputs."""
        return _narrowed(scaled, self.n_latent, generator)


@dataclass(frozen=True)
class InputsPassedOn(Unbent):
    """A start like `Unbent`, in which the first layer has a linear mean (a slope) and little noise.

    With one hidden layer as wide as the inputs, this start equals the shallow regression.
    everywhere: further hidden layers with an RBF kernel have a linear mean, too.
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
                unseen = layer.inducing.shape[1] - len(slope)  # dimensions of connected inputs
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
        """Means that are linear in the inputs; the means of surplus dimensions are 0."""
        inputs = self.shallow.inputs.belief.mean
        (first,) = _narrowed(scaled, self.n_latent[:1], generator)
        first = inputs @ _linear_map(inputs, first)
        return tuple(first @ np.eye(first.shape[1], width) for width in self.n_latent)


@dataclass(frozen=True)
class Answered(Unbent):
    """A start at the shallow regression's predictions.

    They are the means of the first hidden layer; the other hidden layers copy these means.
    """

    def __call__(self, seed: int, /) -> Begun:
        generator, belief = np.random.default_rng(seed), self.shallow.inputs.belief
        means = _narrowed(self.shallow.answer, self.n_latent, generator)
        own = 1.0 / np.sqrt(relevance_of(self.shallow.kernel, belief.n_latent))
        known = min(self.shallow.answer.shape[1], *self.n_latent)
        scales = (own, *(_lengthscales(1.0, known, n) for n in self.n_latent))
        return _begun(self, belief, means, START_NOISE, scales, generator)


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
    """All starts for these inputs and this mean function of the hidden layers.

    everywhere: all hidden layers may have a linear mean, not only the first layer. Raises
    ValueError for an unknown mean function, and for a linear mean with uncertain inputs.
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
            # This start reaches the bound of the shallow model, which "first layer linear" may
            # miss. However, its hidden layers are less flexible.
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
    """Build the start; the variances of hidden points equal the noise of their layers.

    Kernels given by name get the given lengthscales; kernel objects do not change.
    """
    beliefs = (top, *(Belief(mean, np.full_like(mean, noise)) for mean in means))
    layers = []
    for at, (belief, kind) in enumerate(zip(beliefs, start.kernels, strict=True)):
        seen, scales = belief.mean, lengthscales[at]
        if start.connected and at:
            seen = np.hstack([seen, top.mean])
            # Long lengthscales let the hidden layers explain as much as they can.
            scales = np.concatenate([scales, straight(top.n_latent)])
        kernel = kernel_named(kind, scales) if isinstance(kind, str) else kind
        exact, count = at == 0 and top.known, start.n_inducing[at]
        layer, _ = start_layer(kernel, seen, count, noise, generator, exact=exact)
        layers.append(layer)
    return Begun(beliefs, tuple(layers))


def _narrowed(
    points: Array, widths: Sequence[int], generator: np.random.Generator
) -> tuple[Array, ...]:
    """Principal components of the points, then principal components of these, and so on.

    widths: the number of components in each step. Points without spread are replaced by random
    points.
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
    """The linear map from inputs to outputs, with 0 for outputs that are not linear.

    If there are more hidden dimensions than input directions, the surplus ones start at random and
    are not linear.
    """
    slope, *_ = np.linalg.lstsq(inputs, outputs, rcond=None)
    wrong = np.linalg.norm(outputs - inputs @ slope, axis=0)
    like = wrong < LEAST_LIKE * np.linalg.norm(outputs, axis=0)
    return np.asarray(np.where(like, slope, 0.0), dtype=np.float64)


def _lengthscales(lengthscale: float, known: int, n_latent: int) -> Array:
    """The given lengthscale for the first `known` dimensions, long lengthscales for the rest."""
    return np.where(np.arange(n_latent) < known, lengthscale, STRAIGHT * np.sqrt(n_latent))
