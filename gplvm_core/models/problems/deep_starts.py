"""Starts for deep latent variable models: layer by layer, from the data up.

Deep models with a random start become shallow models in training. These starts, like the starts in
deep_regression_starts.py, choose hidden means that the layers above and below can explain. The
hidden noise is small compared with the spread of these means.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.kernels import Kernel
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.models.problems.graph import Begun
from gplvm_core.models.problems.initialise import initial_latent
from gplvm_core.models.problems.nodes import INITIAL_VARIANCE
from gplvm_core.models.problems.starts import start_layer
from gplvm_core.numerics import Array

# Variance of q for points above the lowest hidden layer.
UPPER_VARIANCE = 0.1
# Noise variance of a hidden layer, as a fraction of the variance of its outputs.
HIDDEN_NOISE = 0.1
# Lengthscale of a nearly linear function, in units of √Q.
STRAIGHT = 3.0
# For each layer, the top first: its width, number of inducing inputs, and a kernel for each output.
Settings = list[tuple[int, int, tuple[Any, ...]]]


@dataclass(frozen=True)
class Embedded:
    """A start with principal components of the data, principal components of these, and so on.

    The last components are at the top. Before each step, the components are divided by their
    lengthscales. outputs: data, or several views of the same rows. n_latent, n_inducing, kernels:
    an entry for every layer, the top first. The last kernel may be a tuple with one kernel for each
    view, used in all layers of the view. own: widths of each view's private hidden spaces, the
    uppermost first. init: the means of the lowest shared space, or the name of a method for them.
    The seed chooses the inducing inputs, a subset of the means.
    """

    outputs: Float[Array, "N D"] | tuple[Float[Array, "N _D"], ...]
    n_latent: tuple[int, ...]
    n_inducing: tuple[int, ...]
    kernels: tuple[str | Kernel | tuple[str | Kernel, ...], ...]
    init: str | ArrayLike
    own: tuple[tuple[int, ...], ...] = ()

    def __call__(self, seed: int, /) -> Begun:
        generator, notes = np.random.default_rng(seed), dict[str, None]()
        outputs = self.outputs if isinstance(self.outputs, tuple) else (self.outputs,)
        kinds = self.kernels[-1]
        each = kinds if isinstance(kinds, tuple) else (kinds,) * len(outputs)
        own = self.own or ((),) * len(outputs)
        last, private = list[Layer](), list[_Climbed]()
        below, noises = list[Array](), list[float]()
        for values, widths, kind in zip(outputs, own, each, strict=True):
            settings: Settings = [(width, self.n_inducing[-1], (kind,)) for width in widths]
            climbed = _Climbed.up((values,), (1.0,), "pca", INITIAL_VARIANCE, settings, generator)
            notes |= dict.fromkeys(climbed.notes)
            private.append(climbed)
            below.extend(climbed.points)
            noises.extend(climbed.noises)
        upper = ((kind,) for kind in self.kernels[:-1])
        settings = [*zip(self.n_latent, self.n_inducing, (*upper, each), strict=True)]
        # If every view has private layers, no data depend directly on the shared points. They then
        # start with a smaller variance.
        variance = UPPER_VARIANCE if all(own) else INITIAL_VARIANCE
        shared = _Climbed.up(below, noises, self.init, variance, settings, generator, to_top=True)
        notes |= dict.fromkeys(shared.notes)
        # The lowest shared node has a layer to every view, or to the view's first private space.
        first = shared.layers[-len(outputs) :]
        for leading, climbed in zip(first, private, strict=True):
            climbed.layers.insert(0, leading)
            last.append(climbed.layers.pop())
        hidden = [layer for climbed in private for layer in climbed.layers]
        beliefs = [*shared.beliefs, *(at for climbed in private for at in climbed.beliefs)]
        layers = (*shared.layers[: -len(outputs)], *hidden, *last)
        return Begun(tuple(beliefs), layers, tuple(notes))


@dataclass(frozen=True)
class _Climbed:
    """Stacked layers, each of which starts from the points below it; lists begin at the top.

    points, noises: the outputs of the next layer to add, and its noise variances.
    """

    beliefs: list[Belief]
    layers: list[Layer]
    points: tuple[Array, ...]
    noises: tuple[float, ...]
    notes: tuple[str, ...]

    @classmethod
    def up(
        cls,
        points: Sequence[Array],
        noises: Sequence[float],
        init: str | ArrayLike,
        variance: float,
        settings: Settings,
        generator: np.random.Generator,
        *,
        to_top: bool = False,
    ) -> Self:
        """Start all layers from the points below them.

        variance: the variance of the lowest points. settings: an entry for each layer, the top
        first. to_top: the layers end at the model's top.
        """
        beliefs, layers, notes = list[Belief](), list[Layer](), dict[str, None]()
        for at, (n_latent, n_inducing, kinds) in reversed([*enumerate(settings)]):
            mean, mean_notes = initial_latent(points, n_latent, init, generator)
            notes |= dict.fromkeys(mean_notes)
            if at or not to_top:
                # Hidden points have internal units. Means that the user gives may have any units.
                mean = mean / mean.std(axis=0).max()
            found = list[Layer]()
            for kind, noise in zip(kinds, noises, strict=True):
                layer, more = start_layer(kind, mean, n_inducing, noise, generator)
                found.append(layer)
                notes |= dict.fromkeys(more)
            beliefs.insert(0, Belief(mean, np.full_like(mean, variance)))
            layers = found + layers
            centred = mean - mean.mean(axis=0)
            points = (centred * np.sqrt(relevance_of(found[0].kernel, n_latent)),)
            init, variance = "pca", UPPER_VARIANCE
            noises = (HIDDEN_NOISE * float(np.mean(mean.var(axis=0))),)
        return cls(beliefs, layers, tuple(points), tuple(noises), tuple(notes))


def straight(n_latent: int) -> Array:
    """Lengthscales of a nearly linear function."""
    return np.full(n_latent, STRAIGHT * np.sqrt(n_latent))
