"""Where the training of a deep latent variable model starts: layer by layer, from the data up.

Random starts end as the shallow model. What these, and those of deep_regression_starts.py, have in
common: hidden means that lie where the layers above and below can explain them, and hidden noise
that is small beside their spread.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from gplvm_core.beliefs import Belief
from gplvm_core.bounds import Layer
from gplvm_core.kernels import Kernel
from gplvm_core.models.problems.edges import relevance_of
from gplvm_core.models.problems.graph import Beginning, Begun
from gplvm_core.models.problems.initialise import initial_inducing, initial_latent
from gplvm_core.models.problems.nodes import INITIAL_VARIANCE
from gplvm_core.models.problems.starts import of_unit_scale, start_kernel
from gplvm_core.numerics import Array

# Of the points above the lowest hidden layer.
UPPER_VARIANCE = 0.1
# Noise of a hidden layer, as a share of the variance of what it is to explain.
HIDDEN_NOISE = 0.1


@dataclass(frozen=True)
class Embedded:
    """Principal components of the data, then of those in units of their lengthscales, and so on up.

    outputs: data, or several views of the same rows. n_latent, n_inducing, kernels: of the inputs
    of every layer, the top first; the last of the kernels may be a tuple, one for each view. init:
    the lowest means, or their recipe. The seed chooses the inducing inputs, a subset of the means.
    """

    outputs: Float[Array, "N D"] | tuple[Float[Array, "N _D"], ...]
    n_latent: tuple[int, ...]
    n_inducing: tuple[int, ...]
    kernels: tuple[str | Kernel | tuple[str | Kernel, ...], ...]
    init: str | ArrayLike

    def __call__(self, seed: int, /) -> Begun:
        generator = np.random.default_rng(seed)
        beliefs, layers, notes = list[Belief](), list[Layer](), dict[str, None]()
        below = self.outputs if isinstance(self.outputs, tuple) else (self.outputs,)
        init, noise, variance = self.init, 1.0, INITIAL_VARIANCE
        settings = zip(self.n_latent, self.n_inducing, self.kernels, strict=True)
        for n_latent, n_inducing, kinds in reversed(list(settings)):
            mean, said = initial_latent(below, n_latent, init, generator)
            notes |= dict.fromkeys(said)
            if len(beliefs) < len(self.n_latent) - 1:
                # Hidden: in units of its own, where what is given as init may have any.
                mean = mean / mean.std(axis=0).max()
            each = kinds if isinstance(kinds, tuple) else (kinds,) * len(below)
            found = list[Layer]()
            for kind in each:
                inducing, more = initial_inducing(mean, n_inducing, generator)
                kernel = of_unit_scale(start_kernel(kind, mean), mean)
                found.append(Layer(kernel, inducing, noise))
                notes |= dict.fromkeys(more)
            beliefs.append(Belief(mean, np.full_like(mean, variance)))
            layers = found + layers
            centred = mean - mean.mean(axis=0)
            below = (centred * np.sqrt(relevance_of(found[0].kernel, n_latent)),)
            init, variance = "pca", UPPER_VARIANCE
            noise = HIDDEN_NOISE * float(np.mean(mean.var(axis=0)))
        return Begun(tuple(reversed(beliefs)), tuple(layers), tuple(notes))


@dataclass(frozen=True)
class Sloped:
    """A start whose hidden layers hand on what of their outputs is linear in their inputs."""

    begin: Beginning

    def __call__(self, seed: int, /) -> Begun:
        begun = self.begin(seed)
        layers, beliefs = list(begun.layers), begun.beliefs
        for at, (above, below) in enumerate(pairwise(beliefs)):
            slope, *_ = np.linalg.lstsq(above.mean, below.mean, rcond=None)
            layers[at] = replace(layers[at], slope=np.asarray(slope, dtype=np.float64))
        return replace(begun, layers=tuple(layers))


@dataclass(frozen=True)
class InTurn:
    """Several kinds of starts: consecutive seeds take them in turn."""

    kinds: tuple[Beginning, ...]

    def __call__(self, seed: int, /) -> Begun:
        return self.kinds[seed % len(self.kinds)](seed)

    def seeds(self, drawn: Sequence[int]) -> tuple[int, ...]:
        """For every seed that was drawn, one of every kind."""
        count = len(self.kinds)
        return tuple(seed // count * count + kind for seed in drawn for kind in range(count))
